//! What is wrong with a world, and how to mend it.
//!
//! Users' mistakes never panic and are not printed every frame: the bundle keeps a resource,
//! [`Findings`], that says after each run what is wrong now. *Standing* findings last as long as
//! their cause; *repaired* ones stand for the run that mended them.
//!
//! ```
//! # use legion::*;
//! # use legion_transform::{Findings, findings::FindingKind, prelude::*};
//! # let (mut world, mut resources) = (World::default(), Resources::default());
//! # let bundle = TransformSystemBundle::default();
//! # let mut schedule = Schedule::builder().add_transforms(bundle).build();
//! let scales = (Scale(2.0), NonUniformScale::new(1.0, 2.0, 3.0));
//! let both = world.push((LocalToWorld::identity(), scales.0, scales.1));
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
    /// Standing: a column of the archetype in which the entity is the first does not have as many
    /// rows as the archetype has entities, as a damaged save or a component that panics when it is
    /// dropped can leave it. The world is refused: nothing is computed and nothing is written until
    /// the archetype is whole or empty.
    DamagedColumn {
        /// The component whose column it is.
        component: &'static str,
    },
    /// Standing: the entity stands in two rows, as a merge can leave it that gives one id twice. The
    /// world is refused: nothing is computed and nothing is written until one of them is gone.
    DuplicateEntity,
    /// Standing: the entity has transform components and no `LocalToWorld`, so nothing is computed
    /// for it.
    MissingLocalToWorld,
    /// Standing, told by debug builds and by [`Findings::check`]: a matrix of the entity has an
    /// infinite element or a NaN, and so have the world matrices of all its descendants. Names the
    /// entity at which it enters, and not its descendants.
    NotFinite,
    /// Standing, told by debug builds and by [`Findings::check`]: the length of the entity's
    /// rotation is more than 0.001 off 1, so that its matrix scales as well. A quaternion of length
    /// 2 scales by 4 where it does not turn.
    RotationNotUnit {
        /// `Rotation` or `PostRotation`.
        component: &'static str,
    },
    /// Standing, told by debug builds and by [`Findings::check`]: the entity has none of the
    /// components that the bundle reads, but one that looks like them: this crate's
    /// [`Transform`](crate::Transform), or nalgebra's `Isometry3`, `Similarity3`, `Translation3` or
    /// `UnitQuaternion`. Its matrix is the identity. (nalgebra's types count on entities that have
    /// a component of this crate, where they are not the identity themselves.)
    UnreadTransform {
        /// The component's name.
        component: &'static str,
    },
    /// Standing: the entity's chain of parents leads back to it. Every entity on the cycle has one;
    /// `related` is its parent.
    Cycle,
    /// Standing: the entity has `Parent` but no `LocalToParent`, and is computed as a root.
    ParentWithoutLocalToParent,
    /// Standing: the entity has `LocalToParent` but no `Parent`; nothing writes its `LocalToWorld`.
    LocalToParentWithoutParent,
    /// Standing: the entity has both `Scale` and `NonUniformScale`; `Scale` wins.
    TwoScales,
    /// Standing: the entity has several `RotationEuler...` components; the first in the order XYZ,
    /// XZY, YXZ, YZX, ZXY, ZYX wins.
    TwoRotationEulers,
    /// Standing: likewise for `PostRotationEuler...`.
    TwoPostRotationEulers,
    /// Standing: the parent's `CompositeScale` (`related` is the parent) has no finite inverse, so
    /// the entity's `ParentScaleInverse` is the identity.
    ScaleWithoutInverse,
    /// Standing: the entity's `LocalToWorld` has no finite inverse, so its `WorldToLocal` is the
    /// identity.
    WorldWithoutInverse,
    /// Repaired: the entity's `Parent` (`related`) was dead; the entity is a root now.
    DeadParent,
    /// Repaired: the entity's `Parent` (`related`) had no `LocalToWorld`; the entity is a root now.
    ParentWithoutLocalToWorld,
}

impl FindingKind {
    /// Whether the bundle mended it: such a finding stands until the next run on the world, by
    /// whichever schedule.
    #[must_use]
    pub fn is_repaired(self) -> bool {
        matches!(self, Self::DeadParent | Self::ParentWithoutLocalToWorld)
    }

    /// What to do about it.
    fn remedy(self) -> &'static str {
        match self {
            Self::DamagedColumn { .. } => {
                "load an undamaged save, or despawn all entities with this set of components"
            }
            Self::DuplicateEntity => {
                "merge worlds with a Merger that gives every entity an id of its own"
            }
            Self::MissingLocalToWorld => {
                "add LocalToWorld, and LocalToParent as well if it has a Parent"
            }
            Self::NotFinite => {
                "look for NaN, infinity or a division by zero in what is written to its \
                 Translation, Rotation, Scale or other inputs"
            }
            Self::RotationNotUnit { .. } => {
                "normalize it (UnitQuaternion::new_normalize) where it is written: after many \
                 products, or from a file"
            }
            Self::UnreadTransform { component: "Transform" } => {
                "Transform is a value, not a component; insert what Transform::components() gives"
            }
            Self::UnreadTransform { .. } => {
                "insert this crate's Translation, Rotation and Scale instead"
            }
            Self::Cycle => {
                "it is treated as a root until the cycle opens; give one entity of the cycle \
                 another Parent, or remove its Parent"
            }
            Self::ParentWithoutLocalToParent => "add LocalToParent to link it, or remove Parent",
            Self::LocalToParentWithoutParent => {
                "add Parent to link it, or remove LocalToParent to make it a root"
            }
            Self::TwoScales => "remove one of them",
            Self::TwoRotationEulers | Self::TwoPostRotationEulers => "keep one of them",
            Self::ScaleWithoutInverse => {
                "give the parent a CompositeScale without zero scale, or remove ParentScaleInverse"
            }
            Self::WorldWithoutInverse => {
                "avoid zero scale on it and its ancestors, or remove WorldToLocal"
            }
            Self::DeadParent => {
                "despawn or re-parent children before their parent to choose otherwise"
            }
            Self::ParentWithoutLocalToWorld => {
                "add LocalToWorld to the parent before linking to it"
            }
        }
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
        self.write_problem(f)?;
        write!(f, ": {}", self.kind.remedy())
    }
}

impl Finding {
    /// Writes what is wrong, without what to do about it.
    fn write_problem(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entity = self.entity;
        let related = self.related.map_or_else(|| "another entity".into(), |r| format!("{r:?}"));
        match self.kind {
            FindingKind::DamagedColumn { component } => write!(
                f,
                "the column of {component} is not as long as the archetype of {entity:?} has \
                 entities, so nothing is computed \
                 in this world"
            ),
            FindingKind::DuplicateEntity => {
                write!(
                    f,
                    "{entity:?} stands in more than one row, so nothing is computed in this world"
                )
            }
            FindingKind::MissingLocalToWorld => {
                write!(
                    f,
                    "{entity:?} has transform components but no LocalToWorld, so nothing is \
                     computed for it"
                )
            }
            FindingKind::NotFinite => write!(
                f,
                "a matrix of {entity:?} is not finite, so the world matrices of its descendants \
                 are not either"
            ),
            FindingKind::RotationNotUnit { component } => write!(
                f,
                "the {component} of {entity:?} is not of length 1, so its matrix scales as well"
            ),
            FindingKind::UnreadTransform { component } => write!(
                f,
                "{entity:?} has the component {component}, which the bundle does not read, and \
                 none that it reads"
            ),
            FindingKind::Cycle => {
                write!(f, "{entity:?} is its own ancestor through its parent {related}")
            }
            FindingKind::ParentWithoutLocalToParent => {
                write!(
                    f,
                    "{entity:?} has Parent({related}) but no LocalToParent, so it is computed as a \
                     root"
                )
            }
            FindingKind::LocalToParentWithoutParent => {
                write!(
                    f,
                    "{entity:?} has LocalToParent but no Parent, so nothing writes its LocalToWorld"
                )
            }
            FindingKind::TwoScales => {
                write!(f, "{entity:?} has both Scale and NonUniformScale; Scale is used")
            }
            FindingKind::TwoRotationEulers => write_several(f, entity, "RotationEuler"),
            FindingKind::TwoPostRotationEulers => write_several(f, entity, "PostRotationEuler"),
            FindingKind::ScaleWithoutInverse => write!(
                f,
                "{entity:?} has ParentScaleInverse, but the CompositeScale of its parent {related} \
                 has no finite inverse; \
                 the identity is used"
            ),
            FindingKind::WorldWithoutInverse => {
                write!(
                    f,
                    "{entity:?} has WorldToLocal, but its LocalToWorld has no finite inverse; the \
                     identity is used"
                )
            }
            FindingKind::DeadParent => {
                write!(
                    f,
                    "{entity:?} had a Parent that does not exist (any more), {related}; it is a \
                     root now"
                )
            }
            FindingKind::ParentWithoutLocalToWorld => {
                write!(
                    f,
                    "{entity:?} had a Parent without LocalToWorld, {related}; it is a root now"
                )
            }
        }
    }
}

/// Writes that an entity has several rotations by Euler angles.
fn write_several(f: &mut fmt::Formatter<'_>, entity: Entity, name: &str) -> fmt::Result {
    write!(
        f,
        "{entity:?} has several {name} components; the first of XYZ, XZY, YXZ, YZX, ZXY, ZYX is \
         used"
    )
}

/// The findings of every world the bundle runs on: a resource, put there by the bundle itself.
///
/// The order is fixed: standing ones by kind, then repaired ones, and the same for every number of
/// threads. Each run on a world replaces what was found before, whichever schedule runs: a standing
/// finding goes with the first run that finds its cause gone, a repaired one with the next run.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    worlds: HashMap<WorldId, Vec<FindingGroup>>,
}

impl Findings {
    /// What is wrong with `world` since its last run.
    pub fn of(&self, world: &World) -> impl Iterator<Item = Finding> + '_ {
        self.of_id(world.id())
    }

    /// The same, by the world's id.
    pub fn of_id(&self, world: WorldId) -> impl Iterator<Item = Finding> + '_ {
        self.worlds.get(&world).into_iter().flatten().flat_map(FindingGroup::iter)
    }

    /// Whether nothing is wrong with `world`.
    #[must_use]
    pub fn is_clean(&self, world: &World) -> bool {
        self.of(world).next().is_none()
    }

    /// Replaces what was found in a world.
    pub(crate) fn set(&mut self, world: WorldId, mut groups: Vec<FindingGroup>) {
        groups.sort_by_key(|group| (group.kind.is_repaired(), group.kind));
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

/// Findings of one kind: a setup error is usually shared by a whole archetype, so entities are
/// kept, not sentences.
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
