//! Random forests, cycles among them, against the `f64` reference from scratch and the oracle.

use harness::{CheckedWorld, Rng};
use legion::*;
use legion_transform::prelude::*;
use legion_transform_testing::{Cast, Kind, OwnEdit, Step, Values, check_histories, config, edits};
use proptest::{prelude::*, test_runner::Config};

/// Inputs of which every entity has some. `ParentScaleInverse` is not among them: its value depends
/// on the past when its source goes away, which a reference from scratch does not know.
const INPUTS: [Kind; 11] = [
    Kind::Translation,
    Kind::Rotation,
    Kind::Scale,
    Kind::NonUniformScale,
    Kind::CompositeRotation,
    Kind::RotationPivot,
    Kind::RotationEulerYZX,
    Kind::PostRotation,
    Kind::PostRotationEulerZXY,
    Kind::ScalePivot,
    Kind::Shear,
];

/// What happens to all entities at once, by a seed.
#[derive(Clone, Debug)]
enum All {
    /// Each gets another parent, or none: another forest, or cycles.
    Rehang(u64),
    /// Half of them die.
    Perish(u64),
}

impl OwnEdit for All {
    fn play(&self, world: &mut World, _: &mut Resources, _: &mut Cast) {
        let all: Vec<Entity> = <Entity>::query().iter(world).copied().collect();
        match *self {
            Self::Rehang(seed) => {
                let mut rng = Rng::new(seed);
                for &entity in &all {
                    let mut entry = world.entry(entity).expect("alive");
                    if rng.one_in(4) {
                        entry.remove_component::<Parent>();
                        entry.remove_component::<LocalToParent>();
                    } else {
                        entry.add_component(Parent(*rng.pick(&all)));
                        entry.add_component(LocalToParent::identity());
                    }
                }
            }
            Self::Perish(seed) => {
                let mut rng = Rng::new(seed);
                all.into_iter().filter(|_| rng.one_in(2)).for_each(|it| assert!(world.remove(it)));
            }
        }
    }
}

#[test]
fn any_forest_becomes_any_other_in_one_run() {
    let seeds = || 0..1_000_u64;
    let all = prop_oneof![3 => seeds().prop_map(All::Rehang), 1 => seeds().prop_map(All::Perish)];
    let edits = edits()
        .everything()
        .components(INPUTS)
        .values(Values::default().mirrors())
        .edit(all)
        .edit(seeds().prop_map(All::Rehang))
        .start(60)
        .length(40);
    check_histories(Config { cases: 80, ..config() }, edits, |history| {
        let mut it = CheckedWorld::default();
        history.follow(|step| {
            match step {
                Step::Run => {
                    it.run_from_scratch();
                    it.run_again();
                }
                edit => it.test.play(edit),
            }
            true
        });
        Ok(())
    });
}
