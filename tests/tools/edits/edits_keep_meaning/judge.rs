//! What an edit should have done, by the reference of `legion_transform_testing` in `f64`.

use legion_transform::{frames::Frame, prelude::*};
use legion_transform_testing::{Bounded, Kind, Meaning, Reference, Snapshot, kind, snapshot::Row};
use nalgebra::{Isometry3, Matrix3, Matrix4, Point3, Translation3, UnitQuaternion, Vector3};

use harness::user::{OwnLocal, OwnWorld, OwnWorldAndRotation};

use super::case::{Case, Edit, story};
use crate::random_worlds::{same_bits, setup};

pub type M = Matrix4<f64>;

/// How far off a matrix may be, relative to the sizes of its factors.
const ROUNDING: f64 = 9e-7;

/// The same of an axis: so much shear counts as none.
const SHEAR: f64 = 1.1e-5;

/// An entity's matrices, as they are seen, and with 1 for its sizes of 0.
#[derive(Clone, Copy)]
pub struct Pose {
    pub seen: M,
    pub meant: M,
    pub local: M,
    /// The sizes of the terms that make `seen` and `local`.
    pub sizes: M,
    pub meant_sizes: M,
    pub local_sizes: M,
    /// How many times more one direction of the parent's is stretched than another.
    pub stretch: f64,
    /// Half a step of `f32` for each of its angles.
    pub coarse: f64,
}

impl Pose {
    /// Of a root that is a frame, as it is seen from another one.
    fn of_a_frame(from: &Frame, frame: &Frame) -> Self {
        let (back, length) = (from.rotation.inverse(), frame.rotation.norm());
        assert!((length - 1.0).abs() < 1e-15, "the length is {length}");
        let place = Translation3::from(back * (frame.position - from.position));
        let seen = Isometry3::from_parts(place, back * frame.rotation).to_homogeneous();
        // Of its place in the universe, an `f64` has steps.
        let step = 2.0 * f64::EPSILON * from.position.coords.amax() / ROUNDING;
        let mut sizes = seen.abs();
        sizes.column_mut(3).add_scalar_mut(step);
        Self {
            seen,
            meant: seen,
            local: seen,
            sizes,
            meant_sizes: sizes,
            local_sizes: sizes,
            stretch: 1.0,
            coarse: 0.0,
        }
    }
}

impl Case {
    pub fn judge(&mut self) {
        let Some(before) = self.pose() else { return };
        let meaning = Meaning::of(&self.test.world, setup());
        let old = Snapshot::of(&self.test.world);
        let (was, was_framed) = (self.place(), self.is_framed());
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
                // A frame has other components.
                let is_framed = was_framed || self.is_framed();
                // With another parent, it may take over more or less.
                assert!(
                    kept.is_ok() || may_strip || is_coarse || is_framed || self.has_own(),
                    "{} {}",
                    kept.unwrap_err(),
                    story()
                );
                let Some(now) = self.pose() else { return };
                self.is_read(&now, &story);
                self.is_where_it_should_be(&before, &now, &story);
                self.is_near(&was, before.sizes.column(3).amax(), &story);
                let (old, new) = (old.get(self.entity).unwrap(), new.get(self.entity).unwrap());
                if !is_matrix && !is_framed {
                    self.nothing_changes_without_need(old, new, &now, &story);
                }
            }
        }
    }

    /// The next run writes what a query says now, bit for bit. A frame is placed by its run.
    pub fn run(mut self) {
        let (place, is_known) = (self.place(), !self.is_framed());
        let query = TransformQuery::new(&self.test.world);
        let fresh = query.local_to_world(self.entity).expect("a matrix").0;
        let size = self.pose().map_or(f64::INFINITY, |it| it.sizes.column(3).amax());
        self.test.run();
        let now = self.test.matrix(self.entity);
        assert!(!is_known || same_bits(&now, &fresh), "{fresh} became {now}");
        let off = (now.column(3).xyz().cast() - place).amax();
        assert!(!is_known || off <= 2e-6 * size, "{off} off: {place} became {now}");
    }

    /// Queries say what the reference says: of a transform, of the place in a frame, and of what
    /// lies between an entity and its parent.
    fn is_read(&self, now: &Pose, story: &dyn Fn() -> String) {
        let (query, entity) = (TransformQuery::new(&self.test.world), self.entity);
        let parent = self.test.get::<Parent>(entity).filter(|_| !self.has_own());
        let between = parent.and_then(|it| query.between(entity, it.0).ok());
        let read = query.transform(entity).ok().filter(|_| !self.has_own() && !self.is_framed());
        let seen = self.frames.first().and_then(|it| query.in_frame(entity, *it).ok());
        // In a frame that is exact, wherever the frame is.
        let root = Walk::fresh(&self.test.world).ok().and_then(|walk| walk.root(entity));
        let is_exact = root.is_some_and(|it| self.frames.contains(&it))
            && !self.test.has::<Inherits>(entity)
            && now.stretch < 100.0
            && now.sizes.amax() < 1e6;
        let between = between.filter(|_| is_exact);
        for (is, (wanted, sizes)) in [
            (read.map(|it| it.to_matrix().cast()), (&now.local, &now.local_sizes)),
            (between.map(|it| it.cast()), (&now.local, &now.local_sizes)),
            (seen, (&now.seen, &now.sizes)),
        ] {
            let off = is.map_or(0.0, |is| (is - wanted).amax() / sizes.amax().max(1e-30));
            assert!(off <= 1e-5, "{is:?} is {off} off {wanted} {}", story());
        }
    }

    /// Where it is seen, as the next run writes it.
    fn place(&self) -> Vector3<f64> {
        let query = TransformQuery::new(&self.test.world);
        match self.frames.first().and_then(|frame| query.in_frame(self.entity, *frame).ok()) {
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
        // From no frame into one it goes by the axes of the frame as they are seen, in `f32`.
        let axes = if self.frames.is_empty() { 0.0 } else { f64::from(f32::EPSILON) * was.norm() };
        let off = (asked - is).norm();
        assert!(off <= 0.010_001 + seen + axes, "{off} units elsewhere: {asked} {is} {}", story());
    }

    pub fn is_framed(&self) -> bool {
        self.test.has::<Frame>(self.entity)
    }

    /// Whether a component of the user's has taken over something.
    pub fn has_own(&self) -> bool {
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
    pub fn pose(&mut self) -> Option<Pose> {
        let entity = self.entity;
        if let Some(frame) = self.test.get::<Frame>(entity) {
            let from = self.test.value::<Frame>(self.frames[0]);
            return Some(Pose::of_a_frame(&from, &frame));
        }
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
            Edit::LookAt(point, up) => {
                let at = before.seen.fixed_view::<3, 1>(0, 3).into_owned();
                let towards = point.coords.cast::<f64>() - at;
                let forward = now.meant.fixed_view::<3, 1>(0, 2).into_owned();
                let angle = forward.angle(&towards);
                let place = ROUNDING * now.sizes.column(3).amax();
                // Where the place is rounded, the direction to a point near it is another.
                let most = (1e-6 + now.coarse) * now.stretch.max(1.0) + place / towards.norm();
                assert!(forward.norm() == 0.0 || angle < most, "{angle} off {}", story());
                // y lies in the plane of the direction and `up`.
                let (across, above) = (up.cast().cross(&towards), now.meant.column(1).xyz());
                let aside = across.normalize().dot(&above.normalize()).abs();
                let is_clear = across.norm() > 0.3 * up.norm() as f64 * towards.norm();
                assert!(
                    !is_clear || above.norm() == 0.0 || aside < 1e-2,
                    "{aside} aside {}",
                    story()
                );
                let moved = now.seen.fixed_view::<3, 1>(0, 3) - at;
                assert!(moved.amax() < place, "moved {}", story());
            }
        }
    }
}

fn has_nan(row: &Row) -> bool {
    row.numbers.iter().any(|(_, numbers)| numbers.iter().any(|x| x.is_nan()))
}

pub fn linear(matrix: &M) -> Matrix3<f64> {
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
