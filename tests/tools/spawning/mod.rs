//! Spawning helpers: everything is there from the beginning, nothing moves to another archetype,
//! and matrices and relations are right after the first run.

mod transforms;
mod with_ids;
mod worst_cases;

use std::collections::BTreeSet;

use harness::{TestWorld, demand};
use legion::{Entity, EntityStore, World, storage::ArchetypeIndex, systems::CommandBuffer};
use legion_transform::{components::PreviousParent, findings::FindingKind, prelude::*};
use proptest::prelude::*;

struct Mesh;

fn at(x: f32) -> Translation {
    Translation::new(x, 0.0, 0.0)
}

fn archetypes(world: &World, entities: &[Entity]) -> Vec<ArchetypeIndex> {
    entities.iter().map(|entity| world.entry_ref(*entity).unwrap().archetype().index()).collect()
}

/// Runs the bundle; nothing may move to another archetype.
fn run_in_place(test: &mut TestWorld, entities: &[Entity]) {
    let before = archetypes(&test.world, entities);
    test.run();
    assert_eq!(archetypes(&test.world, entities), before);
    assert_eq!(test.findings(), []);
}

/// A root, two children, five below the first of them, and a tree of four below the second.
fn spawn_family(target: &mut impl SpawnTransforms) -> Vec<Entity> {
    let root = target.push_tree((at(1.0), Mesh), |_| {});
    let first = target.push_child_tree(root, (at(10.0), Mesh), |first| {
        assert_eq!(first.extend_children((0..5).map(|i| (at(100.0 * i as f32),))).len(), 5);
    });
    let mut below = Vec::new();
    let second = target.push_child_tree(root, (at(20.0), Scale(2.0)), |second| {
        below.push(second.push_child((at(1.0),)));
        let inner = second
            .push_child_tree((at(2.0),), |inner| below.push(inner.push_child((at(3.0), Mesh))));
        below.push(inner);
    });
    let last = target.push_child(below[1], (Mesh,));
    [vec![root, first, second], below, vec![last]].concat()
}

fn check_family(test: &mut TestWorld, family: &[Entity]) {
    // `root` and the grandchild `below[1]` got children after they were spawned.
    test.run();
    assert_eq!(test.findings(), []);
    let [root, first, second, leaf, deep, inner, last] = family[..] else {
        panic!("seven of them")
    };
    assert_eq!(test.children(root), [first, second]);
    assert_eq!(test.children(second), [leaf, inner]);
    assert_eq!((test.children(inner), test.children(deep)), (vec![deep], vec![last]));
    assert_eq!(test.children(first).len(), 5);
    for (parent, child) in [
        (root, first),
        (root, second),
        (second, leaf),
        (second, inner),
        (inner, deep),
        (deep, last),
    ] {
        assert_eq!(test.previous(child), Some(PreviousParent::from(Some(parent))));
    }
    let x: Vec<f32> = family.iter().map(|entity| test.x(*entity)).collect();
    assert_eq!(x, [1.0, 11.0, 21.0, 23.0, 31.0, 25.0, 31.0]);
    let below: Vec<f32> = test.children(first).iter().map(|child| test.x(*child)).collect();
    assert_eq!(below, [11.0, 111.0, 211.0, 311.0, 411.0]);
}

#[test]
fn trees_and_children_are_right_after_one_run() {
    let mut test = TestWorld::default();
    let family = spawn_family(&mut test.world);
    let before = archetypes(&test.world, &family);
    check_family(&mut test, &family);
    assert_eq!(archetypes(&test.world, &family), before, "nothing moves");
}

#[test]
fn children_of_a_tree_are_in_the_order_of_the_calls_whatever_they_consist_of() {
    let mut test = TestWorld::default();
    let mut expected = Vec::new();
    let root = test.world.push_tree((at(1.0),), |root| {
        expected.push(root.push_child((at(1.0), Mesh)));
        expected.push(root.push_child_tree((at(2.0),), |inner| _ = inner.push_child((Mesh,))));
        expected.extend(root.extend_children([(Scale(1.0),), (Scale(2.0),)]));
        expected.push(root.push_child((at(1.0), Mesh)));
    });
    assert_eq!(test.children(root), expected);
    let all = [&[root], &expected[..]].concat();
    let version = test.version::<Children>(root);
    run_in_place(&mut test, &all);
    assert_eq!(
        (test.children(root), test.version::<Children>(root)),
        (expected, version),
        "the list is taken as it is"
    );
}

#[test]
fn children_of_one_type_stay_apart_where_they_have_children() {
    let mut test = TestWorld::default();
    let (mut expected, mut below) = (Vec::new(), Vec::new());
    let root = test.world.push_tree((at(1.0),), |root| {
        expected.push(root.push_child((at(1.0),)));
        expected.push(root.push_child((at(2.0),)));
        expected.push(root.push_child_tree((at(3.0),), |_| {}));
        expected.push(root.push_child((at(4.0),)));
        expected.push(root.push_child_tree((at(5.0),), |inner| {
            below.push(inner.push_child((at(10.0),)));
            below.extend(inner.extend_children([(at(20.0),), (at(30.0),)]));
            below.push(
                inner.push_child_tree((at(40.0),), |deep| _ = deep.extend_children([(at(100.0),)])),
            );
        }));
        expected.extend(root.extend_children([(at(6.0),), (at(7.0),)]));
        expected.push(root.push_child((at(8.0),)));
    });
    let all = [&[root], &expected[..], &below[..]].concat();
    run_in_place(&mut test, &all);
    assert_eq!(
        (test.children(root), test.children(expected[4])),
        (expected.clone(), below.clone())
    );
    let x = |entities: &[Entity]| entities.iter().map(|entity| test.x(*entity)).collect::<Vec<_>>();
    assert_eq!(
        (x(&expected), x(&below)),
        (vec![2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], vec![16.0, 26.0, 36.0, 46.0])
    );
    assert_eq!(x(&test.children(below[3])), [146.0]);
}

#[test]
fn command_buffers_spawn_the_same_at_the_flush() {
    let mut test = TestWorld::default();
    let mut commands = CommandBuffer::new(&test.world);
    let family = spawn_family(&mut commands);
    let rows = commands.extend_transforms([(at(1.0), Mesh), (at(2.0), Mesh)]);
    let single = commands.push_transform((at(3.0),));
    assert!(test.world.is_empty());
    commands.flush(&mut test.world, &mut test.resources);
    let before = archetypes(&test.world, &family);
    check_family(&mut test, &family);
    assert_eq!(archetypes(&test.world, &family), before, "nothing moves");
    assert_eq!((test.x(rows[0]), test.x(rows[1]), test.x(single)), (1.0, 2.0, 3.0));
}

#[test]
fn a_child_spawned_below_a_parent_moves_neither() {
    let mut test = TestWorld::default();
    let parent = test.world.push_tree((at(1.0),), |parent| {
        parent.push_child((at(1.0),));
    });
    run_in_place(&mut test, &[parent]);
    let child = test.world.push_child(parent, (at(5.0), Mesh));
    let many = test.world.extend_children(parent, (0..100).map(|i| (at(i as f32),)));
    let all = [&[parent, child][..], &many[..]].concat();
    run_in_place(&mut test, &all);
    assert_eq!((test.children(parent).len(), test.x(child), test.x(many[99])), (102, 6.0, 100.0));
}

#[test]
fn a_parent_that_had_none_gets_its_components_once() {
    let mut test = TestWorld::default();
    let plain = test.world.push((Mesh,));
    let root = test.world.push((LocalToWorld::identity(), at(1.0)));
    for parent in [plain, root] {
        let child = test.world.push_child(parent, (at(1.0),));
        assert!(test.has::<LocalToWorld>(parent) && test.has::<Children>(parent));
        run_in_place(&mut test, &[parent, child]);
        let second = test.world.push_child(parent, (at(2.0),));
        run_in_place(&mut test, &[parent, child, second]);
        assert_eq!(test.children(parent), [child, second]);
    }
}

#[test]
fn a_tuple_keeps_all_its_components() {
    struct A;
    struct B;
    struct C;
    struct D;
    let mut test = TestWorld::default();
    let parent = test.world.push_transform((at(1.0),));
    let eight = (at(1.0), Rotation::identity(), Scale(2.0), A, B, C, D, Mesh);
    let child = test.world.push_child(parent, eight);
    run_in_place(&mut test, &[parent, child]);
    assert_eq!(test.world.entry(child).unwrap().archetype().layout().component_types().len(), 12);
    assert!(test.has::<D>(child) && test.has::<Mesh>(child));
    assert_eq!(test.matrix(child).m11, 2.0);
    let sixteen = (
        0u8,
        0u16,
        0u32,
        0u64,
        0i8,
        0i16,
        0i32,
        0i64,
        A,
        B,
        C,
        D,
        Mesh,
        at(3.0),
        Scale(1.0),
        WorldToLocal::identity(),
    );
    let child = test.world.push_child(parent, sixteen);
    assert_eq!(test.world.entry(child).unwrap().archetype().layout().component_types().len(), 20);
    let empty = test.world.push_child(parent, ());
    run_in_place(&mut test, &[parent, child, empty]);
    assert_eq!((test.x(child), test.x(empty)), (4.0, 1.0));
}

#[test]
fn what_the_tuple_has_itself_is_taken_from_it() {
    let mut test = TestWorld::default();
    let matrix = LocalToWorld(at(7.0).to_homogeneous());
    let fixed = test.world.push_transform((matrix,));
    let parent = test.world.push_transform((at(1.0), Children::new()));
    let linked = test.world.push_transform((at(1.0), Parent(parent), Mesh));
    let local = LocalToParent(at(3.0).to_homogeneous());
    let posed = test.world.push_child(parent, (local, PreviousParent::default()));
    run_in_place(&mut test, &[fixed, parent, linked, posed]);
    assert_eq!(test.value::<LocalToWorld>(fixed), matrix);
    assert_eq!(test.children(parent), [linked, posed]);
    assert_eq!((test.x(linked), test.x(posed)), (2.0, 4.0));
}

#[test]
fn a_child_without_its_parent_waits_and_is_a_finding() {
    let mut test = TestWorld::default();
    let dead = test.world.push(());
    let mut commands = CommandBuffer::new(&test.world);
    let later = commands.push_child(dead, (at(2.0),));
    test.world.remove(dead);
    let child = test.world.push_child(dead, (at(1.0),));
    commands.flush(&mut test.world, &mut test.resources);
    test.run();
    for (entity, x) in [(child, 1.0), (later, 2.0)] {
        assert_eq!(test.value::<Parent>(entity), Parent(dead));
        assert_eq!(test.x(entity), x);
        let told = test.findings();
        assert!(told.iter().any(|finding| {
            (finding.kind, finding.entity, finding.related)
                == (FindingKind::WaitsForParent, entity, Some(dead))
        }));
    }
}

proptest! {
    #![proptest_config(demand::cases(64))]

    /// Any forest, spawned by the helpers in any way, is what the same forest is by hand.
    #[test]
    fn any_forest_is_what_it_is_by_hand(
        nodes in prop::collection::vec((0usize..1000, -5.0f32..5.0, prop::bool::ANY, 0..3), 1..60),
    ) {
        let (mut test, mut by_hand) = (TestWorld::default(), TestWorld::default());
        let (mut entities, mut reference) = (Vec::new(), Vec::new());
        for (i, (parent, x, is_root, way)) in nodes.into_iter().enumerate() {
            let parent = (i > 0 && !is_root).then(|| parent % i);
            let mut commands = CommandBuffer::new(&test.world);
            let below = parent.map(|parent| entities[parent]);
            entities.push(match (below, way) {
                (None, 0) => test.world.push_transform((at(x), Scale(0.5))),
                (None, 1) => test.world.push_tree((at(x), Scale(0.5)), |_| {}),
                (None, _) => commands.push_transform((at(x), Scale(0.5))),
                (Some(parent), 0) => test.world.push_child(parent, (at(x), Scale(0.5))),
                (Some(parent), 1) => {
                    test.world.push_child_tree(parent, (at(x), Scale(0.5)), |_| {})
                }
                (Some(parent), _) => commands.push_child(parent, (at(x), Scale(0.5))),
            });
            commands.flush(&mut test.world, &mut test.resources);
            reference.push(match parent {
                None => by_hand.push((LocalToWorld::identity(), at(x), Scale(0.5))),
                Some(parent) => {
                    let link = (
                        LocalToWorld::identity(),
                        LocalToParent::identity(),
                        Parent(reference[parent]),
                        at(x),
                        Scale(0.5),
                    );
                    by_hand.push(link)
                }
            });
        }
        let before = archetypes(&test.world, &entities);
        test.run();
        by_hand.run();
        prop_assert_eq!(archetypes(&test.world, &entities), before);
        for (a, b) in entities.iter().zip(&reference) {
            prop_assert_eq!(test.matrix(*a), by_hand.matrix(*b));
            let place =
                |list: &[Entity], entity: &Entity| list.iter().position(|other| other == entity);
            // In whichever order: those of one run come archetype by archetype.
            let children: BTreeSet<_> =
                test.children(*a).iter().map(|child| place(&entities, child)).collect();
            let expected: BTreeSet<_> =
                by_hand.children(*b).iter().map(|child| place(&reference, child)).collect();
            prop_assert_eq!(children, expected);
        }
    }
}
