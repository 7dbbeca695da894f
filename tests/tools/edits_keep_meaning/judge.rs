//! What an edit should have done, by the reference of `legion_transform_testing` in `f64`.

use legion::Entity;
use legion_transform::{edit::EditError, math::decompose::DecomposeError, prelude::*};
use legion_transform_testing::{
    Bounded, Kind, Meaning, Numbers, Reference, Snapshot, groups, kind, snapshot::Row,
};
use nalgebra::{Matrix3, Matrix4, Point3, UnitQuaternion, Vector3};

use harness::user::{OwnLocal, OwnWorld, OwnWorldAndRotation};

use super::case::{Case, Edit, story};
use crate::random_worlds::setup;

type M = Matrix4<f64>;

/// How far off a matrix may be, relative to the sizes of its factors.
const ROUNDING: f64 = 9e-7;

/// The same of an axis: so much shear counts as none.
const SHEAR: f64 = 1.1e-5;

/// An entity's matrices, as they are seen, and with 1 for its sizes of 0.
#[derive(Clone, Copy)]
struct Pose {
    seen: M,
    meant: M,
    local: M,
    /// The sizes of the terms that make `seen` and `local`.
    sizes: M,
    meant_sizes: M,
    local_sizes: M,
    /// How many times more one direction of the parent's is stretched than another.
    stretch: f64,
    /// Half a step of `f32` for each of its angles.
    coarse: f64,
}

impl Case {
    pub fn judge(mut self) {
        let Some(before) = self.pose() else { return };
        let meaning = Meaning::of(&self.test.world, setup());
        let old = Snapshot::of(&self.test.world);
        let was = self.place();
        let parents = [self.old, Some(self.new)];
        let result = self.play();
        let new = Snapshot::of(&self.test.world);
        let (edit, on_shear, entities) = (self.edit, self.on_shear, [self.entity, self.new]);
        let story = || {
            let text = result.as_ref().map_err(|error| error.to_string());
            format!("{edit:?}, {on_shear:?}, {result:?}: {text:?}\n") + &story(entities, &old, &new)
        };
        match &result {
            Err(error) => {
                for row in &old.rows {
                    let now = new.get(row.entity).expect("nobody dies");
                    let is_same = now.numbers == row.numbers || has_nan(row);
                    assert!(is_same && now.parent == row.parent, "changed {}", story());
                }
                self.error_is_true(error, &before, &old, parents, &story);
            }
            Ok(()) => {
                let is_matrix = self.is_matrix(&new);
                let kept = meaning.check(&self.test.world);
                // Shear that is too large for `f32` has no place but in a matrix.
                let may_strip = self.on_shear == OnShear::WriteMatrix && is_matrix;
                // The kit does not know of angles that are coarse.
                let is_coarse = before.coarse > 0.0;
                // With another parent, it may take over more or less.
                assert!(
                    kept.is_ok() || may_strip || is_coarse || self.has_own(),
                    "{} {}",
                    kept.unwrap_err(),
                    story()
                );
                let Some(now) = self.pose() else { return };
                self.is_where_it_should_be(&before, &now, &story);
                self.is_near(&was, before.sizes.column(3).amax(), &story);
                let (old, new) = (old.get(self.entity).unwrap(), new.get(self.entity).unwrap());
                if !is_matrix {
                    self.nothing_changes_without_need(old, new, &now, &story);
                }
            }
        }
    }

    /// Where it is seen, as the next run writes it.
    fn place(&self) -> Vector3<f64> {
        let query = TransformQuery::new(&self.test.world);
        match self.frame.and_then(|frame| query.in_frame(self.entity, frame).ok()) {
            Some(matrix) => matrix.fixed_view::<3, 1>(0, 3).into(),
            None => query.position(self.entity).expect("it is alive").coords.cast(),
        }
    }

    /// An edit that is made puts the entity where it is asked to be, as the next run writes it: no
    /// hundredth of a unit beside it, whatever the numbers are.
    fn is_near(&self, was: &Vector3<f64>, terms: f64, story: &dyn Fn() -> String) {
        let (asked, is) = match self.edit {
            Edit::SetWorld(pose, _) => (pose.translation.cast(), self.place()),
            Edit::SetLocal(_) | Edit::SetLocalMatrix(_) if self.has_own() => return,
            Edit::SetLocal(transform) | Edit::SetLocalMatrix(transform) => {
                let query = TransformQuery::new(&self.test.world);
                let local = query.local_to_parent(self.entity).map(|it| it.position());
                let local = local.or_else(|_| query.position(self.entity));
                let local = local.expect("it has a matrix").coords;
                (transform.translation.cast(), local.cast())
            }
            Edit::Translate(by) => (was + by.cast(), self.place()),
            Edit::RotateAround(point, turn) => {
                let turned = around(&point.coords.cast(), &turn);
                (turned.transform_point(&Point3::from(*was)).coords, self.place())
            }
            Edit::ScaleAround(point, by) => {
                let scaled = from(&point.coords.cast(), &by);
                (scaled.transform_point(&Point3::from(*was)).coords, self.place())
            }
            _ => (*was, self.place()),
        };
        // Factors magnify the rounding of where it was seen.
        let seen = match self.edit {
            Edit::ScaleAround(_, by) => f64::from(2.0 * f32::EPSILON * by.amax()) * terms,
            _ => 0.0,
        };
        let off = (asked - is).norm();
        assert!(off <= 0.010_001 + seen, "{off} units elsewhere: {asked} {is} {}", story());
    }

    /// Whether a component of the user's has taken over something.
    fn has_own(&self) -> bool {
        let it = &self.test;
        it.has::<OwnWorld>(self.entity)
            || it.has::<OwnLocal>(self.entity)
            || it.has::<OwnWorldAndRotation>(self.entity)
    }

    fn is_matrix(&self, all: &Snapshot) -> bool {
        let row = all.get(self.entity).unwrap();
        let is_matrix = |kind: Kind| {
            matches!(kind, Kind::LocalToWorld | Kind::LocalToParent | Kind::WorldToLocal)
        };
        row.numbers.iter().all(|(kind, _)| is_matrix(*kind) || *kind == Kind::Inherits)
    }

    /// Half a step of `f32` for each angle, if they are many turns.
    fn coarseness(&self) -> f64 {
        let all = Snapshot::of(&self.test.world);
        let row = all.get(self.entity).expect("it is alive");
        let half = |angle: &f32| f64::from((angle.abs().next_up() - angle.abs()) / 2.0);
        let angles = kind::ROTATION_EULERS.iter().filter_map(|euler| row.get(*euler));
        let steps = angles.map(|angles| angles[..3].iter().map(half).sum::<f64>());
        steps.filter(|steps| *steps > 1e-6).fold(0.0, f64::max)
    }

    /// The matrices that the inputs of now make. `None` where the reference cannot tell.
    fn pose(&mut self) -> Option<Pose> {
        let entity = self.entity;
        let of = |it: &Self| {
            let reference = Reference::with(&it.test.world, setup());
            let seen = reference.world(entity).expect("it has a matrix");
            let parent = reference.parent(entity).and_then(|parent| reference.world(parent));
            let is_known = |it: &Bounded| it.magnitude.amax() < 1e30;
            let is_known = is_known(seen) && parent.is_none_or(is_known);
            let is_linked = reference.parent(entity).is_some();
            let local = reference.value(entity, Kind::LocalToParent).filter(|_| is_linked);
            let local = local.and_then(|it| it.bounded()).unwrap_or(*seen);
            let psi = reference.value(entity, Kind::ParentScaleInverse);
            let psi = psi.and_then(|it| it.bounded()).filter(|_| is_linked);
            let stretch = |matrix: &Bounded| {
                let stretches = linear(&matrix.value).singular_values();
                (stretches[0] / stretches[2].max(1e-30)).max(1.0) // also of a parent of size 0
            };
            let stretch = parent.map_or(1.0, stretch) * psi.as_ref().map_or(1.0, stretch);
            is_known.then_some(Pose {
                seen: seen.value,
                meant: seen.value,
                local: local.value,
                sizes: seen.magnitude,
                meant_sizes: seen.magnitude,
                local_sizes: local.magnitude,
                stretch,
                coarse: it.coarseness(),
            })
        };
        let now = of(self)?;
        // With 1 for 0, and back.
        let (uniform, axes) =
            (self.test.get::<Scale>(entity), self.test.get::<NonUniformScale>(entity));
        let one = |size: f32| if size == 0.0 { 1.0 } else { size };
        uniform.into_iter().for_each(|scale| self.test.set(entity, Scale(one(scale.0))));
        axes.into_iter().for_each(|it| self.test.set(entity, NonUniformScale(it.0.map(one))));
        let filled = of(self);
        uniform.into_iter().for_each(|scale| self.test.set(entity, scale));
        axes.into_iter().for_each(|axes| self.test.set(entity, axes));
        let filled = filled?;
        Some(Pose { meant: filled.seen, meant_sizes: filled.sizes, ..now })
    }

    fn is_where_it_should_be(&self, before: &Pose, now: &Pose, story: &dyn Fn() -> String) {
        // Different factors make the rounding of one axis a shear of another.
        let factors = match self.edit {
            Edit::ScaleAround(_, by) => f64::from(by.amax() / by.amin().max(1e-30)),
            _ => 1.0,
        };
        let off = |wanted: &M, is: &M, what: &str| {
            let [old, new] = [before, now].map(|it| match what {
                "seen" => it.sizes,
                _ => it.meant_sizes,
            });
            let size = &old.sup(&new);
            let error = (wanted - is).abs();
            let most = |matrix: &M, column: usize| matrix.fixed_view::<3, 1>(0, column).amax();
            let place = most(size, 3).max(most(wanted, 3)).max(most(&before.seen, 3));
            let moved = most(&error, 3) / place.max(1e-30);
            // Relative to each axis as it is made, or to the largest element of it.
            let turned = |i| most(&error, i) / most(size, i).max(most(wanted, i)).max(1e-30);
            let turned = (0..3).map(turned).fold(0.0, f64::max);
            assert!(
                turned < SHEAR.max(2e-6 * before.stretch * now.stretch * factors) + now.coarse
                    && moved < ROUNDING,
                "{what} off by {turned:e}, {moved:e}: {wanted} {is} {}",
                story()
            );
        };
        let carried = |map: M| {
            off(&(map * before.seen), &now.seen, "seen");
            // An axis of size 0 has a direction, and no length.
            let mut meant = map * before.meant;
            for i in 0..3 {
                let (is, was) = (now.meant.column(i).norm(), meant.column(i).norm());
                if now.seen.column(i).norm() == 0.0 && was > 0.0 {
                    meant.column_mut(i).scale_mut(is / was);
                }
            }
            let is = now.meant;
            // A stored matrix that is flat means no more than is seen. Nor has it a hand, if all
            // sizes are 0.
            let is_flat = (0..3).any(|i| before.meant.column(i).norm() == 0.0);
            let is_nothing = linear(&now.seen).amax() == 0.0;
            let mirrors = linear(&meant).determinant() * linear(&is).determinant() < 0.0;
            if is_flat || is_nothing && mirrors {
                return;
            }
            // The place is that which is seen.
            off(&with_place(&meant, &now.seen), &with_place(&is, &now.seen), "meant");
        };
        match self.edit {
            Edit::SetParent | Edit::InsertChild | Edit::RemoveParent | Edit::DetachChildren => {
                carried(M::identity());
            }
            Edit::SetWorld(pose, _) => off(&pose.to_matrix().cast(), &now.seen, "seen"),
            Edit::SetLocal(transform) | Edit::SetLocalMatrix(transform) => {
                let wanted: M = transform.to_matrix().cast();
                let size = wanted.amax().max(now.local_sizes.amax());
                let error = (wanted - now.local).amax() / size.max(1e-30);
                assert!(
                    self.has_own() || error < ROUNDING + now.coarse,
                    "local off by {error:e} {}",
                    story()
                );
            }
            Edit::Translate(by) => carried(M::new_translation(&by.cast())),
            Edit::Rotate(turn) => {
                let at = before.seen.fixed_view::<3, 1>(0, 3).into_owned();
                carried(around(&at, &turn));
            }
            Edit::RotateAround(point, turn) => carried(around(&point.coords.cast(), &turn)),
            Edit::ScaleAround(point, by) => {
                let map = from(&point.coords.cast(), &by);
                match self.flattens() {
                    true => off(&(map * before.seen), &now.seen, "seen"),
                    false => carried(map),
                }
            }
            Edit::LookAt(point, _) => {
                let at = before.seen.fixed_view::<3, 1>(0, 3).into_owned();
                let towards = point.coords.cast::<f64>() - at;
                let forward = now.meant.fixed_view::<3, 1>(0, 2).into_owned();
                let angle = forward.angle(&towards);
                let place = ROUNDING * now.sizes.column(3).amax();
                // Where the place is rounded, the direction to a point near it is another.
                let most = (1e-6 + now.coarse) * now.stretch.max(1.0) + place / towards.norm();
                assert!(forward.norm() == 0.0 || angle < most, "{angle} off {}", story());
                let moved = now.seen.fixed_view::<3, 1>(0, 3) - at;
                assert!(moved.amax() < place, "moved {}", story());
            }
        }
    }

    /// What a component was, would it do?
    fn nothing_changes_without_need(
        &mut self,
        old: &Row,
        new: &Row,
        now: &Pose,
        story: &dyn Fn() -> String,
    ) {
        let is_given = matches!(self.edit, Edit::SetLocal(_) | Edit::SetLocalMatrix(_));
        let is_exact = matches!(
            self.edit,
            Edit::Translate(_)
                | Edit::Rotate(_)
                | Edit::RotateAround(..)
                | Edit::ScaleAround(..)
                | Edit::LookAt(..)
        );
        let has_angles = kind::ROTATION_EULERS.iter().any(|euler| new.has(*euler));
        for kind in [Kind::Translation, Kind::Rotation, Kind::Scale, Kind::NonUniformScale] {
            if kind == Kind::Rotation && has_angles {
                continue; // made of them
            }
            let (was, is) = (old.get(kind).copied(), new.get(kind).copied());
            let (Some(is), false) = (is, is_given || was == is) else { continue };
            if kind == Kind::NonUniformScale && old.has(Kind::Scale) {
                continue;
            }
            self.write(kind, &was.unwrap_or(kind.identity()));
            let reverted = self.pose();
            self.write(kind, &is);
            let Some(reverted) = reverted else { continue };
            let off = |a: &M, b: &M| {
                let turned = (a - b).fixed_view::<3, 3>(0, 0).amax();
                let size = linear(&now.sizes).amax();
                let moved = (a - b).fixed_view::<3, 1>(0, 3).amax();
                let place = now.sizes.fixed_view::<3, 1>(0, 3).amax();
                // A millimetre is a need, wherever it is.
                let moved = if moved > 1e-3 { 1.0 } else { moved / place.max(1e-30) };
                (turned / size.max(1e-30)).max(moved)
            };
            let off = off(&reverted.seen, &now.seen).max(off(&reverted.meant, &now.meant));
            // What is inherited in part is rounded once more: a scale of 1 may be 1.0000001 below
            // one parent, and 0.9999999 below the other. The edit makes up for that.
            let is_inherited = old.has(Kind::Inherits);
            let digits = |a: &Numbers| {
                let far = a.iter().zip(is.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                far / is.iter().fold(1e-30, |most, x| x.abs().max(most))
            };
            if is_inherited && was.as_ref().is_some_and(|was| digits(was) <= 4.0 * f32::EPSILON) {
                continue;
            }
            let needless = if is_exact || is_inherited { 1e-12 } else { 2e-9 };
            assert!(off > needless, "{kind:?} changed without need: {off:e} {}", story());
        }
        self.sizes_keep_their_signs(old, new, story);
        self.turns_are_near(old, new, story);
    }

    /// Whether it is scaled by 0.
    fn flattens(&self) -> bool {
        matches!(self.edit, Edit::ScaleAround(_, by) if by.iter().any(|factor| *factor == 0.0))
    }

    fn write(&mut self, kind: Kind, numbers: &Numbers) {
        kind.set(&mut self.test.world.entry(self.entity).unwrap(), numbers);
    }

    fn sizes_keep_their_signs(&self, old: &Row, new: &Row, story: &dyn Fn() -> String) {
        let sizes = |row: &Row| match row.get(Kind::Scale) {
            Some(scale) => Some([scale[0]; 3]),
            None => row.get(Kind::NonUniformScale).map(|axes| [axes[0], axes[1], axes[2]]),
        };
        let (was, is) = (sizes(old).unwrap_or([1.0; 3]), sizes(new).unwrap_or([1.0; 3]));
        let is_given =
            matches!(self.edit, Edit::SetLocal(_) | Edit::SetLocalMatrix(_) | Edit::SetWorld(..));
        let zeros = |sizes: [f32; 3]| sizes.map(|size| size == 0.0);
        // Before, it was a matrix that shows zeros, or one of its own; or the parent's scale was
        // cancelled by zeros.
        let is_own = self.has_own() || !old.has_any(&groups::LOCAL);
        let is_flat = old
            .get(Kind::ParentScaleInverse)
            .is_some_and(|psi| psi.chunks(4).take(3).any(|axis| axis[..3] == [0.0; 3]));
        let may_differ = is_given || is_own || is_flat || self.flattens();
        assert!(may_differ || zeros(was) == zeros(is), "other zeros {}", story());
        if let Edit::SetLocal(transform) = self.edit
            && !is_own
            && !new.has(Kind::CompositeRotation)
            && !new.has(Kind::CompositeScale)
            && !new.has(Kind::ParentScaleInverse)
            && is != [1.0; 3]
            && !new.has(Kind::LocalToParent)
        {
            assert_eq!(is, <[f32; 3]>::from(transform.scale), "as given {}", story());
        }
        let flips = was.iter().zip(is).filter(|(was, is)| **was * is < 0.0).count();
        assert!(flips != 2 || is_given, "half a turn by sizes {}", story());
    }

    fn turns_are_near(&self, old: &Row, new: &Row, story: &dyn Fn() -> String) {
        let is_given = matches!(self.edit, Edit::SetLocal(_));
        if let (Some(was), Some(is)) = (old.get(Kind::Rotation), new.get(Kind::Rotation)) {
            let side: f32 = was.iter().zip(is).map(|(a, b)| a * b).sum();
            let has_angles = kind::ROTATION_EULERS.iter().any(|euler| new.has(*euler));
            assert!(is_given || has_angles || side >= -1e-6, "the other side {}", story());
        }
        for euler in kind::ROTATION_EULERS {
            let (Some(was), Some(is)) = (old.get(euler), new.get(euler)) else { continue };
            let apart = |is: [f32; 3]| (0..3).map(|i| (is[i] - was[i]).powi(2)).sum::<f32>().sqrt();
            let middle = match euler {
                Kind::RotationEulerXYZ | Kind::RotationEulerZYX => 1,
                Kind::RotationEulerXZY | Kind::RotationEulerYZX => 2,
                _ => 0,
            };
            let pi = std::f32::consts::PI;
            let one = [is[0], is[1], is[2]];
            let mut other = one.map(|angle| angle + pi);
            other[middle] = pi - one[middle];
            let near = |a: f32, b: f32| a + 2.0 * pi * ((b - a) / (2.0 * pi)).round();
            let best = [one, other].map(|it| apart(std::array::from_fn(|i| near(it[i], was[i]))));
            let least = best[0].min(best[1]);
            assert!(apart(one) <= least + 1e-3, "{euler:?}: a nearer triple {}", story());
        }
    }

    fn error_is_true(
        &self,
        error: &EditError,
        before: &Pose,
        old: &Snapshot,
        parents: [Option<Entity>; 2],
        story: &dyn Fn() -> String,
    ) {
        let row = old.get(self.entity).unwrap();
        let reference = Reference::with(&self.test.world, setup());
        let is_plain = !row.has_any(&[
            Kind::CompositeRotation,
            Kind::CompositeScale,
            Kind::ParentScaleInverse,
        ]);
        match *error {
            EditError::ParentNotInvertible { parent, .. } => {
                assert!(parents.contains(&Some(parent)), "{}", story());
                let world = reference.world(parent).unwrap();
                if world.magnitude.amax() > 1e30 {
                    return;
                }
                let (linear, terms) = (linear(&world.value), linear(&world.magnitude));
                // An axis that is 0 but for rounding has no length.
                let length = |i| linear.column(i).norm().max(1e-6 * terms.column(i).norm());
                let columns = (0..3).map(length).product::<f64>();
                let is_flat = columns == 0.0 || linear.determinant().abs() / columns < 1e-5;
                let sizes = linear.singular_values();
                assert!(is_flat, "{parent:?} is not flat: {sizes} {}", story());
            }
            EditError::NoTransform { reason, .. } => match reason {
                DecomposeError::Sheared(_) if is_plain && row.get(Kind::Inherits).is_none() => {
                    let new = reference.world(self.new).unwrap();
                    let new = match self.edit {
                        Edit::SetParent | Edit::InsertChild if new.magnitude.amax() < 1e30 => {
                            linear(&new.value)
                        }
                        Edit::RemoveParent | Edit::DetachChildren => Matrix3::identity(),
                        _ => return,
                    };
                    let local = new.try_inverse().unwrap_or_default() * linear(&before.meant);
                    let cosine = |i: usize, j: usize| {
                        local.column(i).normalize().dot(&local.column(j).normalize()).abs()
                    };
                    let shear = cosine(0, 1).max(cosine(0, 2)).max(cosine(1, 2));
                    // Below a parent of size 0 it is not a number.
                    let is_sheared = shear.is_nan() || shear > 1e-6;
                    assert!(is_sheared, "sheared by {shear:e} alone {}", story());
                }
                DecomposeError::Sheared(_) => {}
                DecomposeError::Singular => {
                    assert!(!is_plain || self.flattens(), "what is singular? {}", story());
                }
                _ => panic!("{reason:?} {}", story()),
            },
            EditError::TooFar { off, .. } => {
                // Only where numbers are so great that `f32` has no steps of a hundredth.
                let terms = self.terms(before, &reference).amax();
                assert!(off > 0.01 && off < 1e-6 * terms, "{terms:e} {}", story());
            }
            EditError::Overridden { component, .. } => {
                let is_own =
                    matches!(component, "Rotation" | "CompositeRotation" | "CompositeScale");
                assert!(is_own, "{}", story());
            }
            _ => panic!("{error} {}", story()),
        }
    }
}

impl Case {
    /// The numbers that make its place, before the edit or after.
    fn terms(&self, before: &Pose, reference: &Reference) -> Vector3<f64> {
        let place = |matrix: &M| matrix.fixed_view::<3, 1>(0, 3).abs();
        let mut to = place(&before.seen);
        match self.edit {
            Edit::SetWorld(pose, _) => to = to.sup(&pose.translation.cast().abs()),
            Edit::SetLocal(pose) | Edit::SetLocalMatrix(pose) => {
                to = to.sup(&pose.translation.cast().abs());
            }
            Edit::Translate(by) => to += by.cast::<f64>().abs(),
            Edit::RotateAround(point, _) => {
                to = to.add_scalar(to.norm() + 2.0 * point.coords.cast::<f64>().norm());
            }
            Edit::ScaleAround(point, by) => {
                let all = to.norm() + point.coords.cast::<f64>().norm();
                to = to.add_scalar((1.0 + by.cast::<f64>().amax()) * all);
            }
            _ => {}
        }
        let mut terms = place(&before.sizes) + place(&before.local_sizes) + to;
        for parent in [self.old, Some(self.new)].into_iter().flatten() {
            let world = reference.world(parent).expect("it has a matrix");
            let (axes, at) = (linear(&world.value), place(&world.magnitude));
            let back = axes.try_inverse().unwrap_or_else(Matrix3::zeros);
            terms += axes.abs() * (back.abs() * (to + at)) + at;
        }
        terms
    }
}

fn has_nan(row: &Row) -> bool {
    row.numbers.iter().any(|(_, numbers)| numbers.iter().any(|x| x.is_nan()))
}

fn linear(matrix: &M) -> Matrix3<f64> {
    matrix.fixed_view::<3, 3>(0, 0).into()
}

fn with_place(matrix: &M, place: &M) -> M {
    let mut matrix = *matrix;
    matrix.set_column(3, &place.column(3));
    matrix
}

fn from(point: &Vector3<f64>, factors: &Vector3<f32>) -> M {
    let scale = M::new_nonuniform_scaling(&factors.cast());
    M::new_translation(point) * scale * M::new_translation(&-point)
}

fn around(point: &Vector3<f64>, turn: &UnitQuaternion<f32>) -> M {
    let turn = UnitQuaternion::new_normalize(turn.into_inner().cast::<f64>());
    M::new_translation(point) * turn.to_homogeneous() * M::new_translation(&-point)
}
