//! Accelerator: taking children out of a long list.
//!
//! Without it, each child of the list is compared with all that go: where 1,000 of 100,000 siblings
//! go (`churn_wide`), a tick takes 3.4 times as long.

use std::collections::HashSet;

use legion::{Entity, world::EntityHasher};
use smallvec::SmallVec;

use crate::components::Children;

/// Takes children out of a list; the others keep their order.
pub(super) fn lose(children: &mut Children, lost: &[Entity]) {
    if let [child] = lost {
        if let Some(place) = place(children, child) {
            children.remove(place);
        }
        return;
    }
    let holes = places(children, lost);
    let Some(&first) = holes.first() else { return };
    let ends = holes[1..].iter().copied().chain([children.len()]);
    let mut len = first;
    for (start, end) in holes.iter().map(|hole| hole + 1).zip(ends) {
        children.copy_within(start..end, len);
        len += end - start;
    }
    children.truncate(len);
}

/// Children that are compared together, without branches.
const STEP: usize = 8;

/// Where in a list a child stands.
fn place(children: &[Entity], child: &Entity) -> Option<usize> {
    let (steps, rest) = children.as_chunks::<STEP>();
    let is_in =
        |step: &[Entity; STEP]| step.iter().fold(false, |any, other| any | (other == child));
    let first = steps.iter().position(is_in).unwrap_or(steps.len()) * STEP;
    let within = steps.get(first / STEP).map_or(rest, |step| &step[..]);
    within.iter().position(|other| other == child).map(|place| first + place)
}

/// Comparisons that cost less than hashing.
const FEW_COMPARISONS: usize = 1024;

/// Where in a list children stand, ascending. In a long list it looks from the end, where children
/// that came last stand: of 100,000 siblings and 100 that came a moment ago it looks at 100.
fn places(children: &[Entity], lost: &[Entity]) -> SmallVec<[usize; 8]> {
    let mut places = SmallVec::with_capacity(lost.len());
    if lost.len().saturating_mul(children.len()) <= FEW_COMPARISONS {
        places.extend(lost.iter().filter_map(|child| place(children, child)));
        places.sort_unstable();
        return places;
    }
    let lost: HashSet<Entity, EntityHasher> = lost.iter().copied().collect();
    for (place, child) in children.iter().enumerate().rev() {
        if places.len() == lost.len() {
            break;
        }
        if lost.contains(child) {
            places.push(place);
        }
    }
    places.reverse();
    places
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
