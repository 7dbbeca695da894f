//! Questions about entities of a world of any type, of which nothing of what they read is hidden.

use legion::{Entity, world::EntityAccessError};

use super::ArchetypeRow;
use crate::{
    components::PreviousParent,
    engine::{Mask, Meaning, Store, captured},
};

/// The archetype and the row in which an entity is now. Whether it is alive is known where it is
/// hidden, too.
pub(super) fn place(
    world: &dyn Store<'_>,
    entity: Entity,
) -> Result<ArchetypeRow, EntityAccessError> {
    let location = world.entry_of(entity)?.location();
    Ok((location.archetype().0, captured(&location.component()) as u32))
}

/// The parent by whose world an entity moves, if it has such a one: by the record of the run, where
/// entities on a cycle have none. What has a frame, or a matrix that your own component writes,
/// does not move with a parent.
pub(super) fn parent(world: &dyn Store<'_>, entity: Entity) -> Option<Entity> {
    let entry = world.entry_of(entity).ok()?;
    let meaning = Meaning::met(world, entry.location().archetype());
    let follows =
        !meaning.mask.has(Mask::INHERITS) && !meaning.overridden.has(Mask::LOCAL_TO_WORLD);
    entry.get_component::<PreviousParent>().ok().filter(|_| follows)?.0
}
