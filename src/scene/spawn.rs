//! A description becomes entities: checked, converted, inserted.

use legion::World;

use super::{
    ancestry::Ancestry, conversion::convert, description::Scene, error::SceneError,
    spawned::SpawnedScene,
};

impl Scene {
    /// Checks whether the description can be converted. [`spawn`](Self::spawn) does so itself.
    ///
    /// # Errors
    /// The first mistake in it: the error of [`spawn`](Self::spawn).
    pub fn check(&self) -> Result<(), SceneError> {
        Ancestry::new(&self.nodes).map(|_| ())
    }

    /// Inserts all nodes into `world`, by these rules:
    ///
    /// - A static node, or a node with a static ancestor, gets its world matrix as
    ///   [`LocalToWorld`](crate::components::LocalToWorld), and nothing else.
    /// - A node whose parent is converted, too, gets its local `Translation` and `Rotation`,
    ///   `NonUniformScale` if the scale is not 1, and `LocalToWorld`, `Parent`, `LocalToParent` and
    ///   `PreviousParent`.
    /// - A root, or a node whose parent is not converted, gets `Translation` and `Rotation` of the
    ///   world, `NonUniformScale` if the lossy scale is not 1, and `LocalToWorld`.
    /// - A node given as a matrix gets that matrix as `LocalToParent` (without a converted parent,
    ///   as `LocalToWorld`), and no `Translation`, `Rotation` or scale.
    /// - A node with linked children gets `Children`, too.
    ///
    /// # Errors
    /// A [`SceneError`] if the description contradicts itself; the world is not touched then.
    pub fn spawn(&self, world: &mut World) -> Result<SpawnedScene, SceneError> {
        let ancestry = Ancestry::new(&self.nodes)?;
        let order = ancestry.parents_first(&self.nodes, ancestry.roots());
        Ok(convert(&self.nodes, &ancestry, order)?.insert(world))
    }

    /// Inserts the node `root` and all below it into `world`. Its ancestors only take part in the
    /// world matrices.
    ///
    /// Below a non-uniformly scaled parent a rotated node is sheared, which translation, rotation
    /// and scale cannot express. Converted without its parent, it gets the *lossy* scale, the
    /// diagonal of `R_world^-1 M_3x3`. This drops the shear, and
    /// [`dropped_shear`](SpawnedScene::dropped_shear) reports it. The node's `LocalToWorld` is the
    /// product without the shear, and its descendants build on that.
    ///
    /// # Errors
    /// A [`SceneError`] if there is no such node, or the description (all of it) contradicts
    /// itself; the world is not touched then.
    pub fn spawn_subtree(
        &self,
        world: &mut World,
        root: usize,
    ) -> Result<SpawnedScene, SceneError> {
        let ancestry = Ancestry::new(&self.nodes)?;
        if root >= self.nodes.len() {
            return Err(SceneError::NoSuchNode { node: root, nodes: self.nodes.len() });
        }
        let order = ancestry.parents_first(&self.nodes, vec![root]);
        Ok(convert(&self.nodes, &ancestry, order)?.insert(world))
    }
}
