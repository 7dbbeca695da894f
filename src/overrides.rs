//! What users' components have taken over, archetype by archetype.

use legion::storage::ComponentTypeId;

use crate::{components::*, layout::Mask, write_group::WriteGroups};

/// The bundle's own systems, as the rule of write groups sees them: what they write, what they read, and where.
pub(crate) struct Overrides {
    stops: Vec<Stop>,
}

struct Stop {
    writes: Mask,
    /// Only in archetypes that have all of these, and none of those.
    with: Mask,
    without: Mask,
    /// A component of these in an archetype makes it somebody else's to write.
    members: Vec<ComponentTypeId>,
}

impl Overrides {
    pub fn new(groups: &WriteGroups) -> Self {
        let mut inputs = WriteGroups::built_in(ComponentTypeId::of::<LocalToParent>());
        inputs.retain(|&input| input != ComponentTypeId::of::<ParentScaleInverse>());
        let propagated = [ComponentTypeId::of::<LocalToParent>(), ComponentTypeId::of::<Parent>()];
        let mut stops = Vec::new();
        let mut stop = |writes, with, without, target, reads: &[ComponentTypeId]| {
            let members = groups.outside(target, reads);
            stops.push(Stop { writes, with, without, members });
        };
        let id = ComponentTypeId::of::<LocalToWorld>();
        stop(Mask::LOCAL_TO_WORLD, Mask::LOCAL_TO_PARENT, Mask::NONE, id, &propagated);
        // An entity with `Parent` and no `LocalToParent` is composed as a root.
        inputs.push(ComponentTypeId::of::<Parent>());
        stop(Mask::LOCAL_TO_WORLD, Mask::NONE, Mask::LOCAL_TO_PARENT, id, &inputs);
        for (writes, target) in [
            (Mask::LOCAL_TO_PARENT, ComponentTypeId::of::<LocalToParent>()),
            (Mask::COMPOSITE_ROTATION, ComponentTypeId::of::<CompositeRotation>()),
            (Mask::COMPOSITE_SCALE, ComponentTypeId::of::<CompositeScale>()),
            (Mask::PARENT_SCALE_INVERSE, ComponentTypeId::of::<ParentScaleInverse>()),
            (Mask::ROTATION, ComponentTypeId::of::<Rotation>()),
            (Mask::POST_ROTATION, ComponentTypeId::of::<PostRotation>()),
            (Mask::WORLD_TO_LOCAL, ComponentTypeId::of::<WorldToLocal>()),
        ] {
            stop(writes, Mask::NONE, Mask::NONE, target, &WriteGroups::built_in(target));
        }
        stops.retain(|stop| !stop.members.is_empty());
        Self { stops }
    }

    /// What the bundle may not write in an archetype of these components.
    pub fn of(&self, mask: Mask, components: &[ComponentTypeId]) -> Mask {
        let mut overridden = Mask::NONE;
        for stop in &self.stops {
            let here = mask.has(stop.with) && !mask.has_any(stop.without);
            if here && components.iter().any(|id| stop.members.contains(id)) {
                overridden |= stop.writes;
            }
        }
        overridden
    }
}
