//! Findings: the mistakes in a world, and how to fix them.
//!
//! The bundle keeps a resource, [`Findings`], with all mistakes that the last run found. *Standing*
//! findings last until their cause is gone; *repaired* ones until the next run.
//! [Troubleshooting](crate::guide::troubleshooting) leads from a symptom to its finding.
//!
//! ```
//! # use legion::*;
//! # use legion_transform::{findings::FindingKind, prelude::*};
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
//! println!("{finding}"); // says the mistake and the fix
//! ```

mod far_away;
mod message;
pub(crate) mod query_error;
pub(crate) mod warn;

use std::{collections::HashMap, sync::Arc};

use legion::{Entity, EntityStore, world::WorldId};

pub(crate) use query_error::QueryError; // `query` shows it

/// The kinds of mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FindingKind {
    /// Standing: an archetype has a column that is longer or shorter than its list of entities. The
    /// entity is the first of the archetype. A damaged save can do this, or a component that panics
    /// when it is dropped. The world is refused: nothing is computed and nothing is written until
    /// the archetype is whole or empty.
    DamagedColumn {
        /// The component whose column it is.
        component: &'static str,
    },
    /// Standing: the entity stands in two rows, for example after a merge that gave one id twice.
    /// The world is refused: nothing is computed and nothing is written until one row is gone.
    DuplicateEntity,
    /// Standing: the entity stands in a row, but Legion does not find it by its id: an event
    /// subscriber panicked while your program inserted the entity. The row is computed like all
    /// others, but no component can be given to it or taken from it.
    UnplacedEntity,
    /// Standing: the entity has transform components and no `LocalToWorld`, so nothing is computed
    /// for it. A [`Frame`](crate::frames::Frame) is one where the bundle has
    /// [`large_worlds`](crate::TransformSystemBundle::large_worlds).
    MissingLocalToWorld,
    /// Standing, found by debug builds and by [`Findings::check`]: a matrix of the entity has an
    /// infinite element or a NaN. So have the world matrices of its descendants; the finding names
    /// the entity where it begins and not these.
    NotFinite,
    /// Standing, found by debug builds and by [`Findings::check`]: the length of the entity's
    /// rotation differs from 1 by more than 0.001, so its matrix is not a rotation. The quaternion
    /// (w 2, z 1) makes the x axis (-1, 4, 0).
    RotationNotUnit {
        /// `Rotation` or `PostRotation`; or `Frame`, whose rotation counts as if its length were 1.
        component: &'static str,
    },
    /// Standing, found by debug builds and by [`Findings::check`]: the entity has a
    /// component that looks like a transform, and not the one that the bundle reads instead: this
    /// crate's [`Transform`](crate::Transform), or nalgebra's `Isometry3`, `Similarity3`,
    /// `Translation3` or `UnitQuaternion`, of `f32` or `f64`. (nalgebra's types count only if they
    /// are not the identity, on entities with a component of this crate; all count only where the
    /// matrix has inputs or is the identity, as your own systems may write it.)
    UnreadTransform {
        /// The component's name.
        component: &'static str,
    },
    /// Standing: the entity's chain of parents leads back to it. Every entity on the cycle has one;
    /// `related` is its parent.
    Cycle,
    /// Standing: the entity has `Parent` but no `LocalToParent`, and is computed as a root.
    ParentWithoutLocalToParent,
    /// Standing: the entity's `Parent` (`related`) does not exist (yet), or has no `LocalToWorld`
    /// (yet), and the bundle has never linked the entity to it. It is a root, placed by its local
    /// values, until the parent comes.
    WaitsForParent,
    /// Standing: the entity has `LocalToParent` but no `Parent`; nothing writes its `LocalToWorld`.
    LocalToParentWithoutParent,
    /// Standing: the entity has both `Scale` and `NonUniformScale`; `Scale` wins.
    TwoScales,
    /// Standing: the entity has several `RotationEuler...` components; the first in the order XYZ,
    /// XZY, YXZ, YZX, ZXY, ZYX wins.
    TwoRotationEulers,
    /// Standing: the entity has several `PostRotationEuler...` components; the first in the same
    /// order wins.
    TwoPostRotationEulers,
    /// Standing: the entity has a component that does nothing without a second one, or without an
    /// option of the bundle: a pivot without the composite, angles without `Rotation`, a
    /// [`Frame`](crate::frames::Frame) where the bundle has no
    /// [`large_worlds`](crate::TransformSystemBundle::large_worlds). The whole table is in the
    /// guide's page [*Troubleshooting*](crate::guide::troubleshooting).
    WithoutEffect {
        /// The component's name.
        component: &'static str,
        /// The component that would read it, or the option.
        needs: &'static str,
    },
    /// Standing: the entity has a [`Frame`](crate::frames::Frame), which gives its `LocalToWorld`,
    /// and `Translation`, `Rotation` or a scale, which therefore do nothing.
    InputsBesideFrame,
    /// Found by [`Findings::check`]: the entity has a [`Frame`](crate::frames::Frame), and its
    /// parent (`related`) has none. The frame stands in the space of the nearest frame above, and
    /// does not follow this parent. No edit makes such a link: its `Parent` was written.
    FrameBelowNone,
    /// Standing, found by [`Findings::check`] alone: the entity stands so far out that the
    /// translation of its child `related` loses more than a thousandth of its size, and more than
    /// 0.0001, to the steps of `f32`. 0.2 beside 6,378,137 is lost. Without `related`: it stands
    /// more than about 200,000 units from the nearest frame above, where edits are
    /// [`TooFar`](crate::edit::EditError::TooFar). Give what is far away a
    /// [`Frame`](crate::frames::Frame).
    FarAway,
    /// Standing: the entity has a [`Frame`](crate::frames::Frame), and a component of your own in
    /// the write group of `LocalToWorld`, whose system writes the matrix. The frame is ignored.
    FrameOverridden,
    /// Standing: the entity of [`Origin`](crate::frames::Origin) does not exist (any more). Frames
    /// are relative to the universe's own origin, as without the resource.
    DeadOrigin,
    /// Standing: a system asks [`TransformChanges`](crate::TransformChanges) for the changes of
    /// this world, and its bundles do not list them. The entity is the first of the world.
    ChangesNotTracked,
    /// Standing: the parent's `CompositeScale` (`related` is the parent) has no finite inverse, so
    /// the entity's `ParentScaleInverse` is the identity.
    ScaleWithoutInverse,
    /// Standing: the entity's `LocalToWorld` has no finite inverse, so its `WorldToLocal` is the
    /// identity.
    WorldWithoutInverse,
    /// Repaired: the entity's `Parent` (`related`) died; the entity is a root now. (With a `Parent`
    /// that has not come, it [waits](Self::WaitsForParent).)
    DeadParent,
    /// Repaired: the entity's `Parent` (`related`) lost its `LocalToWorld`; the entity is a root
    /// now.
    ParentWithoutLocalToWorld,
    /// Repaired: the entity stood in the `Children` of `related` and had no `Parent`; it was taken
    /// out. Links are made at the child: the bundle fills `Children`. Not in the first run on a
    /// world that was moved, loaded or given to a new bundle: its lists may be late.
    ChildWithoutParent,
}

impl FindingKind {
    /// Whether the bundle repaired it. Such a finding stands until the next run on the world, of
    /// any schedule.
    #[must_use]
    pub fn is_repaired(self) -> bool {
        matches!(
            self,
            Self::DeadParent | Self::ParentWithoutLocalToWorld | Self::ChildWithoutParent
        )
    }
}

/// One mistake. `Display` says what it is, and how to fix it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of mistake.
    pub kind: FindingKind,
    /// The entity that has it.
    pub entity: Entity,
    /// The other entity in it, if there is one.
    pub related: Option<Entity>,
}

impl Finding {
    /// A finding, to compare with those of a run in a test.
    #[must_use]
    pub fn new(kind: FindingKind, entity: Entity, related: Option<Entity>) -> Self {
        Self { kind, entity, related }
    }
}

/// The findings of every world the bundle runs on: a resource, put there by the bundle itself.
///
/// Standing findings come first, by kind, then repaired ones: the same order for every number of
/// threads. Each run on a world, of any schedule, replaces the findings of the run before. So a
/// standing finding goes with the first run after its cause is gone, a repaired one with the next
/// run.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    worlds: HashMap<WorldId, Vec<FindingGroup>>,
    /// Whether bundles print nothing of what they find.
    pub(crate) is_quiet: bool,
}

impl Findings {
    /// Resources with this one keep bundles from printing: a test that tries thousands of worlds
    /// prints the findings of none but the last.
    #[doc(hidden)]
    #[must_use]
    pub fn not_printed() -> Self {
        Self { is_quiet: true, ..Self::default() }
    }

    /// The findings of the last run on `world`: a `World`, or the `SubWorld` of a system, which
    /// needs no access.
    pub fn of<S: EntityStore>(&self, world: &S) -> impl Iterator<Item = Finding> + use<'_, S> {
        self.of_id(world.id())
    }

    /// The same, by the world's id.
    pub fn of_id(&self, world: WorldId) -> impl Iterator<Item = Finding> + '_ {
        self.worlds.get(&world).into_iter().flatten().flat_map(FindingGroup::iter)
    }

    /// Whether the last run on `world` found nothing. A system needs no access.
    #[must_use]
    pub fn is_clean(&self, world: &impl EntityStore) -> bool {
        self.of(world).next().is_none()
    }

    /// Replaces the findings of a world by these, which are sorted.
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

/// Entities, each with the other one in its finding.
pub(crate) type Entities = Arc<[(Entity, Option<Entity>)]>;

/// Findings of one kind. Often all entities of an archetype have the same mistake, so this keeps
/// entities and not sentences.
#[derive(Clone, Debug)]
pub(crate) struct FindingGroup {
    pub kind: FindingKind,
    pub entities: Entities,
}

impl FindingGroup {
    /// Standing ones by kind, then repaired ones.
    pub(crate) fn sort(groups: &mut [Self]) {
        groups.sort_by_key(|group| (group.kind.is_repaired(), group.kind));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Finding> + '_ {
        self.entities.iter().map(|&(entity, related)| Finding { kind: self.kind, entity, related })
    }
}
