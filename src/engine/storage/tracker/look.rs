//! A look: the events since the last one are replayed, then versions are compared with those last seen.
//!
//! ```text
//!  span     = the events since the last look
//!     |
//!     +-- complete ----> replay: the roster follows event by event          exact
//!     +-- lost, or
//!     |   it does not fit > rebuild: the roster is compared row by row      not exact
//!     |
//!  each archetype with transform components:
//!     version as before                                    nothing
//!     version bumped, the closing rule explains it         inserted
//!     version bumped, perhaps by an insertion alone        in doubt
//!     version bumped otherwise                             written
//! ```
//!
//! After a rebuild nothing is known of the order of events. So all columns of an archetype that
//! entities came to or went from count as written.

use legion::{Entity, World};

use super::{By, ChangeTracker, Departure, Follow, Parked};
use crate::engine::{
    accelerators::Accelerator,
    storage::{
        closing::{Closing, Origin},
        columns::{Columns, Damage, Row},
        log::{EventKind, Span},
        mask::Mask,
        roster::{Inserted, Removed, Unsound},
        sheet::ArchetypeSheet,
    },
};

impl ChangeTracker {
    /// One look. `follower` is brought in line with the rows.
    pub(super) fn look(
        &mut self,
        world: &mut World,
        follower: &mut impl Follow,
        by: By,
    ) -> Result<usize, Damage> {
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
        self.closing.forget(self.sheets.len());
        if Accelerator::Closing.is_on() {
            let bumps = span.from.bumps..span.to.bumps;
            self.closing.close(span.bursts(), bumps, |at| self.sheets[at as usize].components);
        }
        for number in 0..self.relevant.len() {
            let archetype = self.relevant[number];
            damage = self.compare(&columns, archetype, is_exact, is_own).or(damage);
            let sheet = &self.sheets[archetype as usize];
            if sheet.is_touched() || sheet.is_scrubbed() {
                self.touch(archetype);
            }
        }
        let origin = |archetype, now| origin(&self.closing, (archetype, now), is_exact, is_own);
        for watched in &mut self.watched {
            damage = watched.look(&columns, origin).or(damage);
        }
        self.sort();
        for &archetype in &self.touched {
            follower.set_row_count(archetype, self.roster.len(archetype));
        }
        (self.entities, self.is_started) = (entities, true);
        self.log.give_back(world, span);
        damage.map_or(Ok(self.touched.len()), Err)
    }

    /// Makes a sheet for each archetype that was made since the last look.
    fn meet_new_archetypes(&mut self, columns: &Columns<'_>) {
        for (index, archetype) in columns.archetypes().iter().enumerate().skip(self.sheets.len()) {
            let types = archetype.layout().component_types();
            let mask = Mask::of(archetype.layout());
            let owned = (self.owned)(mask, types);
            let sheet = ArchetypeSheet::new(mask, owned, types.len() as u64);
            if sheet.is_relevant() {
                self.relevant.push(index as u32);
                let watched = self.watched.iter_mut();
                watched.for_each(|it| it.meet(index as u32, archetype.layout()));
            }
            self.sheets.push(sheet);
        }
        self.roster.set_archetypes(self.sheets.len());
    }

    /// Brings the roster up to date by the events of a span.
    ///
    /// # Errors
    /// If an event cannot have happened, or an archetype has another length than the roster then.
    fn replay(
        &mut self,
        columns: &Columns<'_>,
        span: &Span,
        follower: &mut impl Follow,
    ) -> Result<(), Unsound> {
        for (burst, entities) in span.events.behind(span.from) {
            // Where a subscriber panicked, an archetype may have been announced and never made.
            let sheet = self.sheets.get(burst.archetype as usize);
            if sheet.is_none_or(|sheet| !sheet.is_relevant()) {
                continue;
            }
            for &entity in entities {
                match burst.kind {
                    EventKind::Inserted => {
                        let row = self.insert(entity, burst.archetype, follower)?.row;
                        self.arrive(Row { archetype: burst.archetype, row });
                    }
                    EventKind::Removed => self.remove(entity, burst.archetype, follower)?,
                    EventKind::Created => {}
                }
            }
        }
        let fits = |&at: &u32| self.roster.len(at) == columns.entities(at).len();
        if self.relevant.iter().all(fits) { Ok(()) } else { Err(Unsound) }
    }

    /// An entity came to an archetype, with what was kept for it if it was parked.
    fn insert(
        &mut self,
        entity: Entity,
        archetype: u32,
        follower: &mut impl Follow,
    ) -> Result<Inserted, Unsound> {
        let inserted = self.roster.insert(entity, archetype)?;
        let parked = inserted.parked.and_then(|at| self.parked[at as usize].kept.take());
        if let Some(kept) = parked {
            follower.come(Row { archetype, row: inserted.row }, kept);
        }
        Ok(inserted)
    }

    /// The entity of a row has come.
    fn arrive(&mut self, Row { archetype, row }: Row) {
        let recent = &mut self.sheets[archetype as usize].recent;
        recent.replaced.insert(row);
        recent.arrived.insert(row);
    }

    /// An entity went from an archetype. Two rows get another entity, or none: its own, which the
    /// last entity takes, and the last.
    fn remove(
        &mut self,
        entity: Entity,
        archetype: u32,
        follower: &mut impl Follow,
    ) -> Result<(), Unsound> {
        let removed = self.park(entity, archetype, follower)?;
        let last = self.roster.len(archetype) as u32;
        let sheet = &mut self.sheets[archetype as usize];
        sheet.remove(removed.row, last);
        self.replace(Row { archetype, row: removed.row }, Some(entity));
        if removed.filler.is_some() {
            self.replace(Row { archetype, row: last }, removed.filler);
        }
        Ok(())
    }

    /// An entity leaves its row. What is kept for it waits for it.
    fn park(
        &mut self,
        entity: Entity,
        archetype: u32,
        follower: &mut impl Follow,
    ) -> Result<Removed, Unsound> {
        let removed = self.roster.remove(entity, archetype, self.parked.len() as u32)?;
        let last = self.roster.len(archetype) as u32;
        let from = Row { archetype, row: removed.row };
        self.parked.push(Parked { entity, from, kept: Some(follower.leave(from, last)) });
        Ok(removed)
    }

    /// A row gets another entity, or none. `stood` is the entity that was there. Only the entity
    /// that stood in the row at the last pass is a departure. Others came and went in between:
    ///
    /// ```text
    ///  row 1 at the last pass: b     b goes, d takes the row     b's departure from row 1
    ///                                d goes, e takes the row     d's is from row 3, noted before
    /// ```
    fn replace(&mut self, from: Row, stood: Option<Entity>) {
        let sheet = &mut self.sheets[from.archetype as usize];
        let is_first = sheet.recent.replaced.insert(from.row);
        if let (true, Some(entity)) = (is_first, stood) {
            self.recent.push(Departure { entity, from });
        }
    }

    /// Compares the roster with the entities of the archetypes, row by row. All rows from the first
    /// difference on are taken away, last to first, and the entities of now come to them:
    ///
    /// ```text
    ///  roster         a b c d        archetype   a d c
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
                self.roster.entity(Row { archetype, row }) == Some(*entity)
            };
            let same = (0..).zip(entities).take_while(stands).count();
            while self.roster.len(archetype) > same {
                let row = self.roster.len(archetype) as u32 - 1;
                let last = self.roster.entity(Row { archetype, row });
                last.and_then(|last| self.park(last, archetype, follower).ok())?;
            }
        }
        for number in first..self.parked.len() {
            let Parked { entity, from, .. } = self.parked[number];
            if columns.entities(from.archetype).get(from.row as usize) != Some(&entity) {
                self.replace(from, Some(entity));
            }
        }
        let mut duplicate = None;
        for number in 0..self.relevant.len() {
            let archetype = self.relevant[number];
            let (now, same) = (columns.entities(archetype), self.roster.len(archetype));
            self.roster.reserve(archetype, now.len());
            for &entity in &now[same..] {
                let Ok(Inserted { row, parked }) = self.insert(entity, archetype, follower) else {
                    duplicate = Some(Damage::Duplicate { entity });
                    continue;
                };
                let (at, parked) = (Row { archetype, row }, parked.map(|at| at as usize));
                if parked.is_none_or(|it| it < first || self.parked[it].from != at) {
                    self.arrive(at);
                }
            }
        }
        duplicate
    }

    /// Compares the versions of an archetype with those last seen, and the lengths of its columns
    /// with its own. Returns a column of another length, if there is one.
    ///
    /// In doubt, inputs, relations and matrices of the user's own count as written; other derived
    /// columns are scrubbed.
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
                match origin(&self.closing, (archetype, now), is_exact, is_own) {
                    Origin::Inserted => sheet.inserted |= component,
                    Origin::InDoubt if sheet.derived().has(component) => sheet.doubt(len),
                    _ => sheet.written |= component,
                }
            }
            // A row source can take a column away, with no event and no version that is bumped.
            if rows != len {
                damage = Some(Damage::Column { archetype, component: component.name() });
            }
        }
        if !is_exact && (sheet.has_other_members() || sheet.inserted != Mask::NONE) {
            sheet.written = sheet.mask;
        }
        damage
    }

    /// Sorts what the stages go through.
    fn sort(&mut self) {
        for &archetype in &self.touched {
            let recent = &mut self.sheets[archetype as usize].recent;
            recent.replaced.sort();
            recent.arrived.sort();
        }
    }
}

/// How a column of an archetype got the version that it has `now`, which is another one than at the
/// last look.
fn origin(closing: &Closing, (archetype, now): (u32, u64), is_exact: bool, is_own: bool) -> Origin {
    match (is_exact, is_own) {
        (true, true) => Origin::Inserted,
        (true, false) => closing.origin(archetype, now),
        (false, _) => Origin::Written,
    }
}
