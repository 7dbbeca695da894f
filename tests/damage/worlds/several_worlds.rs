//! Several worlds under one bundle, and worlds that are merged and cloned.

use harness::{CheckedWorld, TestWorld, at, below, schedule, snapshot, x};
use legion::{Entity, IntoQuery, Resources, Schedule, World, any, component, world::Duplicate};
use legion_transform::{
    components::{CompositeScale, PreviousParent},
    prelude::*,
};

/// Runs a world of its own through a schedule that serves others too.
fn run(schedule: &mut Schedule, resources: &mut Resources, world: &mut World) {
    schedule.execute(world, resources);
}

/// Two parents lose their `Children` in one run: one its only child, one a list that was none.
/// Returns which of them comes to the archetype without first.
fn first_of_two_that_lose_children(write_elsewhere: bool) -> bool {
    let mut test = TestWorld::default();
    let mut elsewhere = World::default();
    let [parent, other] = [1.0, 2.0].map(|x| test.at(x));
    let child = test.below(parent, 1.0);
    test.run();
    if write_elsewhere {
        elsewhere.push((0_u8,));
    }
    test.put(other, Children::from_iter([child]));
    test.despawn(child);
    test.run();
    let mut rows = [parent, other].map(|entity| test.world.entry(entity).unwrap().location());
    rows.sort_by_key(|row| row.archetype().0);
    assert_eq!(rows[0].archetype(), rows[1].archetype());
    let query = <(Entity, &LocalToWorld)>::query();
    let first = { query }.iter(&test.world).map(|(entity, _)| *entity).next();
    first == Some(parent)
}

#[test]
fn rows_come_in_an_order_that_does_not_depend_on_other_worlds() {
    let alone = first_of_two_that_lose_children(false);
    assert_eq!(first_of_two_that_lose_children(true), alone);
}

/// Three children lose their parent in one run: one of them has a child, another a list that is
/// none. Returns in which order they are found.
fn orphans_as_found(write_elsewhere: bool) -> Vec<usize> {
    let mut test = TestWorld::default();
    let mut elsewhere = World::default();
    let parent = test.at(1.0);
    let children = [1.0, 2.0, 3.0].map(|x| test.below(parent, x));
    let grandchild = test.below(children[1], 1.0);
    test.run();
    if write_elsewhere {
        elsewhere.push((0_u8,));
    }
    test.put(children[2], Children::from_iter([grandchild]));
    test.despawn(parent);
    test.run();
    let number = |entity| children.iter().position(|child| *child == entity).unwrap();
    test.findings().into_iter().map(|finding| number(finding.entity)).collect()
}

#[test]
fn findings_come_in_an_order_that_does_not_depend_on_other_worlds() {
    let alone = orphans_as_found(false);
    assert_eq!(alone.len(), 3);
    assert_eq!(orphans_as_found(true), alone);
}

#[test]
fn one_bundle_serves_several_worlds() {
    let mut schedule = schedule();
    let mut resources = Resources::default();
    let mut worlds: Vec<World> = (0..3).map(|_| World::default()).collect();
    let mut ends = Vec::new();
    for (number, world) in worlds.iter_mut().enumerate() {
        let root = world.push(at(100.0));
        let middle = world.push(below(root, 10.0 * number as f32));
        ends.push((root, middle, world.push(below(middle, 1.0))));
    }
    for round in 0..4 {
        for (world, &(root, _, leaf)) in worlds.iter_mut().zip(&ends) {
            world.entry(root).unwrap().get_component_mut::<Translation>().unwrap().0.vector.x =
                100.0 * round as f32;
            run(&mut schedule, &mut resources, world);
            assert!(x(world, leaf) >= 100.0 * round as f32);
        }
        for (number, (world, &(.., leaf))) in worlds.iter_mut().zip(&ends).enumerate() {
            assert_eq!(x(world, leaf), 100.0 * round as f32 + 10.0 * number as f32 + 1.0);
            let before = snapshot(world);
            run(&mut schedule, &mut resources, world);
            assert!(
                snapshot(world).moved_since(&before).is_empty(),
                "the other worlds are none of its business"
            );
        }
    }
    // A world that is dropped takes nothing with it, and findings are kept apart.
    let cyclic = ends[0].0;
    worlds[0].entry(cyclic).unwrap().add_component(LocalToParent::identity());
    worlds[0].entry(cyclic).unwrap().add_component(Parent(cyclic));
    run(&mut schedule, &mut resources, &mut worlds[0]);
    run(&mut schedule, &mut resources, &mut worlds[1]);
    {
        let findings = resources.get::<Findings>().unwrap();
        assert_eq!(findings.of(&worlds[0]).count(), 1);
        assert!(findings.is_clean(&worlds[1]));
    }
    let gone = worlds.remove(0).id();
    for _ in 0..3 {
        for world in &mut worlds {
            run(&mut schedule, &mut resources, world);
        }
    }
    assert_eq!(
        resources.get::<Findings>().unwrap().of_id(gone).count(),
        0,
        "what is kept of a dropped world is freed"
    );
}

#[test]
fn a_second_bundle_in_one_schedule_finds_everything_done() {
    let probe = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = probe.clone();
    let mut schedule = Schedule::builder()
        .add_transforms(TransformSystemBundle::default())
        .add_thread_local_fn(move |world, _| seen.lock().unwrap().push(snapshot(world)))
        .add_transforms(TransformSystemBundle::default())
        .build();
    let mut world = World::default();
    let mut resources = Resources::default();
    let root = world.push(at(1.0));
    let child = world.push(below(root, 2.0));
    let scaled = world.push((
        LocalToWorld::identity(),
        CompositeScale::identity(),
        Scale(2.0),
        WorldToLocal::identity(),
    ));
    world.push((
        LocalToWorld::identity(),
        LocalToParent::identity(),
        Parent(scaled),
        ParentScaleInverse::identity(),
        RotationEulerXYZ::new(1.0, 2.0, 3.0),
        Rotation::identity(),
    ));
    let mut check = |world: &mut World| {
        schedule.execute(world, &mut resources);
        let between = probe.lock().unwrap().pop().unwrap();
        let after = snapshot(world);
        assert_eq!(after.moved_since(&between), [], "the second bundle writes and bumps nothing");
    };
    check(&mut world);
    assert_eq!(x(&world, child), 3.0);
    world.entry(root).unwrap().add_component(Translation::new(5.0, 0.0, 0.0));
    check(&mut world);
    assert_eq!(x(&world, child), 7.0);
    world.remove(root);
    check(&mut world);
    assert_eq!(x(&world, child), 2.0);
}

#[test]
fn merged_worlds_keep_the_links_whose_ends_both_came() {
    let mut it = CheckedWorld::default();
    let own_root = it.push(at(1.0));
    let own_child = it.push(below(own_root, 2.0));
    it.run();

    let mut source = TestWorld::default();
    let whole = source.push(at(10.0));
    let whole_child = source.push(below(whole, 20.0));
    let left_behind =
        source.push((LocalToWorld::identity(), Translation::new(5.0, 0.0, 0.0), Stays));
    let orphan = source.push(below(left_behind, 7.0));
    source.run();
    assert_eq!(source.x(orphan), 12.0);

    it.world.move_from(&mut source.world, &!component::<Stays>());
    it.run();
    assert_eq!((it.x(whole_child), it.x(own_child)), (30.0, 3.0));
    assert_eq!(it.children(whole), [whole_child]);
    assert!(
        !it.has::<Parent>(orphan) && !it.has::<LocalToParent>(orphan),
        "a parent left behind counts as dead"
    );
    assert_eq!(it.x(orphan), 7.0);
    it.run_again();

    // Behind, the children are gone.
    source.run();
    assert!(!source.has::<Children>(left_behind));
}

/// Marks what a merge leaves where it is.
struct Stays;

#[test]
fn cloned_worlds_keep_their_links_under_new_names() {
    let mut source = TestWorld::default();
    let root = source.push(at(10.0));
    let child = source.push(below(root, 20.0));
    source.push(below(child, 30.0));
    source.run();

    let mut merger = Duplicate::default();
    merger.register_clone::<LocalToWorld>();
    merger.register_clone::<LocalToParent>();
    merger.register_clone::<Translation>();
    merger.register_clone::<Parent>();
    merger.register_clone::<PreviousParent>();
    merger.register_clone::<Children>();
    let mut it = CheckedWorld::default();
    let static_root = it.push((LocalToWorld::identity(),));
    for round in 1..4 {
        let names = it.world.clone_from(&source.world, &any(), &mut merger);
        it.run();
        it.run_again();
        assert_eq!(it.world.len(), 1 + 3 * round);
        let (root, child) = (names[&root], names[&child]);
        assert_eq!(it.children(root), [child]);
        assert_eq!(it.x(child), 30.0);
        it.put(root, LocalToParent::identity());
        it.put(root, Parent(static_root));
        it.run();
        assert_eq!(it.children(static_root).len(), round);
    }
    // The source is as it was.
    assert_eq!((source.children(root), source.x(child)), (vec![child], 30.0));
}
