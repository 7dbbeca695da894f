//! Events, in bursts, and cursors of them.

use legion::Entity;

/// How many events and bursts a log keeps memory for.
pub(super) const KEPT: usize = 1 << 14;

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::storage) enum EventKind {
    /// An archetype was made.
    Created,
    /// An entity came to an archetype, behind the others.
    Inserted,
    /// An entity went from an archetype; the last one took its row.
    Removed,
    /// An edit of this crate's wrote inputs of a row.
    Edited,
    /// An edit gave an entity another parent, as its last child.
    Linked,
    /// An edit wrote the list of an entity's children.
    Listed,
}

/// Events of one kind in one archetype, one right behind the other. Between two insertions of a
/// burst nothing raised the counter of versions but reads by the log.
///
/// Here 2 rows of 3 columns come by `extend`: 6 *bumps* of the counter, then 2 events, at each of
/// which the log *reads* the counter. A read takes a value of the counter like a bump:
///
/// ```text
///  counter   40 ... 45    46        47        48           49 50 51
///            6 bumps      read      read      a write      ...
///  events                 insert a  insert b
///
///  Burst { kind: Inserted, archetype: 7, len: 2, bumps: 106, first: 46, last: 47 }
/// ```
///
/// There were 100 bumps before, and 106 when `a` came. The versions of the last row are 43, 44 and
/// 45. The write at 48 is bump 107.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine::storage) struct Burst {
    pub kind: EventKind,
    /// `u32::MAX`, where an edit has linked or listed.
    pub archetype: u32,
    /// How many events there are.
    pub len: u32,
    /// How many bumps there were before the first of these, since the log began. Removals and new
    /// archetypes do not read the counter: theirs are of the insertion before.
    pub bumps: u64,
    /// The first and the last value that reads took here. So bumps before the burst end at
    /// `first - 1`, and those behind it begin at `last + 1`.
    ///
    /// The range is a block of reads (see `counter.rs`): it may begin and end with reads by other
    /// worlds' logs. Reads of another world behind the last event may be unknown. Then `last` is
    /// too small, the versions expected of the insertion are too low, and its columns count as
    /// written.
    pub first: u64,
    pub last: u64,
}

/// Events in order.
///
/// ```text
///  bursts     Inserted in 7, len 2    Edited in 4, len 1    Removed from 4, len 1
///  entities   a b                                           c
///  rows                               9
/// ```
#[derive(Debug, Default)]
pub(in crate::engine::storage) struct Events {
    pub bursts: Vec<Burst>,
    /// The entities of all bursts, one burst behind the other; none for new archetypes and edits of
    /// rows.
    pub entities: Vec<Entity>,
    /// The rows of all edits, as they were then.
    pub rows: Vec<u32>,
}

/// A place in the log. In the example of [`Events`], between the second and the third burst:
/// `bursts: 2, entities: 2, rows: 1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine::storage) struct Cursor {
    /// How many bursts are before it, how many entities, and how many rows.
    pub bursts: usize,
    pub entities: usize,
    pub rows: usize,
    /// How many bumps there were before it, since the log began.
    pub bumps: u64,
    /// The counter's value there: what was bumped later has a higher version.
    pub value: u64,
    /// How often events had been lost.
    pub losses: u64,
}

/// What a cursor has not read yet: the events from one place to another.
pub(in crate::engine::storage) struct Span {
    /// All events of the log.
    pub events: Events,
    pub from: Cursor,
    pub to: Cursor,
    /// Whether events are missing. Then there are none.
    pub is_lost: bool,
}

impl Events {
    /// The bursts behind a place, in order, with their entities and rows.
    pub fn behind(&self, from: Cursor) -> impl Iterator<Item = (&Burst, &[Entity], &[u32])> {
        let (mut entities, mut rows) = (from.entities, from.rows);
        self.bursts[from.bursts..].iter().map(move |burst| {
            let (first, row) = (entities, rows);
            match burst.kind {
                EventKind::Created => {}
                EventKind::Edited => rows += burst.len as usize,
                _ => entities += burst.len as usize,
            }
            (burst, &self.entities[first..entities], &self.rows[row..rows])
        })
    }

    /// The place behind all of them, by the events alone.
    pub fn end(&self) -> Cursor {
        let Self { bursts, entities, rows } = self;
        let (bursts, entities, rows) = (bursts.len(), entities.len(), rows.len());
        Cursor { bursts, entities, rows, ..Cursor::default() }
    }

    /// How many events there are, but for new archetypes.
    pub fn len(&self) -> usize {
        self.entities.len() + self.rows.len()
    }

    /// Drops all events, and keeps a bounded amount of memory.
    pub fn clear(&mut self) {
        self.bursts.clear();
        self.bursts.shrink_to(KEPT);
        self.entities.clear();
        self.entities.shrink_to(KEPT);
        self.rows.clear();
        self.rows.shrink_to(KEPT);
    }
}

impl Span {
    /// Whether nothing has happened to the world.
    pub fn is_nothing(&self) -> bool {
        !self.is_lost && self.from.bumps == self.to.bumps && self.bursts().is_empty()
    }

    /// The bursts of events, in order.
    pub fn bursts(&self) -> &[Burst] {
        &self.events.bursts[self.from.bursts..]
    }

    /// How many entities were inserted less how many were removed.
    pub fn gained(&self) -> isize {
        let signed = |burst: &Burst| match burst.kind {
            EventKind::Inserted => burst.len as isize,
            EventKind::Removed => -(burst.len as isize),
            _ => 0,
        };
        self.bursts().iter().map(signed).sum()
    }
}
