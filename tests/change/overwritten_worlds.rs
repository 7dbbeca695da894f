//! Somebody writes a parent's world matrix, and it happens to be what the bundle computes in the same run: nothing is left to
//! write there, but what hangs off it has to follow all the same.

use legion::*;
use legion_transform::prelude::*;

struct Scene {
    world: World,
    resources: Resources,
    schedule: Schedule,
    grandparent: Entity,
    parent: Entity,
    child: Entity,
}

/// Three in a row at x = 1, y = 1 and z = 1 from each other.
fn scene() -> Scene {
    let mut world = World::default();
    let link = |parent, translation| (LocalToWorld::identity(), LocalToParent::identity(), Parent(parent), translation);
    let grandparent = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
    let parent = world.push(link(grandparent, Translation::new(0.0, 1.0, 0.0)));
    let child = world.push(link(parent, Translation::new(0.0, 0.0, 1.0)));
    let schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
    let mut scene = Scene { world, resources: Resources::default(), schedule, grandparent, parent, child };
    scene.run();
    assert_eq!(scene.position(child), [1.0, 1.0, 1.0]);
    scene
}

impl Scene {
    fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    fn position(&mut self, entity: Entity) -> [f32; 3] {
        self.world.entry(entity).unwrap().get_component::<LocalToWorld>().unwrap().position().coords.into()
    }

    fn put<T: storage::Component>(&mut self, entity: Entity, component: T) {
        self.world.entry(entity).unwrap().add_component(component);
    }

    fn children(&mut self, entity: Entity) -> Children {
        self.world.entry(entity).unwrap().get_component::<Children>().unwrap().clone()
    }
}

#[test]
fn of_a_root_in_place() {
    let mut scene = scene();
    scene.put(scene.grandparent, LocalToWorld::identity());
    scene.put(scene.grandparent, Translation::identity());
    scene.run();
    assert_eq!((scene.position(scene.parent), scene.position(scene.child)), ([0.0, 1.0, 0.0], [0.0, 1.0, 1.0]));
}

#[test]
fn of_a_link_in_place() {
    let mut scene = scene();
    let world = LocalToWorld(nalgebra::Matrix4::new_translation(&[1.0, 5.0, 0.0].into()));
    scene.put(scene.parent, world);
    scene.put(scene.parent, Translation::new(0.0, 5.0, 0.0));
    scene.run();
    assert_eq!((scene.position(scene.parent), scene.position(scene.child)), ([1.0, 5.0, 0.0], [1.0, 5.0, 1.0]));
}

#[test]
fn of_a_root_that_moves_to_another_archetype() {
    let mut scene = scene();
    scene.put(scene.grandparent, LocalToWorld::identity());
    scene.put(scene.grandparent, Translation::identity());
    scene.put(scene.grandparent, 5_u32);
    scene.run();
    assert_eq!(scene.position(scene.child), [0.0, 1.0, 1.0]);
}

#[test]
fn of_a_root_that_is_replaced() {
    for keeps_children in [true, false] {
        let mut scene = scene();
        let children = scene.children(scene.grandparent);
        scene.world.push_with_id(scene.grandparent, (LocalToWorld::identity(), Translation::identity()));
        if keeps_children {
            scene.put(scene.grandparent, children);
        }
        scene.run();
        assert_eq!(scene.position(scene.child), [0.0, 1.0, 1.0]);
    }
}
