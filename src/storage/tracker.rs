//! What changed since the last run, archetype by archetype and column by column: untouched,
//! inserted into, or written.
//!
//! Legion's `maybe_changed` is no help (it misses changes, and in parallel reports them for ever).
//! The [account](super::account) tells insertions from writes; where it cannot, a column counts as
//! written.
//!
//! ```text
//!              membership        columns              what the stages do
//!  untouched   same              as they were         nothing
//!  inserted    new rows, known   as they were, but    only the new rows are composed, linked and verified
//!                                for the new rows
//!  written     any               may differ           inputs are compared, results are compared and repaired
//! ```

use std::{cell::OnceCell, sync::Arc};

use legion::{Entity, World, storage::ComponentTypeId};

use super::{
    account::{Account, Change, WorldLife},
    archetype_snapshot::{ArchetypeSnapshot, Membership},
    columns::{Columns, DamagedColumn, Row, captured},
    mask::{Mask, TransformComponent},
};

/// Locating an entity costs as much as comparing so many rows.
const LOCATING: usize = 32;

/// Tells which of the crate's components the bundle may write in an archetype, from these and all
/// that it has.
pub(crate) type Writable = Box<dyn Fn(Mask, &[ComponentTypeId]) -> Mask + Send>;

/// What is remembered of a world's archetypes.
pub(crate) struct ChangeTracker {
    account: Account,
    all: Vec<ArchetypeSnapshot>,
    /// What [`arrivals`](Self::arrivals) has found since the last look, as several stages ask, by
    /// archetype.
    arrivals: Vec<OnceCell<Option<Arc<[u32]>>>>,
    /// Those that have any of the crate's components.
    relevant: Vec<u32>,
    writable: Writable,
    /// How many of these something has happened to, as of the last look.
    touched: usize,
    /// How often changes have been acknowledged.
    epoch: u64,
    /// Whether the bundle has moved a version since the last look.
    has_bumped: bool,
}

impl ChangeTracker {
    pub fn new(world: &mut World, writable: Writable) -> Self {
        let (all, arrivals, relevant) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            account: Account::open(world),
            all,
            arrivals,
            relevant,
            writable,
            touched: 0,
            epoch: 0,
            has_bumped: false,
        }
    }

    /// Looks at what has happened, and takes note of it until it is
    /// [acknowledged](Self::acknowledge). Returns how many archetypes anything has happened to.
    ///
    /// # Errors
    /// If a column is not as long as its archetype, so that rows could not be read and written.
    /// After a look without an error only a structural change can make it so.
    pub fn detect(&mut self, world: &mut World) -> Result<usize, DamagedColumn> {
        debug_assert!(
            !self.has_bumped,
            "the bundle's own writes are taken over before anything else can write"
        );
        self.account.look(world).map(|has_moved| self.take_note(world, has_moved))
    }

    /// The same, after nothing but structural changes of the bundle's own: no column counts as
    /// written by them.
    pub fn detect_own(&mut self, world: &mut World) -> Result<usize, DamagedColumn> {
        self.account.look_at_own(world).map(|has_moved| self.take_note(world, has_moved))
    }

    fn take_note(&mut self, world: &mut World, has_moved: bool) -> usize {
        if !has_moved {
            return self.touched;
        }
        self.meet_new_archetypes(world);
        let is_complete = self.account.is_complete();
        for &index in self.account.touched() {
            let state = &mut self.all[index as usize];
            state.written |= if is_complete { self.account.written(index) } else { state.mask };
            let (came, went) = self.account.counts(index);
            state.membership = match (came, went) {
                _ if !is_complete => Membership::Unknown,
                (0, 0) => Membership::Same,
                (came, went) => Membership::Known { came, went },
            };
            state.events.clear();
            self.arrivals[index as usize].take();
        }
        self.sort_events();
        self.touched =
            self.relevant.iter().filter(|&&index| self.all[index as usize].is_touched()).count();
        if self.touched == 0 {
            self.account.forget_entities();
        }
        self.touched
    }

    /// Hands each archetype in which entities came and went its part of what happened, in one pass
    /// over all of it.
    fn sort_events(&mut self) {
        for (change, archetype, entities) in self.account.came_and_went() {
            let state = &mut self.all[archetype as usize];
            if matches!(state.membership, Membership::Known { came: 1.., went: 1.. }) {
                state.events.extend(entities.iter().map(|&entity| (entity, change)));
            }
        }
    }

    fn meet_new_archetypes(&mut self, world: &mut World) {
        let columns = Columns::new(world);
        for (index, archetype) in columns.archetypes().iter().enumerate().skip(self.all.len()) {
            let mask = Mask::of(archetype.layout());
            if mask != Mask::NONE {
                self.relevant.push(index as u32);
            }
            self.all.push(ArchetypeSnapshot::new(
                mask,
                (self.writable)(mask, archetype.layout().component_types()),
            ));
            self.arrivals.push(OnceCell::new());
        }
    }

    /// The rows of the entities that came into an archetype, ascending; `None` if that is not known
    /// of all of them.
    pub fn arrivals(&self, columns: &Columns<'_>, archetype: u32) -> Option<Arc<[u32]>> {
        if !self[archetype].has_other_members() {
            return Some(Arc::default());
        }
        let found = self.arrivals[archetype as usize]
            .get_or_init(|| self.find_arrivals(columns, archetype).map(Arc::from));
        found.clone()
    }

    fn find_arrivals(&self, columns: &Columns<'_>, archetype: u32) -> Option<Vec<u32>> {
        let (came, went) = self[archetype].known_membership()?;
        let len = columns.entities(archetype).len();
        if went == 0 || came == 0 {
            return Some((len.checked_sub(came)? as u32..len as u32).collect());
        }
        let mut events = Vec::with_capacity(self[archetype].events.len());
        // Copied: to clone an entity is to ask Legion whether a merge renames it.
        events.extend(self[archetype].events.iter().copied());
        // What happened to an entity last counts.
        events.sort_by_key(|(entity, _)| captured(entity));
        let last = events.chunk_by(|a, b| a.0 == b.0).filter_map(|events| events.last());
        let arrived = last.filter(|(_, change)| *change == Change::Inserted);
        // An entity that is not where it was inserted has not been named rightly.
        let row = |&(entity, _): &(Entity, Change)| {
            columns.locate(entity).filter(|row: &Row| row.archetype == archetype).map(|row| row.row)
        };
        let mut rows: Vec<u32> = arrived.map(row).collect::<Option<_>>()?;
        rows.sort_unstable();
        Some(rows)
    }

    /// The rows of an archetype in which another entity can stand than when there were `old` of
    /// them, since which so many came and so many went; rows behind the old ones are not among
    /// them. `None` if it can be any, or if looking at all of them costs less. `old_from` tells the
    /// old entities from a row on.
    ///
    /// Whatever fills the row of an entity that went was the last row then: it came since, or it
    /// was among as many last rows as entities went.
    pub fn other_rows<Old: Iterator<Item = Entity>>(
        &self,
        (columns, archetype): (&Columns<'_>, u32),
        (old, old_from): (usize, impl FnOnce(usize) -> Old),
        (came, went): (usize, usize),
    ) -> Option<Vec<u32>> {
        let len = columns.entities(archetype).len();
        if old + came != len + went || (came + went) * LOCATING > len {
            return None;
        }
        if went == 0 {
            return Some(Vec::new());
        }
        let first_moved = old.saturating_sub(went);
        let moved = old_from(first_moved).filter_map(|entity| columns.locate(entity));
        let moved = moved.filter(|row| row.archetype == archetype).map(|row| row.row);
        let arrived = self.arrivals(columns, archetype)?;
        let mut rows: Vec<u32> = moved
            .chain(arrived.iter().copied())
            .filter(|&row| (row as usize) < first_moved)
            .collect();
        rows.sort_unstable();
        rows.dedup();
        rows.extend(first_moved as u32..len as u32);
        Some(rows)
    }

    /// How often changes have been acknowledged: what [`Membership`] counts, it counts since then.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Tells whether the world is still there.
    pub fn world(&self) -> WorldLife {
        self.account.world()
    }

    /// How many archetypes have transform components.
    pub fn relevant(&self) -> usize {
        self.relevant.len()
    }

    /// Whether the last look found that anything happened.
    pub fn any_touched(&self) -> bool {
        self.touched > 0
    }

    /// Takes everything that was seen up to here as accounted for, and what the bundle has written
    /// since.
    pub fn acknowledge(&mut self, world: &mut World) {
        for &index in &self.relevant {
            let state = &mut self.all[index as usize];
            if state.is_touched() {
                (state.written, state.membership) = (Mask::NONE, Membership::Same);
                state.events = Vec::new();
                self.arrivals[index as usize].take();
                (state.is_new, state.relinked) = (false, false);
            }
        }
        self.touched = 0;
        self.epoch += 1;
        self.take_over(world);
        self.account.settle();
    }

    /// Takes over what the bundle has written since the last look. Has to come before anything else
    /// can write.
    pub fn take_over(&mut self, world: &mut World) {
        if std::mem::take(&mut self.has_bumped) {
            self.account.take_over(world);
        }
    }

    /// Moves the version of a component that the bundle has written.
    pub fn bump<T: TransformComponent>(&mut self, columns: &mut Columns<'_>, archetype: u32) {
        columns.bump::<T>(archetype);
        self.account.set_version(archetype, T::MASK, columns.version(T::MASK, archetype));
        self.has_bumped = true;
    }

    /// Likewise of a component that others are computed from, which have to follow.
    pub fn bump_input<T: TransformComponent>(&mut self, columns: &mut Columns<'_>, archetype: u32) {
        self.bump::<T>(columns, archetype);
        self[archetype].written |= T::MASK;
    }

    /// The archetypes with transform components that something happened to.
    pub fn touched(&self) -> impl Iterator<Item = u32> + '_ {
        self.relevant.iter().copied().filter(|&index| self[index].is_touched())
    }

    /// The archetypes with any of these components.
    pub fn having(&self, any: Mask) -> impl Iterator<Item = u32> + '_ {
        self.relevant.iter().copied().filter(move |&index| self[index].mask.has_any(any))
    }
}

impl std::ops::Index<u32> for ChangeTracker {
    type Output = ArchetypeSnapshot;
    fn index(&self, index: u32) -> &ArchetypeSnapshot {
        &self.all[index as usize]
    }
}

impl std::ops::IndexMut<u32> for ChangeTracker {
    fn index_mut(&mut self, index: u32) -> &mut ArchetypeSnapshot {
        &mut self.all[index as usize]
    }
}
