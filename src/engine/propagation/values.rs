//! Values that children inherit, of one property: which have to be computed in a run.
//!
//! ```text
//!  what has happened                      known from       computed
//!  an entity came                         the tracker      its value
//!  an entity got another parent, or none  the hierarchy    its value
//!  a user wrote the component             the tracker      all values of the archetype
//!  a user wrote the values themselves     the tracker      all values of the archetype
//! ```
//!
//! Where a value comes out different, the values below it are computed as well: [`inherit`].
#![allow(unsafe_code)]

use std::{any::TypeId, marker::PhantomData, ptr::null, sync::Mutex};

use legion::Entity;

use super::{
    Descent, Propagation,
    nodes::{Nodes, Slots},
};
use crate::{
    components::{Effective, Inherited},
    engine::{
        bits::Bits,
        bulk::NewColumn,
        forest::{Forest, NONE},
        local::Context,
        parallel,
        storage::{ChangeTracker, Columns, Mask, Row},
    },
};

/// Brings the values of a property up to date in these rows. Where a value comes out different,
/// those below it are computed, too. Below the `doubtful` rows they always are: a user may have
/// overwritten the value there, which comes out right, and those below are not. Returns the rows
/// whose values changed, each once. `members` are the archetypes that may have [`Effective`]
/// values; others have none.
pub(crate) fn inherit<P: Inherited>(
    columns: &mut Columns<'_>,
    members: impl Iterator<Item = u32>,
    forest: &mut Forest,
    threads: &parallel::Threads,
    rows: &[Row],
    doubtful: &[Row],
) -> Vec<Row> {
    let mut values = Values::<P>::new(columns, members);
    let mut dirty = Bits::default();
    dirty.resize(forest.slots_len());
    let mut dirty_below = dirty.clone();
    let mut alone = Vec::new();
    for (number, &row) in rows.iter().chain(doubtful).enumerate() {
        match forest.slots(row.archetype).get(row.row as usize) {
            Some(&slot) if slot != NONE => {
                dirty.set(slot);
                if number >= rows.len() {
                    dirty_below.set(slot);
                }
            }
            // SAFETY: nothing else touches the values while `columns` is borrowed.
            _ if unsafe { values.compute(row, None) } => alone.push(row),
            _ => {}
        }
    }
    values.add_changed(alone);
    if dirty.maybe_any() {
        let marks = forest.replace_marks([dirty, dirty_below]);
        values = Propagation::run(forest, threads, values);
        forest.replace_marks(marks);
    }
    values.changed.into_inner().expect("nothing panics with the lock")
}

/// The values of all archetypes at once, for threads that have distinct rows of them, as
/// [`Matrices`](super::matrices::Matrices).
struct Values<'a, P: Inherited> {
    archetypes: Vec<Option<RawValues<P>>>,
    changed: Mutex<Vec<Row>>,
    exclusive: PhantomData<&'a mut P>,
}

/// The columns of one archetype.
struct RawValues<P: Inherited> {
    effective: *mut Effective<P>,
    /// Null where entities do not have it.
    own: *const P,
    len: usize,
}

// SAFETY: only `unsafe` functions read the pointers. Their callers promise that while one thread
// writes a value, no other reads or writes it. Values and components may be read by any thread and
// dropped by another, as `Inherited` asks for `Send` and `Sync`.
unsafe impl<P: Inherited> Send for Values<'_, P> {}
// SAFETY: as above.
unsafe impl<P: Inherited> Sync for Values<'_, P> {}

impl<'a, P: Inherited> Values<'a, P> {
    fn new(columns: &'a mut Columns<'_>, members: impl Iterator<Item = u32>) -> Self {
        let mut archetypes: Vec<Option<RawValues<P>>> = Vec::new();
        archetypes.resize_with(columns.archetypes().len(), || None);
        let (effective, own) = (columns.others_raw::<Effective<P>>(), columns.others_raw::<P>());
        for index in members {
            let Some((effective, len)) = effective(index) else { continue };
            let own = own(index).map(|(own, owners)| {
                assert!(owners == len, "each entity has its row in both columns");
                own.cast_const()
            });
            let own = own.unwrap_or(null());
            archetypes[index as usize] = Some(RawValues { effective, own, len });
        }
        Self { archetypes, changed: Mutex::default(), exclusive: PhantomData }
    }

    /// The values at a row, if it has one.
    fn at(&self, row: Row) -> Option<&RawValues<P>> {
        let values = self.archetypes.get(row.archetype as usize)?.as_ref()?;
        ((row.row as usize) < values.len).then_some(values)
    }

    /// Computes the value at a row. Returns whether it is different from before.
    ///
    /// # Safety
    /// Nothing else touches this value meanwhile, and nothing writes the parent's.
    unsafe fn compute(&self, row: Row, parent: Option<Row>) -> bool {
        let Some(values) = self.at(row) else { return false };
        let parent = parent.and_then(|parent| Some((self.at(parent)?, parent.row as usize)));
        let row = row.row as usize;
        // SAFETY: `at` has checked all rows. The caller promises the rest; the parent has another
        // row, and nothing writes users' own components while the world is borrowed.
        let (parent, own, stored) = unsafe {
            (
                parent.map(|(values, row)| &(*values.effective.add(row)).0),
                (!values.own.is_null()).then(|| &*values.own.add(row)),
                &mut *values.effective.add(row),
            )
        };
        let value = P::combine(parent, own);
        let differs = stored.0 != value;
        if differs {
            stored.0 = value;
        }
        differs
    }

    fn add_changed(&self, changed: Vec<Row>) {
        self.changed.lock().expect("nothing panics with the lock").extend(changed);
    }
}

impl<P: Inherited> Descent for Values<'_, P> {
    fn compute(&self, mut slots: Slots<'_>) -> u32 {
        let (nodes, mut changed) = (Nodes::of(&slots, ()), Vec::new());
        while let Some(slot) = slots.next() {
            let node = nodes.node(slot);
            let parent = node.is_linked().then_some(node.parent);
            let is_due = nodes.dirty(slot) || parent.is_some_and(|above| nodes.is_stamped(above));
            let parent = parent.map(|parent| nodes.node(parent).row);
            // SAFETY: it is one of this thread's [`Slots`].
            let differs = is_due && unsafe { self.compute(node.row, parent) };
            if differs {
                changed.push(node.row);
            }
            if nodes.follow(slot, differs) {
                slots.follow(node.end);
            }
        }
        self.add_changed(changed);
        slots.below
    }
}

/// A property of a bundle.
#[derive(Clone, Copy)]
pub(crate) struct Property {
    pub id: TypeId,
    /// The component of the values.
    pub effective: NewColumn,
    /// Has the tracker of a world look where its two components are written.
    pub watch: fn(ChangeTracker) -> ChangeTracker,
    /// Brings the values up to date. Call when the hierarchy is up to date, with the entities whose
    /// links have changed. Returns rows that changed, arrived or may have been overwritten; a row
    /// may be there twice.
    pub run: fn(&mut Context<'_, '_>, &[Entity]) -> Vec<Row>,
}

impl Property {
    pub fn of<P: Inherited>() -> Self {
        Self {
            id: TypeId::of::<P>(),
            effective: NewColumn::of::<Effective<P>>(),
            watch: |tracker| tracker.watching::<P>().watching::<Effective<P>>(),
            run: run::<P>,
        }
    }
}

fn run<P: Inherited>(context: &mut Context<'_, '_>, relinked: &[Entity]) -> Vec<Row> {
    let Context { columns, tracker, forest, machine, .. } = context;
    let mut rows: Vec<Row> = relinked.iter().filter_map(|&it| tracker.locate(it)).collect();
    let all = |archetype: u32| {
        (0..columns.entities(archetype).len() as u32).map(move |row| Row { archetype, row })
    };
    let (mut written, doubtful) =
        (tracker.take_written::<P>(), tracker.take_written::<Effective<P>>());
    written.retain(|archetype| !doubtful.contains(archetype));
    rows.extend(written.into_iter().flat_map(all));
    // From here on the stored value may be a user's: even if it is right, those below may not be.
    let first_doubtful = rows.len();
    rows.extend(doubtful.into_iter().flat_map(all));
    let has_world = |&index: &u32| tracker[index].mask.has(Mask::LOCAL_TO_WORLD);
    for archetype in tracker.touched().filter(has_world) {
        let arrivals = tracker[archetype].arrivals(columns.entities(archetype).len());
        rows.extend(arrivals.map(|row| Row { archetype, row }));
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let members = tracker.having(Mask::LOCAL_TO_WORLD);
    let (plain, doubtful) = rows.split_at(first_doubtful);
    let mut changed = inherit::<P>(columns, members, forest, &machine.threads, plain, doubtful);
    let mut archetypes: Vec<u32> = changed.iter().map(|row| row.archetype).collect();
    archetypes.sort_unstable();
    archetypes.dedup();
    archetypes.iter().for_each(|&it| tracker.bump_watched::<Effective<P>>(columns, it));
    changed.extend_from_slice(doubtful);
    changed
}
