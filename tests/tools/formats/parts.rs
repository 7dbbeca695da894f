//! Transforms, rotations and matrices from plain numbers, and plain numbers from matrices.

use harness::demand;
use legion_transform::{components::RotationEulerYXZ, math::decompose::decompose, prelude::*};
use nalgebra::{Matrix3, Matrix4, Point3, Rotation3, Vector3};
use proptest::prelude::*;

use crate::random_worlds::{factors, rotation, vector};

/// The linear part of a matrix, in `f64`.
fn linear(matrix: &Matrix4<f32>) -> Matrix3<f64> {
    Matrix3::from_fn(|row, column| f64::from(matrix[(row, column)]))
}

fn near(a: &Vector3<f32>, b: &Vector3<f64>, tolerance: f64) -> bool {
    (a.cast::<f64>() - b).norm() <= tolerance
}

proptest! {
    #![proptest_config(demand::cases(256))]

    /// Six directions of length 1: the columns of the matrix, whatever the scale is.
    #[test]
    fn directions_have_length_one(t in vector(), r in rotation(), s in factors(), m in -20..20) {
        let sheared = Transform::from_scale(s * 10.0_f32.powi(m)).to_matrix();
        let matrix = Transform::from_translation(t).with_rotation(r).to_matrix() * sheared;
        let world = LocalToWorld(matrix);
        let columns = linear(&matrix);
        let directions = [
            (world.right(), world.left()),
            (world.up(), world.down()),
            (world.forward(), world.back()),
        ];
        for (i, (along, against)) in directions.into_iter().enumerate() {
            let axis = columns.column(i).normalize();
            prop_assert!(near(&along, &axis, 1e-6), "{} {}", along, axis);
            prop_assert_eq!(along, -against);
        }
    }

    /// Translation, rotation and scale of a matrix make the matrix again, mirrored or not.
    #[test]
    fn the_parts_of_a_matrix_make_it_again(
        t in vector(),
        r in rotation(),
        s in factors(),
        sizes in prop::array::uniform3(-2..=2),
    ) {
        let s = s.component_mul(&Vector3::from(sizes.map(|n| 10.0_f32.powi(n))));
        let matrix = LocalToParent(
            Transform { translation: t, rotation: r, scale: s }.to_matrix()
        );
        let again = Transform::from_translation(matrix.position().coords)
            .with_rotation(matrix.rotation())
            .with_scale(matrix.scale());
        let off = (again.to_matrix() - matrix.0).amax();
        prop_assert!(off <= 1e-5 * s.amax().max(1.0), "{} off", off);
        prop_assert_eq!(matrix.scale().x < 0.0, LocalToWorld(matrix.0).is_mirrored());
        prop_assert!(matrix.scale().y > 0.0 && matrix.scale().z > 0.0);
        prop_assert!(matrix.rotation().angle_to(&decompose(&matrix).unwrap().rotation) < 1e-3);
    }

    /// One flattened axis is no reason to lose the rotation, except whether it mirrored.
    #[test]
    fn a_flat_entity_keeps_its_rotation(r in rotation(), s in factors(), flat in 0_usize..3) {
        let mut scale = s.abs();
        scale[flat] = 0.0;
        let matrix = LocalToWorld(Transform::from_scale(scale).with_rotation(r).to_matrix());
        prop_assert!(matrix.rotation().angle_to(&r) < 2e-3, "{}", matrix.rotation().angle_to(&r));
        prop_assert_eq!(matrix.scale()[flat], 0.0);
        let directions = [matrix.right(), matrix.up(), matrix.forward()];
        prop_assert_eq!(directions[flat], Vector3::zeros());
    }

    /// z goes along the direction, y lies in the plane of the direction and `up`, on its side.
    #[test]
    fn looking_goes_along_the_direction(towards in vector(), up in vector(), from in vector()) {
        let across = up.normalize().cross(&towards.normalize());
        prop_assume!(towards.norm() > 0.1 && across.norm() > 0.1);
        let rotation = Rotation::look_to(towards, up);
        prop_assert!((rotation * Vector3::z() - towards.normalize()).norm() < 1e-5);
        prop_assert!((rotation * Vector3::x()).dot(&up.normalize()).abs() < 1e-5);
        prop_assert!((rotation * Vector3::y()).dot(&up) > 0.0);
        let target = Point3::from(from + towards);
        let transform = Transform::from_translation(from).looking_at(target, up);
        prop_assert!(transform.rotation.angle_to(&rotation) < 1e-3);
        prop_assert_eq!(transform.translation, from);
    }

    /// Turns about single axes are those of nalgebra's matrices.
    #[test]
    fn turns_about_one_axis(angle in -10.0_f32..10.0) {
        let turns = [
            (Rotation::from_rotation_x(angle), Vector3::x_axis()),
            (Rotation::from_rotation_y(angle), Vector3::y_axis()),
            (Rotation::from_rotation_z(angle), Vector3::z_axis()),
        ];
        for (turn, axis) in turns {
            let matrix = Rotation3::from_axis_angle(&axis, angle);
            prop_assert!((turn.to_rotation_matrix().matrix() - matrix.matrix()).amax() < 1e-5);
        }
        let turn = Transform::from_xy_angle(3.0, 4.0, angle).to_matrix();
        let (sin, cos) = f64::from(angle).sin_cos();
        let right = turn.fixed_view::<3, 1>(0, 0).into();
        prop_assert!(near(&right, &Vector3::new(cos, sin, 0.0), 1e-5));
        prop_assert_eq!((turn.m14, turn.m24, turn.m34), (3.0, 4.0, 0.0));
    }
}

#[test]
fn what_has_no_direction_has_none() {
    for nothing in [Vector3::zeros(), Vector3::repeat(f32::NAN), Vector3::repeat(f32::INFINITY)] {
        assert_eq!(Rotation::look_to(nothing, Vector3::y()), Rotation::identity());
        let turned =
            Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Rotation::from_rotation_x(1.0));
        let target = Point3::from(turned.translation + nothing);
        assert_eq!(turned.looking_at(target, Vector3::y()), turned);
    }
    // Straight up, and with no `up` at all: some other axis is up.
    for up in [Vector3::y(), -Vector3::y(), Vector3::zeros(), Vector3::repeat(f32::NAN)] {
        let upwards = Rotation::look_to(Vector3::y(), up);
        assert!((upwards * Vector3::z() - Vector3::y()).norm() < 1e-6, "{up}");
    }
    let matrix = |scale: [f32; 3]| LocalToWorld(Transform::default().with_scale(scale).to_matrix());
    assert_eq!(matrix([0.0, 0.0, 2.0]).rotation(), Rotation::identity());
    assert_eq!(matrix([0.0; 3]).scale().0, Vector3::zeros());
    assert_eq!(matrix([f32::NAN; 3]).rotation(), Rotation::identity());
    assert_eq!(matrix([f32::INFINITY, 1.0, 1.0]).rotation(), Rotation::identity());
}

#[test]
fn components_come_from_arrays_and_add_up() {
    let translation = Translation::from([1.0, 2.0, 3.0]);
    assert_eq!(translation, Translation::new(1.0, 2.0, 3.0));
    assert_eq!(translation, Translation::from(Point3::new(1.0, 2.0, 3.0)));
    assert_eq!(translation + Vector3::x() - Vector3::z(), Translation::new(2.0, 2.0, 2.0));
    assert_eq!(NonUniformScale::from([1.0, 2.0, 3.0]), NonUniformScale::new(1.0, 2.0, 3.0));
    assert_eq!(RotationEulerYXZ::from([1.0, 2.0, 3.0]), RotationEulerYXZ::new(1.0, 2.0, 3.0));
    let (a, b) = (Rotation::from_rotation_x(0.5), Rotation::from_rotation_z(0.25));
    let mut turned = a;
    turned *= b;
    assert_eq!((a * b, a * *b), (turned, turned));
    assert_eq!(turned.0, a.0 * b.0);
}
