//! Scale compensation: an arm whose upper bone is stretched, with `ParentScaleInverse` and without.
//!
//! ```text
//! cargo run --example scale_compensation                     # says what it shows
//! cargo run --example scale_compensation -- --svg arms.svg   # and draws the arms
//! ```
//!
//! A parent's scale is part of its `LocalToWorld`, so children are stretched with it, and sheared
//! where they are turned against it. `ParentScaleInverse` cancels that for one link: the child
//! stays attached to the end of the stretched bone, and keeps its own shape.

use legion::*;
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Point3, Vector3};

#[path = "figures/svg.rs"]
mod svg;

use svg::Figure;

/// All three bones are 1 long, along x, and bent by 45 degrees against their parent.
const BONES: [&str; 3] = ["upper arm", "forearm", "hand"];

fn main() -> std::io::Result<()> {
    let rest = arm(1.0, Compensation::None);
    let (plain, compensated) = (arm(2.0, Compensation::None), arm(2.0, Compensation::EveryJoint));
    for (bones, stretch) in [(&rest, 1.0), (&plain, 2.0), (&compensated, 2.0)] {
        assert!((bones[0].length - stretch).abs() < 1e-5, "the upper arm is what is stretched");
        assert_near(bones[1].start, bones[0].end); // the joints hold
        assert_near(bones[2].start, bones[1].end);
    }

    assert!((plain[1].length - 2.5_f32.sqrt()).abs() < 1e-5); // (2 cos 45°, sin 45°)
    assert!(
        (plain[1].angle - 90.0).abs() > 30.0,
        "a turned child of a stretched parent is sheared"
    );
    for bone in &compensated[1..] {
        assert!((bone.length - 1.0).abs() < 1e-5 && (bone.thickness - 1.0).abs() < 1e-5);
        assert!((bone.angle - 90.0).abs() < 1e-3, "nothing is sheared");
    }

    // The inverse is that of the parent's own scale: what comes from above the parent stays, so
    // that a whole arm can be made larger, and every joint of a chain has its own.
    let large = arm_of_a_giant();
    assert!((large[0].length - 6.0).abs() < 1e-4);
    assert!((large[1].length - 3.0).abs() < 1e-4 && (large[1].angle - 90.0).abs() < 1e-2);

    println!(
        "An upper arm is stretched to twice its length. Its forearm, turned by 45° against it:"
    );
    for (name, bones) in [("without ParentScaleInverse", &plain), ("with it", &compensated)] {
        let Bone { length, angle, .. } = &bones[1];
        println!("- {name}: {length:.2} long, {angle:.0}° between its length and its thickness");
    }
    let arms = [
        ("at rest", &rest),
        ("upper arm stretched by 2, without ParentScaleInverse", &plain),
        ("upper arm stretched by 2, with ParentScaleInverse", &compensated),
        ("the same in a figure scaled by 3", &large),
    ];
    draw(&arms).write_if_asked()
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
    /// A box of the bone's length and a third of its thickness, in order.
    corners: [Point3<f32>; 4],
}

fn arm(stretch: f32, compensation: Compensation) -> Vec<Bone> {
    let mut world = World::default();
    let bones = spawn_bones(&mut world, None, stretch, compensation);
    measure(world, &bones)
}

fn arm_of_a_giant() -> Vec<Bone> {
    let mut world = World::default();
    let figure = world.push_transform((Scale(3.0),));
    let shoulder = world.push_child(figure, (Translation::identity(),));
    let bones = spawn_bones(&mut world, Some(shoulder), 2.0, Compensation::EveryJoint);
    measure(world, &bones)
}

fn spawn_bones(
    world: &mut World,
    root: Option<Entity>,
    stretch: f32,
    compensation: Compensation,
) -> Vec<Entity> {
    let bend = Rotation::from_axis_angle(&Vector3::z_axis(), 45_f32.to_radians());
    let mut parent = root;
    let mut bones = Vec::new();
    for (index, _) in BONES.iter().enumerate() {
        // The joint sits at the end of the parent's bone, in the parent's own, unstretched measure.
        let offset = if index == 0 { 0.0 } else { 1.0 };
        let scale = NonUniformScale::new(if index == 0 { stretch } else { 1.0 }, 1.0, 1.0);
        let parts = (Translation::new(offset, 0.0, 0.0), bend, scale);
        let bone = match parent {
            Some(parent) => world.push_child(parent, parts),
            None => world.push_transform(parts),
        };
        if parent.is_some() && compensation == Compensation::EveryJoint {
            world.entry(bone).expect("just pushed").add_component(ParentScaleInverse::identity());
        }
        parent = Some(bone);
        bones.push(bone);
    }
    bones
}

fn measure(mut world: World, bones: &[Entity]) -> Vec<Bone> {
    let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
    schedule.execute(&mut world, &mut Resources::default());
    bones.iter().map(|bone| Bone::from(&LocalToWorld::of(&world, *bone).unwrap().0)).collect()
}

impl From<&Matrix4<f32>> for Bone {
    fn from(matrix: &Matrix4<f32>) -> Self {
        let (along, across) =
            (matrix.transform_vector(&Vector3::x()), matrix.transform_vector(&Vector3::y()));
        Self {
            start: matrix.transform_point(&Point3::origin()),
            end: matrix.transform_point(&Point3::new(1.0, 0.0, 0.0)),
            length: along.norm(),
            thickness: across.norm(),
            angle: along.angle(&across).to_degrees(),
            corners: [[0.0, -0.15], [1.0, -0.15], [1.0, 0.15], [0.0, 0.15]]
                .map(|[x, y]| matrix.transform_point(&Point3::new(x, y, 0.0))),
        }
    }
}

fn draw(arms: &[(&str, &Vec<Bone>)]) -> Figure {
    let mut figure =
        Figure::new("Scale compensation: an arm whose upper bone is stretched", 760, 634);
    // By arm: the shoulder, and pixels a unit.
    let places = [
        ([60.0, 310.0], 66.0),
        ([380.0, 310.0], 66.0),
        ([60.0, 580.0], 66.0),
        ([456.0, 580.0], 22.0),
    ];
    for ((name, bones), ([x, y], unit)) in arms.iter().zip(places) {
        let at = |point: &Point3<f32>| [x + unit * point.x, y - unit * point.y];
        figure.text([x - 36.0, y + 36.0], "dim", name);
        for (bone, class) in bones.iter().zip(["one", "two", "three"]) {
            let mut outline = bone.corners.map(|corner| at(&corner)).to_vec();
            outline.push(outline[0]);
            figure.shape(&outline, &format!("solid {class}"));
            figure.shape(&[at(&bone.start), at(&bone.end)], class);
            figure.dot(at(&bone.start), 3.0, class);
        }
    }
    for (i, (name, class)) in BONES.iter().zip(["one", "two", "three"]).enumerate() {
        figure.text([24.0 + 92.0 * i as f32, 62.0], class, name);
    }
    figure
}

fn assert_near(a: Point3<f32>, b: Point3<f32>) {
    assert!((a - b).norm() < 1e-5, "{a} is not {b}");
}
