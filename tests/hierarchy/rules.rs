//! The hierarchy: every case of the rules' table, invariants, cycles and findings.
//!
//! Each test says in its own words what must come out; the oracle looks at everything else after every run.

use harness::{TestWorld, oracle::Oracle};
use legion::Entity;
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Vector3};

/// A world that is judged after every run.
#[derive(Default)]
struct Judged {
    rig: TestWorld,
    oracle: Oracle,
    findings: Vec<Finding>,
}

impl Judged {
    /// Runs, and runs once more: the second run must leave everything as it is.
    fn run(&mut self) {
        self.oracle.run(&mut self.rig);
        self.findings = self.rig.findings();
        self.oracle.run_again(&mut self.rig);
    }

    /// An entity at `(x, 0, 0)` of its parent or the world.
    fn root(&mut self, x: f32) -> Entity {
        self.rig.push((LocalToWorld::identity(), Translation::new(x, 0.0, 0.0)))
    }

    fn child(&mut self, parent: Entity, x: f32) -> Entity {
        self.rig.push((LocalToWorld::identity(), Translation::new(x, 0.0, 0.0), LocalToParent::identity(), Parent(parent)))
    }

    fn hang(&mut self, child: Entity, parent: Entity) {
        self.rig.put(child, Parent(parent));
    }

    /// Where an entity is along x.
    fn x(&mut self, entity: Entity) -> f32 {
        self.rig.matrix(entity).m14
    }

    fn despawn(&mut self, entity: Entity) {
        assert!(self.rig.world.remove(entity));
    }

    fn is_root(&mut self, entity: Entity) -> bool {
        let rig = &mut self.rig;
        !rig.has::<Parent>(entity) && !rig.has::<PreviousParent>(entity) && !rig.has::<LocalToParent>(entity)
    }

    #[track_caller]
    fn found(&self, kind: FindingKind, entity: Entity, related: Option<Entity>) {
        let expected = Finding { kind, entity, related };
        assert!(self.findings.contains(&expected), "{expected:?} is not among {:?}", self.findings);
    }
}

fn linked_to(parent: Entity) -> Option<PreviousParent> {
    Some(PreviousParent(Some(parent)))
}

#[test]
fn parent_added() {
    let mut it = Judged::default();
    let (a, b) = (it.root(1.0), it.root(2.0));
    it.run();
    it.rig.put(b, LocalToParent::identity());
    it.hang(b, a);
    it.run();
    assert_eq!(it.rig.children(a), [b]);
    assert_eq!(it.rig.previous(b), linked_to(a));
    assert_eq!(it.x(b), 3.0);
    assert!(it.findings.is_empty());
}

#[test]
fn parent_changed() {
    let mut it = Judged::default();
    let (a, b) = (it.root(10.0), it.root(20.0));
    let (first, second, third) = (it.child(a, 1.0), it.child(a, 2.0), it.child(a, 3.0));
    let other = it.child(b, 4.0);
    it.run();
    it.hang(second, b);
    it.run();
    assert_eq!(it.rig.children(b), [other, second], "gained at the end");
    assert!(it.rig.children(a) == [first, third] || it.rig.children(a) == [third, first]);
    assert_eq!(it.rig.previous(second), linked_to(b));
    assert_eq!(it.x(second), 22.0);
    assert_eq!((it.x(first), it.x(third), it.x(other)), (11.0, 13.0, 24.0));
}

#[test]
fn several_reparented_at_once_also_a_parent_and_its_child() {
    let mut it = Judged::default();
    let (a, b) = (it.root(100.0), it.root(200.0));
    let middle = it.child(a, 10.0);
    let leaf = it.child(middle, 1.0);
    let sibling = it.child(middle, 2.0);
    it.run();
    it.hang(middle, b);
    it.hang(leaf, a);
    it.hang(sibling, leaf);
    it.run();
    assert_eq!(it.rig.children(a), [leaf]);
    assert_eq!(it.rig.children(b), [middle]);
    assert_eq!(it.rig.children(leaf), [sibling]);
    assert!(!it.rig.has::<Children>(middle));
    assert_eq!((it.x(middle), it.x(leaf), it.x(sibling)), (210.0, 101.0, 103.0));
}

#[test]
fn a_parent_and_its_child_swap_places() {
    let mut it = Judged::default();
    let top = it.root(100.0);
    let upper = it.child(top, 10.0);
    let lower = it.child(upper, 1.0);
    it.run();
    assert_eq!(it.x(lower), 111.0);
    it.hang(lower, top);
    it.hang(upper, lower);
    it.run();
    assert_eq!((it.rig.children(top), it.rig.children(lower)), (vec![lower], vec![upper]));
    assert!(!it.rig.has::<Children>(upper));
    assert_eq!((it.x(lower), it.x(upper)), (101.0, 111.0));
}

#[test]
fn parent_removed_and_added_again_before_the_run() {
    let mut it = Judged::default();
    let (a, b) = (it.root(10.0), it.root(20.0));
    let (first, second) = (it.child(a, 1.0), it.child(a, 2.0));
    it.run();
    let listed = it.rig.children(a);
    it.rig.take::<Parent>(first);
    it.hang(first, a);
    it.run();
    assert_eq!(it.rig.children(a), listed, "the same parent: nothing at all");

    it.rig.take::<Parent>(second);
    it.hang(second, b);
    it.run();
    assert_eq!((it.rig.children(a), it.rig.children(b)), (vec![first], vec![second]));
    assert_eq!(it.x(second), 22.0);
}

#[test]
fn parent_removed() {
    let mut it = Judged::default();
    let a = it.root(10.0);
    let child = it.child(a, 1.0);
    let grandchild = it.child(child, 0.5);
    it.rig.put(child, WorldToLocal::identity());
    it.run();
    it.rig.take::<Parent>(child);
    it.run();
    assert!(!it.rig.has::<PreviousParent>(child) && it.rig.has::<LocalToParent>(child));
    assert!(!it.rig.has::<Children>(a));
    assert_eq!(it.x(child), 11.0, "nothing writes its LocalToWorld");
    it.found(FindingKind::LocalToParentWithoutParent, child, None);

    it.rig.put(child, Translation::new(2.0, 0.0, 0.0));
    it.run();
    assert_eq!(it.rig.get::<LocalToParent>(child).unwrap().0.m14, 2.0, "still computed from its inputs");
    assert_eq!(it.x(child), 11.0);

    it.rig.put(child, LocalToWorld(Matrix4::new_translation(&Vector3::new(50.0, 0.0, 0.0))));
    it.run();
    assert_eq!(it.x(child), 50.0, "nor repairs it");
    assert_eq!(it.x(grandchild), 50.5, "its children follow that value");
    assert_eq!(it.rig.get::<WorldToLocal>(child).unwrap().0.m14, -50.0, "and so does WorldToLocal");

    it.rig.take::<LocalToParent>(child);
    it.run();
    assert_eq!((it.x(child), it.x(grandchild)), (2.0, 2.5), "without LocalToParent it is a root");
    assert!(it.findings.is_empty());
}

#[test]
fn parent_despawned() {
    let mut it = Judged::default();
    let a = it.root(10.0);
    let child = it.child(a, 1.0);
    let grandchild = it.child(child, 0.5);
    let bare = it.rig.push((
        LocalToWorld::identity(),
        LocalToParent(Matrix4::new_translation(&Vector3::new(3.0, 0.0, 0.0))),
        Parent(a),
    ));
    it.run();
    it.despawn(a);
    it.run();
    assert!(it.is_root(child) && it.is_root(bare));
    assert_eq!(it.x(child), 1.0, "its own components become its world");
    assert_eq!(it.x(bare), 13.0, "without inputs the last world stays");
    assert_eq!(it.rig.previous(grandchild), linked_to(child), "grandchildren stay linked");
    assert_eq!(it.x(grandchild), 1.5);
    it.found(FindingKind::DeadParent, child, Some(a));
    it.found(FindingKind::DeadParent, bare, Some(a));
    assert!(it.rig.findings().is_empty(), "a repaired finding stands for one run");
}

#[test]
fn parent_loses_local_to_world() {
    let mut it = Judged::default();
    let a = it.root(10.0);
    let child = it.child(a, 1.0);
    it.run();
    it.rig.take::<LocalToWorld>(a);
    it.run();
    assert!(it.is_root(child) && !it.rig.has::<Children>(a));
    assert_eq!(it.x(child), 1.0);
    it.found(FindingKind::ParentWithoutLocalToWorld, child, Some(a));
}

#[test]
fn parent_never_had_local_to_world() {
    let mut it = Judged::default();
    let a = it.rig.push((Translation::new(10.0, 0.0, 0.0),));
    let child = it.child(a, 1.0);
    it.run();
    assert!(it.is_root(child) && !it.rig.has::<Children>(a));
    assert_eq!(it.x(child), 1.0);
    it.found(FindingKind::ParentWithoutLocalToWorld, child, Some(a));
}

#[test]
fn old_parent_despawned_and_child_reparented() {
    let mut it = Judged::default();
    let (a, b) = (it.root(10.0), it.root(20.0));
    let (child, stays) = (it.child(a, 1.0), it.child(a, 2.0));
    it.run();
    it.despawn(a);
    it.hang(child, b);
    it.run();
    assert_eq!(it.rig.children(b), [child]);
    assert_eq!(it.x(child), 21.0);
    assert!(it.is_root(stays));
    assert_eq!(it.findings.len(), 1);
}

#[test]
fn parent_names_a_dead_entity() {
    let mut it = Judged::default();
    let a = it.root(10.0);
    it.despawn(a);
    let child = it.child(a, 1.0);
    let mere = it.rig.push((LocalToWorld::identity(), Translation::new(2.0, 0.0, 0.0), Parent(a)));
    let nothing = it.rig.push((Parent(a),));
    it.run();
    assert!(it.is_root(child) && it.is_root(mere) && it.is_root(nothing));
    assert_eq!((it.x(child), it.x(mere)), (1.0, 2.0));
    for entity in [child, mere, nothing] {
        it.found(FindingKind::DeadParent, entity, Some(a));
    }
}

#[test]
fn child_despawned() {
    let mut it = Judged::default();
    let a = it.root(10.0);
    let (first, second, third) = (it.child(a, 1.0), it.child(a, 2.0), it.child(a, 3.0));
    it.run();
    it.despawn(second);
    it.run();
    let children = it.rig.children(a);
    assert!(children.len() == 2 && children.contains(&first) && children.contains(&third));
    it.despawn(first);
    it.despawn(third);
    it.run();
    assert!(!it.rig.has::<Children>(a), "no Children is empty");
}

#[test]
fn child_loses_local_to_parent_and_gets_it_back() {
    let mut it = Judged::default();
    let a = it.root(10.0);
    let child = it.child(a, 1.0);
    it.run();
    it.rig.take::<LocalToParent>(child);
    it.run();
    assert!(!it.rig.has::<Children>(a));
    assert_eq!(it.x(child), 1.0, "computed as a root");
    it.found(FindingKind::ParentWithoutLocalToParent, child, Some(a));
    it.rig.put(child, LocalToParent::identity());
    it.run();
    assert_eq!(it.rig.children(a), [child]);
    assert_eq!(it.x(child), 11.0);
    assert!(it.findings.is_empty());
}

#[test]
fn child_loses_local_to_world_and_gets_it_back() {
    let mut it = Judged::default();
    let a = it.root(10.0);
    let child = it.child(a, 1.0);
    let grandchild = it.child(child, 0.5);
    it.run();
    it.rig.take::<LocalToWorld>(child);
    it.run();
    assert!(!it.rig.has::<Children>(a) && !it.rig.has::<Children>(child) && it.is_root(grandchild));
    assert!(it.rig.has::<Parent>(child), "its own parent is alive");
    it.rig.put(child, LocalToWorld::identity());
    it.run();
    assert_eq!(it.rig.children(a), [child]);
    assert_eq!(it.x(child), 11.0);
}

#[test]
fn parent_without_local_to_parent_whichever_came_first() {
    let mut it = Judged::default();
    let a = it.root(10.0);
    let mere = it.rig.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0), Parent(a)));
    let orphan = it.rig.push((LocalToWorld::identity(), Translation::new(2.0, 0.0, 0.0), LocalToParent::identity()));
    it.run();
    assert_eq!((it.x(mere), it.x(orphan)), (1.0, 0.0));
    assert!(!it.rig.has::<Children>(a));
    it.found(FindingKind::ParentWithoutLocalToParent, mere, Some(a));
    it.found(FindingKind::LocalToParentWithoutParent, orphan, None);
    it.rig.put(mere, LocalToParent::identity());
    it.hang(orphan, a);
    it.run();
    assert_eq!(it.rig.children(a).len(), 2);
    assert_eq!((it.x(mere), it.x(orphan)), (11.0, 12.0));
}

#[test]
fn everything_despawned() {
    let mut it = Judged::default();
    let a = it.root(10.0);
    let mut last = a;
    for _ in 0..10 {
        last = it.child(last, 1.0);
        it.child(a, 2.0);
    }
    it.run();
    it.rig.world.clear();
    it.run();
    assert!(it.findings.is_empty());
    assert!(it.rig.world.is_empty());
    let b = it.root(1.0);
    let child = it.child(b, 2.0);
    it.run();
    assert_eq!(it.x(child), 3.0);
}

#[test]
fn children_stored_before_their_parents() {
    let mut it = Judged::default();
    // The chain stands in one archetype, deepest first.
    let chain: Vec<Entity> = (0..50).map(|_| it.rig.push(linkable())).collect();
    let top = it.root(100.0);
    for pair in chain.windows(2) {
        it.hang(pair[0], pair[1]);
    }
    it.hang(chain[49], top);
    it.run();
    assert_eq!(it.x(chain[0]), 150.0);
}

fn linkable() -> (LocalToWorld, Translation, LocalToParent) {
    (LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0), LocalToParent::identity())
}

#[test]
fn what_a_user_wrote_into_derived_relations_is_repaired() {
    let mut it = Judged::default();
    let (a, b) = (it.root(10.0), it.root(20.0));
    let (child, other) = (it.child(a, 1.0), it.child(b, 2.0));
    let dead = it.root(0.0);
    it.despawn(dead);
    it.run();
    let garbage: Children = [other, other, dead, a].into_iter().collect();
    for entity in [a, child, other] {
        it.rig.put(entity, garbage.clone());
        it.rig.put(entity, PreviousParent(Some(dead)));
    }
    it.rig.take::<Children>(b);
    it.run();
    assert_eq!((it.rig.children(a), it.rig.children(b)), (vec![child], vec![other]));
    assert!(!it.rig.has::<Children>(child) && !it.rig.has::<Children>(other) && !it.rig.has::<PreviousParent>(a));
    assert_eq!((it.rig.previous(child), it.rig.previous(other)), (linked_to(a), linked_to(b)));

    it.rig.take::<PreviousParent>(child);
    it.rig.put(b, PreviousParent(None));
    it.rig.put(a, Children::new());
    it.run();
    assert_eq!((it.rig.previous(child), it.rig.previous(b)), (linked_to(a), None));
    assert_eq!(it.rig.children(a), [child]);
}

#[test]
fn a_child_that_a_user_wrote_down_twice_stands_once_in_the_list() {
    let mut w = Judged::default();
    let parent = w.root(1.0);
    let child = w.child(parent, 2.0);
    w.run();
    w.rig.put(parent, [child, child].into_iter().collect::<Children>());
    w.run();
    assert_eq!(w.rig.children(parent), [child]);
}

#[test]
fn a_compensation_without_parent_is_no_input_of_the_local_matrix() {
    let mut w = Judged::default();
    let local = LocalToParent(Matrix4::new_scaling(3.0));
    let compensation = ParentScaleInverse(Matrix4::new_scaling(0.5));
    let alone = w.rig.push((LocalToWorld::identity(), local, compensation));
    w.run();
    assert_eq!(w.rig.get::<LocalToParent>(alone), Some(local), "nothing describes it, so it is the user's");
}

/// The newcomer stands in the row of the dead parent, with the very list that was right there.
#[test]
fn the_list_of_a_dead_parent_is_not_taken_over_with_its_row() {
    let mut w = Judged::default();
    let parent = w.root(1.0);
    let child = w.child(parent, 2.0);
    w.run();
    let list = w.rig.get::<Children>(parent).unwrap();
    w.despawn(parent);
    let heir = w.rig.push((LocalToWorld::identity(), Translation::new(5.0, 0.0, 0.0), list));
    w.run();
    assert!(!w.rig.has::<Children>(heir), "nobody names it as parent");
    assert!(w.is_root(child));
    assert_eq!(w.x(child), 2.0);
}

#[test]
fn those_that_stay_keep_their_order_and_those_gained_are_appended() {
    let mut it = Judged::default();
    let (a, b) = (it.root(10.0), it.root(20.0));
    let mine: Vec<_> = (0..20).map(|_| it.child(a, 1.0)).collect();
    let others: Vec<_> = (0..20).map(|_| it.child(b, 1.0)).collect();
    it.run();
    let listed = it.rig.children(a);
    for index in [3, 7, 8, 19] {
        it.hang(mine[index], b);
        it.hang(others[index], a);
    }
    it.despawn(mine[5]);
    it.run();
    let leavers = [mine[3], mine[7], mine[8], mine[19], mine[5]];
    let stayed: Vec<_> = listed.into_iter().filter(|child| !leavers.contains(child)).collect();
    let children = it.rig.children(a);
    assert_eq!(children.len(), 19);
    assert_eq!(children[..15], stayed);
}

#[test]
fn self_parent() {
    let mut it = Judged::default();
    let a = it.root(10.0);
    it.rig.put(a, LocalToParent::identity());
    it.hang(a, a);
    let child = it.child(a, 1.0);
    it.run();
    assert_eq!(it.rig.children(a), [child], "it does not stand in its own list; what hangs off it does");
    assert_eq!(it.rig.previous(a), Some(PreviousParent(None)));
    assert_eq!((it.x(a), it.x(child)), (10.0, 11.0), "its LocalToParent is its world");
    it.found(FindingKind::Cycle, a, Some(a));
}

#[test]
fn a_cycle_is_made_lasts_and_opens() {
    let mut it = Judged::default();
    let top = it.root(100.0);
    let a = it.child(top, 10.0);
    let b = it.child(a, 20.0);
    let c = it.child(b, 30.0);
    let tail = it.child(c, 1.0);
    it.run();
    assert_eq!(it.x(tail), 161.0);

    it.hang(a, c);
    it.run();
    for (entity, parent, x) in [(a, c, 10.0), (b, a, 20.0), (c, b, 30.0)] {
        it.found(FindingKind::Cycle, entity, Some(parent));
        assert_eq!(it.rig.previous(entity), Some(PreviousParent(None)));
        assert_eq!(it.rig.get::<Parent>(entity), Some(Parent(parent)), "Parent is untouched");
        assert_eq!(it.x(entity), x);
    }
    assert_eq!(it.findings.len(), 3, "exactly the entities on it");
    assert!(!it.rig.has::<Children>(a) && !it.rig.has::<Children>(b) && !it.rig.has::<Children>(top));
    assert_eq!((it.rig.children(c), it.x(tail)), (vec![tail], 31.0), "what hangs off it stays");

    it.rig.put(b, Translation::new(25.0, 0.0, 0.0));
    it.run();
    assert_eq!(it.x(b), 25.0, "it still follows its own components");

    it.hang(a, top);
    it.run();
    assert!(it.findings.is_empty());
    assert_eq!((it.x(a), it.x(b), it.x(c), it.x(tail)), (110.0, 135.0, 165.0, 166.0), "the links come back");
    assert_eq!(it.rig.children(top), [a]);
}

/// The archetypes in which the cycle is closed have `ParentScaleInverse`, whose use depends on the link, and every member keeps
/// its components, so nothing but the links themselves says that `PreviousParent` has to follow.
#[test]
fn previous_parents_come_back_when_a_cycle_opens() {
    let mut it = Judged::default();
    let root = it.root(1.0);
    let a = it.child(root, 2.0);
    it.rig.put(a, ParentScaleInverse::identity());
    let b = it.child(a, 3.0);
    let (_below_root, _below_b) = (it.child(root, 4.0), it.child(b, 5.0));
    it.run();
    it.hang(a, b);
    it.run();
    it.found(FindingKind::Cycle, a, Some(b));
    assert_eq!((it.rig.previous(a), it.rig.previous(b)), (Some(PreviousParent(None)), Some(PreviousParent(None))));
    it.hang(b, root);
    it.run();
    assert_eq!((it.rig.previous(a), it.rig.previous(b)), (linked_to(b), linked_to(root)));
    assert_eq!(it.x(a), 1.0 + 3.0 + 2.0);
    assert_eq!(it.findings, []);
}

#[test]
fn a_cycle_opens_when_a_member_dies_or_loses_its_link() {
    for way in 0..4 {
        let mut it = Judged::default();
        let nodes: Vec<Entity> = (0..4).map(|_| it.rig.push(linkable())).collect();
        for i in 0..4 {
            it.hang(nodes[i], nodes[(i + 1) % 4]);
        }
        it.run();
        assert_eq!(it.findings.len(), 4);
        match way {
            0 => it.despawn(nodes[3]),
            1 => it.rig.take::<Parent>(nodes[3]),
            2 => it.rig.take::<LocalToParent>(nodes[3]),
            _ => it.rig.take::<LocalToWorld>(nodes[3]),
        }
        it.run();
        assert_eq!(it.rig.previous(nodes[0]), linked_to(nodes[1]));
        assert!(it.findings.iter().all(|finding| finding.kind != FindingKind::Cycle));
        assert_eq!(it.rig.previous(nodes[1]), linked_to(nodes[2]));
    }
}

/// What a cycle does depends on the links alone, not on the order in which they were made.
#[test]
fn the_outcome_of_a_cycle_does_not_depend_on_its_history() {
    let outcome = |order: [usize; 3], between: bool| {
        let mut it = Judged::default();
        let nodes: Vec<Entity> = (0..3).map(|_| it.rig.push(linkable())).collect();
        for i in order {
            it.hang(nodes[i], nodes[(i + 1) % 3]);
            if between {
                it.run();
            }
        }
        it.run();
        (0..3).map(|i| (it.rig.matrix(nodes[i]), it.rig.children(nodes[i]).len())).collect::<Vec<_>>()
    };
    let first = outcome([0, 1, 2], false);
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for between in [false, true] {
            assert_eq!(outcome(order, between), first);
        }
    }
}

#[test]
fn setup_errors_are_found_as_long_as_they_stand() {
    let mut it = Judged::default();
    let scales = it.rig.push((LocalToWorld::identity(), Scale(2.0), NonUniformScale::new(3.0, 3.0, 3.0)));
    let eulers = it.rig.push((
        LocalToWorld::identity(),
        Rotation::identity(),
        RotationEulerZYX::new(1.0, 0.0, 0.0),
        RotationEulerXZY::new(0.0, 1.0, 0.0),
        PostRotation::identity(),
        PostRotationEulerXYZ::new(1.0, 0.0, 0.0),
        PostRotationEulerYZX::new(0.0, 1.0, 0.0),
    ));
    let flat = it.rig.push((LocalToWorld::identity(), WorldToLocal::identity(), NonUniformScale::new(1.0, 0.0, 1.0)));
    let singular = it.rig.push((LocalToWorld::identity(), CompositeScale(Matrix4::zeros())));
    let below = it.rig.push((
        LocalToWorld::identity(),
        LocalToParent::identity(),
        Parent(singular),
        ParentScaleInverse(Matrix4::new_scaling(3.0)),
    ));
    it.run();
    it.found(FindingKind::TwoScales, scales, None);
    it.found(FindingKind::TwoRotationEulers, eulers, None);
    it.found(FindingKind::TwoPostRotationEulers, eulers, None);
    it.found(FindingKind::WorldWithoutInverse, flat, None);
    it.found(FindingKind::ScaleWithoutInverse, below, Some(singular));
    assert_eq!(it.findings.len(), 5);
    for finding in &it.findings {
        let text = finding.to_string();
        assert!(text.contains(&format!("{:?}", finding.entity)), "names the entity: {text}");
        assert!(text.contains(':') || text.contains(';'), "says what to do: {text}");
    }
    it.rig.take::<Scale>(scales);
    it.rig.take::<RotationEulerZYX>(eulers);
    it.rig.take::<PostRotationEulerYZX>(eulers);
    it.rig.put(flat, NonUniformScale::new(1.0, 2.0, 1.0));
    it.rig.put(singular, CompositeScale::identity());
    it.run();
    assert!(it.findings.is_empty(), "{:?}", it.findings);
}

#[test]
fn a_cycle_is_found_as_long_as_it_stands_whatever_else_happens() {
    let mut it = Judged::default();
    let a = it.root(1.0);
    it.rig.put(a, LocalToParent::identity());
    it.hang(a, a);
    it.run();
    for round in 0..3 {
        let other = it.root(2.0);
        it.run();
        it.found(FindingKind::Cycle, a, Some(a));
        it.rig.put(other, Translation::new(round as f32, 0.0, 0.0));
        it.run();
        it.found(FindingKind::Cycle, a, Some(a));
        it.despawn(other);
        it.run();
        it.found(FindingKind::Cycle, a, Some(a));
    }
}

#[test]
fn a_finding_names_the_parent_that_the_entity_has_now() {
    let mut it = Judged::default();
    let (a, b) = (it.root(1.0), it.root(2.0));
    let mere = it.rig.push((LocalToWorld::identity(), Parent(a)));
    it.run();
    it.found(FindingKind::ParentWithoutLocalToParent, mere, Some(a));
    it.hang(mere, b);
    it.run();
    it.found(FindingKind::ParentWithoutLocalToParent, mere, Some(b));
    assert_eq!(it.findings.len(), 1);
}

#[test]
fn a_member_that_comes_back_stands_once_in_the_list() {
    let mut it = Judged::default();
    let a = it.root(1.0);
    let (first, second) = (it.child(a, 1.0), it.child(a, 2.0));
    it.run();
    it.rig.take::<Children>(a);
    let third = it.child(a, 3.0);
    it.run();
    let mut children = it.rig.children(a);
    assert_eq!(children.len(), 3);
    children.retain(|child| ![first, second, third].contains(child));
    assert!(children.is_empty());
}

#[test]
fn a_dead_parent_is_found_once() {
    let mut it = Judged::default();
    let (a, b) = (it.root(1.0), it.root(2.0));
    let child = it.child(a, 1.0);
    it.run();
    it.despawn(a);
    it.despawn(b);
    it.hang(child, b);
    it.rig.put(child, PreviousParent(Some(b)));
    it.run();
    it.found(FindingKind::DeadParent, child, Some(b));
    assert_eq!(it.findings.len(), 1);
}

#[test]
fn an_entity_that_was_no_transform_for_a_while_comes_back_to_a_smaller_world() {
    let mut it = Judged::default();
    let root = it.root(1.0);
    let others: Vec<_> = (0..200).map(|i| it.child(root, i as f32)).collect();
    let away = it.child(root, 5.0);
    let below = it.child(away, 7.0);
    it.run();
    it.rig.take::<LocalToWorld>(away);
    it.run();
    for (i, &other) in others.iter().enumerate() {
        it.despawn(other);
        if i % 20 == 0 {
            it.run();
        }
    }
    it.run();
    it.rig.put(away, LocalToWorld::identity());
    it.rig.put(below, LocalToParent::identity());
    it.hang(below, away);
    it.run();
    assert_eq!((it.x(away), it.x(below)), (6.0, 13.0));
}

/// Writing the same links once more, or garbage beside them, is no news about a cycle.
#[test]
fn a_cycle_whose_members_are_touched_stays_and_its_links_come_back() {
    for way in 0..4 {
        let mut it = Judged::default();
        let (a, b) = (it.rig.push(linkable()), it.rig.push(linkable()));
        it.hang(a, b);
        it.hang(b, a);
        it.run();
        match way {
            0 => it.hang(a, b),
            1 => it.rig.put(a, PreviousParent(Some(b))),
            2 => it.rig.put(a, [a, b].into_iter().collect::<Children>()),
            _ => it.rig.put(a, Scale(1.0)),
        }
        it.run();
        it.found(FindingKind::Cycle, a, Some(b));
        it.found(FindingKind::Cycle, b, Some(a));
        let root = it.root(100.0);
        it.hang(b, root);
        it.run();
        assert_eq!((it.x(b), it.x(a)), (101.0, 102.0));
    }
}

/// Long sequences of small changes: what the bundle keeps between runs is tidied up many times over.
fn long_life(mut change: impl FnMut(&mut Judged, usize, Entity)) {
    let mut it = Judged::default();
    let a = it.root(10.0);
    let nodes: Vec<_> = (0..60).map(|i| it.child(a, i as f32)).collect();
    it.run();
    for round in 0..300 {
        change(&mut it, round, nodes[round * 7 % 60]);
        it.oracle.run(&mut it.rig);
    }
    it.run();
}

/// Whether a long life is in one of its even minutes.
fn even(round: usize) -> bool {
    (round / 60).is_multiple_of(2)
}

#[test]
fn a_long_life_of_changing_parents() {
    let mut other = None;
    long_life(|it, round, node| {
        let other = *other.get_or_insert_with(|| it.root(20.0));
        let first = it.rig.push((LocalToWorld::identity(),));
        it.hang(node, if even(round) { other } else { first });
    });
}

#[test]
fn a_long_life_of_coming_and_going_worlds() {
    long_life(|it, round, node| match even(round) {
        true => it.rig.take::<LocalToWorld>(node),
        false => it.rig.put(node, LocalToWorld::identity()),
    });
}

#[test]
fn a_long_life_of_coming_and_going_members() {
    long_life(|it, round, node| match even(round) {
        true => it.rig.take::<LocalToParent>(node),
        false => it.rig.put(node, LocalToParent::identity()),
    });
}

#[test]
fn a_long_life_of_coming_and_going_parents() {
    let mut other = None;
    long_life(|it, round, node| {
        let other = *other.get_or_insert_with(|| it.root(20.0));
        if even(round) { it.rig.take::<Parent>(node) } else { it.hang(node, other) }
    });
}

#[test]
fn a_long_life_of_coming_and_going_scales() {
    long_life(|it, round, node| if even(round) { it.rig.put(node, Scale(1.0)) } else { it.rig.take::<Scale>(node) });
}

#[test]
fn a_long_life_of_growing_depth() {
    let mut last = None;
    long_life(|it, round, node| {
        let parent = match last.filter(|_| round % 20 != 0) {
            Some(last) => it.child(last, 1.0),
            None => it.root(1.0),
        };
        it.hang(node, parent);
        last = Some(parent);
    });
}

#[test]
fn a_long_life_of_dying_parents() {
    let mut last = None;
    long_life(|it, round, node| {
        let parent = it.root(round as f32);
        it.rig.put(node, LocalToParent::identity());
        it.hang(node, parent);
        if let Some(last) = last.replace(parent).filter(|_| round % 3 == 0) {
            it.despawn(last);
        }
    });
}

#[test]
fn a_long_life_of_dying_children() {
    long_life(|it, round, node| {
        let child = it.child(node, 1.0);
        let grandchild = it.child(child, 1.0);
        if even(round) {
            it.oracle.run(&mut it.rig);
            it.despawn(child);
        } else {
            it.despawn(grandchild);
        }
    });
}
