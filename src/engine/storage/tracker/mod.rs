//! The change tracker: what happened to a world since the last run, by archetype and column.
//!
//! Legion bumps a column's version for a write and for an insertion alike. So a *look* reads the
//! versions, and the [log](super::log) of events, which the [row map](super::row_map) replays.
//!
//! ```text
//!                     version   came or went   what the stages do
//!  untouched          same      no             nothing
//!  edited             bumped    no             compose the rows that edits have written
//!  came               bumped    yes            compose, link and verify the new rows alone
//!  perhaps written    bumped    yes            compare inputs, and a portion of the results
//!  written            bumped    maybe          compare inputs; compare results and repair them
//! ```
//!
//! An insertion hides the writes before it. By the [closing rule](super::closing) some columns were
//! bumped by an insertion alone. Others are perhaps written: inputs count as written, and derived
//! columns are [scrubbed](super::sheet). Any other column that was bumped was written.
//!
//! # A tick
//!
//! Calls of the tracker stand on the left. An entity is *recent* news from the look that finds it
//! to the end of the hierarchy's pass; then it is news for all other stages, to the end of the run.
//!
//! ```text
//!  look                 the bundle's first step: writes are found before commands hide them
//!    ...                Legion flushes the users' commands
//!  look                 update_links: what the commands inserted
//!    dead                 a pass: the forest learns who does not come back
//!    recent_arrivals      and who came
//!    bump                 Children and PreviousParent are written
//!  end_pass             recent news becomes news of the run
//!  settle               the pass has written this, and not the user
//!    ...                entities get what they lack, and migrate, if there are any such
//!  look by the bundle     and nothing in them counts as written
//!  trim                 all links are in Children: edits need to know of later ones alone
//!    arrivals, is_due     local composes new and written rows
//!    bump                 local, propagate: matrices are written
//!    world_changes        inverses
//!  acknowledge          all stages are done: nothing is news any more
//!  forget_late            the late ones, too
//! ```
//!
//! With users' systems before composition or propagation, the run is cut there. Frames, inverses
//! and the list of changes follow once, at the end. If the run is cut before propagation, the step
//! before it keeps the news for them:
//!
//! ```text
//!  keep_late        compose, at its beginning: what was written, that entities came or left
//!  bump             the hierarchy: a record was written, for frames
//!  bump_worlds      local, propagate: rows whose world came out with other bits, for inverses
//!  world_changes    inverses: these rows, and those that came or are due; all, if users wrote
//!                   either matrix
//!  forget_late      the end of the run
//! ```

mod edits;
mod follow;
mod links;
mod look;
mod watched;

use legion::{Entity, World, storage::EntityLayout};

use self::{follow::Parked, watched::Watched};
pub(crate) use self::{
    follow::{Follow, Kept},
    links::NewLinks,
};
use super::{
    closing::Closing,
    columns::{Columns, Row},
    log::{Calls, Cursor, LogCursor},
    mask::{Mask, TransformComponent},
    row_map::{LastPage, RowMap},
    sheet::{ArchetypeSheet, Meaning},
};
use crate::{components::LocalToWorld, engine::bits::Bits};

/// What an archetype of these components means.
type MeaningOf = Box<dyn Fn(&EntityLayout) -> Meaning + Send + Sync>;

/// Who has done what a look is to find.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// Users.
    Users,
    /// The bundle itself has migrated entities, before users could do anything: entities came and
    /// went, but no column counts as written.
    Bundle,
}

/// The memory of a world's archetypes between looks; see the [module](self).
pub(crate) struct ChangeTracker {
    log: LogCursor,
    closing: Closing,
    pub(super) row_map: RowMap,
    sheets: Vec<ArchetypeSheet>,
    /// The archetypes that have any of the crate's components or lack a matrix, ascending.
    relevant: Vec<u32>,
    meaning_of: MeaningOf,
    /// Components without a bit.
    watched: Vec<Watched>,
    /// Who left a row since the hierarchy's last pass.
    parked: Vec<Parked>,
    /// The entities of rows without a place, as of the last rebuild.
    unplaced: Vec<Entity>,
    /// How many entities the world had at the last look, those without transform components too.
    entities: usize,
    /// Whether there was a look.
    is_started: bool,
    /// Whether all looks since the last pass have been exact.
    is_whole: bool,
    /// The order of users' calls, for the passes that follow a look.
    pub calls: Calls,
    /// Whether edits in place are distinguished from writes.
    notes_edits: bool,
    /// The archetypes with transform components that something happened to, ascending.
    touched: Vec<u32>,
    /// Whether the bundle has bumped a version since [`settle`](Self::settle).
    has_bumped: bool,
    /// How often the row map was compared with the archetypes.
    #[cfg(test)]
    pub(super) rebuilds: usize,
}

impl ChangeTracker {
    /// Begins to follow a world. The first look finds everything written.
    pub fn new(
        world: &mut World,
        meaning_of: impl Fn(&EntityLayout) -> Meaning + Send + Sync + 'static,
    ) -> Self {
        Self {
            log: LogCursor::of(world),
            closing: Closing::default(),
            row_map: RowMap::default(),
            sheets: Vec::new(),
            relevant: Vec::new(),
            meaning_of: Box::new(meaning_of),
            watched: Vec::new(),
            parked: Vec::new(),
            unplaced: Vec::new(),
            entities: 0,
            is_started: false,
            is_whole: false,
            calls: Calls::default(),
            notes_edits: false,
            touched: Vec::new(),
            has_bumped: false,
            #[cfg(test)]
            rebuilds: 0,
        }
    }

    /// Call at the end of a pass. From now on other stages see these arrivals, and parked entities
    /// count as dead. The links of `relinked` rows changed: if they have `ParentScaleInverse`,
    /// their matrices are due, because only a child's is composed with it.
    pub fn end_pass(&mut self, relinked: impl Iterator<Item = Row>) {
        for row in relinked {
            if self[row.archetype].mask.has(Mask::PARENT_SCALE_INVERSE) {
                self.sheets[row.archetype as usize].due.insert(row.row);
                self.touch(row.archetype);
            }
        }
        self.forget_parked();
        for &archetype in &self.touched {
            let sheet = &mut self.sheets[archetype as usize];
            sheet.arrived.add_all(&sheet.recent);
            sheet.recent.clear();
        }
    }

    /// Call after the bundle's own writes, before anything else happens to the world: the next look
    /// must not take them for the user's.
    pub fn settle(&mut self, world: &mut World) {
        if std::mem::take(&mut self.has_bumped) {
            self.log.settle(world);
        }
    }

    /// Call when all stages have followed the last look, but for the late ones perhaps: nothing is
    /// news any more, the bundle's own writes included. Archetypes of which rows are left to scrub
    /// stay touched.
    pub fn acknowledge(&mut self, world: &mut World) {
        let (sheets, row_map) = (&mut self.sheets, &self.row_map);
        self.touched.retain(|&index| sheets[index as usize].acknowledge(row_map.len(index)));
        self.settle(world);
    }

    /// Call before anything is composed in a step that will not end the run: its news is kept for
    /// frames, inverses and the list of changes.
    pub fn keep_late(&mut self) {
        self.touched.iter().for_each(|&index| self.sheets[index as usize].keep_late());
    }

    /// Call at the end of a run: [late](Self::keep_late) stages have followed, too.
    pub fn forget_late(&mut self) {
        for &index in &self.relevant {
            let sheet = &mut self.sheets[index as usize];
            (sheet.late, sheet.late_came, sheet.late_left) = (Mask::NONE, false, false);
            sheet.late_worlds.clear();
        }
    }

    /// Call when all links are in `Children`: the log begins anew, for edits too. It
    /// [settles](Self::settle) the bundle's own writes. Returns the place of now.
    fn trim(&mut self, world: &mut World) -> Cursor {
        (self.has_bumped, self.is_whole, self.calls) = (false, true, Calls::default());
        self.log.trim(world)
    }

    /// Bumps the version of a component that the bundle has written. The next look does not find
    /// it; call [`settle`](Self::settle) before that. If other components are derived from it, it
    /// counts as written for the stages that follow in this run.
    pub fn bump<T: TransformComponent>(&mut self, columns: &mut Columns<'_>, archetype: u32) {
        columns.bump::<T>(archetype);
        let sheet = &mut self.sheets[archetype as usize];
        sheet.versions[(sheet.mask & T::MASK.below()).len()] =
            columns.version_and_len(T::MASK, archetype).0;
        self.has_bumped = true;
        let sheet = &mut self.sheets[archetype as usize];
        sheet.written |= T::MASK & Mask::DERIVED_INPUTS;
        // Not `written`: the next pass would compare.
        sheet.late |= T::MASK & Mask::PREVIOUS_PARENT;
        if Mask::NEWS.has(T::MASK) {
            self.touch(archetype);
        }
    }

    /// Something has happened to an archetype.
    fn touch(&mut self, archetype: u32) {
        if !std::mem::replace(&mut self.sheets[archetype as usize].is_listed, true) {
            let at = self.touched.partition_point(|&other| other < archetype);
            self.touched.insert(at, archetype);
        }
    }

    /// Where an entity with transform components is.
    pub fn locate(&self, entity: Entity) -> Option<Row> {
        self.row_map.locate(entity)
    }

    /// [`locate`](Self::locate) for many entities whose numbers are near each other.
    pub fn locator(&self) -> impl FnMut(Entity) -> Option<Row> + '_ {
        let mut last = LastPage::default();
        move |entity| self.row_map.locate_near(entity, &mut last)
    }

    /// The entity at a row.
    pub fn entity(&self, row: Row) -> Option<Entity> {
        self.row_map.entity(row)
    }

    /// How many archetypes have transform components.
    pub fn relevant(&self) -> usize {
        self.relevant.len()
    }

    /// Whether anything happened since news was last acknowledged.
    pub fn any_touched(&self) -> bool {
        !self.touched.is_empty()
    }

    /// The archetypes with transform components that something happened to since news was last
    /// acknowledged, ascending.
    pub fn touched(&self) -> impl Iterator<Item = u32> + '_ {
        self.touched.iter().copied()
    }

    /// The archetypes with any of these components, ascending.
    pub fn having(&self, any: Mask) -> impl Iterator<Item = u32> + '_ {
        self.relevant.iter().copied().filter(move |&index| self[index].mask.has_any(any))
    }
}

impl std::ops::Index<u32> for ChangeTracker {
    type Output = ArchetypeSheet;
    fn index(&self, index: u32) -> &ArchetypeSheet {
        &self.sheets[index as usize]
    }
}

/// Where a user writes one of these, any inverse may be wrong.
const WORLDS: Mask = Mask::LOCAL_TO_WORLD.union(Mask::WORLD_TO_LOCAL);

impl ChangeTracker {
    /// [`bump`](Self::bump) of `LocalToWorld`. `words` returns the rows with another world, 64 a
    /// word; it is called only where worlds are inverted.
    pub fn bump_worlds<I: Iterator<Item = (usize, u64)>>(
        &mut self,
        columns: &mut Columns<'_>,
        archetype: u32,
        words: impl FnOnce() -> I,
    ) {
        self.bump::<LocalToWorld>(columns, archetype);
        let sheet = &mut self.sheets[archetype as usize];
        if sheet.inverts() {
            words().for_each(|(word, bits)| _ = sheet.late_worlds.add(word, bits));
        }
    }

    /// The rows whose `WorldToLocal` has to follow, of an archetype where worlds are inverted:
    /// `LocalToWorld` or `WorldToLocal` was written since inverses were last computed, or entities
    /// came.
    pub fn world_changes(&self, archetype: u32) -> Bits {
        let (sheet, len) = (&self.sheets[archetype as usize], self.row_map.len(archetype));
        let mut rows = Bits::default();
        if sheet.was_written(WORLDS) {
            rows.resize(len);
            rows.set_all();
            return rows;
        }
        for set in [&sheet.late_worlds, &sheet.arrived, &sheet.due] {
            if !set.is_unused() {
                rows.resize(len);
                set.rows(len).for_each(|row| rows.set(row));
            }
        }
        rows
    }
}
