//! `track_changes`: the lists of matrices and of inherited values are exact after all edits. Cases
//! that the model leaves open. These tests run in a process of their own, one after another: worlds
//! of other threads would move the counter of versions between direct edits, and then more may be
//! listed.

mod counted_writes;
mod inherited;
mod other_rows;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use harness::{Rng, TestWorld, at, below};
use legion::{systems::CommandBuffer, world::SubWorld, *};
use legion_transform::prelude::*;
use legion_transform_testing::ListMirror;

/// A world that tracks, and a copy that follows it.
struct Tracked {
    test: TestWorld,
    mirror: ListMirror,
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tracked {
    fn new() -> Self {
        let test = TestWorld::new(TransformSystemBundle::default().track_changes());
        Self { test, mirror: ListMirror::default(), _alone: alone() }
    }

    /// Runs, and returns what was listed without need.
    fn run(&mut self) -> Vec<Entity> {
        self.test.run();
        self.mirror.follow(&self.test.world, &self.test.resources)
    }

    /// Runs: nothing is listed that did not change. Returns what was.
    #[track_caller]
    fn run_exactly(&mut self) -> Vec<Entity> {
        assert_eq!(self.run(), [], "listed without need");
        self.changed()
    }

    fn changed(&self) -> Vec<Entity> {
        self.test
            .resources
            .get::<TransformChanges>()
            .unwrap()
            .of(&self.test.world)
            .changed()
            .collect()
    }

    fn removed(&self) -> Vec<Entity> {
        self.test
            .resources
            .get::<TransformChanges>()
            .unwrap()
            .of(&self.test.world)
            .removed()
            .to_vec()
    }

    fn begins_anew(&self) -> bool {
        self.test.resources.get::<TransformChanges>().unwrap().of(&self.test.world).begins_anew()
    }
}

/// A copy of a column has its length, also where the last row has gone.
#[test]
fn a_copy_of_an_archetype_that_is_empty_is_empty() {
    let mut it = Tracked::new();
    let one = it.test.at(1.0);
    it.run();
    let archetype = it.test.world.entry_ref(one).unwrap().archetype().index();
    let mut copy = Vec::new();
    for column in [&[LocalToWorld::identity()][..], &[]] {
        let changes = it.test.resources.get::<TransformChanges>().unwrap();
        let rows = changes.of(&it.test.world).archetype(archetype).unwrap();
        rows.copy(column, &mut copy);
        assert_eq!(copy, column);
        drop(changes);
        it.test.world.remove(one);
        it.run();
    }
}

#[test]
fn what_follows_a_change_is_listed_and_nothing_else() {
    let mut tracked = Tracked::new();
    let roots = [tracked.test.at(1.0), tracked.test.at(2.0)];
    let children: Vec<Entity> =
        (0..10).map(|n| tracked.test.below(roots[n % 2], n as f32)).collect();
    assert_eq!(tracked.run_exactly().len(), 12);
    assert!(tracked.begins_anew());
    assert_eq!(tracked.run_exactly(), []);
    assert!(!tracked.begins_anew());

    tracked.test.set(roots[0], Translation::new(5.0, 0.0, 0.0));
    let mut expected: Vec<Entity> = children.iter().copied().step_by(2).chain([roots[0]]).collect();
    let mut changed = tracked.run_exactly();
    expected.sort_by_key(|entity| format!("{entity:?}"));
    changed.sort_by_key(|entity| format!("{entity:?}"));
    assert_eq!(changed, expected);

    tracked.test.set(children[3], Translation::new(5.0, 0.0, 0.0));
    assert_eq!(tracked.run_exactly(), [children[3]]);
    // The same value again.
    tracked.test.set(children[3], Translation::new(5.0, 0.0, 0.0));
    assert_eq!(tracked.run_exactly(), []);
}

#[test]
fn a_flat_archetype_in_which_everything_moved_lists_exactly_what_moves_next() {
    let mut tracked = Tracked::new();
    let entities: Vec<Entity> = (0..1000).map(|n| tracked.test.at(n as f32)).collect();
    for round in 0..3 {
        for &entity in &entities {
            tracked.test.set(entity, Translation::new(round as f32, 1.0, 0.0));
        }
        assert_eq!(tracked.run_exactly().len(), 1000);
    }
    tracked.test.set(entities[77], Translation::new(0.0, 7.0, 0.0));
    assert_eq!(tracked.run_exactly(), [entities[77]]);
}

#[test]
fn what_goes_is_told_and_what_takes_its_row_is_not_changed() {
    let mut tracked = Tracked::new();
    let entities: Vec<Entity> = (0..200).map(|n| tracked.test.at(n as f32)).collect();
    let child = tracked.test.below(entities[0], 1.0);
    tracked.run();
    tracked.test.despawn(entities[3]);
    tracked.test.despawn(child);
    assert_eq!(
        tracked.run_exactly().len(),
        1,
        "the parent loses Children, and so gets another archetype"
    );
    let removed = tracked.removed();
    assert!(removed.len() == 2 && removed.contains(&entities[3]) && removed.contains(&child));

    tracked.test.take::<LocalToWorld>(entities[5]);
    assert_eq!(tracked.run_exactly(), []);
    assert_eq!(tracked.removed(), [entities[5]]);
    tracked.test.put(entities[5], LocalToWorld::identity());
    assert_eq!(tracked.run_exactly(), [entities[5]]);
}

/// What a system is to do in the next run, and the entities that it has spawned.
#[derive(Default)]
struct Bullets {
    parent: Option<Entity>,
    gone: Vec<Entity>,
    new: usize,
    spawned: Vec<Entity>,
}

#[system]
fn shoot(commands: &mut CommandBuffer, #[resource] bullets: &mut Bullets) {
    bullets.gone.drain(..).for_each(|entity| commands.remove(entity));
    let parent = bullets.parent.expect("it is set");
    let new = (0..std::mem::take(&mut bullets.new)).map(|n| commands.push(below(parent, n as f32)));
    bullets.spawned = new.collect();
}

/// Bullets come and go by a system's commands while others in the same archetype move: nothing else
/// is listed.
#[test]
fn insertions_by_commands_list_what_came_alone() {
    let mut rng = Rng::new(5);
    let mut tracked = Tracked::new();
    let bundle = TransformSystemBundle::default().track_changes();
    tracked.test.schedule =
        Schedule::builder().add_system(shoot_system()).add_transforms(bundle).build();
    let parent = tracked.test.at(0.0);
    tracked.test.resources.insert(Bullets { parent: Some(parent), ..Bullets::default() });
    let mut alive: Vec<Entity> = (0..300).map(|n| tracked.test.below(parent, n as f32)).collect();
    tracked.run();
    for round in 0..60 {
        let mover = alive[rng.below(alive.len())];
        tracked.test.set(mover, Translation::new(round as f32, -1.0, 0.0));
        let gone: Vec<Entity> =
            (0..rng.below(5)).map(|_| alive.swap_remove(rng.below(alive.len()))).collect();
        {
            let mut bullets = tracked.test.resources.get_mut::<Bullets>().unwrap();
            (bullets.gone, bullets.new) = (gone.clone(), rng.below(5));
        }
        let changed = tracked.run_exactly();
        let spawned = tracked.test.resources.get::<Bullets>().unwrap().spawned.clone();
        assert_eq!(changed.len(), spawned.len() + usize::from(!gone.contains(&mover)));
        assert_eq!(tracked.removed().len(), gone.len());
        alive.extend(spawned);
    }
}

/// Rows are gone through in blocks of 4,096: the first and the last of each are listed as well.
#[test]
fn rows_of_every_block_are_listed() {
    let mut tracked = Tracked::new();
    let parent = tracked.test.at(0.0);
    let rows: Vec<_> = (0..9_000).map(|row| below(parent, row as f32)).collect();
    let children = tracked.test.world.extend(rows).to_vec();
    tracked.run();
    for row in [0, 63, 4_095, 4_096, 4_160, 8_191, 8_192, 8_999] {
        tracked.test.set(children[row], Translation::new(0.5, 1.0, 0.0));
        assert_eq!(tracked.run_exactly(), [children[row]], "row {row}");
    }
    tracked.test.set(parent, Translation::new(1.0, 0.0, 0.0));
    assert_eq!(tracked.run_exactly().len(), 9_001);
}

/// Of the last block of an archetype one row is all that there is.
#[test]
fn a_row_alone_in_the_last_block_is_listed() {
    for rows in [4_097, 8_193] {
        let mut tracked = Tracked::new();
        let parent = tracked.test.at(0.0);
        tracked.test.world.extend((0..rows).map(|row| below(parent, row as f32)));
        tracked.run();
        tracked.test.set(parent, Translation::new(1.0, 0.0, 0.0));
        assert_eq!(tracked.run_exactly().len(), rows + 1);
    }
}

/// Propagations are counted up to 127, and then from 1 again. A family that moved in run 0 stands
/// in one archetype with one that moves in each run: it is not listed once more when the count is
/// the same again.
#[test]
fn what_moved_long_ago_is_not_listed_again() {
    let mut tracked = Tracked::new();
    let [rests, moves] = [tracked.test.at(0.0), tracked.test.at(1.0)];
    let child = tracked.test.below(moves, 1.0);
    tracked.test.below(rests, 1.0);
    tracked.run();
    let mut expected = [moves, child].map(|it| format!("{it:?}"));
    expected.sort();
    for run in 0..400 {
        tracked.test.set(moves, Translation::new(run as f32, 1.0, 0.0));
        let mut changed: Vec<_> =
            tracked.run_exactly().into_iter().map(|it| format!("{it:?}")).collect();
        changed.sort();
        assert_eq!(changed, expected, "run {run}");
    }
}

/// Where users write matrices themselves, the first write lists the archetype and later ones what
/// they changed.
#[test]
fn own_matrices_are_compared() {
    let mut tracked = Tracked::new();
    let own: Vec<Entity> =
        (0..100).map(|_| tracked.test.push((LocalToWorld::identity(),))).collect();
    let derived: Vec<Entity> = (0..100).map(|n| tracked.test.at(n as f32)).collect();
    tracked.run();
    tracked.test.set(own[4], harness::user::waved(2.0));
    assert_eq!(
        tracked.run_exactly(),
        [own[4]],
        "what is never derived is remembered from the beginning"
    );

    // A derived matrix is mended: nothing has changed, but that is not known the first time.
    tracked.test.set(derived[9], harness::user::waved(3.0));
    assert_eq!(tracked.run().len(), 100);
    tracked.test.set(derived[9], harness::user::waved(4.0));
    assert_eq!(tracked.run_exactly(), []);
    // Written by hand what the run would write: it has changed all the same.
    tracked.test.set(derived[8], Translation::new(70.0, 0.0, 0.0));
    tracked.test.set(derived[8], at(70.0).0);
    let matrix = nalgebra::Matrix4::new_translation(&nalgebra::Vector3::new(70.0, 0.0, 0.0));
    tracked.test.set(derived[8], LocalToWorld(matrix));
    assert_eq!(tracked.run_exactly(), [derived[8]]);
}

/// A NaN of other bits is no change, here and for the copy that follows.
#[test]
fn one_nan_is_as_good_as_another() {
    let mut tracked = Tracked::new();
    let own = tracked.test.push((LocalToWorld::identity(),));
    tracked.run();
    let matrix = LocalToWorld(nalgebra::Matrix4::repeat(f32::NAN));
    tracked.test.set(own, matrix);
    assert_eq!(tracked.run_exactly(), [own]);
    tracked.test.set(own, LocalToWorld(-matrix.0));
    assert_eq!(tracked.run_exactly(), []);
}

#[cfg(panic = "unwind")]
#[test]
fn a_lost_state_or_resource_begins_anew() {
    let mut tracked = Tracked::new();
    let parent = tracked.test.at(1.0);
    tracked.test.below(parent, 1.0);
    tracked.run();
    tracked.run();
    tracked.test.resources.remove::<TransformChanges>();
    tracked.test.despawn(parent);
    tracked.run();
    assert!(tracked.begins_anew());
    assert_eq!(tracked.changed().len(), 1);
    assert_eq!(tracked.removed(), []);

    // A component that panics when the bundle's flush drops it.
    struct Fuse(Arc<Mutex<bool>>);
    impl Drop for Fuse {
        fn drop(&mut self) {
            if std::mem::take(&mut *self.0.lock().unwrap()) {
                panic!("the fuse");
            }
        }
    }
    let armed = Arc::new(Mutex::new(false));
    let fuse = Fuse(armed.clone());
    let bundle = TransformSystemBundle::default().track_changes().before_propagation(
        SystemBuilder::new("remove").build(|commands, _, (): &mut (), (): &mut ()| {
            commands.exec_mut(|_, resources| {
                let _ = resources.remove::<Fuse>();
            });
        }),
    );
    tracked.test.schedule = Schedule::builder().add_transforms(bundle).build();
    tracked.run();
    tracked.test.resources.insert(fuse);
    *armed.lock().unwrap() = true;
    assert!(harness::caught(|| tracked.test.run()).is_err());
    tracked.run();
    assert!(tracked.begins_anew());
}

#[test]
fn systems_read_the_list() {
    #[system]
    #[read_component(LocalToWorld)]
    fn count(
        #[resource] changes: &TransformChanges,
        #[resource] counted: &mut Vec<usize>,
        world: &SubWorld<'_>,
    ) {
        counted.push(changes.of(world).changed().count());
    }
    let _alone = alone();
    let mut world = World::default();
    let mut resources = Resources::default();
    resources.insert(Vec::<usize>::new());
    let bundle = TransformSystemBundle::default().track_changes();
    let mut schedule =
        Schedule::builder().add_transforms(bundle).add_system(count_system()).build();
    let entity = world.push(at(1.0));
    world.push(at(2.0));
    schedule.execute(&mut world, &mut resources);
    schedule.execute(&mut world, &mut resources);
    *world.entry(entity).unwrap().get_component_mut().unwrap() = Translation::new(3.0, 0.0, 0.0);
    schedule.execute(&mut world, &mut resources);
    assert_eq!(*resources.get::<Vec<usize>>().unwrap(), [2, 0, 1]);
}

#[test]
fn worlds_are_told_apart_and_forgotten() {
    let mut tracked = Tracked::new();
    tracked.test.at(1.0);
    tracked.run();
    let mut other = World::default();
    other.extend([at(1.0), at(2.0)]);
    tracked.test.schedule.execute(&mut other, &mut tracked.test.resources);
    assert_eq!(tracked.changed().len(), 1);
    assert_eq!(
        tracked.test.resources.get::<TransformChanges>().unwrap().of(&other).changed().count(),
        2
    );
    drop(other);
    assert_eq!(tracked.run_exactly(), []);
}

/// Entities for a system between the stages to spawn (in `before_composition`) and to remove (in
/// `before_propagation`) in the next run.
#[derive(Default)]
struct Midway {
    spawns: bool,
    removes: Option<Entity>,
    removes_spawned: bool,
}

/// `removed` names nothing that no list has named: not what came and went within a run, and not
/// what went in the first run of all.
#[test]
fn what_comes_and_goes_between_the_stages_is_never_told_as_removed() {
    let spawn = SystemBuilder::new("spawn").write_resource::<Midway>().build(
        |commands, _, midway, (): &mut ()| {
            if std::mem::take(&mut midway.spawns) {
                midway.removes = Some(commands.push(at(1.0)));
            }
        },
    );
    let remove = SystemBuilder::new("remove").write_resource::<Midway>().build(
        |commands, _, midway, (): &mut ()| {
            if std::mem::take(&mut midway.removes_spawned) {
                commands.remove(midway.removes.take().unwrap());
            }
        },
    );
    let mut tracked = Tracked::new();
    let bundle = TransformSystemBundle::default().track_changes();
    let bundle = bundle.before_composition(spawn).before_propagation(remove);
    tracked.test.schedule = Schedule::builder().add_transforms(bundle).build();
    let first = tracked.test.at(1.0);
    let other = tracked.test.at(2.0);
    let midway = Midway { removes: Some(first), removes_spawned: true, ..Midway::default() };
    tracked.test.resources.insert(midway);
    assert_eq!(tracked.run_exactly(), [other]);
    assert!(tracked.begins_anew() && tracked.removed().is_empty(), "none counts as removed");

    let midway = Midway { spawns: true, removes_spawned: true, ..Midway::default() };
    tracked.test.resources.insert(midway);
    assert_eq!((tracked.run_exactly(), tracked.removed()), (vec![], vec![]));

    // What an earlier list has named is told, though it moves to another archetype first.
    tracked.test.resources.insert(Midway { removes: Some(other), ..Midway::default() });
    tracked.test.put(other, Scale(2.0));
    tracked.test.resources.get_mut::<Midway>().unwrap().removes_spawned = true;
    assert_eq!((tracked.run_exactly(), tracked.removed()), (vec![], vec![other]));
}

/// The last of three takes the row of the second, with its matrix, while the first is written.
#[test]
fn what_takes_another_row_in_an_archetype_that_is_written_has_not_changed() {
    for rows in [3, 200] {
        let mut tracked = Tracked::new();
        let own: Vec<Entity> =
            (0..rows).map(|n| tracked.test.push((harness::user::waved(n as f32),))).collect();
        tracked.run();
        tracked.run();
        tracked.test.set(own[0], harness::user::waved(-1.0));
        tracked.test.despawn(own[1]);
        assert_eq!(tracked.run_exactly(), [own[0]], "{rows}");
        // It moves once more, and is written, too.
        let last = *own.last().unwrap();
        tracked.test.set(last, harness::user::waved(-2.0));
        tracked.test.despawn(own[0]);
        assert_eq!(tracked.run_exactly(), [last], "{rows}");
        // Others come to the rows behind.
        let new = tracked.test.push((harness::user::waved(5.0),));
        tracked.test.set(last, harness::user::waved(-2.0));
        assert_eq!(tracked.run_exactly(), [new], "{rows}");
    }
}
