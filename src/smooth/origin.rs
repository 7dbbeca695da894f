//! The world becomes relative to a different frame.
//!
//! The matrices of two ticks are joined relative to one frame. A viewer steps from a ship into a
//! station, which is turned by half a radian. Joined as they are, a lamp 20 m away would swing
//! through 10 m, on a chord: 0.6 m nearer halfway.

use std::{
    collections::HashMap,
    ops::ControlFlow::{Break, Continue},
};

use legion::{Entity, world::EntityHasher};
use nalgebra::Matrix4;

use super::Smooth;
use crate::{
    components::{Frame, LocalToWorld},
    engine::{Meaning, Store},
};

/// Maps the matrices of the tick before to the new frame.
pub(super) struct SeenAnew<'q, 'a> {
    world: &'q dyn Store<'a>,
    pose: Matrix4<f64>,
    /// Whether entities stand in a frame. Others go along with the viewer.
    known: HashMap<Entity, bool, EntityHasher>,
}

impl<'q, 'a> SeenAnew<'q, 'a> {
    pub fn new(world: &'q dyn Store<'a>, old_in_new: Frame) -> Self {
        let pose = old_in_new.to_isometry().to_homogeneous();
        Self { world, pose, known: HashMap::default() }
    }

    /// Maps the matrix of an entity. Returns whether it stands in a frame, and so has another
    /// matrix.
    pub fn see(&mut self, entity: Entity, matrix: &mut LocalToWorld) -> bool {
        let is_seen = self.is_in_frame(entity);
        if is_seen {
            matrix.0 = (self.pose * matrix.0.cast::<f64>()).cast();
        }
        is_seen
    }

    /// Looks at each entity above once.
    fn is_in_frame(&mut self, entity: Entity) -> bool {
        let (mut way, mut next, mut is_in) = (Vec::new(), Some(entity), false);
        while let Some(at) = next {
            if let Some(&known) = self.known.get(&at) {
                is_in = known;
                break;
            }
            // On a cycle it is met again, and in no frame.
            self.known.insert(at, false);
            way.push(at);
            match Meaning::space_of(self.world, at) {
                Continue(parent) => next = Some(parent),
                Break(is_frame) => {
                    is_in = is_frame;
                    break;
                }
            }
        }
        way.into_iter().for_each(|at| _ = self.known.insert(at, is_in));
        is_in
    }
}

impl Smooth {
    /// Sees what was drawn in the last frame from the new frame.
    pub(super) fn see_drawn_anew(&mut self, seen: &mut SeenAnew<'_, '_>) {
        let Some(last) = &self.last_frame else { return };
        for column in &mut self.columns {
            let entities = &column.entities;
            column.drawn.see(last.number, |row, matrix| _ = seen.see(entities[row], matrix));
        }
    }
}
