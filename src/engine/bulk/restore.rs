//! Guarding edits: repairing a world after a subscriber has panicked in Legion's own edit.
//!
//! Legion calls subscribers twice before it migrates an entity's components: when the entity
//! leaves, and when it comes. `World::remove` calls them once. A panic leaves the world like this,
//! where `e` in row 1 of archetype A was to go to archetype B, or to be removed:
//!
//! ```text
//!            archetype A               archetype B             Legion's table
//!            entities    columns       entities    columns     of places
//!  before    a e b c     a e b c       x           x           e: A 1   c: A 3
//!  leaving   a c b       a e b c       x           x           e: A 1   c: A 3
//!  coming    a c b       a e b c       x e         x           e: A 1   c: A 3
//!  removed   a c b       a e b c                               e: -     c: A 3
//! ```
//!
//! So the columns of A have a row more than A has entities, and after the second call B has an
//! entity without a row. The repair:
//!
//! 1. The columns of A are taken aside, with their four rows. The last entity, `c`, is the one
//!    whose place in the table is behind the end of the list. It goes back there, and `e` to the
//!    row that `c` has in the list.
//! 2. The list of A's entities is emptied, so that none of them has a place in the table.
//! 3. All four are inserted into A again, with their columns.
//!
//! After the second call, this is done with B first, without `e`.

use legion::{
    Entity, World,
    storage::{ArchetypeWriter, EntityLayout},
};

use super::migrate::{Migration, claim_all, give_rows, numbered, take_columns};
use crate::engine::{
    parallel,
    storage::{Archetypes, Mask, Row, RowSource},
};

/// Edits a world. If a subscriber panics, the entity on its way, one of `edited`, is put back
/// before the panic goes on: no component is lost, and the edit has been carried out in part.
#[inline]
pub(crate) fn guard<R>(
    world: &mut World,
    edited: &[Entity],
    edit: impl FnOnce(&mut World) -> R,
) -> R {
    let mut panics = parallel::Panics::default();
    let result = panics.catch(|| edit(world));
    if result.is_none() {
        restore(world, edited);
    }
    panics.go_on();
    result.expect("a panic goes on")
}

/// Removes an entity; whether it was there. If a subscriber panics, the entity is put back before
/// the panic goes on.
pub(crate) fn remove(world: &mut World, entity: Entity) -> bool {
    guard(world, &[entity], |world| world.remove(entity))
}

/// Puts the entity back that a panic has left between two archetypes or half removed, one of
/// `edited`. Does nothing if the world is in none of the states above.
fn restore(world: &mut World, edited: &[Entity]) {
    let all = Archetypes::of(world);
    let rows = |archetype: usize| all.column_len(archetype as u32);
    let entities = |archetype: usize| all.list[archetype].entities();
    let find = |is_it: &dyn Fn(usize, usize) -> bool| {
        (0..all.list.len()).find(|&at| rows(at).is_some_and(|rows| is_it(rows, entities(at).len())))
    };
    let left = find(&|rows, entities| rows == entities + 1);
    let come = find(&|rows, entities| rows + 1 == entities);
    let Some(left) = left else { return };
    let list = entities(left);
    // The row that the last entity has taken: its place is still the row behind the others.
    let end = Some(Row { archetype: left as u32, row: list.len() as u32 });
    let taken = list.iter().position(|&other| all.place(other) == end).unwrap_or(list.len());
    let migrating = edited.iter().find_map(|entity| {
        let place = all.place(*entity).filter(|place| place.archetype == left as u32)?;
        let has_come = come.is_none_or(|come| entities(come).last() == Some(entity));
        (has_come && !list.contains(entity)).then_some((*entity, place.row as usize))
    });
    let is_removed = |entity: &&Entity| come.is_none() && all.place(**entity).is_none();
    let removed = edited.iter().find(is_removed).map(|entity| (*entity, taken));
    let Some((entity, at)) = migrating.or(removed) else { return };
    // Copied, not cloned: a clone of an entity asks Legion whether a merge renames it.
    let mut order: Vec<Entity> = Vec::new();
    order.extend(list.iter().copied());
    let last = order.get_mut(at).map(|taken| std::mem::replace(taken, entity));
    let last = last.unwrap_or(entity);
    order.push(last);
    let unlisted = migrating.is_some() && come.is_none();
    let mut panics = parallel::Panics::default();
    if let Some(come) = come {
        let others = entities(come).iter().copied();
        let others = Vec::from_iter(others.take(entities(come).len() - 1));
        refill(world, come as u32, others, None, &mut panics);
    }
    refill(world, left as u32, order, unlisted.then_some((entity, last)), &mut panics);
}

/// Empties an archetype and fills it again with the entities `order`: row 0 of its columns is of
/// the first of them. `unlisted` is for a panic while the entity left, `e` and `c` in the drawing.
/// Legion's table has `e` in this archetype, whose list has `c` there instead.
fn refill(
    world: &mut World,
    archetype: u32,
    order: Vec<Entity>,
    unlisted: Option<(Entity, Entity)>,
    panics: &mut parallel::Panics,
) {
    let layout = EntityLayout::clone(Archetypes::of(world).list[archetype as usize].layout());
    let columns = take_columns(world, archetype, &layout);
    if let Some((entity, filler)) = unlisted {
        // a c b -> a c b e c -> a c b e: both are pushed. Then Legion removes the entity at the
        // old place of `e`, row 1, and moves the last one there. It panics when it removes a row
        // from the columns, which are not there; the list has all entities by then.
        let write = |writer: &mut ArchetypeWriter<'_>| {
            claim_all(writer, layout.component_types());
            parallel::Panics::default().catch(|| writer.push(entity));
            parallel::Panics::default().catch(|| writer.push(filler));
        };
        let (filter, layout) = (|| numbered(archetype), || layout.clone());
        let source = RowSource { filter, layout, write };
        parallel::Panics::default().catch(|| world.extend(source).len());
    }
    // When entities leave, the table forgets their places.
    let mut aside = World::default();
    panics.catch(|| aside.move_from(world, &numbered(archetype)));
    let lacking = Mask::CHILDREN.union(Mask::PREVIOUS_PARENT).without(Mask::of(&layout));
    // After another panic the table still has their places. Then they may not go back to this
    // archetype (see `migrate.rs`), and get a component that takes them to another.
    let added = lacking.iter().next().filter(|_| panics.any()).unwrap_or(Mask::NONE);
    if order.is_empty() {
        return;
    }
    let rows = (0..order.len() as u32).collect();
    let mut migration = Migration { added, rows, entities: order, ..Migration::default() };
    migration.complete(&layout, &[]);
    give_rows(world, migration, columns, panics);
}
