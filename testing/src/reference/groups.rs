//! Write groups: which of the user's components stop which of the bundle's writers.
//!
//! A component that is registered in a target's group stops the bundle's writers of that target
//! that do not read it, on the entities that have it; see `legion_transform::write_group`.

use std::collections::{HashMap, HashSet};

use legion::storage::{Component, ComponentTypeId};
use legion_transform::prelude::{Children, Parent};

use crate::{
    kind::{Kind, PARENT_SCALES, POST_ROTATION_EULERS, ROTATION_EULERS},
    snapshot::{Row, Snapshot},
};

use Kind::*;

/// What the bundle writes, each from its own reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Writer {
    /// `Rotation` from an Euler.
    Rotation,
    /// `PostRotation` from an Euler.
    PostRotation,
    /// `CompositeRotation`
    CompositeRotation,
    /// `CompositeScale`
    CompositeScale,
    /// `ParentScaleInverse`
    ParentScaleInverse,
    /// `LocalToParent`
    LocalToParent,
    /// `LocalToWorld` from local inputs.
    RootWorld,
    /// `LocalToWorld` from `LocalToParent`.
    LinkedWorld,
    /// `WorldToLocal`
    WorldToLocal,
}

const WRITERS: [Writer; 9] = [
    Writer::Rotation,
    Writer::PostRotation,
    Writer::CompositeRotation,
    Writer::CompositeScale,
    Writer::ParentScaleInverse,
    Writer::LocalToParent,
    Writer::RootWorld,
    Writer::LinkedWorld,
    Writer::WorldToLocal,
];
/// What a local matrix is made of; that of a child of [`Kind::ParentScaleInverse`], too.
pub const LOCAL: [Kind; 6] =
    [Translation, Rotation, Scale, NonUniformScale, CompositeRotation, CompositeScale];
/// What `CompositeRotation` is made of.
pub const ROTATIONS: [Kind; 4] = [Rotation, PostRotation, RotationPivot, RotationPivotTranslation];
/// What `CompositeScale` is made of.
pub const SCALES: [Kind; 5] = [Scale, NonUniformScale, ScalePivot, ScalePivotTranslation, Shear];

fn ids(kinds: &[Kind]) -> Vec<ComponentTypeId> {
    kinds.iter().map(|kind| kind.type_id()).collect()
}

impl Writer {
    fn target(self) -> Kind {
        match self {
            Self::Rotation => Rotation,
            Self::PostRotation => PostRotation,
            Self::CompositeRotation => CompositeRotation,
            Self::CompositeScale => CompositeScale,
            Self::ParentScaleInverse => ParentScaleInverse,
            Self::LocalToParent => LocalToParent,
            Self::RootWorld | Self::LinkedWorld => LocalToWorld,
            Self::WorldToLocal => WorldToLocal,
        }
    }

    fn reads(self) -> Vec<ComponentTypeId> {
        match self {
            Self::Rotation => ids(&ROTATION_EULERS),
            Self::PostRotation => ids(&POST_ROTATION_EULERS),
            Self::CompositeRotation => ids(&ROTATIONS),
            Self::CompositeScale => ids(&SCALES),
            Self::ParentScaleInverse => ids(&PARENT_SCALES),
            Self::LocalToParent => [ids(&LOCAL), ids(&[ParentScaleInverse])].concat(),
            Self::RootWorld => ids(&LOCAL),
            Self::LinkedWorld => {
                [ids(&[LocalToParent]), vec![ComponentTypeId::of::<Parent>()]].concat()
            }
            Self::WorldToLocal => ids(&[LocalToWorld]),
        }
    }
}

/// The groups that are built in, and those that a test registers.
#[derive(Clone, Debug)]
pub struct Groups {
    members: HashMap<ComponentTypeId, Vec<ComponentTypeId>>,
    users: Vec<ComponentTypeId>,
    /// The users' components that stop each writer.
    stops: HashMap<Writer, Vec<ComponentTypeId>>,
}

impl Default for Groups {
    fn default() -> Self {
        let mut members = HashMap::new();
        for (target, kinds) in [
            (LocalToWorld, [&LOCAL[..], &[LocalToParent]].concat()),
            (LocalToParent, [&LOCAL[..], &[ParentScaleInverse]].concat()),
            (CompositeRotation, ROTATIONS.to_vec()),
            (CompositeScale, SCALES.to_vec()),
            (ParentScaleInverse, PARENT_SCALES.to_vec()),
            (Rotation, ROTATION_EULERS.to_vec()),
            (PostRotation, POST_ROTATION_EULERS.to_vec()),
            (WorldToLocal, vec![LocalToWorld]),
        ] {
            members.insert(target.type_id(), ids(&kinds));
        }
        for (target, relation) in [
            (LocalToWorld, ComponentTypeId::of::<Parent>()),
            (ParentScaleInverse, ComponentTypeId::of::<Children>()),
        ] {
            members.entry(target.type_id()).or_default().push(relation);
        }
        Self { members, users: Vec::new(), stops: HashMap::new() }
    }
}

impl Groups {
    /// As `TransformSystemBundle::write_group` does.
    pub fn register<Target: Component, Member: Component>(&mut self) {
        self.register_ids(ComponentTypeId::of::<Target>(), ComponentTypeId::of::<Member>());
    }

    /// [`register`](Self::register), as an option.
    #[must_use]
    pub fn with<Target: Component, Member: Component>(mut self) -> Self {
        self.register::<Target, Member>();
        self
    }

    /// [`register`](Self::register), by the types.
    pub fn register_ids(&mut self, target: ComponentTypeId, member: ComponentTypeId) {
        self.members.entry(target).or_default().push(member);
        self.users.push(member);
        self.stops = WRITERS.map(|writer| (writer, self.stoppers(writer))).into();
    }

    /// What is listed and, recursively, the groups of its members.
    fn closure(&self, listed: &[ComponentTypeId]) -> HashSet<ComponentTypeId> {
        let mut closure = HashSet::new();
        let mut left = listed.to_vec();
        while let Some(member) = left.pop() {
            if closure.insert(member) {
                left.extend(self.members.get(&member).into_iter().flatten());
            }
        }
        closure
    }

    /// The users' components that stop a writer: members of its target's group outside the closure
    /// of what it reads.
    fn stoppers(&self, writer: Writer) -> Vec<ComponentTypeId> {
        let closure = self.closure(&writer.reads());
        let members = &self.members[&writer.target().type_id()];
        let stops = |id: &ComponentTypeId| members.contains(id) && !closure.contains(id);
        self.users.iter().copied().filter(stops).collect()
    }

    /// Whether the bundle leaves the writer's target on this entity to the user.
    #[must_use]
    pub fn stopped(&self, writer: Writer, world: &Snapshot, row: &Row) -> bool {
        let layout = &world.layouts[row.archetype];
        self.stops.get(&writer).is_some_and(|ids| ids.iter().any(|id| layout.contains(id)))
    }
}
