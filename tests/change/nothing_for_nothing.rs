//! Change and cost: which versions a run moves, what it rewrites, and what it leaves alone.
//!
//! The oracle checks all versions after every run; each test here makes one point, and says it in
//! numbers.

use harness::{CheckedWorld, Rng, snapshot};
use legion::{Entity, IntoQuery};
use legion_transform::{TransformStats, prelude::*};
use legion_transform_testing::{
    Kind,
    snapshot::{Column, archetypes},
};
use nalgebra::{Matrix4, Vector3};

/// Tags that keep entities in archetypes of their own.
struct Tag<const N: usize>;

#[test]
fn an_unchanged_world_moves_no_version_of_anything() {
    let mut it = CheckedWorld::default();
    let mut rng = Rng::new(3);
    let mut last = it.at(1.0);
    for _ in 0..200 {
        let mut components = vec![(Kind::LocalToWorld, Kind::LocalToWorld.identity())];
        for _ in 0..rng.below(6) {
            let kind = *rng.pick(Kind::ALL);
            components.push((kind, rng.numbers(kind)));
        }
        let entity = it.spawn(&components);
        if rng.one_in(2) {
            it.put(entity, LocalToParent::identity());
            it.put(entity, Parent(last));
            last = entity;
        }
    }
    it.run();
    for _ in 0..3 {
        let before = snapshot(&it.world);
        it.test.run();
        assert_eq!(snapshot(&it.world).moved_since(&before), []);
    }
}

#[test]
fn touching_an_input_without_changing_it_moves_nothing() {
    let mut it = CheckedWorld::default();
    let root = it.at(1.0);
    it.below(root, 2.0);
    it.run();
    let before = snapshot(&it.world);
    for translation in <&mut Translation>::query().iter_mut(&mut it.world) {
        translation.0.vector.x += 0.0;
    }
    it.run();
    let moved = snapshot(&it.world).moved_since(&before);
    assert!(
        moved.iter().all(|(_, column)| *column == Column::Numeric(Kind::Translation)),
        "{moved:?}"
    );
}

#[test]
fn a_change_moves_the_version_where_a_matrix_changed_and_nowhere_else() {
    let mut it = CheckedWorld::default();
    let (moving, still) = (it.at(1.0), it.at(2.0));
    it.put(still, Tag::<0>);
    let child = it.below(moving, 1.0);
    let other = it.below(still, 1.0);
    it.put(other, Tag::<1>);
    it.run();
    let versions = |it: &mut CheckedWorld| {
        [moving, still, child, other].map(|entity| it.version::<LocalToWorld>(entity))
    };
    let local = it.version::<LocalToParent>(child);
    let before = versions(&mut it);
    it.put(moving, Translation::new(5.0, 0.0, 0.0));
    it.run();
    let after = versions(&mut it);
    assert!(after[0] != before[0] && after[2] != before[2], "those that moved");
    assert_eq!((after[1], after[3]), (before[1], before[3]), "those that did not");
    assert_eq!(
        it.version::<LocalToParent>(child),
        local,
        "a parent that moves leaves local matrices alone"
    );
    assert_eq!(it.x(child), 6.0);
}

#[test]
fn a_world_that_comes_out_with_the_same_bits_stops_the_descent() {
    let mut it = CheckedWorld::default();
    let root = it.at(1.0);
    let middle = it.below(root, 2.0);
    let leaf = it.below(middle, 4.0);
    it.put(middle, Tag::<0>);
    it.put(leaf, Tag::<1>);
    it.run();
    let (middles, leafs) = (it.version::<LocalToWorld>(middle), it.version::<LocalToWorld>(leaf));
    it.put(root, Translation::new(2.0, 0.0, 0.0));
    it.put(middle, Translation::new(1.0, 0.0, 0.0));
    it.run();
    assert_eq!((it.x(root), it.x(middle), it.x(leaf)), (2.0, 3.0, 7.0));
    assert_eq!(it.version::<LocalToWorld>(middle), middles);
    assert_eq!(it.version::<LocalToWorld>(leaf), leafs);
}

#[test]
fn a_derived_component_that_someone_overwrote_is_right_again() {
    let mut rng = Rng::new(5);
    let mut it = CheckedWorld::default();
    let parent = it.push((LocalToWorld::identity(), Scale(2.0)));
    let everything: Vec<_> = Kind::ALL.iter().map(|&kind| (kind, rng.numbers(kind))).collect();
    let child = it.spawn(&everything);
    it.put(child, Parent(parent));
    it.run();
    let right = it.oracle.last.get(child).unwrap().numbers.clone();
    for kind in [
        Kind::LocalToWorld,
        Kind::LocalToParent,
        Kind::WorldToLocal,
        Kind::CompositeRotation,
        Kind::CompositeScale,
        Kind::ParentScaleInverse,
        Kind::Rotation,
        Kind::PostRotation,
    ] {
        let wrong = rng.numbers(kind);
        kind.set(&mut it.world.entry(child).unwrap(), &wrong);
        it.run();
        assert_eq!(
            it.oracle.last.get(child).unwrap().numbers,
            right,
            "after {kind:?} was overwritten"
        );
        assert_ne!(it.oracle.last.get(child).unwrap().get(kind), Some(&wrong));
    }
}

#[test]
fn an_overwritten_world_of_a_parent_is_right_again_and_its_children_do_not_notice() {
    let mut it = CheckedWorld::default();
    let root = it.at(1.0);
    let child = it.below(root, 2.0);
    it.run();
    let version = it.version::<LocalToWorld>(child);
    it.put(root, LocalToWorld(Matrix4::new_scaling(9.0)));
    it.run();
    assert_eq!((it.x(root), it.x(child)), (1.0, 3.0));
    assert_eq!(it.version::<LocalToWorld>(child), version);
}

#[test]
fn a_static_entity_is_the_users_and_its_children_follow_edits() {
    let mut it = CheckedWorld::default();
    let fixed = it.push((LocalToWorld::identity(),));
    let child = it.below(fixed, 2.0);
    it.run();
    for x in [5.0, 6.0] {
        it.put(fixed, LocalToWorld(Matrix4::new_translation(&Vector3::new(x, 0.0, 0.0))));
        it.run();
        assert_eq!((it.x(fixed), it.x(child)), (x, x + 2.0));
    }
}

#[test]
fn the_rest_of_an_archetype_keeps_its_versions_and_bits_through_removals() {
    let mut it = CheckedWorld::default();
    let entities: Vec<_> = (0..100).map(|i| it.at(i as f32)).collect();
    it.run();
    let before = it.version::<LocalToWorld>(entities[99]);
    // The last row takes the place of the removed one, and no version is bumped.
    it.world.remove(entities[10]);
    it.run();
    assert_eq!(it.version::<LocalToWorld>(entities[99]), before);
    it.world.remove(entities[20]);
    it.put(entities[98], Translation::new(-1.0, 0.0, 0.0));
    it.run();
    assert_eq!((it.x(entities[98]), it.x(entities[97]), it.x(entities[99])), (-1.0, 97.0, 99.0));
}

#[test]
fn rows_that_change_places_are_not_mistaken_for_one_another() {
    let mut it = CheckedWorld::default();
    let root = it.at(100.0);
    let other = it.at(200.0);
    let children: Vec<_> =
        (0..10).map(|i| it.below(if i % 2 == 0 { root } else { other }, i as f32)).collect();
    it.run();
    // One leaves, the last row takes its place; one enters, so that the number of rows is the same.
    it.world.remove(children[1]);
    let new = it.below(root, 50.0);
    it.run();
    assert_eq!(it.x(new), 150.0);
    it.put(root, Translation::new(300.0, 0.0, 0.0));
    it.run();
    for (i, &child) in children.iter().enumerate().filter(|(i, _)| *i != 1) {
        assert_eq!(it.x(child), if i % 2 == 0 { 300.0 } else { 200.0 } + i as f32);
    }
    assert_eq!(it.x(new), 350.0);
}

#[test]
fn those_who_stay_cost_nothing_when_others_go() {
    let mut it = CheckedWorld::default();
    let root = it.at(5.0);
    let roots: Vec<Entity> = (0..400).map(|x| it.at(x as f32)).collect();
    let children: Vec<Entity> = (0..400).map(|x| it.below(root, x as f32)).collect();
    it.run();
    it.run();
    for number in [0, 17, 399] {
        it.world.remove(roots[number]);
        it.world.remove(children[number]);
    }
    it.run();
    let stats = it.resources.get::<TransformStats>().unwrap().of(&it.world);
    assert_eq!((stats.composed, stats.propagated), (0, 0), "{stats:?}");
    it.put(root, Translation::new(7.0, 0.0, 0.0));
    it.run();
    assert_eq!((it.x(roots[398]), it.x(children[398])), (398.0, 405.0));
}

/// After a removal, the kept copy of a row's inputs is another entity's. By chance it may equal the
/// next write.
#[test]
fn values_that_a_removed_entity_had_are_news_for_the_one_in_its_row() {
    let mut it = CheckedWorld::default();
    let entities: Vec<Entity> = (0..300).map(|x| it.at(x as f32)).collect();
    it.run();
    for x in [1.0, 2.0, 3.0, 4.0, 5.0] {
        // Little changes, so that inputs are worth a copy.
        it.put(entities[100], Translation::new(x, 0.0, 0.0));
        it.run();
    }
    it.world.remove(entities[0]);
    it.run();
    it.put(entities[299], Translation::new(0.0, 0.0, 0.0));
    it.run();
    assert_eq!(it.x(entities[299]), 0.0);
}

/// A user writes the local matrix that an entity has, and another entity takes a row: no matrix
/// differs, whatever the copy of inputs says of that row.
#[test]
fn a_local_matrix_that_was_right_already_moves_no_version_where_rows_are_taken() {
    let mut it = CheckedWorld::default();
    let root = it.at(1.0);
    let children: Vec<Entity> = (0..300).map(|x| it.below(root, x as f32)).collect();
    it.run();
    for x in [1.0, 2.0, 3.0, 4.0, 5.0] {
        // Little changes, so that inputs are worth a copy.
        it.put(children[100], Translation::new(x, 0.0, 0.0));
        it.run();
    }
    let local = it.value::<LocalToParent>(children[200]);
    it.put(children[200], local);
    it.world.remove(children[0]);
    let version = it.version::<LocalToParent>(children[200]);
    it.run();
    assert_eq!(it.version::<LocalToParent>(children[200]), version);
    // The same, where the matrix was put right together with its input.
    it.put(children[200], Translation::new(-1.0, 0.0, 0.0));
    it.put(children[200], LocalToParent(Matrix4::new_translation(&Vector3::new(-1.0, 0.0, 0.0))));
    let version = it.version::<LocalToParent>(children[200]);
    it.run();
    assert_eq!(it.version::<LocalToParent>(children[200]), version);
    assert_eq!(it.x(children[200]), 0.0);
}

#[test]
fn an_entity_that_moves_to_another_archetype_and_back_keeps_its_world() {
    let mut it = CheckedWorld::default();
    let root = it.at(1.0);
    let child = it.below(root, 2.0);
    let grandchild = it.below(child, 4.0);
    for _ in 0..3 {
        it.run();
        it.put(child, Tag::<0>);
        it.run();
        it.put(root, Tag::<1>);
        it.take::<Tag<0>>(child);
        it.run();
        it.take::<Tag<1>>(root);
        assert_eq!((it.x(child), it.x(grandchild)), (3.0, 7.0));
    }
}

#[test]
fn the_parents_matrix_is_from_the_same_run_at_every_depth_and_in_every_archetype() {
    let mut it = CheckedWorld::default();
    let root = it.at(0.0);
    let mut chain = vec![root];
    for depth in 0..64 {
        let child = it.below(chain[depth], 1.0);
        if depth % 2 == 0 {
            it.put(child, Tag::<0>);
        }
        if depth % 3 == 0 {
            it.put(child, Tag::<1>);
        }
        if depth % 5 == 0 {
            it.put(child, Scale(1.0));
        }
        chain.push(child);
    }
    assert!(archetypes(&it.world).len() > 8);
    for x in [0.0, 10.0, 20.0] {
        it.put(root, Translation::new(x, 0.0, 0.0));
        it.run();
        for (depth, &entity) in chain.iter().enumerate() {
            assert_eq!(it.x(entity), x + depth as f32);
        }
    }
}

#[test]
fn what_is_not_finite_stays_below_its_entity_and_moves_nothing_when_nothing_changes() {
    let mut it = CheckedWorld::default();
    let root = it.at(1.0);
    let (bad, good) = (it.below(root, f32::NAN), it.below(root, 2.0));
    let below = it.below(bad, 3.0);
    let beside = it.below(good, 4.0);
    let inverse = it.push((LocalToWorld::identity(), Scale(f32::NAN), WorldToLocal::identity()));
    it.run();
    assert!(it.x(bad).is_nan() && it.x(below).is_nan());
    assert_eq!((it.x(root), it.x(good), it.x(beside)), (1.0, 3.0, 7.0));
    assert_eq!(it.get::<WorldToLocal>(inverse), Some(WorldToLocal::identity()));
    let before = snapshot(&it.world);
    it.test.run();
    assert_eq!(snapshot(&it.world).moved_since(&before), [], "NaNs count as equal");
    it.put(bad, Translation::new(0.0, 0.0, 0.0));
    it.run();
    assert_eq!((it.x(bad), it.x(below)), (1.0, 4.0));
}

#[test]
fn removing_inputs_recomputes_until_the_last_one_leaves_the_matrix_to_the_user() {
    let mut it = CheckedWorld::default();
    let entity = it.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0), Scale(2.0)));
    it.run();
    it.take::<Translation>(entity);
    it.run();
    assert_eq!(it.matrix(entity), Matrix4::new_scaling(2.0));
    it.take::<Scale>(entity);
    it.run();
    assert_eq!(it.matrix(entity), Matrix4::new_scaling(2.0), "the last matrix stays");
    it.put(entity, LocalToWorld(Matrix4::new_scaling(3.0)));
    it.run();
    assert_eq!(it.matrix(entity), Matrix4::new_scaling(3.0), "and is the user's");
}

#[test]
fn parent_scale_inverse_follows_its_source_and_what_the_user_wrote_stays() {
    let mut it = CheckedWorld::default();
    let (scaled, plain) = (it.push((LocalToWorld::identity(), Scale(2.0))), it.at(0.0));
    let child = it.below(scaled, 1.0);
    it.run();
    it.put(child, ParentScaleInverse(Matrix4::new_scaling(7.0)));
    it.run();
    let inverse = |it: &mut CheckedWorld| it.get::<ParentScaleInverse>(child).unwrap().0;
    assert_eq!(inverse(&mut it), Matrix4::new_scaling(0.5), "added later to an existing child");
    it.put(scaled, Scale(4.0));
    it.run();
    assert_eq!(inverse(&mut it), Matrix4::new_scaling(0.25), "the source changed");
    it.take::<Scale>(scaled);
    it.put(scaled, NonUniformScale::new(1.0, 2.0, 4.0));
    it.run();
    assert_eq!(
        inverse(&mut it),
        Matrix4::new_nonuniform_scaling(&Vector3::new(1.0, 0.5, 0.25)),
        "swapped"
    );
    it.put(scaled, NonUniformScale::new(0.0, 2.0, 4.0));
    it.run();
    assert_eq!(
        inverse(&mut it),
        Matrix4::new_nonuniform_scaling(&Vector3::new(0.0, 0.5, 0.25)),
        "no reciprocal: 0"
    );
    it.take::<NonUniformScale>(scaled);
    it.run();
    assert_eq!(inverse(&mut it), Matrix4::identity(), "the source went away");
    it.put(child, ParentScaleInverse(Matrix4::new_scaling(7.0)));
    it.run();
    assert_eq!(inverse(&mut it), Matrix4::new_scaling(7.0), "without a source it is the user's");
    it.put(child, Parent(plain));
    it.run();
    assert_eq!(
        inverse(&mut it),
        Matrix4::new_scaling(7.0),
        "also below another parent without a scale"
    );
    it.put(scaled, Scale(2.0));
    it.put(child, Parent(scaled));
    it.run();
    assert_eq!(inverse(&mut it), Matrix4::new_scaling(0.5));
    it.put(child, Parent(plain));
    it.run();
    assert_eq!(inverse(&mut it), Matrix4::identity(), "moved under a parent without a source");
}
