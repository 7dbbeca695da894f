//! Maps in the narrowest type that the components promise.

use legion::{Entity, EntityStore};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::{
    FreshWorld,
    inputs::{LocalInputs, RotationInputs, ScaleInputs},
    is_orphan,
};
use crate::{
    math::{algebra::AffineMap, decompose::DecomposeError},
    query::{
        access::{QueryError, entry},
        path::Path,
    },
    storage::mask::Mask,
};

impl<S: EntityStore> FreshWorld<'_, S> {
    /// The entity's local map in the narrowest type that its components promise: an isometry for translation and rotation, a
    /// similarity with uniform scale, an affine map with anything else.
    ///
    /// # Errors
    /// As [`local_to_world`](Self::local_to_world), and [`QueryError::Shape`] for a projective matrix.
    pub fn local_map(&self, entity: Entity) -> Result<AffineMap, QueryError> {
        let path = self.path(entity)?;
        self.map_at(&path, 0)
    }

    /// The entity's map to the world in the narrowest type: the product of the [local maps](Self::local_map) down to it.
    ///
    /// A chain of isometries gives an isometry, without drift into shear. The numbers agree with
    /// [`local_to_world`](Self::local_to_world) within rounding, not bit for bit.
    ///
    /// # Errors
    /// As [`local_map`](Self::local_map).
    pub fn world_map(&self, entity: Entity) -> Result<AffineMap, QueryError> {
        let path = self.path(entity)?;
        let mut map = AffineMap::identity();
        for (i, &entity) in path.entities.iter().enumerate() {
            map = self.map_at(&path, i)? * map;
            if self.is_world_overridden(&path, i, &entry(self.store, entity)?) {
                break;
            }
        }
        Ok(map)
    }

    /// The `i`-th entity's local map, as narrow as its components allow.
    fn map_at(&self, path: &Path, i: usize) -> Result<AffineMap, QueryError> {
        let entity = path.entities[i];
        let parent = path.entities.get(i + 1).copied();
        let entry = entry(self.store, entity)?;
        let world_overridden = self.is_world_overridden(path, i, &entry);
        let overridden =
            world_overridden || (parent.is_some() || path.cyclic) && self.overrides.has(&entry, Mask::LOCAL_TO_PARENT);
        if !overridden && (parent.is_some() || path.cyclic || !is_orphan(&entry)) {
            let inputs = LocalInputs::load(self.store, entity, parent, &self.overrides)?;
            if !inputs.is_empty() {
                return inputs.map().map_err(|reason| QueryError::Shape { entity, reason });
            }
        }
        let matrix = match parent {
            Some(parent) if !world_overridden => self.member_matrix(entity, parent)?,
            _ => self.local_to_world(entity)?,
        };
        AffineMap::from_matrix(&matrix).map_err(|reason| QueryError::Shape { entity, reason })
    }
}

impl LocalInputs {
    /// The local map in the narrowest type that the components promise.
    fn map(&self) -> Result<AffineMap, DecomposeError> {
        let (zero, turn) = (Vector3::zeros(), UnitQuaternion::identity());
        let one = Vector3::repeat(1.0);
        let mut map = AffineMap::from_trs(&self.translation.unwrap_or(zero), &turn, &one);
        if let Some(inverse) = &self.parent_scale_inverse {
            // The bundle writes a diagonal matrix where the parent's scale is one number, or three.
            let axes = inverse.diagonal().xyz();
            let diagonal = *inverse == Matrix4::new_nonuniform_scaling(&axes);
            map = map * if diagonal { AffineMap::from_trs(&zero, &turn, &axes) } else { AffineMap::from_matrix(inverse)? };
        }
        map = map * self.rotation.map()?;
        Ok(map * self.scale.map()?)
    }
}

impl RotationInputs {
    /// An isometry, unless a user wrote the composite.
    fn map(&self) -> Result<AffineMap, DecomposeError> {
        let rotation = self.rotation.unwrap_or_else(UnitQuaternion::identity);
        let one = Vector3::repeat(1.0);
        match self.composite() {
            None => Ok(AffineMap::from_trs(&Vector3::zeros(), &rotation, &one)),
            Some(composite) if self.derives_composite() => {
                let turn = rotation * self.post_rotation.unwrap_or_else(UnitQuaternion::identity);
                Ok(AffineMap::from_trs(&composite.fixed_view::<3, 1>(0, 3).into(), &turn, &one))
            }
            Some(composite) => AffineMap::from_matrix(&composite),
        }
    }
}

impl ScaleInputs {
    /// A similarity for a uniform scale, also about a pivot; otherwise an affine map.
    fn map(&self) -> Result<AffineMap, DecomposeError> {
        let axes = self.along_axes().unwrap_or_else(|| Vector3::repeat(1.0));
        let turn = UnitQuaternion::identity();
        match self.composite() {
            None => Ok(AffineMap::from_trs(&Vector3::zeros(), &turn, &axes)),
            Some(composite) if self.derives_composite() && self.shear.is_none() => {
                Ok(AffineMap::from_trs(&composite.fixed_view::<3, 1>(0, 3).into(), &turn, &axes))
            }
            Some(composite) => AffineMap::from_matrix(&composite),
        }
    }
}
