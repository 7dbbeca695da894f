//! Mending a world after a subscriber has panicked while Legion moved one entity.
//!
//! Legion's own move tells subscribers twice before it moves components. A panic leaves it like
//! this, where `e` in row 1 of archetype A was to go to archetype B:
//!
//! ```text
//!            archetype A               archetype B             Legion's table
//!            entities    columns       entities    columns     of places
//!  before    a e b c     a e b c       x           x           e: A 1   c: A 3
//!  leaving   a c b       a e b c       x           x           e: A 1   c: A 3
//!  coming    a c b       a e b c       x e         x           e: A 1   c: A 3
//! ```
//!
//! So a column of A has a row that no entity has, and in B an entity has no row. Both archetypes
//! are emptied, with their columns aside, until no place of any of their entities is in the table.
//! Then all of them go back to where they were.

use std::panic::{AssertUnwindSafe, catch_unwind};

use legion::{
    Entity, World,
    storage::{ArchetypeWriter, EntityLayout},
};

use super::moves::{Panics, Part, Source, Target, claim_all, give_rows, take_columns};
use crate::storage::{Archetypes, Mask, Row};

/// Puts one of these entities back that a panic has left between two archetypes. Does nothing where
/// a world is not as above.
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
    // Copied: to clone an entity is to ask Legion whether a merge renames it.
    let mut order: Vec<Entity> = Vec::new();
    order.extend(entities(left).iter().copied());
    // The last entity has its row in the list already.
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

/// Empties an archetype and fills it again with these entities, to which the rows of its columns
/// belong. `unlisted` is an entity that Legion's table has there and the archetype has not, with
/// the one that has its row.
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
        // Legion removes what it finds at the old place of the first one, where the second one
        // takes its row; and panics, as there are no columns. The archetype lists all entities
        // then.
        let list = |writer: &mut ArchetypeWriter<'_>| {
            claim_all(writer, layout.component_types());
            panics.catch(|| writer.push(entity));
            panics.catch(|| writer.push(filler));
        };
        let source = Source::new(Target::numbered(archetype), list);
        let _ = catch_unwind(AssertUnwindSafe(|| world.extend(source).len()));
    }
    // The table forgets their places when they leave.
    let mut aside = World::default();
    let mut panics = Panics::default();
    panics.catch(|| aside.move_from(world, &Target::numbered(archetype)));
    let lacking = Mask::CHILDREN.union(Mask::PREVIOUS_PARENT).without(Mask::of(&layout));
    // A second panic leaves the places: then they may not go back to where they were.
    let added = match panics.any() {
        true => lacking.iter().next().unwrap_or(Mask::NONE),
        false => Mask::NONE,
    };
    if order.is_empty() {
        return;
    }
    let part = Part { added, rows: (0..order.len() as u32).collect(), entities: order };
    let _: Row = give_rows(world, &part, columns, &layout, &mut panics);
}
