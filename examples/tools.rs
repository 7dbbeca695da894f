//! One scene, seen and edited between two runs of the bundle: fresh answers, edits that keep what
//! is seen, walking, the algebra and the `Transform` view.
//!
//! A crane stands on a truck. The truck moves, and before any system has run, the crane's hook is
//! asked where it is, takes up a crate that stays where it stands, and looks at where it is to go.

use legion::{Entity, Resources, Schedule, World};
use legion_transform::{
    TransformQuery, Walk,
    edit::EditError,
    math::{
        algebra::AffineMap,
        decompose::{DecomposeError, decompose},
    },
    prelude::*,
    query::QueryError,
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

struct Scene {
    truck: Entity,
    crane: Entity,
    hook: Entity,
    crate_: Entity,
}

fn build(world: &mut World) -> Scene {
    let truck = world.push_transform((Translation::new(10.0, 0.0, 0.0),));
    let turn = Rotation::from_axis_angle(&Vector3::y_axis(), std::f32::consts::FRAC_PI_2);
    let crane = world.push_child(truck, (turn,));
    let hook = world.push_child(crane, (Translation::new(0.0, 5.0, 4.0), Scale(0.5)));
    let crate_ = world.push_transform((Translation::new(14.0, 1.0, 0.0),));
    Scene { truck, crane, hook, crate_ }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let bundle = TransformSystemBundle::default();
    bundle.insert_resources(&mut resources);
    let mut schedule = Schedule::builder().add_transforms(bundle).build();
    let scene = build(&mut world);
    schedule.execute(&mut world, &mut resources);

    fresh_answers(&mut world, &scene)?;
    edits(&mut world, &scene)?;
    walking(&world, &scene)?;
    algebra(&world, &scene)?;
    view(&mut world, &scene)?;

    // What was asked and edited between the runs is what the next run writes, bit for bit.
    let expected = TransformQuery::new(&world).local_to_world(scene.crate_)?;
    schedule.execute(&mut world, &mut resources);
    assert_eq!(world.entry(scene.crate_).unwrap().get_component::<LocalToWorld>()?, &expected);
    println!("and the next run agrees");
    Ok(())
}

fn fresh_answers(world: &mut World, scene: &Scene) -> Result<(), QueryError> {
    world.entry(scene.truck).unwrap().add_component(Translation::new(20.0, 0.0, 0.0));
    let stale =
        world.entry(scene.hook).unwrap().get_component::<LocalToWorld>().unwrap().position();
    let query = TransformQuery::new(world);
    let now = query.local_to_world(scene.hook)?.position();
    println!("the hook was at {stale}, and is at {now}");
    assert!((stale - Point3::new(14.0, 5.0, 0.0)).norm() < 1e-5);
    assert!((now - Point3::new(24.0, 5.0, 0.0)).norm() < 1e-5);
    let crate_from_hook =
        query.between(scene.crate_, scene.hook)?.transform_point(&Point3::origin());
    assert!((crate_from_hook - Point3::new(0.0, -8.0, -20.0)).norm() < 1e-4, "{crate_from_hook}");
    Ok(())
}

fn edits(world: &mut World, scene: &Scene) -> Result<(), EditError> {
    let before = TransformQuery::new(world).local_to_world(scene.crate_)?;
    world.set_parent(scene.crate_, scene.hook)?;
    let after = TransformQuery::new(world).local_to_world(scene.crate_)?;
    assert!((after.0 - before.0).amax() < 1e-5);
    println!("the crate hangs on the hook, and has not moved");

    let target = Point3::new(0.0, 5.0, 30.0);
    world.look_at(scene.hook, target, Vector3::y())?;
    let hook = TransformQuery::new(world).local_to_world(scene.hook)?;
    assert!(hook.forward().angle(&(target - hook.position())) < 1e-3);
    world.set_local_to_world(scene.truck, Isometry3::translation(0.0, 0.0, 10.0))?;

    // The crane's own parts cannot carry the truck.
    let cycle = EditError::Cycle { child: scene.truck, parent: scene.hook };
    assert_eq!(world.set_parent(scene.truck, scene.hook), Err(cycle));

    // Below a stretched parent a turned crate is sheared: no translation, rotation and scale can
    // hold it in place.
    let press = world.push((LocalToWorld::identity(), NonUniformScale::new(1.0, 0.2, 1.0)));
    let plate = world.push((LocalToWorld::identity(), Rotation::from_euler_angles(0.5, 0.0, 0.0)));
    let refused = world.set_parent(plate, press).unwrap_err();
    println!("{refused}");
    assert!(matches!(refused, EditError::NoTransform { reason: DecomposeError::Sheared(_), .. }));
    let by_matrix = Edits::default().on_shear(OnShear::WriteMatrix);
    by_matrix.set_parent(world, plate, press)?;
    let kept = TransformQuery::new(world).local_to_world(plate)?;
    let wanted = UnitQuaternion::from_euler_angles(0.5, 0.0, 0.0).to_homogeneous();
    assert!((kept.0 - wanted).amax() < 1e-6);
    assert_eq!(world.despawn_subtree(press), 2);
    Ok(())
}

fn walking(world: &World, scene: &Scene) -> Result<(), QueryError> {
    // The crate was linked after the last run: `fresh` knows, `Children` does not yet.
    assert_eq!(Walk::new(world)?.children(scene.hook).count(), 0);
    let walk = Walk::fresh(world)?;
    assert_eq!(
        walk.ancestors(scene.crate_).collect::<Vec<_>>(),
        [scene.hook, scene.crane, scene.truck]
    );
    assert_eq!(
        walk.descendants(scene.truck).collect::<Vec<_>>(),
        [scene.crane, scene.hook, scene.crate_]
    );
    assert_eq!(walk.root(scene.crate_), Some(scene.truck));
    println!("the truck carries {} things", walk.descendants(scene.truck).count());
    Ok(())
}

fn algebra(world: &World, scene: &Scene) -> Result<(), Box<dyn std::error::Error>> {
    let (crane, hook) = (
        Transform::read(world, scene.crane)?.to_map(),
        Transform::read(world, scene.hook)?.to_map(),
    );
    assert!(matches!(crane, AffineMap::Isometry(_)), "a translation and a rotation");
    assert!(matches!(crane * hook, AffineMap::Similarity(_)), "and a uniform scale");
    // From the crane's space to the hook's, by composing and by asking.
    let between = hook.inverse().ok_or("the hook has no size")?;
    let matrix = TransformQuery::new(world).between(scene.crane, scene.hook)?;
    assert!((between.to_matrix() - matrix).amax() < 1e-4);
    let parts = decompose(&matrix)?;
    assert!(
        (parts.scale - Vector3::repeat(2.0)).amax() < 1e-5
            && !parts.is_sheared(1e-5)
            && !LocalToWorld(matrix).is_mirrored()
    );
    println!("one metre of the crane is {} of the hook", parts.scale.x);
    Ok(())
}

fn view(world: &mut World, scene: &Scene) -> Result<(), EditError> {
    let mut transform = Transform::read(world, scene.hook)?;
    assert_eq!(transform.scale, Vector3::repeat(0.5));
    transform.translation.y -= 3.0;
    world.set_transform(scene.hook, transform)?;
    let entry = world.entry(scene.hook).unwrap();
    assert_eq!(entry.get_component::<Translation>().unwrap().y, 2.0);
    println!("the hook is let down to {}", transform.translation);
    Ok(())
}
