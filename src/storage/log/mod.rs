//! The log of a world: the events between two looks, with readings of the counter of versions.
//!
//! ```text
//!  Legion ── event ──► Subscriber ── record ──► Log { window, .. } ── take ──► tracker
//!                      lives as long            one a world                    at each look
//!                      as the world
//! ```

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
    World,
    query::{FilterResult, LayoutFilter},
    storage::ComponentTypeId,
    world::{Event, EventSender, WorldId},
};

mod counter;
mod window;

use counter::{Probe, Reading};
pub(super) use window::{Kind, Run, Window};

/// A log gives up when it holds more events than the world had entities at the last look, and
/// 4,096 more: it is cheaper then to look at everything.
const PATIENCE: usize = 4096;

/// The events since the last look.
struct Log {
    probe: Probe,
    window: Window,
    /// The last reading of the counter.
    last: Reading,
    /// With more events than this the window is lost.
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

    /// Begins anew, with a lost window: nothing is known before the first look.
    fn begin(&mut self) {
        self.window = Window { is_lost: true, ..Window::default() };
    }

    /// Writes an event down, in the last run if it continues that.
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

    /// Reads the counter. Returns how many bumps there were since the last read, and the first and
    /// the last value of this block of reads so far. The last run of insertions gets the end of its
    /// own block.
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

    /// Hands out the window, and begins with `spare`, an empty one. The world has this many
    /// entities.
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
    /// Only [`Subscriber::send`] and [`LogReader::take`] touch it. Both hold the world exclusively.
    log: UnsafeCell<Log>,
    world: WorldId,
    /// The number of its reader, or 0: then nothing is recorded.
    reader: AtomicU64,
    /// Whether the world was dropped.
    is_orphan: AtomicBool,
}

/// The right to read a world's log. A world has one log and one reader at a time. If a world runs
/// with two `Resources` in turn, there are two readers, and each finds that the other's reading has
/// lost it the log.
pub(super) struct LogReader {
    shared: Arc<Shared>,
    number: u64,
}

// SAFETY: all fields but `log` may be shared. The log is reached in two places:
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
    /// A reader of a world's log. The first one makes the log. Legion never lets a subscriber go
    /// altogether, so a world gets only one.
    pub fn of(world: &mut World) -> Self {
        let mut logs = LOGS.lock().unwrap_or_else(PoisonError::into_inner);
        // Logs of dropped worlds go when the map would have to grow. So a world costs the same as
        // the first one, even after a million others.
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

    /// Takes the events logged up to now, and leaves an empty window. The first window of a reader,
    /// and the first after another one has read, is lost.
    ///
    /// # Panics
    /// If the log is of another world.
    pub fn take(&self, world: &mut World, spare: Window) -> Window {
        assert_eq!(world.id(), self.shared.world, "a reader follows one world");
        // SAFETY: this world is borrowed exclusively: see `Sync`.
        let log = unsafe { &mut *self.shared.log.get() };
        if self.shared.reader.swap(self.number, Ordering::Relaxed) != self.number {
            log.begin();
        }
        log.take(world.len(), spare)
    }

    /// Whether the world is still there: an answer that outlives the reader.
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

/// Whether a world is still there.
pub(crate) struct WorldLife(Arc<Shared>);

impl WorldLife {
    pub fn is_alive(&self) -> bool {
        !self.0.is_orphan.load(Ordering::Relaxed)
    }

    /// How many worlds with a log have been dropped in this process.
    pub fn dropped() -> u64 {
        DROPPED.load(Ordering::Acquire)
    }
}

/// Gets the events of a world from Legion, as long as the world lives.
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
        // Released: a thread that reads this count sees that the world is an orphan.
        DROPPED.fetch_add(1, Ordering::Release);
    }
}

/// All archetypes, users' own included: every insertion moves the counter.
struct Everything;

impl LayoutFilter for Everything {
    fn matches_layout(&self, _: &[ComponentTypeId]) -> FilterResult {
        FilterResult::Match(true)
    }
}
