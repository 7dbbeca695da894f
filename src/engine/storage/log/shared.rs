//! The log of a world, shared by the subscriber that writes it and the readers.
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

use super::{Log, Reader, Span};

/// The log of each world that has one.
static LOGS: LazyLock<Mutex<HashMap<WorldId, Weak<SharedLog>, EntityHasher>>> =
    LazyLock::new(Mutex::default);

/// The number of the next reader; 0 is none.
static READERS: AtomicU64 = AtomicU64::new(1);

/// How many worlds with a log have been dropped.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// The log of a world's events, shared by its subscriber and its reader.
struct SharedLog {
    /// It is touched where the world is held exclusively: see `Sync`.
    log: UnsafeCell<Log>,
    world: WorldId,
    /// The number of its reader, or 0: then nothing is recorded.
    reader: AtomicU64,
    /// Whether the world was dropped.
    is_orphan: AtomicBool,
}

/// Lends the log of a world, if it has one that is read.
pub(super) fn lend<R>(world: &mut World, run: impl FnOnce(&mut Log, &World) -> R) -> Option<R> {
    let logs = LOGS.lock().unwrap_or_else(PoisonError::into_inner);
    let shared = logs.get(&world.id()).and_then(Weak::upgrade);
    drop(logs);
    let shared = shared.filter(|shared| shared.reader.load(Ordering::Relaxed) != 0)?;
    // SAFETY: this world is borrowed exclusively: see `Sync`. `run` gets a shared borrow, by which
    // nothing can be inserted or removed, so no event comes meanwhile.
    Some(run(unsafe { &mut *shared.log.get() }, world))
}

/// The right to read a world's log. A world has one log and one reader at a time. If a world runs
/// with two `Resources` in turn, there are two readers. After one of them has read, the next window
/// of the other is lost.
pub(in crate::engine::storage) struct LogReader {
    shared: Arc<SharedLog>,
    number: u64,
    /// Up to where it has read.
    at: Reader,
}

// SAFETY: all fields but `log` may be shared. The log is reached from here:
// - `LogReader::get` and `lend`, with an exclusive borrow of the world that has
//   this id. No other world has it, and worlds cannot be cloned.
// - `send`. The only subscriber is made in `LogReader::of`, for this world, and nothing of Legion
//   hands it out. Legion calls it in `Archetype::{new, push, swap_remove, subscribe, drain}` and
//   when an archetype is dropped: all of them with the archetype borrowed exclusively or owned.
//   Archetypes never leave their world, and are lent exclusively, one at a time, only to row
//   sources and mergers, by methods that borrow the world exclusively for as long. So never two at
//   a time, whatever the threads; and what happens to a world on one thread happens before what
//   happens to it on another, as for any value that is borrowed exclusively. None of these calls
//   foreign code, so they never nest.
unsafe impl Sync for SharedLog {}

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
            return Self { shared, number, at: Reader::default() };
        }
        let shared = Arc::new(SharedLog {
            log: UnsafeCell::new(Log::new()),
            world: world.id(),
            reader: AtomicU64::new(0),
            is_orphan: AtomicBool::new(false),
        });
        world.subscribe(Subscriber(shared.clone()), Everything);
        logs.insert(world.id(), Arc::downgrade(&shared));
        Self { shared, number, at: Reader::default() }
    }

    /// Reads on, up to the end. The first span of a reader, and the first after another one has
    /// read, is lost. Call [`give_back`](Self::give_back) afterwards: until then the events are in
    /// the span.
    ///
    /// # Panics
    /// If the log is of another world.
    pub fn read(&mut self, world: &mut World) -> Span {
        let (from, number) = (self.at, self.number);
        let is_other = self.shared.reader.swap(number, Ordering::Relaxed) != number;
        let log = self.get(world);
        if is_other {
            log.lose();
        }
        let to = log.end();
        let is_lost = log.is_lost || from.losses != to.losses;
        let span = Span {
            events: std::mem::take(&mut log.events),
            from: if is_lost { to } else { from },
            to,
            is_lost,
        };
        // The events come back; a panic before that loses them.
        log.is_lost = true;
        log.losses += 1;
        span
    }

    /// Ends a read. The world has as many entities now as when it was read.
    pub fn give_back(&mut self, world: &mut World, span: Span) {
        let entities = world.len();
        self.at = span.to;
        let log = self.get(world);
        log.events = span.events;
        (log.is_lost, log.losses) = (false, span.to.losses);
        log.limit = entities + super::PATIENCE;
    }

    /// The bundle alone has done something since the last read: it counts as read.
    pub fn settle(&mut self, world: &mut World) {
        self.at = self.get(world).settled_end();
    }

    /// Call when all links are in `Children`, but for those of these entities, on cycles, and
    /// nothing has happened since the last read but by the bundle.
    pub fn settle_links(&mut self, world: &mut World, cyclic: &[Entity]) {
        let log = self.get(world);
        let at = log.trim();
        log.links.settle(at, cyclic);
        self.at = at;
    }

    /// Call before links are published in `Children`.
    pub fn forget_links(&self, world: &mut World) {
        self.get(world).links.forget();
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
pub(crate) struct WorldLife(Arc<SharedLog>);

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
struct Subscriber(Arc<SharedLog>);

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

/// All archetypes, users' own included: every insertion raises the counter.
struct Everything;

impl LayoutFilter for Everything {
    fn matches_layout(&self, _: &[ComponentTypeId]) -> FilterResult {
        FilterResult::Match(true)
    }
}
