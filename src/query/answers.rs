//! The answers of a query, compiled with this crate: none of them depends on the type of the world.

use legion::Entity;
use nalgebra::{Matrix4, Point3};

use super::{Place, QueryError, between, has_met_frames, own_frame};
use crate::{
    components::{LocalToParent, LocalToWorld, WorldToLocal},
    engine::{FreshRows, WayUp},
    math::{
        Base,
        compose::{inverse, product},
        times,
    },
};

type Answer<T> = Result<T, QueryError>;

impl<'a> FreshRows<'a> {
    pub fn local_to_world(&self, entity: Entity) -> Answer<LocalToWorld> {
        self.world_of(entity).map(LocalToWorld)
    }

    pub fn position(&self, entity: Entity) -> Answer<Point3<f32>> {
        self.local_to_world(entity).map(|matrix| matrix.position())
    }

    pub fn world_to_local(&self, entity: Entity) -> Answer<WorldToLocal> {
        let inverse = inverse(&self.world_of(entity)?).ok_or(QueryError::NoInverse(entity));
        inverse.map(WorldToLocal)
    }

    pub fn local_to_parent(&self, entity: Entity) -> Answer<LocalToParent> {
        self.local(&self.path(entity)?).map(LocalToParent)
    }

    pub fn between(&self, from: Entity, to: Entity) -> Answer<Matrix4<f32>> {
        let (seen, to_seen) = (self.world_of(from)?, self.world_of(to)?);
        if has_met_frames(self)
            && let Some(far) = self.between_far(from, to)?
        {
            return Ok(far);
        }
        let back = inverse(&to_seen).ok_or(QueryError::NoInverse(to))?;
        Ok(product(&back, &seen))
    }

    /// The same by way of frames. `None` if neither is in a frame.
    #[inline(never)]
    fn between_far(&self, from: Entity, to: Entity) -> Answer<Option<Matrix4<f32>>> {
        let from = Place::of(self, &self.path(from)?)?;
        let Place { frame, matrix } = Place::of(self, &self.path(to)?)?;
        if from.frame.or(frame).is_none() {
            return Ok(None);
        }
        let base = Base::exact(matrix);
        let back = base.inverse().ok_or(QueryError::NoInverse(to))?;
        Ok(Some(times(back, &self.seen_in(from, frame)?).cast()))
    }

    pub fn in_frame(&self, entity: Entity, frame: Entity) -> Answer<Matrix4<f64>> {
        let place = Place::of(self, &self.path(entity)?)?;
        self.seen_in(place, Some(own_frame(self, frame)?))
    }

    /// A place in the space of a frame.
    fn seen_in(&self, place: Place, frame: Option<Entity>) -> Answer<Matrix4<f64>> {
        let map = between(self, place.frame, frame)?;
        Ok(map.map_or(place.matrix, |map| times(&map, &place.matrix)))
    }

    #[inline(always)] // or its 400 bytes would be moved
    fn path(&self, entity: Entity) -> Answer<WayUp<'_, 'a>> {
        let mut path = WayUp::of(self.placed(entity)?);
        self.climb(&mut path)?;
        Ok(path)
    }
}
