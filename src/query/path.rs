//! Following `Parent` upwards, the way the next run of the bundle will do it.

use legion::{Entity, EntityStore, world::EntryRef};
use smallvec::SmallVec;

use super::access::{QueryError, component, entry, has};
use crate::components::{LocalToParent, LocalToWorld, Parent};

/// The parent of an entity with a link: it has `Parent`, `LocalToParent` and `LocalToWorld`, and
/// its parent is alive and has `LocalToWorld`. The link may be on a cycle.
pub(crate) fn link<S: EntityStore>(
    store: &S,
    entity: Entity,
    child: &EntryRef<'_>,
) -> Result<Option<Entity>, QueryError> {
    if !has::<LocalToParent>(child) || !has::<LocalToWorld>(child) {
        return Ok(None);
    }
    let Some(&Parent(parent)) = component::<Parent>(child, entity)? else { return Ok(None) };
    match entry(store, parent) {
        Ok(parent_entry) => Ok(has::<LocalToWorld>(&parent_entry).then_some(parent)),
        Err(QueryError::Dead(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An entity and its ancestors, up to the one that the bundle treats as a root.
pub(crate) struct Path {
    /// The entity first, the root last. Most hierarchies are less deep than eight.
    pub entities: SmallVec<[Entity; 8]>,
    /// Whether the root is one only because it is on a cycle.
    pub cyclic: bool,
}

impl Path {
    pub fn root(&self) -> Entity {
        *self.entities.last().expect("a path has at least its start")
    }
}

/// Follows the links upwards from a live entity.
pub(crate) fn path<S: EntityStore>(store: &S, start: Entity) -> Result<Path, QueryError> {
    follow(start, |entity| link(store, entity, &entry(store, entity)?))
}

/// Follows `up` from `start` to its end, or to the first entity of a cycle.
///
/// Brent's algorithm: it remembers one entity, the mark, and moves the mark to the current entity
/// after 1, 2, 4, 8, ... steps. On a cycle it meets the mark again: with a way of 5 links into a
/// cycle of 3, after at most 3 * (5 + 3) steps. It needs no set of visited entities.
pub(crate) fn follow<E>(
    start: Entity,
    mut up: impl FnMut(Entity) -> Result<Option<Entity>, E>,
) -> Result<Path, E> {
    let mut entities = SmallVec::from_slice(&[start]);
    let (mut current, mut mark) = (start, start);
    let (mut since_mark, mut limit) = (1, 1);
    while let Some(next) = up(current)? {
        entities.push(next);
        if next == mark {
            let first = (0..).find(|&i| entities[i] == entities[i + since_mark]).unwrap_or(0);
            entities.truncate(first + 1);
            return Ok(Path { entities, cyclic: true });
        }
        if since_mark == limit {
            mark = next;
            limit *= 2;
            since_mark = 0;
        }
        since_mark += 1;
        current = next;
    }
    Ok(Path { entities, cyclic: false })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use legion::World;

    use super::*;

    /// Every way of length 0..40 into a cycle of length 0..40.
    #[test]
    fn finds_the_end_or_the_entry_of_the_cycle() {
        let mut world = World::default();
        let entities: Vec<Entity> = world.extend((0..80).map(|i| (i as u32,))).to_vec();
        for way in 0..40 {
            for cycle in 0..40 {
                let path = follow::<Infallible>(entities[0], |entity| {
                    let i = entities.iter().position(|e| *e == entity).unwrap();
                    Ok(match (i + 1 < way + cycle, cycle > 0) {
                        (true, _) => Some(entities[i + 1]),
                        (false, true) => Some(entities[way]),
                        (false, false) => None,
                    })
                })
                .unwrap();
                let end = if cycle > 0 { way } else { way.max(1) - 1 };
                assert_eq!((path.cyclic, path.entities.as_slice()), (cycle > 0, &entities[..=end]));
            }
        }
    }
}
