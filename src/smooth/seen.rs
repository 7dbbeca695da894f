//! More questions about a world of any type, beside those of `changes/now.rs`.

use legion::{Entity, EntityStore};

use super::ArchetypeRow;
use crate::{
    changes::Now,
    components::{Frame, Inherits, LocalToParent, Parent, PreviousParent},
    engine::captured,
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

/// A world of any type.
pub(super) trait Seen: Now {
    /// The archetype and the row in which an entity is now.
    fn place(&self, entity: Entity) -> Option<ArchetypeRow>;
    /// The parent by whose world an entity moves, if it has such a one: by the record of the run,
    /// where entities on a cycle have none.
    fn parent(&self, entity: Entity) -> Option<Entity>;
    /// What is above an entity now.
    fn above(&self, entity: Entity) -> Above;
}

impl<S: EntityStore> Seen for S {
    fn place(&self, entity: Entity) -> Option<ArchetypeRow> {
        let location = self.entry_ref(entity).ok()?.location();
        Some((location.archetype().0, captured(&location.component()) as u32))
    }

    fn parent(&self, entity: Entity) -> Option<Entity> {
        let entry = self.entry_ref(entity).ok()?;
        let follows = !entry.archetype().layout().has_component::<Inherits>();
        entry.get_component::<PreviousParent>().ok().filter(|_| follows)?.0
    }

    fn above(&self, entity: Entity) -> Above {
        let Ok(entry) = self.entry_ref(entity) else { return Above::Nothing };
        let layout = entry.archetype().layout();
        if layout.has_component::<Frame>() {
            return Above::Frame;
        }
        let is_linked = layout.has_component::<LocalToParent>();
        let parent = entry.get_component::<Parent>().ok().filter(|_| is_linked);
        parent.map_or(Above::Nothing, |parent| Above::Parent(parent.0))
    }
}
