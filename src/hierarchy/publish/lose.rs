//! Accelerator: taking children out of a long list.
//!
//! Without it, each child of the list is compared with all that go: where 1,000 of 100,000 siblings
//! go (`churn_wide`), a tick takes 3.4 times as long.

use legion::Entity;
use smallvec::SmallVec;

use crate::{components::Children, storage::captured};

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

/// Where in a list a child stands. Looks at eight at a time.
fn place(children: &[Entity], child: &Entity) -> Option<usize> {
    let (steps, rest) = children.as_chunks::<STEP>();
    let is_in =
        |step: &[Entity; STEP]| step.iter().fold(false, |any, other| any | (other == child));
    let first = steps.iter().position(is_in).unwrap_or(steps.len()) * STEP;
    let within = steps.get(first / STEP).map_or(rest, |step| &step[..]);
    within.iter().position(|other| other == child).map(|place| first + place)
}

/// Children that are looked at together.
const STEP: usize = 8;

/// Comparisons that cost less than a filter.
const FEW_COMPARISONS: usize = 1024;

/// Where in a list children stand, ascending. Looks from the end, where those that came last are.
fn places(children: &[Entity], sought: &[Entity]) -> SmallVec<[usize; 8]> {
    let mut places = SmallVec::with_capacity(sought.len());
    if sought.len().saturating_mul(children.len()) <= FEW_COMPARISONS {
        places.extend(sought.iter().filter_map(|child| place(children, child)));
        places.sort_unstable();
        return places;
    }
    let filter = Filter::of(sought);
    for (step, children) in children.chunks(STEP).enumerate().rev() {
        if places.len() == sought.len() {
            break;
        }
        if children.iter().fold(false, |any, child| any | filter.may_have(child)) {
            let found = (0..children.len()).rev().filter(|&place| filter.has(&children[place]));
            places.extend(found.map(|place| step * STEP + place));
        }
    }
    places.reverse();
    places
}

/// Entities, and a table that tells most others apart from them by one look.
struct Filter {
    sorted: Vec<Entity>,
    /// Whether any of the entities has these [bits](Self::bits).
    table: Vec<bool>,
}

impl Filter {
    fn of(entities: &[Entity]) -> Self {
        let mut sorted = entities.to_vec();
        sorted.sort_unstable_by_key(captured);
        let mut filter = Self {
            sorted,
            table: vec![false; (entities.len().min(1 << 10) * 64).next_power_of_two()],
        };
        entities.iter().for_each(|entity| {
            let bits = filter.bits(entity);
            filter.table[bits] = true;
        });
        filter
    }

    /// The lowest bits, with those above them: Legion gives out numbers one by one or, to entities
    /// spawned alone, by sixteens.
    fn bits(&self, entity: &Entity) -> usize {
        let number = captured(entity);
        (number ^ (number >> 4)) as usize & (self.table.len() - 1)
    }

    fn may_have(&self, entity: &Entity) -> bool {
        self.table[self.bits(entity)]
    }

    fn has(&self, entity: &Entity) -> bool {
        self.may_have(entity)
            && self.sorted.binary_search_by_key(&captured(entity), captured).is_ok()
    }
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
