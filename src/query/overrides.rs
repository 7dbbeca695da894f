//! The derived components that users' components write, by layout.

use std::{fmt, sync::Arc};

use legion::storage::ComponentTypeId;

use crate::{
    components::{LocalToParent, Parent},
    storage::Mask,
    write_group::WriteGroups,
};

/// The bundle's rules, with its write groups. Without them nothing is overridden.
#[derive(Clone, Default)]
pub(crate) struct Overrides(Option<Arc<crate::overrides::Overrides>>);

impl Overrides {
    pub fn new(groups: &WriteGroups) -> Self {
        Self(Some(Arc::new(crate::overrides::Overrides::new(groups))))
    }

    /// The derived components that users' components write in an archetype, and the same after the
    /// next run has removed a broken link.
    pub fn of(&self, mask: Mask, types: &[ComponentTypeId]) -> (Mask, Mask) {
        let Some(rules) = &self.0 else { return (Mask::NONE, Mask::NONE) };
        let lost = [ComponentTypeId::of::<Parent>(), ComponentTypeId::of::<LocalToParent>()];
        let left: Vec<_> = types.iter().copied().filter(|id| !lost.contains(id)).collect();
        let unlinked = mask.without(Mask::PARENT | Mask::LOCAL_TO_PARENT);
        (rules.of(mask, types), rules.of(unlinked, &left))
    }
}

impl fmt::Debug for Overrides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Overrides").field(&self.0.is_some()).finish()
    }
}
