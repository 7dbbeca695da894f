//! What is wrong with a world, and how to mend it.
//!
//! Users' mistakes never panic and are not printed every frame: the bundle keeps a resource, [`Findings`], that says after
//! each run what is wrong now. *Standing* findings last as long as their cause; *repaired* ones stand for the run that
//! mended them.
//!
//! ```
//! # use legion::*;
//! # use legion_transform::prelude::*;
//! # let (mut world, mut resources) = (World::default(), Resources::default());
//! # let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
//! let both = world.push((LocalToWorld::identity(), Scale(2.0), NonUniformScale::new(1.0, 2.0, 3.0)));
//! schedule.execute(&mut world, &mut resources);
//!
//! let findings = resources.get::<Findings>().unwrap();
//! let finding = findings.of(&world).next().unwrap();
//! assert_eq!((finding.kind, finding.entity), (FindingKind::TwoScales, both));
//! println!("{finding}"); // says what is wrong and what to do
//! ```

use std::{collections::HashMap, fmt, sync::Arc};

use legion::{Entity, World, world::WorldId};

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FindingKind {
    /// Standing: the entity's chain of parents leads back to it. Every entity on the cycle has one; `related` is its parent.
    Cycle,
    /// Standing: the entity has `Parent` but no `LocalToParent`, and is computed as a root.
    ParentWithoutLocalToParent,
    /// Standing: the entity has `LocalToParent` but no `Parent`; nothing writes its `LocalToWorld`.
    LocalToParentWithoutParent,
    /// Standing: the entity has both `Scale` and `NonUniformScale`; `Scale` wins.
    TwoScales,
    /// Standing: the entity has several `RotationEuler...` components; the first in the order XYZ, XZY, YXZ, YZX, ZXY, ZYX wins.
    TwoRotationEulers,
    /// Standing: likewise for `PostRotationEuler...`.
    TwoPostRotationEulers,
    /// Standing: the parent's `CompositeScale` (`related` is the parent) has no finite inverse, so the entity's
    /// `ParentScaleInverse` is the identity.
    ScaleWithoutInverse,
    /// Standing: the entity's `LocalToWorld` has no finite inverse, so its `WorldToLocal` is the identity.
    WorldWithoutInverse,
    /// Repaired: the entity's `Parent` (`related`) was dead; the entity is a root now.
    DeadParent,
    /// Repaired: the entity's `Parent` (`related`) had no `LocalToWorld`; the entity is a root now.
    ParentWithoutLocalToWorld,
}

impl FindingKind {
    /// Whether the bundle mended it: such a finding stands for one run only.
    #[must_use]
    pub fn is_repaired(self) -> bool {
        matches!(self, Self::DeadParent | Self::ParentWithoutLocalToWorld)
    }
}

/// One thing that is wrong. `Display` says what, and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// With which entity.
    pub entity: Entity,
    /// The other entity it is about, where there is one.
    pub related: Option<Entity>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entity = self.entity;
        let related = self.related.map_or_else(|| "another entity".into(), |r| format!("{r:?}"));
        match self.kind {
            FindingKind::Cycle => write!(
                f,
                "{entity:?} is its own ancestor through its parent {related}: it is treated as a root until the cycle opens; \
                 give one entity of the cycle another Parent, or remove its Parent"
            ),
            FindingKind::ParentWithoutLocalToParent => write!(
                f,
                "{entity:?} has Parent({related}) but no LocalToParent, so it is computed as a root: \
                 add LocalToParent to link it, or remove Parent"
            ),
            FindingKind::LocalToParentWithoutParent => write!(
                f,
                "{entity:?} has LocalToParent but no Parent, so nothing writes its LocalToWorld: \
                 add Parent to link it, or remove LocalToParent to make it a root"
            ),
            FindingKind::TwoScales => {
                write!(f, "{entity:?} has both Scale and NonUniformScale; Scale is used: remove one of them")
            }
            FindingKind::TwoRotationEulers => write!(
                f,
                "{entity:?} has several RotationEuler components; the first of XYZ, XZY, YXZ, YZX, ZXY, ZYX is used: \
                 keep one of them"
            ),
            FindingKind::TwoPostRotationEulers => write!(
                f,
                "{entity:?} has several PostRotationEuler components; the first of XYZ, XZY, YXZ, YZX, ZXY, ZYX is used: \
                 keep one of them"
            ),
            FindingKind::ScaleWithoutInverse => write!(
                f,
                "{entity:?} has ParentScaleInverse, but the CompositeScale of its parent {related} has no finite inverse; \
                 the identity is used: give the parent a CompositeScale without zero scale, or remove ParentScaleInverse"
            ),
            FindingKind::WorldWithoutInverse => write!(
                f,
                "{entity:?} has WorldToLocal, but its LocalToWorld has no finite inverse; the identity is used: \
                 avoid zero scale on it and its ancestors, or remove WorldToLocal"
            ),
            FindingKind::DeadParent => write!(
                f,
                "{entity:?} had a Parent that does not exist (any more), {related}; it is a root now: \
                 despawn or re-parent children before their parent to choose otherwise"
            ),
            FindingKind::ParentWithoutLocalToWorld => write!(
                f,
                "{entity:?} had a Parent without LocalToWorld, {related}; it is a root now: \
                 add LocalToWorld to the parent before linking to it"
            ),
        }
    }
}

/// The findings of every world the bundle runs on: a resource, put there by the bundle itself.
///
/// The order is fixed: standing ones by kind, then repaired ones, and the same for every number of threads.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    worlds: HashMap<WorldId, Vec<FindingGroup>>,
}

impl Findings {
    /// What is wrong with `world` since its last run.
    pub fn of(&self, world: &World) -> impl Iterator<Item = Finding> + '_ {
        self.of_id(world.id())
    }

    /// Likewise, by the world's id.
    pub fn of_id(&self, world: WorldId) -> impl Iterator<Item = Finding> + '_ {
        self.worlds.get(&world).into_iter().flatten().flat_map(FindingGroup::iter)
    }

    /// Whether nothing is wrong with `world`.
    #[must_use]
    pub fn is_clean(&self, world: &World) -> bool {
        self.of(world).next().is_none()
    }

    pub(crate) fn set(&mut self, world: WorldId, groups: Vec<FindingGroup>) {
        if groups.is_empty() {
            self.worlds.remove(&world);
        } else {
            self.worlds.insert(world, groups);
        }
    }

    pub(crate) fn forget(&mut self, world: WorldId) {
        self.worlds.remove(&world);
    }
}

/// Findings of one kind: a setup error is usually shared by a whole archetype, so entities are kept, not sentences.
#[derive(Clone, Debug)]
pub(crate) struct FindingGroup {
    pub kind: FindingKind,
    pub entities: Arc<[(Entity, Option<Entity>)]>,
}

impl FindingGroup {
    pub(crate) fn iter(&self) -> impl Iterator<Item = Finding> + '_ {
        self.entities.iter().map(|&(entity, related)| Finding { kind: self.kind, entity, related })
    }
}
