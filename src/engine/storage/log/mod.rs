//! The log of a world: its events, with readings of the counter of versions, and the rows that
//! edits have written in place.
//!
//! ```text
//!  Legion ── event ──► Subscriber ── record ──► Log ── read ──► the tracker, at each look
//!                      lives as long            one a  └─────► edits, between runs
//!                      as the world             world
//! ```
//!
//! A *cursor* is a place in the log: how many events it has read, and how far the counter was.
//! Events stay until both cursors have passed them, at the end of the hierarchy's pass.
//!
//! ```text
//!  events     Out 3   In 5   In 5   Out 4                   the tracker's last look: behind 2
//!                           ▲              ▲                an edit has read all 4
//! ```

use legion::{Entity, world::Event};

mod calls;
mod counter;
mod events;
mod shared;

pub(crate) use calls::Calls;
use counter::{Probe, Reading};
pub(super) use events::{Burst, Cursor, EventKind, Events, Span};
pub(super) use shared::LogCursor;
pub(crate) use shared::WorldCell;

/// A log gives up when it holds more events than the world had entities at the last look, and
/// 4,096 more: it is cheaper then to look at everything.
pub(super) const PATIENCE: usize = 4096;

/// The events since the last pass.
pub(super) struct Log {
    probe: Probe,
    /// The last reading of the counter.
    last: Reading,
    /// How many bumps there were by others than the bundle and edits in place, since the log began.
    bumps: u64,
    /// How many bumps edits in place have made since the last reading.
    of_edits: u64,
    pub events: Events,
    /// Of this many bursts none ever grows: a cursor stands behind them.
    cut: usize,
    /// Whether events are missing since the last look.
    pub is_lost: bool,
    /// How often events were lost. Readers from before know nothing.
    pub losses: u64,
    /// With more events than this they are lost. 0 after a loss: nothing is recorded then.
    pub limit: usize,
}

impl Log {
    fn new() -> Self {
        let mut probe = Probe::new();
        let last = probe.read();
        Self {
            probe,
            last,
            bumps: 0,
            of_edits: 0,
            events: Events::default(),
            cut: 0,
            // Nothing is known before the first look.
            is_lost: true,
            losses: 1,
            limit: 0,
        }
    }

    /// Gives up the events.
    fn lose(&mut self) {
        (self.events, self.cut, self.limit) = (Events::default(), 0, 0);
        (self.is_lost, self.losses) = (true, self.losses + 1);
    }

    /// Writes an event down, in the last burst if it continues that.
    #[inline]
    fn record(&mut self, event: Event) {
        if self.limit == 0 {
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
        let gap = if kind == EventKind::Inserted { self.read() } else { 0 };
        self.push(kind, archetype, entity, gap == 0);
    }

    /// Writes an event down behind the others. It may continue a burst if `can_grow`.
    #[inline]
    fn push(&mut self, kind: EventKind, archetype: u32, entity: Option<Entity>, can_grow: bool) {
        let Reading { first, value: last, .. } = self.last;
        let can_grow = can_grow && self.events.bursts.len() > self.cut;
        match self.events.bursts.last_mut() {
            Some(burst)
                if can_grow
                    && burst.kind == kind
                    && burst.archetype == archetype
                    && burst.len < u32::MAX =>
            {
                burst.len += 1;
                burst.last = last;
            }
            _ => self.events.bursts.push(Burst {
                kind,
                archetype,
                len: u32::from(kind != EventKind::Created),
                bumps: self.bumps,
                first,
                last,
            }),
        }
        if let Some(entity) = entity {
            self.events.entities.push(entity);
            if self.events.len() > self.limit {
                self.lose();
            }
        }
    }

    /// Reads the counter, and counts the bumps since the last reading. Returns how many there were.
    #[inline]
    fn read(&mut self) -> u64 {
        let gap = self.advance();
        self.bumps += gap;
        gap
    }

    /// Reads the counter. Returns how many bumps there were since the last reading, but for those
    /// of edits in place. If that was of a burst of insertions, this gets the end of its own block
    /// of reads.
    #[inline]
    fn advance(&mut self) -> u64 {
        let reading = self.probe.read();
        let gap = reading.bumps_since(&self.last);
        let value = self.last.value;
        let mut last = self.events.bursts.iter_mut().rev().take_while(|burst| burst.last == value);
        if gap != 0
            && let Some(burst) = last.find(|burst| burst.kind == EventKind::Inserted)
            && let Some(end) = reading.end_of(&self.last)
        {
            burst.last = end;
        }
        self.last = reading;
        gap - std::mem::take(&mut self.of_edits)
    }

    /// Edits have written inputs of rows, with this many bumps: they count for no cursor.
    pub fn note_edits(&mut self, archetype: u32, rows: &[u32], bumps: usize) {
        self.of_edits += bumps as u64;
        rows.iter().for_each(|_| self.push(EventKind::Edited, archetype, None, true));
        self.events.rows.extend_from_slice(rows);
    }

    /// Whether there is room for the notes of edits of so many rows.
    pub fn can_note(&self, rows: usize) -> bool {
        !self.is_lost && self.events.len() + rows <= self.limit
    }

    /// The end of the log. No burst before it grows any more.
    pub fn end(&mut self) -> Cursor {
        self.read();
        self.stand()
    }

    /// The end of the log, where the bumps since the last reading are the bundle's own: they count
    /// for no cursor.
    fn settled_end(&mut self) -> Cursor {
        self.advance();
        self.stand()
    }

    fn stand(&mut self) -> Cursor {
        let end = self.events.end();
        self.cut = end.bursts;
        Cursor { bumps: self.bumps, value: self.last.value, losses: self.losses, ..end }
    }

    /// Both cursors of the owner are at the end: the events go. Any other cursor has lost them.
    /// Returns the end.
    fn trim(&mut self) -> Cursor {
        self.events.clear();
        self.losses += 1;
        self.settled_end()
    }
}
