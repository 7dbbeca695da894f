//! Random operations, against parents and ordered lists of children.

mod check;
mod model;

use proptest::prelude::*;

use self::model::Model;
use super::{Forest, NONE, NewParent};
use crate::engine::storage::Row;

/// An operation; what it acts on is picked from what there is.
#[derive(Clone, Debug)]
pub(super) enum Operation {
    /// Links some nodes together: for each, which node it is, or `None` for a new one, and its
    /// parent.
    Insert(Vec<(Option<usize>, usize)>),
    Detach(usize),
    SetHeld(usize),
    /// A node is removed, its children become roots.
    Remove(usize),
    /// A node gets a row, which another node may have.
    Place(usize, usize),
    InsertAtRowOf(usize),
    Leave(usize),
    Rebuild,
    SetDirty(usize),
    SetDirtyBelow(usize),
    Propagate,
}

fn operation() -> impl Strategy<Value = Operation> {
    let any = 0..1000_usize;
    let batch = prop::collection::vec((prop::option::of(any.clone()), any.clone()), 1..12);
    prop_oneof![
        8 => batch.prop_map(Operation::Insert),
        4 => any.clone().prop_map(Operation::Detach),
        2 => any.clone().prop_map(Operation::SetHeld),
        4 => any.clone().prop_map(Operation::Remove),
        2 => (any.clone(), any.clone()).prop_map(|(a, b)| Operation::Place(a, b)),
        1 => any.clone().prop_map(Operation::InsertAtRowOf),
        1 => any.clone().prop_map(Operation::Leave),
        1 => Just(Operation::Rebuild),
        2 => any.clone().prop_map(Operation::SetDirty),
        2 => any.prop_map(Operation::SetDirtyBelow),
        2 => Just(Operation::Propagate),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_forest_is_what_parents_and_lists_of_children_say(
        operations in prop::collection::vec(operation(), 1..60)
    ) {
        let mut model = Model::default();
        for operation in operations {
            model.apply(operation);
            model.check();
            model.check_splits();
        }
    }
}

/// Inserts nodes at rows. Returns their slots, [`NONE`] for refused nodes.
fn insert(forest: &mut Forest, batch: &[(Row, NewParent)]) -> Vec<u32> {
    let is_free: Vec<bool> = batch.iter().map(|&(row, _)| forest.slot(row) == NONE).collect();
    let parents: Vec<Option<NewParent>> = batch.iter().map(|&(_, parent)| Some(parent)).collect();
    forest.insert_subtrees(&parents, |index| batch[index].0);
    batch
        .iter()
        .zip(is_free)
        .map(|(&(row, _), is_free)| if is_free { forest.slot(row) } else { NONE })
        .collect()
}

fn row(row: u32) -> Row {
    Row { archetype: 0, row }
}

fn star(children: u32) -> (Forest, Vec<u32>) {
    let mut forest = Forest::default();
    let below = (1..=children).map(|child| (row(child), NewParent::Batch(0)));
    let batch: Vec<(Row, NewParent)> =
        [(row(0), NewParent::Root)].into_iter().chain(below).collect();
    let slots = insert(&mut forest, &batch);
    (forest, slots)
}

#[test]
fn children_that_come_along_stand_before_those_that_are_new() {
    let (mut forest, slots) = star(2);
    forest.remove_subtrees(&slots);
    let batch = [
        (row(3), NewParent::Batch(1)),
        (row(0), NewParent::Root),
        (row(1), NewParent::Same(1)),
        (row(2), NewParent::Same(1)),
    ];
    let slots = insert(&mut forest, &batch);
    forest.validate();
    let rows: Vec<u32> = forest.children(slots[1]).map(|child| forest.row(child).row).collect();
    assert_eq!(rows, [1, 2, 3]);
}

#[test]
fn what_has_no_entry_is_not_inserted() {
    let mut forest = Forest::default();
    forest.insert_subtrees(
        &[None, Some(NewParent::Batch(2)), Some(NewParent::Root), None],
        |index| row(index as u32),
    );
    forest.validate();
    assert_eq!([0, 1, 2, 3].map(|index| forest.slot(row(index))), [NONE, 1, 0, NONE]);
}

#[test]
fn a_million_children_are_taken_off_one_list() {
    let (mut forest, slots) = star(1_000_000);
    let slots = &slots[1..];
    slots.iter().step_by(3).for_each(|&slot| forest.detach(slot));
    slots.iter().skip(1).step_by(3).rev().for_each(|&slot| forest.detach(slot));
    forest.validate();
    assert!(forest.children(0).eq(slots.iter().skip(2).step_by(3).copied()));
}

/// An archetype may have more rows than the table knows: those behind the last node.
#[test]
fn rows_behind_the_last_node_are_not_marked() {
    let (mut forest, slots) = star(3);
    forest.end_propagation();
    forest.set_dirty_rows(0, 640..3200);
    assert!(!forest.has_marked());
    forest.set_dirty_below(0, 0..2560);
    let marked =
        crate::engine::bits::marked(forest.propagation().dirty_below()).map(|slot| slot as u32);
    assert_eq!(marked.collect::<Vec<_>>(), slots);
}

#[test]
fn what_is_done_to_a_free_slot_changes_nothing() {
    let (mut forest, slots) = star(3);
    let slot = slots[2];
    forest.remove([slot]);
    for again in
        [|forest: &mut Forest, slot| forest.remove([slot]), Forest::detach, Forest::set_held]
    {
        again(&mut forest, slot);
        forest.validate();
    }
    let (moved, at) = (slots[1], forest.row(slots[1]));
    forest.remove_subtrees(&[slot, moved, moved]);
    insert(&mut forest, &[(at, NewParent::Slot(0))]);
    forest.validate();
    assert!(!forest.set_row(slot, Row { archetype: 1, row: 0 }));
    let below = insert(&mut forest, &[(Row { archetype: 1, row: 0 }, NewParent::Slot(slot))]);
    forest.validate();
    assert_eq!((forest.len(), forest.parent(below[0])), (4, None));
}

#[test]
fn a_batch_that_is_its_own_ancestor_is_refused() {
    let mut forest = Forest::default();
    let batch =
        [(row(0), NewParent::Batch(1)), (row(1), NewParent::Batch(0)), (row(2), NewParent::Root)];
    let slots = insert(&mut forest, &batch);
    forest.validate();
    assert_eq!(slots, [NONE, NONE, 0]);
}

/// A subtree in rows from `first` on: a top and children.
fn subtree(first: u32, children: u32, parent: NewParent) -> Vec<(Row, NewParent)> {
    let below = (1..=children).map(|child| (row(first + child), NewParent::Batch(0)));
    [(row(first), parent)].into_iter().chain(below).collect()
}

#[test]
fn a_subtree_gets_the_slots_that_one_as_long_has_left() {
    let (mut forest, _) = star(2);
    let sun = NewParent::Slot(0);
    // Apart from its parent: a second segment.
    insert(&mut forest, &subtree(10, 3, sun));
    assert_eq!((forest.slot(row(10)), forest.segments()), (3, 2));
    forest.remove_subtrees(&[3]);
    forest.validate();
    // Below a parent in the second segment it may not stand before it, nor beside it.
    insert(&mut forest, &subtree(20, 2, sun));
    assert_eq!(forest.slot(row(20)), 3, "one slot is left, for its next child");
    insert(&mut forest, &[(row(23), NewParent::Slot(3))]);
    assert_eq!(forest.slot(row(23)), 6);
    insert(&mut forest, &subtree(30, 3, NewParent::Slot(3)));
    assert_eq!((forest.slot(row(30)), forest.segments()), (7, 3));
    forest.validate();
    forest.remove_subtrees(&[3]);
    forest.validate();
    assert_eq!(forest.len(), 3);
    insert(&mut forest, &subtree(40, 3, sun));
    insert(&mut forest, &subtree(50, 3, sun));
    assert_eq!(forest.slots_len(), 11, "both are used again");
    forest.validate();
}

#[test]
fn a_crowd_that_changes_parents_gets_a_fixed_number_of_slots() {
    let mut forest = Forest::default();
    (0..50).for_each(|root| drop(insert(&mut forest, &subtree(root * 2, 1, NewParent::Root))));
    let parent = |forest: &Forest, number: u32| NewParent::Slot(forest.slot(row(number % 50 * 2)));
    for number in 0..500 {
        let parent = parent(&forest, number);
        insert(&mut forest, &subtree(100 + number * 7, 6, parent));
    }
    let mut random = 1_u32;
    for round in 0..3_000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let top = 100 + (random >> 8) % 500 * 7;
        forest.remove_subtrees(&[forest.slot(row(top))]);
        let parent = parent(&forest, random >> 20);
        insert(&mut forest, &subtree(top, 6, parent));
        if round % 500 == 0 {
            forest.validate();
        }
    }
    assert!(forest.slots_len() < 2 * forest.len() && forest.segments() == 2);
}
