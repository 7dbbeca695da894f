//! Random edits and large forests, against the definition.

use harness::{
    Rng, TestWorld, demand,
    properties::{Judge, Team, Tint, bundle},
};
use legion::*;
use legion_transform::prelude::*;
use legion_transform_testing::{
    Cast, Kind, OwnEdit, Step, check_histories, config, edits, kind, snapshot,
};
use proptest::{prelude::*, sample::select, test_runner::Config};

use super::value;

/// Every kind of edit, at random, by every bundle.
#[test]
fn random_edits() {
    let bundles: [fn() -> TransformSystemBundle; 4] = [
        bundle,
        || bundle().insert_missing(),
        || bundle().without("all"),
        || bundle().insert_missing().without("all"),
    ];
    let teams = select(vec!["red", "green", "blue"]);
    let edits = edits()
        .everything()
        .components([Kind::Translation, Kind::LocalToWorld])
        .abuse()
        .doubt()
        .own((0..9_i64).prop_map(Tint))
        .own(teams.prop_map(|team| Team(team.into())))
        .own((-9..9_i64).prop_map(Effective::<Tint>))
        .own(Just(Effective::<Team>::default()))
        .edit((0..3_i64).prop_map(All))
        .length(50);
    for bundle in bundles {
        check_histories(
            Config { cases: demand::soak(20) as u32, ..config() },
            edits.clone(),
            |history| {
                let (mut test, mut judge) = (TestWorld::new(bundle()), Judge::default());
                history.follow(|step| {
                    if !matches!(step, Step::Run) {
                        test.play(step);
                        return true;
                    }
                    judge.run(&mut test);
                    let before = versions(&test.world);
                    judge.run(&mut test);
                    assert_eq!(before, versions(&test.world), "an idle run bumps no version");
                    true
                });
                Ok(())
            },
        );
    }
}

/// Every tint is written, to the same value or another.
#[derive(Clone, Debug)]
struct All(i64);

impl OwnEdit for All {
    fn play(&self, world: &mut World, _: &mut Resources, _: &mut Cast) {
        <&mut Tint>::query().iter_mut(world).for_each(|tint| tint.0 += self.0 / 2);
    }
}

/// The versions of the values, by archetype.
fn versions(world: &World) -> Vec<Option<u64>> {
    let archetypes = snapshot::archetypes(world);
    archetypes.iter().map(|it| kind::version::<Effective<Tint>>(world, it.index())).collect()
}

/// Long chains and many children, in segments apart and on several threads.
#[test]
fn large_forests() {
    for bundle in [bundle(), bundle().without("threads")] {
        let (mut test, mut judge) = (TestWorld::new(bundle), Judge::default());
        let mut rng = Rng::new(4);
        let root = test.world.push_transform((Scale(1.0), Tint(1)));
        let mut all = vec![root];
        for i in 0..10_000_usize {
            let parent = all[if i % 3 == 0 { i / 7 } else { i }];
            all.push(test.world.push_child(parent, (Scale(1.0),)));
        }
        judge.run(&mut test);
        for round in 0..3 {
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
