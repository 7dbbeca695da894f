//! `inherit`: which values changed.

use harness::{
    TestWorld, at,
    properties::{Team, Tint, bundle},
};
use legion::{Entity, systems::SystemBuilder};
use legion_transform::prelude::*;

use super::alone;

/// What changed is listed, and nothing else: the value decides, not the write.
#[test]
fn the_value_decides_what_is_listed() {
    let _alone = alone();
    let mut test = TestWorld::new(bundle());
    let sun = test.world.push_transform((Scale(1.0), Tint(2), Team("red".into())));
    let mars = test.world.push_child(sun, (Scale(1.0), Team("blue".into())));
    let moon = test.world.push_child(mars, (Scale(1.0),));
    let listed = |test: &mut TestWorld| {
        test.run();
        let changes = test.resources.get::<TransformChanges>().unwrap();
        let changes = changes.of(&test.world);
        let values = [changes.effective::<Tint>().to_vec(), changes.effective::<Team>().to_vec()];
        let is_listed = changes.changed().next().is_some() || !values.concat().is_empty();
        assert_eq!(changes.is_empty(), !is_listed);
        values
    };
    listed(&mut test);
    assert_eq!(listed(&mut test), [vec![], vec![]]);
    test.put(sun, Tint(2)); // the same
    test.put(sun, Translation::new(1.0, 0.0, 0.0)); // another archetype
    assert_eq!(listed(&mut test), [vec![sun], vec![sun]]);
    test.put(sun, Tint(3));
    assert_eq!(listed(&mut test), [vec![sun, mars, moon], vec![]]);
    test.put(sun, Team("green".into()));
    assert_eq!(listed(&mut test), [vec![], vec![sun]], "blue is nearer to mars and moon");
    test.put(mars, Translation::new(2.0, 0.0, 0.0));
    listed(&mut test);
    test.put(mars, Translation::new(3.0, 0.0, 0.0));
    test.put(sun, Scale(3.0));
    assert_eq!(listed(&mut test), [vec![], vec![]]);
    // A spawn into an archetype is no write of the others in it.
    let new = test.world.push_child(mars, (Scale(1.0),));
    test.run();
    let other = test
        .world
        .push_child(mars, (Scale(1.0), Effective::<Tint>::default(), Effective::<Team>::default()));
    assert_eq!(listed(&mut test), [vec![other], vec![other]], "not {new:?}");
}

/// An entity that a system removes behind the stage in which its value changed is not listed.
#[test]
fn values_of_those_that_are_gone_are_not_listed() {
    let _alone = alone();
    let remove = SystemBuilder::new("remove").write_resource::<Option<Entity>>().build(
        |commands, _, doomed, (): &mut ()| {
            doomed.take().into_iter().for_each(|it| commands.remove(it))
        },
    );
    let mut test = TestWorld::new(bundle().before_propagation(remove));
    test.resources.insert(None::<Entity>);
    let [stays, goes] = [1.0, 2.0].map(|x| test.push(at(x)));
    test.run();
    test.put(stays, Tint(3));
    test.put(goes, Tint(4));
    test.resources.insert(Some(goes));
    test.run();
    let changes = test.resources.get::<TransformChanges>().unwrap();
    assert_eq!(changes.of(&test.world).effective::<Tint>(), [stays]);
}
