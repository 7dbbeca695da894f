//! The same bits on every platform. A change of a formula or of the scene changes the hashes: take
//! the new ones from the message once two platforms agree on them (`tools/portability`).

#[path = "../../../tools/determinism/random.rs"]
mod random;
#[path = "../../../tools/determinism/scene.rs"]
mod scene;

use legion_transform::prelude::*;
use scene::{Inputs, RandomScene};

/// After ten ticks every instruction set has the known hash.
fn check(inputs: Inputs, expected: u64) {
    for isa in TransformSystemBundle::instruction_sets() {
        let bundle = TransformSystemBundle::default().instruction_set(isa);
        let mut scene = RandomScene::new(bundle, 1_000, 1, inputs);
        (0..10).for_each(|_| scene.tick());
        scene.rest();
        let (matrices, hash) = scene.hash();
        assert!(matrices > 1_000, "{matrices}");
        assert_eq!(hash, expected, "{isa}: {hash:#X} is not {expected:#X}");
    }
}

#[test]
fn scenes_without_angles_have_one_hash() {
    check(Inputs::WithoutAngles, 0xB286_96A8_3260_AC4C);
}

#[test]
fn scenes_with_angles_have_one_hash() {
    check(Inputs::All, 0xABA5_EEDA_18C5_47E2);
}
