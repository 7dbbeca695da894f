//! Ids of entities that are chosen before they are spawned, or spawned one by one.

use std::cell::Cell;

use legion::{Entity, world::Allocate};

thread_local! {
    /// The rest of a block of ids: Legion hands out 16 at a time. A world has a table for each
    /// block with an entity in it. Legion's own `push` begins a block for each entity, which costs
    /// 400 bytes an entity more.
    static UNUSED: Cell<Allocate> = Cell::default();
}

/// Calls `spawn` with this thread's ids.
pub(super) fn with_unused<R>(spawn: impl FnOnce(&mut Allocate) -> R) -> R {
    // Taken out meanwhile: subscribers of the world's events may spawn, too.
    let mut ids = UNUSED.take();
    let result = spawn(&mut ids);
    UNUSED.set(ids);
    result
}

/// An id for an entity that is spawned later.
pub fn next_id() -> Entity {
    with_unused(Allocate::next).expect("ids do not run out")
}

/// `count` ids for entities that are spawned later.
pub(crate) fn take_ids(count: usize) -> Vec<Entity> {
    with_unused(|ids| ids.take(count).collect())
}
