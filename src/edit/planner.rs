//! Working out plans: all that an edit will write, before anything is touched.

use legion::{Entity, World};
use nalgebra::Matrix4;

use super::{
    EditError, Edits, OnShear,
    plan::{LocalChange, ParentChange, Plan},
    solve::{Unsolved, solve},
    standing::{Ground, Standing},
    wanted::Wanted,
};
use crate::{
    components::*,
    engine::{FreshRow, FreshRows, LocalInputs, Mask, Path, rules},
    math::inherited,
};

/// Works out plans for one world.
pub(super) struct Planner<'a> {
    world: &'a World,
    edits: &'a Edits,
    pub(super) fresh: FreshRows<'a, World>,
    /// Where the child was before the new parent got the `LocalToWorld` that it lacked. From then
    /// on links to that parent take effect. The child may have one, and would be elsewhere.
    pose: Option<Matrix4<f32>>,
}

impl<'a> Planner<'a> {
    pub fn new(world: &'a World, edits: &'a Edits, pose: Option<Matrix4<f32>>) -> Self {
        Self { world, edits, fresh: edits.fresh(world), pose }
    }

    pub fn set_parent(&self, child: Entity, parent: Entity) -> Result<Plan, EditError> {
        let (mut path, mut above) = (self.start(child)?, self.start(parent)?);
        self.fresh.climb(&mut path)?;
        self.fresh.climb(&mut above)?;
        let (node, below) = (path.nodes[0], above.nodes[0]);
        let base = self.fresh.world(&above)?;
        self.refuse_cycle(child, &above)?;
        if path.parent() == Some(below) && self.pose.is_none() {
            return Ok(Plan {
                entity: child,
                parent: ParentChange::Keep,
                local: LocalChange::Keep,
            });
        }
        let pose = match self.pose {
            Some(pose) => pose,
            None => self.fresh.world(&path)?,
        };
        // Without a parent the value had no effect. It may stem from one that is dead by now.
        let is_stale = path.nodes.len() == 1 && derives_inverse(node);
        let reset = (is_stale || cancels(&path)) && !has_scale(below);
        let local = if node.archetype.kind.has_frame {
            LocalChange::Frame(Frame::seen_from(self.world, child, Some(parent)))
        } else if path.is_world_overridden() {
            LocalChange::Keep
        } else {
            let base = inherited(&base, node.inherits()?);
            let standing = Standing { node, path: &path, ground: Ground::Below(below) };
            self.local(&standing, Wanted::new(&base, &pose), reset)?
        };
        Ok(Plan { entity: child, parent: ParentChange::Set { parent, reset }, local })
    }

    pub fn remove_parent(&self, child: Entity) -> Result<Plan, EditError> {
        let mut path = self.start(child)?;
        self.fresh.climb(&mut path)?;
        let node = path.nodes[0];
        if !node.archetype.kind.mask.has_any(Mask::PARENT | Mask::LOCAL_TO_PARENT) {
            return Ok(Plan {
                entity: child,
                parent: ParentChange::Keep,
                local: LocalChange::Keep,
            });
        }
        let pose = self.fresh.world(&path)?;
        let reset = cancels(&path);
        let local = if node.archetype.kind.has_frame {
            LocalChange::Frame(Frame::seen_from(self.world, child, None))
        } else if path.is_world_overridden() {
            LocalChange::Keep
        } else {
            let standing = Standing { node, path: &path, ground: Ground::Root };
            self.local(&standing, Wanted::new(&Matrix4::identity(), &pose), false)?
        };
        Ok(Plan { entity: child, parent: ParentChange::Remove { reset }, local })
    }

    pub fn set_world(&self, entity: Entity, pose: &Matrix4<f32>) -> Result<Plan, EditError> {
        let mut path = self.start(entity)?;
        let standing = self.standing(&mut path)?;
        let target = Wanted::new(&self.base(&standing)?, pose);
        Ok(standing.plan(self.local(&standing, target, false)?))
    }

    /// The entity carried by a map of the world. Its local matrix and its parent's are taken, not
    /// its world matrix: far from the origin, that is rounded to a coarser step than small moves.
    pub fn carry(&self, entity: Entity, map: &Matrix4<f64>) -> Result<Plan, EditError> {
        let mut path = self.start(entity)?;
        let standing = self.standing(&mut path)?;
        let local = self.fresh_local(&standing)?;
        let target = Wanted::carried(&self.base(&standing)?, &local, map);
        Ok(standing.plan(self.local(&standing, target, false)?))
    }

    /// The change that brings the entity to the target in its place. There is no target if what
    /// the entity stands in has no inverse.
    fn local(
        &self,
        standing: &Standing<'_, '_, 'a>,
        target: Option<Wanted>,
        reset: bool,
    ) -> Result<LocalChange, EditError> {
        let inputs = self.inputs(standing, reset)?;
        let target = target.ok_or_else(|| standing.singular())?;
        let is_own = matches!(standing.ground, Ground::Own);
        if is_own || inputs.is_empty() || standing.writes_matrix() {
            return Ok(standing.stored(target.matrix(), false));
        }
        self.solved(standing, &target, inputs)
    }

    pub(super) fn solved(
        &self,
        standing: &Standing<'_, '_, '_>,
        target: &Wanted,
        inputs: LocalInputs,
    ) -> Result<LocalChange, EditError> {
        let entity = standing.entity();
        let mut change = Box::new((inputs, LocalInputs::default()));
        match solve(&change.0, &mut change.1, target) {
            Ok(()) => Ok(LocalChange::Inputs(change)),
            Err(Unsolved::Fixed(component)) => Err(EditError::Overridden { entity, component }),
            Err(Unsolved::NoTransform(reason)) => match self.edits.on_shear {
                OnShear::Fail => Err(EditError::NoTransform { entity, reason }),
                OnShear::WriteMatrix => Ok(standing.stored(target.matrix(), true)),
            },
        }
    }

    /// The beginning of the way up from an entity.
    pub(super) fn start(&self, entity: Entity) -> Result<Path<FreshRow<'_, 'a>>, EditError> {
        Ok(Path::of(self.fresh.placed(entity)?))
    }

    /// Where the first of a path stands; all of the path is found for that.
    pub(super) fn standing<'p, 'q>(
        &'q self,
        path: &'p mut Path<FreshRow<'q, 'a>>,
    ) -> Result<Standing<'p, 'q, 'a>, EditError> {
        self.fresh.climb(path)?;
        let node = path.nodes[0];
        if node.archetype.kind.has_frame {
            return Err(EditError::Framed(node.entity));
        }
        // The bundle does not write its `LocalToWorld`.
        let is_own = path.is_world_overridden() || node.archetype.kind.is_orphan();
        let ground = match path.parent() {
            _ if is_own => Ground::Own,
            Some(parent) => Ground::Below(parent),
            None if path.cyclic => Ground::Cyclic,
            None => Ground::Root,
        };
        Ok(Standing { node, path, ground })
    }

    /// What the entity's local matrix leads to: what it inherits of its parent's
    /// world.
    pub(super) fn base(&self, standing: &Standing<'_, '_, 'a>) -> Result<Matrix4<f32>, EditError> {
        let Standing { node, path, ground } = standing;
        match ground {
            Ground::Below(_) => {
                let parent = self.fresh.world_above(path)?;
                Ok(inherited(&parent, node.inherits()?))
            }
            Ground::Own | Ground::Cyclic | Ground::Root => Ok(Matrix4::identity()),
        }
    }

    pub(super) fn fresh_local(
        &self,
        standing: &Standing<'_, '_, 'a>,
    ) -> Result<Matrix4<f32>, EditError> {
        let path = standing.path;
        Ok(match standing.ground {
            Ground::Below(_) => self.fresh.local(path)?,
            Ground::Own | Ground::Cyclic | Ground::Root => self.fresh.world(path)?,
        })
    }

    pub(super) fn inputs(
        &self,
        standing: &Standing<'_, '_, 'a>,
        reset: bool,
    ) -> Result<LocalInputs, EditError> {
        let parent = if let Ground::Below(parent) = standing.ground { Some(parent) } else { None };
        let mut inputs = LocalInputs::load(&self.fresh, standing.node, parent)?;
        if reset && inputs.parent_scale_inverse.is_some() {
            inputs.parent_scale_inverse = Some(Matrix4::identity());
        }
        Ok(inputs)
    }

    /// Walks up from the parent, from the root of its links on by `Parent` alone. A chain without
    /// the other components is not linked yet, but it would close a cycle when it gets them.
    fn refuse_cycle(&self, child: Entity, above: &Path<FreshRow<'_, 'a>>) -> Result<(), EditError> {
        let parent = above.nodes[0].entity;
        let mut met = above.nodes.iter().any(|node| node.entity == child);
        if !met && above.root().has(Mask::PARENT) {
            met = self.fresh.leads_to(parent, child)?;
        }
        if met { Err(EditError::Cycle { child, parent }) } else { Ok(()) }
    }
}

/// Whether the `ParentScaleInverse` of the first of a path is computed from its parent.
fn cancels(path: &Path<FreshRow<'_, '_>>) -> bool {
    path.parent().is_some_and(|parent| derives_inverse(path.nodes[0]) && has_scale(parent))
}

/// Whether the entity has a `ParentScaleInverse` that the bundle may write.
fn derives_inverse(node: FreshRow<'_, '_>) -> bool {
    node.has(Mask::PARENT_SCALE_INVERSE) && !node.is_overridden(Mask::PARENT_SCALE_INVERSE)
}

fn has_scale(node: FreshRow<'_, '_>) -> bool {
    rules::first(node.archetype.kind.mask, rules::SCALINGS) != Mask::NONE
}
