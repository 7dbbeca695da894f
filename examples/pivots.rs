//! Pivots: a door that turns on its hinge, a wheel on an axle that is off its centre, and Maya's
//! full set.
//!
//! ```text
//! cargo run --example pivots                       # says what it shows
//! cargo run --example pivots -- --svg pivots.svg   # and draws door and wheel
//! ```

use legion::*;
use legion_transform::{
    components::{
        CompositeRotation, RotationEulerYZX, RotationPivot, RotationPivotTranslation, ScalePivot,
        ScalePivotTranslation, Shear,
    },
    interchange::{Detail, MayaTransform},
    prelude::*,
};
use nalgebra::{Matrix4, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

#[path = "figures/svg.rs"]
mod svg;

use svg::Figure;

fn main() -> std::io::Result<()> {
    let mut stage = Stage::new();
    let mut figure =
        Figure::new("Pivots: a rotation about another point than the origin", 760, 400);
    door_on_its_hinge(&mut stage, &mut figure);
    wheel_about_an_offset_axle(&mut stage, &mut figure);
    mayas_full_set(&mut stage);
    figure.text(
        [24.0, 378.0],
        "code",
        "LocalToParent = Translation * (RotationPivot * Rotation * inverse of RotationPivot)",
    );
    figure.write_if_asked()
}

/// A world and the schedule that keeps its transforms.
struct Stage {
    world: World,
    resources: Resources,
    schedule: Schedule,
}

impl Stage {
    fn new() -> Self {
        let schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
        Self { world: World::default(), resources: Resources::default(), schedule }
    }

    /// Turns an entity and runs the schedule once.
    fn turn(&mut self, entity: Entity, rotation: UnitQuaternion<f32>) {
        *self.world.entry(entity).unwrap().get_component_mut::<Rotation>().unwrap() =
            Rotation(rotation);
        self.run();
    }

    fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    fn local_to_world(&self, entity: Entity) -> Matrix4<f32> {
        LocalToWorld::of(&self.world, entity).unwrap().0
    }

    /// Where a point of the entity is in the world.
    fn point(&self, entity: Entity, point: Point3<f32>) -> Point3<f32> {
        self.local_to_world(entity).transform_point(&point)
    }
}

fn assert_near(a: Point3<f32>, b: Point3<f32>) {
    assert!((a - b).norm() < 1e-5, "{a} is not {b}");
}

/// The door is modelled about its middle; the pivot puts the turn at its left edge.
fn door_on_its_hinge(stage: &mut Stage, figure: &mut Figure) {
    println!(
        "A door, 1 m wide, modelled about its middle, on a hinge at its left edge (plan view):\n"
    );
    let hinge = Point3::new(-0.5, 0.0, 0.0);
    let door = stage.world.push_transform((
        Translation::new(0.5, 0.0, 0.0),
        CompositeRotation::identity(),
        Rotation::identity(),
        RotationPivot(hinge.coords),
    ));
    // A child of the door swings with it.
    let knob = stage.world.push_child(door, (Translation::new(0.4, 0.0, 0.05),));

    // From above: x to the right, -z up.
    let at = |p: Point3<f32>| [70.0 + 220.0 * p.x, 310.0 + 220.0 * p.z];
    println!("  open    hinge            knob");
    for degrees in [0.0_f32, 30.0, 60.0, 90.0] {
        stage.turn(door, UnitQuaternion::from_axis_angle(&Vector3::y_axis(), degrees.to_radians()));
        let (at_hinge, at_knob) = (stage.point(door, hinge), stage.point(knob, Point3::origin()));
        println!("  {degrees:>3}°    {}   {}", plane(at_hinge), plane(at_knob));
        let corners = [[-0.5, -0.02], [0.5, -0.02], [0.5, 0.02], [-0.5, 0.02], [-0.5, -0.02]];
        let outline = corners.map(|[x, z]| at(stage.point(door, Point3::new(x, 0.0, z))));
        figure.shape(&outline, "solid two");
        figure.dot(at(at_knob), 3.5, "three");
        let beyond = at(stage.point(door, Point3::new(0.56, 0.0, 0.0)));
        figure.text([beyond[0] - 8.0, beyond[1] + 5.0], "dim", &format!("{degrees}°"));

        assert_near(at_hinge, Point3::origin());
        let (sin, cos) = degrees.to_radians().sin_cos();
        assert_near(at_knob, Point3::new(0.9 * cos + 0.05 * sin, 0.0, 0.05 * cos - 0.9 * sin));
    }
    figure.dot(at(Point3::origin()), 6.0, "one");
    figure.text([24.0, 340.0], "dim", "a door, modelled about its middle: the pivot is its hinge");
    println!();
}

/// A cam: the wheel's centre goes round the axle, the axle stays.
fn wheel_about_an_offset_axle(stage: &mut Stage, figure: &mut Figure) {
    println!("A wheel of radius 0.5 on an axle 0.2 to the right of its centre:\n");
    let axle = Point3::new(0.2, 0.0, 0.0);
    let wheel = stage.world.push_transform((
        Translation::new(-0.2, 0.0, 0.0), // puts the axle at the world's origin
        CompositeRotation::identity(),
        Rotation::identity(),
        RotationPivot(axle.coords),
    ));
    println!("  turn   axle             centre           highest point of the rim");
    for degrees in (0..=360_u16).step_by(60) {
        let angle = f32::from(degrees).to_radians();
        stage.turn(wheel, UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle));
        let (at_axle, centre) = (stage.point(wheel, axle), stage.point(wheel, Point3::origin()));
        draw_wheel(stage, wheel, figure, [at_axle, centre]);
        println!(
            "  {degrees:>3}°   {}   {}   y = {:+.3}",
            upright(at_axle),
            upright(centre),
            centre.y + 0.5
        );

        assert_near(at_axle, Point3::origin());
        assert_near(centre, Point3::new(-0.2 * angle.cos(), -0.2 * angle.sin(), 0.0));
    }
    figure.text([448.0, 340.0], "dim", "a wheel on an axle off its centre: a cam");
    println!();
}

/// The rim, and the way from the axle to the centre.
fn draw_wheel(
    stage: &mut Stage,
    wheel: Entity,
    figure: &mut Figure,
    [axle, centre]: [Point3<f32>; 2],
) {
    let at = |p: Point3<f32>| [570.0 + 170.0 * p.x, 190.0 - 170.0 * p.y];
    let turn = std::f32::consts::TAU / 72.0;
    let rim = |step: usize| {
        Point3::new(0.5 * (turn * step as f32).cos(), 0.5 * (turn * step as f32).sin(), 0.0)
    };
    let outline: Vec<_> = (0..=72).map(|step| at(stage.point(wheel, rim(step)))).collect();
    figure.shape(&outline, "two");
    figure.shape(&[at(axle), at(centre)], "dashed");
    figure.dot(at(centre), 3.5, "three");
    figure.dot(at(axle), 6.0, "one");
}

/// Every attribute of a Maya transform, each in its component, against the product that Maya's
/// documentation gives.
fn mayas_full_set(stage: &mut Stage) {
    println!("A Maya transform with every attribute set:\n");
    let mut maya = MayaTransform::new(
        Vector3::new(1.0, 2.0, 3.0),
        Vector3::new(10.0, 20.0, 30.0),
        Vector3::new(1.0, 2.0, 0.5),
    );
    maya.rotate_order = MayaTransform::rotate_order(1).expect("1 is yzx");
    maya.rotate_axis = Vector3::new(0.0, 0.0, 15.0);
    maya.rotate_pivot = Vector3::new(0.5, 0.0, -0.5);
    maya.rotate_pivot_translate = Vector3::new(0.1, 0.2, 0.3);
    maya.shear = Vector3::new(0.25, 0.0, 0.0);
    maya.scale_pivot = Vector3::new(0.0, 1.0, 0.0);
    maya.scale_pivot_translate = Vector3::new(0.0, -0.1, 0.0);
    let node = maya.spawn(&mut stage.world, None, Detail::Full);
    stage.run();

    let entry = stage.world.entry(node).unwrap();
    macro_rules! show {
        ($($attribute:literal => $component:ty),* $(,)?) => {$(
            let value = entry.get_component::<$component>().unwrap();
            println!("  {:<32} {}", $attribute, format!("{:?}", value.0).replace(['[', ']'], " "));
        )*};
    }
    show! {
        "T   Translation" => Translation,
        "RT  RotationPivotTranslation" => RotationPivotTranslation,
        "RP  RotationPivot" => RotationPivot,
        "R   RotationEulerYZX (radians)" => RotationEulerYZX,
        "RA  PostRotationEulerXYZ" => PostRotationEulerXYZ,
        "ST  ScalePivotTranslation" => ScalePivotTranslation,
        "SP  ScalePivot" => ScalePivot,
        "SH  Shear" => Shear,
        "S   NonUniformScale" => NonUniformScale,
    }

    // Maya: SP^-1 S SH SP ST RP^-1 RA R RP RT T on row vectors; for column vectors, read from the
    // right.
    let move_by = |v: Vector3<f32>| Translation3::from(v).to_homogeneous();
    let about = |axis, degrees: f32| {
        Rotation3::from_axis_angle(&axis, degrees.to_radians()).to_homogeneous()
    };
    let (x, y, z) = (Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis());
    let mut shear = Matrix4::identity();
    (shear.m12, shear.m13, shear.m23) = (maya.shear.x, maya.shear.y, maya.shear.z);
    let product = move_by(maya.translate)
        * (move_by(maya.rotate_pivot_translate) * move_by(maya.rotate_pivot))
        * (about(x, 10.0) * about(z, 30.0) * about(y, 20.0)) // yzx: y first
        * about(z, 15.0)
        * move_by(-maya.rotate_pivot)
        * (move_by(maya.scale_pivot_translate) * move_by(maya.scale_pivot))
        * (shear * Matrix4::new_nonuniform_scaling(&maya.scale))
        * move_by(-maya.scale_pivot);
    let matrix = stage.local_to_world(node);
    let difference = (matrix - product).amax();
    println!(
        "\n  LocalToWorld after one run:{}  differs from Maya's product by at most \
         {difference:.1e}",
        matrix
    );
    assert!(difference < 1e-5);
}

fn plane(p: Point3<f32>) -> String {
    format!("({:+.2}, {:+.2})", hundredths(p.x), hundredths(p.z))
}

fn upright(p: Point3<f32>) -> String {
    format!("({:+.2}, {:+.2})", hundredths(p.x), hundredths(p.y))
}

/// Rounded for print, without the sign of a negative zero.
fn hundredths(x: f32) -> f32 {
    (x * 100.0).round() / 100.0 + 0.0
}
