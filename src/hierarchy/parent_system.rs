//! Keeps the hierarchy: after each run every entity's `PreviousParent` and `Children` say what the `Parent`s say, in one run
//! and whatever happened since the last.
//!
//! A pass compares the world with its mirror ([`rows`](super::rows)), works out who should hang off whom
//! ([`links`](super::links)) and who is on a cycle ([`cycles`](super::cycles)), replants what moved in the forest
//! ([`forest`](super::forest)), and publishes the result ([`children`](super::children)). Components that have to be
//! added or removed move entities between archetypes, so a second pass follows that finds little more than new rows.

use legion::{Entity, World};

use super::{
    bed::{Bed, Index},
    children::Publication,
    cycles::{Node, on_cycles},
    forest::{CYCLE, Forest, NONE, NOWHERE},
    links::{Candidate, Unlinked, Want},
    planting::{Seedling, Soil},
    rows::Rows,
};
use crate::{
    archetypes::Archetypes,
    findings::Finding,
    layout::Mask,
    raw::slices::{Columns, Row},
    trace::Trace,
};

/// What the hierarchy's system remembers of a world.
#[derive(Default)]
pub(crate) struct ParentSystem {
    pub forest: Forest,
    pub rows: Rows,
    /// The entities on cycles.
    pub cyclic: Vec<Entity>,
    pub(super) unlinked: Unlinked,
    /// What was mended since the findings were last taken.
    pub repaired: Vec<Finding>,
    /// How many links were made or cut in this run.
    pub relinked: usize,
    /// Rows of mirrored archetypes that hold another entity than at the last run, or none then; until somebody takes them.
    /// A row may be listed several times, and no longer be there.
    pub entered: Vec<Row>,
}

/// A candidate that has to hang off something else than it does.
pub(super) struct Change {
    pub entity: Entity,
    pub row: Option<Row>,
    /// Before, and from planting on, after the change.
    pub position: u32,
    pub want: Want,
    pub cyclic: bool,
    /// The parent before, if it hung off one.
    pub old_parent: Option<Entity>,
}

impl ParentSystem {
    /// Brings everything up to date. Returns whether anything in the hierarchy had changed.
    pub fn run(&mut self, world: &mut World, archetypes: &mut Archetypes) -> bool {
        let mut any = false;
        loop {
            let mut columns = Columns::new(world);
            let trace = Trace::start("changes");
            let touched = archetypes.look(&columns);
            trace.end(archetypes.relevant(), touched);
            if touched == 0 || !self.is_concerned(archetypes) {
                return any;
            }
            let found = self.rows.compare(&columns, archetypes, &mut self.forest);
            self.entered.extend_from_slice(&found.entered);
            let candidates = self.candidates(&columns, archetypes, &found);
            let mut changes = self.changes(&columns, archetypes, &candidates);
            any |= !changes.is_empty();
            self.relinked += changes.len();
            // Without candidates nobody on a cycle was looked at either, so those that there are last.
            if !candidates.is_empty() {
                self.close_cycles(&columns, archetypes, &mut changes);
            }
            self.replant(&columns, &mut changes);
            let operations =
                Publication::new(self, &mut columns, archetypes).publish(&candidates, &changes, &found.suspects);
            self.drop_unneeded(&columns, &candidates, &changes);
            if self.forest.is_overgrown() {
                self.replant_all(&columns);
            }
            if operations.is_empty() {
                return any;
            }
            any = true;
            operations.into_iter().for_each(|operation| operation.apply(world));
        }
    }

    /// Whether any archetype that matters to the hierarchy was touched.
    fn is_concerned(&self, archetypes: &Archetypes) -> bool {
        let relations = archetypes.having(Mask::RELATIONS).any(|index| archetypes[index].is_changed(Mask::RELATIONS));
        relations || !self.unlinked.is_empty()
    }

    /// The candidates that have to hang off something else than they do.
    fn changes(&mut self, columns: &Columns<'_>, archetypes: &Archetypes, candidates: &[Candidate]) -> Vec<Change> {
        let mut changes = Vec::new();
        for candidate in candidates {
            let want = self.want(columns, archetypes, candidate);
            if let Want::Repair(kind, parent) = want {
                self.repaired.push(Finding { kind, entity: candidate.entity, related: Some(parent) });
            }
            let position = candidate.position;
            let (linked, cyclic) = match position {
                NONE => (false, false),
                _ => (self.forest.is_linked(position), self.forest.is_cyclic(position)),
            };
            let changed = match want {
                Want::Link(parent, row) => {
                    let wanted = self.rows.position(parent, row);
                    cyclic || !linked || wanted == NONE || self.forest.parents[position as usize] != wanted
                }
                Want::Root => linked || cyclic,
                Want::Repair(..) => true,
            };
            if changed {
                let old_parent = if linked { self.parent_entity(columns, position) } else { None };
                changes.push(Change {
                    entity: candidate.entity,
                    row: candidate.row,
                    position,
                    want,
                    cyclic: false,
                    old_parent,
                });
            }
        }
        changes
    }

    /// The entity above a linked position, if it is alive.
    fn parent_entity(&self, columns: &Columns<'_>, position: u32) -> Option<Entity> {
        let row = self.forest.rows[self.forest.parents[position as usize] as usize];
        (row != NOWHERE).then(|| columns.entities(row.archetype)[row.row as usize])
    }

    /// Marks the changes on cycles, and adds entities that did not change but are on one now.
    fn close_cycles(&mut self, columns: &Columns<'_>, archetypes: &mut Archetypes, changes: &mut Vec<Change>) {
        let mut index = Index::default();
        for (number, change) in changes.iter().enumerate() {
            index.insert(change.entity, change.position, number as u32);
        }
        let targets: Vec<Option<Node>> = changes.iter().map(|change| self.target(&index, change)).collect();
        let starts: Vec<Node> = (0..changes.len() as u32)
            .filter(|&number| targets[number as usize].is_some())
            .map(|number| index.node(changes[number as usize].position, number))
            .collect();
        let members = on_cycles(&mut self.forest, changes.len(), starts.into_iter(), |node| {
            index.change(node).map(|number| targets[number as usize])
        });
        self.cyclic.clear();
        for node in members {
            let number = index.change(node).unwrap_or_else(|| {
                let Node::Planted(position) = node else { unreachable!("only changes are new") };
                let row = self.forest.rows[position as usize];
                let entity = columns.entities(row.archetype)[row.row as usize];
                let old_parent = self.parent_entity(columns, position);
                changes.push(Change { entity, row: Some(row), position, want: Want::Root, cyclic: true, old_parent });
                changes.len() as u32 - 1
            });
            changes[number as usize].cyclic = true;
            self.cyclic.push(changes[number as usize].entity);
        }
        self.cyclic.sort_unstable_by_key(crate::raw::slices::captured);
        for change in changes.iter() {
            // Whether `ParentScaleInverse` counts depends on the link.
            let Some(row) = change.row else { continue };
            let archetype = &mut archetypes[row.archetype];
            archetype.stale |= archetype.mask.has(Mask::PARENT_SCALE_INVERSE);
        }
    }

    /// What a change wants its entity to hang off.
    fn target(&self, index: &Index, change: &Change) -> Option<Node> {
        let Want::Link(parent, row) = change.want else { return None };
        match self.rows.position(parent, row) {
            NONE => index.new.get(&parent).map(|&number| Node::New(number)),
            position => Some(Node::Planted(position)),
        }
    }

    /// Cuts what changed off and plants what has a new place.
    fn replant(&mut self, columns: &Columns<'_>, changes: &mut [Change]) {
        for change in &*changes {
            if change.position != NONE {
                self.forest.cut(change.position);
            }
        }
        let mut bed = Bed::default();
        for change in &*changes {
            bed.dig_up(&mut self.forest, change);
        }
        bed.aim(self);
        for &position in bed.moved.keys() {
            self.forest.dig(position as u32);
        }
        self.forest.plant(&mut bed.seedlings);
        for seedling in &bed.seedlings {
            let entity = columns.entities(seedling.row.archetype)[seedling.row.row as usize];
            self.rows.set_position(entity, seedling.row, seedling.position);
        }
        for change in changes {
            if let Some(row) = change.row {
                change.position = self.rows.position(change.entity, row);
            }
        }
    }

    /// Plants everything afresh, in the order in which it is stored.
    fn replant_all(&mut self, columns: &Columns<'_>) {
        let mut order: Vec<u32> = (0..self.forest.len() as u32).filter(|&position| !self.forest.is_hole(position)).collect();
        order.sort_unstable_by_key(|&position| self.forest.rows[position as usize]);
        let mut numbers = vec![NONE; self.forest.len()];
        for (number, &position) in order.iter().enumerate() {
            numbers[position as usize] = number as u32;
        }
        let old = std::mem::take(&mut self.forest);
        let soil = |position: u32| match old.parents[position as usize] {
            NONE => Soil::Root,
            CYCLE => Soil::Cycle,
            parent => Soil::Seedling(numbers[parent as usize]),
        };
        let seedling = |&position: &u32| Seedling { row: old.rows[position as usize], soil: soil(position), position: NONE };
        let mut seedlings: Vec<Seedling> = order.iter().map(seedling).collect();
        self.forest.plant(&mut seedlings);
        self.forest.dirty.clear_all();
        for (seedling, &position) in seedlings.iter().zip(&order) {
            let entity = columns.entities(seedling.row.archetype)[seedling.row.row as usize];
            self.rows.set_position(entity, seedling.row, seedling.position);
            self.forest.inherit(seedling.position, &old, position);
        }
    }

    /// Takes out what has neither a parent nor children any more.
    fn drop_unneeded(&mut self, columns: &Columns<'_>, candidates: &[Candidate], changes: &[Change]) {
        let old_parents = changes.iter().filter_map(|change| change.old_parent);
        let alive = candidates.iter().filter(|candidate| candidate.row.is_some()).map(|candidate| candidate.entity);
        for entity in alive.chain(old_parents) {
            let Some(row) = columns.locate(entity) else { continue };
            let position = self.rows.position(entity, row);
            if position != NONE && !self.forest.is_needed(position) {
                self.forest.remove(position);
                self.rows.set_position(entity, row, NONE);
            }
        }
        for candidate in candidates.iter().filter(|candidate| candidate.row.is_none() && candidate.position != NONE) {
            self.forest.remove(candidate.position);
        }
        self.forest.clear_if_empty();
    }
}
