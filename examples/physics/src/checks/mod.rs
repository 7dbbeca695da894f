//! What must hold in every tick and in every frame. It panics where it does not.
//!
//! ```text
//!  ticks.rs       after a tick: bodies, aim, ride, loads, who is gone
//!  frames.rs      a frame: between the two ticks around it
//! ```

mod frames;
mod ticks;

use std::{collections::HashMap, fmt};

use legion::{Entity, IntoQuery, Resources, World};
use legion_transform::prelude::*;
use legion_transform_testing::{Kind, Reference};
use nalgebra::Matrix4;
use rapier3d::prelude::RigidBodyHandle;

use crate::{
    movers::{Spin, Tick},
    physics::{Body, Physics},
    story::Story,
    turret::Aims,
};

/// What an element of a matrix may be off by. Everything is less than 16 m from the origin, where
/// an `f32` has steps of 1e-6 at most.
const TOLERANCE: f64 = 2e-6;

/// Of one entity, after a tick.
struct Seen {
    parent: Option<Entity>,
    body: Option<RigidBodyHandle>,
    /// What the bundle made.
    matrix: LocalToWorld,
    /// What it should be, by the components that are written.
    expected: Matrix4<f64>,
    /// In its parent, if nothing turns it there.
    local: Option<Matrix4<f64>>,
}

type Table = HashMap<Entity, Seen>;

/// The last two ticks, and what was found up to now.
#[derive(Default)]
pub struct Checks {
    last: Table,
    now: Table,
    /// Entities that were there from the beginning.
    standing: usize,
    /// What jumped in the last tick, with all below.
    jumped: Vec<Entity>,
    pub report: Report,
}

/// For the program's last lines.
#[derive(Default)]
pub struct Report {
    pub ticks: u32,
    pub frames: u32,
    pub most_entities: usize,
    pub matrices: usize,
    /// The largest difference from the reference: of an element, in metres or as a number.
    pub error: f64,
    pub slip: f64,
    pub ridden: f64,
    pub picked_up: u32,
    pub released: u32,
    pub destroyed: u32,
    pub teleported: u32,
}

impl Checks {
    pub fn new(world: &World) -> Self {
        Self { standing: world.len(), ..Self::default() }
    }

    /// After a tick, and after `Smooth` has followed it.
    pub fn tick(&mut self, world: &World, resources: &Resources) {
        let physics = resources.get::<Physics>().expect("inserted at the beginning");
        let story = resources.get::<Story>().expect("inserted at the beginning");
        let tick = resources.get::<Tick>().expect("inserted at the beginning");
        self.last = std::mem::replace(&mut self.now, table(world));
        self.report.ticks += 1;
        self.matrices();
        self.turns(world, &tick);
        self.locals_stay();
        self.loads(&physics);
        self.ride(&story.cast);
        self.events(&story.events);
        self.nothing_is_left(&physics);
        self.counts(world, &physics);
    }

    /// What the bundle made is what the reference says, to the tolerance.
    fn matrices(&mut self) {
        for (entity, seen) in &self.now {
            let error = (seen.matrix.cast::<f64>() - seen.expected).amax();
            assert!(error <= TOLERANCE, "{entity:?} is off by {error}");
            self.report.error = self.report.error.max(error);
        }
        self.report.matrices += self.now.len();
    }

    /// As many entities as the story tells of, and a body and a collider for each `Body`.
    fn counts(&mut self, world: &World, physics: &Physics) {
        let most = self.standing + crate::story::COMING + crate::turret::COMING;
        assert!(world.len() <= most, "{} entities, at most {most} expected", world.len());
        assert_eq!(self.now.len(), world.len(), "an entity has no LocalToWorld");
        self.report.most_entities = self.report.most_entities.max(world.len());
        let bodies = <&Body>::query().iter(world).count();
        assert_eq!(physics.rapier.bodies.len(), bodies, "bodies without entities");
        assert_eq!(physics.rapier.colliders.len(), bodies, "colliders without bodies");
    }
}

/// All matrices, and what the kit's reference says of them.
fn table(world: &World) -> Table {
    let reference = Reference::of(world);
    reference.check(world).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let mut all = <(Entity, &LocalToWorld, Option<&Body>, Option<&Spin>, Option<&Aims>)>::query();
    let all = all.iter(world).map(|(&entity, &matrix, body, spin, aims)| {
        let parent = reference.parent(entity);
        let is_still = parent.is_some() && spin.is_none() && aims.is_none();
        let local = reference.value(entity, Kind::LocalToParent).filter(|_| is_still);
        let seen = Seen {
            parent,
            body: body.map(|body| body.handle),
            matrix,
            expected: reference.world(entity).expect("it has a matrix").value,
            local: local.and_then(|local| Some(local.bounded()?.value)),
        };
        (entity, seen)
    });
    all.collect()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ticks, {} frames between them", self.ticks, self.frames)?;
        writeln!(
            f,
            "{} matrices of ticks are right to {:.1e}; at most {} entities",
            self.matrices, self.error, self.most_entities
        )?;
        writeln!(
            f,
            "the passenger rode {:.2} m and slipped by {:.2} mm a tick at most",
            self.ridden,
            self.slip * 1000.0
        )?;
        writeln!(
            f,
            "picked up {}, released {}, teleported {}, destroyed {}",
            self.picked_up, self.released, self.teleported, self.destroyed
        )
    }
}
