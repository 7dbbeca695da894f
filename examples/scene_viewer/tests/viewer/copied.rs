//! The walker, copied as a whole, and put back after its death.

use std::path::Path;

use legion::{Entity, Resources, Schedule, World};
use legion_transform::{TransformStats, cloning::EntityCloner, prelude::*};
use scene_viewer::{document, model::Model};

fn matrix(world: &World, entity: Entity) -> [[f32; 4]; 4] {
    LocalToWorld::of(world, entity).unwrap().0.data.0
}

#[test]
fn a_copy_of_the_walker_stands_where_it_stands() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/walker.gltf");
    let model = Model::new(&document::read(&path).unwrap(), None).unwrap();
    let (mut world, mut resources) = (World::default(), Resources::default());
    let bundle = TransformSystemBundle::default();
    bundle.insert_resources(&mut resources);
    let mut schedule = Schedule::builder().add_transforms(bundle).build();
    let all: Vec<Entity> =
        model.scene.spawn(&mut world).unwrap().entities().map(|(_, entity)| entity).collect();
    schedule.execute(&mut world, &mut resources);
    schedule.execute(&mut world, &mut resources);

    let cloner = EntityCloner::default();
    let roots = Walk::new(&world).unwrap().topmost(all.iter().copied());
    for &root in &roots {
        let copies = cloner.duplicate(&mut world, root).unwrap();
        assert!(copies.iter().all(|(old, new)| matrix(&world, *old) == matrix(&world, *new)));
    }
    schedule.execute(&mut world, &mut resources);
    let stats = resources.get::<TransformStats>().unwrap().of(&world);
    assert_eq!((stats.composed_changed, stats.propagated_changed), (0, 0));
    assert_eq!(world.len(), 2 * all.len());

    let record = cloner.record(&world, all.iter().copied()).unwrap();
    let was: Vec<_> = all.iter().map(|entity| matrix(&world, *entity)).collect();
    assert_eq!(world.despawn_subtrees(roots), all.len());
    schedule.execute(&mut world, &mut resources);
    cloner.restore(&record, &mut world).unwrap();
    schedule.execute(&mut world, &mut resources);
    assert!(cloner.is_current(&record, &world));
    assert!(all.iter().zip(was).all(|(entity, was)| matrix(&world, *entity) == was));
}
