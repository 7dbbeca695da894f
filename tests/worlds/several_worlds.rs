//! Several worlds and several bundles; worlds that are merged, cloned and very large.

use harness::{CheckedWorld, Snapshot, TestWorld, at, below, schedule, x};
use legion::{Entity, IntoQuery, Resources, Schedule, World, any, component, world::Duplicate};
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Vector3};

/// Runs a world of its own through a schedule that serves others too.
fn run(schedule: &mut Schedule, resources: &mut Resources, world: &mut World) {
    schedule.execute(world, resources);
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
            world.entry(root).unwrap().get_component_mut::<Translation>().unwrap().0.vector.x = 100.0 * round as f32;
            run(&mut schedule, &mut resources, world);
            assert!(x(world, leaf) >= 100.0 * round as f32);
        }
        for (number, (world, &(.., leaf))) in worlds.iter_mut().zip(&ends).enumerate() {
            assert_eq!(x(world, leaf), 100.0 * round as f32 + 10.0 * number as f32 + 1.0);
            let before = Snapshot::of(world);
            run(&mut schedule, &mut resources, world);
            assert!(Snapshot::of(world).moved_since(&before).is_empty(), "the other worlds are none of its business");
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
    assert_eq!(resources.get::<Findings>().unwrap().of_id(gone).count(), 0, "what is kept of a dropped world is freed");
}

#[test]
fn a_second_bundle_in_one_schedule_finds_everything_done() {
    let probe = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = probe.clone();
    let mut schedule = Schedule::builder()
        .add_transforms(TransformSystemBundle::default())
        .add_thread_local_fn(move |world, _| seen.lock().unwrap().push(Snapshot::of(world)))
        .add_transforms(TransformSystemBundle::default())
        .build();
    let mut world = World::default();
    let mut resources = Resources::default();
    let root = world.push(at(1.0));
    let child = world.push(below(root, 2.0));
    let scaled = world.push((LocalToWorld::identity(), CompositeScale::identity(), Scale(2.0), WorldToLocal::identity()));
    let compensated = world.push((
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
        let after = Snapshot::of(world);
        assert_eq!(after.moved_since(&between), [], "the second bundle writes and bumps nothing");
    };
    check(&mut world);
    assert_eq!(x(&mut world, child), 3.0);
    world.entry(root).unwrap().add_component(Translation::new(5.0, 0.0, 0.0));
    check(&mut world);
    assert_eq!(x(&mut world, child), 7.0);
    world.entry(compensated).unwrap().add_component(Parent(child));
    check(&mut world);
    let compensation = world.entry(compensated).unwrap().get_component::<ParentScaleInverse>().unwrap().0;
    assert_eq!(compensation, Matrix4::identity(), "the source went away");
    world.remove(root);
    check(&mut world);
    assert_eq!(x(&mut world, child), 2.0);
    // What the user wrote or moved to another archetype is old news to the second bundle.
    let fixed = world.push((LocalToWorld::identity(),));
    let follower = world.push(below(fixed, 1.0));
    check(&mut world);
    world.entry(fixed).unwrap().add_component(LocalToWorld(Matrix4::new_scaling(2.0)));
    check(&mut world);
    assert_eq!(x(&mut world, follower), 2.0);
    world.entry(follower).unwrap().add_component(Stays);
    world.entry(fixed).unwrap().add_component(Stays);
    check(&mut world);
    world.entry(follower).unwrap().remove_component::<Parent>();
    check(&mut world);
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
    let left_behind = source.push((LocalToWorld::identity(), Translation::new(5.0, 0.0, 0.0), Stays));
    let orphan = source.push(below(left_behind, 7.0));
    source.run();
    assert_eq!(source.x(orphan), 12.0);

    it.world.move_from(&mut source.world, &!component::<Stays>());
    it.run();
    assert_eq!((it.x(whole_child), it.x(own_child)), (30.0, 3.0));
    assert_eq!(it.children(whole), [whole_child]);
    assert!(!it.has::<Parent>(orphan) && !it.has::<LocalToParent>(orphan), "a parent left behind counts as dead");
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

/// `n` entities in one archetype, each below the one before it, and the root above them.
fn chain(world: &mut World, n: usize) -> (Entity, Vec<Entity>) {
    let root = world.push(at(1.0));
    let step = LocalToParent(Matrix4::new_translation(&Vector3::new(0.0, 1.0, 0.0)));
    let links = (0..n).map(|_| (LocalToWorld::identity(), step, Parent(root), PreviousParent::default(), Children::new()));
    let entities: Vec<Entity> = world.extend(links).to_vec();
    let mut above = root;
    for (entity, parent) in <(Entity, &mut Parent)>::query().iter_mut(world) {
        parent.0 = above;
        above = *entity;
    }
    (root, entities)
}

#[test]
fn a_chain_of_a_million_moves_and_loses_its_root() {
    const DEPTH: usize = 1_000_000;
    let mut test = TestWorld::default();
    let (root, entities) = chain(&mut test.world, DEPTH);
    test.run();
    let last = entities[DEPTH - 1];
    let end = |test: &mut TestWorld| test.get::<LocalToWorld>(last).unwrap().position();
    assert_eq!(end(&mut test), [1.0, DEPTH as f32, 0.0].into());
    assert_eq!(test.children(entities[DEPTH / 2]), [entities[DEPTH / 2 + 1]]);

    test.put(root, Translation::new(7.0, 0.0, 0.0));
    test.run();
    assert_eq!(end(&mut test), [7.0, DEPTH as f32, 0.0].into());

    test.world.remove(root);
    test.run();
    assert!(!test.has::<Parent>(entities[0]), "the second became the root");
    assert_eq!(end(&mut test), [7.0, DEPTH as f32, 0.0].into(), "without inputs its last world stays");
    assert_eq!(test.findings().len(), 1);
}

#[test]
fn a_chain_of_two_hundred_thousand_closes_to_a_cycle_and_opens_again() {
    const DEPTH: usize = 200_000;
    let mut test = TestWorld::default();
    let (root, entities) = chain(&mut test.world, DEPTH);
    test.world.remove(root);
    test.run();
    let last = entities[DEPTH - 1];
    let end = |test: &mut TestWorld| test.get::<LocalToWorld>(last).unwrap().position();
    test.put(entities[0], LocalToParent::identity());
    test.put(entities[0], Parent(last));
    test.run();
    assert_eq!(test.findings().len(), DEPTH);
    assert_eq!(end(&mut test), [0.0, 1.0, 0.0].into());
    test.world.remove(entities[0]);
    test.run();
    assert_eq!(end(&mut test), [0.0, (DEPTH - 1) as f32, 0.0].into());
}

#[test]
fn a_wide_root_gains_moves_and_dies() {
    const WIDTH: usize = 200_000;
    let mut test = TestWorld::default();
    let (first, second) = (test.push(at(1.0)), test.push(at(2.0)));
    let children: Vec<Entity> = test.world.extend((0..WIDTH).map(|i| below(first, i as f32))).to_vec();
    test.run();
    assert_eq!(test.children(first).len(), WIDTH);
    assert_eq!(x(&test.world, children[WIDTH - 1]), WIDTH as f32);

    for child in &children[..1000] {
        test.put(*child, Parent(second));
    }
    test.put(first, Translation::new(3.0, 0.0, 0.0));
    test.run();
    assert_eq!((test.children(first).len(), test.children(second).len()), (WIDTH - 1000, 1000));
    assert_eq!(x(&test.world, children[999]), 1001.0);
    assert_eq!(x(&test.world, children[1000]), 1003.0);

    test.world.remove(first);
    test.run();
    assert_eq!(x(&test.world, children[1000]), 1000.0);
    assert_eq!(test.findings().len(), WIDTH - 1000);
    test.run();
    assert!(test.findings().is_empty());
}

/// Two bundles on one world, in one schedule or in two.
struct Pair {
    world: World,
    resources: Resources,
    schedules: Vec<Schedule>,
}

impl Pair {
    fn in_one_schedule() -> Self {
        let both = Schedule::builder()
            .add_transforms(TransformSystemBundle::default())
            .add_transforms(TransformSystemBundle::default())
            .build();
        Self { world: World::default(), resources: Resources::default(), schedules: vec![both] }
    }

    fn in_two_schedules() -> Self {
        Self { world: World::default(), resources: Resources::default(), schedules: vec![schedule(), schedule()] }
    }

    fn run(&mut self, schedule: usize) -> Vec<(FindingKind, Entity)> {
        self.schedules[schedule].execute(&mut self.world, &mut self.resources);
        let findings = self.resources.get::<Findings>().unwrap();
        findings.of(&self.world).map(|finding| (finding.kind, finding.entity)).collect()
    }
}

fn two_scales() -> (LocalToWorld, Scale, NonUniformScale) {
    (LocalToWorld::identity(), Scale(2.0), NonUniformScale::new(1.0, 2.0, 3.0))
}

#[test]
fn findings_of_two_bundles_in_one_schedule_are_told_once_each() {
    let mut pair = Pair::in_one_schedule();
    let dead = pair.world.push(at(1.0));
    let orphan = pair.world.push(below(dead, 2.0));
    let both = pair.world.push(two_scales());
    let flat = pair.world.push((LocalToWorld::identity(), Scale(0.0), WorldToLocal::identity()));
    pair.world.remove(dead);
    let standing = [(FindingKind::TwoScales, both), (FindingKind::WorldWithoutInverse, flat)];
    assert_eq!(pair.run(0), [standing[0], standing[1], (FindingKind::DeadParent, orphan)]);
    assert_eq!(pair.run(0), standing, "what was mended stands for one run, what is wrong still stands");
    pair.world.remove(flat);
    assert_eq!(pair.run(0), standing[..1]);
    pair.world.entry(both).unwrap().remove_component::<Scale>();
    assert_eq!(pair.run(0), []);
}

#[test]
fn a_finding_that_was_resolved_is_not_told_by_the_other_schedule() {
    let mut pair = Pair::in_two_schedules();
    let both = pair.world.push(two_scales());
    assert_eq!(pair.run(0), [(FindingKind::TwoScales, both)]);
    pair.world.entry(both).unwrap().remove_component::<Scale>();
    assert_eq!(pair.run(1), []);
}

#[test]
fn findings_of_every_kind_are_shared_by_two_schedules() {
    let mut pair = Pair::in_two_schedules();
    let both = pair.world.push(two_scales());
    let flat = pair.world.push((LocalToWorld::identity(), Scale(0.0), WorldToLocal::identity()));
    let source = pair.world.push((LocalToWorld::identity(), CompositeScale(Matrix4::zeros())));
    let child = pair.world.push(below(source, 1.0));
    pair.world.entry(child).unwrap().add_component(ParentScaleInverse::identity());
    let cyclic = pair.world.push(at(1.0));
    pair.world.entry(cyclic).unwrap().add_component(LocalToParent::identity());
    pair.world.entry(cyclic).unwrap().add_component(Parent(cyclic));
    let all = [
        (FindingKind::Cycle, cyclic),
        (FindingKind::TwoScales, both),
        (FindingKind::ScaleWithoutInverse, child),
        (FindingKind::WorldWithoutInverse, flat),
    ];
    assert_eq!(pair.run(0), all);
    pair.world.entry(both).unwrap().remove_component::<Scale>();
    pair.world.entry(flat).unwrap().add_component(Scale(1.0));
    assert_eq!(pair.run(1), [all[0], all[2]], "the second schedule sees what the first has found mended");
    pair.world.entry(source).unwrap().add_component(CompositeScale::identity());
    assert_eq!(pair.run(1), [all[0]]);
    pair.world.entry(cyclic).unwrap().remove_component::<Parent>();
    pair.world.entry(cyclic).unwrap().remove_component::<LocalToParent>();
    assert_eq!(pair.run(1), []);
    assert_eq!(pair.run(0), []);
}

#[test]
fn findings_of_a_dropped_bundle_go_with_it() {
    let mut pair = Pair::in_two_schedules();
    let both = pair.world.push(two_scales());
    assert_eq!(pair.run(0), [(FindingKind::TwoScales, both)]);
    pair.schedules.remove(0);
    let findings = pair.resources.get::<Findings>().unwrap();
    assert!(findings.is_clean(&pair.world), "no bundle is left that finds it");
}

/// Each bundle remembers what it wrote itself; what another one wrote is to it like a value of the user's.
#[test]
fn the_scale_inverse_of_a_lost_source_is_reset_by_the_bundle_that_wrote_it() {
    let mut pair = Pair::in_two_schedules();
    let parent = pair.world.push((LocalToWorld::identity(), Translation::new(0.0, 0.0, 0.0), Scale(2.0)));
    let child = pair.world.push(below(parent, 3.0));
    pair.world.entry(child).unwrap().add_component(ParentScaleInverse::identity());
    let inverse = |pair: &mut Pair| pair.world.entry(child).unwrap().get_component::<ParentScaleInverse>().unwrap().0;
    let half = Matrix4::new_scaling(0.5);
    pair.run(0);
    assert_eq!(inverse(&mut pair), half);
    pair.world.entry(parent).unwrap().remove_component::<Scale>();
    pair.run(1);
    assert_eq!(inverse(&mut pair), half, "the second bundle has not written it");
    assert_eq!(pair.world.entry(child).unwrap().get_component::<LocalToWorld>().unwrap().0.m11, 0.5, "and follows it");
    pair.run(0);
    assert_eq!(inverse(&mut pair), Matrix4::identity(), "the first one has");
    pair.run(1);
    let translated = Matrix4::new_translation(&Vector3::new(3.0, 0.0, 0.0));
    assert_eq!(pair.world.entry(child).unwrap().get_component::<LocalToWorld>().unwrap().0, translated);
}

#[test]
fn schedules_that_come_and_go_leave_nothing_behind_in_a_living_world() {
    let mut world = World::default();
    let mut resources = Resources::default();
    let parent = world.push(at(1.0));
    // Legion shows how many subscribers a world has in its debug output only.
    let subscribers = |world: &World| format!("{world:?}").rsplit("Subscribers { len: ").next().unwrap().to_owned();
    let mut seen = Vec::new();
    for round in 0..50 {
        let mut schedule = schedule();
        let child = world.push(below(parent, round as f32));
        schedule.execute(&mut world, &mut resources);
        assert_eq!(x(&mut world, child), 1.0 + round as f32);
        seen.push(subscribers(&world));
    }
    assert_eq!(seen[0], seen[49], "as many subscribers after fifty schedules as after one");
}
