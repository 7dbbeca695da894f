//! Properties that children inherit are right after one run, whatever was done.

mod random;
mod spawned;

use harness::{
    TestWorld,
    properties::{Judge, Team, Tint, bundle},
};
use legion::{systems::CommandBuffer, *};
use legion_transform::{
    components::{RenderLayers, Visible},
    prelude::*,
};

fn value<P: Inherited>(test: &TestWorld, entity: Entity) -> P::Value {
    test.value::<Effective<P>>(entity).0
}

/// Worked out by hand: a root without counts as 1 * 3.
#[test]
fn known_values() {
    let (mut test, mut judge) = (TestWorld::new(bundle()), Judge::default());
    let sun = test.world.push_transform((Scale(1.0), Tint(2), Team("red".into())));
    let mars = test.world.push_child(sun, (Scale(1.0), Tint(7)));
    let moon = test.world.push_child(mars, (Scale(1.0), Team("blue".into())));
    let alone = test.world.push_transform((Scale(1.0),));
    judge.run(&mut test);
    let all = |test: &TestWorld| [sun, mars, moon, alone].map(|it| value::<Tint>(test, it));
    assert_eq!(all(&test), [5, 22, 66, 3]);
    let teams = [sun, mars, moon, alone].map(|it| value::<Team>(&test, it));
    assert_eq!(
        teams,
        [Some("red"), Some("red"), Some("blue"), None].map(|it| it.map(String::from))
    );

    test.put(mars, Parent(alone));
    judge.run(&mut test);
    assert_eq!(all(&test), [5, 16, 48, 3]);
    test.take::<Tint>(mars);
    judge.run(&mut test);
    assert_eq!(all(&test), [5, 9, 27, 3]);
    test.despawn(alone);
    judge.run(&mut test);
    assert_eq!([mars, moon].map(|it| value::<Tint>(&test, it)), [3, 9]);
}

/// A user writes the value that is right now, together with what makes it right: nothing differs
/// there, but those below had the old one.
#[test]
fn those_below_follow_a_value_that_was_written_right() {
    for is_moved in [false, true] {
        let (mut test, mut judge) = (TestWorld::new(bundle()), Judge::default());
        let sun = test.world.push_transform((Scale(1.0), Tint(2)));
        let moon = test.world.push_child(sun, (Scale(1.0),));
        judge.run(&mut test);
        test.put(sun, Tint(4));
        test.set(sun, Effective::<Tint>(7));
        if is_moved {
            test.put(sun, "another archetype");
        }
        judge.run(&mut test);
        assert_eq!(value::<Tint>(&test, moon), 21);
    }
}

/// Systems before composition see the values, and what these despawn is not listed.
#[test]
fn values_are_there_before_composition() {
    #[system(for_each)]
    fn hide(entity: &Entity, value: &Effective<Tint>, commands: &mut CommandBuffer) {
        if value.0 > 40 {
            commands.remove(*entity);
        }
    }
    let (mut world, mut resources) = (World::default(), Resources::default());
    let bundle = bundle().before_composition(hide_system());
    let mut schedule = Schedule::builder().add_transforms(bundle).build();
    let root = world.push_transform((Scale(1.0), Tint(2)));
    let child = world.push_child(root, (Scale(1.0), Tint(1)));
    let below = world.push_child(child, (Scale(1.0),));
    schedule.execute(&mut world, &mut resources);
    assert_eq!(world.len(), 2, "5, 16 and 48, of which the last is gone: {below:?}");
    let changes = resources.get::<TransformChanges>().unwrap();
    assert_eq!(changes.of(&world).effective::<Tint>(), [root, child]);
}

/// A property that panics leaves nothing wrong behind.
#[cfg(panic = "unwind")]
#[test]
fn after_a_panic_all_is_right() {
    struct Fuse(i32);
    impl Inherited for Fuse {
        type Value = i32;
        fn combine(parent: Option<&i32>, own: Option<&Self>) -> i32 {
            let sum = parent.unwrap_or(&0) + own.map_or(1, |own| own.0);
            assert!(sum < 100_000, "blown");
            sum
        }
    }
    let mut test = TestWorld::new(TransformSystemBundle::default().inherit::<Fuse>());
    let root = test.world.push_transform((Scale(1.0), Fuse(0)));
    let all: Vec<Entity> =
        (0..20_000).map(|_| test.world.push_child(root, (Scale(1.0),))).collect();
    test.run();
    test.put(root, Fuse(99_999));
    assert!(harness::caught(|| test.run()).is_err());
    test.put(root, Fuse(7));
    test.run();
    assert!(all.iter().all(|&entity| test.value::<Effective<Fuse>>(entity).0 == 8));
}

/// Two bundles on one world agree, or say so.
#[test]
#[should_panic(expected = "only one of them has an inherit()")]
fn bundles_with_other_properties_are_refused() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let plain = TransformSystemBundle::default;
    let mut schedules = [plain().inherit::<Tint>(), plain()]
        .map(|bundle| Schedule::builder().add_transforms(bundle).build());
    schedules.iter_mut().for_each(|it| it.execute(&mut world, &mut resources));
}

#[test]
fn what_is_ready_made() {
    let bundle = TransformSystemBundle::default().inherit::<Visible>().inherit::<RenderLayers>();
    let mut test = TestWorld::new(bundle);
    let root = test.world.push_transform((Scale(1.0), Visible(false), RenderLayers(0b110)));
    let child = test.world.push_child(root, (Scale(1.0), Visible(true)));
    let below = test.world.push_child(child, (Scale(1.0), RenderLayers(0b1000)));
    let alone = test.world.push_transform((Scale(1.0),));
    test.run();
    let all = [root, child, below, alone];
    let visible = all.map(|entity| value::<Visible>(&test, entity));
    assert_eq!(visible, [false, false, false, true]);
    let layers = all.map(|entity| value::<RenderLayers>(&test, entity));
    assert_eq!(layers, [0b110, 0b110, 0b1000, 0b1]);
    test.put(root, Visible(true));
    test.run();
    assert!(all.iter().all(|&entity| value::<Visible>(&test, entity)));
}

/// 100 rows without `Effective<Tint>` get it, and come to an archetype of 100 rows that move on:
/// row 3 alone stays there, as its parent is dead.
#[test]
fn archetypes_move_into_each_other() {
    let (mut test, mut judge) = (TestWorld::new(bundle()), Judge::default());
    let root = test.world.push_transform((Scale(1.0), Tint(2)));
    let dead = test.world.push(());
    test.despawn(dead);
    let (world, local) = (LocalToWorld::identity(), LocalToParent::identity());
    let team = Effective::<Team>::default;
    let parent = |row: usize| Parent(if row == 3 { dead } else { root });
    let mut all = test.world.extend((0..100).map(|i| (world, local, parent(i), team()))).to_vec();
    let row = |_| (world, local, Parent(root), team(), Effective::<Tint>::default());
    all.extend(test.world.extend((0..100).map(row)));
    judge.run(&mut test);
    all.remove(3);
    assert_eq!(test.value::<Children>(root).to_vec(), all);
}

/// A property that panics before anything has a value: no entity is lost, and no component.
#[cfg(panic = "unwind")]
#[test]
fn a_default_that_panics_costs_no_entity() {
    struct Strict;
    impl Inherited for Strict {
        type Value = ();
        fn combine(_: Option<&()>, own: Option<&Self>) {
            assert!(own.is_some(), "all should have one");
        }
    }
    let mut test = TestWorld::new(TransformSystemBundle::default().inherit::<Strict>());
    let rows = (0..10).map(|i| (LocalToWorld::identity(), Scale(i as f32), Strict));
    let all = test.world.extend(rows).to_vec();
    for _ in 0..2 {
        assert!(harness::caught(|| test.run()).is_err());
    }
    test.schedule = TestWorld::default().schedule;
    test.resources = Resources::default();
    test.run();
    let scale = |entity| test.value::<LocalToWorld>(entity).0.m11;
    assert!((0..).zip(all).all(|(i, entity)| scale(entity) == i as f32));
}

/// Neither the component nor its value has a size.
#[test]
fn components_and_values_without_a_size() {
    struct Marker;
    impl Inherited for Marker {
        type Value = Option<[u64; 0]>;
        fn combine(parent: Option<&Self::Value>, own: Option<&Self>) -> Self::Value {
            own.map(|_| []).or(parent.copied().flatten())
        }
    }
    struct Nothing;
    impl Inherited for Nothing {
        type Value = [u64; 0];
        fn combine(_: Option<&[u64; 0]>, _: Option<&Self>) -> [u64; 0] {
            []
        }
    }
    let bundle = TransformSystemBundle::default().inherit::<Marker>().inherit::<Nothing>();
    let mut test = TestWorld::new(bundle);
    let root = test.world.push_transform((Scale(1.0), Marker, Nothing));
    let children = test.world.extend_children(root, (0..300).map(|_| (Scale(1.0), Nothing)));
    for is_marked in [true, false] {
        test.run();
        let is_right = |&entity: &Entity| {
            test.has::<Effective<Nothing>>(entity)
                && value::<Marker>(&test, entity).is_some() == is_marked
        };
        assert!(children.iter().all(is_right));
        test.take::<Marker>(root);
    }
}
