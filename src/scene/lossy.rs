//! A world transform as translation, rotation and scale, and the shear that they cannot hold.
//!
//! In `f64`, so that rounding over a long chain of ancestors does not look like shear.

use nalgebra::{Matrix3, Matrix4, Quaternion, UnitQuaternion, Vector3};

use super::description::NodeTransform;

/// Rounding in a chain stays far below this, visible shear is far above.
const NEGLIGIBLE: f64 = 1e-6;

/// A world transform as translation, rotation and lossy scale.
pub(super) struct WorldTrs {
    pub translation: Vector3<f32>,
    pub rotation: UnitQuaternion<f32>,
    pub scale: Vector3<f32>,
    /// The world matrix itself.
    pub matrix: Matrix4<f32>,
    /// The dropped shear: the largest off-diagonal element of `R^-1 M_3x3`, relative to the length
    /// of its column. `None` if negligible.
    pub dropped: Option<f32>,
}

impl WorldTrs {
    /// `chain` leads from the topmost ancestor down to the node itself.
    pub fn new<'a>(chain: impl Iterator<Item = &'a NodeTransform>) -> Self {
        let mut matrix = Matrix4::<f64>::identity();
        let mut rotation = UnitQuaternion::<f64>::identity();
        let mut mirrored = Vector3::repeat(1.0);
        for transform in chain {
            let (local, turn, signs) = take_apart(transform);
            matrix *= local;
            rotation *= mirror(&turn, &mirrored);
            mirrored.component_mul_assign(&signs);
        }
        let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let unturned = rotation.to_rotation_matrix().inverse() * linear;
        let dropped = largest_off_diagonal(&unturned).max(bottom_row_error(&matrix));
        Self {
            translation: Vector3::new(matrix.m14, matrix.m24, matrix.m34).map(|x| x as f32),
            rotation: UnitQuaternion::new_normalize(Quaternion::from(
                rotation.coords.map(|x| x as f32),
            )),
            scale: unturned.diagonal().map(|x| x as f32),
            matrix: matrix.map(|x| x as f32),
            dropped: (dropped > NEGLIGIBLE).then_some(dropped as f32),
        }
    }
}

/// The local matrix, its rotation, and the signs of its scale.
fn take_apart(transform: &NodeTransform) -> (Matrix4<f64>, UnitQuaternion<f64>, Vector3<f64>) {
    match transform {
        NodeTransform::Trs { translation, rotation, scale } => {
            let rotation = Quaternion::from(rotation.coords.map(f64::from));
            let rotation = UnitQuaternion::try_new(rotation, f64::MIN_POSITIVE).unwrap_or_default();
            let scale = scale.map(f64::from);
            let matrix = Matrix4::new_translation(&translation.map(f64::from))
                * rotation.to_homogeneous()
                * Matrix4::new_nonuniform_scaling(&scale);
            (matrix, rotation, scale.map(f64::signum))
        }
        NodeTransform::Matrix(matrix) => {
            let matrix = matrix.map(f64::from);
            let (rotation, signs) = nearest_rotation(&matrix.fixed_view::<3, 3>(0, 0).into_owned());
            (matrix, rotation, signs)
        }
    }
}

/// The rotation of the polar decomposition. If the matrix is a reflection, one axis is flipped
/// first.
fn nearest_rotation(linear: &Matrix3<f64>) -> (UnitQuaternion<f64>, Vector3<f64>) {
    // Scaled to about 1, because squares of huge elements overflow.
    let largest = linear.amax();
    let svd = (largest > 0.0)
        .then(|| (linear / largest).try_svd(true, true, f64::EPSILON, 1_000))
        .flatten();
    let Some((Some(u), Some(v_t))) = svd.map(|svd| (svd.u, svd.v_t)) else {
        return (UnitQuaternion::identity(), Vector3::repeat(1.0));
    };
    let mut orthogonal = u * v_t;
    let mut signs = Vector3::repeat(1.0);
    if orthogonal.determinant() < 0.0 {
        signs.x = -1.0;
        orthogonal.column_mut(0).neg_mut();
    }
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(orthogonal);
    (UnitQuaternion::from_rotation_matrix(&rotation), signs)
}

/// `S R S` with the diagonal matrix S of `signs`: the rotation seen in a mirror. Without it, no
/// scale would complete the rotation below a reflected ancestor.
fn mirror(rotation: &UnitQuaternion<f64>, signs: &Vector3<f64>) -> UnitQuaternion<f64> {
    let axis = rotation.imag().component_mul(signs) * signs.product();
    UnitQuaternion::new_unchecked(Quaternion::from_parts(rotation.w, axis))
}

fn largest_off_diagonal(matrix: &Matrix3<f64>) -> f64 {
    let mut largest = 0.0_f64;
    for (j, column) in matrix.column_iter().enumerate() {
        let length = column.norm();
        for (i, element) in column.iter().enumerate() {
            if i != j && length > 0.0 {
                largest = largest.max(element.abs() / length);
            }
        }
    }
    largest
}

fn bottom_row_error(matrix: &Matrix4<f64>) -> f64 {
    matrix.m41.abs().max(matrix.m42.abs()).max(matrix.m43.abs()).max((matrix.m44 - 1.0).abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_4;

    fn trs(angle: f32, scale: [f32; 3]) -> NodeTransform {
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        NodeTransform::Trs {
            translation: Vector3::new(1.0, 2.0, 3.0),
            rotation,
            scale: scale.into(),
        }
    }

    #[test]
    fn a_rotation_in_a_mirror() {
        let signs = Vector3::new(-1.0, 1.0, 1.0);
        let s = Matrix3::from_diagonal(&signs);
        for axis in [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()] {
            let r = UnitQuaternion::from_axis_angle(&axis, 0.7);
            let expected = s * r.to_rotation_matrix().matrix() * s;
            assert!((mirror(&r, &signs).to_rotation_matrix().matrix() - expected).amax() < 1e-15);
        }
    }

    #[test]
    fn mirrored_ancestors_lose_nothing() {
        let chain = [
            trs(0.3, [-2.0, 2.0, 2.0]),
            trs(FRAC_PI_4, [3.0, -3.0, 3.0]),
            trs(-1.0, [1.0, 2.0, -5.0]),
        ];
        let world = WorldTrs::new(chain.iter());
        assert_eq!(world.dropped, None);
        assert!((world.scale - Vector3::new(-6.0, -12.0, -30.0)).amax() < 1e-5, "{}", world.scale);
    }

    #[test]
    fn a_mirrored_matrix_loses_nothing() {
        let chain = [
            NodeTransform::Matrix(trs(0.3, [2.0, -2.0, 2.0]).to_matrix()),
            trs(FRAC_PI_4, [1.0, 1.0, 1.0]),
        ];
        assert_eq!(WorldTrs::new(chain.iter()).dropped, None);
    }

    #[test]
    fn shear_is_measured() {
        let chain = [trs(0.0, [3.0, 1.0, 1.0]), trs(FRAC_PI_4, [1.0, 1.0, 1.0])];
        let world = WorldTrs::new(chain.iter());
        // R^-1 S R = [[2, -1], [-1, 2]] in the plane.
        assert!((world.scale - Vector3::new(2.0, 2.0, 1.0)).amax() < 1e-6);
        assert!((world.dropped.unwrap() - 1.0 / 5.0_f32.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn nothing_of_a_singular_matrix_is_nan() {
        let mut flat = Matrix4::new_nonuniform_scaling(&Vector3::new(1.0, 0.0, 1e30));
        for _ in 0..2 {
            let world =
                WorldTrs::new([NodeTransform::Matrix(flat), trs(0.5, [0.0, 1.0, 1.0])].iter());
            assert!(world.scale.iter().chain(world.rotation.coords.iter()).all(|x| x.is_finite()));
            flat = Matrix4::zeros();
        }
    }
}
