//! What changed since the last run, archetype by archetype and column by column: untouched,
//! inserted into, or written.
//!
//! Legion moves a column's version for a write and for an insertion alike. Its `maybe_changed` is
//! no help: it misses changes, and in parallel reports them for ever. So a look reads two things:
//! the versions, which say in what columns something happened, and the [log](super::log) of events,
//! which the [roster](super::roster) replays to say what came and went.
//!
//! ```text
//!              version     came or went    what the stages do
//!  untouched   same        no              nothing
//!  inserted    moved       yes             only the new rows are composed, linked and verified
//!  written     moved       maybe           inputs are compared, results are compared and repaired
//! ```
//!
//! An insertion hides the writes before it. The [closing rule](super::closing) tells which columns
//! an insertion alone has moved; any other column that moved counts as written.

use legion::{Entity, World, storage::ComponentTypeId};

use super::{
    closing::Closing,
    columns::{Columns, Damage, Row},
    log::{Kind, LogReader, Window, WorldLife},
    mask::{Mask, TransformComponent},
    roster::{Roster, Unsound},
    sheet::ArchetypeSheet,
};
use crate::accelerators::Accelerator;

/// Which of the crate's components the bundle may write in an archetype, by these and by all that it
/// has.
type Writable = Box<dyn Fn(Mask, &[ComponentTypeId]) -> Mask + Send + Sync>;

/// An entity that is not in the row any more in which it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub entity: Entity,
    pub from: Row,
}

/// What is remembered of a world's archetypes.
pub(crate) struct ChangeTracker {
    log: LogReader,
    /// An empty window, for its memory.
    spare: Window,
    closing: Closing,
    roster: Roster,
    sheets: Vec<ArchetypeSheet>,
    /// Those that have any of the crate's components.
    relevant: Vec<u32>,
    writable: Writable,
    /// The entities that are in other rows than at the hierarchy's last pass, each once.
    recent: Vec<Departure>,
    /// The same since changes were last acknowledged, up to the hierarchy's last pass.
    departures: Vec<Departure>,
    /// How many entities the world had.
    entities: usize,
    is_started: bool,
    /// The archetypes with transform components that something happened to, ascending.
    touched: Vec<u32>,
    /// Whether the bundle has moved a version since the last look.
    has_bumped: bool,
    /// How often the roster was compared with the archetypes.
    #[cfg(test)]
    pub(super) rebuilds: usize,
}

impl ChangeTracker {
    /// Begins to follow a world. The first look finds everything written.
    pub fn new(
        world: &mut World,
        writable: impl Fn(Mask, &[ComponentTypeId]) -> Mask + Send + Sync + 'static,
    ) -> Self {
        Self {
            log: LogReader::of(world),
            spare: Window::default(),
            closing: Closing::default(),
            roster: Roster::default(),
            sheets: Vec::new(),
            relevant: Vec::new(),
            writable: Box::new(writable),
            recent: Vec::new(),
            departures: Vec::new(),
            entities: 0,
            is_started: false,
            touched: Vec::new(),
            has_bumped: false,
            #[cfg(test)]
            rebuilds: 0,
        }
    }

    /// Looks at what has happened, and takes note of it until it is
    /// [acknowledged](Self::acknowledge). Returns how many archetypes anything has happened to. If
    /// the counter of versions has not moved and there were no events, that is all it costs.
    ///
    /// # Errors
    /// If a column is not as long as its archetype, or an entity stands in two rows, so that rows
    /// could not be read and written. The tracker is good for nothing then.
    pub fn detect(&mut self, world: &mut World) -> Result<usize, Damage> {
        debug_assert!(!self.has_bumped, "the bundle's own writes are settled before others' come");
        self.look(world, false)
    }

    /// The same, after nothing but structural changes of the bundle's own: no column counts as
    /// written by them.
    pub fn detect_own(&mut self, world: &mut World) -> Result<usize, Damage> {
        self.look(world, true)
    }

    fn look(&mut self, world: &mut World, is_own: bool) -> Result<usize, Damage> {
        let window = self.log.take(world, std::mem::take(&mut self.spare));
        if self.is_started && window.is_nothing() {
            self.spare = window;
            return Ok(self.touched.len());
        }
        let entities = world.len();
        let columns = Columns::new(world);
        self.meet_new_archetypes(&columns);
        // Legion counts entities apart from archetypes, so that edits that a panic has cut short
        // show here.
        let is_known = self.is_started && !window.is_lost;
        let is_whole = is_known && self.entities as isize + window.gained() == entities as isize;
        let is_exact = is_whole && self.replay(&columns, &window).is_ok();
        let mut damage = if is_exact { None } else { self.rebuild(&columns) };
        self.closing.forget(self.sheets.len());
        if Accelerator::Account.is_on() {
            self.closing.close(&window, |at| self.sheets[at as usize].components);
        }
        for number in 0..self.relevant.len() {
            let archetype = self.relevant[number];
            damage = self.compare(&columns, archetype, is_exact, is_own).or(damage);
            if self.sheets[archetype as usize].is_touched() {
                self.touch(archetype);
            }
        }
        self.sort();
        (self.entities, self.is_started) = (entities, true);
        self.spare = window;
        self.spare.clear();
        damage.map_or(Ok(self.touched.len()), Err)
    }

    fn meet_new_archetypes(&mut self, columns: &Columns<'_>) {
        for (index, archetype) in columns.archetypes().iter().enumerate().skip(self.sheets.len()) {
            let types = archetype.layout().component_types();
            let mask = Mask::of(archetype.layout());
            if mask != Mask::NONE {
                self.relevant.push(index as u32);
            }
            let writable = (self.writable)(mask, types);
            self.sheets.push(ArchetypeSheet::new(mask, writable, types.len() as u64));
        }
        self.roster.set_archetypes(self.sheets.len());
    }

    /// Brings the roster up to date by the events of a window.
    ///
    /// # Errors
    /// If these are not what has happened.
    fn replay(&mut self, columns: &Columns<'_>, window: &Window) -> Result<(), Unsound> {
        for (run, entities) in window.events() {
            // An archetype may have been announced and never made, where a subscriber panicked.
            let sheet = self.sheets.get(run.archetype as usize);
            if sheet.is_none_or(|sheet| sheet.mask == Mask::NONE) {
                continue;
            }
            for &entity in entities {
                match run.kind {
                    Kind::Inserted => self.insert(entity, run.archetype)?,
                    Kind::Removed => self.remove(entity, run.archetype)?,
                    Kind::Created => {}
                }
            }
        }
        let is_long = |&at: &u32| self.roster.len(at) == columns.entities(at).len();
        if self.relevant.iter().all(is_long) { Ok(()) } else { Err(Unsound) }
    }

    fn insert(&mut self, entity: Entity, archetype: u32) -> Result<(), Unsound> {
        let row = self.roster.insert(entity, archetype)?;
        let recent = &mut self.sheets[archetype as usize].recent;
        recent.replaced.insert(row);
        recent.arrived.insert(row);
        Ok(())
    }

    fn remove(&mut self, entity: Entity, archetype: u32) -> Result<(), Unsound> {
        let removed = self.roster.remove(entity, archetype)?;
        let last = self.roster.len(archetype) as u32;
        let sheet = &mut self.sheets[archetype as usize];
        sheet.recent.remove(removed.row, last);
        sheet.membership.remove(removed.row, last);
        self.replace(Row { archetype, row: removed.row }, Some(entity));
        if removed.filler.is_some() {
            self.replace(Row { archetype, row: last }, removed.filler);
        }
        Ok(())
    }

    /// The entity of a row, if it had one, is not there any more. If another one had taken the row
    /// before, it is known already where this one was.
    fn replace(&mut self, from: Row, stood: Option<Entity>) {
        let is_first = self.sheets[from.archetype as usize].recent.replaced.insert(from.row);
        if let (true, Some(entity)) = (is_first, stood) {
            self.recent.push(Departure { entity, from });
        }
    }

    /// Makes the roster anew from what stands in the archetypes, and compares it with the old one.
    /// Returns an entity that stands in two rows, if any does.
    fn rebuild(&mut self, columns: &Columns<'_>) -> Option<Damage> {
        #[cfg(test)]
        {
            self.rebuilds += 1;
        }
        let old = std::mem::take(&mut self.roster);
        self.roster.set_archetypes(self.sheets.len());
        let mut duplicate = None;
        for number in 0..self.relevant.len() {
            let archetype = self.relevant[number];
            let now = columns.entities(archetype);
            self.roster.reserve(archetype, now.len());
            for (row, &entity) in (0..).zip(now) {
                if self.roster.insert(entity, archetype).is_err() {
                    duplicate = Some(Damage::Duplicate { entity });
                }
                let from = Row { archetype, row };
                let stood = old.entity(from);
                if stood != Some(entity) {
                    self.sheets[archetype as usize].recent.arrived.insert(row);
                    self.replace(from, stood);
                }
            }
            for row in now.len()..old.len(archetype) {
                let from = Row { archetype, row: row as u32 };
                self.replace(from, old.entity(from));
            }
        }
        duplicate
    }

    /// Compares the versions of an archetype with those last seen, and its lengths. Returns a
    /// column of another length, if there is one.
    fn compare(
        &mut self,
        columns: &Columns<'_>,
        archetype: u32,
        is_exact: bool,
        is_own: bool,
    ) -> Option<Damage> {
        let mut damage = None;
        let given = self.closing.given(archetype);
        let sheet = &mut self.sheets[archetype as usize];
        let len = columns.entities(archetype).len();
        for (component, version) in sheet.mask.iter().zip(&mut sheet.versions) {
            let (now, rows) = columns.look(component, archetype);
            if std::mem::replace(version, now) != now {
                let fits = is_exact && (is_own || given.contains(&now));
                *(if fits { &mut sheet.inserted } else { &mut sheet.written }) |= component;
            }
            // A row source can take a column away without a version that moves or an event.
            if rows != len {
                damage = Some(Damage::Column { archetype, component });
            }
        }
        if !is_exact && (sheet.has_other_members() || sheet.inserted != Mask::NONE) {
            sheet.written = sheet.mask;
        }
        damage
    }

    /// Something has happened to an archetype.
    fn touch(&mut self, archetype: u32) {
        if !std::mem::replace(&mut self.sheets[archetype as usize].is_listed, true) {
            let at = self.touched.partition_point(|&other| other < archetype);
            self.touched.insert(at, archetype);
        }
    }

    fn sort(&mut self) {
        for &archetype in &self.touched {
            let recent = &mut self.sheets[archetype as usize].recent;
            recent.replaced.sort();
            recent.arrived.sort();
        }
    }

    /// The entities that are in other rows than the last time, each once, with the row that they
    /// had then. What came and went up to here is known to the hierarchy from here on.
    pub fn take_departures(&mut self) -> Vec<Departure> {
        let recent = std::mem::take(&mut self.recent);
        for departure in &recent {
            let sheet = &self.sheets[departure.from.archetype as usize];
            if !sheet.membership.replaced.contains(departure.from.row) {
                self.departures.push(*departure);
            }
        }
        recent
    }

    /// Call at the end of a pass: what came and went is known to the hierarchy.
    pub fn settle_recent(&mut self) {
        for &archetype in &self.touched {
            let sheet = &mut self.sheets[archetype as usize];
            if !sheet.recent.replaced.is_untouched() {
                sheet.membership.replaced.add_all(&sheet.recent.replaced);
                sheet.membership.arrived.add_all(&sheet.recent.arrived);
                sheet.membership.replaced.sort();
                sheet.membership.arrived.sort();
                sheet.recent.clear();
            }
        }
    }

    /// What [`take_departures`](Self::take_departures) would tell.
    #[cfg(test)]
    pub(super) fn recent_departures(&self) -> &[Departure] {
        &self.recent
    }

    /// How many pages the roster has.
    #[cfg(test)]
    pub(super) fn pages(&self) -> usize {
        self.roster.pages()
    }

    /// The entities that are in other rows than when changes were last acknowledged, with the rows
    /// that they had then.
    pub fn departures(&self) -> &[Departure] {
        &self.departures
    }

    /// Where an entity with transform components is.
    pub fn locate(&self, entity: Entity) -> Option<Row> {
        self.roster.locate(entity)
    }

    /// The entity at a row.
    pub fn entity(&self, row: Row) -> Option<Entity> {
        self.roster.entity(row)
    }

    /// Tells whether the world is still there.
    pub fn world(&self) -> WorldLife {
        self.log.world()
    }

    /// How many archetypes have transform components.
    pub fn relevant(&self) -> usize {
        self.relevant.len()
    }

    /// Whether the last look found that anything happened.
    pub fn any_touched(&self) -> bool {
        !self.touched.is_empty()
    }

    /// Call when everything that was seen is accounted for. What the bundle has written since is no
    /// news either.
    pub fn acknowledge(&mut self, world: &mut World) {
        for index in self.touched.drain(..) {
            self.sheets[index as usize].acknowledge();
        }
        self.departures.clear();
        self.settle_own(world);
    }

    /// Call after the bundle's own writes: they must not count as the user's.
    pub fn settle_own(&mut self, world: &mut World) {
        if std::mem::take(&mut self.has_bumped) {
            self.spare = self.log.take(world, std::mem::take(&mut self.spare));
            self.spare.clear();
        }
    }

    /// Moves the version of a component that the bundle has written.
    pub fn bump<T: TransformComponent>(&mut self, columns: &mut Columns<'_>, archetype: u32) {
        columns.bump::<T>(archetype);
        let sheet = &mut self.sheets[archetype as usize];
        sheet.versions[(sheet.mask & T::MASK.below()).len()] = columns.look(T::MASK, archetype).0;
        sheet.world_changed |= T::MASK == Mask::LOCAL_TO_WORLD;
        self.has_bumped = true;
    }

    /// Call before changes are acknowledged if `WorldToLocal` has not followed them yet.
    pub fn keep_world_changes(&mut self) {
        for &archetype in &self.touched {
            let sheet = &mut self.sheets[archetype as usize];
            sheet.world_changed |= sheet.is_changed(Mask::LOCAL_TO_WORLD | Mask::WORLD_TO_LOCAL);
        }
    }

    /// The archetypes with both `LocalToWorld` and a `WorldToLocal` that the bundle writes, in which
    /// either was written since this was last called, or entities came or went.
    pub fn take_world_changes(&mut self) -> Vec<u32> {
        self.keep_world_changes();
        let mut changed: Vec<u32> = self.having(Mask::WORLD_TO_LOCAL).collect();
        changed.retain(|&archetype| {
            let sheet = &mut self.sheets[archetype as usize];
            let is_inverted = sheet.mask.has(Mask::LOCAL_TO_WORLD);
            std::mem::take(&mut sheet.world_changed)
                && is_inverted
                && sheet.writes(Mask::WORLD_TO_LOCAL)
        });
        changed
    }

    /// The same of a component that others are computed from, which have to follow.
    pub fn bump_input<T: TransformComponent>(&mut self, columns: &mut Columns<'_>, archetype: u32) {
        self.bump::<T>(columns, archetype);
        self.sheets[archetype as usize].written |= T::MASK;
        self.touch(archetype);
    }

    /// Call where links of an archetype's entities changed: what counts of their inputs depends on
    /// them.
    pub fn relink(&mut self, archetype: u32) {
        self.sheets[archetype as usize].relinked = true;
        self.touch(archetype);
    }

    /// The archetypes with transform components that something happened to.
    pub fn touched(&self) -> impl Iterator<Item = u32> + '_ {
        self.touched.iter().copied()
    }

    /// The archetypes with any of these components.
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
