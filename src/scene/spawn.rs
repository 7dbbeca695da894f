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

    /// Inserts all nodes into `world`.
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
