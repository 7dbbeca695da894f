//! The derived components that users' components write, by layout.

use std::{fmt, sync::Arc};

use legion::{
    storage::{ComponentTypeId, EntityLayout},
    world::EntryRef,
};

use crate::{
    components::{Frame, LocalToParent, Parent},
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

    /// Whether a user's component writes `component` on this entity: a [`Frame`] also if the write
    /// groups of its bundle are not known.
    pub fn has(&self, entry: &EntryRef<'_>, component: Mask) -> bool {
        let layout = entry.archetype().layout();
        if is_frame(layout, component) {
            return true;
        }
        let Some(rules) = &self.0 else { return false };
        rules.of(Mask::of(layout), layout.component_types()).has(component)
    }

    /// The answer of [`has`](Self::has) after the next run has removed the entity's broken link.
    pub fn has_unlinked(&self, entry: &EntryRef<'_>, component: Mask) -> bool {
        let layout = entry.archetype().layout();
        if is_frame(layout, component) {
            return true;
        }
        let Some(rules) = &self.0 else { return false };
        let lost = [ComponentTypeId::of::<Parent>(), ComponentTypeId::of::<LocalToParent>()];
        let left: Vec<_> =
            layout.component_types().iter().copied().filter(|id| !lost.contains(id)).collect();
        rules
            .of(Mask::of(layout).without(Mask::PARENT | Mask::LOCAL_TO_PARENT), &left)
            .has(component)
    }
}

/// Whether it is the `LocalToWorld` of a [`Frame`], which the bundle's other part writes.
fn is_frame(layout: &EntityLayout, component: Mask) -> bool {
    component == Mask::LOCAL_TO_WORLD && layout.has_component::<Frame>()
}

impl fmt::Debug for Overrides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Overrides").field(&self.0.is_some()).finish()
    }
}
