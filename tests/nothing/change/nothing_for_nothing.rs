//! Cost and change where random edits come by luck alone: in archetypes of some hundred rows, of
//! which some go. The judge checks values and versions after every run, here and in all suites.

use harness::CheckedWorld;
use legion::Entity;
use legion_transform::{TransformStats, prelude::*};
use nalgebra::{Matrix4, Vector3};

/// Little changes in some runs, so that inputs are worth a copy.
fn calm(it: &mut CheckedWorld, entity: Entity) {
    for x in [1.0, 2.0, 3.0, 4.0, 5.0] {
        it.put(entity, Translation::new(x, 0.0, 0.0));
        it.run();
    }
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
    calm(&mut it, entities[100]);
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
    calm(&mut it, children[100]);
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
