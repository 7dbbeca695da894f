//! Frames that are computed where something was written are as if all were computed anew.

use std::collections::HashMap;

use harness::{TestWorld, snapshot};
use legion::{
    Entity, Resources, World, any,
    world::{Duplicate, EntityHasher},
};
use legion_transform::{
    ecosystem::merge::register_clones,
    edit::EditError,
    frames::{Frame, Origin},
    prelude::*,
};
use legion_transform_testing::{
    Cast, Kind, OwnEdit, Step, check_histories, config, edits, snapshot::same_bits,
};
use nalgebra::{Point3, UnitQuaternion};
use proptest::prelude::*;

fn bundle() -> TransformSystemBundle {
    TransformSystemBundle::default().large_worlds().print_findings(false)
}

fn frame(x: f64) -> Frame {
    let rotation = UnitQuaternion::from_euler_angles(x, 0.1, -x);
    Frame { position: Point3::new(x, 1.0, x * x), rotation }
}

/// The world is seen from one of the entities.
#[derive(Clone, Debug)]
struct See(usize);

impl OwnEdit for See {
    fn play(&self, _: &mut World, resources: &mut Resources, cast: &mut Cast) {
        cast.pick(self.0).into_iter().for_each(|it| resources.insert(Origin(it)));
    }
}

/// A ship docks and leaves in place, to the millimetre at 1e11 m.
#[test]
fn frames_change_their_parents_in_place() {
    let mut test = TestWorld::new(bundle());
    let station = test.world.push_transform((frame(1e5),));
    let dock = test.world.push_child(station, (Rotation::from_rotation_x(1.0),));
    let ship = test.world.push_transform((Frame {
        position: frame(1e5).position + nalgebra::Vector3::new(0.25, 0.5, 1.0),
        rotation: UnitQuaternion::from_euler_angles(0.5, 0.6, 0.7),
    },));
    test.resources.insert(Origin(station));
    test.run();
    let seen = test.matrix(ship);
    for parent in [Some(dock), Some(station), None] {
        match parent {
            Some(parent) => test.world.set_parent(ship, parent),
            None => test.world.remove_parent(ship),
        }
        .unwrap();
        test.run();
        assert!((test.matrix(ship) - seen).amax() < 1e-5, "{parent:?}: {}", test.matrix(ship));
        // Below the dock it is a plain entity, and stays one until it leaves the station.
        assert_eq!(test.has::<Frame>(ship), parent.is_none());
    }
    // Nothing else says where a frame is.
    let framed = Err(EditError::Framed(ship));
    assert_eq!(test.world.set_local_to_world(ship, Transform::default()), framed);
    assert_eq!(test.world.translate(ship, nalgebra::Vector3::x()), framed);
    let ahead = test.world.look_at(ship, Point3::origin(), nalgebra::Vector3::y());
    assert_eq!(ahead, framed);
}

/// A copy of a world, of which nothing is known, after a run.
fn cloned(test: &TestWorld) -> (TestWorld, HashMap<Entity, Entity, EntityHasher>) {
    let mut merger = Duplicate::default();
    register_clones(&mut merger);
    merger.register_clone::<u8>();
    let mut anew = TestWorld::new(bundle());
    let names = anew.world.clone_from(&test.world, &any(), &mut merger);
    if let Some(origin) = test.resources.get::<Origin>() {
        let origin = names.get(&origin.0).copied().unwrap_or(origin.0);
        anew.resources.insert(Origin(origin));
    }
    anew.run();
    (anew, names)
}

/// In worlds of frames and plain entities, with all mistakes in links and matrices.
#[test]
fn a_run_is_right_where_nothing_was_computed() {
    let edits = edits()
        .everything()
        .components([Kind::Translation, Kind::LocalToWorld, Kind::LocalToParent])
        .abuse()
        .doubt()
        .own::<Frame>((-9.0..9.0_f64).prop_map(frame))
        .edit((0..99_usize).prop_map(See))
        .length(80);
    check_histories(config(), edits, |history| {
        let mut test = TestWorld::new(bundle());
        history.follow(|step| {
            if !matches!(step, Step::Run) {
                test.play(step);
                return true;
            }
            test.run();
            let (anew, names) = cloned(&test);
            for row in snapshot(&test.world).rows {
                let here = test.get::<LocalToWorld>(row.entity);
                let there = anew.get::<LocalToWorld>(names[&row.entity]);
                let are_same =
                    here.zip(there).is_none_or(|(a, b)| same_bits(a.as_slice(), b.as_slice()));
                assert!(are_same && here.is_some() == there.is_some(), "{here:?} {there:?}");
            }
            true
        });
        Ok(())
    });
}
