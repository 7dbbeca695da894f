//! One point in three spaces: the world's, a crane's, and its hook's.

use legion::*;
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Point3, Vector3};

use super::svg::Figure;

/// Pixels a unit, and where the world's origin is.
const UNIT: f32 = 96.0;
const ORIGIN: [f32; 2] = [96.0, 420.0];

pub fn draw() -> Figure {
    let mut world = World::default();
    let turned = |degrees: f32| Rotation::from_axis_angle(&Vector3::z_axis(), degrees.to_radians());
    let crane =
        world.push((LocalToWorld::identity(), Translation::new(2.0, 1.0, 0.0), turned(25.0)));
    let hook = world.push((
        LocalToWorld::identity(),
        LocalToParent::identity(),
        Parent(crane),
        Translation::new(3.0, 1.0, 0.0),
        turned(-60.0),
    ));
    let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
    schedule.execute(&mut world, &mut Resources::default());

    let local = Point3::new(1.0, 0.5, 0.0);
    let (crane, hook) = (matrix(&world, crane), matrix(&world, hook));
    let in_world = hook.transform_point(&local);
    let in_crane = crane.try_inverse().expect("it can be undone").transform_point(&in_world);

    let mut figure = Figure::new("One point, three coordinate systems", 720, 520);
    let spaces = [
        ("world", Matrix4::identity(), in_world, "dim"),
        ("crane", crane, in_crane, "one"),
        ("hook, the crane's child", hook, local, "two"),
    ];
    for (name, space, point, class) in &spaces {
        axes(&mut figure, space, name, class);
        // Along x, then along y, to the point.
        let corner = Point3::new(point.x, 0.0, 0.0);
        let path = [Point3::origin(), corner, *point].map(|p| at(&space.transform_point(&p)));
        figure.shape(&path, &format!("dashed {class}"));
    }
    let place = at(&in_world);
    figure.dot(place, 5.0, "three");
    for (line, (name, _, point, class)) in spaces.iter().enumerate() {
        let name = name.split(',').next().unwrap_or(name);
        let text = format!("The point is ({:.2}, {:.2}) in the {name}'s space.", point.x, point.y);
        figure.text([24.0, 70.0 + 22.0 * line as f32], class, &text);
    }
    figure.text(
        [24.0, 472.0],
        "code",
        "LocalToWorld of the hook = LocalToWorld of the crane * LocalToParent of the hook",
    );
    let conventions = "Right-handed: z, in blue, points at you. Matrices act on column vectors, \
                       angles are radians.";
    figure.text([24.0, 498.0], "dim", conventions);
    figure
}

fn matrix(world: &World, entity: Entity) -> Matrix4<f32> {
    LocalToWorld::of(world, entity).expect("it lives as long as the world").0
}

/// On the page; y points up.
fn at(point: &Point3<f32>) -> [f32; 2] {
    [ORIGIN[0] + UNIT * point.x, ORIGIN[1] - UNIT * point.y]
}

fn axes(figure: &mut Figure, space: &Matrix4<f32>, name: &str, class: &str) {
    let origin = at(&space.transform_point(&Point3::origin()));
    for (axis, label) in [(Vector3::x(), "x"), (Vector3::y(), "y")] {
        let tip = space.transform_point(&Point3::from(axis));
        figure.shape(&[origin, at(&tip)], &format!("thick arrow {label}"));
        let beyond = at(&space.transform_point(&Point3::from(axis * 1.12)));
        figure.text([beyond[0] - 4.0, beyond[1] + 5.0], label, label);
    }
    figure.dot(origin, 5.0, "z");
    figure.text([origin[0] - 10.0, origin[1] + 22.0], &format!("end {class}"), name);
}
