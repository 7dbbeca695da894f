//! `insert_missing`: what an entity lacks comes in the run that first sees it, in one move.

use std::{
    f32::consts::FRAC_PI_2,
    sync::{Arc, Mutex},
};

use harness::{CheckedWorld, Rng, TestWorld};
use legion::{
    world::{Event, EventSender, SubWorld},
    *,
};
use legion_transform::{
    components::{Effective, Visible},
    findings::FindingKind,
    prelude::*,
};
use legion_transform_testing::Setup;

use super::many_columns::add_columns;

fn world() -> TestWorld {
    TestWorld::new(TransformSystemBundle::default().insert_missing())
}

/// Counts how often entities come to an archetype.
#[derive(Clone, Default)]
struct Moves(Arc<Mutex<Vec<Entity>>>);

impl EventSender for Moves {
    fn send(&self, event: Event) -> bool {
        if let Event::EntityInserted(entity, _) = event {
            self.0.lock().unwrap().push(entity);
        }
        true
    }
}

impl Moves {
    fn new(world: &mut World) -> Self {
        let moves = Self::default();
        world.subscribe(moves.clone(), any());
        // What is there already is told at once.
        moves.0.lock().unwrap().clear();
        moves
    }

    fn of(&self, entities: &[Entity]) -> Vec<usize> {
        let moves = self.0.lock().unwrap();
        entities
            .iter()
            .map(|entity| moves.iter().filter(|moved| *moved == entity).count())
            .collect()
    }
}

#[test]
fn whatever_is_missing_comes_in_one_move_and_in_the_same_run() {
    let mut test = world();
    let root = test.push((Translation::new(1.0, 0.0, 0.0),));
    let child = test.push((Parent(root), Translation::new(0.0, 1.0, 0.0)));
    let grandchild = test.push((
        Parent(child),
        Rotation::identity(),
        RotationEulerXYZ::new(0.0, 0.0, 1.0),
        String::from("a component that is dropped"),
    ));
    let bare = test.push((Parent(root),));
    let other = test.push((7_u8,));
    let complete = test.at(3.0);
    let entities = [root, child, grandchild, bare, other, complete];
    let moves = Moves::new(&mut test.world);
    test.run();
    assert_eq!(moves.of(&entities), [1, 1, 1, 1, 0, 0]);
    assert_eq!(test.told(), []);
    assert_eq!(test.matrix(child)[(1, 3)], 1.0);
    assert_eq!((test.x(child), test.x(grandchild), test.x(bare)), (1.0, 1.0, 1.0));
    assert_eq!(test.children(root), [child, bare]);
    assert_eq!(test.children(child), [grandchild]);
    assert_eq!(test.value::<String>(grandchild), "a component that is dropped");
    test.run();
    assert_eq!(moves.of(&entities), [1, 1, 1, 1, 0, 0], "and that is all");
}

#[test]
fn without_the_option_it_is_told_and_nothing_is_added() {
    let mut test = TestWorld::default();
    let lone = test.push((Translation::new(1.0, 0.0, 0.0),));
    test.run();
    assert_eq!(test.told(), [(FindingKind::MissingLocalToWorld, lone, None)]);
    assert!(!test.has::<LocalToWorld>(lone));
}

/// A group, or a hidden node, has components of users' own alone, or none.
#[test]
fn a_parent_gets_the_matrix_that_its_children_need() {
    for count in [1, 100] {
        let mut test = world();
        let (bare, named) = (test.push(()), test.push((7_u8,)));
        let inner = test.push((Parent(named),));
        let groups = [bare, named, inner];
        let spawn = |test: &mut TestWorld, group| {
            let children =
                (0..count).map(|i| (Parent(group), Translation::new(i as f32, 0.0, 0.0)));
            test.world.extend(children).to_vec()
        };
        let children = groups.map(|group| spawn(&mut test, group));
        let moves = Moves::new(&mut test.world);
        test.run();
        assert_eq!(test.told(), []);
        for (group, children) in groups.into_iter().zip(&children) {
            let inner = Some(inner).filter(|_| group == named);
            let found = test.children(group);
            assert_eq!(found.len(), count + inner.iter().count());
            assert!(children.iter().chain(&inner).all(|child| found.contains(child)));
            assert_eq!(test.matrix(group), nalgebra::Matrix4::identity());
            assert_eq!(test.x(*children.last().unwrap()), (count - 1) as f32);
        }
        assert!(moves.of(&children[0]).iter().all(|&moves| count == 1 || moves == 1));
        // Moved as a whole, hidden and shown again.
        test.put(named, Translation::new(5.0, 0.0, 0.0));
        test.take::<LocalToWorld>(bare);
        test.run();
        assert_eq!(test.told(), []);
        assert_eq!(test.x(children[2][0]), 5.0);
        assert_eq!((test.children(bare).len(), test.has::<LocalToWorld>(bare)), (count, true));
        test.despawn(bare);
        test.run();
        assert!(children[0].iter().all(|&child| test.is_root(child)));
    }
}

/// It gets what its children inherit, too, and none of it is late.
#[test]
fn a_bare_parent_has_values_that_are_inherited() {
    for (count, without) in [(1, ""), (100, ""), (100, "bulk")] {
        let bundle = TransformSystemBundle::default().insert_missing().inherit::<Visible>();
        let mut test = TestWorld::new(bundle.without(without));
        let (bare, hidden) = (test.push(()), test.push((Visible(false),)));
        let parent = |i| Parent(if i % 2 == 0 { bare } else { hidden });
        let children = test.world.extend((0..2 * count).map(|i| (parent(i),))).to_vec();
        test.run();
        let seen = |it| test.value::<Effective<Visible>>(it).0;
        assert!(seen(bare) && !seen(hidden), "{count} {without}");
        assert!(children.iter().enumerate().all(|(i, &child)| seen(child) == (i % 2 == 0)));
        assert_eq!((test.children(bare).len(), test.told()), (count, vec![]));
    }
}

/// Its list is right all the time, and its children stay linked.
#[test]
fn a_parent_that_has_lost_all_but_its_children_gets_its_matrix_back() {
    for (count, without) in [(1, ""), (100, ""), (100, "bulk")] {
        let mut test =
            TestWorld::new(TransformSystemBundle::default().insert_missing().without(without));
        let parent = test.push((Translation::new(1.0, 0.0, 0.0),));
        let child = |i| (Parent(parent), Translation::new(i as f32, 0.0, 0.0));
        let children = test.world.extend((0..count).map(child)).to_vec();
        test.run();
        test.take::<Translation>(parent);
        test.take::<LocalToWorld>(parent);
        test.run();
        assert_eq!((test.matrix(parent), test.told()), (nalgebra::Matrix4::identity(), vec![]));
        assert_eq!(test.children(parent), children);
        assert_eq!(test.x(children[count - 1]), (count - 1) as f32);
    }
}

#[test]
fn a_parent_that_is_not_there_or_is_below_its_child_is_no_obstacle() {
    let mut test = world();
    let dead = test.push(());
    test.despawn(dead);
    let orphan = test.push((Parent(dead), Translation::new(1.0, 0.0, 0.0)));
    let a = test.push((Translation::new(2.0, 0.0, 0.0),));
    let b = test.push((Parent(a), Translation::new(3.0, 0.0, 0.0)));
    test.put(a, Parent(b));
    test.run();
    assert_eq!(test.x(orphan), 1.0);
    assert!(test.has::<Parent>(orphan) && test.has::<LocalToParent>(orphan));
    let told: Vec<FindingKind> = test.told().into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(told, [FindingKind::Cycle, FindingKind::Cycle, FindingKind::WaitsForParent]);
    test.take::<Parent>(a);
    test.run();
    assert_eq!(test.x(b), 5.0);
}

/// Spawned every run, into archetypes that are there, in large and small numbers. Returns the
/// matrices in the end, and the children by their place among all that live.
fn spawn_in_every_run(
    bundle: TransformSystemBundle,
) -> (Vec<nalgebra::Matrix4<f32>>, Vec<Vec<usize>>) {
    let bundle = bundle.insert_missing().track_changes();
    let mut world = CheckedWorld::new(bundle, Setup::default());
    let mut rng = Rng::new(3);
    let root = world.test.push((Translation::new(1.0, 0.0, 0.0),));
    let mut alive = vec![root];
    for round in 0..60 {
        let count = if round % 20 == 7 { 300 } else { rng.below(4) };
        for n in 0..count {
            let parent = alive[rng.below(alive.len())];
            let entity = match n % 3 {
                0 => world.test.push((Parent(parent), Translation::new(n as f32, 0.0, 0.0))),
                1 => world.test.push((
                    Parent(parent),
                    Translation::new(0.0, n as f32, 0.0),
                    Scale(1.5),
                )),
                _ => world.test.push((Translation::new(n as f32, 0.0, 0.0),)),
            };
            alive.push(entity);
        }
        if round % 3 == 0 && alive.len() > 4 {
            let gone = alive.swap_remove(1 + rng.below(alive.len() - 1));
            world.test.despawn(gone);
        }
        world.test.run();
        assert!(alive.iter().all(|&entity| world.test.has::<LocalToWorld>(entity)));
        assert!(
            world.test.findings().iter().all(|finding| finding.kind == FindingKind::DeadParent)
        );
        // Whole by now, so that the judge knows what a run must make of it: nothing.
        world.run_again();
    }
    let place = |child: &Entity| alive.iter().position(|entity| entity == child).unwrap();
    let children = |&parent: &Entity| match world.test.has::<Children>(parent) {
        true => world.test.children(parent).iter().map(place).collect(),
        false => Vec::new(),
    };
    let lists = alive.iter().map(children).collect();
    (alive.iter().map(|&entity| world.test.matrix(entity)).collect(), lists)
}

#[test]
fn spawned_in_every_run_they_are_right_in_every_run() {
    let bundle = TransformSystemBundle::default;
    let together = spawn_in_every_run(bundle());
    assert_eq!(spawn_in_every_run(bundle().without("bulk")), together, "and one by one the same");
}

/// Legion moves no whole archetypes of so many components.
#[test]
fn the_widest_archetypes_get_theirs_too() {
    let mut test = world();
    let root = test.push((Translation::new(1.0, 0.0, 0.0),));
    let child = test.push((Parent(root), Translation::new(2.0, 0.0, 0.0)));
    add_columns(&mut test.world.entry(child).unwrap(), 121);
    test.run();
    assert_eq!((test.x(child), test.told()), (3.0, vec![]));
    assert_eq!(test.children(root), [child]);
}

#[test]
fn systems_see_them_in_the_same_run() {
    #[system]
    #[read_component(LocalToWorld)]
    fn look(world: &SubWorld<'_>, #[resource] seen: &mut usize) {
        *seen = <&LocalToWorld>::query().iter(world).count();
    }
    let bundle =
        TransformSystemBundle::default().insert_missing().before_propagation(look_system());
    let mut test = TestWorld::new(bundle);
    test.resources.insert(0_usize);
    test.world.extend(vec![(Translation::new(1.0, 0.0, 0.0),); 100]);
    test.run();
    assert_eq!(*test.resources.get::<usize>().unwrap(), 100);
}

/// 100 rows without matrices get them, and come to an archetype of 100 rows that move on: row 3
/// alone stays there, as its parent is dead.
#[test]
fn archetypes_move_into_each_other() {
    let mut test = world();
    let root = test.world.push_transform((Scale(2.0),));
    let dead = test.world.push(());
    test.despawn(dead);
    let parent = |row: usize| Parent(if row == 3 { dead } else { root });
    let mut all = test.world.extend((0..100).map(|i| (Scale(2.0), parent(i)))).to_vec();
    let matrices = (LocalToWorld::identity(), LocalToParent::identity());
    let row = |_| (Scale(2.0), Parent(root), matrices.0, matrices.1);
    all.extend(test.world.extend((0..100).map(row)));
    test.run();
    let size = |entity| test.value::<LocalToWorld>(entity).0.m11;
    assert_eq!(size(all.remove(3)), 2.0);
    assert!(all.iter().all(|&entity| size(entity) == 4.0));
    assert_eq!(test.value::<Children>(root).to_vec(), all);
}

/// A child turned by its angles, but that a user's component gives its local matrix, so that it
/// has got no `Rotation`; and its parent at (1, 0, 0).
fn claimed() -> (TestWorld, Entity, Entity) {
    struct Claims;
    let bundle = TransformSystemBundle::default().insert_missing();
    let mut test = TestWorld::new(bundle.write_group::<LocalToParent, Claims>());
    let parent = test.at(1.0);
    let child = test.push((Parent(parent), Claims, RotationEulerXYZ::new(0.0, 0.0, FRAC_PI_2)));
    test.run();
    assert!(!test.has::<Rotation>(child) && test.matrix(child).m21 == 0.0);
    (test, parent, child)
}

#[test]
fn what_a_claim_held_back_comes_when_the_child_becomes_a_root() {
    let ways: [fn(&mut TestWorld, Entity, Entity); 4] = [
        |test, parent, _| test.despawn(parent),
        |test, _, child| test.take::<Parent>(child),
        |test, _, child| {
            test.take::<Parent>(child);
            test.take::<LocalToParent>(child);
        },
        |test, parent, child| {
            let other = test.at(2.0);
            test.put(child, Parent(other));
            test.despawn(parent);
            test.despawn(other);
        },
    ];
    for (number, make_root) in ways.into_iter().enumerate() {
        let (mut test, parent, child) = claimed();
        make_root(&mut test, parent, child);
        let foreseen = TransformQuery::new(&test.world).local_to_world(child).unwrap();
        let local = Transform::read(&test.world, child);
        test.run();
        assert_eq!(test.matrix(child), foreseen.0, "way {number}");
        // `LocalToParent` alone stands for a matrix of the user's.
        let is_turned = !test.has::<LocalToParent>(child);
        assert_eq!(test.has::<Rotation>(child), is_turned, "way {number}");
        assert_eq!(test.matrix(child).m21 > 0.99, is_turned, "way {number}");
        if is_turned {
            assert_eq!(local.unwrap(), Transform::read(&test.world, child).unwrap());
        }
    }
}

#[test]
fn a_claimed_child_stays_in_place_when_it_is_set_free() {
    for dies in [false, true] {
        let (mut test, parent, child) = claimed();
        let other = test.push((Translation::new(0.0, 5.0, 0.0), Rotation::identity()));
        if dies {
            test.despawn(parent);
        }
        test.world.remove_parent(child).unwrap();
        let foreseen = TransformQuery::new(&test.world).local_to_world(child).unwrap();
        test.run();
        let expected = Translation::new(1.0, 0.0, 0.0);
        assert_eq!(test.matrix(child), foreseen.0);
        assert!((test.matrix(child) - expected.0.to_homogeneous()).amax() < 1e-6, "{dies}");
        test.world.set_parent(child, other).unwrap();
        test.run();
        assert!((test.matrix(child) - expected.0.to_homogeneous()).amax() < 1e-6, "{dies}");
    }
}
