//! "Overriding transform components".

use harness::TestWorld;

use super::{support::*, systems::*};

#[test]
fn override_table_trs_and_user_component_is_the_users_alone() {
    let mut test = TestWorld::new(bundle().before_propagation(override_1_system()));
    let (t, r, s) = trs();
    let overridden =
        test.world.push((untouched(), t, r, s, UserComponent(5.0), Writers::default()));
    let ordinary = test.world.push((untouched(), t, r, s, Writers::default()));
    for _ in 0..2 {
        run(&mut test);
        assert_eq!(
            (test.matrix(overridden), writers(&test, overridden)),
            (mark(5.0), vec!["override 1"])
        );
        assert_close(&test.matrix(ordinary), &trs_matrix());
        assert_eq!(writers(&test, ordinary), [""; 0]);
    }
}

#[test]
fn override_without_a_user_system_leaves_the_matrix_alone() {
    let mut test = TestWorld::new(bundle());
    let (t, r, s) = trs();
    let overridden = test.world.push((untouched(), t, r, s, UserComponent(5.0)));
    run(&mut test);
    assert_eq!(test.matrix(overridden), untouched().0);
}

#[test]
fn override_table_two_user_components_are_written_by_both_and_the_later_system_wins() {
    let bundle =
        bundle().before_propagation(override_1_system()).before_propagation(override_2_system());
    let mut test = TestWorld::new(bundle);
    let (t, r, s) = trs();
    let both = test.world.push((
        untouched(),
        t,
        r,
        s,
        UserComponent(5.0),
        UserComponent2(6.0),
        Writers::default(),
    ));
    run(&mut test);
    assert_eq!(writers(&test, both), ["override 1", "override 2"]);
    assert_eq!(test.matrix(both), mark(6.0));
}

/// Giving the component up gives the matrix back to the bundle.
#[test]
fn override_ends_with_its_component() {
    let mut test = TestWorld::new(bundle().before_propagation(override_1_system()));
    let (t, r, s) = trs();
    let entity = test.world.push((untouched(), t, r, s, UserComponent(5.0), Writers::default()));
    run(&mut test);
    test.world.entry(entity).unwrap().remove_component::<UserComponent>();
    run(&mut test);
    assert_close(&test.matrix(entity), &trs_matrix());
    test.world.entry(entity).unwrap().add_component(UserComponent(8.0));
    run(&mut test);
    assert_eq!(test.matrix(entity), mark(8.0));
}
