//! The same bits on every platform. A change of a formula or of the scene changes the hashes: take
//! the new ones from the message once two platforms agree on them (`tools/portability`).

#[path = "../../examples/determinism/random.rs"]
mod random;
#[path = "../../examples/determinism/scene.rs"]
mod scene;

use legion_transform::prelude::*;
use scene::{Inputs, RandomScene};

/// After ten ticks every instruction set has the same hash: the known one, if there is one.
fn check(inputs: Inputs, known: Option<u64>) {
    let mut expected = known;
    for isa in TransformSystemBundle::instruction_sets() {
        let bundle = TransformSystemBundle::default().instruction_set(isa);
        let mut scene = RandomScene::new(bundle, 1_000, 1, inputs);
        (0..10).for_each(|_| scene.tick());
        scene.rest();
        let (matrices, hash) = scene.hash();
        assert!(matrices > 1_000, "{matrices}");
        let expected = *expected.get_or_insert(hash);
        assert_eq!(hash, expected, "{isa}: {hash:#X} is not {expected:#X}");
    }
}

#[test]
fn scenes_without_angles_have_one_hash() {
    check(Inputs::WithoutAngles, Some(0x70FB_24EC_EDE2_4206));
}

#[test]
fn scenes_with_angles_have_one_hash() {
    let is_known = cfg!(feature = "enhanced-determinism");
    check(Inputs::All, is_known.then_some(0xA45F_819A_8FE1_4709));
}
