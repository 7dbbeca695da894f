//! Publishes `PreviousParent`: on everything with a link its parent, on cycles nothing, and gone
//! from everything else.

use legion::Entity;

use super::{
    super::{
        change::{Candidates, LinkChange, LinkChanges, LinkTarget},
        diff::{Diff, RowRange},
    },
    Publisher,
};
use crate::{
    components::{Parent, PreviousParent},
    forest::NONE,
    storage::columns::Row,
    storage::mask::Mask,
};

impl Publisher<'_, '_> {
    /// Brings `PreviousParent` in line with the links.
    pub(super) fn publish_previous(
        &mut self,
        candidates: &Candidates,
        changes: &LinkChanges,
        diff: &Diff,
    ) {
        self.remove_from_strangers();
        for changes in changes.list.chunk_by(|a, b| a.row.archetype == b.row.archetype) {
            self.set_changed(changes);
        }
        for range in &diff.entered {
            self.check_previous(range.archetype, range.iter());
        }
        for rows in diff.reparented.chunk_by(|a, b| a.archetype == b.archetype) {
            self.check_previous(rows[0].archetype, rows.iter().copied());
        }
        for rows in diff.previous.chunk_by(|a, b| a.archetype == b.archetype) {
            self.set_previous(rows);
        }
        self.add_previous(candidates, diff);
    }

    /// Removes the component from entities without `Parent`.
    fn remove_from_strangers(&mut self) {
        for index in self.tracker.having(Mask::PREVIOUS_PARENT) {
            let archetype = &self.tracker[index];
            if !archetype.mask.has(Mask::PARENT) && archetype.is_changed(Mask::PREVIOUS_PARENT) {
                for &entity in self.columns.entities(index) {
                    self.commands.remove::<PreviousParent>(entity);
                }
            }
        }
    }

    /// Whether an archetype has `Parent` and `PreviousParent`, which are to agree.
    fn has_both(&self, archetype: u32) -> bool {
        self.tracker[archetype].mask.has(Mask::PARENT | Mask::PREVIOUS_PARENT)
    }

    /// Writes `PreviousParent` of entities of one archetype whose link has changed, if it has the
    /// component.
    fn set_changed(&mut self, changes: &[LinkChange]) {
        let archetype = changes[0].row.archetype;
        if !self.has_both(archetype) {
            return;
        }
        let (parents, previous) = self.columns.read_write::<Parent, PreviousParent>(archetype);
        let mut any = false;
        for change in changes.iter().filter(|change| change.target != LinkTarget::Repair) {
            let row = change.row.row as usize;
            let expected = change.new_parent().map(|_| parents[row].0);
            any |= previous[row].0 != expected;
            previous[row].0 = expected;
        }
        if any {
            self.previous_written.add(archetype);
        }
    }

    /// Looks for wrong ones in rows of one archetype that have another entity or `Parent` than
    /// before.
    fn check_previous(&mut self, archetype: u32, rows: impl Iterator<Item = Row>) {
        if !self.has_both(archetype) {
            return;
        }
        let is_linked = self.tracker[archetype].mask.has(Mask::LINK);
        let (parents, previous) = (
            self.columns.read::<Parent>(archetype),
            self.columns.read::<PreviousParent>(archetype),
        );
        let is_wrong =
            |at: &Row| previous[at.row as usize].0 != is_linked.then(|| parents[at.row as usize].0);
        let wrong: Vec<Row> = rows.filter(is_wrong).collect();
        if !wrong.is_empty() {
            self.set_previous(&wrong);
        }
    }

    /// Writes the right `PreviousParent` into rows of one archetype, if it has the component.
    fn set_previous(&mut self, rows: &[Row]) {
        let archetype = rows[0].archetype;
        if !self.has_both(archetype) {
            return;
        }
        let forest = &self.hierarchy.forest;
        let (parents, previous) = self.columns.read_write::<Parent, PreviousParent>(archetype);
        for &at in rows {
            let (row, slot) = (at.row as usize, forest.slot(at));
            // A link hangs off what `Parent` says.
            let expected = (slot != NONE && forest.is_linked(slot)).then(|| parents[row].0);
            if previous[row].0 != expected {
                previous[row].0 = expected;
                self.previous_written.add(archetype);
            }
        }
    }

    /// Adds `PreviousParent` to entities with a link, or on a cycle, that lack it.
    fn add_previous(&mut self, candidates: &Candidates, diff: &Diff) {
        let lacks = |archetype: u32| {
            let mask = self.tracker[archetype].mask;
            mask.has(Mask::LINK) && !mask.has(Mask::PREVIOUS_PARENT)
        };
        let entered =
            diff.entered.iter().filter(|range| lacks(range.archetype)).flat_map(RowRange::iter);
        let living = candidates
            .living
            .iter()
            .map(|candidate| candidate.row)
            .filter(|row| lacks(row.archetype));
        let mut rows: Vec<Row> = entered.chain(living).collect();
        rows.sort_unstable();
        rows.dedup();
        let forest = &self.hierarchy.forest;
        for row in rows {
            let slot = forest.slot(row);
            let linked = slot != NONE && forest.is_linked(slot);
            if linked || (slot != NONE && forest.is_cyclic(slot)) {
                let parents = self.columns.read::<Parent>(row.archetype);
                let previous: Option<Entity> = linked.then(|| parents[row.row as usize].0);
                self.commands.add(self.columns.entity(row), PreviousParent(previous));
            }
        }
    }
}
