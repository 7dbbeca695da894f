//! What an archetype's components mean for its entities.

use std::cell::Cell;

use legion::{Entity, EntityStore, storage::EntityLayout, world::EntryRef};

use super::access::{QueryError, found};
use crate::{
    components::Frame,
    engine::{
        overrides::Overrides,
        rules,
        storage::{Mask, TransformComponent, captured},
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

/// The crate's components in an archetype, and whether it has a [`Frame`].
type Contents = (Mask, bool);

thread_local! {
    /// The contents of archetypes that this thread met last, with the numbers of their worlds and
    /// their own. They hold for ever: no two worlds of a process have the same number, and an
    /// archetype keeps its components.
    static MET: [Cell<(u64, u32, Contents)>; 64] =
        const { [const { Cell::new((u64::MAX, 0, (Mask::NONE, false))) }; 64] };
}

impl Kind {
    pub fn of(layout: &EntityLayout, overrides: &Overrides) -> Self {
        Self::with(contents(layout), layout, overrides)
    }

    /// The kind of archetype `at` of a store, which has this layout. Most often it is known.
    #[inline]
    pub fn met(store: &impl EntityStore, at: u32, layout: &EntityLayout, by: &Overrides) -> Self {
        let world = captured(&store.id());
        // Worlds begin at other cells, or all would share the first ones: world 3 at 3 * 29 % 64.
        let cell = (world as usize).wrapping_mul(29).wrapping_add(at as usize) % 64;
        let mut met = MET.with(|all| all[cell].get());
        if (met.0, met.1) != (world, at) {
            met = (world, at, contents(layout));
            MET.with(|all| all[cell].set(met));
        }
        Self::with(met.2, layout, by)
    }

    #[inline]
    fn with((mask, has_frame): Contents, layout: &EntityLayout, overrides: &Overrides) -> Self {
        let framed = if has_frame { Mask::LOCAL_TO_WORLD } else { Mask::NONE };
        let types = layout.component_types();
        let overridden = overrides.of(mask, types) | framed;
        let overridden_unlinked = overrides.of_unlinked(mask, types) | framed;
        Self { mask, overridden, overridden_unlinked, has_frame }
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
        if self.mask.has(T::MASK) { found(entry.get_component(), entity) } else { Ok(None) }
    }
}

/// The inputs that make a local matrix more than a plain one.
const MORE: Mask =
    Mask::COMPOSITE_ROTATION.union(Mask::COMPOSITE_SCALE).union(rules::ROTATION.inputs);

#[inline(never)]
fn contents(layout: &EntityLayout) -> Contents {
    let mask = Mask::of(layout);
    // A frame has no bit, so only archetypes with other components are searched for it.
    (mask, layout.component_types().len() > mask.len() && layout.has_component::<Frame>())
}
