//! The matrices of Maya's documentation, for row vectors (p' = p M).

use legion_transform::interchange::MayaTransform;
use nalgebra::{Matrix4, Vector3};

/// Maya's names for `rotateOrder` 0 to 5.
pub const ORDERS: [&str; 6] = ["xyz", "yzx", "zxy", "xzy", "yxz", "zyx"];

/// A node, with `rotateOrder` as Maya has it.
#[derive(Clone, Debug)]
pub struct Node {
    pub attributes: MayaTransform,
    pub order: &'static str,
}

impl Node {
    /// SP^-1 S SH SP ST RP^-1 RA R RP RT T
    pub fn transform_matrix(&self) -> Matrix4<f64> {
        let m = &self.attributes;
        translation(&-m.scale_pivot)
            * scale(&m.scale)
            * shear(&m.shear)
            * translation(&m.scale_pivot)
            * translation(&m.scale_pivot_translate)
            * translation(&-m.rotate_pivot)
            * rotation("xyz", &m.rotate_axis)
            * rotation(self.order, &m.rotate)
            * translation(&m.rotate_pivot)
            * translation(&m.rotate_pivot_translate)
            * translation(&m.translate)
    }

    /// S RO R JO IS T
    pub fn joint_matrix(&self, parent: Option<&Self>) -> Matrix4<f64> {
        let m = &self.attributes;
        let inverse_scale = match parent {
            Some(parent) if m.segment_scale_compensate => {
                scale(&parent.attributes.scale).try_inverse().expect("no zero scale here")
            }
            _ => Matrix4::identity(),
        };
        scale(&m.scale)
            * rotation("xyz", &m.rotate_axis)
            * rotation(self.order, &m.rotate)
            * rotation("xyz", &m.joint_orient)
            * inverse_scale
            * translation(&m.translate)
    }
}

fn translation(v: &Vector3<f32>) -> Matrix4<f64> {
    let v = v.cast::<f64>();
    #[rustfmt::skip]
    let matrix = Matrix4::new(
        1.0, 0.0, 0.0, 0.0,
        0.0, 1.0, 0.0, 0.0,
        0.0, 0.0, 1.0, 0.0,
        v.x, v.y, v.z, 1.0,
    );
    matrix
}

fn scale(v: &Vector3<f32>) -> Matrix4<f64> {
    Matrix4::from_diagonal(&v.cast::<f64>().push(1.0))
}

fn shear(v: &Vector3<f32>) -> Matrix4<f64> {
    let (xy, xz, yz) = (f64::from(v.x), f64::from(v.y), f64::from(v.z));
    #[rustfmt::skip]
    let matrix = Matrix4::new(
        1.0, 0.0, 0.0, 0.0,
        xy,  1.0, 0.0, 0.0,
        xz,  yz,  1.0, 0.0,
        0.0, 0.0, 0.0, 1.0,
    );
    matrix
}

/// About one axis: Maya's RX, RY, RZ.
fn axis(axis: char, degrees: f32) -> Matrix4<f64> {
    let (s, c) = f64::from(degrees).to_radians().sin_cos();
    #[rustfmt::skip]
    let matrix = match axis {
        'x' => Matrix4::new(
            1.0, 0.0, 0.0, 0.0,
            0.0,   c,   s, 0.0,
            0.0,  -s,   c, 0.0,
            0.0, 0.0, 0.0, 1.0,
        ),
        'y' => Matrix4::new(
              c, 0.0,  -s, 0.0,
            0.0, 1.0, 0.0, 0.0,
              s, 0.0,   c, 0.0,
            0.0, 0.0, 0.0, 1.0,
        ),
        _ => Matrix4::new(
              c,   s, 0.0, 0.0,
             -s,   c, 0.0, 0.0,
            0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 1.0,
        ),
    };
    matrix
}

/// `xyz` means X Y Z: on row vectors the first factor acts first.
fn rotation(order: &str, degrees: &Vector3<f32>) -> Matrix4<f64> {
    order.chars().fold(Matrix4::identity(), |product, name| {
        product * axis(name, degrees["xyz".find(name).unwrap()])
    })
}
