//! Spaces, and how the frames in them are seen from the origin.

use std::collections::HashMap;

use legion::{Entity, World, world::EntityHasher};
use nalgebra::{Isometry3, Matrix3, Matrix4, UnitQuaternion};

use super::Frame;
use crate::query::{Walk, component, entry};

/// A space that frames stand in: that of a frame, or the universe.
///
/// A frame in it with the pose `F` is seen as `seen * (anchor^-1 * F)`. In the space of a frame
/// `X`, the anchor is the identity, and `seen` is `X` as it is seen. In a space above the origin,
/// the anchor is the next frame on the way down to the origin:
///
/// ```text
///   universe    anchor: earth   (1.5e11)       seen: earth   (-7e6)
///   earth       anchor: ship    (7e6)          seen: ship    0
///   ship        anchor: 0                      seen: ship    0
///   town        anchor: 0                      seen: town    (-6e5)
/// ```
///
/// So a buoy at 7e6 + 0.001 in earth is at `0 + (0.001)`: the large numbers meet in one difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    anchor: Isometry3<f64>,
    seen: Isometry3<f64>,
    /// The rotation of `seen * anchor^-1`, and the same as a matrix.
    turn: UnitQuaternion<f64>,
    axes: Matrix3<f64>,
}

impl Space {
    fn new(anchor: Isometry3<f64>, seen: Isometry3<f64>) -> Self {
        let turn = seen.rotation * anchor.rotation.inverse();
        Self { anchor, seen, turn, axes: turn.to_rotation_matrix().into_inner() }
    }

    /// The space of a frame that is seen so.
    fn of(seen: Isometry3<f64>) -> Self {
        Self::new(Isometry3::identity(), seen)
    }

    /// A frame in this space, as it is seen from the origin.
    #[inline]
    pub fn see(&self, frame: &Frame) -> Isometry3<f64> {
        // Exactly so: the frame of the origin is seen as the identity.
        if frame.to_isometry() == self.anchor {
            return self.seen;
        }
        let beside = frame.position.coords - self.anchor.translation.vector;
        let position = self.seen.translation.vector + self.axes * beside;
        Isometry3::from_parts(position.into(), self.turn * frame.rotation)
    }

    /// [`see`](Self::see) as a matrix.
    #[inline]
    pub fn matrix(&self, frame: &Frame) -> Matrix4<f32> {
        let pose = self.see(frame);
        let axes: Matrix3<f32> = pose.rotation.to_rotation_matrix().into_inner().cast();
        let mut matrix = axes.to_homogeneous();
        matrix.set_column(3, &pose.translation.vector.cast().push(1.0));
        matrix
    }
}

/// The spaces that are known, each by the entity whose children stand in it.
pub struct Spaces {
    /// The space of frames without a frame above.
    pub universe: Space,
    known: HashMap<Entity, Space, EntityHasher>,
}

impl Spaces {
    /// The spaces at and above the origin, each seen by way of the one below it.
    pub fn seen_from(world: &World, walk: &Walk<'_, World>, origin: Option<Entity>) -> Self {
        let mut known = HashMap::default();
        // The frame that was met last, with its pose and as it is seen.
        let mut below: Option<(Isometry3<f64>, Isometry3<f64>)> = None;
        for (entity, frame) in origin.into_iter().flat_map(|origin| frames_up(world, walk, origin))
        {
            let space = match below {
                // The inverse of the pose below, as the pose of a frame at the space's own origin.
                Some((anchor, seen)) => Space::new(anchor, seen),
                None => Space::of(Isometry3::identity()),
            };
            known.insert(entity, space);
            let seen = space.see(&Frame::default());
            below = Some((frame.to_isometry(), seen));
        }
        let universe = match below {
            Some((anchor, seen)) => Space::new(anchor, seen),
            None => Space::of(Isometry3::identity()),
        };
        Self { universe, known }
    }

    /// The space in which the children of an entity stand: of the nearest frame at or above it.
    pub fn at(&mut self, world: &World, walk: &Walk<'_, World>, entity: Entity) -> Space {
        if let Some(&space) = self.known.get(&entity) {
            return space;
        }
        // The frames from here up to the first whose space is known, or to the universe.
        let mut unknown = Vec::new();
        let mut space = self.universe;
        for (frame, pose) in frames_up(world, walk, entity) {
            if let Some(&known) = self.known.get(&frame) {
                space = known;
                break;
            }
            unknown.push((frame, pose));
        }
        let is_frame = unknown.first().is_some_and(|(frame, _)| *frame == entity);
        for (frame, pose) in unknown.into_iter().rev() {
            space = Space::of(space.see(&pose));
            self.known.insert(frame, space);
        }
        if !is_frame {
            self.known.insert(entity, space);
        }
        space
    }

    /// [`at`](Self::at) for all of these.
    pub fn add(&mut self, world: &World, walk: &Walk<'_, World>, entities: &[Entity]) {
        self.known.reserve(entities.len());
        entities.iter().for_each(|&entity| _ = self.at(world, walk, entity));
    }

    /// The space in which the frames below a parent stand, [known](Self::at) already.
    pub fn below(&self, parent: Option<Entity>) -> Space {
        let known = parent.and_then(|parent| self.known.get(&parent));
        known.copied().unwrap_or(self.universe)
    }

    /// Whether the frames of all these parents are seen as before.
    pub fn same_for(&self, other: &Self, parents: &[Entity]) -> bool {
        parents.iter().all(|parent| self.known.get(parent) == other.known.get(parent))
    }
}

/// The frames at and above an entity, the nearest first.
fn frames_up<'w>(
    world: &'w World,
    walk: &Walk<'_, World>,
    start: Entity,
) -> impl Iterator<Item = (Entity, Frame)> + use<'w> {
    let entities = std::iter::once(start).chain(walk.ancestors(start));
    entities.filter_map(|entity| {
        let entry = entry(world, entity).ok()?;
        let frame = component::<Frame>(&entry, entity).ok()??;
        Some((entity, *frame))
    })
}
