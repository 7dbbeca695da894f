//! Worlds that are cloned and merged keep their links, under whatever names.

use harness::{schedule, x};
use legion::{Entity, Resources, Schedule, World, any, component, world::Duplicate};
use legion_transform::{components::PreviousParent, ecosystem::merge::register_clones, prelude::*};

struct Runner {
    resources: Resources,
    schedule: Schedule,
}

impl Runner {
    fn new() -> Self {
        let schedule = schedule();
        Self { resources: Resources::default(), schedule }
    }

    fn run(&mut self, world: &mut World) {
        self.schedule.execute(world, &mut self.resources);
    }
}

fn family(world: &mut World) -> [Entity; 3] {
    let root = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
    let member = |parent, x| {
        (
            LocalToWorld::identity(),
            LocalToParent::identity(),
            Parent(parent),
            Translation::new(x, 0.0, 0.0),
            Scale(2.0),
        )
    };
    let child = world.push(member(root, 2.0));
    let grandchild = world.push(member(child, 3.0));
    [root, child, grandchild]
}

fn get<T: Clone + Send + Sync + 'static>(world: &mut World, entity: Entity) -> Option<T> {
    world.entry(entity)?.get_component::<T>().ok().cloned()
}

#[test]
fn clones_hang_off_clones() {
    let mut runner = Runner::new();
    let mut prefab = World::default();
    let family = family(&mut prefab);
    runner.run(&mut prefab);

    let mut merger = Duplicate::default();
    register_clones(&mut merger);
    let mut world = World::default();
    for copy in 1..=2 {
        let names = world.clone_from(&prefab, &any(), &mut merger);
        let [root, child, grandchild] = family.map(|entity| names[&entity]);
        // The derived components were renamed with the rest: all is right before the first run.
        assert_eq!(get::<Parent>(&mut world, child), Some(Parent(root)));
        assert_eq!(
            get::<PreviousParent>(&mut world, child),
            Some(PreviousParent::from(Some(root)))
        );
        assert_eq!(get::<Children>(&mut world, child), Some(Children::from_iter([grandchild])));
        assert_eq!(x(&world, grandchild), 9.0);
        world.entry(root).unwrap().add_component(Translation::new(copy as f32 * 100.0, 0.0, 0.0));
        runner.run(&mut world);
        assert_eq!(x(&world, grandchild), copy as f32 * 100.0 + 8.0);
    }
    assert_eq!(world.len(), 6);
    assert!(runner.resources.get::<Findings>().unwrap().is_clean(&world));
    // The original is as it was.
    runner.run(&mut prefab);
    assert_eq!(x(&prefab, family[2]), 9.0);
}

#[test]
fn a_clone_without_its_parent_becomes_a_root() {
    let mut runner = Runner::new();
    let mut prefab = World::default();
    let [_, child, grandchild] = family(&mut prefab);
    runner.run(&mut prefab);
    let mut merger = Duplicate::default();
    register_clones(&mut merger);
    let mut world = World::default();
    let names = world.clone_from(&prefab, &component::<Parent>(), &mut merger);
    runner.run(&mut world);
    assert_eq!(get::<Parent>(&mut world, names[&child]), None);
    assert_eq!(get::<Parent>(&mut world, names[&grandchild]), Some(Parent(names[&child])));
    assert_eq!(x(&world, names[&grandchild]), 8.0); // 2 + 2 * 3, without the root's 1
}

#[test]
fn moving_a_world_into_another_keeps_names_and_links() {
    let mut runner = Runner::new();
    let mut level = World::default();
    let [root, child, grandchild] = family(&mut level);
    runner.run(&mut level);
    let mut world = World::default();
    let other = family(&mut world);
    runner.run(&mut world);
    world.move_from(&mut level, &any());
    world.entry(root).unwrap().add_component(Translation::new(50.0, 0.0, 0.0));
    runner.run(&mut world);
    assert_eq!((world.len(), level.len()), (6, 0));
    assert_eq!(x(&world, grandchild), 58.0);
    assert_eq!(x(&world, other[2]), 9.0);
    assert_eq!(get::<Children>(&mut world, root), Some(Children::from_iter([child])));
}
