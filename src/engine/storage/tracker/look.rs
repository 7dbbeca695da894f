//! A look: the events since the last one are replayed, then versions are compared with those of the
//! last look.
//!
//! ```text
//!   span     = the events since the last look
//!      |
//!      +-- complete ----> replay: the row map follows event by event          exact
//!      +-- lost, or
//!      |   it does not fit > rebuild: the row map is compared row by row      not exact
//!      |
//!   each archetype with transform components:
//!      version as before                                    nothing
//!      version bumped, the closing rule explains it         inserted
//!      version bumped, perhaps by an insertion alone        perhaps written
//!      version bumped otherwise                             written
//! ```
//!
//! After a rebuild all columns of an archetype that entities came to or went from count as written.

use legion::{Entity, World};

use super::{By, ChangeTracker, Follow, Parked};
use crate::engine::storage::{
    closing::{Closing, Origin},
    columns::{Columns, Damage, Row},
    log::{Burst, Calls, EventKind, Span},
    mask::Mask,
    row_map::Unsound,
    sheet::ArchetypeSheet,
};

impl ChangeTracker {
    /// Looks at what has happened since the last look, and brings `follower` in line with the rows.
    /// Call before anything of the bundle's own in a step. News adds up over several looks, until
    /// [`acknowledge`](Self::acknowledge).
    ///
    /// `closes`: whether the [closing rule](Closing) distinguishes insertions from writes, and
    /// [edits in place](super::edits), too, until the next look.
    ///
    /// Returns how many archetypes anything has happened to. If the counter of versions has not
    /// risen and there were no events, a look costs no more than to see that.
    ///
    /// # Errors
    /// If a column is not as long as its archetype, or an entity stands in two rows: such rows
    /// could not be read and written. Drop the tracker then.
    pub fn look(
        &mut self,
        world: &mut World,
        follower: &mut impl Follow,
        by: By,
        closes: bool,
    ) -> Result<usize, Damage> {
        self.notes_edits = closes;
        debug_assert!(!self.has_bumped, "the bundle's own writes are settled before others' come");
        let is_own = by == By::Bundle;
        let span = self.log.read(world);
        let entities = world.len();
        // A removal that a panic has cut short may show in the number of entities alone.
        if self.is_started && span.is_nothing() && self.entities == entities {
            self.log.give_back(world, span);
            return Ok(self.touched.len());
        }
        let columns = Columns::new(world);
        self.meet_new_archetypes(&columns);
        // With 100 entities at the last look, and 3 inserted and 1 removed since, there must
        // be 102 now. An edit that a panic has cut short shows here: Legion counts entities
        // apart from its archetypes.
        let is_known = self.is_started && !span.is_lost;
        let is_whole = is_known && self.entities as isize + span.gained() == entities as isize;
        let is_exact = is_whole && self.replay(&columns, &span, follower).is_ok();
        let mut damage = None;
        if !is_exact {
            damage = self.rebuild(&columns, follower).or(self.check_places(&columns, entities));
        }
        if !is_own {
            let sheets = &self.sheets;
            let has_parent =
                |at| sheets.get(at as usize).is_some_and(|it| it.mask.has(Mask::PARENT));
            self.is_whole &= is_exact;
            let calls = self.is_whole.then(|| Calls::of(&span.events, has_parent));
            self.calls = calls.unwrap_or_default();
        }
        self.closing.forget(self.sheets.len());
        if closes {
            let bumps = span.from.bumps..span.to.bumps;
            self.closing.close(span.bursts(), bumps, |at| self.sheets[at as usize].components);
        }
        for number in 0..self.relevant.len() {
            let archetype = self.relevant[number];
            damage = self.compare(&columns, archetype, is_exact, is_own).or(damage);
            let sheet = &self.sheets[archetype as usize];
            if sheet.is_touched() {
                self.touch(archetype);
            }
        }
        let origin = |archetype, now| origin(&self.closing, archetype, now, is_exact, is_own);
        for watched in &mut self.watched {
            damage = watched.look(&columns, origin).or(damage);
        }
        (self.entities, self.is_started) = (entities, true);
        self.log.give_back(world, span);
        damage.map_or(Ok(self.touched.len()), Err)
    }

    /// Makes a sheet for each archetype that was made since the last look.
    fn meet_new_archetypes(&mut self, columns: &Columns<'_>) {
        for (index, archetype) in columns.archetypes().iter().enumerate().skip(self.sheets.len()) {
            let layout = archetype.layout();
            let sheet = ArchetypeSheet::new(layout, (self.meaning_of)(layout));
            if sheet.is_relevant() {
                self.relevant.push(index as u32);
                let watched = self.watched.iter_mut();
                watched.for_each(|it| it.meet(index as u32, layout));
            }
            self.sheets.push(sheet);
        }
        self.row_map.set_archetypes(self.sheets.len());
    }

    /// Brings the row map up to date by the events of a span.
    ///
    /// # Errors
    /// If an event cannot have happened, or an archetype has another length than the row map then.
    fn replay(
        &mut self,
        columns: &Columns<'_>,
        span: &Span,
        follower: &mut impl Follow,
    ) -> Result<(), Unsound> {
        for (&Burst { kind, archetype, .. }, entities, edited) in span.events.behind(span.from) {
            // Where a subscriber panicked, an archetype may have been announced and never made.
            let sheet = self.sheets.get(archetype as usize);
            if sheet.is_none_or(|sheet| !sheet.is_relevant()) {
                if kind == EventKind::Inserted {
                    follower.come_bare(entities);
                }
                continue;
            }
            for &entity in entities {
                match kind {
                    EventKind::Inserted => self.insert(entity, archetype, None, follower)?,
                    EventKind::Removed => {
                        let (row, last) = self.remove(entity, archetype, follower)?;
                        self.sheets[archetype as usize].remove(row, last);
                    }
                    EventKind::Created | EventKind::Edited => {}
                    EventKind::Linked | EventKind::Listed => {}
                }
            }
            let (sheet, rows) = (&mut self.sheets[archetype as usize], self.row_map.len(archetype));
            if edited.iter().any(|row| *row as usize >= rows) {
                return Err(Unsound);
            }
            edited.iter().for_each(|row| _ = sheet.due.insert(*row));
        }
        let fits = |&at: &u32| self.row_map.len(at) == columns.entities(at).len();
        if self.relevant.iter().all(fits) { Ok(()) } else { Err(Unsound) }
    }

    /// An entity came to an archetype, with what was kept for it if it was parked. After a rebuild,
    /// which parked entities from the number `rebuilt` on, one that is found in its old row has not
    /// arrived.
    fn insert(
        &mut self,
        entity: Entity,
        archetype: u32,
        rebuilt: Option<usize>,
        follower: &mut impl Follow,
    ) -> Result<(), Unsound> {
        let (row, parked) = self.row_map.insert(entity, archetype)?;
        let (to, sheet) = (Row { archetype, row }, &mut self.sheets[archetype as usize]);
        let mut parked = parked.map(|at| (at as usize, &mut self.parked[at as usize]));
        let is_back = parked.as_ref().is_some_and(|(at, parked)| {
            rebuilt.is_some_and(|first| *at >= first) && parked.from == to
        });
        let kept = parked.as_mut().and_then(|(_, parked)| parked.kept.take());
        follower.come(entity, to, sheet.mask, kept, is_back);
        if !is_back {
            sheet.recent.insert(row);
        }
        Ok(())
    }

    /// An entity went from an archetype. What is kept for it waits for it. Returns the row that it
    /// had, and the last one, which took its place.
    fn remove(
        &mut self,
        entity: Entity,
        archetype: u32,
        follower: &mut impl Follow,
    ) -> Result<(u32, u32), Unsound> {
        let row = self.row_map.remove(entity, archetype, self.parked.len() as u32)?;
        let (from, last) = (Row { archetype, row }, self.row_map.len(archetype) as u32);
        self.parked.push(Parked { entity, from, kept: Some(follower.leave(from, last)) });
        self.sheets[archetype as usize].has_left = true;
        Ok((row, last))
    }

    /// Compares the row map with the entities of the archetypes, row by row. All rows from the
    /// first difference on are taken away, last to first, and the entities of now come to them:
    ///
    /// ```text
    ///  row map         a b c d        archetype   a d c
    ///  taken away     d, c, b        parked, with what is kept for them
    ///  come           d, c           b stays parked; c is back in its row and has not arrived
    /// ```
    ///
    /// Returns an entity that stands in two rows, if any does.
    fn rebuild(&mut self, columns: &Columns<'_>, follower: &mut impl Follow) -> Option<Damage> {
        #[cfg(test)]
        {
            self.rebuilds += 1;
        }
        let first = self.parked.len();
        for number in 0..self.relevant.len() {
            let archetype = self.relevant[number];
            let entities = columns.entities(archetype).iter();
            let stands = |&(row, entity): &(u32, &Entity)| {
                self.row_map.entity(Row { archetype, row }) == Some(*entity)
            };
            let same = (0..).zip(entities).take_while(stands).count();
            while self.row_map.len(archetype) > same {
                let row = self.row_map.len(archetype) as u32 - 1;
                let last = self.row_map.entity(Row { archetype, row });
                last.and_then(|last| self.remove(last, archetype, follower).ok())?;
            }
        }
        let others = (0..).zip(&self.sheets).filter(|(_, sheet)| !sheet.is_relevant());
        others.for_each(|(archetype, _)| follower.come_bare(columns.entities(archetype)));
        let mut duplicate = None;
        for number in 0..self.relevant.len() {
            let archetype = self.relevant[number];
            let (now, same) = (columns.entities(archetype), self.row_map.len(archetype));
            self.row_map.reserve(archetype, now.len());
            for &entity in &now[same..] {
                if self.insert(entity, archetype, Some(first), follower).is_err() {
                    duplicate = Some(Damage::Duplicate { entity });
                }
            }
        }
        duplicate
    }

    /// Compares the versions of an archetype with those of the last look, and the lengths of its
    /// columns with its own. Returns a column of another length, if there is one.
    ///
    /// Where they are perhaps written, inputs, relations and matrices of the user's own count as
    /// written; other derived columns are scrubbed.
    fn compare(
        &mut self,
        columns: &Columns<'_>,
        archetype: u32,
        is_exact: bool,
        is_own: bool,
    ) -> Option<Damage> {
        let mut damage = None;
        let sheet = &mut self.sheets[archetype as usize];
        let len = columns.entities(archetype).len();
        let versions = sheet.mask.iter().map(|it| columns.version_and_len(it, archetype).0);
        self.closing.weigh(archetype, versions);
        for (number, component) in sheet.mask.iter().enumerate() {
            let (now, rows) = columns.version_and_len(component, archetype);
            if std::mem::replace(&mut sheet.versions[number], now) != now {
                match origin(&self.closing, archetype, now, is_exact, is_own) {
                    Origin::Inserted => {}
                    Origin::InDoubt if sheet.derived().has(component) => sheet.doubt(len),
                    _ => sheet.written |= component,
                }
            }
            // A row source can take a column away, with no event and no version that is bumped.
            if rows != len {
                damage = Some(Damage::Column { archetype, component: component.name() });
            }
        }
        let is_edited = std::mem::take(&mut sheet.edits) > 0;
        if !is_exact && (is_edited || sheet.has_other_members()) {
            sheet.written |= sheet.mask;
        }
        damage
    }
}

/// How a column of an archetype got the version that it has `now`, which is different from that at
/// the last look.
fn origin(closing: &Closing, archetype: u32, now: u64, is_exact: bool, is_own: bool) -> Origin {
    match (is_exact, is_own) {
        (true, true) => Origin::Inserted,
        (true, false) => closing.origin(archetype, now),
        (false, _) => Origin::Written,
    }
}
