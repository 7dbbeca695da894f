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
    Entity, World,
    query::{FilterResult, LayoutFilter},
    storage::ComponentTypeId,
    world::{EntityHasher, Event, EventSender, WorldId},
};

mod counter;
mod links;
mod window;

use super::mask::Mask;
use counter::{Probe, Reading};
use links::Links;
pub(crate) use links::{ByParent, NewLinks, keep_links, knows_links, note_link, take_links};
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
    /// The bumps that [`peek`](Self::peek) has found since the last insertion or look.
    peeked: u64,
    links: Links,
    /// With more events than this the window is lost.
    limit: usize,
}

impl Log {
    fn new() -> Self {
        let mut probe = Probe::new();
        let last = probe.read();
        let (window, links) = (Window::default(), Links::default());
        let mut log = Self { probe, window, last, peeked: 0, links, limit: 0 };
        log.begin();
        log
    }

    /// Begins anew, with a lost window: nothing is known before the first look.
    fn begin(&mut self) {
        self.window = Window { is_lost: true, ..Window::default() };
        self.links.forget();
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
                self.begin();
            }
        }
    }

    /// Reads the counter. Returns how many bumps there were since the last read, and the first and
    /// the last value of this block of reads so far. If the last reading was of a run of insertions,
    /// that gets the end of its own block.
    #[inline]
    fn read(&mut self) -> (u64, u64, u64) {
        let peeked = std::mem::take(&mut self.peeked);
        let (gap, first, last) = self.advance();
        (peeked + gap, first, last)
    }

    /// Reads the counter in between: the next read returns these bumps again. Returns how many
    /// there were since the last reading, and its value.
    fn peek(&mut self) -> (u64, u64) {
        let (gap, _, value) = self.advance();
        self.peeked += gap;
        (gap, value)
    }

    #[inline]
    fn advance(&mut self) -> (u64, u64, u64) {
        let reading = self.probe.read();
        let gap = reading.bumps_since(&self.last);
        if gap != 0
            && let Some(run) = self.window.runs.iter_mut().rfind(|run| run.kind == Kind::Inserted)
            && run.last == self.last.value
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
        self.links.begin_window();
        self.limit = entities + PATIENCE;
        self.window.has_moved = gap != 0;
        std::mem::replace(&mut self.window, spare)
    }
}

/// The log of each world that has one.
static LOGS: LazyLock<Mutex<HashMap<WorldId, Weak<Shared>, EntityHasher>>> =
    LazyLock::new(Mutex::default);

/// The number of the next reader; 0 is none.
static READERS: AtomicU64 = AtomicU64::new(1);

/// How many worlds with a log have been dropped.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// The log of a world's events, shared by its subscriber and its reader.
struct Shared {
    /// It is touched where the world is held exclusively: see `Sync`.
    log: UnsafeCell<Log>,
    world: WorldId,
    /// The number of its reader, or 0: then nothing is recorded.
    reader: AtomicU64,
    /// Whether the world was dropped.
    is_orphan: AtomicBool,
}

/// Lends the log of a world, if it has one that is read.
fn lend<R>(world: &mut World, run: impl FnOnce(&mut Log, &World) -> R) -> Option<R> {
    let logs = LOGS.lock().unwrap_or_else(PoisonError::into_inner);
    let shared = logs.get(&world.id()).and_then(Weak::upgrade);
    drop(logs);
    let shared = shared.filter(|shared| shared.reader.load(Ordering::Relaxed) != 0)?;
    // SAFETY: this world is borrowed exclusively: see `Sync`. `run` gets a shared borrow, by which
    // nothing can be inserted or removed, so no event comes meanwhile.
    Some(run(unsafe { &mut *shared.log.get() }, world))
}

/// The right to read a world's log. A world has one log and one reader at a time. If a world runs
/// with two `Resources` in turn, there are two readers, and each finds that the other's reading has
/// lost it the log.
pub(super) struct LogReader {
    shared: Arc<Shared>,
    number: u64,
}

// SAFETY: all fields but `log` may be shared. The log is reached in these places:
// - `LogReader::get` and `lend`, with an exclusive borrow of the world that has
//   this id. No other world has it, and worlds cannot be cloned.
// - `send`. The only subscriber is made in `LogReader::of`, for this world, and nothing
//   of Legion hands it out. Legion calls it in `Archetype::{new, push, swap_remove, subscribe,
//   drain}` and when an archetype is dropped: all of them with the archetype borrowed exclusively
//   or owned. Archetypes never leave their world, and are lent exclusively, one at a time, only to
//   row sources and mergers, by methods that borrow the world exclusively for as long. So never two
//   at a time, whatever the threads; and what happens to a world on one thread happens before what
//   happens to it on another, as for any value that is borrowed exclusively. No place calls foreign
//   code, so they never nest.
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
        let entities = world.len();
        let log = self.get(world);
        if self.shared.reader.swap(self.number, Ordering::Relaxed) != self.number {
            log.begin();
        }
        log.take(entities, spare)
    }

    /// A look has taken this window, and found these relations written by others than the bundle.
    pub fn note_look(
        &self,
        world: &mut World,
        window: &Window,
        written: impl Iterator<Item = (u32, Mask)>,
    ) {
        self.get(world).note_look(window, written);
    }

    /// Call before links are published in `Children`.
    pub fn forget_links(&self, world: &mut World) {
        self.get(world).links.forget();
    }

    /// Call when all links are in `Children`, but for those of these entities, on cycles.
    pub fn settle_links(&self, world: &mut World, cyclic: &[Entity]) {
        self.get(world).settle(cyclic);
    }

    fn get<'w>(&'w self, world: &'w mut World) -> &'w mut Log {
        assert_eq!(world.id(), self.shared.world, "a reader follows one world");
        // SAFETY: this world is borrowed exclusively, for as long as the log: see `Sync`.
        unsafe { &mut *self.shared.log.get() }
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
