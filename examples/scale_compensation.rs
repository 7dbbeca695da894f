//! Scale compensation: an arm whose upper bone is stretched, with `ParentScaleInverse` and without.
//!
//! `cargo run --example scale_compensation`
//!
//! A parent's scale is part of its `LocalToWorld`, so children are stretched with it, and sheared where they are turned
//! against it. `ParentScaleInverse` cancels that for one link: the child stays attached to the end of the stretched bone,
//! and keeps its own shape.

use legion::*;
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Point3, Vector3};

/// All three bones are 1 long, along x, and bent by 45 degrees against their parent.
const BONES: [&str; 3] = ["upper arm", "forearm", "hand"];

fn main() {
    println!("An arm of three bones, each of length 1, each bent by 45°; the upper arm is stretched along its length.\n");
    for stretch in [1.0, 2.0] {
        let plain = arm(stretch, Compensation::None);
        let compensated = arm(stretch, Compensation::EveryJoint);
        report(&format!("stretch {stretch}, without ParentScaleInverse"), &plain);
        report(&format!("stretch {stretch}, with ParentScaleInverse"), &compensated);

        for bones in [&plain, &compensated] {
            assert!((bones[0].length - stretch).abs() < 1e-5, "the upper arm is what is stretched");
            assert_near(bones[1].start, bones[0].end); // the joints hold
            assert_near(bones[2].start, bones[1].end);
        }
        for bone in &compensated[1..] {
            assert!((bone.length - 1.0).abs() < 1e-5 && (bone.thickness - 1.0).abs() < 1e-5);
            assert!((bone.angle - 90.0).abs() < 1e-3, "nothing is sheared");
        }
    }

    let sheared = &arm(2.0, Compensation::None)[1];
    assert!((sheared.length - 2.5_f32.sqrt()).abs() < 1e-5); // (2 cos 45°, sin 45°)
    assert!((sheared.angle - 90.0).abs() > 30.0, "a turned child of a stretched parent is sheared");

    // The inverse is that of the parent's own scale: what comes from above the parent stays, so that a whole arm can be
    // made larger, and every joint of a chain has its own.
    let large = arm_of_a_giant();
    report("the whole figure scaled by 3, upper arm stretched by 2, with ParentScaleInverse", &large);
    assert!((large[0].length - 6.0).abs() < 1e-4);
    assert!((large[1].length - 3.0).abs() < 1e-4 && (large[1].angle - 90.0).abs() < 1e-2);
}

#[derive(Clone, Copy, PartialEq)]
enum Compensation {
    None,
    EveryJoint,
}

/// What a bone looks like in the world.
struct Bone {
    start: Point3<f32>,
    end: Point3<f32>,
    length: f32,
    thickness: f32,
    /// Between its length and its thickness, in degrees: 90 unless it is sheared.
    angle: f32,
}

fn arm(stretch: f32, compensation: Compensation) -> Vec<Bone> {
    let mut world = World::default();
    let bones = spawn_bones(&mut world, None, stretch, compensation);
    measure(world, &bones)
}

fn arm_of_a_giant() -> Vec<Bone> {
    let mut world = World::default();
    let figure = world.push((LocalToWorld::identity(), Scale(3.0)));
    let shoulder =
        world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(figure), Translation::identity()));
    let bones = spawn_bones(&mut world, Some(shoulder), 2.0, Compensation::EveryJoint);
    measure(world, &bones)
}

fn spawn_bones(world: &mut World, root: Option<Entity>, stretch: f32, compensation: Compensation) -> Vec<Entity> {
    let bend = Rotation::from_axis_angle(&Vector3::z_axis(), 45_f32.to_radians());
    let mut parent = root;
    let mut bones = Vec::new();
    for (index, _) in BONES.iter().enumerate() {
        // The joint sits at the end of the parent's bone, in the parent's own, unstretched measure.
        let offset = if index == 0 { 0.0 } else { 1.0 };
        let scale = NonUniformScale::new(if index == 0 { stretch } else { 1.0 }, 1.0, 1.0);
        let bone = world.push((LocalToWorld::identity(), Translation::new(offset, 0.0, 0.0), bend, scale));
        let mut entry = world.entry(bone).expect("just pushed");
        if let Some(parent) = parent {
            entry.add_component(Parent(parent));
            entry.add_component(LocalToParent::identity());
            if compensation == Compensation::EveryJoint {
                entry.add_component(ParentScaleInverse::identity());
            }
        }
        parent = Some(bone);
        bones.push(bone);
    }
    bones
}

fn measure(mut world: World, bones: &[Entity]) -> Vec<Bone> {
    let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
    schedule.execute(&mut world, &mut Resources::default());
    let matrices = bones.iter().map(|bone| world.entry(*bone).unwrap().get_component::<LocalToWorld>().unwrap().0);
    matrices.map(|matrix| Bone::from(&matrix)).collect()
}

impl From<&Matrix4<f32>> for Bone {
    fn from(matrix: &Matrix4<f32>) -> Self {
        let (along, across) = (matrix.transform_vector(&Vector3::x()), matrix.transform_vector(&Vector3::y()));
        Self {
            start: matrix.transform_point(&Point3::origin()),
            end: matrix.transform_point(&Point3::new(1.0, 0.0, 0.0)),
            length: along.norm(),
            thickness: across.norm(),
            angle: along.angle(&across).to_degrees(),
        }
    }
}

fn report(title: &str, bones: &[Bone]) {
    println!("{title}\n  {:<10} {:>16} {:>16} {:>7} {:>10} {:>7}", "", "from", "to", "length", "thickness", "angle");
    for (name, bone) in BONES.iter().zip(bones) {
        let hundredths = |x: f32| (x * 100.0).round() / 100.0 + 0.0; // no negative zero in print
        let at = |p: Point3<f32>| format!("({:.2}, {:.2})", hundredths(p.x), hundredths(p.y));
        let sheared = if (bone.angle - 90.0).abs() > 0.1 { "  sheared" } else { "" };
        println!(
            "  {name:<10} {:>16} {:>16} {:>7.2} {:>10.2} {:>6.1}°{sheared}",
            at(bone.start),
            at(bone.end),
            bone.length,
            bone.thickness,
            bone.angle
        );
    }
    println!();
}

fn assert_near(a: Point3<f32>, b: Point3<f32>) {
    assert!((a - b).norm() < 1e-5, "{a} is not {b}");
}
