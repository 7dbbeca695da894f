//! Mending a world after a subscriber has panicked while Legion moved one entity.
//!
//! Legion's own move calls subscribers twice before it moves components: when the entity leaves,
//! and when it comes. A panic leaves the world like this, where `e` in row 1 of archetype A was to
//! go to archetype B:
//!
//! ```text
//!            archetype A               archetype B             Legion's table
//!            entities    columns       entities    columns     of places
//!  before    a e b c     a e b c       x           x           e: A 1   c: A 3
//!  leaving   a c b       a e b c       x           x           e: A 1   c: A 3
//!  coming    a c b       a e b c       x e         x           e: A 1   c: A 3
//! ```
//!
//! So the columns of A have a row more than A has entities, and after the second call B has an
//! entity without a row. To mend it:
//!
//! 1. The columns of A are taken aside, with their four rows. The order of their entities is known:
//!    `e` at its place in the table, and the last entity, `c`, at the end.
//! 2. The list of A's entities is emptied, so that none of them has a place in the table.
//! 3. All four are inserted into A again, with their columns.
//!
//! After the second call, all of this is done with B first, without `e`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use legion::{
    Entity, World,
    storage::{ArchetypeWriter, EntityLayout},
};

use super::{
    moves::{Panics, Part, give_rows, take_columns},
    source::{Source, Target, claim_all},
};
use crate::storage::{Archetypes, Mask, Row};

/// Puts an entity back that a panic has left between two archetypes: one of `moved`. Does nothing
/// if the world is not in one of the two states above.
pub(crate) fn restore(world: &mut World, moved: &[Entity]) {
    let all = Archetypes::of(world);
    let rows = |archetype: usize| all.column_len(archetype as u32);
    let entities = |archetype: usize| all.list[archetype].entities();
    let find = |is_it: &dyn Fn(usize, usize) -> bool| {
        (0..all.list.len()).find(|&at| rows(at).is_some_and(|rows| is_it(rows, entities(at).len())))
    };
    let left = find(&|rows, entities| rows == entities + 1);
    let come = find(&|rows, entities| rows + 1 == entities);
    let Some(left) = left else { return };
    let is_cut = |entity: &Entity| {
        all.place(*entity).is_some_and(|place| {
            place.archetype as usize == left
                && entities(left).get(place.row as usize) != Some(entity)
                && come.is_none_or(|come| entities(come).last() == Some(entity))
        })
    };
    let Some(&entity) = moved.iter().find(|entity| is_cut(entity)) else { return };
    let at = all.place(entity).expect("it was just found").row as usize;
    // Copied, not cloned: a clone of an entity asks Legion whether a merge renames it.
    let mut order: Vec<Entity> = Vec::new();
    order.extend(entities(left).iter().copied());
    // In the list the last entity has taken the row: it goes back to the end.
    let last = order.get_mut(at).map(|now| std::mem::replace(now, entity));
    order.push(last.unwrap_or(entity));
    let others = come.map(|come| entities(come)[..entities(come).len() - 1].to_vec());
    if let (Some(come), Some(others)) = (come, others) {
        refill(world, come as u32, others, None);
        refill(world, left as u32, order, None);
    } else {
        refill(world, left as u32, order, Some((entity, last.unwrap_or(entity))));
    }
}

/// Empties an archetype and fills it again with the entities `order`: row 0 of its columns is of
/// the first of them. `unlisted` is for a panic while the entity left, `e` and `c` in the drawing.
/// Legion's table has `e` in this archetype, whose list has `c` there instead.
fn refill(
    world: &mut World,
    archetype: u32,
    order: Vec<Entity>,
    unlisted: Option<(Entity, Entity)>,
) {
    let layout = EntityLayout::clone(Archetypes::of(world).list[archetype as usize].layout());
    let columns = take_columns(world, Target::numbered(archetype), &layout);
    let mut panics = Panics::default();
    if let Some((entity, filler)) = unlisted {
        // a c b -> a c b e c -> a c b e: both are pushed. Then Legion removes the entity at the
        // old place of `e`, row 1, and moves the last one there. It panics when it removes a row
        // from the columns, which are not there; the list has all entities by then.
        let list = |writer: &mut ArchetypeWriter<'_>| {
            claim_all(writer, layout.component_types());
            panics.catch(|| writer.push(entity));
            panics.catch(|| writer.push(filler));
        };
        let source = Source::new(Target::numbered(archetype), list);
        let _ = catch_unwind(AssertUnwindSafe(|| world.extend(source).len()));
    }
    // When entities leave, the table forgets their places.
    let mut aside = World::default();
    let mut panics = Panics::default();
    panics.catch(|| aside.move_from(world, &Target::numbered(archetype)));
    let lacking = Mask::CHILDREN.union(Mask::PREVIOUS_PARENT).without(Mask::of(&layout));
    // After another panic the table still has their places. Then they may not go back to this
    // archetype (see `moves.rs`), and get a component that takes them to another.
    let added = match panics.any() {
        true => lacking.iter().next().unwrap_or(Mask::NONE),
        false => Mask::NONE,
    };
    if order.is_empty() {
        return;
    }
    let rows = (0..order.len() as u32).collect();
    let part = Part { added, rows, entities: order };
    let _: Row = give_rows(world, &part, columns, &layout, &mut panics);
}
