//! The log of a world: the events between two looks, with readings of the counter of versions.
//!
//! ```text
//!  Legion ── event ──► Subscriber ── record ──► Log { window, .. } ── take ──► tracker
//!                      lives as long            one a world                    at each look
//!                      as the world
//! ```

use legion::world::Event;

mod counter;
mod links;
mod shared;
mod window;

use counter::{Probe, Reading};
use links::KnownLinks;
pub(crate) use links::{ByParent, NewLinks, keep_links, note_link, take_links};
pub(super) use shared::LogReader;
pub(crate) use shared::WorldLife;
pub(super) use window::{Burst, EventKind, Window};

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
    links: KnownLinks,
    /// With more events than this the window is lost.
    limit: usize,
}

impl Log {
    fn new() -> Self {
        let mut probe = Probe::new();
        let last = probe.read();
        let (window, links) = (Window::default(), KnownLinks::default());
        let mut log = Self { probe, window, last, peeked: 0, links, limit: 0 };
        log.begin();
        log
    }

    /// Begins anew, with a lost window: nothing is known before the first look.
    fn begin(&mut self) {
        self.window = Window { is_lost: true, ..Window::default() };
        self.links.forget();
    }

    /// Writes an event down, in the last burst if it continues that.
    #[inline]
    fn record(&mut self, event: Event) {
        if self.window.is_lost {
            return;
        }
        let (kind, archetype, entity) = match event {
            Event::ArchetypeCreated(archetype) => (EventKind::Created, archetype.0, None),
            Event::EntityInserted(entity, archetype) => {
                (EventKind::Inserted, archetype.0, Some(entity))
            }
            Event::EntityRemoved(entity, archetype) => {
                (EventKind::Removed, archetype.0, Some(entity))
            }
        };
        let (gap, first, last) = if kind == EventKind::Inserted { self.read() } else { (0, 0, 0) };
        match self.window.bursts.last_mut() {
            Some(burst)
                if gap == 0
                    && burst.kind == kind
                    && burst.archetype == archetype
                    && burst.len < u32::MAX =>
            {
                burst.len += 1;
                burst.last = last;
            }
            _ => self.window.bursts.push(Burst {
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
    /// the last value of this block of reads so far. If the last reading was of a burst of
    /// insertions, that gets the end of its own block.
    #[inline]
    fn read(&mut self) -> (u64, u64, u64) {
        let reading = self.probe.read();
        let gap = reading.bumps_since(&self.last);
        if gap != 0
            && let Some(burst) =
                self.window.bursts.iter_mut().rfind(|burst| burst.kind == EventKind::Inserted)
            && burst.last == self.last.value
            && let Some(end) = reading.end_of(&self.last)
        {
            burst.last = end;
        }
        self.last = reading;
        (std::mem::take(&mut self.peeked) + gap, reading.first, reading.value)
    }

    /// Reads the counter in between: the next read returns these bumps again. Returns how many
    /// there were since the last reading, and its value.
    fn peek(&mut self) -> (u64, u64) {
        let peeked = self.peeked;
        let (gap, _, value) = self.read();
        self.peeked = gap;
        (gap - peeked, value)
    }

    /// Hands out the window, and begins with `spare`, an empty one. The world has this many
    /// entities.
    fn take(&mut self, entities: usize, spare: Window) -> Window {
        let (gap, ..) = self.read();
        self.links.begin_window();
        self.limit = entities + PATIENCE;
        self.window.has_bumps = gap != 0;
        std::mem::replace(&mut self.window, spare)
    }
}
