//! A linear map as four factors, `R K H S`: a turn, a map that stays as it is, a shear and sizes.
//! How to make another map of them, by changing as few as possible.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::{
    compose,
    decompose::{LinearParts, decompose_linear},
};

pub(crate) type Linear = Matrix3<f64>;

/// Which of three axes.
pub(crate) type Axes = Vector3<bool>;

/// `R K H S`
#[derive(Clone)]
pub(crate) struct Factors {
    pub turn: Linear,
    pub between: Linear,
    /// `(xy, xz, yz)`, as of [`Shear`](crate::components::Shear).
    pub shear: Vector3<f64>,
    pub sizes: Vector3<f64>,
}

impl Factors {
    /// `R K H`: the directions of the axes.
    fn axes(&self) -> Linear {
        // Most entities have a turn and sizes alone.
        let is_plain = self.between == Linear::identity() && self.shear == Vector3::zeros();
        if is_plain { self.turn } else { self.turn * self.between * sheared(&self.shear) }
    }

    pub fn product(&self) -> Linear {
        let mut product = self.axes();
        (0..3).for_each(|i| product.column_mut(i).scale_mut(self.sizes[i]));
        product
    }

    /// The same turn and shear, with the sizes that come nearest to a map.
    ///
    /// Sizes get the signs of `signs`, or one or three others, which mirror: (-2, 2, 2) doubled is
    /// (-4, 4, 4). Two other signs are half a turn: then `None`. A size of 0 (one of `zeros`) has
    /// no sign to mirror by.
    pub fn resized(&self, map: &Linear, signs: &Vector3<f64>, zeros: &Axes) -> Option<Self> {
        let axes = self.axes();
        let size = |i, _| map.column(i).dot(&axes.column(i)) / axes.column(i).norm_squared();
        let sizes = Vector3::from_fn(size);
        let flips = sizes.zip_map(signs, |a, b| a * b < 0.0);
        let count = flips.iter().filter(|flips| **flips).count();
        let is_lost = !zeros.iter().all(|zero| *zero) && (0..3).any(|i| flips[i] && zeros[i]);
        (count != 2 && !is_lost).then(|| Self { sizes, ..self.clone() })
    }

    /// The factors of a map with the same `K`, and with sizes of these signs, if the hand of the
    /// map allows it. Else the first size that is not 0 gets the other sign, or all three if they
    /// are `one_number`. `None` where the map or `K` is flat.
    pub fn turned(
        &self,
        map: &Linear,
        signs: &Vector3<f64>,
        zeros: &Axes,
        one_number: Option<f64>,
    ) -> Option<Self> {
        let made = self.taken_apart(map, signs)?;
        if made.sizes.x * signs.x > 0.0 {
            return Some(made);
        }
        let lengths = made.sizes.abs();
        let is_even = |rounding| lengths.max() - lengths.min() <= rounding * lengths.max();
        let mut signs = *signs;
        match (0..3).find(|&i| !zeros[i]) {
            _ if one_number.is_some_and(is_even) => signs = -signs,
            Some(first) => signs[first] = -signs[first],
            None => {}
        }
        self.taken_apart(map, &signs)
    }

    /// As [`turned`](Self::turned), but that always x gets the other sign.
    fn taken_apart(&self, map: &Linear, signs: &Vector3<f64>) -> Option<Self> {
        let between = self.between;
        if between == Linear::identity() {
            let LinearParts { rotation, shear, scale } = decompose_linear(map, signs)?;
            return Some(Self { turn: rotation.into_inner(), between, shear, sizes: scale });
        }
        // K = Q U and R K H S = (R Q) (U H S), each a turn and an upper triangle.
        let inner = decompose_linear(&between, &Vector3::repeat(1.0))?;
        let whole = decompose_linear(map, &signs.component_mul(&inner.scale))?;
        let [triangle, upper] =
            [&inner, &whole].map(|it| sheared(&it.shear) * Linear::from_diagonal(&it.scale));
        let (upper, turn) = (triangle.try_inverse()? * upper, whole.rotation / inner.rotation);
        let sizes = upper.diagonal();
        let shear = Vector3::new(upper.m12 / sizes.y, upper.m13 / sizes.z, upper.m23 / sizes.z);
        Some(Self { turn: turn.into_inner(), between, shear, sizes })
    }

    /// How far the product is from a map, both multiplied into a frame: the greatest of all
    /// elements, each relative to the size of the terms in its sum. Infinity if one is more than
    /// `most`.
    pub fn deviation(&self, map: &Linear, frame: &Linear, most: f64) -> f64 {
        let (product, mut worst, most) = (self.product(), 0.0, most * most);
        let rows = [0, 1, 2].map(|row| frame.row(row).norm_squared());
        for column in 0..3 {
            let wanted = map.column(column);
            let (off, length) = (frame * (product.column(column) - wanted), wanted.norm_squared());
            for row in 0..3 {
                let (error, size) = (off[row] * off[row], rows[row] * length);
                // A NaN counts as infinitely wrong, and so does an axis without length.
                let is_within = error < most * size;
                if !is_within {
                    return f64::INFINITY;
                }
                if error > worst * size {
                    worst = error / size;
                }
            }
        }
        worst.sqrt()
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
