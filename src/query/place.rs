//! Where entities are in `f64`: in the space of the frame in which they stand.
//!
//! An `f32` relative to the origin moves in steps of a metre at 1e7 m. So the pose between two
//! entities is computed from the frame above them down, or by way of two frames:
//!
//! ```text
//!   ship         Frame (1e7, 0, 0)     LocalToWorld   (1e7, 0, 0)     in the ship     0
//!   └─ deck      Translation 2                        (1e7 + 2, 0, 0)                 2
//!      └─ lamp   Translation 0.3                      (1e7 + 2, 0, 0)                 2.3
//! ```

use std::ops::ControlFlow::Break;

use legion::{Entity, world::ComponentError};
use nalgebra::{Isometry3, Matrix4};

use crate::{
    components::{Frame, Inherits},
    engine::{FreshRows, Spaces, WayUp},
    findings::QueryError,
    math::{Base, affine, compose::product, inherited, linear_part, origin, times},
};

/// Where an entity is, or what a child inherits of it.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The frame in whose space it is. `None`: it is in the world, relative to the origin.
    pub frame: Option<Entity>,
    pub matrix: Matrix4<f64>,
}

impl Place {
    /// A matrix of the world.
    #[inline]
    pub fn seen(matrix: &Matrix4<f32>) -> Self {
        Self { frame: None, matrix: matrix.cast() }
    }

    /// Where the first of a path is.
    pub fn of<'a>(rows: &FreshRows<'a>, path: &WayUp<'_, 'a>) -> Result<Self, QueryError> {
        match frame_at(rows, path, 0)? {
            Some(frame) => Ok(Descent::to(rows, path, frame, 0)?.place()),
            None => rows.world_at(path, 0).map(|matrix| Self::seen(&matrix)),
        }
    }

    /// What a child with these parts inherits of one of a path, if that is in a frame.
    #[inline]
    pub fn inherited<'a>(
        rows: &FreshRows<'a>,
        path: &WayUp<'_, 'a>,
        at: usize,
        parts: Inherits,
    ) -> Result<Option<Self>, QueryError> {
        let Some(frame) = frame_at(rows, path, at)?.filter(|_| parts.translation) else {
            return Ok(None);
        };
        let mut descent = Descent::to(rows, path, frame, at)?;
        descent.inherit(parts)?;
        Ok(Some(descent.place()))
    }
}

/// Whether a frame was met on the way up from an entity that was asked for.
#[inline]
pub(crate) fn has_met_frames(rows: &FreshRows<'_>) -> bool {
    rows.has_met_frames.load(std::sync::atomic::Ordering::Relaxed)
}

/// Which of a path has the frame in whose space one of them stands. It stands in none where a
/// user's component writes its matrix or one between, or where a place is not inherited: that is
/// relative to the origin.
#[inline]
pub(crate) fn frame_at<'a>(
    rows: &FreshRows<'a>,
    path: &WayUp<'_, 'a>,
    at: usize,
) -> Result<Option<usize>, QueryError> {
    if has_met_frames(rows) { find_frame(path, at) } else { Ok(None) }
}

#[inline(never)]
fn find_frame(path: &WayUp<'_, '_>, at: usize) -> Result<Option<usize>, QueryError> {
    let nodes = &path.nodes;
    for i in at..nodes.len() {
        let parent = nodes.get(i + 1).map(|parent| parent.entity);
        let (meaning, overridden) = (&nodes[i].archetype.meaning, path.is_world_overridden(i));
        if let Break(is_frame) = meaning.space(overridden, || nodes[i].inherits(), parent)? {
            return Ok(is_frame.then_some(i));
        }
    }
    Ok(None)
}

/// The way down from a frame.
struct Descent {
    frame: Entity,
    /// The matrix of the frame, relative to the origin.
    from: Matrix4<f32>,
    /// The matrix of the entity as of now.
    seen: Matrix4<f32>,
    /// Where that entity is in the frame.
    matrix: Matrix4<f64>,
}

impl Descent {
    /// From one of a path to one below it.
    fn to<'a>(
        rows: &FreshRows<'a>,
        path: &WayUp<'_, 'a>,
        frame: usize,
        at: usize,
    ) -> Result<Self, QueryError> {
        let from = rows.world_at(path, frame)?;
        let entity = path.nodes[frame].entity;
        let mut way = Self { frame: entity, from, seen: from, matrix: Matrix4::identity() };
        for pair in path.nodes[at..=frame].windows(2).rev() {
            way.inherit(pair[0].inherits()?)?;
            let local = rows.member_matrix(pair[0], pair[1])?;
            way.seen = product(&way.seen, &local);
            way.matrix = times(&way.matrix, &local.cast());
        }
        Ok(way)
    }

    /// Leaves out what a child does not inherit. Without the rotation, say, it has axes of the
    /// world.
    fn inherit(&mut self, parts: Inherits) -> Result<(), QueryError> {
        if parts != Inherits::ALL {
            self.seen = inherited(&self.seen, parts);
            let back = linear_part(&self.from.cast()).try_inverse();
            let axes =
                back.ok_or(QueryError::NoInverse(self.frame))? * linear_part(&self.seen.cast());
            self.matrix = affine(&axes, &origin(&self.matrix));
        }
        Ok(())
    }

    fn place(self) -> Place {
        Place { frame: Some(self.frame), matrix: self.matrix }
    }
}

/// From the space of one frame to that of another; `None` is the world, relative to the origin. No
/// matrix if both are the same. Between two frames, exact as [`Frame::between`]; the world is that
/// of the last run.
#[inline]
pub(crate) fn between(
    rows: &FreshRows<'_>,
    from: Option<Entity>,
    to: Option<Entity>,
) -> Result<Option<Matrix4<f64>>, QueryError> {
    Ok(match (from, to) {
        _ if from == to => None,
        (Some(from), Some(to)) => {
            may_read_frames(rows, from)?;
            may_read_frames(rows, to)?;
            Some(pose(rows, from, Some(to)).to_homogeneous())
        }
        (Some(frame), None) => Some(rows.world_of(frame)?.cast()),
        (None, Some(frame)) => {
            let back = Base::new(&rows.world_of(frame)?).inverse().copied();
            Some(back.ok_or(QueryError::NoInverse(frame))?)
        }
        (None, None) => None,
    })
}

/// The pose of the nearest frame at or above an entity, in the space of the nearest one at or above
/// another, or in the universe.
pub(crate) fn pose(rows: &FreshRows<'_>, entity: Entity, space: Option<Entity>) -> Isometry3<f64> {
    let mut spaces = Spaces::seen_from(rows, space);
    spaces.add(rows, entity);
    spaces.below(Some(entity)).see(&Frame::default())
}

/// The frame in whose space an entity stands.
pub(crate) fn own_frame(rows: &FreshRows<'_>, entity: Entity) -> Result<Entity, QueryError> {
    let mut path = WayUp::of(rows.node(entity)?);
    rows.climb(&mut path)?;
    let frame = frame_at(rows, &path, 0)?.map(|at| path.nodes[at].entity);
    frame.ok_or(QueryError::NoFrame(entity))
}

/// Whether a system has access to all frames at and above an entity.
fn may_read_frames(rows: &FreshRows<'_>, entity: Entity) -> Result<(), QueryError> {
    let mut path = WayUp::of(rows.node(entity)?);
    rows.climb(&mut path)?;
    for node in path.nodes.iter().filter(|node| node.archetype.meaning.has_frame) {
        let Ok(entry) = rows.store.entry_of(node.entity) else { continue };
        if let Err(ComponentError::Denied { component_name, .. }) = entry.get_component::<Frame>() {
            let (component, entity) = (Some(component_name), Some(node.entity));
            return Err(QueryError::MissingAccess { component, entity });
        }
    }
    Ok(())
}
