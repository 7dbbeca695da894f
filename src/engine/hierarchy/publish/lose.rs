//! Accelerator: taking children out of a long list. Without it, each child is compared with all
//! that go: 100 million comparisons where 1,000 of 100,000 siblings go.
//!
//! First the positions of all that go are found, then the children between two positions are moved
//! down together:
//!
//! ```text
//!  before    a  b  c  d  e  f
//!               ×        ×
//!  c, d      a  c  d  .  .  f        2..4 moved to 1
//!  f         a  c  d  f              5..6 moved to 3
//! ```

use std::collections::HashSet;

use legion::{Entity, world::EntityHasher};
use smallvec::SmallVec;

use crate::components::Children;

/// Takes children out of a list; the others keep their order. Children that are not in the list are
/// ignored.
pub(super) fn lose(children: &mut Children, lost: &[Entity]) {
    if let [child] = lost {
        if let Some(position) = position(children, child) {
            children.0.remove(position);
        }
        return;
    }
    let holes = positions(children, lost);
    let Some(&first) = holes.first() else { return };
    let ends = holes[1..].iter().copied().chain([children.len()]);
    let mut len = first;
    for (start, end) in holes.iter().map(|hole| hole + 1).zip(ends) {
        children.copy_within(start..end, len);
        len += end - start;
    }
    children.0.truncate(len);
}

/// Children that are compared together, without branches.
const CHUNK: usize = 8;

/// The position of a child in a list.
fn position(children: &[Entity], child: &Entity) -> Option<usize> {
    let (chunks, rest) = children.as_chunks::<CHUNK>();
    let is_in =
        |chunk: &[Entity; CHUNK]| chunk.iter().fold(false, |any, other| any | (other == child));
    let first = chunks.iter().position(is_in).unwrap_or(chunks.len()) * CHUNK;
    let within = chunks.get(first / CHUNK).map_or(rest, |chunk| &chunk[..]);
    within.iter().position(|other| other == child).map(|position| first + position)
}

/// Up to this product of both lengths, comparisons cost less than hashing: 10 children out of 100
/// are compared, 11 are hashed.
const FEW_COMPARISONS: usize = 1024;

/// The positions of children in a list, ascending. A long list is searched from the end, where the
/// latest children stand: if the last 100 of 100,000 siblings go, it looks at 100.
fn positions(children: &[Entity], lost: &[Entity]) -> SmallVec<[usize; 8]> {
    let mut positions = SmallVec::with_capacity(lost.len());
    if lost.len().saturating_mul(children.len()) <= FEW_COMPARISONS {
        positions.extend(lost.iter().filter_map(|child| position(children, child)));
        positions.sort_unstable();
        return positions;
    }
    let lost: HashSet<Entity, EntityHasher> = lost.iter().copied().collect();
    for (position, child) in children.iter().enumerate().rev() {
        if positions.len() == lost.len() {
            break;
        }
        if lost.contains(child) {
            positions.push(position);
        }
    }
    positions.reverse();
    positions
}

#[cfg(test)]
mod tests {
    use legion::World;

    use super::*;

    /// Lists of up to 40 children and larger ones, from which every `step`th of those from `first`
    /// on goes.
    #[test]
    fn what_is_left_keeps_its_order() {
        let mut world = World::default();
        let all: Vec<Entity> = (0..300).map(|_| world.push(())).collect();
        for (len, first, step) in (0..=40).chain([200, 300]).flat_map(|len| {
            (0..7).flat_map(move |first| (1..9).map(move |step| (len, first, step)))
        }) {
            let list = &all[..len];
            let mut lost: Vec<Entity> = list.iter().skip(first).step_by(step).copied().collect();
            lost.reverse();
            let mut children: Children = list.iter().copied().collect();
            lose(&mut children, &lost);
            assert!(
                children.into_iter().eq(list.iter().filter(|child| !lost.contains(child))),
                "{len} {first} {step}"
            );
        }
    }
}
