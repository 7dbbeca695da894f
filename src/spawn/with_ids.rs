//! Spawning with ids that were reserved before: for mirrors of a network, whose entities name one
//! another before they are there.

use legion::{Entity, World};

use super::{
    ids::take_ids,
    rows::{NewRows, collect},
    tuple::ComponentTuple,
};
use crate::engine::captured;

/// Ids for `count` entities that [`insert_with_ids`] spawns later. Until then they may stand in a
/// `Parent`, or in your own tables. No other entity gets them. Costs a few instructions an id.
#[must_use]
pub fn reserve_ids(count: usize) -> Vec<Entity> {
    take_ids(count)
}

/// Spawns an entity for each tuple, with the id at the same place in `ids`, all into one archetype.
/// They also get `LocalToWorld`, and those with a `Parent` the rest that a child needs, as by
/// [`push_transform`](super::SpawnTransforms::push_transform).
///
/// ```
/// use legion::*;
/// use legion_transform::{prelude::*, spawn::{insert_with_ids, reserve_ids}};
///
/// let mut world = World::default();
/// let ids = reserve_ids(3);
/// // A chain: each is the parent of the next. The children may come first, and wait through runs.
/// let (root, links) = ids.split_first().unwrap();
/// let linked = |parent| (Parent(parent), Translation::new(0.0, 1.0, 0.0));
/// insert_with_ids(&mut world, links, ids.iter().copied().map(linked).take(2))?;
/// insert_with_ids(&mut world, &[*root], [(Translation::new(5.0, 0.0, 0.0),)])?;
/// assert!(ids.iter().all(|&id| world.contains(id)));
/// # Ok::<(), legion_transform::spawn::InsertError>(())
/// ```
///
/// The id of an entity that has died may be given again, in this process: components that named it
/// name the new one. No other call brings an id back, but for Legion's `push_with_id` and worlds
/// that are merged.
///
/// Costs as much as `extend_transforms`, a look in the world for each id, and a sort of the ids
/// where they do not ascend.
///
/// # Errors
///
/// When there are more or fewer ids than tuples, an id comes twice, or an entity with an id is
/// there already. Then nothing is spawned.
///
/// # Panics
///
/// If the iterator panics, or a tuple [has a type twice](super::SpawnTransforms#panics). Then
/// nothing is spawned.
pub fn insert_with_ids<T: ComponentTuple>(
    world: &mut World,
    ids: &[Entity],
    tuples: impl IntoIterator<Item = T>,
) -> Result<(), InsertError> {
    if let Some(&entity) = ids.iter().find(|&&id| world.contains(id)) {
        return Err(InsertError::Exists { entity });
    }
    if let Some(entity) = repeated(ids) {
        return Err(InsertError::Repeated { entity });
    }
    // Counted here: the size that an iterator claims may be wrong.
    let tuples = collect(tuples.into_iter().take(ids.len().saturating_add(1)));
    if tuples.len() != ids.len() {
        return Err(InsertError::Count { ids: ids.len(), tuples: tuples.len() });
    }
    NewRows::many(None, tuples).with_ids(ids.to_vec()).insert(world, |_| ());
    Ok(())
}

/// An entity that comes twice.
fn repeated(ids: &[Entity]) -> Option<Entity> {
    // Reserved ids mostly ascend, and then need no sorting.
    if ids.is_sorted_by(|a, b| captured(a) < captured(b)) {
        return None;
    }
    let mut sorted = ids.to_vec();
    sorted.sort_unstable_by_key(captured);
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// The reason why [`insert_with_ids`] spawned nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InsertError {
    /// There are more or fewer ids than tuples.
    #[error("{ids} ids for {tuples} tuples: pass one id for each tuple")]
    Count {
        /// How many ids there were.
        ids: usize,
        /// How many tuples; one more than ids, if there are more.
        tuples: usize,
    },
    /// An id comes twice.
    #[error("the id of {entity:?} comes twice: reserve an id for each entity")]
    Repeated {
        /// Its entity.
        entity: Entity,
    },
    /// An entity with an id is in the world already.
    #[error("{entity:?} is in the world already: remove it first, or reserve an id")]
    Exists {
        /// That entity.
        entity: Entity,
    },
}
