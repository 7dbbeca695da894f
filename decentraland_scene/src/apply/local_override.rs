//! Entities whose components are the user's own for a while.

use legion_transform::legion::{Entity, IntoQuery, World, component};

use super::{mirror::Mirror, nodes::SceneNode, part_set::PartSet};

/// While an entity of a [`Mirror`] has this component, the world shows what you write into its
/// `Translation`, `Rotation`, `Scale` or `NonUniformScale`, and `Parent`. The mirror neither writes
/// these components nor sends them as edits.
///
/// The mirror goes on following the scene. Take the component off, and the next
/// [`apply`](Mirror::apply) writes the merged values and the merged parent, whether they changed
/// meanwhile or not. Until then nothing of the entity is sent. (The mirror has to see the
/// component: one that comes and goes between two of its calls changes nothing.)
///
/// It makes no difference to what else befalls the entity: deleted from the scene, it is despawned;
/// despawned by you, it is deleted from the scene. Dead in the scene but kept for its children, it
/// loses this component like all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalOverride;

impl Mirror {
    /// Adds the entities that have a [`LocalOverride`] to the mirror's set of them.
    pub(super) fn find_overrides(&mut self, world: &World) {
        let mut query = <(Entity, &SceneNode)>::query().filter(component::<LocalOverride>());
        for (entity, component) in query.iter(world) {
            // The player and the camera are the host's already.
            if self.nodes.of(*entity, component).is_some_and(|node| !node.is_placed_by_host()) {
                self.overridden.insert(component.index);
            }
        }
    }

    /// Brings the set up to date. Entities whose [`LocalOverride`] was taken off get all of their
    /// components again.
    pub(super) fn update_overrides(&mut self, world: &World) {
        let before = std::mem::take(&mut self.overridden);
        self.find_overrides(world);
        for index in before {
            // One that was despawned is not brought back: that was an edit.
            if !self.overridden.contains(&index) && world.contains(self.nodes[index].entity) {
                self.give_back(index, PartSet::ALL);
            }
        }
    }
}
