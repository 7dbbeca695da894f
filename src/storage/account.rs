//! The version account: tells a column that was written from one that only got new rows.
//!
//! Legion moves a column's version for a write and for an insertion alike, so an insertion hides
//! every write before it. All versions come from one counter of the process, and events come
//! synchronously with every row that is inserted or removed. An account reads the counter at every
//! insertion and compares what it moved by with what the events explain, exactly ([`closing`]):
//!
//! ```text
//!  look     write   extend(2 rows of 3 columns)      remove      look
//!   |         |     |----------------------|           |          |
//!  counter:  +1     +1 +1 +1  +1 +1 +1   In In        Out
//!                                        ^ 7 bumps, 6 explained: the account is open from here on
//! ```
//!
//! As long as it closes, a column whose version is one that the last insertion gave it has been
//! inserted into and nothing else; any other version that is not the one last seen is a write.
//! Where it does not close, the column counts as written. It may be called written without need,
//! never untouched or inserted into when it was written.
//!
//! **Cost.** An event costs the entity's eight bytes, and one atomic addition if it is an
//! insertion; a look as much as there were events, and one comparison a column of the archetypes
//! with transform components; where the counter has not moved, nothing.
//!
//! **Limits.** A write must move the version, as it must for every other change detection. A row
//! source of a user's own (a `ComponentSource` written with `unsafe`) that appends several rows a
//! column at once *before* it names their entities bumps less than Legion's own sources do, so that
//! exactly as many writes as it saves would pass for it.

mod closing;
mod counter;
mod log;
#[cfg(test)]
mod tests;

use legion::{Entity, World};

use super::{
    columns::{Columns, DamagedColumn},
    mask::Mask,
};
use closing::Closing;
pub(crate) use log::WorldLife;
use log::{Kind, LogReader, Window};

/// What an account remembers of one archetype.
struct Seen {
    /// The transform components.
    mask: Mask,
    /// How many components of any sort there are.
    components: u64,
    len: usize,
    versions: Box<[u64]>,
    /// The columns that insertions have touched, and those that anything else may have touched.
    inserted: Mask,
    written: Mask,
    /// How many entities were inserted and removed.
    came: usize,
    went: usize,
    listed: bool,
}

/// Follows one world's archetypes for one bundle.
pub(crate) struct Account {
    log: LogReader,
    archetypes: Vec<Seen>,
    /// Those with transform components.
    relevant: Vec<u32>,
    closing: Closing,
    /// How many entities the world had.
    entities: usize,
    /// Whether there has been a look.
    is_started: bool,
    touched: Vec<u32>,
    journal: Window,
    /// An empty window, for its memory.
    spare: Window,
    is_complete: bool,
    damaged: Option<DamagedColumn>,
}

/// Whether a run of entities was inserted or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Inserted,
    Removed,
}

impl Account {
    /// Begins to follow a world. The first look finds everything written.
    pub fn open(world: &mut World) -> Self {
        Self {
            log: LogReader::of(world),
            archetypes: Vec::new(),
            relevant: Vec::new(),
            closing: Closing::default(),
            entities: 0,
            is_started: false,
            touched: Vec::new(),
            journal: Window::default(),
            spare: Window::default(),
            is_complete: true,
            damaged: None,
        }
    }

    /// Tells whether the world is still there, even when the account is gone.
    pub fn world(&self) -> WorldLife {
        self.log.world()
    }

    /// Takes note of everything that has happened since the last look. Looks add up until they are
    /// [settled](Self::settle). Returns whether anything did, in this world or another; if not,
    /// that is all it costs.
    ///
    /// # Errors
    /// If a column is not as long as its archetype, so that rows could not be read and written.
    /// After a look without an error only a structural change can make it so.
    ///
    /// # Panics
    /// If it is another world than the account was opened for.
    pub fn look(&mut self, world: &mut World) -> Result<bool, DamagedColumn> {
        self.look_at(world, false)
    }
    /// The same after nothing but structural changes of the caller's own, by which no column counts
    /// as written.
    pub fn look_at_own(&mut self, world: &mut World) -> Result<bool, DamagedColumn> {
        self.look_at(world, true)
    }
    fn look_at(&mut self, world: &mut World, is_own: bool) -> Result<bool, DamagedColumn> {
        let window = self.log.take(world, std::mem::take(&mut self.spare));
        if self.is_started && window.is_nothing() {
            self.spare = window;
            return self.damaged.map_or(Ok(false), Err);
        }
        let entities = world.len();
        let columns = Columns::new(world);
        self.meet_new_archetypes(&columns);
        self.closing.close(&window, self.archetypes.len(), |archetype| {
            self.archetypes[archetype as usize].components
        });
        // Legion counts entities apart from archetypes, so that edits that a panic has cut short
        // show here.
        let is_known = self.is_started && !window.is_lost;
        let mut is_sound =
            is_known && self.entities as isize + self.closing.gained() == entities as isize;
        for index in 0..self.relevant.len() {
            is_sound &= self.compare(&columns, self.relevant[index], (is_sound, is_own));
        }
        if !is_sound {
            self.distrust();
        }
        (self.entities, self.is_started) = (entities, true);
        self.keep(window);
        self.damaged.map_or(Ok(true), Err)
    }

    /// Takes over that the caller has moved the version of a column itself.
    pub fn set_version(&mut self, archetype: u32, component: Mask, version: u64) {
        let seen = &mut self.archetypes[archetype as usize];
        seen.versions[(seen.mask & component.below()).len()] = version;
    }

    /// Takes over that the counter has moved since the last look, as the caller's own writes have
    /// moved it. Nothing else may have happened.
    ///
    /// # Panics
    /// If it is another world than the account was opened for.
    pub fn take_over(&mut self, world: &mut World) {
        let mut window = self.log.take(world, std::mem::take(&mut self.spare));
        window.clear();
        self.spare = window;
    }

    /// Takes everything up to the last look as known.
    pub fn settle(&mut self) {
        for archetype in self.touched.drain(..) {
            let seen = &mut self.archetypes[archetype as usize];
            (seen.inserted, seen.written, seen.listed) = (Mask::NONE, Mask::NONE, false);
            (seen.came, seen.went) = (0, 0);
        }
        self.forget_entities();
    }

    /// Forgets which entities came and went.
    pub fn forget_entities(&mut self) {
        self.journal.clear();
        self.is_complete = true;
    }

    /// The archetypes with transform components in which anything happened, removals included.
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// The columns of an archetype that got new rows, and were not written otherwise.
    #[cfg(test)]
    pub fn inserted(&self, archetype: u32) -> Mask {
        self.archetypes[archetype as usize].inserted.without(self.written(archetype))
    }

    /// The columns of an archetype that may have been written.
    pub fn written(&self, archetype: u32) -> Mask {
        self.archetypes[archetype as usize].written
    }

    /// How many entities were inserted into an archetype and removed from it.
    pub fn counts(&self, archetype: u32) -> (usize, usize) {
        let seen = &self.archetypes[archetype as usize];
        (seen.came, seen.went)
    }

    /// Whether [`came_and_went`](Self::came_and_went) tells all of it. If not, entities may be in
    /// any row of the touched archetypes.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The entities that were inserted into an archetype or removed from it, in order; a move is a
    /// removal and an insertion.
    pub fn came_and_went(&self) -> impl Iterator<Item = (Change, u32, &[Entity])> {
        let mut left = &self.journal.entities[..];
        self.journal.runs.iter().filter_map(move |run| {
            let change = match run.kind {
                Kind::Created => return None,
                Kind::Inserted => Change::Inserted,
                Kind::Removed => Change::Removed,
            };
            let (entities, rest) = left.split_at(run.len as usize);
            left = rest;
            Some((change, run.archetype, entities))
        })
    }

    /// Compares an archetype with what was last seen. Returns whether its rows are what the events
    /// say.
    fn compare(
        &mut self,
        columns: &Columns<'_>,
        archetype: u32,
        (is_sound, is_own): (bool, bool),
    ) -> bool {
        let tally = self.closing.of(archetype);
        let seen = &mut self.archetypes[archetype as usize];
        let len = columns.entities(archetype).len();
        let is_same = tally.came == 0 && tally.went == 0;
        let mut is_right = seen.len + tally.came == len + tally.went;
        for (component, version) in seen.mask.iter().zip(&mut seen.versions) {
            let (now, rows) = columns.look(component, archetype);
            if std::mem::replace(version, now) != now {
                let fits = is_sound && (is_own || tally.given.contains(&now));
                *(if fits { &mut seen.inserted } else { &mut seen.written }) |= component;
            }
            // A row source can take a column away without a version that moves or an event.
            if rows != len {
                self.damaged = Some(DamagedColumn { archetype, component });
                is_right = false;
            }
        }
        seen.came += tally.came;
        seen.went += tally.went;
        let is_touched = !is_same
            || seen.len != len
            || seen.inserted != Mask::NONE
            || seen.written != Mask::NONE;
        seen.len = len;
        if is_touched && !std::mem::replace(&mut seen.listed, true) {
            self.touched.push(archetype);
        }
        is_right
    }

    /// Takes everything that was touched for written, as the events do not tell all of it.
    fn distrust(&mut self) {
        self.is_complete = false;
        for &archetype in &self.touched {
            let seen = &mut self.archetypes[archetype as usize];
            seen.written = seen.mask;
        }
    }

    /// Adds a window to what came and went.
    fn keep(&mut self, mut window: Window) {
        if !self.is_complete {
            self.journal.clear();
        } else if self.journal.runs.is_empty() {
            std::mem::swap(&mut self.journal, &mut window);
        } else {
            self.journal.runs.append(&mut window.runs);
            self.journal.entities.append(&mut window.entities);
        }
        window.clear();
        self.spare = window;
    }

    fn meet_new_archetypes(&mut self, columns: &Columns<'_>) {
        for (index, archetype) in
            columns.archetypes().iter().enumerate().skip(self.archetypes.len())
        {
            let mask = Mask::of(archetype.layout());
            if mask != Mask::NONE {
                self.relevant.push(index as u32);
            }
            self.archetypes.push(Seen {
                mask,
                components: archetype.layout().component_types().len() as u64,
                len: 0,
                versions: vec![0; mask.len()].into(),
                inserted: Mask::NONE,
                written: Mask::NONE,
                came: 0,
                went: 0,
                listed: false,
            });
        }
    }
}
