//! What lives beside a world: its log, and the state that bundles keep for it.
//!
//! ```text
//!  World ── Subscriber ──► WorldCell { state ──► .. the tracker ─┐
//!  Resources ─────────────►           log ──────────────────────►│ SharedLog
//!  the map of all cells ··►         }                            ┘
//! ```
//!
//! The subscriber writes the log, and frees the state when the world goes. When all resources that
//! have run on the world are gone, the next event frees it.
#![allow(unsafe_code)]

use std::{
    any::Any,
    cell::{Cell, UnsafeCell},
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
    world::{EntityHasher, Event, EventSender, WorldId},
};

use super::{Log, PATIENCE, Reader, Span};

/// The cell of each world that has one.
static CELLS: LazyLock<Mutex<HashMap<WorldId, Weak<WorldCell>, EntityHasher>>> =
    LazyLock::new(Mutex::default);

/// How many worlds with a cell have been dropped.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// What lives beside a world; see the [module](self).
pub(crate) struct WorldCell {
    log: Arc<SharedLog>,
    /// It is touched where the world is held exclusively: see `Sync`. `None` while a step runs,
    /// and after one that panicked or was refused.
    state: UnsafeCell<Option<State>>,
    /// What the bundles that have run on the world change in the rules: for queries, on any thread.
    foreseen: Mutex<Option<Foreseen>>,
    /// Whether the world was dropped.
    is_orphan: AtomicBool,
}

type State = Box<dyn Any + Send>;
type Foreseen = Arc<dyn Any + Send + Sync>;

/// How often something else was foreseen for any world.
static FORESEEN: AtomicU64 = AtomicU64::new(0);

/// The log of a world's events.
struct SharedLog {
    /// It is touched where the world is held exclusively: see `Sync`.
    log: UnsafeCell<Log>,
    world: WorldId,
}

// SAFETY: all fields but `log` of the one and `state` of the other may be shared. These are reached
// from here:
// - `LogReader::lend` and `WorldCell::state`, with an exclusive borrow of the world that has this
//   id. No other world has it, and worlds cannot be cloned.
// - `send` and `drop` of the subscriber. The only one is made in `WorldCell::of`, for this world,
//   and nothing of Legion hands it out. Legion calls it in `Archetype::{new, push, swap_remove,
//   subscribe, drain}` and when an archetype is dropped: all of them with the archetype borrowed
//   exclusively or owned. Archetypes never leave their world, and are lent exclusively, one at a
//   time, only to row sources and mergers, by methods that borrow the world exclusively for as
//   long. So never two at a time, whatever the threads; and what happens to a world on one thread
//   happens before what happens to it on another, as for any value that is borrowed exclusively.
//   None of these calls foreign code: a state has no values of users. So they never nest.
unsafe impl Sync for SharedLog {}
// SAFETY: as above.
unsafe impl Sync for WorldCell {}

impl WorldCell {
    /// The cell of a world; the first call makes it. Legion never lets a subscriber go altogether,
    /// so a world gets only one.
    pub fn of(world: &mut World) -> Arc<Self> {
        let mut cells = CELLS.lock().unwrap_or_else(PoisonError::into_inner);
        // Cells of dropped worlds go when the map would have to grow. So a world costs the same as
        // the first one, even after a million others.
        if cells.len() == cells.capacity() {
            cells.retain(|_, cell| cell.strong_count() > 0);
        }
        if let Some(cell) = cells.get(&world.id()).and_then(Weak::upgrade) {
            return cell;
        }
        let log = SharedLog { log: UnsafeCell::new(Log::new()), world: world.id() };
        let cell = Arc::new(Self {
            log: Arc::new(log),
            state: UnsafeCell::new(None),
            foreseen: Mutex::default(),
            is_orphan: AtomicBool::new(false),
        });
        world.subscribe(Subscriber(cell.clone()), Everything);
        cells.insert(world.id(), Arc::downgrade(&cell));
        cell
    }

    /// The place of the world's state.
    ///
    /// # Panics
    /// If the cell is of another world.
    pub fn state<'w>(&'w self, world: &'w mut World) -> &'w mut Option<State> {
        assert_eq!(world.id(), self.log.world, "a cell is of one world");
        // SAFETY: this world is borrowed exclusively, for as long as the state: see `Sync`.
        unsafe { &mut *self.state.get() }
    }

    /// Runs something with the state of a world, if it has one of this type. The state is out of
    /// its place meanwhile, and comes back after a panic, too.
    pub fn with_state<T: Any + Send, R>(
        world: &mut World,
        run: impl FnOnce(&mut World, Option<&mut T>) -> R,
    ) -> R {
        let Some(place) = Self::place(world) else { return run(world, None) };
        let (state, id) = (place.take(), world.id());
        let mut lent = Lent { world, id, state };
        let state = lent.state.as_deref_mut().and_then(|state| state.downcast_mut());
        run(lent.world, state)
    }

    /// The place of the state of a world that has a cell. A thread remembers the last cell.
    fn place(world: &mut World) -> Option<&mut Option<State>> {
        thread_local! {
            static LAST: Cell<Option<(WorldId, *const WorldCell)>> = const { Cell::new(None) };
        }
        let id = world.id();
        let cell = match LAST.get() {
            Some((last, cell)) if last == id => cell,
            _ => {
                let cell = Arc::as_ptr(&Self::find(id)?);
                LAST.set(Some((id, cell)));
                cell
            }
        };
        // SAFETY: the subscriber of a world holds its cell, as long as the world lives, and no
        // other world ever has its id. So this is the cell of this world, which is borrowed.
        Some(unsafe { &*cell }.state(world))
    }

    /// What bundles change in the rules of this world.
    pub fn foresee(&self, foreseen: Option<Foreseen>) {
        let mut place = self.foreseen.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_some() || foreseen.is_some() {
            *place = foreseen;
            FORESEEN.fetch_add(1, Ordering::Release);
        }
    }

    /// What bundles change in the rules of a world, if any has run on it.
    pub fn foreseen<T: Any + Send + Sync>(world: WorldId) -> Option<Arc<T>> {
        let cell = Self::find(world)?;
        let foreseen = cell.foreseen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        foreseen?.downcast().ok()
    }

    /// The cell of a world, if it has one.
    fn find(world: WorldId) -> Option<Arc<Self>> {
        CELLS.lock().unwrap_or_else(PoisonError::into_inner).get(&world)?.upgrade()
    }

    /// How often something else was foreseen for any world.
    pub fn foresights() -> u64 {
        FORESEEN.load(Ordering::Acquire)
    }

    /// Whether the world is still there.
    pub fn is_alive(&self) -> bool {
        !self.is_orphan.load(Ordering::Relaxed)
    }

    /// How many worlds with a cell have been dropped in this process.
    pub fn dropped() -> u64 {
        DROPPED.load(Ordering::Acquire)
    }
}

/// A state that is out of its place.
struct Lent<'w> {
    world: &'w mut World,
    id: WorldId,
    state: Option<State>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if self.world.id() == self.id
            && let Some(place) = WorldCell::place(self.world)
        {
            *place = self.state.take();
        }
    }
}

/// A reader of a world's log, and its place there. The first span is lost.
pub(in crate::engine::storage) struct LogReader {
    shared: Arc<SharedLog>,
    at: Reader,
}

impl LogReader {
    pub fn of(world: &mut World) -> Self {
        Self { shared: WorldCell::of(world).log.clone(), at: Reader::default() }
    }

    /// Reads on, up to the end. Call [`give_back`](Self::give_back) afterwards: until then the
    /// events are in the span, and a panic loses them.
    ///
    /// # Panics
    /// If the log is of another world.
    pub fn read(&mut self, world: &mut World) -> Span {
        let from = self.at;
        self.lend(world, |log, _| {
            let to = log.end();
            let is_lost = log.is_lost || from.losses != to.losses;
            let events = std::mem::take(&mut log.events);
            log.lose();
            Span { events, from: if is_lost { to } else { from }, to, is_lost }
        })
    }

    /// Ends a read.
    pub fn give_back(&mut self, world: &mut World, span: Span) {
        self.at = span.to;
        self.lend(world, |log, world| {
            (log.events, log.cut) = (span.events, span.to.bursts);
            (log.is_lost, log.losses) = (false, span.to.losses);
            log.limit = world.len() + PATIENCE;
        });
    }

    /// The bundle alone has done something since the last read: it counts as read.
    pub fn settle(&mut self, world: &mut World) {
        self.at = self.lend(world, |log, _| log.settled_end());
    }

    /// [`settle`](Self::settle), where all readers may go to the end. Returns it.
    pub fn trim(&mut self, world: &mut World) -> Reader {
        self.at = self.lend(world, |log, _| log.trim());
        self.at
    }

    /// Lends the log. `run` gets a shared borrow of the world, by which nothing can be inserted or
    /// removed, so no event comes meanwhile.
    pub fn lend<R>(&self, world: &mut World, run: impl FnOnce(&mut Log, &World) -> R) -> R {
        assert_eq!(world.id(), self.shared.world, "a reader follows one world");
        // SAFETY: this world is borrowed exclusively: see `Sync`.
        run(unsafe { &mut *self.shared.log.get() }, world)
    }
}

/// Gets the events of a world from Legion, as long as the world lives.
struct Subscriber(Arc<WorldCell>);

impl Subscriber {
    /// No resources know the world any more.
    #[cold]
    fn forget(&self) {
        // SAFETY: called by `send` and `drop`, with the world borrowed exclusively: see `Sync`.
        let (state, log) = unsafe { (&mut *self.0.state.get(), &mut *self.0.log.log.get()) };
        *state = None;
        log.lose();
        self.0.foresee(None);
    }
}

impl EventSender for Subscriber {
    #[inline]
    fn send(&self, event: Event) -> bool {
        if Arc::strong_count(&self.0) > 1 {
            // SAFETY: Legion calls this with the world borrowed exclusively: see `Sync`.
            unsafe { &mut *self.0.log.log.get() }.record(event);
        } else {
            self.forget();
        }
        true
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.forget();
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
