//! Working out plans: all that an edit will write, before anything is touched.

use legion::{Entity, World};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::{
    EditError,
    apply::{Change, LocalChange, ParentChange, Plan},
    error::{GIVEN, Result, finite},
    options::{OnShear, Options},
    solve::{given_matrix, solve},
    standing::{Here, Standing, cancels, derives_inverse, has_scale},
};
use crate::{
    components::{with_rotation_euler, *},
    engine::{FreshRow, FreshRows, LocalInputs, Mask, WayUp},
    math::{
        Base, EXACT, Linear, ROUNDING, SAME_PLACE, Target, affine, carried,
        decompose::DecomposeError::{Projective, Sheared},
        inherited, linear_part, origin, times,
    },
    query::{Place, between, frame_at, has_met_frames, pose},
};

/// A point on the axis of a turn stays: it moves by so much of the numbers of both by rounding.
const SAME_POINT: f64 = 1e-14;

/// The frame in which an entity stands, if it does, and what its local matrix leads to there.
type Space = (Option<Entity>, Base);

/// Works out plans for one world.
pub(super) struct Planner<'a> {
    pub(super) options: &'a Options,
    pub(super) fresh: FreshRows<'a, &'a World>,
    /// Where the child was before the new parent got the `LocalToWorld` that it lacked. From then
    /// on links to that parent take effect. The child may have one, and would be elsewhere.
    pose: Option<Place>,
}

impl<'a> Planner<'a> {
    pub fn new(world: &'a World, options: &'a Options, pose: Option<Place>) -> Self {
        Self { options, fresh: FreshRows::new(world), pose }
    }

    /// Gives a child another parent. `frame_below` finds a frame below the child, if it has a frame
    /// itself and the parent has none.
    pub fn set_parent(
        &self,
        child: Entity,
        parent: Entity,
        frame_below: &dyn Fn(&World) -> Option<Entity>,
    ) -> Result<Plan> {
        let mut path = WayUp::of(self.fresh.placed(child)?);
        let mut above = WayUp::of(self.fresh.placed(parent)?);
        self.fresh.climb(&mut path)?;
        self.fresh.climb(&mut above)?;
        let (node, below) = (path.nodes[0], above.nodes[0]);
        let parts = node.inherits()?;
        let space = self.space(&above, 0, parts)?;
        self.refuse_cycle(child, &above)?;
        if path.parent() == Some(below) && self.pose.is_none() {
            return Ok(Plan::local(child, LocalChange::Keep));
        }
        // Without a parent the value was ignored. It may stem from one that is dead by now.
        let is_stale = path.nodes.len() == 1 && derives_inverse(node);
        let reset = (is_stale || cancels(&path)) && !has_scale(below);
        let has_frame = |node: FreshRow<'_, '_>| node.archetype.meaning.has_frame;
        let gives_frame_up = has_frame(node) && !has_frame(below);
        let local = if !gives_frame_up {
            self.in_place(&path, Some(below), space, reset)?
        } else if let Some(frame) = frame_below(self.fresh.store) {
            return Err(EditError::FrameBelow { entity: child, parent, frame });
        } else {
            self.without_frame(node, below, space)?
        };
        let parent = ParentChange::Set(parent);
        Ok(Plan { entity: child, parent, reset, gives_frame_up, local })
    }

    /// Makes a root. `viewer`: the entity of the origin, which stays by its frame, whatever it
    /// inherits.
    pub fn remove_parent(&self, child: Entity, viewer: Option<Entity>) -> Result<Plan> {
        let mut path = WayUp::of(self.fresh.placed(child)?);
        self.fresh.climb(&mut path)?;
        if !path.nodes[0].archetype.meaning.mask.has_any(Mask::PARENT | Mask::LOCAL_TO_PARENT) {
            return Ok(Plan::local(child, LocalChange::Keep));
        }
        // Off a plain parent, it stands right below its frame; off the frame, it is one.
        let mut frame = frame_at(&self.fresh, &path, 0)?;
        if frame.is_none()
            && !path.is_world_overridden(0)
            && let Some(viewer) = viewer
            && self.fresh.leads_to(viewer, child)?
        {
            frame = path.nodes.iter().position(|node| node.archetype.meaning.has_frame);
        }
        match frame.map(|at| (at, path.nodes[at].entity)) {
            None | Some((0, _)) => {}
            Some((1, frame)) => return self.set_free(&path, frame),
            Some((_, frame)) => return self.set_parent(child, frame, &|_| None),
        }
        let world = (None, Base::new(&Matrix4::identity()));
        let local = self.in_place(&path, None, world, false)?;
        let (parent, reset) = (ParentChange::Remove, cancels(&path));
        Ok(Plan { entity: child, parent, reset, gives_frame_up: false, local })
    }

    /// The change that keeps a frame where it is, as a plain child of a plain parent.
    fn without_frame(
        &self,
        node: FreshRow<'_, 'a>,
        parent: FreshRow<'_, 'a>,
        (frame, base): Space,
    ) -> Result<LocalChange> {
        let standing = Standing { node, parent: Some(parent), is_own: false, is_local: true };
        let pose = between(&self.fresh, Some(node.entity), frame)?;
        let pose = pose.unwrap_or_else(Matrix4::identity);
        let target = Target::given(&base, &pose).ok_or_else(|| standing.flat(&base))?;
        let mut inputs =
            LocalInputs { translation: Some(Vector3::zeros()), ..LocalInputs::default() };
        inputs.rotation.rotation = Some(UnitQuaternion::identity());
        let mut local = self.reach(&standing, Box::new((inputs, inputs)), &target)?;
        if let LocalChange::Inputs(change) = &mut local {
            // It has none of them yet.
            change.0 = LocalInputs::default();
        }
        Ok(local)
    }

    /// The change that keeps the entity where it is, below another parent or as a root.
    fn in_place<'q>(
        &'q self,
        path: &WayUp<'q, 'a>,
        parent: Option<FreshRow<'q, 'a>>,
        (frame, base): Space,
        reset: bool,
    ) -> Result<LocalChange> {
        let is_local = parent.is_some();
        let node = if is_local { path.nodes[0] } else { path.nodes[0].unlinked() };
        let standing = Standing { node, parent, is_own: false, is_local };
        let entity = node.entity;
        if node.archetype.meaning.has_frame {
            let parent = parent.map(|parent| parent.entity);
            return Ok(LocalChange::Frame(pose(&self.fresh, entity, parent).into()));
        }
        if path.is_world_overridden(0) {
            return Ok(LocalChange::Keep);
        }
        if let Some(seen) = self.seen(path)? {
            let map = between(&self.fresh, seen.frame, frame)?;
            let seen = map.map_or(seen.matrix, |map| times(&map, &seen.matrix));
            let target = Target::given(&base, &seen).ok_or_else(|| standing.flat(&base))?;
            return self.reach(&standing, self.inputs(&standing, reset)?, &target);
        }
        self.here(path, |old, change| {
            let moved;
            let (mut from, mut place) = (&old.base, old.place());
            if let Some(map) = between(&self.fresh, old.frame, frame)? {
                moved = Base::exact(times(&map, &old.base.matrix));
                from = &moved;
                place = carried(&map, &place);
            }
            // Other inputs may count there.
            let is_other = node.has(Mask::PARENT_SCALE_INVERSE)
                || node.archetype.meaning.mask != old.standing.node.archetype.meaning.mask;
            let new = is_other.then(|| self.inputs(&standing, reset)).transpose()?;
            let inputs = new.as_ref().map_or(&change.0, |new| &new.0);
            let is_same = change.0.parent_scale_inverse == inputs.parent_scale_inverse
                && old.standing.is_stored(&change.0) == standing.is_stored(inputs);
            if let Some(by) = base.step_to(from).filter(|_| is_same) {
                let here = Here { standing, frame, base, local: old.local };
                return here.step(new.unwrap_or(change), (&by, &place), SAME_PLACE);
            }
            if old.base.is_flat() {
                return Err(old.standing.flat(&old.base));
            }
            let target = old.target(&change.0, (&from.matrix, place), (&standing, &base))?;
            self.reach(&standing, new.unwrap_or(change), &target)
        })
    }

    /// Where the last run left the entity, if that is not where its components say.
    ///
    /// A parent that died since the last run takes no child along: one at (1, 0, 0), drawn at (6,
    /// 0, 0), is a root at (1, 0, 0) after the next run. But an edit that gives it another parent
    /// before that keeps it at (6, 0, 0).
    fn seen(&self, path: &WayUp<'_, 'a>) -> Result<Option<Place>> {
        let root = path.root();
        let has_lost = !path.is_held && root.has(Mask::LINK);
        if self.pose.is_some() || !has_lost || frame_at(&self.fresh, path, 0)?.is_some() {
            return Ok(self.pose);
        }
        let matrix = self.fresh.get::<LocalToWorld>(path.nodes[0])?;
        Ok(matrix.map(|matrix| Place::seen(matrix)))
    }

    /// Where an entity is now.
    pub fn place(&self, entity: Entity) -> Result<Place> {
        let mut path = WayUp::of(self.fresh.placed(entity)?);
        self.fresh.climb(&mut path)?;
        Ok(Place::of(&self.fresh, &path)?)
    }

    /// The plan that changes nothing but the entity's place below its parent.
    pub(super) fn local(
        &self,
        entity: Entity,
        edit: impl FnOnce(&Here<'_, 'a>, Change) -> Result<LocalChange>,
    ) -> Result<Plan> {
        let mut path = WayUp::of(self.fresh.placed(entity)?);
        self.fresh.climb(&mut path)?;
        if path.nodes[0].archetype.meaning.has_frame {
            return Err(EditError::Framed(entity));
        }
        Ok(Plan::local(entity, self.here(&path, edit)?))
    }

    pub fn set_world(&self, entity: Entity, pose: &Matrix4<f32>) -> Result<Plan> {
        let pose = given_matrix(entity, pose)?;
        let wanted = pose.cast::<f64>();
        self.local(entity, |here, change| {
            let Here { standing, base, local, .. } = here;
            let given = self.given(here)?;
            let seen = self.as_given(here, &given)?;
            let there = given.pose(&wanted);
            let Some(target) = Target::given(base, &there) else {
                // In the plane of a flat parent.
                let off = linear_part(&seen.cast()) - linear_part(&wanted);
                if off.amax() > ROUNDING * linear_part(&wanted).amax() {
                    return Err(standing.flat(base));
                }
                let step = given.step(&(origin(&wanted) - origin(&seen.cast())));
                return here.step(change, (&step, &origin(&there)), SAME_PLACE);
            };
            let mut target = target.exact();
            target.same_turn = ROUNDING;
            // Where it is, bit for bit: then its place does not change.
            if seen.column(3) == pose.column(3) {
                target.local.set_column(3, &local.cast().column(3));
                target.place = here.place();
            }
            self.reach(standing, change, &target)
        })
    }

    /// Moves the entity by a step of the world. Its local matrix and its parent's are taken, not
    /// its world matrix: far from the origin, that is rounded to a coarser step than small moves.
    pub fn translate(&self, entity: Entity, by: &Vector3<f32>) -> Result<Plan> {
        finite(entity, GIVEN, [by.as_slice()])?;
        self.local(entity, |here, change| {
            let by = self.given(here)?.step(&by.cast());
            match here.base.is_affine {
                true => here.step(change, (&by, &(here.place() + by)), 0.0),
                false => self.carry(here, change, &Matrix4::new_translation(&by), false),
            }
        })
    }

    /// Turns the entity about a point of the world, or about its own origin.
    pub fn turn(
        &self,
        entity: Entity,
        point: Option<Vector3<f32>>,
        rotation: &UnitQuaternion<f32>,
    ) -> Result<Plan> {
        let point_numbers = point.as_ref().map_or(&[][..], |point| point.as_slice());
        finite(entity, GIVEN, [point_numbers, rotation.coords.as_slice()])?;
        let turn = UnitQuaternion::new_normalize(rotation.into_inner().cast()).to_rotation_matrix();
        self.about(entity, point, turn.matrix())
    }

    /// Scales the entity from a point of the world.
    pub fn scale(
        &self,
        entity: Entity,
        point: &Vector3<f32>,
        factors: &Vector3<f32>,
    ) -> Result<Plan> {
        finite(entity, GIVEN, [point.as_slice(), factors.as_slice()])?;
        self.about(entity, Some(*point), &Linear::from_diagonal(&factors.cast()))
    }

    /// Carries the entity by a map that leaves a point of the world where it is, or its own origin.
    fn about(&self, entity: Entity, point: Option<Vector3<f32>>, map: &Linear) -> Result<Plan> {
        self.local(entity, |here, change| {
            let given = self.given(here)?;
            let map = given.turn(map);
            let origin = (here.base.matrix * here.local.column(3).map(f64::from)).xyz();
            let at = point.map_or(origin, |point| given.point(&point));
            let step = at - map * at;
            let moved = || (map * origin + step - origin).amax();
            let least = || SAME_POINT * at.abs().sup(&origin.abs()).max();
            let stays = point.is_none() || moved() <= least();
            self.carry(here, change, &affine(&map, &step), stays)
        })
    }

    /// The change that carries the entity by a map of the world, which may leave its origin where
    /// it is.
    fn carry(
        &self,
        here: &Here<'_, 'a>,
        change: Change,
        map: &Matrix4<f64>,
        stays: bool,
    ) -> Result<LocalChange> {
        let Here { standing, base, local, .. } = here;
        let (space, axes) = (times(map, &base.matrix), linear_part(map));
        let scales = (axes.tr_mul(&axes) - Linear::identity()).amax() > EXACT;
        // By a factor of 100, the rounding of where it is drawn would be 100 times as large.
        let seen = || carried(map, &here.place());
        let place = if scales { carried(&space, &origin(&local.cast())) } else { seen() };
        let mut to = if axes.determinant() == 0.0 {
            // What is flattened is given as it is to be drawn.
            let flat = Target::given(base, &times(&space, &local.cast()));
            flat.ok_or_else(|| standing.flat(base))?
        } else {
            here.target(&change.0, (&space, place), (standing, base))?
        };
        to = to.exact();
        if scales {
            to.same_turn = f32::EPSILON.into(); // the sizes are rounded
        }
        if stays && base.is_affine {
            to.local.set_column(3, &local.cast().column(3));
        }
        self.reach(standing, change, &to)
    }

    /// The change that brings the entity's local matrix to the target.
    pub(super) fn reach(
        &self,
        standing: &Standing<'_, '_>,
        mut change: Change,
        target: &Target<'_>,
    ) -> Result<LocalChange> {
        let stored = |strip| {
            if target.vanishes() {
                return Err(standing.flat(target.base));
            }
            standing.stored(target.matrix(), strip, (target.base, &target.place))
        };
        if standing.is_stored(&change.0) {
            return stored(false);
        }
        let shears = self.options.on_shear == OnShear::WriteMatrix;
        let (old, new) = &mut *change;
        match solve((standing, shears), old, new, target) {
            Err(EditError::NoTransform { reason: Sheared(_) | Projective, .. }) if shears => {
                stored(true)
            }
            solved => solved.map(|()| LocalChange::Inputs(change)),
        }
    }

    /// Works out a change from where the first of a path stands now, and from its inputs.
    #[inline(always)] // or the 700 bytes of `Here` would be moved
    fn here<'q>(
        &'q self,
        path: &WayUp<'q, 'a>,
        edit: impl FnOnce(&Here<'q, 'a>, Change) -> Result<LocalChange>,
    ) -> Result<LocalChange> {
        let standing = Standing::on(path);
        let (frame, base) = match standing.parent {
            Some(_) => self.space(path, 1, standing.node.inherits()?)?,
            None => (None, Base::new(&Matrix4::identity())),
        };
        let change = self.inputs(&standing, false)?;
        let local = match change.0.matrix() {
            Some(matrix) if !standing.is_stored(&change.0) => matrix,
            _ if standing.parent.is_some() => self.fresh.local(path)?,
            _ => self.fresh.world_at(path, 0)?,
        };
        edit(&Here { standing, frame, base, local }, change)
    }

    /// Where a child stands that inherits these parts of one of a path.
    #[inline]
    fn space(&self, path: &WayUp<'_, 'a>, at: usize, parts: Inherits) -> Result<Space> {
        if has_met_frames(&self.fresh)
            && let Some(place) = Place::inherited(&self.fresh, path, at, parts)?
        {
            return Ok((place.frame, Base::exact(place.matrix)));
        }
        Ok((None, Base::new(&inherited(&self.fresh.world_at(path, at)?, parts))))
    }

    /// The inputs that there are, twice: the second ones are to be changed.
    fn inputs(&self, standing: &Standing<'_, 'a>, reset: bool) -> Result<Change> {
        let mut inputs = LocalInputs::load(&self.fresh, standing.node, standing.parent)?;
        macro_rules! angles {
            ($euler:ident) => {
                self.fresh.get::<$euler>(standing.node)?.map(|angles| angles.0)
            };
        }
        if let Some(order) = inputs.rotation.euler {
            inputs.rotation.angles = with_rotation_euler!(order, angles);
        }
        if reset && inputs.parent_scale_inverse.is_some() {
            inputs.parent_scale_inverse = Some(Matrix4::identity());
        }
        Ok(Box::new((inputs, inputs)))
    }

    /// Walks up from the parent, from the root of its links on by `Parent` alone. A chain without
    /// the other components is not linked yet, but it would close a cycle when it gets them.
    fn refuse_cycle(&self, child: Entity, above: &WayUp<'_, 'a>) -> Result<()> {
        let parent = above.nodes[0].entity;
        let mut met = above.nodes.iter().any(|node| node.entity == child);
        if !met && above.root().has(Mask::PARENT) {
            met = self.fresh.leads_to(parent, child)?;
        }
        if met { Err(EditError::Cycle { child, parent }) } else { Ok(()) }
    }
}
