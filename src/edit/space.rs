//! In which space an edit works, and what it is given there.
//!
//! An entity in a frame is edited in the space of that frame, in `f64`. What is given is taken
//! there: from the world relative to [`Origin`](crate::frames::Origin), or from the frame of
//! [`Edits::in_frame`](super::Edits::in_frame).
//!
//! ```text
//!   ship      Frame (1e7, 0, 0)      LocalToWorld (1e7, 0, 0)
//!   └─ crew   Translation 2          look_at (1e7 + 9, 0, 0)   is   9 in the ship
//! ```

use legion::Entity;
use nalgebra::{Isometry3, Matrix4, Rotation3, UnitQuaternion, Vector3};

use super::{
    EditError,
    apply::{LocalChange, ParentChange, Plan},
    error::{OWN, Result},
    planner::Planner,
    standing::Here,
};
use crate::{
    components::unit,
    engine::WayUp,
    math::{Base, Linear, TOLERANCE, carried, compose::product, linear_part, origin, times},
    query::{Place, between, own_frame, pose},
};

/// A map from the space in which things are given to that of the edit, and back. None if both are
/// the same.
pub(super) struct Given(Option<Box<(Matrix4<f64>, Matrix4<f64>)>>);

impl Given {
    pub fn pose(&self, pose: &Matrix4<f64>) -> Matrix4<f64> {
        self.0.as_ref().map_or(*pose, |it| times(&it.0, pose))
    }

    pub fn point(&self, point: &Vector3<f32>) -> Vector3<f64> {
        let point = point.cast();
        self.0.as_ref().map_or(point, |it| carried(&it.0, &point))
    }

    pub fn step(&self, step: &Vector3<f64>) -> Vector3<f64> {
        self.0.as_ref().map_or(*step, |it| linear_part(&it.0) * step)
    }

    pub fn turn(&self, turn: &Linear) -> Linear {
        let taken = |(into, back): &(_, _)| linear_part(into) * turn * linear_part(back);
        self.0.as_deref().map_or(*turn, taken)
    }
}

impl<'a> Planner<'a> {
    /// How what is given is taken to where the entity is.
    #[inline]
    pub(super) fn given(&self, here: &Here<'_, 'a>) -> Result<Given> {
        if self.options.frame.is_none() && here.frame.is_none() {
            return Ok(Given(None));
        }
        self.given_far(here)
    }

    #[inline(never)]
    fn given_far(&self, here: &Here<'_, 'a>) -> Result<Given> {
        let from = self.options.frame.map(|entity| own_frame(&self.fresh, entity)).transpose()?;
        let into = between(&self.fresh, from, here.frame)?;
        Ok(Given(into.zip(between(&self.fresh, here.frame, from)?).map(Box::new)))
    }

    /// The matrix of the entity, as a user reads it in the space in which things are given.
    #[inline]
    pub(super) fn as_given(&self, here: &Here<'_, 'a>, given: &Given) -> Result<Matrix4<f32>> {
        let Here { standing, frame, base, local } = here;
        Ok(match (self.options.frame, frame) {
            (None, None) => product(&base.matrix.cast(), local),
            (None, Some(_)) => self.fresh.world_of(standing.node.entity)?,
            _ => {
                let here = times(&base.matrix, &local.cast());
                given.0.as_ref().map_or(here, |it| times(&it.1, &here)).cast()
            }
        })
    }

    /// Sets an entity free of the frame that is its parent: it gets a frame itself, in the
    /// universe.
    pub(super) fn set_free(&self, path: &WayUp<'_, 'a>, frame: Entity) -> Result<Plan> {
        let (entity, place) = (path.nodes[0].entity, Place::of(&self.fresh, path)?);
        let map = between(&self.fresh, place.frame, Some(frame))?;
        let place = map.map_or(place.matrix, |map| times(&map, &place.matrix));
        let Base { matrix, is_affine, is_finite, .. } = &Base::exact(place);
        if !is_finite {
            return Err(EditError::NotFinite { entity, what: OWN });
        }
        let axes = linear_part(matrix);
        let off = (axes.tr_mul(&axes) - Linear::identity()).amax();
        if !is_affine || off > TOLERANCE || axes.determinant() < 0.0 {
            return Err(EditError::Scaled { entity, frame });
        }
        let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
        let place = Isometry3::from_parts(origin(matrix).into(), turn);
        let mut free = pose(&self.fresh, frame, None) * place;
        free.rotation = unit(free.rotation);
        let local = LocalChange::Frame(free.into());
        let parent = ParentChange::Remove;
        Ok(Plan { entity, parent, reset: false, gives_frame_up: false, local })
    }
}
