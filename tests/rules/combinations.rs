//! Subsets of the inputs, with and without a parent, against the `f64` reference: also those that no
//! document lists.
//!
//! Of the 65,536 subsets, a run tries 2,048, so chosen that any seven inputs occur in all 128
//! combinations, each 16 times; and no matrix of an entity depends on more than seven at once. They
//! are a coset of the extended Hamming code. There are 32, and each seed tries another one:
//!
//! ```text
//!  subset      Translation, Scale, Shear     bits 0, 2 and 11
//!  syndrome    16 xor 18 xor 27 = 25         tried by seed 25
//! ```

use harness::{CheckedWorld, Rng, demand};
use legion_transform::prelude::*;
use legion_transform_testing::kind::{Kind, Numbers, POST_ROTATION_EULERS, ROTATION_EULERS};

/// One bit each; the Eulers stand for one of their six orders.
const INPUTS: [Kind; 16] = [
    Kind::Translation,
    Kind::Rotation,
    Kind::Scale,
    Kind::NonUniformScale,
    Kind::CompositeRotation,
    Kind::CompositeScale,
    Kind::PostRotation,
    Kind::RotationPivot,
    Kind::RotationPivotTranslation,
    Kind::ScalePivot,
    Kind::ScalePivotTranslation,
    Kind::Shear,
    Kind::ParentScaleInverse,
    Kind::RotationEulerXYZ,
    Kind::PostRotationEulerXYZ,
    Kind::WorldToLocal,
];

/// What a parent may scale with.
const PARENTS: [&[Kind]; 7] = [
    &[],
    &[Kind::Scale],
    &[Kind::NonUniformScale],
    &[Kind::Scale, Kind::NonUniformScale],
    &[Kind::CompositeScale],
    &[Kind::CompositeScale, Kind::Scale, Kind::NonUniformScale],
    &[Kind::CompositeScale, Kind::NonUniformScale, Kind::ScalePivot, Kind::Shear],
];

fn subset(mask: usize, rng: &mut Rng) -> Vec<(Kind, Numbers)> {
    let mut components = vec![(Kind::LocalToWorld, rng.numbers(Kind::LocalToWorld))];
    for (bit, &input) in INPUTS.iter().enumerate() {
        if mask & 1 << bit != 0 {
            let kind = match input {
                Kind::RotationEulerXYZ => *rng.pick(&ROTATION_EULERS),
                Kind::PostRotationEulerXYZ => *rng.pick(&POST_ROTATION_EULERS),
                kind => kind,
            };
            components.push((kind, rng.numbers(kind)));
        }
    }
    components
}

/// How many subsets a world holds.
const TOGETHER: usize = 32;

/// In the linear code, and so in each of its cosets, any seven bits are independent.
fn syndrome(mask: usize) -> usize {
    (0..INPUTS.len()).filter(|bit| mask & 1 << bit != 0).fold(0, |sum, bit| sum ^ (16 + bit))
}

/// The subsets of a coset whose highest three bits are `part`, in small worlds, as Legion's
/// insertions take time by the number of archetypes.
fn subsets(part: usize, coset: usize) {
    let low = INPUTS.len() - 3;
    let masks = (0..1 << low).map(|mask| part << low | mask);
    let masks: Vec<usize> = masks.filter(|mask| syndrome(*mask) == coset).collect();
    assert_eq!(masks.len(), 256);
    for masks in masks.chunks(TOGETHER) {
        let mut rng = Rng::new(masks[0] as u64);
        let mut it = CheckedWorld::default();
        let parents = PARENTS.map(|kinds| {
            let kinds =
                [&[Kind::LocalToWorld, Kind::Translation, Kind::Rotation][..], kinds].concat();
            let components: Vec<_> =
                kinds.into_iter().map(|kind| (kind, rng.numbers(kind))).collect();
            it.spawn(&components)
        });
        for &mask in masks {
            let components = subset(mask, &mut rng);
            it.spawn(&components);
            let mut components = subset(mask, &mut rng);
            components.push((Kind::LocalToParent, rng.numbers(Kind::LocalToParent)));
            let child = it.spawn(&components);
            it.put(child, Parent(*rng.pick(&parents)));
        }
        check(it);
    }
}

/// In a coset, only the number of members of these sets is always even, or always odd. Each set has
/// eight or more inputs, so any seven are independent.
#[test]
fn any_seven_inputs_occur_in_all_combinations() {
    for bits in 1..32_usize {
        let is_member = |input: &usize| (bits & (16 + input)).count_ones() % 2 == 1;
        assert!((0..INPUTS.len()).filter(is_member).count() >= 8, "{bits:b}");
    }
}

fn check(mut it: CheckedWorld) {
    it.run_from_scratch();
    it.run_again();
}

macro_rules! parts {
    ($($name:ident: $part:literal;)*) => {$(
        #[test]
        fn $name() {
            demand::each_seed(1, |seed| subsets($part, seed as usize % 32));
        }
    )*};
}

parts! {
    subsets_without_eulers_and_inverse: 0;
    subsets_with_rotation_eulers: 1;
    subsets_with_post_rotation_eulers: 2;
    subsets_with_both_eulers: 3;
    subsets_with_inverse: 4;
    subsets_with_rotation_eulers_and_inverse: 5;
    subsets_with_post_rotation_eulers_and_inverse: 6;
    subsets_with_both_eulers_and_inverse: 7;
}

/// Every set of Eulers, several at once included, on roots and on children: the first in the order
/// of precedence wins.
#[test]
fn every_set_of_eulers() {
    for (eulers, target) in
        [(ROTATION_EULERS, Kind::Rotation), (POST_ROTATION_EULERS, Kind::PostRotation)]
    {
        let mut rng = Rng::new(7);
        let mut it = CheckedWorld::default();
        for mask in 0..1 << eulers.len() {
            let chosen = eulers
                .iter()
                .enumerate()
                .filter(|(bit, _)| mask & 1 << bit != 0)
                .map(|(_, euler)| *euler);
            let kinds = [Kind::LocalToWorld, target, Kind::CompositeRotation];
            let kinds: Vec<_> = kinds.into_iter().chain(chosen).collect();
            let mut random = |kind: &Kind| (*kind, rng.numbers(*kind));
            let components: Vec<_> = kinds.iter().map(&mut random).collect();
            let root = it.spawn(&components);
            let child = it.spawn(&kinds.iter().map(random).collect::<Vec<_>>());
            it.put(child, LocalToParent::identity());
            it.put(child, Parent(root));
        }
        check(it);
    }
}
