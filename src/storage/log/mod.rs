//! The log of a world: what its subscriber writes down between two looks.

#![allow(unsafe_code)]

use std::{
    cell::UnsafeCell,
    collections::HashMap,
    sync::{
        Arc, LazyLock, Mutex, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use legion::{
    Entity, World,
    query::{FilterResult, LayoutFilter},
    storage::ComponentTypeId,
    world::{Event, EventSender, WorldId},
};

mod counter;

use counter::{Probe, Reading};

/// How many events and runs a window keeps memory for.
const KEPT: usize = 1 << 14;

/// A log gives up when it holds so many events more than the world had entities: looking at
/// everything is cheaper then.
const PATIENCE: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Created,
    Inserted,
    Removed,
}

/// Events of one kind in one archetype, between which nothing moved the counter if they are
/// insertions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub kind: Kind,
    pub archetype: u32,
    pub len: u32,
    /// How often the counter was moved between the insertion before and the first of these. Only
    /// insertions read the counter.
    pub gap: u64,
    /// The reads around insertions: the bumps before them end right below the first, those behind
    /// begin right above the last. Reads behind the last event that are not known of are left out.
    /// Then some of the versions that the insertion gave lie behind those that are expected, and
    /// their columns count as written.
    pub first: u64,
    pub last: u64,
}

/// The events between two looks.
#[derive(Debug, Default)]
pub(super) struct Window {
    pub runs: Vec<Run>,
    /// Those of all runs, one behind the other.
    pub entities: Vec<Entity>,
    /// Whether there were more events than are worth keeping.
    pub is_lost: bool,
    /// Whether the counter moved at all.
    pub has_moved: bool,
}

impl Window {
    pub fn is_nothing(&self) -> bool {
        !self.is_lost && !self.has_moved && self.runs.is_empty()
    }

    /// The runs of events, in order, with their entities.
    pub fn events(&self) -> impl Iterator<Item = (&Run, &[Entity])> {
        let mut left = &self.entities[..];
        self.runs.iter().map(move |run| {
            let entities = if run.kind == Kind::Created { 0 } else { run.len as usize };
            let (entities, rest) = left.split_at(entities);
            left = rest;
            (run, entities)
        })
    }

    /// How many entities were inserted less how many were removed.
    pub fn gained(&self) -> isize {
        let signed = |run: &Run| match run.kind {
            Kind::Created => 0,
            Kind::Inserted => run.len as isize,
            Kind::Removed => -(run.len as isize),
        };
        self.runs.iter().map(signed).sum()
    }

    pub fn clear(&mut self) {
        self.runs.clear();
        self.runs.shrink_to(KEPT);
        self.entities.clear();
        self.entities.shrink_to(KEPT);
        (self.is_lost, self.has_moved) = (false, false);
    }
}

struct Log {
    probe: Probe,
    window: Window,
    last: Reading,
    /// How many events there may be.
    limit: usize,
}

impl Log {
    fn new() -> Self {
        let mut probe = Probe::new();
        let last = probe.read();
        let mut log = Self { probe, window: Window::default(), last, limit: 0 };
        log.begin();
        log
    }

    /// Begins anew: nothing is known before the first look.
    fn begin(&mut self) {
        self.window = Window { is_lost: true, ..Window::default() };
    }

    #[inline]
    fn record(&mut self, event: Event) {
        if self.window.is_lost {
            return;
        }
        let (kind, archetype, entity) = match event {
            Event::ArchetypeCreated(archetype) => (Kind::Created, archetype.0, None),
            Event::EntityInserted(entity, archetype) => (Kind::Inserted, archetype.0, Some(entity)),
            Event::EntityRemoved(entity, archetype) => (Kind::Removed, archetype.0, Some(entity)),
        };
        let (gap, first, last) = if kind == Kind::Inserted { self.read() } else { (0, 0, 0) };
        match self.window.runs.last_mut() {
            Some(run)
                if gap == 0
                    && run.kind == kind
                    && run.archetype == archetype
                    && run.len < u32::MAX =>
            {
                run.len += 1;
                run.last = last;
            }
            _ => self.window.runs.push(Run {
                kind,
                archetype,
                len: u32::from(entity.is_some()),
                gap,
                first,
                last,
            }),
        }
        if let Some(entity) = entity {
            self.window.entities.push(entity);
            if self.window.entities.len() > self.limit {
                self.window = Window { is_lost: true, ..Window::default() };
            }
        }
    }

    /// Reads the counter: how far it has moved since the last time, and the first and last value of
    /// the block so far.
    #[inline]
    fn read(&mut self) -> (u64, u64, u64) {
        let reading = self.probe.read();
        let gap = reading.bumps_since(&self.last);
        if gap != 0
            && let Some(run) = self.window.runs.iter_mut().rfind(|run| run.kind == Kind::Inserted)
            && let Some(end) = reading.end_of(&self.last)
        {
            run.last = end;
        }
        self.last = reading;
        (gap, reading.first, reading.value)
    }

    fn take(&mut self, entities: usize, spare: Window) -> Window {
        let (gap, ..) = self.read();
        self.limit = entities + PATIENCE;
        self.window.has_moved = gap != 0;
        std::mem::replace(&mut self.window, spare)
    }
}

/// The log of each world that has one.
static LOGS: LazyLock<Mutex<HashMap<WorldId, Weak<Shared>>>> = LazyLock::new(Mutex::default);

/// The number of the next reader; 0 is none.
static READERS: AtomicU64 = AtomicU64::new(1);

/// How many worlds with a log have been dropped.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// The log of a world's events, shared by its subscriber and its reader.
struct Shared {
    /// Touched by [`Subscriber::send`] and [`LogReader::take`] alone, both of which hold the world
    /// exclusively.
    log: UnsafeCell<Log>,
    world: WorldId,
    /// Who reads it, or 0: then nothing is recorded.
    reader: AtomicU64,
    is_orphan: AtomicBool,
}

/// The right to read a world's log. A world has one log and one reader at a time; of two, as where
/// a world runs with two `Resources` in turn, each finds the log lost that the other has read.
pub(super) struct LogReader {
    shared: Arc<Shared>,
    number: u64,
}

// SAFETY: all of it but `log` may be shared. The log is reached in two places:
// - `LogReader::take`, with an exclusive borrow of the world that has this id. No other world
//   has it, and worlds cannot be cloned.
// - `send`. The only subscriber is made in `LogReader::of`, for this world, and nothing
//   of Legion hands it out. Legion calls it in `Archetype::{new, push, swap_remove, subscribe,
//   drain}` and when an archetype is dropped: all of them with the archetype borrowed exclusively
//   or owned. Archetypes never leave their world, and are lent exclusively, one at a time, only to
//   row sources and mergers, by methods that borrow the world exclusively for as long. So never two
//   at a time, whatever the threads; and what happens to a world on one thread happens before what
//   happens to it on another, as for any value that is borrowed exclusively. `record` and `take`
//   call no foreign code, so they never nest.
unsafe impl Sync for Shared {}

impl LogReader {
    /// Legion never lets a subscriber go altogether, so a world gets one.
    pub fn of(world: &mut World) -> Self {
        let mut logs = LOGS.lock().unwrap_or_else(PoisonError::into_inner);
        // As often as the map would have to grow, so that a world costs the same however many there
        // were before it.
        if logs.len() == logs.capacity() {
            logs.retain(|_, log| log.strong_count() > 0);
        }
        let number = READERS.fetch_add(1, Ordering::Relaxed);
        if let Some(shared) = logs.get(&world.id()).and_then(Weak::upgrade) {
            return Self { shared, number };
        }
        let shared = Arc::new(Shared {
            log: UnsafeCell::new(Log::new()),
            world: world.id(),
            reader: AtomicU64::new(0),
            is_orphan: AtomicBool::new(false),
        });
        world.subscribe(Subscriber(shared.clone()), Everything);
        logs.insert(world.id(), Arc::downgrade(&shared));
        Self { shared, number }
    }

    /// Takes what was logged up to now, and leaves an empty window. The first window of a reader,
    /// and the first after another one has read, is lost.
    ///
    /// # Panics
    /// If it is another world than the log is of.
    pub fn take(&self, world: &mut World, spare: Window) -> Window {
        assert_eq!(world.id(), self.shared.world, "a reader follows one world");
        // SAFETY: this world is borrowed exclusively: see `Sync`.
        let log = unsafe { &mut *self.shared.log.get() };
        if self.shared.reader.swap(self.number, Ordering::Relaxed) != self.number {
            log.begin();
        }
        log.take(world.len(), spare)
    }

    /// Tells whether the world is still there, even when the reader is gone.
    pub fn world(&self) -> WorldLife {
        WorldLife(self.shared.clone())
    }
}

impl Drop for LogReader {
    fn drop(&mut self) {
        let (mine, none) = (self.number, 0);
        let _ =
            self.shared.reader.compare_exchange(mine, none, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Tells whether a world is still there.
pub(crate) struct WorldLife(Arc<Shared>);

impl WorldLife {
    pub fn is_alive(&self) -> bool {
        !self.0.is_orphan.load(Ordering::Relaxed)
    }

    /// How many worlds that have run in this process are gone by now.
    pub fn dropped() -> u64 {
        DROPPED.load(Ordering::Acquire)
    }
}

/// What a world tells of its events, as long as it lives.
struct Subscriber(Arc<Shared>);

impl EventSender for Subscriber {
    #[inline]
    fn send(&self, event: Event) -> bool {
        if self.0.reader.load(Ordering::Relaxed) != 0 {
            // SAFETY: Legion calls this with the world borrowed exclusively: see `Sync`.
            unsafe { &mut *self.0.log.get() }.record(event);
        }
        true
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.0.is_orphan.store(true, Ordering::Relaxed);
        // Released, so that a world that is counted is seen to be gone.
        DROPPED.fetch_add(1, Ordering::Release);
    }
}

/// All archetypes, as every insertion moves the counter.
struct Everything;

impl LayoutFilter for Everything {
    fn matches_layout(&self, _: &[ComponentTypeId]) -> FilterResult {
        FilterResult::Match(true)
    }
}
