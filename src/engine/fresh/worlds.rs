//! The matrices of now, from the components of an entity and of its ancestors.

use legion::Entity;
use nalgebra::{Matrix4, Vector3};

use super::{
    inputs::{LocalInputs, local_matrix, plain_transform},
    path::Path,
    rows::{FreshRow, FreshRows, WayUp},
};
use crate::{
    components::{LocalToParent, LocalToWorld, NonUniformScale, Rotation, Translation},
    engine::storage::{Mask, TransformComponent},
    findings::QueryError,
    math::{
        compose::{is_affine, product, product_with_trs},
        inherited,
    },
    transform::Transform,
};

impl<'a> FreshRows<'a> {
    /// The world matrix of an entity.
    pub fn world_of(&self, entity: Entity) -> Result<Matrix4<f32>, QueryError> {
        let mut path = Path::of(self.placed(entity)?);
        self.climb(&mut path)?;
        self.world_at(&path, 0)
    }

    /// The world matrix of one of a path.
    pub fn world_at(&self, path: &WayUp<'_, 'a>, at: usize) -> Result<Matrix4<f32>, QueryError> {
        // A world matrix that a user's component writes needs none of its ancestors.
        let overridden = (at..path.nodes.len()).find(|&i| path.is_world_overridden(i));
        let start = overridden.unwrap_or(path.nodes.len() - 1);
        let matrix = match overridden {
            Some(i) => self.stored::<LocalToWorld>(path.nodes[i])?,
            None => self.root_matrix(path.nodes[start], path.is_held)?,
        };
        self.descend(&path.nodes[at..=start], matrix)
    }

    /// From the world matrix of the last of these to that of the first.
    #[inline(never)]
    fn descend(
        &self,
        nodes: &[FreshRow<'_, 'a>],
        mut world: Matrix4<f32>,
    ) -> Result<Matrix4<f32>, QueryError> {
        let (here, unturned) = (Translation::identity(), Rotation::identity());
        let unscaled = NonUniformScale::identity();
        let mut above_is_affine = is_affine(&world);
        for pair in nodes.windows(2).rev() {
            let node = pair[0];
            // By reference: values that are copied in parts and read as a whole take longer.
            let translation = node.translation()?.unwrap_or(&here);
            let rotation = node.rotation()?.unwrap_or(&unturned);
            let (uniform, axes) = (node.scale()?, node.axes()?.unwrap_or(&unscaled));
            let scale = uniform.map_or(axes.0, |scale| Vector3::repeat(scale.0));
            if above_is_affine && node.archetype.meaning.is_usual() {
                world = product_with_trs(&world, &translation.0.vector, &rotation.0, &scale);
                continue;
            }
            // Only a copy is lent, so that `world` stays in registers in the usual case.
            let (above, local) = (world, self.member_matrix(node, pair[1])?);
            world = product(&inherited(&above, node.inherits()?), &local);
            above_is_affine = is_affine(&world);
        }
        Ok(world)
    }

    /// The local matrix of the first of a path: of a root, its world matrix.
    pub fn local(&self, path: &WayUp<'_, 'a>) -> Result<Matrix4<f32>, QueryError> {
        match path.parent() {
            Some(parent) => self.member_matrix(path.nodes[0], parent),
            None => self.world_at(path, 0),
        }
    }

    /// The local transform of an entity, if it is made of a translation, a rotation and a scale
    /// only.
    pub fn transform(&self, entity: Entity) -> Result<Option<Transform>, QueryError> {
        let node = self.placed(entity)?;
        if node.archetype.meaning.is_simple() {
            return plain_transform(node);
        }
        let mut path = Path::of(node);
        self.climb(&mut path)?;
        let parent = path.parent();
        let member = parent.is_some() || path.is_held;
        if path.is_world_overridden(0)
            || member && node.is_overridden(Mask::LOCAL_TO_PARENT)
            || !member && node.archetype.meaning.is_orphan()
        {
            return Ok(None);
        }
        let node = if member { node } else { node.unlinked() };
        Ok(LocalInputs::load(self, node, parent)?.simple())
    }

    /// The row of an entity that has `LocalToWorld`.
    #[inline]
    pub fn placed(&self, entity: Entity) -> Result<FreshRow<'_, 'a>, QueryError> {
        let node = self.node(entity)?;
        let is_placed = node.has(Mask::LOCAL_TO_WORLD);
        is_placed.then_some(node).ok_or(QueryError::NoLocalToWorld(entity))
    }

    /// The local matrix of an entity with a parent.
    pub fn member_matrix(
        &self,
        node: FreshRow<'_, 'a>,
        parent: FreshRow<'_, 'a>,
    ) -> Result<Matrix4<f32>, QueryError> {
        let overridden = node.is_overridden(Mask::LOCAL_TO_PARENT);
        self.stored_or_composed::<LocalToParent>(node, Some(parent), overridden)
    }

    /// The world matrix of the last entity of a path: a root, which may be held.
    fn root_matrix(
        &self,
        root: FreshRow<'_, 'a>,
        is_held: bool,
    ) -> Result<Matrix4<f32>, QueryError> {
        if is_held {
            let overridden = root.is_overridden(Mask::LOCAL_TO_PARENT);
            return self.stored_or_composed::<LocalToParent>(root, None, overridden);
        }
        let is_orphan = root.archetype.meaning.is_orphan();
        self.stored_or_composed::<LocalToWorld>(root.unlinked(), None, is_orphan)
    }

    /// The local matrix where there are inputs and `T` is not overridden, else the stored `T`.
    #[inline]
    fn stored_or_composed<T>(
        &self,
        node: FreshRow<'_, 'a>,
        parent: Option<FreshRow<'_, 'a>>,
        overridden: bool,
    ) -> Result<Matrix4<f32>, QueryError>
    where
        T: TransformComponent + std::ops::Deref<Target = Matrix4<f32>>,
    {
        if !overridden && let Some(matrix) = local_matrix(self, node, parent)? {
            return Ok(matrix);
        }
        self.stored::<T>(node)
    }

    fn stored<T>(&self, node: FreshRow<'_, 'a>) -> Result<Matrix4<f32>, QueryError>
    where
        T: TransformComponent + std::ops::Deref<Target = Matrix4<f32>>,
    {
        match self.get::<T>(node)? {
            Some(matrix) => Ok(**matrix),
            // The next run inserts it.
            None if node.archetype.meaning.inserts == Some(true) => Ok(Matrix4::identity()),
            None => Err(QueryError::NoLocalToWorld(node.entity)),
        }
    }
}

impl WayUp<'_, '_> {
    /// Whether the world matrix of one of them does not come from its local matrix, because a
    /// user's component or a frame gives it.
    #[inline]
    pub fn is_world_overridden(&self, at: usize) -> bool {
        let node = self.nodes[at];
        let is_root = at + 1 == self.nodes.len() && !self.is_held;
        if is_root && node.has(Mask::PARENT | Mask::LOCAL_TO_PARENT) {
            // Its parent has died or lost its `LocalToWorld`: the next run unlinks it first.
            return node.archetype.meaning.overridden_unlinked.has(Mask::LOCAL_TO_WORLD);
        }
        node.is_overridden(Mask::LOCAL_TO_WORLD)
    }
}
