//! Spaces, and where the frames in them are, relative to the origin.

use std::{collections::HashMap, convert::Infallible};

use legion::{Entity, world::EntityHasher};
use nalgebra::{Isometry3, Matrix3, Matrix4, UnitQuaternion};

use crate::{
    components::{Frame, unit},
    engine::fresh::{FreshRows, Path},
};

/// A space that frames stand in: that of a frame, or the universe.
///
/// Relative to the origin, a frame in it with the pose `F` is at `seen * (anchor^-1 * F)`. In the
/// space of a frame `X`, the anchor is the identity, and `seen` is `X` relative to the origin. In a
/// space above the origin, the anchor is the next frame on the way down to the origin:
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
        // A conjugate is an inverse, but for its length.
        let turn = unit(seen.rotation * anchor.rotation.conjugate());
        Self { anchor, seen, turn, axes: turn.to_rotation_matrix().into_inner() }
    }

    /// The space of a frame that is there, relative to the origin.
    fn of(seen: Isometry3<f64>) -> Self {
        Self::new(Isometry3::identity(), seen)
    }

    /// A frame in this space, relative to the origin. Its rotation counts as one of length 1, so
    /// the length that a user's products or earlier edits left does not matter.
    #[inline]
    pub fn see(&self, frame: &Frame) -> Isometry3<f64> {
        // Exactly so: the frame of the origin is the identity.
        if frame.to_isometry() == self.anchor {
            return self.seen;
        }
        let beside = frame.position.coords - self.anchor.translation.vector;
        let position = self.seen.translation.vector + self.axes * beside;
        Isometry3::from_parts(position.into(), unit(self.turn * frame.rotation))
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

/// Where the spaces are found: the parents of entities, and their frames.
pub trait Tree {
    fn parent(&self, entity: Entity) -> Option<Entity>;
    fn frame(&self, entity: Entity) -> Option<Frame>;
}

/// The world as it is now, as the next run will link it.
impl Tree for FreshRows<'_> {
    fn parent(&self, entity: Entity) -> Option<Entity> {
        // A world grants all access, so the only error is a dead entity. Others ask for it first.
        Some(FreshRows::parent(self, self.node(entity).ok()?).ok()??.entity)
    }

    fn frame(&self, entity: Entity) -> Option<Frame> {
        let has_frame = self.node(entity).ok()?.archetype.meaning.has_frame;
        let entry = self.store.entry_of(entity).ok().filter(|_| has_frame);
        entry?.into_component::<Frame>().ok().copied()
    }
}

/// The number of the universe among the spaces.
const UNIVERSE: u32 = 0;

/// The spaces that are known.
pub struct Spaces {
    /// The universe's, then those of frames.
    list: Vec<Space>,
    /// For each entity at and above the ones that were [added](Self::add), the number of the space
    /// in which its children stand. So no entity is visited twice, however deep it stands:
    ///
    /// ```text
    ///  a, Frame        1      add(d) follows d, c, b, a: to the root
    ///  └ b             1
    ///    └ c, Frame    2
    ///      ├ d         2
    ///      └ e         2      add(e) follows e, c: c is known
    /// ```
    known: HashMap<Entity, u32, EntityHasher>,
}

impl Default for Spaces {
    /// The universe alone, relative to its own origin.
    fn default() -> Self {
        Self { list: vec![Space::of(Isometry3::identity())], known: HashMap::default() }
    }
}

impl Spaces {
    /// The spaces at and above the origin, each computed by way of the one below it.
    pub fn seen_from(tree: &(impl Tree + ?Sized), origin: Option<Entity>) -> Self {
        let mut spaces = Self::default();
        let Some(origin) = origin else { return spaces };
        let way = way_up(origin, |entity| tree.parent(entity));
        // The space of the frame that comes next.
        let mut space = spaces.list[UNIVERSE as usize];
        for &entity in &way.nodes {
            let Some(frame) = tree.frame(entity) else { continue };
            let number = spaces.push(space);
            spaces.known.insert(entity, number);
            let seen = space.see(&Frame::default());
            // The inverse of the pose below, as the pose of a frame at the space's own origin.
            space = Space::new(frame.to_isometry(), seen);
        }
        spaces.list[UNIVERSE as usize] = space;
        spaces.close(&way, tree);
        spaces
    }

    /// Finds the space in which the children of an entity stand: of the nearest frame at or above
    /// it.
    pub fn add(&mut self, tree: &(impl Tree + ?Sized), entity: Entity) {
        let is_known = |it: &Entity| self.known.contains_key(it);
        let way = way_up(entity, |it| if is_known(&it) { None } else { tree.parent(it) });
        let mut above = UNIVERSE;
        for &entity in way.nodes.iter().rev() {
            above = self.enter(tree, entity, above);
        }
        self.close(&way, tree);
    }

    /// The children of an entity stand in its own space if it has a frame, else in the space above.
    fn enter(&mut self, tree: &(impl Tree + ?Sized), entity: Entity, above: u32) -> u32 {
        if let Some(&number) = self.known.get(&entity) {
            return number;
        }
        let space = |frame| Space::of(self.list[above as usize].see(&frame));
        let number = match tree.frame(entity).map(space) {
            Some(space) => self.push(space),
            None => above,
        };
        self.known.insert(entity, number);
        number
    }

    fn push(&mut self, space: Space) -> u32 {
        self.list.push(space);
        self.list.len() as u32 - 1
    }

    /// If a way up ends on a cycle, all entities there are roots, not only the one that was met.
    fn close(&mut self, way: &Path, tree: &(impl Tree + ?Sized)) {
        let mut member = Some(way.root()).filter(|_| way.is_held);
        while let Some(entity) = member {
            self.enter(tree, entity, UNIVERSE);
            member = tree.parent(entity).filter(|&next| next != way.root());
        }
    }

    /// The space in which the frames below a parent stand, which was [added](Self::add); of roots,
    /// the universe's.
    pub fn below(&self, parent: Option<Entity>) -> &Space {
        let known = parent.and_then(|parent| self.known.get(&parent));
        &self.list[known.map_or(UNIVERSE, |&number| number) as usize]
    }

    /// Whether both agree on the universe and on the space of each of these parents that others
    /// have added.
    pub fn same_for(&self, others: &Self, parents: &[Entity]) -> bool {
        let known = parents.iter().filter(|parent| others.known.contains_key(parent));
        let mut known = known.copied().map(Some).chain([None]);
        known.all(|parent| self.below(parent) == others.below(parent))
    }
}

fn way_up(entity: Entity, up: impl Fn(Entity) -> Option<Entity>) -> Path {
    let mut path = Path::of(entity);
    let Ok(()) = path.follow(|entity| Ok::<_, Infallible>(up(entity)));
    path
}
