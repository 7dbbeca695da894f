//! Publishes `Children`.

use legion::Entity;
use smallvec::SmallVec;

use super::{
    super::{
        change::{Candidate, LinkChange},
        diff::Diff,
    },
    Publisher, commands,
    deltas::ChildListDeltas,
};
use crate::{
    components::Children,
    forest::{NONE, NOWHERE},
    storage::columns::{Row, captured},
    storage::mask::Mask,
};

impl Publisher<'_, '_> {
    /// Brings `Children` in line with the forest.
    pub(super) fn publish_children(&mut self, candidates: &[Candidate], changes: &[LinkChange], diff: &Diff) {
        let deltas = ChildListDeltas::of(changes, self.columns, &mut self.hierarchy.index_by_row);
        let mut checked = vec![false; deltas.len()];
        for &archetype in &diff.lists {
            for row in 0..self.columns.entities(archetype).len() as u32 {
                self.check_children(Row { archetype, row }, &deltas, &mut checked);
            }
        }
        for rows in diff.entered.chunk_by(|a, b| a.archetype == b.archetype) {
            let archetype = rows[0].archetype;
            if self.tracker[archetype].mask.has(Mask::CHILDREN) && diff.lists.binary_search(&archetype).is_err() {
                rows.iter().for_each(|&row| self.check_children(row, &deltas, &mut checked));
            }
        }
        for index in (0..deltas.len()).filter(|&index| !checked[index]) {
            let (row, lost, gained) = deltas.get(index);
            self.edit_children(row, lost, gained);
        }
        for candidates in candidates.chunk_by(|a, b| a.row.archetype == b.row.archetype) {
            if candidates[0].is_dead() || self.tracker[candidates[0].row.archetype].mask.has(Mask::CHILDREN) {
                continue;
            }
            for candidate in candidates {
                if self.lacks_children(candidate.row) && deltas.find(candidate.row, &self.hierarchy.index_by_row).is_none() {
                    self.give_children(candidate.row);
                }
            }
        }
    }

    /// Compares a list that may have been overwritten with the forest, which knows its losses and gains already.
    fn check_children(&mut self, row: Row, deltas: &ChildListDeltas, checked: &mut [bool]) {
        let index = deltas.find(row, &self.hierarchy.index_by_row);
        if let Some(index) = index {
            checked[index] = true;
            let (_, lost, gained) = deltas.get(index);
            if lost.is_empty() && self.is_filled_by(row, gained) {
                self.edit_children(row, &[], gained);
                return;
            }
        }
        if !self.is_in_line(row) {
            self.mend_children(row);
        }
    }

    /// Whether a list holds what the forest does, in the same order. A list in a row that Legion does not find by its entity is not looked at.
    fn is_in_line(&self, row: Row) -> bool {
        let forest = &self.hierarchy.forest;
        let list = &self.columns.read::<Children>(row.archetype)[row.row as usize];
        let slot = forest.slot(row);
        if slot == NONE || list.is_empty() {
            return !self.hierarchy.duplicates.is_empty() && self.columns.locate(self.entity(row)) != Some(row);
        }
        let mut children = forest.children(slot);
        let is_next = |child: &Entity| {
            let Row { archetype, row } = children.next().map_or(NOWHERE, |slot| forest.row(slot));
            row != u32::MAX && self.columns.entities(archetype).get(row as usize) == Some(child)
        };
        list.iter().all(is_next) && children.next().is_none()
    }

    /// Whether a list is empty, and becomes right by what it gains.
    fn is_filled_by(&self, row: Row, gained: &[Entity]) -> bool {
        let forest = &self.hierarchy.forest;
        let (slot, list) = (forest.slot(row), &self.columns.read::<Children>(row.archetype)[row.row as usize]);
        if !list.is_empty() || slot == NONE || !self.hierarchy.duplicates.is_empty() {
            return false;
        }
        // What it gained stands behind what it had.
        let first = forest.children(slot).next().map(|child| self.entity(forest.row(child)));
        first.as_ref() == gained.first()
    }

    /// Takes out of a list what is no child, and adds the children that it lacks. The others keep their order, which may be a user's.
    fn mend_children(&mut self, row: Row) {
        let parent = self.entity(row);
        let slot = self.hierarchy.forest.slot(row);
        let stamp = self.hierarchy.forest.new_visits(1);
        let old = &self.columns.read::<Children>(row.archetype)[row.row as usize];
        let mut kept = Children::new();
        for &child in old {
            let Some(child_row) = self.columns.locate(child) else { continue };
            let forest = &mut self.hierarchy.forest;
            let child_slot = forest.slot(child_row);
            let is_child = slot != NONE && child_slot != NONE && forest.parent(child_slot) == Some(slot);
            if is_child && forest.visit(child_slot, stamp) != stamp {
                kept.push(child);
            }
        }
        let forest = &self.hierarchy.forest;
        if slot != NONE {
            let missing = forest.children(slot).filter(|&child| forest.last_visit(child) != stamp);
            kept.0.extend(missing.map(|child| self.entity(forest.row(child))));
        }
        if kept.is_empty() {
            commands::remove::<Children>(self.commands, parent);
            return;
        }
        if kept != *old {
            self.columns.write::<Children>(row.archetype)[row.row as usize] = kept;
            self.children_written.add(row.archetype);
        }
    }

    /// Applies losses and gains to a list that is right but for them.
    fn edit_children(&mut self, row: Row, lost: &[Entity], gained: &[Entity]) {
        if !self.tracker[row.archetype].mask.has(Mask::CHILDREN) {
            self.give_children(row);
            return;
        }
        let parent = self.entity(row);
        let children = &mut self.columns.write::<Children>(row.archetype)[row.row as usize];
        lose(children, lost);
        children.0.reserve(gained.len());
        children.0.extend_from_slice(gained);
        if children.is_empty() {
            commands::remove::<Children>(self.commands, parent);
        }
        self.children_written.add(row.archetype);
    }

    /// Whether an entity should have the component and has not.
    fn lacks_children(&self, row: Row) -> bool {
        if self.tracker[row.archetype].mask.has(Mask::CHILDREN) {
            return false;
        }
        let slot = self.hierarchy.forest.slot(row);
        slot != NONE && self.hierarchy.forest.has_children(slot)
    }

    /// Adds the component to a parent that lacks it.
    fn give_children(&mut self, row: Row) {
        if !self.lacks_children(row) {
            return;
        }
        let parent = self.entity(row);
        let forest = &self.hierarchy.forest;
        let mut children = Children::new();
        children.0.extend(forest.children(forest.slot(row)).map(|child| self.entity(forest.row(child))));
        self.commands.add_component(parent, children);
    }
}

/// Takes children out of a list; the others keep their order.
fn lose(children: &mut Children, lost: &[Entity]) {
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
    let is_in = |step: &[Entity; STEP]| step.iter().fold(false, |any, other| any | (other == child));
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
    if sought.len() * children.len() <= FEW_COMPARISONS {
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
        let mut filter = Self { sorted, table: vec![false; (entities.len() * 64).next_power_of_two().min(1 << 16)] };
        entities.iter().for_each(|entity| {
            let bits = filter.bits(entity);
            filter.table[bits] = true;
        });
        filter
    }

    /// The lowest bits, with those above them: Legion gives out numbers one by one or, to entities spawned alone, by sixteens.
    fn bits(&self, entity: &Entity) -> usize {
        let number = captured(entity);
        (number ^ (number >> 4)) as usize & (self.table.len() - 1)
    }

    fn may_have(&self, entity: &Entity) -> bool {
        self.table[self.bits(entity)]
    }

    fn has(&self, entity: &Entity) -> bool {
        self.may_have(entity) && self.sorted.binary_search_by_key(&captured(entity), captured).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use legion::World;

    use super::*;

    /// Lists of up to 40 children and larger ones, from which every `step`th of those from `first` on goes.
    #[test]
    fn what_is_left_keeps_its_order() {
        let mut world = World::default();
        let all: Vec<Entity> = (0..300).map(|_| world.push(())).collect();
        for (len, first, step) in (0..=40)
            .chain([200, 300])
            .flat_map(|len| (0..7).flat_map(move |first| (1..9).map(move |step| (len, first, step))))
        {
            let list = &all[..len];
            let mut lost: Vec<Entity> = list.iter().skip(first).step_by(step).copied().collect();
            lost.reverse();
            let mut children: Children = list.iter().copied().collect();
            lose(&mut children, &lost);
            assert!(children.into_iter().eq(list.iter().filter(|child| !lost.contains(child))), "{len} {first} {step}");
        }
    }
}
