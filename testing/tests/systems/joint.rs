//! A joint turns about z by a step each tick.

use legion::*;
use legion_transform::prelude::*;
use legion_transform_testing::Kind;
use proptest::prelude::*;

use super::{Trial, is_found, is_right};

#[derive(Clone, Copy, Debug)]
struct Joint(f32);

#[system(for_each)]
#[filter(!component::<RotationEulerXYZ>())]
fn turn(rotation: &mut Rotation, joint: &Joint) {
    rotation.0 = Rotation::from_rotation_z(joint.0).0 * rotation.0;
}

#[system(for_each)]
fn turn_by_angles(angles: &mut RotationEulerXYZ, joint: &Joint) {
    angles.z += joint.0;
}

/// The mistake: where there are angles, they count, and not the `Rotation` beside them.
#[system(for_each)]
fn turn_any(rotation: &mut Rotation, joint: &Joint) {
    rotation.0 = Rotation::from_rotation_z(joint.0).0 * rotation.0;
}

fn turns(mistaken: bool, trial: Trial) {
    trial.check().run(
        trial.edits().and(&[Kind::RotationEulerXYZ]).own((1..4_u8).prop_map(|it| Joint(it.into()))),
        || {
            let mut builder = Schedule::builder();
            match mistaken {
                true => builder.add_system(turn_any_system()),
                false => builder.add_system(turn_system()),
            };
            builder.add_system(turn_by_angles_system());
            builder.add_transforms(TransformSystemBundle::default()).build()
        },
        |_, _| Ok(()),
    );
}

#[test]
fn a_joint_turns() {
    is_right(|trial| turns(false, trial));
}

#[test]
fn a_joint_that_writes_rotation_beside_angles_is_found() {
    is_found("a system wrote Rotation of", |trial| turns(true, trial));
}
