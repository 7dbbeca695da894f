//! What lives beside a world: its log, and the state that bundles keep for it.
//!
//! ```text
//!  World ── Subscriber ──► WorldCell { standing: options, state ──► .. the tracker ─┐
//!  Resources ─────────────►           log ─────────────────────────────────────────►│ SharedLog
//!  the map of all cells ··►         }                                               ┘
//! ```
//!
//! The subscriber writes the log, and frees the state when the world goes. A log has one owner: the
//! tracker of the state. The options that queries ask for are those with which the last state
//! began:
//!
//! ```text
//!                                          options    state
//!  before a world's first run               none       none
//!  a step, or an edit                       A's        out: the step or edit has it
//!  between steps, runs and edits            A's        A's
//!  a step panics, or the world is damaged   A's        none
//!  the resources are gone, and an event     A's        none
//!  a bundle with other options runs         B's        out, and A's is gone; then B's
//! ```
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
    Entity, World,
    query::{FilterResult, LayoutFilter},
    storage::ComponentTypeId,
    world::{EntityHasher, Event, EventSender, WorldId},
};

use super::{Calls, Cursor, EventKind, Log, PATIENCE, Span};
use crate::engine::storage::access::Access;

/// The cell of each world that has one.
static CELLS: LazyLock<Mutex<HashMap<WorldId, Weak<WorldCell>, EntityHasher>>> =
    LazyLock::new(Mutex::default);

/// How many worlds with a cell have been dropped.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// What lives beside a world; see the [module](self).
pub(crate) struct WorldCell {
    log: Arc<SharedLog>,
    /// It is written where the world is held exclusively, and read where it is held at all: see
    /// `Sync`.
    standing: UnsafeCell<Standing>,
    /// Whether the world was dropped.
    is_orphan: AtomicBool,
}

/// What bundles keep for a world; see the [module](self).
#[derive(Default)]
pub(crate) struct Standing {
    options: Option<Options>,
    /// `None` while a step or an edit has it, and where a step has panicked or was refused.
    pub state: Option<State>,
}

type State = Box<dyn Any + Send>;
type Options = Arc<dyn Any + Send + Sync>;

/// How often the options of any world have changed.
static OPTION_CHANGES: AtomicU64 = AtomicU64::new(0);

/// The log of a world's events.
struct SharedLog {
    /// It is touched where the world is held exclusively: see `Sync`.
    log: UnsafeCell<Log>,
    world: WorldId,
}

// SAFETY: all fields but `log` of the one and `standing` of the other may be shared. These are
// reached from here:
// - `LogCursor::lend`, `WorldCell::standing` and `beside`, with an exclusive borrow of the world
//   that has this id. No other world has it, and worlds cannot be cloned.
// - `WorldCell::options` and `calls`, which only read, with a shared borrow of that world: an
//   `Access` comes from Legion's own accessor, which has the id of the world that it borrows. So
//   nothing writes meanwhile: all others here need an exclusive borrow.
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
            standing: UnsafeCell::default(),
            is_orphan: AtomicBool::new(false),
        });
        world.subscribe(Subscriber(cell.clone()), Everything);
        cells.insert(world.id(), Arc::downgrade(&cell));
        cell
    }

    /// What stands beside the world.
    ///
    /// # Panics
    /// If the cell is of another world.
    pub fn standing<'w>(&'w self, world: &'w mut World) -> &'w mut Standing {
        assert_eq!(world.id(), self.log.world, "a cell is of one world");
        // SAFETY: this world is borrowed exclusively, for as long as what stands: see `Sync`.
        unsafe { &mut *self.standing.get() }
    }

    /// A state with these options begins. Any other is gone.
    ///
    /// # Panics
    /// If the cell is of another world.
    pub fn begin(&self, world: &mut World, options: Options) {
        *self.standing(world) = Standing { options: Some(options), state: None };
        OPTION_CHANGES.fetch_add(1, Ordering::Release);
    }

    /// The options of the bundles that have run on a world, if any has.
    pub fn options<T: Any + Send + Sync>(access: &Access<'_>) -> Option<Arc<T>> {
        let cell = Self::find(access.all.id())?;
        // SAFETY: the world is borrowed: see `Sync`.
        let standing = unsafe { &*cell.standing.get() };
        standing.options.clone()?.downcast().ok()
    }

    /// Notes that an edit has given an entity another parent, or written the list of one.
    pub fn note_call(world: &mut World, entity: Entity, is_list: bool) {
        if let Some((_, log)) = Self::beside(world)
            && !log.is_lost
        {
            let kind = if is_list { EventKind::Listed } else { EventKind::Linked };
            log.push(kind, u32::MAX, Some(entity), true);
        }
    }

    /// The order of the calls since the last run, if it is known.
    pub fn calls(access: &Access<'_>) -> Calls {
        let Some(cell) = Self::find(access.all.id()) else { return Calls::default() };
        // SAFETY: the world is borrowed: see `Sync`.
        let (standing, log) = unsafe { (&*cell.standing.get(), &*cell.log.log.get()) };
        let mut calls = Calls::default();
        if standing.state.is_some() && !log.is_lost {
            calls.read(&log.events, access.all.archetypes());
        }
        calls
    }

    /// How often the options of any world have changed.
    pub fn option_changes() -> u64 {
        OPTION_CHANGES.load(Ordering::Acquire)
    }

    /// Runs something with the state of a world, if it has one of this type. The state is out of
    /// its place meanwhile, and comes back after a panic, too.
    pub fn with_state<T: Any + Send, R>(
        world: &mut World,
        run: impl FnOnce(&mut World, Option<&mut T>) -> R,
    ) -> R {
        let Some((standing, _)) = Self::beside(world) else { return run(world, None) };
        let (state, id) = (standing.state.take(), world.id());
        let mut lent = Lent { world, id, state };
        let state = lent.state.as_deref_mut().and_then(|state| state.downcast_mut());
        run(lent.world, state)
    }

    /// What stands beside a world that has a cell, and its log. A thread remembers the last cell.
    fn beside(world: &mut World) -> Option<(&mut Standing, &mut Log)> {
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
        let cell = unsafe { &*cell };
        // SAFETY: the world is borrowed exclusively, for as long as both: see `Sync`.
        Some(unsafe { (&mut *cell.standing.get(), &mut *cell.log.log.get()) })
    }

    /// The cell of a world, if it has one.
    fn find(world: WorldId) -> Option<Arc<Self>> {
        CELLS.lock().unwrap_or_else(PoisonError::into_inner).get(&world)?.upgrade()
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
            && let Some((standing, _)) = WorldCell::beside(self.world)
        {
            standing.state = self.state.take();
        }
    }
}

/// A cursor of a world's log, and its place there. The first span is lost.
pub(in crate::engine::storage) struct LogCursor {
    shared: Arc<SharedLog>,
    at: Cursor,
}

impl LogCursor {
    pub fn of(world: &mut World) -> Self {
        Self { shared: WorldCell::of(world).log.clone(), at: Cursor::default() }
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

    /// [`settle`](Self::settle), where all cursors may go to the end. Returns it.
    pub fn trim(&mut self, world: &mut World) -> Cursor {
        self.at = self.lend(world, |log, _| log.trim());
        self.at
    }

    /// Lends the log. `run` gets a shared borrow of the world, by which nothing can be inserted or
    /// removed, so no event comes meanwhile.
    pub fn lend<R>(&self, world: &mut World, run: impl FnOnce(&mut Log, &World) -> R) -> R {
        assert_eq!(world.id(), self.shared.world, "a cursor follows one world");
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
        let (standing, log) = unsafe { (&mut *self.0.standing.get(), &mut *self.0.log.log.get()) };
        standing.state = None;
        log.lose();
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
