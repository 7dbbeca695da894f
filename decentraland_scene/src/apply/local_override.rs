//! Entities whose components are the user's own for a while.

use legion_transform::legion::{Entity, IntoQuery, World, component};

use super::{
    mirror::Mirror,
    nodes::{NodeIndex, SceneNode},
};

/// While an entity of a [`Mirror`] has this component, the world shows what you write into its
/// `Translation`, `Rotation`, `Scale` or `NonUniformScale`, and `Parent`. The mirror does not write
/// these components.
///
/// The mirror goes on following the scene. Take the component off, and the next
/// [`apply`](Mirror::apply) writes the merged values and the merged parent, whether they changed
/// meanwhile or not. (The mirror has to see the component: one that comes and goes between two
/// calls of `apply` changes nothing.)
///
/// It makes no difference to what else befalls the entity: deleted from the scene, it is despawned.
/// Dead in the scene but kept for its children, it loses this component like all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalOverride;

impl Mirror {
    /// Brings the set of nodes with a [`LocalOverride`] up to date. Returns those that had one, and
    /// are to get all of their components again.
    pub(super) fn update_overrides(&mut self, world: &World) -> Vec<NodeIndex> {
        let mut query = <(Entity, &SceneNode)>::query().filter(component::<LocalOverride>());
        // The player and the camera are the host's already.
        let nodes = query.iter(world).filter(|(entity, component)| {
            let node = self.nodes.of(**entity, component);
            node.is_some_and(|node| !node.is_placed_by_host())
        });
        let now = nodes.map(|(_, component)| component.index).collect();
        let mut before = std::mem::replace(&mut self.overridden, now);
        before.retain(|&index| !self.overridden.contains(&index));
        // One that was despawned comes back with its next change.
        before.retain(|&index| world.contains(self.nodes[index].entity));
        before.into_iter().collect()
    }
}
