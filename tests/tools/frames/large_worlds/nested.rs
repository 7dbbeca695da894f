//! Frames in frames in frames, and what follows one of them.

use harness::{TestWorld, on_a_small_stack};
use legion::{Entity, Schedule, systems::Step};
use legion_transform::{
    TransformChanges, TransformStats,
    frames::{Frame, Origin},
    prelude::*,
    spawn::{insert_with_ids, reserve_ids},
};

use super::{at, large};

/// 20,000 frames, each a metre beside the one above it, all over again after the origin moves, a
/// link is cut, a cycle is closed. No function calls itself for each frame, or looks at all frames
/// above each.
#[test]
fn frames_may_be_nested_deep() {
    const DEPTH: usize = 20_000;
    on_a_small_stack(|| {
        let mut test = large();
        let ids = reserve_ids(DEPTH);
        let (first, last, middle) = (ids[0], ids[DEPTH - 1], ids[DEPTH / 2]);
        let metre = || at(1.0, 0.0, 0.0);
        insert_with_ids(&mut test.world, &ids[..1], [(metre(),)]).unwrap();
        let links = ids.iter().map(|&above| (metre(), Parent(above)));
        insert_with_ids(&mut test.world, &ids[1..], links.take(DEPTH - 1)).unwrap();
        test.run();
        assert_eq!(test.x(last), DEPTH as f32);
        test.resources.insert(Origin(middle));
        test.run();
        let to_last = (DEPTH / 2 - 1) as f32;
        assert_eq!([first, middle, last].map(|it| test.x(it)), [-10_000.0, 0.0, to_last]);
        let between = Frame::between(&test.world, last, first).unwrap();
        assert_eq!(between, at((DEPTH - 1) as f64, 0.0, 0.0));
        test.put(first, Parent(last));
        test.put(first, LocalToParent::identity());
        test.run();
        assert_eq!([first, middle, last].map(|it| test.x(it)), [0.0; 3], "each is a root");
        test.take::<Parent>(middle);
        test.run();
        assert_eq!([middle, last, first].map(|it| test.x(it)), [0.0, to_last, to_last + 1.0]);
        assert_eq!(test.x(ids[DEPTH / 2 - 1]), (DEPTH - 1) as f32);
    });
}

/// 5,000 frames hang on a plain chain of 10,000, at every other entity.
#[test]
fn frames_may_hang_on_a_deep_chain() {
    const DEPTH: usize = 10_000;
    on_a_small_stack(|| {
        let mut test = large();
        let ids = reserve_ids(DEPTH);
        insert_with_ids(&mut test.world, &ids[..1], [(at(7.0, 0.0, 0.0),)]).unwrap();
        let links = ids.iter().map(|&above| (Translation::new(0.0, 1.0, 0.0), Parent(above)));
        insert_with_ids(&mut test.world, &ids[1..], links.take(DEPTH - 1)).unwrap();
        let hung =
            ids.iter().step_by(2).map(|&above| test.world.push_child(above, (at(1.0, 0.0, 0.0),)));
        let hung: Vec<Entity> = hung.collect();
        test.run();
        assert!(hung.iter().all(|&frame| test.x(frame) == 8.0), "in the space of the root");
    });
}

/// 100 ships in one archetype, each with a crew of 10 and a frame of its own below it.
struct Fleet {
    test: TestWorld,
    ships: Vec<Entity>,
    boats: Vec<Entity>,
}

impl Fleet {
    fn new() -> Self {
        let mut test =
            TestWorld::new(TransformSystemBundle::default().large_worlds().track_changes());
        let sea = test.world.push_transform((Frame::default(),));
        let ships = (0..100).map(|i| (at(f64::from(i), 0.0, 0.0), WorldToLocal::identity()));
        let ships = test.world.extend_children(sea, ships);
        let mut boats = Vec::new();
        for &ship in &ships {
            let crew = (0..10).map(|i| (Translation::new(0.0, i as f32, 0.0),));
            test.world.extend_children(ship, crew);
            boats.push(test.world.push_child(ship, (at(0.0, 0.5, 0.0),)));
        }
        test.run();
        test.run();
        Self { test, ships, boats }
    }

    /// How many worlds the last run propagated, and how many matrices it changed.
    fn figures(&self) -> (usize, usize) {
        let stats = self.test.resources.get::<TransformStats>().unwrap();
        let changes = self.test.resources.get::<TransformChanges>().unwrap();
        let changed = changes.of(&self.test.world).changed().count();
        (stats.of(&self.test.world).propagated, changed)
    }
}

/// One frame of 100 moves: what is below it follows, and nothing else is visited.
#[test]
fn what_is_below_the_frame_that_moves_follows() {
    let mut fleet = Fleet::new();
    let ship = fleet.ships[42];
    fleet.test.set(ship, at(0.0, 7.0, 0.0));
    fleet.test.run();
    assert_eq!(fleet.figures(), (10, 12), "the crew; and the ship and its boat");
    assert_eq!(fleet.test.matrix(fleet.boats[42]).m24, 7.5);
    assert_eq!(fleet.test.value::<WorldToLocal>(ship).m24, -7.0);
    fleet.test.run();
    assert_eq!(fleet.figures(), (0, 0));
    // A frame without children, whose `WorldToLocal` follows all the same.
    let lone = fleet.test.world.push_transform((Frame::default(), WorldToLocal::identity()));
    fleet.test.run();
    fleet.test.set(lone, at(3.0, 0.0, 0.0));
    fleet.test.run();
    assert_eq!(fleet.figures(), (0, 1));
    assert_eq!(fleet.test.value::<WorldToLocal>(lone).m14, -3.0);
}

/// A schedule composed by hand may change the world between the bundle's own steps.
#[test]
fn entities_may_come_and_go_before_frames_are_computed() {
    let mut fleet = Fleet::new();
    let [gone, moved] = [fleet.ships[3], fleet.ships[99]];
    let mut steps = TransformSystemBundle::default().large_worlds().track_changes().build();
    // Look, flush; then the rest, frames among it.
    steps.insert(2, Step::ThreadLocalFn(Box::new(move |world, _| _ = world.remove(gone))));
    let mut schedule = Schedule::from(steps);
    fleet.test.set(moved, at(0.0, 9.0, 0.0));
    schedule.execute(&mut fleet.test.world, &mut fleet.test.resources);
    // The last ship took the row of the one that is gone.
    let crew = fleet.test.children(moved);
    assert_eq!(crew.len(), 11);
    assert!(crew[..10].iter().zip(0..).all(|(&it, i)| fleet.test.matrix(it).m24 == 9.0 + i as f32));
    assert_eq!(fleet.test.matrix(fleet.boats[99]).m24, 9.5);
    assert_eq!(fleet.test.value::<WorldToLocal>(moved).m24, -9.0);
    assert_eq!(fleet.test.x(fleet.ships[50]), 50.0);
}
