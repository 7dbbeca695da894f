//! "Extending transform components".

use harness::TestWorld;

use super::{support::*, systems::*};

#[test]
fn extend_table_user_component_alone_matches_the_filtering_query() {
    let mut test = TestWorld::new(filtering_bundle());
    let entity = test.world.push((untouched(), UserComponent(5.0), Writers::default()));
    run(&mut test);
    assert_eq!((test.matrix(entity), writers(&test, entity)), (mark(5.0), vec!["filter 1"]));
}

#[test]
fn extend_table_trs_and_user_component_do_not_match_the_plain_filtering_query() {
    let bundle = bundle();
    let plain = filter_1(bundle.write_groups());
    let mut test = TestWorld::new(bundle.before_propagation(plain));
    let (t, r, s) = trs();
    let entity = test.world.push((untouched(), t, r, s, UserComponent(5.0), Writers::default()));
    run(&mut test);
    assert_eq!(writers(&test, entity), [""; 0]);
    assert_eq!(test.matrix(entity), untouched().0); // nor does the bundle
}

#[test]
fn extend_table_trs_and_user_component_match_the_extension_that_lists_them() {
    let mut test = TestWorld::new(filtering_bundle());
    let (t, r, s) = trs();
    let entity = test.world.push((untouched(), t, r, s, UserComponent(5.0), Writers::default()));
    run(&mut test);
    assert_eq!((test.matrix(entity), writers(&test, entity)), (mark(6.0), vec!["extension"]));
}

#[test]
fn extend_table_two_user_components_match_the_combo_alone() {
    let mut test = TestWorld::new(filtering_bundle());
    let entity =
        test.world.push((untouched(), UserComponent(5.0), UserComponent2(6.0), Writers::default()));
    run(&mut test);
    assert_eq!((test.matrix(entity), writers(&test, entity)), (mark(11.0), vec!["combo"]));
}

/// The document's closing list, over all sets of the components it names: every entity is written
/// by exactly the system that was made for it, by the bundle where no user component is, and else
/// by none.
#[test]
fn systems_side_by_side_match_at_most_once_for_every_set_of_components() {
    let mut test = TestWorld::new(filtering_bundle());
    let (t, r, s) = trs();
    let mut entities = Vec::new();
    for set in 0..32_u32 {
        let entity = test.world.push((untouched(), Writers::default()));
        let mut entry = test.world.entry(entity).unwrap();
        let has = |bit: u32| set & (1 << bit) != 0;
        if has(0) {
            entry.add_component(t);
        }
        if has(1) {
            entry.add_component(r);
        }
        if has(2) {
            entry.add_component(s);
        }
        if has(3) {
            entry.add_component(UserComponent(5.0));
        }
        if has(4) {
            entry.add_component(UserComponent2(6.0));
        }
        entities.push((set, entity));
    }
    run(&mut test);
    for (set, entity) in entities {
        let (local, user_1, user_2) = (set & 0b111, set & 0b1000 != 0, set & 0b1_0000 != 0);
        let (expected, matrix): (&[_], _) = match (local, user_1, user_2) {
            (0, true, false) => (&["filter 1"], Some(mark(5.0))),
            (0, false, true) => (&["filter 2"], Some(mark(6.0))),
            (0, true, true) => (&["combo"], Some(mark(11.0))),
            (0b111, true, false) => (&["extension"], Some(mark(6.0))),
            (1.., false, false) => (&[], None),
            _ => (&[], Some(untouched().0)),
        };
        assert_eq!(writers(&test, entity), expected, "set {set:05b}");
        match matrix {
            Some(matrix) => assert_eq!(test.matrix(entity), matrix, "set {set:05b}"),
            None => assert_ne!(
                test.matrix(entity),
                untouched().0,
                "set {set:05b}: the bundle writes it"
            ),
        }
    }
}
