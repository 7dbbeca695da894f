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
use links::Links;
pub(crate) use links::{ByParent, NewLinks, keep_links, note_link, take_links};
pub(super) use shared::LogReader;
pub(crate) use shared::WorldLife;
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
        self.window.has_moved = gap != 0;
        std::mem::replace(&mut self.window, spare)
    }
}
