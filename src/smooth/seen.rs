//! Questions about entities of a world of any type, of which nothing of what they read is hidden.

use legion::{Entity, world::EntityAccessError};

use super::ArchetypeRow;
use crate::{
    components::{Parent, PreviousParent},
    engine::{Kind, Mask, Store, captured},
};

/// Where an entity stands, as to frames.
pub(super) enum Above {
    /// It has a frame itself.
    Frame,
    /// It is linked to this parent, and has no frame.
    Parent(Entity),
    /// It is a root without a frame, or your own component writes its matrix, or it is dead.
    Nothing,
}

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
    let kind = Kind::met(world, entry.location().archetype());
    let follows = !kind.mask.has(Mask::INHERITS) && !kind.overridden.has(Mask::LOCAL_TO_WORLD);
    entry.get_component::<PreviousParent>().ok().filter(|_| follows)?.0
}

/// What is above an entity now.
pub(super) fn above(world: &dyn Store<'_>, entity: Entity) -> Above {
    let Ok(entry) = world.entry_of(entity) else { return Above::Nothing };
    let kind = Kind::met(world, entry.location().archetype());
    if kind.overridden.has(Mask::LOCAL_TO_WORLD) {
        return if kind.has_frame { Above::Frame } else { Above::Nothing };
    }
    let parent = entry.get_component::<Parent>().ok().filter(|_| kind.mask.has(Mask::LINK));
    parent.map_or(Above::Nothing, |parent| Above::Parent(parent.0))
}
