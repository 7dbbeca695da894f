//! What is wanted of a local matrix: how well it is known, and which factors make it.

use nalgebra::{Matrix4, Vector3};

use super::{
    Axes, Base, Factors, Linear,
    base::{LEFT, vanishes},
    decompose::{SHEAR_TOLERANCE, right_angled},
    filled, linear_part, origin,
};

/// The rounding error of a chain of matrices: about 16 times `f32`'s epsilon.
pub(crate) const ROUNDING: f64 = 2e-6;

/// Up to this fraction of the numbers that make it, a place is different by rounding alone.
pub(crate) const SAME_PLACE: f64 = f32::EPSILON as f64 / 2.0;

/// So far off may `f32` put an entity from where it is asked to be, in units. It rounds places by
/// that from about 200,000 units on.
pub(crate) const NEAR: f64 = 0.01;

/// How far the turn of an edit in `f64` may be off.
pub(crate) const EXACT: f64 = 1e-9;

/// So much shear counts as none.
pub(crate) const TOLERANCE: f64 = SHEAR_TOLERANCE as f64;

/// What is wanted of a local matrix.
pub(crate) struct Target<'a> {
    /// What the local matrix leads to: what is inherited of the parent's world.
    pub base: &'a Base,
    pub local: Matrix4<f64>,
    /// Where its origin is to be in what the base is in.
    pub place: Vector3<f64>,
    /// The axes of size 0, which `local` shows as if they had another size. `None` if it shows
    /// them as 0.
    pub zeros: Option<Axes>,
    /// Sizes with the signs that are wanted; those of the old ones if `None`.
    pub signs: Option<Vector3<f64>>,
    /// How far a turn is off that is the same but for rounding.
    pub same_turn: f64,
    /// The same of a place, as a fraction of the numbers that make it.
    pub same_place: f64,
    /// The product by which the wanted matrix of the world is known: the squares of the lengths of
    /// the rows of its first factor, and of the columns of the second. No element is known better
    /// than the rounding error of its row times its column.
    made_of: Option<[Vector3<f64>; 2]>,
}

impl<'a> Target<'a> {
    /// A local matrix that is given, or made of `f32` matrices.
    #[inline]
    pub fn new(
        base: &'a Base,
        local: Matrix4<f64>,
        place: Vector3<f64>,
        zeros: Option<Axes>,
    ) -> Self {
        let (same_turn, same_place) = (ROUNDING, SAME_PLACE);
        Self { base, local, place, zeros, signs: None, same_turn, same_place, made_of: None }
    }

    /// The matrix of the world is given. `None` if the base is flat.
    #[inline]
    pub fn given(base: &'a Base, pose: &Matrix4<f64>) -> Option<Self> {
        let target = Self::new(base, base.below(pose)?, origin(pose), None);
        Some(target.made_of(&Linear::identity(), &linear_part(pose)))
    }

    /// The matrix of the world is known as this product.
    #[inline]
    pub fn made_of(self, from: &Linear, local: &Linear) -> Self {
        Self { made_of: Some([row_squares(from), column_squares(local)]), ..self }
    }

    /// The old local matrix, changed in `f64` alone: the smallest change counts.
    #[inline]
    pub fn exact(self) -> Self {
        Self { same_turn: EXACT, same_place: 1e-12, ..self }
    }

    /// Whether so little is left of an axis below the base that it is [not known](vanishes).
    pub fn vanishes(&self) -> bool {
        let (space, axes) = (linear_part(&self.base.matrix), linear_part(&self.local));
        axes.column_iter().any(|axis| vanishes(&space, &axis.into()))
    }

    /// The local matrix with its zeros, in `f32`.
    pub fn matrix(&self) -> Matrix4<f32> {
        let zeros = self.zeros.unwrap_or_default();
        self.local.map_with_location(|_, j, x| if j < 3 && zeros[j] { 0.0 } else { x as f32 })
    }
}

/// The linear map that factors are to make, by changing as few of them as possible.
pub(crate) struct Goal<'a> {
    /// The factors of now.
    own: &'a Factors,
    map: Linear,
    /// What it is multiplied into.
    frame: Linear,
    /// The squares of the sizes of the terms that make each element of the product.
    terms: Linear,
    /// Whether they are so much greater than the known ones that an axis [may be
    /// lost](Target::vanishes).
    pub may_vanish: bool,
    /// The squares of the lengths that its columns had in what is known.
    known: Vector3<f64>,
    /// The axes whose size is 0.
    pub zeros: Axes,
    /// How far a turn is off that is the same but for rounding.
    pub same_turn: f64,
    signs: Vector3<f64>,
    /// Whether one number is to hold all sizes, if they are even.
    one_number: bool,
}

impl<'a> Goal<'a> {
    /// `PSI R K H S` is to make a target. `None` if `PSI` is flat.
    pub fn of(
        target: &Target<'_>,
        psi: Option<&Linear>,
        own: &'a Factors,
        one_number: bool,
    ) -> Option<Self> {
        let (mut frame, mut map) = (linear_part(&target.base.matrix), linear_part(&target.local));
        if let Some(psi) = psi {
            (map, frame) = (psi.try_inverse()? * map, frame * psi);
        }
        let mut columns = column_squares(&map);
        let mut zeros = target.zeros.unwrap_or_default();
        if target.zeros.is_none() && columns.min() == 0.0 {
            (map, zeros) = filled(&map, || own.product());
            columns = column_squares(&map);
        }
        let rows = row_squares(&frame);
        let [from, known] = target.made_of.unwrap_or([rows, columns]);
        let terms = Linear::from_fn(|i, j| (rows[i] * columns[j]).max(from[i] * known[j]));
        let signs = target.signs.unwrap_or(own.sizes);
        let same_turn = target.same_turn;
        // 9: a vector is at most √3 times its greatest number, in these terms and in those.
        let grown = rows.max() * columns.component_div(&known).max();
        let may_vanish = 9.0 * LEFT * LEFT * grown > from.max();
        Some(Self {
            own,
            map,
            frame,
            terms,
            may_vanish,
            known,
            zeros,
            same_turn,
            signs,
            one_number,
        })
    }

    /// How far the product of factors is off: the greatest of all elements, each relative to the
    /// size of its terms. Infinity if one is more than [`TOLERANCE`] of that, or of its axis where
    /// the terms do not round so far. Below a parent of sizes (0.5, 100, 1), a shear by 0.002 of
    /// the short axis is 0.00001 of the terms, and is one.
    pub fn deviation(&self, made: &Factors) -> f64 {
        let (product, mut worst) = (made.product(), 0.0);
        for column in 0..3 {
            let off = self.frame * (product.column(column) - self.map.column(column));
            for row in 0..3 {
                let (error, size) = (off[row] * off[row], self.terms[(row, column)]);
                // A NaN counts as infinitely wrong, and so does an axis without length.
                let is_within = error < TOLERANCE * TOLERANCE * size
                    && (error < ROUNDING * ROUNDING * size
                        || error < TOLERANCE * TOLERANCE * self.length_squared(column));
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

    /// Of an axis, in the product.
    #[cold]
    fn length_squared(&self, axis: usize) -> f64 {
        (self.frame * self.map.column(axis)).norm_squared()
    }

    /// With the same turn and shear, the sizes that come nearest.
    ///
    /// They get the signs that are wanted, or one or three others, which mirror: (-2, 2, 2) doubled
    /// is (-4, 4, 4). Two other signs are half a turn: then `None`. A size of 0 has no sign to
    /// mirror by.
    pub fn resized(&self) -> Option<Vector3<f64>> {
        let (axes, map, zeros) = (self.own.axes(), &self.map, &self.zeros);
        let size = |i, _| map.column(i).dot(&axes.column(i)) / axes.column(i).norm_squared();
        let sizes = Vector3::from_fn(size);
        let flips = sizes.zip_map(&self.signs, |a, b| a * b < 0.0);
        let count = flips.iter().filter(|flips| **flips).count();
        let is_lost = !zeros.iter().all(|zero| *zero) && (0..3).any(|i| flips[i] && zeros[i]);
        (count != 2 && !is_lost).then_some(sizes)
    }

    /// With the same `K H`, the turn and the sizes. `None` where the map or `K` is flat.
    ///
    /// An axis that grew is known better than the others. A child is turned by a quarter below a
    /// parent of scale (1, 0.01, 1), so that its x axis is (0.0000002, 0.01, 0), of length 0.01 and
    /// wrong by 0.0000002. Where it is long again, that is 0.00002 of its length, and the y axis
    /// says better how the child is turned.
    pub fn turned(&self) -> Option<(Linear, Vector3<f64>)> {
        // Axes that have grown alike stay in their order.
        let (lengths, mut order) = (column_squares(&self.map), IN_ORDER);
        let grown = |i: usize| lengths[i] / self.known[i];
        for (i, j) in [(0, 1), (1, 2), (0, 1)] {
            if grown(order[j]) > 4.0 * grown(order[i]) {
                order.swap(i, j);
            }
        }
        self.taken_apart(self.own.inner(), order)
    }

    /// With the same `K`, all others.
    pub fn reshaped(&self) -> Option<Factors> {
        let between = self.own.between;
        let (turn, _) = self.taken_apart(between, IN_ORDER)?;
        let mut upper = turn.tr_mul(&self.map);
        if let Some(between) = &between {
            upper = between.try_inverse()? * upper;
        }
        let sizes = upper.diagonal();
        let shear = Vector3::new(upper.m12 / sizes.y, upper.m13 / sizes.z, upper.m23 / sizes.z);
        Some(Factors { turn, between, shear, sizes })
    }

    /// The turn `R` and the sizes of `R inner U`, where `U` is a triangle with the sizes as its
    /// diagonal.
    ///
    /// The first axis of the order gets the direction of the map's, the second one as far as it is
    /// across the first: where they are not quite at right angles, the last is changed most. The
    /// sizes get the signs that are wanted, if the hand of the map allows it. Else all three get
    /// the other sign if one number is to hold them; or the one does, of those that are not 0, by
    /// which the turn changes least.
    fn taken_apart(&self, inner: Option<Linear>, order: Order) -> Option<(Linear, Vector3<f64>)> {
        let mut turn = perpendicular(&self.map, order)?;
        let mut sizes = Vector3::from_fn(|i, _| turn.column(i).dot(&self.map.column(i)));
        let mut mirrors = turn.determinant() < 0.0;
        let mut inner_turn = None;
        if let Some(inner) = &inner {
            let axes = perpendicular(inner, order)?;
            (0..3).for_each(|i| sizes[i] /= axes.column(i).dot(&inner.column(i)));
            mirrors ^= axes.determinant() < 0.0;
            inner_turn = Some(axes);
        }
        let mut sides = self.signs.map(|sign| if sign < 0.0 { -1.0 } else { 1.0 });
        if mirrors != (sides.product() < 0.0) {
            let are_even = sizes.max() - sizes.min() <= ROUNDING * sizes.max();
            if self.one_number && are_even && self.zeros.iter().all(|it| *it == self.zeros[0]) {
                sides = -sides;
            } else {
                // How far each axis is on the side on which it was.
                let was = inner_turn.map_or(self.own.turn, |axes| self.own.turn * axes);
                let kept = |i: usize| was.column(i).dot(&turn.column(i)) * sides[i];
                let axes = (0..3).filter(|&i| !self.zeros[i]);
                let least = axes.reduce(|a, b| if kept(b) < kept(a) - EXACT { b } else { a });
                let least = least.unwrap_or(0);
                sides[least] = -sides[least];
            }
        }
        (0..3).for_each(|i| turn.column_mut(i).scale_mut(sides[i]));
        if let Some(axes) = &inner_turn {
            turn *= axes.transpose();
        }
        Some((turn, sizes.component_mul(&sides)))
    }
}

/// Three axes, one after the other.
type Order = [usize; 3];

/// x, y, z
const IN_ORDER: Order = [0, 1, 2];

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
fn row_squares(map: &Linear) -> Vector3<f64> {
    Vector3::from_fn(|i, _| map.row(i).norm_squared())
}

/// The same of its columns.
fn column_squares(map: &Linear) -> Vector3<f64> {
    Vector3::from_fn(|i, _| map.column(i).norm_squared())
}
