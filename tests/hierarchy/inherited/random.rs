//! Random edits and large forests, against the definition.

use harness::{
    Rng, TestWorld,
    properties::{Judge, Team, Tint, bundle},
};
use legion::*;
use legion_transform::prelude::*;
use legion_transform_testing::{kind, snapshot};

use super::value;

/// Every kind of edit, at random.
#[test]
fn random_edits() {
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let bundle = if seed % 3 == 0 { bundle().insert_missing() } else { bundle() };
        let bundle = if seed % 4 == 0 { bundle.without("all") } else { bundle };
        let (mut test, mut judge) = (TestWorld::new(bundle), Judge::default());
        let mut alive: Vec<Entity> = Vec::new();
        for _ in 0..60 {
            for _ in 0..rng.below(8) {
                edit(&mut test, &mut alive, &mut rng);
            }
            judge.run(&mut test);
            let versions = versions(&test.world);
            judge.run(&mut test);
            assert_eq!(versions, self::versions(&test.world), "an idle run moves no version");
        }
    }
}

/// The versions of the values, by archetype.
fn versions(world: &World) -> Vec<Option<u64>> {
    let archetypes = snapshot::archetypes(world);
    archetypes.iter().map(|it| kind::version::<Effective<Tint>>(world, it.index())).collect()
}

fn edit(test: &mut TestWorld, alive: &mut Vec<Entity>, rng: &mut Rng) {
    let at = Translation::from(rng.vector(3.0));
    if alive.len() < 4 || rng.one_in(6) {
        let some = (!alive.is_empty()).then(|| *rng.pick(alive));
        let spawned = match (rng.below(5), some) {
            (0, Some(parent)) => test.world.push_child(parent, (at, Tint(rng.below(9) as i64))),
            (1, Some(parent)) => test
                .world
                .push_child(parent, (at, Effective::<Tint>(77), Effective::<Team>::default())),
            (2, Some(parent)) => test.world.push((LocalToWorld::identity(), Parent(parent))),
            (3, _) => test.world.push((at, Tint(5))),
            _ => test.world.push_transform((at, Team(format!("{}", rng.below(3))))),
        };
        alive.push(spawned);
        return;
    }
    let (entity, other) = (*rng.pick(alive), *rng.pick(alive));
    match rng.below(13) {
        0 => test.put(entity, Tint(rng.below(9) as i64)),
        1 => test.put(entity, Team(format!("{}", rng.below(3)))),
        2 => test.take::<Tint>(entity),
        3 => test.take::<Team>(entity),
        4 | 5 => {
            test.put(entity, Parent(other)); // cycles, too
            test.put(entity, LocalToParent::identity());
        }
        6 => test.take::<Parent>(entity),
        7 => {
            alive.retain(|it| *it != entity);
            test.despawn(entity);
        }
        8 => test.put(entity, Effective::<Tint>(-5)),
        9 => test.take::<Effective<Tint>>(entity),
        10 => test.put(entity, at),
        11 => {
            // Every row of it, to the same value or another.
            for tint in <&mut Tint>::query().iter_mut(&mut test.world) {
                tint.0 += (rng.below(3) / 2) as i64;
            }
        }
        _ => test.take::<LocalToWorld>(entity),
    }
}

/// Long chains and many children, in segments apart and on several threads.
#[test]
fn large_forests() {
    for bundle in [bundle(), bundle().without("threads")] {
        let (mut test, mut judge) = (TestWorld::new(bundle), Judge::default());
        let mut rng = Rng::new(4);
        let root = test.world.push_transform((Scale(1.0), Tint(1)));
        let mut all = vec![root];
        for i in 0..30_000_usize {
            let parent = all[if i % 3 == 0 { i / 7 } else { i }];
            all.push(test.world.push_child(parent, (Scale(1.0),)));
        }
        judge.run(&mut test);
        for round in 0..6 {
            test.put(root, Tint(round));
            for _ in 0..30 {
                let [child, parent] = [0, 1].map(|_| *rng.pick(&all));
                if child != root {
                    test.put(child, Parent(parent));
                }
                test.put(*rng.pick(&all), Tint(rng.below(100) as i64));
            }
            judge.run(&mut test);
        }
    }
}

/// Decentraland's `VisibilityComponent`: an entity's own counts, then that of the nearest ancestor
/// that propagates.
#[derive(Clone, Copy)]
struct Visibility {
    visible: bool,
    propagate_to_children: bool,
}

/// Whether an entity is visible, and what goes down from it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    here: bool,
    below: bool,
}

impl Inherited for Visibility {
    type Value = Seen;
    fn combine(parent: Option<&Seen>, own: Option<&Self>) -> Seen {
        let above = parent.is_none_or(|parent| parent.below);
        let Some(own) = own else { return Seen { here: above, below: above } };
        Seen {
            here: own.visible,
            below: if own.propagate_to_children { own.visible } else { above },
        }
    }
}

#[test]
fn decentraland_propagates_to_children() {
    let mut test = TestWorld::new(TransformSystemBundle::default().inherit::<Visibility>());
    let mut rng = Rng::new(11);
    let mut all = vec![(test.world.push_transform((Scale(1.0),)), None)];
    for _ in 0..200 {
        let (parent, _) = *rng.pick(&all);
        all.push((test.world.push_child(parent, (Scale(1.0),)), Some(parent)));
    }
    for _ in 0..20 {
        for _ in 0..10 {
            let [visible, propagate_to_children] = [0, 1].map(|_| rng.one_in(2));
            let own = Visibility { visible, propagate_to_children };
            test.put(rng.pick(&all).0, own);
        }
        test.run();
        for &(entity, _) in &all {
            // As the protocol says it, upwards.
            let own = |entity| test.get::<Visibility>(entity);
            let parent_of = |entity| all.iter().find(|(it, _)| *it == entity).unwrap().1;
            let mut above = parent_of(entity);
            while let Some(parent) = above
                && !own(parent).is_some_and(|it| it.propagate_to_children)
            {
                above = parent_of(parent);
            }
            let inherited = above.and_then(own).is_none_or(|it| it.visible);
            let expected = own(entity).map_or(inherited, |it| it.visible);
            assert_eq!(value::<Visibility>(&test, entity).here, expected);
        }
    }
}
