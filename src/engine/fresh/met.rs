//! What the archetypes mean that a thread met; and components of a `World` or `SubWorld` by entity,
//! with the errors of that.

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
    components::{Inherits, Parent},
    engine::{
        meaning::WorldOptions,
        storage::{Access, Mask, Meaning, TransformComponent, WorldCell, captured},
    },
    findings::QueryError,
};

/// An archetype, with the number of its world from 1 on, and how often the options of any world had
/// changed when its meaning was found.
type Met = (usize, u32, u64);

thread_local! {
    /// What the archetypes mean that this thread met last: no two worlds of a process have the same
    /// number, and an archetype keeps its components.
    static MET: Vec<Cell<(Met, Meaning)>> = vec![Cell::default(); 1024];
}

impl Meaning {
    /// What an archetype of a world means. Most often it is known.
    #[inline]
    pub fn met(store: &dyn Store<'_>, at: ArchetypeIndex) -> Self {
        let number = captured(&store.world()) as usize + 1;
        // Worlds begin at other cells, or all would share the first ones: world 3 at 3 * 29.
        let cell = number.wrapping_mul(29).wrapping_add(at.0 as usize) % 1024;
        let key = (number, at.0, WorldCell::option_changes());
        let (met, meaning) = MET.with(|all| all[cell].get());
        if met == key {
            return meaning;
        }
        let meaning = Self::of_archetype(&store.access(Mask::NONE), at);
        MET.with(|all| all[cell].set((key, meaning)));
        meaning
    }

    #[inline(never)]
    fn of_archetype(access: &Access<'_>, at: ArchetypeIndex) -> Self {
        Self::of(access.layout(at), WorldCell::options::<WorldOptions>(access).as_deref())
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
        let meaning = Self::met(world, entry.location().archetype());
        let own = || entry.get_component::<Inherits>().copied().unwrap_or_default();
        let inherits = || Ok(if meaning.mask.has(Mask::INHERITS) { own() } else { Inherits::ALL });
        let parent = entry.get_component::<Parent>().ok().filter(|_| meaning.mask.has(Mask::LINK));
        let overridden = meaning.overridden.has(Mask::LOCAL_TO_WORLD);
        let Ok(space) = meaning.space::<Infallible>(overridden, inherits, parent.map(|it| it.0));
        space
    }

    /// The `T` of an entry of this meaning, if it has one; only then is access needed.
    pub fn get<'e, T: TransformComponent>(
        &self,
        entry: &'e EntryRef<'_>,
        entity: Entity,
    ) -> Result<Option<&'e T>, QueryError> {
        if self.mask.has(T::MASK) { found(entry.get_component(), entity) } else { Ok(None) }
    }
}

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
