//! A `Smooth` that is told of each run, beside plain copies of the world matrices of two ticks.

use std::collections::{HashMap, HashSet};

use legion::{Entity, EntityStore, IntoQuery, Resources, World, component};
use legion_transform::{TransformChanges, components::*, smooth::Smooth};
use nalgebra::Matrix4;

use crate::{reference::motion::mismatch, snapshot};

/// A [`Smooth`] that follows the ticks of one world, beside plain copies: it must be at the last
/// two ticks where the world was, to the bit, and in between where the formula says.
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
/// use legion_transform_testing::SmoothMirror;
///
/// let (mut world, mut resources) = (World::default(), Resources::default());
/// let bundle = TransformSystemBundle::default().track_changes();
/// let mut schedule = Schedule::builder().add_transforms(bundle).build();
/// let mut mirror = SmoothMirror::default();
/// world.push_transform((Translation::new(1.0, 0.0, 0.0),));
/// schedule.execute(&mut world, &mut resources);
/// mirror.follow(&world, &resources);
/// ```
pub struct SmoothMirror {
    /// What follows the ticks. Teleport by the mirror's own calls.
    pub smooth: Smooth,
    /// The matrices as of the last tick.
    matrices: HashMap<Entity, LocalToWorld>,
    jumping: HashSet<Entity>,
    /// Who goes through a portal, with all below, in the order of the calls.
    carried: Vec<(Entity, Matrix4<f32>)>,
    /// From where the world was seen, as seen from where it is.
    origin: Option<Frame>,
    /// What was drawn: where all are, and where they were in the frame before. It is updated by the
    /// list of what has to be, and nothing else.
    drawn: HashMap<Entity, (LocalToWorld, LocalToWorld)>,
    /// Where all were in the last frame, or first, or after a jump.
    last_frame: HashMap<Entity, LocalToWorld>,
    count: u32,
}

impl Default for SmoothMirror {
    fn default() -> Self {
        Self {
            smooth: Smooth::default().with_last_frames(),
            matrices: HashMap::new(),
            jumping: HashSet::new(),
            carried: Vec::new(),
            origin: None,
            drawn: HashMap::new(),
            last_frame: HashMap::new(),
            count: 0,
        }
    }
}

/// Between which matrices an entity moves.
type Motions = HashMap<Entity, (LocalToWorld, LocalToWorld)>;

impl SmoothMirror {
    /// The entity and all below it jump in the next tick.
    pub fn teleport(&mut self, entity: Entity) {
        self.smooth.teleport(entity);
        self.jumping.insert(entity);
    }

    /// The entity and all below it go through a portal in the next tick.
    pub fn teleport_by(&mut self, entity: Entity, map: Matrix4<f32>) {
        self.smooth.teleport_by(entity, map);
        self.carried.push((entity, map));
    }

    /// The world is seen from another frame in the next tick.
    pub fn change_origin(&mut self, old_in_new: Frame) {
        self.smooth.change_origin(old_in_new);
        let before = self.origin.unwrap_or_default().to_isometry();
        self.origin = Some((old_in_new.to_isometry() * before).into());
    }

    /// Follows the last run of a world whose bundle tracks changes; does nothing otherwise. Now and
    /// then several ticks go by without a frame, or several frames without a tick.
    ///
    /// # Panics
    ///
    /// If an entity is not where it must be at the two ticks or in between, or if what moves is not
    /// listed once.
    pub fn follow(&mut self, world: &World, resources: &Resources) {
        let changes = resources.get::<TransformChanges>();
        if changes.is_none_or(|changes| changes.tracked(world).is_none()) {
            return;
        }
        self.tick(world, resources);
        let between = self.between();
        for frame in 0..self.count % 3 {
            self.draw(world, between / (frame + 1) as f32);
        }
    }

    /// A tick without a frame.
    ///
    /// # Panics
    ///
    /// As `follow` does, and if the bundle does not track changes.
    pub fn tick(&mut self, world: &World, resources: &Resources) {
        let changes = resources.get::<TransformChanges>().expect("the bundle tracks changes");
        if changes.of(world).begins_anew() {
            self.matrices.clear();
            self.drawn.clear();
            self.last_frame.clear();
        }
        self.smooth.tick(world, &changes).expect("a whole world may be read");
        let mut all = <(Entity, &LocalToWorld)>::query();
        let now = all.iter(world).map(|(&entity, &matrix)| (entity, matrix)).collect();
        let mut before = std::mem::replace(&mut self.matrices, now);
        let carried = std::mem::take(&mut self.carried);
        let origin = self.origin.take();
        for matrices in [&mut before, &mut self.last_frame] {
            for (&entity, matrix) in matrices.iter_mut() {
                see_from(world, origin, entity, matrix);
                go_through(world, &carried, entity, matrix);
            }
        }
        let jumping = std::mem::take(&mut self.jumping);
        let moves = |(&entity, to): (&Entity, &LocalToWorld)| {
            let from = before.get(&entity).copied();
            let from = from.unwrap_or_else(|| self.arrived(world, entity, to));
            let rests =
                same_bits(&from, to) || !jumping.is_empty() && jumps(world, entity, &jumping);
            (!rests).then_some((entity, (from, *to)))
        };
        let motions: Motions = self.matrices.iter().filter_map(moves).collect();
        self.last_frame.retain(|entity, _| self.matrices.contains_key(entity));
        for (&entity, &now) in &self.matrices {
            let begin = || motions.get(&entity).map_or(now, |(from, _)| *from);
            let last = self.last_frame.entry(entity).or_insert_with(begin);
            if !jumping.is_empty() && jumps(world, entity, &jumping) {
                *last = now;
            }
        }
        self.count += 1;
        self.check_updates(world, &motions, self.between());
        for alpha in [0.0, self.between(), 1.0] {
            self.check_columns(world, &motions, alpha);
        }
    }

    /// Where an entity that came in the last tick begins: where it is; or elsewhere, if it stands
    /// below a parent that moves.
    fn arrived(&self, world: &World, entity: Entity, now: &LocalToWorld) -> LocalToWorld {
        let at = |entity, alpha| self.smooth.matrix(world, entity, alpha).expect("in the tick");
        let begin = at(entity, 0.0);
        if !same_bits(&begin, now) {
            let record =
                world.entry_ref(entity).unwrap().get_component::<PreviousParent>().cloned();
            let parent = record.unwrap().parent().expect("what comes from elsewhere has a parent");
            assert!(!same_bits(&at(parent, 0.0), &at(parent, 1.0)), "{entity:?} moves alone");
        }
        begin
    }

    /// A time between the last tick and the next.
    fn between(&self) -> f32 {
        (self.count % 8 + 1) as f32 / 9.0
    }

    /// What moves is listed, once, and where it is to be; and nothing that is elsewhere.
    fn check_updates(&self, world: &World, motions: &Motions, alpha: f32) {
        let mut listed = HashSet::new();
        for (entity, matrix) in self.smooth.updates(alpha) {
            assert!(listed.insert(entity), "{entity:?} is listed twice");
            if let Some((from, to)) = motions.get(&entity) {
                let wrong = mismatch(&from.0, &to.0, alpha, &matrix.0);
                assert_eq!(wrong, None, "{entity:?}");
            }
            assert_eq!(self.smooth.matrix(world, entity, alpha).map(bits), Some(bits(matrix)));
        }
        assert!(motions.keys().all(|entity| listed.contains(entity)), "what moves is listed");
        let nothing = <Entity>::query().filter(!component::<LocalToWorld>());
        for &entity in { nothing }.iter(world) {
            assert!(self.smooth.matrix(world, entity, alpha).is_none(), "{entity:?} has no matrix");
        }
    }

    /// Draws a frame by the list of updates alone. Everything is where it is to be, and was where
    /// it was drawn before.
    ///
    /// # Panics
    ///
    /// If not.
    pub fn draw(&mut self, world: &World, alpha: f32) {
        let mut motions = HashMap::new();
        for it in self.smooth.motions(alpha) {
            assert!(motions.insert(it.entity, it).is_none(), "{:?} is listed twice", it.entity);
        }
        for (entity, matrix) in self.smooth.updates(alpha) {
            let moved = motions.get(&entity).expect("what is updated has a motion");
            assert_eq!(bits(moved.now), bits(matrix), "{entity:?}");
        }
        self.drawn.extend(motions.into_values().map(|it| (it.entity, (it.now, it.before))));
        for (&entity, last) in &mut self.last_frame {
            let seen = self.smooth.last_frame(world, entity).expect("it was in the tick");
            assert!(same_bits(&seen, last), "{entity:?} was at {last:?}, and not at {seen:?}");
            let matrix = self.smooth.matrix(world, entity, alpha).expect("it was in the tick");
            let drawn = self.drawn.get(&entity);
            let is_right =
                drawn.is_some_and(|(now, was)| same_bits(now, &matrix) && same_bits(was, last));
            assert!(is_right, "{entity:?} is at {matrix:?} and was at {last:?}, and not {drawn:?}");
            *last = matrix;
        }
        self.smooth.end_frame(alpha);
    }

    /// The columns of archetypes have the same matrices, and at the ticks exact ones.
    fn check_columns(&self, world: &World, motions: &Motions, alpha: f32) {
        let mut column = Vec::new();
        for chunk in <&LocalToWorld>::query().iter_chunks(world) {
            let index = chunk.archetype().index();
            let entities = self.smooth.entities(index);
            self.smooth.column(index, alpha, &mut column);
            assert_eq!(chunk.archetype().entities(), entities, "rows are those of the tick");
            assert_eq!(column.len(), entities.len());
            let worlds = chunk.into_components();
            for ((entity, matrix), now) in entities.iter().zip(&column).zip(worlds) {
                let exact = match motions.get(entity) {
                    Some((from, _)) if alpha == 0.0 => *from,
                    Some(_) if alpha < 1.0 => self.smooth.matrix(world, *entity, alpha).unwrap(),
                    _ => *now,
                };
                assert!(same_bits(matrix, &exact), "{entity:?} at {alpha}: {matrix:?} {exact:?}");
            }
        }
    }
}

/// Takes the matrix of an entity to where it is seen from now on, if it is in a frame.
fn see_from(world: &World, origin: Option<Frame>, entity: Entity, matrix: &mut LocalToWorld) {
    let is_frame = |it| world.entry_ref(it).is_ok_and(|it| it.get_component::<Frame>().is_ok());
    let is_apart = |it: &Inherits| !it.translation;
    let ends = |&it: &Entity| {
        let entry = world.entry_ref(it).ok();
        is_frame(it) || entry.is_some_and(|it| it.get_component().is_ok_and(is_apart))
    };
    if let Some(pose) = origin.filter(|_| up(world, entity).find(ends).is_some_and(is_frame)) {
        matrix.0 = (pose.to_isometry().to_homogeneous() * matrix.0.cast()).cast();
    }
}

/// Takes the matrix of an entity through its portals, and those of all above.
fn go_through(
    world: &World,
    portals: &[(Entity, Matrix4<f32>)],
    entity: Entity,
    matrix: &mut LocalToWorld,
) {
    let maps = portals.iter().filter(|(portal, _)| up(world, entity).any(|it| it == *portal));
    let map = maps.map(|(_, map)| map.cast::<f64>()).reduce(|all, map| map * all);
    if let Some(map) = map {
        matrix.0 = (map * matrix.0.cast()).cast();
    }
}

/// An entity and all above it, as the last run has linked them.
fn up(world: &World, entity: Entity) -> impl Iterator<Item = Entity> {
    std::iter::successors(Some(entity), |entity| {
        world.entry_ref(*entity).ok()?.get_component::<PreviousParent>().ok()?.parent()
    })
}

/// Whether an entity, or one above it, jumps.
fn jumps(world: &World, entity: Entity, jumping: &HashSet<Entity>) -> bool {
    up(world, entity).any(|entity| jumping.contains(&entity))
}

fn bits(matrix: LocalToWorld) -> [u32; 16] {
    let mut elements = matrix.0.iter().map(|element| element.to_bits());
    std::array::from_fn(|_| elements.next().expect("sixteen of them"))
}

/// Whether two matrices are the same bits; NaNs count as equal.
fn same_bits(a: &LocalToWorld, b: &LocalToWorld) -> bool {
    snapshot::same_bits(a.0.as_slice(), b.0.as_slice())
}
