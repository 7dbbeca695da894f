//! Copies of subtrees are as their originals, at once and after the next run.

use std::{collections::HashMap, iter::successors};

use harness::{TestWorld, caught, demand, user::*};
use legion::{Entity, World, world::EntityHasher};
use legion_transform::{
    cloning::{CloneError, EntityCloner},
    prelude::*,
};
use legion_transform_testing::{
    Snapshot,
    snapshot::{self, Row},
};
use proptest::prelude::*;

use crate::random_worlds::*;

type Copies = HashMap<Entity, Entity, EntityHasher>;

fn cloner() -> EntityCloner {
    let mut cloner = EntityCloner::default();
    cloner
        .register::<u8>()
        .register::<OwnWorld>()
        .register::<OwnLocal>()
        .register::<OwnRotation>()
        .register::<OwnCompositeRotation>()
        .register::<OwnCompositeScale>()
        .register::<OwnParentScaleInverse>()
        .register::<OwnWorldAndRotation>();
    cloner
}

fn subtree(world: &World, root: Entity) -> Vec<Entity> {
    Walk::fresh(world).unwrap().subtree(root).collect()
}

/// A copy has what the original has, with the entities of the subtree renamed.
struct Pair<'a> {
    worlds: [&'a World; 2],
    /// Whether the root has another parent, and what follows from that.
    is_moved: bool,
    copies: &'a Copies,
    root: Entity,
}

impl Pair<'_> {
    fn is_same(&self, has_run: bool) {
        let [old, new] = self.worlds.map(Snapshot::of);
        let [originals, copied] =
            [subtree(self.worlds[0], self.root), subtree(self.worlds[1], self.copies[&self.root])];
        let renamed: Vec<Entity> = originals.iter().map(|it| self.copies[it]).collect();
        assert_eq!(copied, renamed, "in this order");
        assert_eq!(originals.len(), self.copies.len());
        for entity in originals {
            let (was, is) = (old.get(entity).unwrap(), new.get(self.copies[&entity]).unwrap());
            if !self.is_moved || entity != self.root {
                self.is_copy(was, is, has_run);
            }
        }
    }

    fn is_copy(&self, was: &Row, is: &Row, has_run: bool) {
        let story = || format!("{was:?}\n{is:?}");
        let name = |entity: Entity| self.copies.get(&entity).copied().unwrap_or(entity);
        assert_eq!(
            is.children,
            was.children.as_ref().map(|it| it.iter().copied().map(name).collect()),
            "{}",
            story()
        );
        assert_eq!(is.frame, was.frame);
        assert_eq!(was.parent.map(name), is.parent, "{}", story());
        let previous = was.previous.map(|it| it.map(name));
        let is_new = was.entity == self.root && !has_run;
        assert!(is.previous == previous || is_new, "{}", story());
        assert_eq!(was.numbers.len(), is.numbers.len(), "{}", story());
        for (was, is) in was.numbers.iter().zip(&is.numbers) {
            assert!(was.0 == is.0 && snapshot::same_bits(&was.1, &is.1), "{:?} {}", was.0, story());
        }
    }
}

proptest! {
    #![proptest_config(demand::cases(64))]

    /// Of random worlds, after a run and between two.
    #[test]
    fn a_duplicate_is_as_its_original(
        history in without_compensation(60),
        picks in prop::collection::vec(0usize..64, 3),
        runs in 0usize..3,
    ) {
        let mut it = RandomWorld::new();
        it.play(&history);
        (0..runs).for_each(|_| it.run());
        for pick in picks {
            let Some(&root) = it.entities.get(pick % it.entities.len().max(1)) else { continue };
            let parent = |entity: &Entity| it.get::<Parent>(*entity).map(|parent| parent.0);
            if successors(Some(root), parent).skip(1).take(100).any(|above| above == root) {
                continue; // A copy is not on its cycle.
            }
            let made = cloner().duplicate(&mut it.world, root);
            if !it.world.contains(root) {
                prop_assert_eq!(made, Err(CloneError::Dead(root)));
                continue;
            }
            let copies = made.unwrap();
            let pair = |it: &RandomWorld, has_run| {
                let worlds = [&it.world, &it.world];
                Pair { worlds, is_moved: false, copies: &copies, root }.is_same(has_run);
            };
            pair(&it, false);
            it.run();
            if runs > 0 {
                prop_assert_eq!(it.written(), (0, 0));
            }
            pair(&it, true);
        }
    }
}

proptest! {
    #![proptest_config(demand::cases(32))]

    /// Into a prefab, and from there below any parent of the same world: the root keeps its local
    /// matrix, and all below it their inputs.
    #[test]
    fn an_instance_of_a_prefab_is_as_its_original(
        history in without_compensation(60),
        picks in prop::collection::vec((0usize..64, 0usize..64), 3),
    ) {
        let mut it = RandomWorld::new();
        it.play(&history);
        it.run();
        it.run();
        for (root, parent) in picks {
            let pick = |at: usize| it.entities.get(at % it.entities.len().max(1)).copied();
            let (Some(root), Some(parent)) = (pick(root), pick(parent)) else { continue };
            if !it.has::<LocalToWorld>(root) || !it.has::<LocalToWorld>(parent) {
                continue;
            }
            let mut prefab = World::default();
            let first = cloner().clone_to(&it.world, root, &mut prefab, None).unwrap();
            let worlds = [&it.world, &prefab];
            Pair { worlds, is_moved: true, copies: &first, root }.is_same(false);
            let second =
                cloner().clone_to(&prefab, first[&root], &mut it.world, Some(parent)).unwrap();
            let worlds = [&prefab, &it.world];
            Pair { worlds, is_moved: true, copies: &second, root: first[&root] }.is_same(false);
            let copy = second[&first[&root]];
            let local = |it: &RandomWorld, entity| it.fresh().local_to_parent(entity).ok();
            let is_orphan = it.has::<LocalToParent>(root) && !it.has::<Parent>(root);
            let is_own = it.has::<OwnWorld>(root)
                || it.has::<OwnLocal>(root)
                || it.has::<OwnWorldAndRotation>(root)
                || is_orphan;
            let (was, is) = (local(&it, root), local(&it, copy));
            it.run();
            prop_assert_eq!(Walk::new(&it.world).unwrap().children(parent).last(), Some(copy));
            if let (Some(was), Some(is), false) = (was, is, is_own) {
                prop_assert!(same_bits(&was.0, &is.0), "{} {}", was.0, is.0);
            }
        }
    }
}

/// Names another entity, and is renamed.
#[derive(Clone, Debug, PartialEq)]
struct Aims(Entity);

#[test]
fn links_inside_go_with_the_copy_and_others_stay() {
    let mut test = TestWorld::default();
    let [parent, stranger] = [test.at(1.0), test.at(2.0)];
    let root = test.world.push_child(parent, (Scale(2.0), Aims(stranger)));
    let leaf = test.world.push_child(root, (Translation::new(1.0, 0.0, 0.0), Aims(root)));
    let [before, after] = [test.at(0.0), test.at(0.0)];
    test.world.insert_child(parent, 0, before).unwrap();
    test.world.set_parent(after, parent).unwrap();
    test.run();
    let mut cloner = EntityCloner::default();
    let refused = cloner.duplicate(&mut test.world, root).unwrap_err();
    assert!(matches!(refused, CloneError::NotRegistered { entity, .. } if entity == root));
    assert!(refused.to_string().contains("Aims"), "{refused}");
    let plain = cloner.clone().leave_out_unregistered();
    let copies = plain.duplicate(&mut test.world, root).unwrap();
    assert!(!test.has::<Aims>(copies[&leaf]));
    test.world.despawn_subtree(copies[&root]);

    cloner.register::<Aims>();
    let copies = cloner.duplicate(&mut test.world, root).unwrap();
    let [copy, below] = [copies[&root], copies[&leaf]];
    assert_eq!((test.value::<Aims>(copy), test.value::<Aims>(below)), (Aims(stranger), Aims(copy)));
    assert_eq!(test.x(below), 3.0, "at once");
    assert_eq!(Walk::fresh(&test.world).unwrap().index(copy), Some(3));
    test.run();
    assert_eq!(test.children(parent), [before, root, after, copy]);
    assert_eq!(test.written(), (0, 0));

    // Below one of its own, as a root, and into a world in which the parent is dead.
    let copies = cloner.duplicate_below(&mut test.world, root, Some(leaf)).unwrap();
    let alone = cloner.duplicate_below(&mut test.world, leaf, None).unwrap()[&leaf];
    test.run();
    assert_eq!((test.children(leaf), test.x(copies[&leaf])), (vec![copies[&root]], 7.0));
    assert_eq!((test.x(alone), test.is_root(alone)), (1.0, true));
    let mut other = World::default();
    let refused = cloner.clone_to(&test.world, root, &mut other, Some(parent));
    assert_eq!((refused, other.len()), (Err(CloneError::Dead(parent)), 0));
}

/// A `Clone` that panics changes nothing, and names are as before.
#[test]
fn a_clone_that_panics_leaves_no_trace() {
    struct Fragile;
    impl Clone for Fragile {
        fn clone(&self) -> Self {
            panic!("a user's");
        }
    }
    let mut test = TestWorld::default();
    let root = test.world.push_transform((Scale(2.0),));
    let leaf = test.world.push_child(root, (Fragile,));
    test.run();
    let mut cloner = EntityCloner::default();
    cloner.register_by::<Fragile>(|_, _| false);
    let world = &mut test.world;
    assert!(caught(|| cloner.duplicate(world, root)).is_err());
    let list = vec![root, leaf];
    #[allow(clippy::redundant_clone, reason = "it asks Legion whether a merge renames them")]
    let same = list.clone();
    assert_eq!((test.world.len(), same), (2, list));
    test.run();
    assert_eq!(test.written(), (0, 0));
}

/// What a root's own matrix is goes below a parent as its local matrix, and back.
#[test]
fn a_root_keeps_its_local_matrix() {
    let mut test = TestWorld::default();
    let parent = test.at(10.0);
    let matrix = Translation::new(1.0, 0.0, 0.0).to_homogeneous();
    let rock = test.push((LocalToWorld(matrix),));
    let cloner = EntityCloner::default();
    let below = cloner.duplicate_below(&mut test.world, rock, Some(parent)).unwrap()[&rock];
    test.run();
    assert_eq!((test.x(below), test.value::<LocalToParent>(below).0), (11.0, matrix));
    let root = cloner.duplicate_below(&mut test.world, below, None).unwrap()[&below];
    assert_eq!((test.x(root), test.has::<LocalToParent>(root)), (1.0, false));
    // What cancels the scale of one parent is not kept below another.
    let scaled = test.root(Scale(2.0));
    let held = test.child(scaled, ParentScaleInverse::identity());
    test.put(held, Translation::new(1.0, 0.0, 0.0));
    test.run();
    let free = cloner.duplicate_below(&mut test.world, held, Some(parent)).unwrap()[&held];
    test.run();
    assert_eq!((test.x(free), test.matrix(free).m11), (11.0, 1.0));
}
