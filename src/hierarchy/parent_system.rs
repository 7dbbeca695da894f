//! Keeps the hierarchy: after each run every entity's `PreviousParent` and `Children` say what the `Parent`s say, in one run
//! and whatever happened since the last.
//!
//! A pass compares the world with its mirror ([`rows`](super::rows)), works out who should hang off whom
//! ([`links`](super::links)) and who is on a cycle ([`cycles`](super::cycles)), replants what moved in the forest
//! ([`replant`](super::replant)), and publishes the result ([`children`](super::children)). Components that have to be
//! added or removed move entities between archetypes, so a second pass follows that finds little more than new rows.

use legion::{Entity, World};

use super::{
    children::Publication,
    cycles::{Links, Node},
    forest::{Forest, NONE, NOWHERE},
    links::{Candidate, Unlinked, Want},
    locate::Locator,
    numbers::Numbers,
    rows::Rows,
};
use crate::{
    archetypes::{Archetypes, DamagedColumn},
    components::Parent,
    findings::Finding,
    layout::Mask,
    raw::slices::{Columns, Row, captured},
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
    /// The entities that stand in a second row, where Legion does not find them.
    pub duplicates: Vec<Entity>,
    /// What was mended since the findings were last taken.
    pub repaired: Vec<Finding>,
    /// How many links were made or cut in this run.
    pub relinked: usize,
    /// Of whatever a step of a pass goes through.
    pub(super) numbers: Numbers,
}

/// A candidate that has to hang off something else than it does.
pub(super) struct Change {
    pub entity: Entity,
    /// [`NOWHERE`] for a dead one.
    pub row: Row,
    /// Before the change.
    pub position: u32,
    pub want: Want,
    pub cyclic: bool,
    /// The parent before; [`NOWHERE`] if it hung off none, or the parent is dead.
    pub old_parent: Row,
}

impl Change {
    pub fn is_dead(&self) -> bool {
        self.row == NOWHERE
    }

    /// Whether something hung off the entity before the change.
    pub fn had_children(&self, forest: &Forest) -> bool {
        self.position != NONE && forest.child_counts[self.position as usize] > 0
    }
}

impl ParentSystem {
    /// Brings everything up to date. Returns whether anything in the hierarchy had changed.
    ///
    /// # Errors
    /// If a column of the world is damaged, before anything is written in this pass.
    pub fn run(&mut self, world: &mut World, archetypes: &mut Archetypes) -> Result<bool, DamagedColumn> {
        let mut any = false;
        loop {
            let mut columns = Columns::new(world);
            let trace = Trace::start("changes");
            let touched = archetypes.look(&columns)?;
            trace.end(archetypes.relevant(), touched);
            if touched == 0 || !self.is_concerned(archetypes) {
                return Ok(any);
            }
            let mut found = self.rows.compare(&columns, archetypes, &mut self.forest);
            self.set_duplicates_aside(&columns, archetypes, &mut found);
            let candidates = self.candidates(&columns, archetypes, &found);
            let mut changes = self.changes(&columns, archetypes, &candidates);
            any |= !changes.is_empty();
            self.relinked += changes.len();
            // Without candidates nobody on a cycle was looked at either, so those that there are last.
            if !candidates.is_empty() {
                self.close_cycles(&columns, archetypes, &mut changes);
            }
            self.replant(&columns, &candidates, &changes);
            let operations = Publication::new(self, &mut columns, archetypes).publish(&candidates, &changes, &found);
            self.drop_unneeded(&columns, &candidates, &changes);
            if self.forest.is_overgrown() {
                self.replant_all(&columns);
            }
            if operations.is_empty() {
                return Ok(any);
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
        let mut changes = Vec::with_capacity(candidates.len());
        let mut locator = Locator::default();
        for candidates in candidates.chunk_by(|a, b| a.row.archetype == b.row.archetype) {
            let parents = if candidates[0].is_dead() { &[] } else { columns.read::<Parent>(candidates[0].row.archetype) };
            for candidate in candidates {
                let want = self.want(columns, archetypes, &mut locator, (candidate, parents));
                changes.extend(self.change(columns, candidate, want));
            }
        }
        changes
    }

    /// What changes for a candidate, if anything does.
    fn change(&self, columns: &Columns<'_>, candidate: &Candidate, want: Want) -> Option<Change> {
        let &Candidate { entity, row, position } = candidate;
        let (linked, cyclic) = match position {
            NONE => (false, false),
            _ => (self.forest.is_linked(position), self.forest.is_cyclic(position)),
        };
        let wanted = if let Want::Link(parent) = want { self.rows.position(columns, parent) } else { NONE };
        let changed = match want {
            Want::Link(_) => cyclic || !linked || wanted != self.forest[position].parent,
            Want::Root => linked || cyclic,
            Want::Repair => true,
        };
        if changed {
            self.forest.expect(wanted);
        }
        if linked {
            self.forest.expect(self.forest[position].parent);
        }
        let old_parent = if linked { self.parent_row(position) } else { NOWHERE };
        changed.then_some(Change { entity, row, position, want, cyclic: false, old_parent })
    }

    /// The row of the entity above a linked position.
    fn parent_row(&self, position: u32) -> Row {
        self.forest[self.forest[position].parent].row
    }

    /// Marks the changes on cycles, and adds entities that did not change but are on one now.
    fn close_cycles(&mut self, columns: &Columns<'_>, archetypes: &mut Archetypes, changes: &mut Vec<Change>) {
        for (number, change) in changes.iter().enumerate().filter(|(_, change)| !change.is_dead()) {
            self.numbers.set(columns, change.row, number);
        }
        let links = Links { columns, rows: &self.rows, changes, numbers: &self.numbers };
        let members = links.on_cycles(&mut self.forest);
        self.cyclic.clear();
        for node in members {
            let number = match node {
                Node::Changed(number) => number as usize,
                Node::Planted(position) => {
                    let row = self.forest[position].row;
                    let entity = columns.entities(row.archetype)[row.row as usize];
                    let old_parent = self.parent_row(position);
                    changes.push(Change { entity, row, position, want: Want::Root, cyclic: true, old_parent });
                    changes.len() - 1
                }
            };
            changes[number].cyclic = true;
            self.cyclic.push(changes[number].entity);
        }
        self.cyclic.sort_unstable_by_key(captured);
        for changes in changes.chunk_by(|a, b| a.row.archetype == b.row.archetype).filter(|changes| !changes[0].is_dead()) {
            // Whether `ParentScaleInverse` counts depends on the link.
            let archetype = &mut archetypes[changes[0].row.archetype];
            archetype.relinked |= archetype.mask.has(Mask::PARENT_SCALE_INVERSE);
        }
    }
}
