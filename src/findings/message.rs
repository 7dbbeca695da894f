//! The message of a finding: the mistake, and how to fix it.

use std::fmt;

use legion::Entity;

use super::{Finding, FindingKind};

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_problem(f)?;
        write!(f, ": {}", self.kind.fix())
    }
}

impl Finding {
    /// Writes the first half of the message: the mistake.
    fn write_problem(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entity = self.entity;
        let related = self.related.map_or_else(|| "another entity".into(), |r| format!("{r:?}"));
        match self.kind {
            FindingKind::DamagedColumn { component } => write!(
                f,
                "the column of {component} is not as long as the archetype of {entity:?} has \
                 entities, so nothing is computed in this world"
            ),
            FindingKind::DuplicateEntity => {
                write!(
                    f,
                    "{entity:?} stands in more than one row, so nothing is computed in this world"
                )
            }
            FindingKind::UnplacedEntity => write!(
                f,
                "{entity:?} stands in a row, but Legion does not find it by its id, so it gets and \
                 loses no components"
            ),
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
            FindingKind::RotationNotUnit { component: "Frame" } => write!(
                f,
                "the rotation in the Frame of {entity:?} is not of length 1; it counts as if it \
                 were"
            ),
            FindingKind::RotationNotUnit { component } => write!(
                f,
                "the {component} of {entity:?} is not of length 1, so its matrix is not a rotation"
            ),
            FindingKind::UnreadTransform { component } => write!(
                f,
                "{entity:?} has the component {component}, which the bundle does not read, and \
                 none that it reads instead"
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
            FindingKind::WaitsForParent => write!(
                f,
                "{entity:?} waits for its Parent {related}, which does not exist (yet) or has no \
                 LocalToWorld; until it comes, it is a root, placed by its local values"
            ),
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
            FindingKind::WithoutEffect { component, needs } => {
                write!(f, "{entity:?} has {component}, which has no effect without {needs}")
            }
            FindingKind::InputsBesideFrame => write!(
                f,
                "{entity:?} has a Frame, and Translation, Rotation or a scale beside it, which \
                 have no effect"
            ),
            FindingKind::FrameBelowNone => write!(
                f,
                "{entity:?} has a Frame and its parent {related} has none, so it does not follow \
                 this parent"
            ),
            FindingKind::FarAway if self.related.is_none() => write!(
                f,
                "{entity:?} is so far from the nearest frame that the steps of f32 put it 0.01 \
                 units and more beside its place"
            ),
            FindingKind::FarAway => write!(
                f,
                "{entity:?} is so far out that the translation of its child {related} loses more \
                 than a thousandth of its size to the steps of f32"
            ),
            FindingKind::FrameOverridden => write!(
                f,
                "{entity:?} has a Frame, and a component of your own in the write group of \
                 LocalToWorld, so the frame has no effect"
            ),
            FindingKind::DeadOrigin => write!(
                f,
                "the Origin is {entity:?}, which does not exist (any more); frames are seen from \
                 the universe's own origin"
            ),
            FindingKind::ChangesNotTracked => write!(
                f,
                "TransformChanges is asked for the changes of the world of {entity:?}, and its \
                 bundle lists none"
            ),
            FindingKind::ScaleWithoutInverse => write!(
                f,
                "{entity:?} has ParentScaleInverse, but the CompositeScale of its parent {related} \
                 has no finite inverse; the identity is used"
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
                    "the Parent of {entity:?}, {related}, does not exist any more; {entity:?} is a \
                     root now"
                )
            }
            FindingKind::ParentWithoutLocalToWorld => {
                write!(
                    f,
                    "the Parent of {entity:?}, {related}, has lost its LocalToWorld; {entity:?} is \
                     a root now"
                )
            }
            FindingKind::ChildWithoutParent => {
                write!(
                    f,
                    "{entity:?} stood in the Children of {related} and has no Parent, so it was \
                     taken out"
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

impl FindingKind {
    /// The second half of a message: how to fix it.
    fn fix(self) -> &'static str {
        match self {
            Self::DamagedColumn { .. } => {
                "load an undamaged save, or despawn all entities with this set of components"
            }
            Self::DuplicateEntity => {
                "merge worlds with a Merger that gives every entity an id of its own"
            }
            Self::UnplacedEntity => {
                "let no event subscriber panic; World::move_from into a new World makes it found \
                 again"
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
                "Transform is a value, not a component: spawn with push_transform, which inserts \
                 its parts, or insert what Transform::components() gives"
            }
            Self::UnreadTransform { .. } => {
                "insert this crate's Translation or Rotation instead, or keep it in a type of your \
                 own"
            }
            Self::Cycle => {
                "it is treated as a root until the cycle opens; give one entity of the cycle \
                 another Parent, or remove its Parent"
            }
            Self::ParentWithoutLocalToParent => "add LocalToParent to link it, or remove Parent",
            Self::WaitsForParent => {
                "spawn the parent, with LocalToWorld (insert_missing() gives it to one that is \
                 there); or remove the entity's Parent, or give up all that wait with \
                 world.give_up_waiting()"
            }
            Self::LocalToParentWithoutParent => {
                "add Parent to link it, or remove LocalToParent to make it a root"
            }
            Self::TwoScales => "remove one of them",
            Self::TwoRotationEulers | Self::TwoPostRotationEulers => "keep one of them",
            Self::WithoutEffect { .. } => "add that, or remove the component",
            Self::InputsBesideFrame => {
                "place it by the Frame alone; what is to be turned or scaled goes into a child"
            }
            Self::FrameBelowNone => {
                "give the parent a Frame, or replace the child's by Translation"
            }
            Self::FarAway => {
                "give it a Frame instead of its Translation (or one to what is above it), and the \
                 bundle large_worlds(): a Frame is f64"
            }
            Self::FrameOverridden => {
                "remove the Frame where your own system writes the LocalToWorld, or your component \
                 where the Frame is to count"
            }
            Self::DeadOrigin => {
                "insert another Origin before the run in which it dies, or remove the resource"
            }
            Self::ChangesNotTracked => "build the bundle with track_changes()",
            Self::ScaleWithoutInverse => {
                "give the parent a CompositeScale without zero scale, or remove ParentScaleInverse"
            }
            Self::WorldWithoutInverse => {
                "avoid zero scale on it and its ancestors, or remove WorldToLocal"
            }
            Self::DeadParent => {
                "to choose otherwise, despawn or re-parent children before their parent"
            }
            Self::ParentWithoutLocalToWorld => {
                "re-parent children before their parent loses it, or use insert_missing()"
            }
            Self::ChildWithoutParent => {
                "link at the child, by its Parent (push_child, world.set_parent); the bundle \
                 fills Children"
            }
        }
    }
}
