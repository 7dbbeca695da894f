//! A turret turns its x axis to a place in the world, whatever it is mounted on.

use legion::*;
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::{Trial, is_ordinary, is_right};

#[derive(Clone, Copy, Debug)]
struct Turret {
    target: [f32; 3],
}

/// The rotation of a turret at `place`, in a space that `space` takes to the world.
fn aimed(turret: &Turret, place: &Translation, space: &Matrix4<f32>) -> Rotation {
    let Some(inverse) = space.try_inverse() else { return Rotation::identity() };
    let way = inverse.transform_point(&turret.target.into()) - Point3::from(place.vector);
    let back = || UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f32::consts::PI);
    Rotation(UnitQuaternion::rotation_between(&Vector3::x(), &way).unwrap_or_else(back))
}

/// How many entities are above one.
fn depth(world: &World, entity: Entity) -> usize {
    let parent = |entity: &Entity| {
        let entry = world.entry_ref(*entity).ok()?;
        entry.get_component::<Parent>().ok().map(|parent| parent.0)
    };
    std::iter::successors(Some(entity), parent).count()
}

/// The system. Turrets may stand on turrets, so those above come first. The bug is to forget that
/// the target is a place in the world, and not in the space of the parent.
fn aim(world: &mut World, forgets_the_parent: bool) {
    let mut query = <(Entity, &Turret, &Translation, Option<&Parent>)>::query();
    let turrets = query.iter(world);
    let mut turrets: Vec<_> = turrets
        .map(|(&entity, &turret, &place, parent)| (entity, turret, place, parent.cloned()))
        .collect();
    turrets.sort_by_key(|(entity, ..)| depth(world, *entity));
    for (entity, turret, place, parent) in turrets {
        let parent = parent.filter(|_| !forgets_the_parent);
        let space = parent.and_then(|it| TransformQuery::new(&*world).local_to_world(it.0).ok());
        let aimed = aimed(&turret, &place, &space.unwrap_or(LocalToWorld::identity()).0);
        if let Ok(rotation) = world.entry(entity).unwrap().get_component_mut::<Rotation>() {
            *rotation = aimed;
        }
    }
}

fn points_at_its_target(forgets_the_parent: bool, trial: Trial) {
    let targets = prop_oneof![Just([9.0, 0.0, 0.0]), Just([-9.0, 50.0, 3.0])];
    trial.check().run(
        trial.edits().own(targets.prop_map(|target| Turret { target })),
        || {
            let mut builder = Schedule::builder();
            builder.add_thread_local_fn(move |world, _| aim(world, forgets_the_parent));
            builder.add_transforms(TransformSystemBundle::default()).build()
        },
        |world, _| {
            let mut turrets = <(&Turret, &LocalToWorld, &Rotation, &Translation)>::query();
            for (turret, matrix, ..) in turrets.iter(world) {
                let way = Point3::from(turret.target) - matrix.position();
                let angle = way.angle(&matrix.column(0).xyz());
                prop_assert!(!is_ordinary(world) || way.norm() < 0.1 || angle < 0.01);
            }
            Ok(())
        },
    );
}

#[test]
fn a_turret_points_at_its_target() {
    is_right(|trial| points_at_its_target(false, trial));
}

#[test]
fn a_turret_that_forgets_its_parent_is_found() {
    super::assert_fails(include_str!("turret.txt"), || {
        points_at_its_target(true, Trial::ORDINARY);
    });
}
