//! Children that an edit between two runs could miss, each case by hand: events that continue a row
//! of events which an edit has seen already, and parents whose `Children` are gone without a write.
//!
//! ```text
//!  run                         all links are known
//!  despawn_subtree(rock 0)     out of archetype 3: seen up to here
//!  remove(rock 1)              out of archetype 3: an event of the same kind, not seen
//!  push(.., Parent(planet))    a child that `despawn_subtree(planet)` has to find
//! ```

use harness::TestWorld;
use legion::*;
use legion_transform::{prelude::*, spawn::insert_with_ids};

/// Nine rocks in one archetype, and a planet with a moon. The bundle has run.
struct Planet {
    test: TestWorld,
    rocks: Vec<Entity>,
    planet: Entity,
}

impl Planet {
    fn new() -> Self {
        let mut test = TestWorld::new(TransformSystemBundle::default().print_findings(false));
        let rock = |n| (Translation::new(n as f32, 0.0, 0.0),);
        let rocks = test.world.extend_transforms((0..9).map(rock));
        let planet = test.world.push_transform((Translation::identity(), Rotation::identity()));
        test.world.push_child(planet, (Translation::identity(),));
        test.run();
        Self { test, rocks, planet }
    }

    /// An edit that has nothing to do with the planet: it looks at all that happened before.
    fn edit(&mut self) {
        let rock = self.rocks.remove(0);
        assert_eq!(self.test.world.despawn_subtree(rock), 1);
    }

    fn remove_rock(&mut self) {
        let rock = self.rocks.remove(0);
        self.test.despawn(rock);
    }

    /// A child of the planet that no edit of the crate has made.
    fn push_child(&mut self) -> Entity {
        let parent = Parent(self.planet);
        self.test.push((LocalToWorld::identity(), LocalToParent::identity(), parent))
    }

    /// The planet's subtree is despawned with all that hangs below it.
    #[track_caller]
    fn goes_with(&mut self, children: usize) {
        let despawned = self.test.world.despawn_subtree(self.planet);
        assert_eq!(despawned, 1 + children);
        let mut left = <&Parent>::query();
        assert_eq!(left.iter(&self.test.world).count(), 0, "none names a parent that is dead");
    }
}

#[test]
fn a_child_is_found_behind_a_removal_that_follows_an_edit() {
    for removals in 1..4 {
        let mut it = Planet::new();
        it.edit();
        (0..removals).for_each(|_| it.remove_rock());
        (0..removals).for_each(|_| _ = it.push_child());
        it.goes_with(1 + removals);
    }
}

/// Columns that come as a whole: the events come first, and the versions behind them.
#[test]
fn a_child_is_found_behind_an_insertion_that_an_edit_has_seen() {
    let mut it = Planet::new();
    it.push_child();
    let rock = it.rocks[0];
    assert_eq!(it.test.world.detach_children(rock), Ok(vec![]));
    let parents = vec![Parent(it.planet); 3];
    let (worlds, locals) = (vec![LocalToWorld::identity(); 3], vec![LocalToParent::identity(); 3]);
    it.test.world.extend((worlds, locals, parents).into_soa());
    it.goes_with(5);
}

#[test]
fn children_are_detached_behind_a_removal_that_follows_an_edit() {
    let mut it = Planet::new();
    it.edit();
    it.remove_rock();
    let child = it.push_child();
    let world = &mut it.test.world;
    let detached = world.detach_children(it.planet).unwrap();
    assert!(detached.len() == 2 && detached.contains(&child));
}

#[test]
fn subtrees_are_despawned_together_behind_a_removal_that_follows_an_edit() {
    let mut it = Planet::new();
    it.edit();
    it.remove_rock();
    it.push_child();
    let roots = [it.planet, it.rocks[0]];
    assert_eq!(it.test.world.despawn_subtrees(roots), 4);
}

#[test]
fn children_are_found_whose_parent_has_no_list_any_more() {
    let mut it = Planet::new();
    it.test.take::<Children>(it.planet);
    it.goes_with(1);
}

/// A list that comes is no write of the list that went.
#[test]
fn children_are_found_whose_parent_has_another_list_by_two_moves() {
    // Other tests count in the same counter of versions: the case that falls may need some tries.
    for _ in 0..20 {
        let mut it = Planet::new();
        it.test.take::<Children>(it.planet);
        it.test.put(it.planet, Children::new());
        it.goes_with(1);
    }
}

#[test]
fn children_are_found_whose_parent_was_removed_and_comes_back_by_its_id() {
    let mut it = Planet::new();
    it.test.despawn(it.planet);
    insert_with_ids(&mut it.test.world, &[it.planet], [(Translation::identity(),)]).unwrap();
    it.goes_with(1);

    let mut it = Planet::new();
    it.test.world.push_with_id(it.planet, (LocalToWorld::identity(), Scale(2.0)));
    it.goes_with(1);
}

/// A system's commands come behind the first look of a run. It has seen that the parent went.
#[test]
fn children_are_found_whose_parent_comes_back_behind_a_look() {
    let mut it = Planet::new();
    let planet = it.planet;
    let comes_back =
        SystemBuilder::new("comes back").build(move |commands, _, (): &mut (), (): &mut ()| {
            commands.exec_mut(move |world, _| {
                world.push_with_id(planet, (LocalToWorld::identity(), Scale(2.0)));
                assert_eq!(world.despawn_subtree(planet), 2);
            });
        });
    let bundle = TransformSystemBundle::default().print_findings(false);
    it.test.schedule = Schedule::builder().add_system(comes_back).add_transforms(bundle).build();
    it.test.despawn(planet);
    it.test.run();
    assert_eq!(it.test.world.len(), 9);
}
