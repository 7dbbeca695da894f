//! After a tick: what the story told, and who rides.

use std::collections::HashSet;

use legion::{Entity, IntoQuery, World};
use legion_transform::prelude::*;
use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3};

use super::{Checks, TOLERANCE, Table};
use crate::{
    movers::{Spin, Tick},
    physics::Physics,
    scene::{Cast, HOME},
    story::Event,
    turret::Aims,
};

/// After so many ticks the passenger has come down, and lies still on the platform.
const SETTLED: u32 = 60;
/// How far it may slip in a tick, in metres. The platform moves by up to 0.05.
const MOST_SLIP: f64 = 0.0005;
/// What two edits in `f32` and two products of them may be off by.
const IN_PLACE: f64 = 1e-5;
/// At 6 m/s a tick is a way of 0.1 m.
const ONE_TICK: f64 = 0.1;

fn place(table: &Table, entity: Entity) -> Vector3<f64> {
    table[&entity].expected.column(3).xyz()
}

/// The matrix of one entity in another's space.
fn between(table: &Table, of: Entity, within: Entity) -> Matrix4<f64> {
    let within = table[&within].expected.try_inverse().expect("poses have inverses");
    within * table[&of].expected
}

/// Whether the entity is `above`, or below it.
fn is_below(table: &Table, entity: Entity, above: &HashSet<Entity>) -> bool {
    above.contains(&entity)
        || table[&entity].parent.is_some_and(|parent| is_below(table, parent, above))
}

impl Checks {
    /// Only an edit moves a part in its parent, if it neither spins nor aims.
    pub(super) fn locals_stay(&self) {
        for (entity, seen) in &self.now {
            if let Some(last) = self.last.get(entity).filter(|last| last.parent == seen.parent) {
                assert_eq!(last.local, seen.local, "{entity:?} was moved in its parent");
            }
        }
    }

    /// What spins is as far round as the tick says. What aims has its z axis towards its target,
    /// and its y axis upwards.
    pub(super) fn turns(&self, world: &World, tick: &Tick) {
        for (rotation, spin) in <(&Rotation, &Spin)>::query().iter(world) {
            let turns = f64::from(tick.0 % spin.ticks) / f64::from(spin.ticks);
            let angle = turns * std::f64::consts::TAU;
            let expected = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
            let error = rotation.cast::<f64>().angle_to(&expected);
            assert!(error <= TOLERANCE, "a part is {error} from where it should have turned to");
        }
        for (turret, Aims(target)) in <(Entity, &Aims)>::query().iter(world) {
            let z = (place(&self.now, *target) - place(&self.now, *turret)).normalize();
            let x = Vector3::y().cross(&z).normalize();
            let expected = Matrix3::from_columns(&[x, z.cross(&x), z]);
            let error = (self.now[turret].expected.fixed_view::<3, 3>(0, 0) - expected).amax();
            assert!(error <= TOLERANCE, "{turret:?} aims beside its target, by {error}");
        }
    }

    /// rapier moves roots, and nothing else: each of them is where its body is.
    pub(super) fn loads(&self, physics: &Physics) {
        for (entity, seen) in &self.now {
            let body = seen.body.map(|body| &physics.rapier.bodies[body]);
            let is_right = body.is_none_or(|body| body.is_enabled() == seen.parent.is_none());
            assert!(is_right, "{entity:?} is moved by rapier and by its parent, or by neither");
            if seen.parent.is_none() {
                let pose = body.expect("every root has a body").position();
                let at = Translation::from(pose.translation).to_homogeneous();
                let expected = at * Rotation::from(pose.rotation).to_homogeneous();
                let error = f64::from((seen.matrix.0 - expected).amax());
                assert!(error <= TOLERANCE, "{entity:?} is {error} from its body");
            }
        }
    }

    /// The platform goes to and fro, and the passenger stays where it stands on it.
    pub(super) fn ride(&mut self, cast: &Cast) {
        if self.report.ticks <= SETTLED {
            return;
        }
        let seat = |table| between(table, cast.passenger, cast.platform).column(3).xyz();
        let slip = (seat(&self.now) - seat(&self.last)).norm();
        assert!(slip <= MOST_SLIP, "the passenger slips by {slip} m");
        let way = place(&self.now, cast.passenger) - place(&self.last, cast.passenger);
        self.report.slip = self.report.slip.max(slip);
        self.report.ridden += way.norm();
    }

    pub(super) fn events(&mut self, events: &[Event]) {
        let mut jumped = HashSet::new();
        for event in events {
            match *event {
                Event::PickedUp { load, carrier } => {
                    self.report.picked_up += 1;
                    assert_eq!(self.now[&load].parent, Some(carrier));
                    // Where it was on the carrier before, it is now.
                    let before = between(&self.last, load, carrier);
                    let error = (between(&self.now, load, carrier) - before).amax();
                    assert!(error <= IN_PLACE, "picked up {error} m from where it was");
                }
                Event::Released(load) => {
                    self.report.released += 1;
                    assert_eq!(self.now[&load].parent, None);
                    let way = (place(&self.now, load) - place(&self.last, load)).norm();
                    assert!(way <= ONE_TICK, "released {way} m from where it was");
                }
                Event::Destroyed(entity) => {
                    self.report.destroyed += 1;
                    assert!(self.last.contains_key(&entity) && !self.now.contains_key(&entity));
                }
                Event::Teleported(entity) => {
                    self.report.teleported += 1;
                    let home = Vector3::from(HOME.to_array()).cast();
                    assert!((place(&self.now, entity) - home).norm() <= ONE_TICK);
                    jumped.insert(entity);
                }
            }
        }
        let is_jumping = |entity: &&Entity| is_below(&self.now, **entity, &jumped);
        self.jumped = self.now.keys().filter(is_jumping).copied().collect();
    }

    /// Whoever was below an entity that is gone is gone, too, and so are the bodies of all of them.
    pub(super) fn nothing_is_left(&self, physics: &Physics) {
        let gone = |entity: &&Entity| !self.now.contains_key(*entity);
        let gone: HashSet<Entity> = self.last.keys().filter(gone).copied().collect();
        for (entity, seen) in &self.last {
            assert_eq!(
                is_below(&self.last, *entity, &gone),
                gone.contains(entity),
                "{entity:?} is left of a subtree that was destroyed"
            );
            if let Some(body) = seen.body.filter(|_| gone.contains(entity)) {
                assert!(!physics.rapier.bodies.contains(body), "{entity:?} left its body");
            }
        }
    }
}
