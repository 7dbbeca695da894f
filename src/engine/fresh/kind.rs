//! What an archetype's components mean for its entities.

use legion::{Entity, storage::EntityLayout, world::EntryRef};

use super::access::{QueryError, found};
use crate::{
    components::Frame,
    engine::{
        overrides::Overrides,
        rules,
        storage::{Mask, TransformComponent},
    },
};

/// What the components of an archetype mean.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    /// The crate's components in it.
    pub mask: Mask,
    /// The derived components that users' components write, and the `LocalToWorld` of a frame.
    pub overridden: Mask,
    /// The same, after the next run has removed a broken link.
    pub overridden_unlinked: Mask,
    /// Whether it has a [`Frame`].
    pub has_frame: bool,
}

impl Kind {
    pub fn of(layout: &EntityLayout, overrides: &Overrides) -> Self {
        let types = layout.component_types();
        let mask = Mask::of_types(types);
        // A frame has no bit, so only archetypes with other components are searched for it.
        let has_frame = types.len() > mask.len() && layout.has_component::<Frame>();
        let framed = if has_frame { Mask::LOCAL_TO_WORLD } else { Mask::NONE };
        let (overridden, unlinked) =
            (overrides.of(mask, types), overrides.of_unlinked(mask, types));
        Self {
            mask,
            overridden: overridden | framed,
            overridden_unlinked: unlinked | framed,
            has_frame,
        }
    }

    /// Whether the bundle computes nothing for its `LocalToWorld`: `LocalToParent` without
    /// `Parent`.
    #[inline]
    pub fn is_orphan(&self) -> bool {
        self.mask.has(Mask::LOCAL_TO_PARENT) && !self.mask.has(Mask::PARENT)
    }

    /// Whether an entity's local transform is its translation, rotation and scale, wherever it
    /// stands.
    #[inline]
    pub fn is_simple(&self) -> bool {
        let is_overridden = self.overridden.has_any(self.mask);
        self.mask.has(Mask::LOCAL_TO_WORLD)
            && self.is_plain(true)
            && !self.is_orphan()
            && !is_overridden
            && self.overridden_unlinked == Mask::NONE
    }

    /// Whether the world matrix of a child is its parent's times a [plain](Self::is_plain) one, of
    /// inputs.
    #[inline]
    pub fn is_usual(&self) -> bool {
        self.is_plain(true)
            && self.mask.has_any(rules::LOCAL_TO_PARENT.inputs)
            && !self.mask.has(Mask::INHERITS)
            && !self.overridden.has(Mask::LOCAL_TO_PARENT)
    }

    /// Whether the local matrix is made of a translation, a rotation and a scale at most. Below a
    /// parent, `ParentScaleInverse` is another factor.
    #[inline]
    pub fn is_plain(&self, has_parent: bool) -> bool {
        let others = if has_parent { MORE | Mask::PARENT_SCALE_INVERSE } else { MORE };
        !self.mask.has_any(others)
    }

    /// The `T` of an entry of this kind, if it has one; only then is access needed.
    pub fn get<'e, T: TransformComponent>(
        &self,
        entry: &'e EntryRef<'_>,
        entity: Entity,
    ) -> Result<Option<&'e T>, QueryError> {
        match self.mask.has(T::MASK) {
            true => found(entry.get_component::<T>(), entity),
            false => Ok(None),
        }
    }
}

/// The inputs that make a local matrix more than a plain one.
const MORE: Mask =
    Mask::COMPOSITE_ROTATION.union(Mask::COMPOSITE_SCALE).union(rules::ROTATION.inputs);
