//! Every combination of `Translation`, `Rotation`, `Scale` and `NonUniformScale`, and the matrix
//! that it makes.
//!
//! ```text
//! cargo run --example types_of_transforms
//! ```
//!
//! For more: `RotationEulerXYZ` and its five siblings write `Rotation`; `CompositeRotation` and
//! `CompositeScale` take pivots, a second rotation and shear; `ParentScaleInverse` cancels a
//! parent's scale; an entity without any of them keeps the matrix that you write into its
//! `LocalToWorld` (or `LocalToParent`) yourself.

use std::f32::consts::FRAC_PI_2;

use legion::*;
use legion_transform::{findings::FindingKind, prelude::*};
use nalgebra::{Matrix4, Vector3};

/// The parts that an entity may have.
#[derive(Clone, Copy)]
struct Parts {
    translation: bool,
    rotation: bool,
    scale: bool,
    non_uniform_scale: bool,
}

impl Parts {
    fn all() -> impl Iterator<Item = Self> {
        (0..16).map(|bits| Self {
            translation: bits & 8 != 0,
            rotation: bits & 4 != 0,
            scale: bits & 2 != 0,
            non_uniform_scale: bits & 1 != 0,
        })
    }

    fn name(self) -> String {
        let names = [
            (self.translation, "Translation"),
            (self.rotation, "Rotation"),
            (self.scale, "Scale"),
            (self.non_uniform_scale, "NonUniformScale"),
        ];
        let names: Vec<_> = names.iter().filter(|(has, _)| *has).map(|(_, name)| *name).collect();
        if names.is_empty() { "none of them".into() } else { names.join(" * ") }
    }

    fn spawn(self, world: &mut World, entity: Entity) {
        let Some(mut entry) = world.entry(entity) else { return };
        if self.translation {
            entry.add_component(Translation::new(1.0, 2.0, 3.0));
        }
        if self.rotation {
            entry.add_component(Rotation::from_axis_angle(&Vector3::z_axis(), FRAC_PI_2));
        }
        if self.scale {
            entry.add_component(Scale(2.0));
        }
        if self.non_uniform_scale {
            entry.add_component(NonUniformScale::new(4.0, 5.0, 6.0));
        }
    }

    /// The same, worked out by hand: columns are the axes, the last one is the origin.
    fn expected(self) -> Matrix4<f32> {
        // Where an entity has both scales, `Scale` wins, and a finding says so.
        let [x, y, z] = match (self.scale, self.non_uniform_scale) {
            (true, _) => [2.0; 3],
            (false, true) => [4.0, 5.0, 6.0],
            (false, false) => [1.0; 3],
        };
        let [tx, ty, tz] = if self.translation { [1.0, 2.0, 3.0] } else { [0.0; 3] };
        // Rows, as they are written on paper.
        if self.rotation {
            // A quarter turn about z: x becomes y, y becomes -x.
            Matrix4::new(0.0, -y, 0.0, tx, x, 0.0, 0.0, ty, 0.0, 0.0, z, tz, 0.0, 0.0, 0.0, 1.0)
        } else {
            Matrix4::new(x, 0.0, 0.0, tx, 0.0, y, 0.0, ty, 0.0, 0.0, z, tz, 0.0, 0.0, 0.0, 1.0)
        }
    }
}

fn main() {
    let mut world = World::default();
    let mut resources = Resources::default();
    let bundle = TransformSystemBundle::default();
    bundle.insert_resources(&mut resources);
    let mut schedule = Schedule::builder().add_transforms(bundle).build();

    // Each combination twice: as a root, and below a parent that stands at (10, 0, 0).
    let parent = world.push((LocalToWorld::identity(), Translation::new(10.0, 0.0, 0.0)));
    let cases: Vec<_> = Parts::all()
        .map(|parts| {
            let root = world.push((LocalToWorld::identity(),));
            let child =
                world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(parent)));
            parts.spawn(&mut world, root);
            parts.spawn(&mut world, child);
            (parts, root, child)
        })
        .collect();
    schedule.execute(&mut world, &mut resources);

    let moved = Matrix4::new_translation(&Vector3::new(10.0, 0.0, 0.0));
    for (parts, root, child) in cases {
        println!("LocalToWorld <= {}", parts.name());
        let matrix = local_to_world(&world, root);
        print_matrix(&matrix);
        assert!((matrix - parts.expected()).amax() < 1e-6, "{}", parts.name());

        let below = local_to_world(&world, child);
        assert!(
            (below - moved * parts.expected()).amax() < 1e-5,
            "{} below a parent",
            parts.name()
        );
    }

    let findings = resources.get::<Findings>().expect("the bundle puts it there");
    println!("findings:");
    findings.of(&world).for_each(|finding| println!("- {finding}"));
    assert!(findings.of(&world).all(|finding| finding.kind == FindingKind::TwoScales));
    assert_eq!(findings.of(&world).count(), 8);
}

fn local_to_world(world: &World, entity: Entity) -> Matrix4<f32> {
    let entry = world.entry_ref(entity).expect("nobody despawned it");
    entry.get_component::<LocalToWorld>().expect("it was spawned with one").0
}

fn print_matrix(matrix: &Matrix4<f32>) {
    for row in matrix.row_iter() {
        let cells: Vec<_> =
            row.iter().map(|x| format!("{:>6.2}", (x * 100.0).round() / 100.0 + 0.0)).collect();
        println!("    [{}]", cells.join(" "));
    }
}
