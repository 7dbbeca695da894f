//! A linear map as four factors, `R K H S`: a turn, a map that stays as it is, a shear and sizes.
//! How to make another map of them, by changing as few as possible.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::{compose, decompose::right_angled};

pub(crate) type Linear = Matrix3<f64>;

/// Which of three axes.
pub(crate) type Axes = Vector3<bool>;

/// `R K H S`
#[derive(Clone)]
pub(crate) struct Factors {
    pub turn: Linear,
    /// `K`, if it is another one than the identity.
    pub between: Option<Linear>,
    /// `(xy, xz, yz)`, as of [`Shear`](crate::components::Shear).
    pub shear: Vector3<f64>,
    pub sizes: Vector3<f64>,
}

impl Factors {
    /// `K H`: the axes as they are turned. `None` if they are those of the space, as most often.
    #[inline]
    fn inner(&self) -> Option<Linear> {
        if self.shear == Vector3::zeros() {
            return self.between;
        }
        let shear = sheared(&self.shear);
        Some(self.between.map_or(shear, |between| between * shear))
    }

    /// `R K H`: the directions of the axes.
    #[inline]
    fn axes(&self) -> Linear {
        self.inner().map_or(self.turn, |inner| self.turn * inner)
    }

    pub fn product(&self) -> Linear {
        let mut product = self.axes();
        (0..3).for_each(|i| product.column_mut(i).scale_mut(self.sizes[i]));
        product
    }

    /// With the same turn and shear, the sizes that come nearest to a map.
    ///
    /// Sizes get the signs of `signs`, or one or three others, which mirror: (-2, 2, 2) doubled is
    /// (-4, 4, 4). Two other signs are half a turn: then `None`. A size of 0 (one of `zeros`) has
    /// no sign to mirror by.
    pub fn resized(
        &self,
        map: &Linear,
        signs: &Vector3<f64>,
        zeros: &Axes,
    ) -> Option<Vector3<f64>> {
        let axes = self.axes();
        let size = |i, _| map.column(i).dot(&axes.column(i)) / axes.column(i).norm_squared();
        let sizes = Vector3::from_fn(size);
        let flips = sizes.zip_map(signs, |a, b| a * b < 0.0);
        let count = flips.iter().filter(|flips| **flips).count();
        let is_lost = !zeros.iter().all(|zero| *zero) && (0..3).any(|i| flips[i] && zeros[i]);
        (count != 2 && !is_lost).then_some(sizes)
    }

    /// The turn and the sizes of a map with the same `K H`. `None` where the map or `K` is flat.
    ///
    /// The first axis of `order` gets the direction of the map's, the second one as far as it is
    /// across the first: where they are not quite at right angles, the last is changed most. The
    /// sizes get the signs of `signs`, if the hand of the map allows it. Else the first size that
    /// is not 0 gets the other sign, or all three if they are `one_number`.
    pub fn turned(
        &self,
        map: &Linear,
        order: Order,
        signs: &Vector3<f64>,
        zeros: &Axes,
        one_number: Option<f64>,
    ) -> Option<(Linear, Vector3<f64>)> {
        let mut turn = perpendicular(map, order)?;
        let mut sizes = Vector3::from_fn(|i, _| turn.column(i).dot(&map.column(i)));
        let mut mirrors = turn.determinant() < 0.0;
        // K H = Q U and R K H S = (R Q) (U S), each with axes at right angles and a triangle.
        let inner = match self.inner() {
            Some(inner) => Some((inner, perpendicular(&inner, order)?)),
            None => None,
        };
        if let Some((inner, axes)) = &inner {
            (0..3).for_each(|i| sizes[i] /= axes.column(i).dot(&inner.column(i)));
            mirrors ^= axes.determinant() < 0.0;
        }
        let mut sides = signs.map(|sign| if sign < 0.0 { -1.0 } else { 1.0 });
        if mirrors != (sides.product() < 0.0) {
            let is_even = |rounding| sizes.max() - sizes.min() <= rounding * sizes.max();
            if one_number.is_some_and(is_even) {
                sides = -sides;
            } else {
                let first = (0..3).find(|&i| !zeros[i]).unwrap_or(0);
                sides[first] = -sides[first];
            }
        }
        (0..3).for_each(|i| turn.column_mut(i).scale_mut(sides[i]));
        if let Some((_, axes)) = &inner {
            turn *= axes.transpose();
        }
        Some((turn, sizes.component_mul(&sides)))
    }

    /// As [`turned`](Self::turned), with the shear of the map, too.
    pub fn reshaped(
        &self,
        map: &Linear,
        signs: &Vector3<f64>,
        zeros: &Axes,
        one_number: Option<f64>,
    ) -> Option<Self> {
        let unsheared = Self { shear: Vector3::zeros(), ..self.clone() };
        let (turn, _) = unsheared.turned(map, IN_ORDER, signs, zeros, one_number)?;
        let mut upper = turn.tr_mul(map);
        if let Some(between) = &self.between {
            upper = between.try_inverse()? * upper;
        }
        let sizes = upper.diagonal();
        let shear = Vector3::new(upper.m12 / sizes.y, upper.m13 / sizes.z, upper.m23 / sizes.z);
        Some(Self { turn, shear, sizes, ..unsheared })
    }

    /// How far the product is from a map, both multiplied into a frame: the greatest of all
    /// elements, each relative to its size (of which `sizes` has the squares). Infinity if one is
    /// more than `most`.
    pub fn deviation(&self, map: &Linear, frame: &Linear, sizes: &Linear, most: f64) -> f64 {
        let (product, mut worst, most) = (self.product(), 0.0, most * most);
        for column in 0..3 {
            let off = frame * (product.column(column) - map.column(column));
            for row in 0..3 {
                let (error, size) = (off[row] * off[row], sizes[(row, column)]);
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

/// Three axes, one after the other.
pub(crate) type Order = [usize; 3];

/// x, y, z
const IN_ORDER: Order = [0, 1, 2];

/// The axes by how much they have grown (squares of it), those that grew most first.
///
/// So much better is an axis known than another one. A child is turned by a quarter below a parent
/// of scale (1, 0.01, 1), so that its x axis is (0.0000002, 0.01, 0), of length 0.01 and wrong by
/// 0.0000002. Where it is long again, that is 0.00002 of its length, and the y axis says better how
/// the child is turned. Axes that have grown alike stay in their order.
pub(crate) fn by_growth(grown: &Vector3<f64>) -> Order {
    let mut order = IN_ORDER;
    for (i, j) in [(0, 1), (1, 2), (0, 1)] {
        if grown[order[j]] > 4.0 * grown[order[i]] {
            order.swap(i, j);
        }
    }
    order
}

/// The axes of a map made perpendicular in this order, of length 1, and each still on the side to
/// which it points.
fn perpendicular(map: &Linear, order: Order) -> Option<Linear> {
    let axes = right_angled(&Linear::from_columns(&order.map(|i| map.column(i))))?;
    // They are right-handed: if the map is not, the first one points the other way.
    let side = axes.column(0).dot(&map.column(order[0])).signum();
    let mut placed = axes;
    placed.set_column(order[0], &(axes.column(0) * side));
    placed.set_column(order[1], &axes.column(1));
    placed.set_column(order[2], &axes.column(2));
    Some(placed)
}

/// The squares of the lengths of a map's rows.
pub(crate) fn row_squares(map: &Linear) -> Vector3<f64> {
    Vector3::from_fn(|i, _| map.row(i).norm_squared())
}

/// The same of its columns.
pub(crate) fn column_squares(map: &Linear) -> Vector3<f64> {
    Vector3::from_fn(|i, _| map.column(i).norm_squared())
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
