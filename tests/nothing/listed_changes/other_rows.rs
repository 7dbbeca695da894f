//! Entities that come to other rows between the stages of a run.

use harness::user::waved;
use legion::*;
use legion_transform::prelude::*;

use super::Tracked;

/// Entities for a system to remove, the last one first, one a system.
#[derive(Default)]
struct Doomed(Vec<Entity>);

/// One entity goes before composition, and one before propagation, so that the last one moves
/// twice.
#[test]
fn what_takes_two_rows_in_one_run_is_not_changed() {
    let remove = |name: &'static str| {
        SystemBuilder::new(name).write_resource::<Doomed>().build(
            |commands, _, doomed, (): &mut ()| {
                doomed.0.pop().into_iter().for_each(|entity| commands.remove(entity));
            },
        )
    };
    let mut tracked = Tracked::new();
    let bundle = TransformSystemBundle::default().track_changes();
    let bundle = bundle.before_composition(remove("one")).before_propagation(remove("two"));
    tracked.test.schedule = Schedule::builder().add_transforms(bundle).build();
    tracked.test.resources.insert(Doomed::default());
    let own = [0.0, 1.0, 2.0, 3.0, 4.0].map(|x| tracked.test.push((waved(x),)));
    tracked.run();
    tracked.run();
    tracked.test.set(own[0], waved(9.0));
    // `own[4]` takes row 3, then row 1.
    tracked.test.resources.get_mut::<Doomed>().unwrap().0 = vec![own[1], own[3]];
    assert_eq!(tracked.run_exactly(), [own[0]]);
    assert_eq!(tracked.removed(), [own[1], own[3]]);
}
