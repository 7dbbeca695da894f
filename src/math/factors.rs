//! A linear map as four factors, `R K H S`: a turn, a map that stays as it is, a shear and sizes.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::compose;

pub(crate) type Linear = Matrix3<f64>;

/// Which of three axes.
pub(crate) type Axes = Vector3<bool>;

/// `R K H S`
#[derive(Clone)]
pub(crate) struct Factors {
    pub turn: Linear,
    /// `K`, if it is not the identity.
    pub between: Option<Linear>,
    /// `(xy, xz, yz)`, as of [`Shear`](crate::components::Shear).
    pub shear: Vector3<f64>,
    pub sizes: Vector3<f64>,
}

impl Factors {
    /// `K H`: the axes as they are turned. `None` if they are those of the space, as most often.
    #[inline]
    pub fn inner(&self) -> Option<Linear> {
        if self.shear == Vector3::zeros() {
            return self.between;
        }
        let shear = sheared(&self.shear);
        Some(self.between.map_or(shear, |between| between * shear))
    }

    /// `R K H`: the directions of the axes.
    #[inline]
    pub fn axes(&self) -> Linear {
        self.inner().map_or(self.turn, |inner| self.turn * inner)
    }

    pub fn product(&self) -> Linear {
        let mut product = self.axes();
        (0..3).for_each(|i| product.column_mut(i).scale_mut(self.sizes[i]));
        product
    }
}

/// `H`
pub(crate) fn sheared(shear: &Vector3<f64>) -> Linear {
    Linear::new(1.0, shear.x, shear.y, 0.0, 1.0, shear.z, 0.0, 0.0, 1.0)
}

/// The map of a stored quaternion, by the formula of local matrices.
pub(crate) fn turning(turn: &UnitQuaternion<f32>) -> Linear {
    let [x, y, z] = compose::linear(turn.coords.map(f64::from).into(), 1.0);
    Linear::from_columns(&[x.into(), y.into(), z.into()])
}

/// Sizes with their zeros.
pub(crate) fn shown(sizes: &Vector3<f64>, zeros: &Axes) -> Vector3<f64> {
    sizes.zip_map(zeros, |size, zero| if zero { 0.0 } else { size })
}

/// Sizes with 1 for 0, so that every axis has a direction, and which these are.
pub(crate) fn without_zeros(sizes: &Vector3<f64>) -> (Vector3<f64>, Axes) {
    (sizes.map(|size| if size == 0.0 { 1.0 } else { size }), sizes.map(|size| size == 0.0))
}

/// The map with a direction in each column that is 0, and which these are.
///
/// One is at right angles to the two others, and of the hand of `like`: a door that is flat along
/// z, given as (0, 0, -2), (0, 1, 0), 0, gets (1, 0, 0). Of two, the other column says how `like`
/// has turned, on the shortest way. Three are those of `like`.
pub(crate) fn filled(map: &Linear, like: impl FnOnce() -> Linear) -> (Linear, Axes) {
    let zeros = Axes::from_fn(|i, _| map.column(i) == Vector3::zeros());
    if zeros == Axes::repeat(false) {
        return (*map, zeros);
    }
    let (mut filled, like) = (*map, like());
    let (first, other) = ((0..3).find(|&i| zeros[i]), (0..3).find(|&i| !zeros[i]));
    match (zeros.iter().filter(|zero| **zero).count(), first, other) {
        (1, Some(flat), _) => {
            let across = map.column((flat + 1) % 3).cross(&map.column((flat + 2) % 3));
            let side = if like.determinant() < 0.0 { -1.0 } else { 1.0 };
            // Two that lie in one line leave it 0.
            let across = across.try_normalize(0.0).unwrap_or_default();
            filled.set_column(flat, &(across * side));
        }
        (2, _, Some(left)) => {
            let (from, to) = (like.column(left).normalize(), map.column(left).normalize());
            let (near, across) = (1.0 + from.dot(&to), from.cross(&to));
            let turn = UnitQuaternion::new_normalize(match near > 1e-12 {
                true => Quaternion::from_parts(near, across),
                // Half a turn, about any axis at right angles.
                false => Quaternion::from_imag(like.column((left + 1) % 3).cross(&from)),
            });
            for i in (0..3).filter(|&i| i != left) {
                filled.set_column(i, &(turn * like.column(i)));
            }
        }
        _ => filled = like,
    }
    (filled, zeros)
}
