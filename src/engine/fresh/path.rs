//! Following `Parent` upwards, the way the next run of the bundle will do it.

use legion::Entity;
use smallvec::SmallVec;

/// An entity and its ancestors, up to the one that the bundle treats as a root.
pub(crate) struct Path<N = Entity> {
    /// The entity first, the root last. Most hierarchies are less deep than sixteen.
    pub nodes: SmallVec<[N; 16]>,
    /// Whether the root has a `Parent` and is one nevertheless: it is on a cycle or, where that is
    /// [looked at](super::FreshRows::climb), it waits for its parent.
    pub is_held: bool,
}

impl<N: Copy> Path<N> {
    /// The beginning of a path, for [`follow`](Self::follow).
    #[inline]
    pub fn of(start: N) -> Self {
        Self { nodes: SmallVec::from_slice(&[start]), is_held: false }
    }

    pub fn root(&self) -> N {
        *self.nodes.last().expect("a path has at least its start")
    }

    /// The parent of the first one.
    pub fn parent(&self) -> Option<N> {
        self.nodes.get(1).copied()
    }

    /// Follows `up` from the only entity of a path to the end, or to the first entity of a cycle.
    /// (The path is the caller's: to hand it out would move its 400 bytes.)
    ///
    /// Brent's algorithm: it remembers one entity, the mark, and moves the mark to the current
    /// entity after 1, 2, 4, 8, ... steps. On a cycle it meets the mark again: with a way of 5 links
    /// into a cycle of 3, after at most 3 * (5 + 3) steps. It needs no set of visited entities.
    #[inline(always)] // a step is too short for a call
    pub fn follow<E>(&mut self, mut up: impl FnMut(N) -> Result<Option<N>, E>) -> Result<(), E>
    where
        N: PartialEq,
    {
        let Self { nodes, is_held } = self;
        let (mut current, mut mark) = (nodes[0], nodes[0]);
        let (mut since_mark, mut limit) = (1, 1);
        while let Some(next) = up(current)? {
            nodes.push(next);
            if next == mark {
                let first = (0..).find(|&i| nodes[i] == nodes[i + since_mark]).unwrap_or(0);
                nodes.truncate(first + 1);
                *is_held = true;
                break;
            }
            if since_mark == limit {
                mark = next;
                limit *= 2;
                since_mark = 0;
            }
            since_mark += 1;
            current = next;
        }
        Ok(())
    }
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
                let mut path = Path::of(entities[0]);
                let Ok(()) = path.follow::<Infallible>(|entity| {
                    let i = entities.iter().position(|e| *e == entity).unwrap();
                    Ok(match (i + 1 < way + cycle, cycle > 0) {
                        (true, _) => Some(entities[i + 1]),
                        (false, true) => Some(entities[way]),
                        (false, false) => None,
                    })
                });
                let end = if cycle > 0 { way } else { way.max(1) - 1 };
                assert_eq!((path.is_held, path.nodes.as_slice()), (cycle > 0, &entities[..=end]));
            }
        }
    }
}
