//! A child whose parent has not come waits, and is linked when the parent comes.

use harness::{CheckedWorld, Rng, TestWorld};
use legion::*;
use legion_transform::{
    components::PreviousParent,
    findings::{FindingKind, FindingKind::WaitsForParent},
    prelude::*,
    spawn::{insert_with_ids, reserve_ids},
};

use super::linked_to;

fn assert_waits(it: &CheckedWorld, child: Entity, parent: Entity) {
    assert_eq!(it.get::<Parent>(child), Some(Parent(parent)));
    assert!(it.has::<LocalToParent>(child));
    assert_eq!(it.previous(child), Some(PreviousParent::from(None)));
    it.assert_found(WaitsForParent, child, Some(parent));
}

#[test]
fn it_is_a_root_until_the_parent_comes_in_any_later_run() {
    for runs in 1..4 {
        let mut it = CheckedWorld::default();
        let ids = reserve_ids(1);
        let child = it.below(ids[0], 1.0);
        let grandchild = it.below(child, 0.5);
        for _ in 0..runs {
            it.run_from_scratch();
            assert_waits(&it, child, ids[0]);
            assert_eq!(it.found.len(), 1);
            assert_eq!((it.x(child), it.x(grandchild)), (1.0, 1.5));
        }
        it.run_again();
        it.set(child, Translation::new(2.0, 0.0, 0.0));
        it.run_from_scratch();
        assert_eq!((it.x(child), it.x(grandchild)), (2.0, 2.5));
        insert_with_ids(&mut it.world, &ids, [(Translation::new(10.0, 0.0, 0.0),)]).unwrap();
        it.run_from_scratch();
        assert_eq!((it.x(child), it.x(grandchild)), (12.0, 12.5));
        assert_eq!(it.children(ids[0]), [child]);
        assert_eq!(it.previous(child), linked_to(ids[0]));
        assert!(it.found.is_empty());
        // From now on it has been linked: a parent that goes has died.
        it.despawn(ids[0]);
        it.run_twice();
        it.assert_found(FindingKind::DeadParent, child, Some(ids[0]));
        assert!(it.is_root(child));
    }
}

#[test]
fn the_message_names_both_and_says_what_to_do() {
    let mut it = CheckedWorld::default();
    let parent = reserve_ids(1)[0];
    let child = it.below(parent, 1.0);
    it.run();
    let text = it.found[0].to_string();
    for part in [&format!("{child:?}"), &format!("{parent:?}"), "spawn the parent", "remove"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// A group, or a hidden node.
#[test]
fn it_waits_for_a_matrix_and_keeps_its_place_in_a_list() {
    let mut it = CheckedWorld::default();
    let group = it.push(("a group",));
    let [a, b, c] = [1.0, 2.0, 3.0].map(|x| it.below(group, x));
    let stranger = it.at(5.0);
    it.put(group, Children::from_iter([c, stranger, a, c, b]));
    it.run_twice();
    assert_eq!(it.children(group), [c, a, b], "as a save has it");
    it.assert_found(FindingKind::ChildWithoutParent, stranger, Some(group));
    assert_eq!(it.found.len(), 4);
    assert_waits(&it, a, group);
    // One leaves, one dies, one comes.
    it.hang(a, stranger);
    it.run_twice();
    assert_eq!(it.children(group), [c, b]);
    let d = it.below(group, 4.0);
    it.despawn(b);
    it.run_twice();
    assert_eq!(it.children(group), [c]);
    it.put(group, LocalToWorld::identity());
    it.put(group, Translation::new(10.0, 0.0, 0.0));
    it.run_from_scratch();
    assert_eq!((it.children(group), it.x(c), it.x(d)), (vec![c, d], 13.0, 14.0));
    assert!(it.found.is_empty());
    // It has been linked: what loses its matrix now is lost.
    it.take::<LocalToWorld>(group);
    it.run_twice();
    assert!(it.is_root(c) && !it.has::<Children>(group));
    it.assert_found(FindingKind::ParentWithoutLocalToWorld, c, Some(group));
}

/// A list that the bundle made is no place to wait in, also where an edit put the child there.
#[test]
fn it_stands_in_no_list_of_a_parent_that_lost_its_matrix() {
    let mut it = CheckedWorld::default();
    let group = it.at(1.0);
    let old = it.below(group, 2.0);
    let new = it.at(3.0);
    it.run();
    it.test.world.insert_child(group, 0, new).unwrap();
    it.take::<LocalToWorld>(group);
    it.run_twice();
    assert!(!it.has::<Children>(group) && it.is_root(old));
    assert_waits(&it, new, group);
    it.put(group, LocalToWorld::identity());
    it.run_from_scratch();
    assert_eq!(it.children(group), [new]);
}

#[test]
fn the_last_that_waits_takes_the_list_along() {
    let mut it = CheckedWorld::default();
    let group = it.push(("a group",));
    let child = it.below(group, 1.0);
    it.put(group, Children::from_iter([child]));
    it.run_twice();
    it.take::<Parent>(child);
    it.run_twice();
    assert!(!it.has::<Children>(group));
}

/// Saved together with its list, the parent comes last.
#[test]
fn siblings_stand_in_the_order_of_a_list_that_comes_with_their_parent() {
    let mut it = CheckedWorld::default();
    let parent = reserve_ids(1)[0];
    let all: Vec<Entity> = (0..5).map(|i| it.below(parent, i as f32)).collect();
    it.run();
    let order = [3, 0, 4, 1].map(|i| all[i]);
    let list = Children::from_iter(order);
    insert_with_ids(&mut it.world, &[parent], [(Translation::identity(), list)]).unwrap();
    it.run_from_scratch();
    assert_eq!(it.children(parent), [order.as_slice(), &[all[2]]].concat());
}

#[test]
fn a_parent_that_comes_and_goes_between_two_runs_has_not_come() {
    let mut it = CheckedWorld::default();
    let ids = reserve_ids(1);
    let child = it.below(ids[0], 1.0);
    it.run();
    insert_with_ids(&mut it.world, &ids, [(Scale(2.0),)]).unwrap();
    it.despawn(ids[0]);
    it.run_twice();
    assert_waits(&it, child, ids[0]);
    // A linked child's parent that goes and comes back was never away.
    insert_with_ids(&mut it.world, &ids, [(Scale(2.0),)]).unwrap();
    it.run();
    it.despawn(ids[0]);
    insert_with_ids(&mut it.world, &ids, [(Scale(3.0),)]).unwrap();
    it.run_twice();
    assert_eq!(it.x(child), 3.0);
}

/// With `insert_missing` an entity is a parent as soon as it is there.
#[test]
fn with_insert_missing_whatever_comes_will_do() {
    for count in [1, 100] {
        let mut test = TestWorld::new(TransformSystemBundle::default().insert_missing());
        let mut rng = Rng::new(count);
        let group = test.push(());
        test.despawn(group);
        let child = |i| (Parent(group), Translation::new(i as f32, 0.0, 0.0));
        let children = test.world.extend((0..count).map(child)).to_vec();
        for _ in 0..2 {
            test.run();
            let told = test.told();
            assert_eq!(told.len(), children.len());
            assert!(told.iter().all(|it| (it.0, it.2) == (WaitsForParent, Some(group))));
        }
        if rng.below(2) == 0 {
            // More events than are kept.
            let noise = test.world.extend(vec![(0_u8,); 5_000]).to_vec();
            noise.into_iter().for_each(|entity| assert!(test.world.remove(entity)));
        }
        test.world.push_with_id(group, ("no transform",));
        test.run();
        assert_eq!((test.told(), test.children(group)), (vec![], children.clone()));
        assert_eq!(test.x(children[0]), 0.0);
    }
}
