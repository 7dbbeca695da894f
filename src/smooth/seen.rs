//! Questions about entities of a world of any type, of which nothing of what they read is hidden.

use legion::{Entity, world::EntityAccessError};

use super::ArchetypeRow;
use crate::{
    components::{Frame, Inherits, LocalToParent, Parent, PreviousParent},
    engine::{Store, captured},
};

/// Where an entity stands, as to frames.
pub(super) enum Above {
    /// It has a frame itself.
    Frame,
    /// It is linked to this parent, and has no frame.
    Parent(Entity),
    /// It is a root without a frame, or dead.
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
/// entities on a cycle have none.
pub(super) fn parent(world: &dyn Store<'_>, entity: Entity) -> Option<Entity> {
    let entry = world.entry_of(entity).ok()?;
    let follows = !entry.archetype().layout().has_component::<Inherits>();
    entry.get_component::<PreviousParent>().ok().filter(|_| follows)?.0
}

/// What is above an entity now.
pub(super) fn above(world: &dyn Store<'_>, entity: Entity) -> Above {
    let Ok(entry) = world.entry_of(entity) else { return Above::Nothing };
    let layout = entry.archetype().layout();
    if layout.has_component::<Frame>() {
        return Above::Frame;
    }
    let is_linked = layout.has_component::<LocalToParent>();
    let parent = entry.get_component::<Parent>().ok().filter(|_| is_linked);
    parent.map_or(Above::Nothing, |parent| Above::Parent(parent.0))
}
