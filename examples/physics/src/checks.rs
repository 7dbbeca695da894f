//! What must hold in every tick and in every frame. It panics where it does not.

use std::{collections::HashMap, fmt};

use legion::{Entity, IntoQuery, Resources, World};
use legion_transform::{prelude::*, smooth::Smooth};
use legion_transform_testing::{assert_up_to_date, motion::mismatch};
use nalgebra::Point3;

use crate::{
    movers::Tick,
    physics::{Body, Physics, pose_of},
    scene::{Cast, HOME},
    story::{self, Story},
};

/// What an element of a matrix may be off by. Everything is less than 16 m from the origin, where
/// an `f32` has steps of 1e-6 at most.
const TOLERANCE: f32 = 2e-6;
/// Nothing is faster than 6 m/s: in a tick it moves by 0.1 m at most.
const ONE_TICK: f32 = 0.1;
/// After so many ticks the passenger has come down, and lies still on the platform.
const SETTLED: u32 = 60;
/// How far it may slip in a tick, in metres. The platform moves by up to 0.05.
const MOST_SLIP: f32 = 0.0005;

type Matrices = HashMap<Entity, LocalToWorld>;

/// The last two ticks, and what is for the program's last lines.
#[derive(Default)]
pub struct Checks {
    last: Matrices,
    now: Matrices,
    /// How many entities were there from the beginning.
    standing: usize,
    /// Who is teleported in the last tick, with all below.
    jumped: Vec<Entity>,
    ticks: u32,
    frames: u32,
    slip: f32,
    ridden: f32,
}

impl Checks {
    pub fn new(world: &World) -> Self {
        Self { standing: world.len(), ..Self::default() }
    }

    /// After a tick, and after `Smooth` has followed it.
    pub fn tick(&mut self, world: &World, resources: &Resources) {
        let physics = resources.get::<Physics>().expect("inserted at the beginning");
        let story = resources.get::<Story>().expect("inserted at the beginning");
        let Tick(tick) = *resources.get::<Tick>().expect("inserted at the beginning");
        assert_up_to_date(world);
        let mut all = <(Entity, &LocalToWorld)>::query();
        let now = all.iter(world).map(|(&entity, &matrix)| (entity, matrix)).collect();
        self.last = std::mem::replace(&mut self.now, now);
        self.ticks += 1;
        self.counts(world, &physics, &story);
        self.bodies(world, &physics, tick);
        self.ways(world, &story);
        self.ride(&story.cast);
    }

    /// As many entities as the story says, and a body and a collider for each `Body`: nothing is
    /// left of what is destroyed.
    fn counts(&self, world: &World, physics: &Physics, story: &Story) {
        let coming = if story.haulage.is_some() { story::COMING } else { 0 };
        assert_eq!(world.len(), self.standing + coming, "entities");
        assert_eq!(self.now.len(), world.len(), "an entity has no LocalToWorld");
        let bodies = <&Body>::query().iter(world).count();
        assert_eq!(physics.rapier.bodies.len(), bodies, "bodies without entities");
        assert_eq!(physics.rapier.colliders.len(), bodies, "colliders without bodies");
    }

    /// rapier moves roots, and nothing else: each of them is where its body is.
    fn bodies(&self, world: &World, physics: &Physics, tick: u32) {
        let mut carried = 0;
        for (entity, body, matrix, parent) in
            <(Entity, &Body, &LocalToWorld, Option<&Parent>)>::query().iter(world)
        {
            let body = physics.body(body);
            assert_eq!(body.is_enabled(), parent.is_none(), "{entity:?} is moved by two, or none");
            if parent.is_some() {
                carried += 1;
                continue;
            }
            let [at, expected] = [pose_of(matrix), *body.position()];
            let error = (at.translation - expected.translation).abs().max_element();
            let turn = 1.0 - at.rotation.dot(expected.rotation).abs();
            assert!(error.max(turn) <= TOLERANCE, "{entity:?} is {error}, {turn} from its body");
        }
        assert_eq!(carried, story::carried(tick), "loads on carriers at tick {tick}");
    }

    /// Who is picked up, released or carried goes on from where it was; who is teleported does not.
    fn ways(&mut self, world: &World, story: &Story) {
        let walk = Walk::new(world).expect("the bundle has run");
        let with_all_below = |entity| walk.descendants(entity).chain([entity]);
        self.jumped = story.teleported.into_iter().flat_map(with_all_below).collect();
        for (entity, last) in &self.last {
            let Some(now) = self.now.get(entity) else { continue };
            let way = (now.position() - last.position()).norm();
            let is_jumping = self.jumped.contains(entity);
            assert!(is_jumping || way <= ONE_TICK, "{entity:?} moves by {way} m in a tick");
        }
        if let Some(entity) = story.teleported {
            let way = (self.now[&entity].position() - Point3::from(HOME.to_array())).norm();
            assert!(way <= ONE_TICK, "teleported to {way} m from home");
        }
    }

    /// The platform goes to and fro, and the passenger stays where it stands on it.
    fn ride(&mut self, Cast { passenger, platform, .. }: &Cast) {
        if self.ticks <= SETTLED {
            return;
        }
        let [last, now] = [&self.last, &self.now].map(|tick| {
            let (passenger, platform) = (tick[passenger].position(), &tick[platform]);
            (passenger, platform.inverse().expect("a pose").transform_point(&passenger))
        });
        let slip = (now.1 - last.1).norm();
        assert!(slip <= MOST_SLIP, "the passenger slips by {slip} m");
        self.slip = self.slip.max(slip);
        self.ridden += (now.0 - last.0).norm();
    }

    /// At `alpha` everything is on its way between the ticks, and what came or jumped is there
    /// already.
    pub fn frame(&mut self, world: &World, smooth: &Smooth, alpha: f32) {
        self.frames += 1;
        for (&entity, now) in &self.now {
            let last = self.last.get(&entity).filter(|_| !self.jumped.contains(&entity));
            for alpha in [0.0, alpha, 1.0] {
                let drawn = smooth.matrix(world, entity, alpha).expect("it was there in the tick");
                let alpha = if last.is_some() { alpha } else { 1.0 };
                let wrong = mismatch(last.unwrap_or(now), now, alpha, &drawn);
                assert_eq!(wrong, None, "{entity:?}");
            }
        }
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slip = self.slip * 1000.0;
        writeln!(f, "{} ticks, {} frames between them: all is right", self.ticks, self.frames)?;
        writeln!(f, "the passenger rode {:.2} m and slipped by {slip:.2} mm at most", self.ridden)
    }
}
