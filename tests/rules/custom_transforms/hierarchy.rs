//! Overrides under overrides.

use harness::TestWorld;
use legion::*;
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Vector3};

use super::{support::*, systems::*};

/// root (ordinary) - a (overrides its world) - b (ordinary) - c (overrides its world) - d
/// (ordinary): each ordinary entity follows what stands above it, also when that changes.
#[test]
fn overrides_under_overrides_hold_and_what_is_below_follows() {
    let mut test = TestWorld::new(bundle().before_propagation(override_1_system()));
    let step = Matrix4::new_translation(&Vector3::new(0.0, 0.0, 1.0));
    let z = Translation::new(0.0, 0.0, 1.0);
    let link = |parent| (LocalToWorld::default(), LocalToParent::default(), Parent(parent), z);
    let root = test.world.push((LocalToWorld::default(), z));
    let (w, p, parent, t) = link(root);
    let a = test.world.push((w, p, parent, t, UserComponent(5.0), Writers::default()));
    let b = test.world.push(link(a));
    let (w, p, parent, t) = link(b);
    let c = test.world.push((w, p, parent, t, UserComponent(6.0), Writers::default()));
    let d = test.world.push(link(c));
    let check = |test: &TestWorld, a_mark: f32, c_mark: f32| {
        assert_eq!(test.matrix(root), step);
        assert_eq!(test.matrix(a), mark(a_mark));
        assert_eq!(test.matrix(b), mark(a_mark) * step);
        assert_eq!(test.matrix(c), mark(c_mark));
        assert_eq!(test.matrix(d), mark(c_mark) * step);
        // LocalToParent is not overridden: it is still derived.
        assert_eq!(test.value::<LocalToParent>(a).0, step);
    };
    run(&mut test);
    check(&test, 5.0, 6.0);

    test.world.entry(a).unwrap().get_component_mut::<UserComponent>().unwrap().0 = 15.0;
    run(&mut test);
    check(&test, 15.0, 6.0);

    test.world.entry(c).unwrap().get_component_mut::<UserComponent>().unwrap().0 = 16.0;
    run(&mut test);
    check(&test, 15.0, 16.0);

    // The upper override ends: the chain closes again down to the lower one.
    test.world.entry(a).unwrap().remove_component::<UserComponent>();
    run(&mut test);
    assert_eq!(test.matrix(a), step * step);
    assert_eq!(test.matrix(b), step * step * step);
    assert_eq!(test.matrix(c), mark(16.0));
    assert_eq!(test.matrix(d), mark(16.0) * step);
}

/// A component in the group of `LocalToParent`: the link itself is the user's, propagation goes on
/// through it.
#[derive(Clone, Copy)]
struct Slide(f32);

#[system(for_each)]
fn slide(local_to_parent: &mut LocalToParent, slide: &Slide) {
    local_to_parent.0 = Matrix4::new_translation(&Vector3::new(slide.0, 0.0, 0.0));
}

#[test]
fn an_overridden_link_under_an_overridden_world() {
    let bundle = bundle()
        .write_group::<LocalToParent, Slide>()
        .before_propagation(override_1_system())
        .before_propagation(slide_system());
    let mut test = TestWorld::new(bundle);
    let t = Translation::new(9.0, 9.0, 9.0);
    let top = test.world.push((LocalToWorld::default(), t, UserComponent(5.0), Writers::default()));
    let link = |parent| (LocalToWorld::default(), LocalToParent::default(), Parent(parent));
    let (w, p, parent) = link(top);
    let sliding = test.world.push((w, p, parent, t, Slide(3.0)));
    let (w, p, parent) = link(sliding);
    let below = test.world.push((w, p, parent, Translation::new(0.0, 0.0, 1.0)));
    run(&mut test);
    assert_eq!(
        test.value::<LocalToParent>(sliding).0,
        Matrix4::new_translation(&Vector3::new(3.0, 0.0, 0.0))
    );
    assert_eq!(
        test.matrix(sliding),
        mark(5.0) * Matrix4::new_translation(&Vector3::new(3.0, 0.0, 0.0))
    );
    assert_eq!(
        test.matrix(below),
        mark(5.0) * Matrix4::new_translation(&Vector3::new(3.0, 0.0, 1.0))
    );
}

/// An override of an override: `Tuning` takes part in computing `Slide`, which takes part in
/// computing `LocalToParent`. A query that reads `Slide` is content with `Tuning` (it is reached
/// through the closure); and the bundle keeps off.
#[derive(Clone, Copy)]
struct Tuning(f32);

#[system(for_each)]
fn tune(slide: &mut Slide, tuning: &Tuning) {
    slide.0 = tuning.0;
}

#[test]
fn an_override_of_an_override_is_reached_through_the_closure() {
    let bundle = TransformSystemBundle::default()
        .write_group::<LocalToParent, Slide>()
        .write_group::<LocalToParent, Tuning>()
        .write_group::<Slide, Tuning>();
    let filter = bundle.write_groups().filter::<LocalToParent>().reads::<Slide>();
    let slide_filtered = SystemBuilder::new("slide")
        .with_query(<(&mut LocalToParent, &Slide)>::query().filter(filter))
        .build(|_, world, _, query| {
            query.for_each_mut(world, |(local_to_parent, slide)| {
                local_to_parent.0 = Matrix4::new_translation(&Vector3::new(slide.0, 0.0, 0.0));
            });
        });
    let mut test =
        TestWorld::new(bundle.before_composition(tune_system()).before_propagation(slide_filtered));
    let top = test.world.push((LocalToWorld::default(),));
    let link = || (LocalToWorld::default(), LocalToParent::default(), Parent(top), Slide(3.0));
    let (w, p, parent, s) = link();
    let tuned = test.world.push((w, p, parent, s, Tuning(4.0)));
    let plain = test.world.push(link());
    // With a translation beside them, which no list accounts for, neither the user's query nor the
    // bundle writes the link.
    let (w, p, parent, s) = link();
    let foreign = test.world.push((w, p, parent, s, Translation::new(9.0, 9.0, 9.0)));
    run(&mut test);
    assert_eq!(test.matrix(tuned), Matrix4::new_translation(&Vector3::new(4.0, 0.0, 0.0)));
    assert_eq!(test.matrix(plain), Matrix4::new_translation(&Vector3::new(3.0, 0.0, 0.0)));
    assert_eq!(test.matrix(foreign), Matrix4::identity());
}
