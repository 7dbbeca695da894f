//! Write groups: which of the user's components stop which of the bundle's writers.
//!
//! A component that a user registered in a target's group stops the bundle's writers of that target
//! that do not read it, on the entities that have it; see `legion_transform::write_group`.

use std::collections::{HashMap, HashSet};

use super::{
    kinds::{Kind, POST_ROTATION_EULERS, ROTATION_EULERS},
    snapshot::{Column, Row},
};

use Kind::*;

/// What the bundle writes, each from its own reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Writer {
    Rotation,
    PostRotation,
    CompositeRotation,
    CompositeScale,
    ParentScaleInverse,
    LocalToParent,
    /// `LocalToWorld` from local inputs.
    RootWorld,
    /// `LocalToWorld` from `LocalToParent`.
    LinkedWorld,
    WorldToLocal,
}

const LOCAL: [Kind; 6] =
    [Translation, Rotation, Scale, NonUniformScale, CompositeRotation, CompositeScale];

impl Writer {
    pub fn target(self) -> Kind {
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

    fn reads(self) -> Vec<Column> {
        let kinds = |kinds: &[Kind]| kinds.iter().copied().map(Column::Numeric).collect::<Vec<_>>();
        match self {
            Self::Rotation => kinds(&ROTATION_EULERS),
            Self::PostRotation => kinds(&POST_ROTATION_EULERS),
            Self::CompositeRotation => {
                kinds(&[Rotation, PostRotation, RotationPivot, RotationPivotTranslation])
            }
            Self::CompositeScale => {
                kinds(&[Scale, NonUniformScale, ScalePivot, ScalePivotTranslation, Shear])
            }
            Self::ParentScaleInverse => kinds(&[Scale, NonUniformScale, CompositeScale]),
            Self::LocalToParent => [kinds(&LOCAL), kinds(&[ParentScaleInverse])].concat(),
            Self::RootWorld => kinds(&LOCAL),
            Self::LinkedWorld => [kinds(&[LocalToParent]), vec![Column::Parent]].concat(),
            Self::WorldToLocal => kinds(&[LocalToWorld]),
        }
    }
}

/// The groups that are built in, and the ones a test registers.
#[derive(Clone, Debug)]
pub struct Groups {
    members: HashMap<Column, Vec<Column>>,
    users: Vec<Kind>,
    stops: HashMap<Writer, Vec<Kind>>,
}

impl Default for Groups {
    fn default() -> Self {
        let mut groups = Self { members: HashMap::new(), users: Vec::new(), stops: HashMap::new() };
        for (target, members) in [
            (LocalToWorld, [&LOCAL[..], &[LocalToParent]].concat()),
            (LocalToParent, [&LOCAL[..], &[ParentScaleInverse]].concat()),
            (
                CompositeRotation,
                vec![Rotation, PostRotation, RotationPivot, RotationPivotTranslation],
            ),
            (
                CompositeScale,
                vec![Scale, NonUniformScale, ScalePivot, ScalePivotTranslation, Shear],
            ),
            (ParentScaleInverse, vec![Scale, NonUniformScale, CompositeScale]),
            (Rotation, ROTATION_EULERS.to_vec()),
            (PostRotation, POST_ROTATION_EULERS.to_vec()),
            (WorldToLocal, vec![LocalToWorld]),
        ] {
            let members = members.into_iter().map(Column::Numeric).collect();
            groups.members.insert(Column::Numeric(target), members);
        }
        groups.members.entry(Column::Numeric(LocalToWorld)).or_default().push(Column::Parent);
        groups
            .members
            .entry(Column::Numeric(ParentScaleInverse))
            .or_default()
            .push(Column::Children);
        groups
    }
}

impl Groups {
    /// The groups of [`bundle_with_everything`](super::user::bundle_with_everything).
    pub fn of_everything() -> Self {
        let mut groups = Self::default();
        for (target, member) in [
            (LocalToWorld, OwnWorld),
            (LocalToParent, OwnLocal),
            (Rotation, OwnRotation),
            (PostRotation, OwnPostRotation),
            (CompositeRotation, OwnCompositeRotation),
            (CompositeScale, OwnCompositeScale),
            (ParentScaleInverse, OwnParentScaleInverse),
            (WorldToLocal, OwnWorldToLocal),
            (LocalToWorld, OwnWorldAndRotation),
            (Rotation, OwnWorldAndRotation),
            (LocalToWorld, OwnWorldAndLocal),
            (LocalToParent, OwnWorldAndLocal),
            (Rotation, Spin),
            (LocalToParent, Lift),
            (LocalToWorld, Wave),
        ] {
            groups.register(target, member);
        }
        groups
    }

    pub fn register(&mut self, target: Kind, member: Kind) {
        self.members.entry(Column::Numeric(target)).or_default().push(Column::Numeric(member));
        self.users.push(member);
        self.stops.clear();
    }

    /// What is listed and, recursively, the groups of its members.
    fn closure(&self, listed: &[Column]) -> HashSet<Column> {
        let mut closure: HashSet<_> = listed.iter().copied().collect();
        loop {
            let more: HashSet<_> = closure
                .iter()
                .flat_map(|member| self.members.get(member).into_iter().flatten().copied())
                .collect();
            let before = closure.len();
            closure.extend(more);
            if closure.len() == before {
                return closure;
            }
        }
    }

    /// The user's components that stop a writer: members of its target's group outside the closure
    /// of what it reads.
    fn stoppers(&self, writer: Writer) -> Vec<Kind> {
        let closure = self.closure(&writer.reads());
        let members = &self.members[&Column::Numeric(writer.target())];
        let stops = |kind: &Kind| {
            members.contains(&Column::Numeric(*kind)) && !closure.contains(&Column::Numeric(*kind))
        };
        self.users.iter().copied().filter(stops).collect()
    }

    /// Whether the bundle leaves the writer's target on this entity to the user.
    pub fn stopped(&mut self, writer: Writer, row: &Row) -> bool {
        if !self.stops.contains_key(&writer) {
            self.stops.insert(writer, self.stoppers(writer));
        }
        row.has_any(&self.stops[&writer])
    }
}
