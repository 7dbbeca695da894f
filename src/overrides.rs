//! The rules that users' components stop, archetype by archetype.

use legion::storage::ComponentTypeId;

use crate::{rules, storage::Mask, write_group::WriteGroups};

/// The rules that a user's component can stop, with those components.
pub(crate) struct Overrides {
    stops: Vec<(rules::Rule, Vec<ComponentTypeId>)>,
}

impl Overrides {
    pub fn new(groups: &WriteGroups) -> Self {
        let stop = |rule: rules::Rule| {
            let target = rule.target.ids().next().expect("a rule has a target");
            let reads: Vec<ComponentTypeId> = rule.reads.ids().collect();
            let members = groups.outside(target, &reads);
            (!members.is_empty()).then_some((rule, members))
        };
        Self { stops: rules::RULES.into_iter().filter_map(stop).collect() }
    }

    /// The components that the bundle may not write in an archetype of these components.
    pub fn of(&self, present: Mask, components: &[ComponentTypeId]) -> Mask {
        let stops = self.stops.iter().filter(|(rule, members)| {
            rule.applies(present) && components.iter().any(|component| members.contains(component))
        });
        stops.fold(Mask::NONE, |overridden, (rule, _)| overridden | rule.target)
    }
}
