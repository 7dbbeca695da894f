//! What an archetype's components mean for its entities.
//!
//! # Access
//!
//! Reading components of a `World` or `SubWorld` by entity, and the errors of that.

use std::{
    cell::Cell,
    convert::Infallible,
    ops::ControlFlow::{self, Break, Continue},
};

use legion::{
    Entity,
    storage::ArchetypeIndex,
    world::{ComponentError, EntityAccessError, EntryRef},
};

use super::store::Store;
use crate::{
    components::{Frame, Inherits, Parent},
    engine::{
        overrides::Foreseen,
        rules,
        storage::{Access, Mask, TransformComponent, WorldCell, captured},
    },
    findings::QueryError,
};

/// What the components of an archetype mean in the next run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Kind {
    /// The crate's components in it, and those that the next run inserts.
    pub mask: Mask,
    /// The derived components that users' components write, and the `LocalToWorld` of a frame.
    pub overridden: Mask,
    /// The same, after the next run has removed a broken link.
    pub overridden_unlinked: Mask,
    /// What the next run inserts when it has removed a broken link: a user's component that wrote
    /// `LocalToParent` held it back.
    pub given_unlinked: Mask,
    /// Whether it has a [`Frame`] that counts: no user's component writes its `LocalToWorld`, and
    /// the bundle has `large_worlds`, as before the first run of one all may have.
    pub has_frame: bool,
    /// Whether the next run inserts missing matrices: not known before the first run of a bundle.
    pub inserts: Option<bool>,
}

/// An archetype, with the number of its world from 1 on, and how often the options of any world had
/// changed when its kind was found.
type Met = (usize, u32, u64);

/// No archetype. Its bytes are all 0, so a thread's cells take no memory before they are used.
const NOTHING: (Met, Kind) = (
    (0, 0, 0),
    Kind {
        mask: Mask::NONE,
        overridden: Mask::NONE,
        overridden_unlinked: Mask::NONE,
        given_unlinked: Mask::NONE,
        has_frame: false,
        inserts: Some(false),
    },
);

thread_local! {
    /// The kinds of archetypes that this thread met last: no two worlds of a process have the same
    /// number, and an archetype keeps its components.
    static MET: [Cell<(Met, Kind)>; 1024] = const { [const { Cell::new(NOTHING) }; 1024] };
}

impl Kind {
    /// The kind of an archetype of a world. Most often it is known.
    #[inline]
    pub fn met(store: &dyn Store<'_>, at: ArchetypeIndex) -> Self {
        let number = captured(&store.world()) as usize + 1;
        // Worlds begin at other cells, or all would share the first ones: world 3 at 3 * 29.
        let cell = number.wrapping_mul(29).wrapping_add(at.0 as usize) % 1024;
        let key = (number, at.0, WorldCell::option_changes());
        let (met, kind) = MET.with(|all| all[cell].get());
        if met == key {
            return kind;
        }
        let kind = Self::of(&store.access(Mask::NONE), at);
        MET.with(|all| all[cell].set((key, kind)));
        kind
    }

    #[inline(never)]
    fn of(access: &Access<'_>, at: ArchetypeIndex) -> Self {
        let layout = access.layout(at);
        let (mask, types) = (Mask::of(layout), layout.component_types());
        // A frame has no bit, so only archetypes with other components are searched for it.
        let has_frame = types.len() > mask.len() && layout.has_component::<Frame>();
        let mut kind = Self { mask, has_frame, ..Self::default() };
        if let Some(foreseen) = WorldCell::options::<Foreseen>(access) {
            kind.has_frame &= foreseen.sees_frames;
            kind = kind.inserting(foreseen.inserts_missing);
            kind.overridden = foreseen.overrides.of(kind.mask, types);
            kind.overridden_unlinked = foreseen.overrides.of_unlinked(kind.mask, types);
        }
        kind.has_frame &= !kind.overridden.has(Mask::LOCAL_TO_WORLD);
        if kind.has_frame {
            kind.overridden |= Mask::LOCAL_TO_WORLD;
            kind.overridden_unlinked |= Mask::LOCAL_TO_WORLD;
        }
        if kind.inserts == Some(true) {
            kind.mask |= rules::missing_readers(kind.mask, kind.overridden);
            let unlinked = kind.mask.without(Mask::LOCAL_TO_PARENT);
            kind.given_unlinked = rules::missing_readers(unlinked, kind.overridden_unlinked);
        }
        kind
    }

    /// In whose space an entity with this parent stands, whose matrix is `overridden` or not: where
    /// its parent does, in its own frame (`Break(true)`), or in none. The last is where it inherits
    /// no place, a user's component writes its matrix, or nothing is above.
    pub fn space<E>(
        &self,
        overridden: bool,
        inherits: impl FnOnce() -> Result<Inherits, E>,
        parent: Option<Entity>,
    ) -> Result<ControlFlow<bool, Entity>, E> {
        Ok(match parent {
            _ if overridden => Break(self.has_frame),
            Some(parent) if inherits()?.translation => Continue(parent),
            _ => Break(false),
        })
    }

    /// The same of an entity of a world of any type, of which nothing of what this reads is hidden.
    pub fn space_of(world: &dyn Store<'_>, entity: Entity) -> ControlFlow<bool, Entity> {
        let Ok(entry) = world.entry_of(entity) else { return Break(false) };
        let kind = Self::met(world, entry.location().archetype());
        let own = || entry.get_component::<Inherits>().copied().unwrap_or_default();
        let inherits = || Ok(if kind.mask.has(Mask::INHERITS) { own() } else { Inherits::ALL });
        let parent = entry.get_component::<Parent>().ok().filter(|_| kind.mask.has(Mask::LINK));
        let overridden = kind.overridden.has(Mask::LOCAL_TO_WORLD);
        let Ok(space) = kind.space::<Infallible>(overridden, inherits, parent.map(|it| it.0));
        space
    }

    /// Where it is known whether the next run inserts missing matrices.
    pub fn inserting(self, inserts: bool) -> Self {
        let missing = rules::missing_matrices(self.mask, self.has_frame);
        let given = if inserts { missing } else { Mask::NONE };
        Self { mask: self.mask | given, inserts: Some(inserts), ..self }
    }

    /// The same after the next run has removed a broken link.
    pub fn unlinked(self) -> Self {
        let mask = self.mask | self.given_unlinked;
        Self { mask, overridden: self.overridden_unlinked, ..self }
    }

    /// Whether an entity has a place in the world as soon as it is the parent of another.
    #[inline]
    pub fn can_be_parent(&self) -> bool {
        self.mask.has(Mask::LOCAL_TO_WORLD) || self.inserts == Some(true)
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

/// The entity's entry.
pub(crate) fn entry<'a>(store: &dyn Store<'a>, entity: Entity) -> Result<EntryRef<'a>, QueryError> {
    store.entry_of(entity).map_err(|error| match error {
        EntityAccessError::EntityNotFound => QueryError::Dead(entity),
        EntityAccessError::AccessDenied => {
            QueryError::MissingAccess { component: None, entity: Some(entity) }
        }
    })
}

/// The component of an entity, if it has one.
pub(super) fn found<T: TransformComponent>(
    component: Result<&T, ComponentError>,
    entity: Entity,
) -> Result<Option<&T>, QueryError> {
    match component {
        Ok(component) => Ok(Some(component)),
        Err(ComponentError::NotFound { .. }) => Ok(None),
        Err(ComponentError::Denied { .. }) => Err(denied::<T>(entity)),
    }
}

/// A component of an entity may not be read.
#[cold]
pub(super) fn denied<T: TransformComponent>(entity: Entity) -> QueryError {
    QueryError::MissingAccess { component: Some(T::MASK.name()), entity: Some(entity) }
}
