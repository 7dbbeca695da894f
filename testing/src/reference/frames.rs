//! Where frames are seen: `LocalToWorld(X) = W(O)^-1 W(X)`, in `f64`.
//!
//! ```text
//!   universe           O = ship:  earth, ship              W(O)^-1 W(X), without what both have
//!   └─ earth           X = lamp:  earth, town, lamp        above: ship^-1 town lamp
//!      ├─ town
//!      │  └─ lamp      In one space the difference of two positions comes first:
//!      └─ ship         ship^-1 town = (R_s^-1 (t - s), R_s^-1 R_t)
//! ```

use legion::Entity;
use legion_transform::frames::Frame;
use nalgebra::{Isometry3, Translation3, Vector3};

use crate::{
    kind::Kind,
    reference::{algebra::M, bounded::Bounded, groups::Writer, known::Standing},
    snapshot::Row,
};

impl Standing<'_> {
    /// Whether an entity is seen by its frame: the bundle has `large_worlds`, and no component of
    /// the user's writes the matrix.
    pub fn is_framed(&self, row: &Row) -> bool {
        let is_linked = row.has(Kind::LocalToParent);
        let writer = if is_linked { Writer::LinkedWorld } else { Writer::RootWorld };
        let is_seen = self.setup.large_worlds && row.frame.is_some();
        is_seen && !self.setup.groups.stopped(writer, self.all, row)
    }

    /// What a frame's `LocalToWorld` must be. `None` for the frame of the origin: exactly the
    /// identity.
    pub fn seen(&self, entity: Entity) -> Option<Bounded> {
        let from = self.setup.origin.map_or_else(Vec::new, |origin| self.down_to(origin));
        let to = self.down_to(entity);
        let shared = from.iter().zip(&to).take_while(|(a, b)| a.0 == b.0).count();
        let is_known = is_finite(&to.last()?.1);
        if is_known && shared == to.len() && shared == from.len() {
            return None;
        }
        Some(rounded_once(&between(&from, &to), is_known))
    }

    /// The frames from the universe down to an entity, which may be one itself.
    fn down_to(&self, entity: Entity) -> Vec<(Entity, Frame)> {
        let frame = |entity| {
            let row = self.all.get(entity).filter(|row| self.is_framed(row))?;
            Some((entity, row.frame?))
        };
        let mut frames: Vec<_> = self.links.up(entity).filter_map(frame).collect();
        frames.reverse();
        frames
    }
}

/// A pose, with the sum of the lengths that it was computed of: errors are relative to it.
pub struct Way {
    /// The pose.
    pub pose: Isometry3<f64>,
    /// The sum.
    pub length: f64,
    steps: usize,
}

/// The way from one frame to another one, each with the frames above it, the universe's first.
#[must_use]
pub fn between(from: &[(Entity, Frame)], to: &[(Entity, Frame)]) -> Way {
    let shared = from.iter().zip(to).take_while(|(a, b)| a.0 == b.0).count();
    let (from, to) = (&from[shared..], &to[shared..]);
    match (from.split_first(), to.split_first()) {
        (Some((a, below_a)), Some((b, below_b))) => {
            inverse(down(below_a)).then(beside(a.1, b.1)).then(down(below_b))
        }
        _ => inverse(down(from)).then(down(to)),
    }
}

fn pose(frame: &Frame) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(frame.position.coords), frame.rotation)
}

/// The product of the poses.
fn down(frames: &[(Entity, Frame)]) -> Way {
    let here = Way { pose: Isometry3::identity(), length: 0.0, steps: 0 };
    frames.iter().fold(here, |way, (_, frame)| {
        let length = frame.position.coords.norm();
        way.then(Way { pose: pose(frame), length, steps: 1 })
    })
}

fn inverse(way: Way) -> Way {
    Way { pose: way.pose.inverse(), ..way }
}

/// From one frame to another one in the same space.
fn beside(from: Frame, to: Frame) -> Way {
    let by: Vector3<f64> = to.position - from.position;
    let back = from.rotation.inverse();
    let pose = Isometry3::from_parts(Translation3::from(back * by), back * to.rotation);
    Way { pose, length: by.norm(), steps: 2 }
}

impl Way {
    fn then(self, next: Self) -> Self {
        Self {
            pose: self.pose * next.pose,
            length: self.length + next.length,
            steps: self.steps + next.steps,
        }
    }
}

fn is_finite(frame: &Frame) -> bool {
    pose(frame).to_homogeneous().iter().all(|element| element.is_finite())
}

/// One rounding to `f32` of what may be off by a few roundings in `f64` a step. Anything will do
/// where a number on the way, or of the frame itself, is not finite.
fn rounded_once(way: &Way, is_known: bool) -> Bounded {
    let value: M = way.pose.to_homogeneous();
    let off = 16.0 * f64::EPSILON * (2 + way.steps) as f64;
    let mut tolerance = value.map(|element| 0.51 * f64::from(f32::EPSILON) * element.abs() + off);
    for row in 0..3 {
        tolerance[(row, 3)] += off * way.length;
    }
    tolerance.set_row(3, &M::zeros().row(3));
    if !is_known || value.iter().any(|element| !element.is_finite()) {
        tolerance.fill(f64::from(f32::MAX));
    }
    Bounded::within(value, tolerance)
}
