//! What a renderer computes from a world matrix: by definitions, at any size.

use harness::Rng;
use legion_transform::{
    math::{algebra::AffineMap, render::depth_from_0_to_1},
    prelude::*,
};
use nalgebra::{Matrix3, Matrix4, Perspective3, Point3, Unit, Vector3, Vector4};

/// A matrix with a rotation, scales of this size, some of them negative, and shear.
fn some_matrix(rng: &mut Rng, size: f32) -> LocalToWorld {
    let scale = Vector3::from_fn(|_, _| rng.scale()) * size;
    let place = Transform::from_translation(rng.vector(9.0)).with_rotation(rng.quaternion());
    let mut shear = Matrix4::identity();
    (shear.m12, shear.m13, shear.m23) = (rng.float(-1.0, 1.0), rng.float(-1.0, 1.0), 0.5);
    LocalToWorld(place.to_matrix() * Matrix4::new_nonuniform_scaling(&scale) * shear)
}

#[test]
fn normals_go_by_the_transposed_inverse() {
    let rng = &mut Rng::new(62);
    for size in [1e-15_f32, 1e-3, 1.0, 1e3, 1e15] {
        for _ in 0..200 {
            let matrix = some_matrix(rng, size);
            let map = AffineMap::from_matrix(&matrix.0).unwrap();
            let normal = Unit::new_normalize(rng.vector(1.0));
            let wanted = map.transform_normal(&normal).expect("it has an inverse");
            let normals = matrix.normal_matrix();
            let seen = (normals * normal.into_inner()).normalize();
            assert!((seen - wanted.into_inner()).norm() < 1e-4, "{seen} and not {wanted:?}");
            let longest = normals.column_iter().map(|it| it.norm()).fold(0.0, f32::max);
            assert!((longest - 1.0).abs() < 1e-6, "{longest}");
            let determinant = matrix.cast::<f64>().determinant();
            assert_eq!(matrix.is_mirrored(), determinant < 0.0, "{matrix:?}");
        }
    }
}

#[test]
fn what_is_flat_has_one_normal() {
    let flat = |x: f32, y: f32, z: f32| {
        LocalToWorld(Matrix4::new_nonuniform_scaling(&Vector3::new(x, y, z))).normal_matrix()
    };
    assert_eq!(flat(2.0, 0.0, 3.0) * Vector3::new(5.0, 1.0, 5.0), Vector3::y());
    for none in [flat(2.0, 0.0, 0.0), flat(f32::NAN, 1.0, 1.0), flat(f32::INFINITY, 1.0, 1.0)] {
        assert_eq!(none, Matrix3::zeros());
    }
}

#[test]
fn a_view_is_rigid_and_looks_along_minus_z() {
    let rng = &mut Rng::new(62);
    for _ in 0..500 {
        let camera = some_matrix(rng, 1.0);
        let view = camera.view_matrix().expect("it has axes");
        let is_near = |a: Vector4<f32>, b: Vector4<f32>| (a - b).norm() < 1e-4;
        assert!(is_near(view * camera.position().to_homogeneous(), Vector4::w()), "{view}");
        assert!(is_near(view * camera.forward().to_homogeneous(), -Vector4::z()), "{view}");
        let up = view * camera.up().to_homogeneous();
        assert!(up.x.abs() < 1e-4 && up.y > 0.0, "up is in the plane of y and z: {up}");
        let turn: Matrix3<f32> = view.fixed_view::<3, 3>(0, 0).into_owned();
        assert!((turn * turn.transpose() - Matrix3::identity()).amax() < 1e-5);
        assert!((turn.determinant() - 1.0).abs() < 1e-5, "no mirror");
    }
    // As the half turn that a `WorldToLocal` needs, of a camera without scale.
    let camera = Transform::from_xyz(1.0, 2.0, 3.0).looking_at([5.0, 0.0, -2.0], Vector3::y());
    let matrix = camera.to_matrix();
    let flip = Matrix4::new_nonuniform_scaling(&Vector3::new(-1.0, 1.0, -1.0));
    let wanted = flip * matrix.try_inverse().unwrap();
    assert!((LocalToWorld(matrix).view_matrix().unwrap() - wanted).amax() < 1e-5);
    let parallel = Matrix4::from_columns(&[Vector4::x(), Vector4::z(), Vector4::z(), Vector4::w()]);
    for none in [parallel, Matrix4::zeros(), Matrix4::repeat(f32::NAN)] {
        assert_eq!(LocalToWorld(none).view_matrix(), None);
    }
}

#[test]
fn depths_go_from_0_to_1() {
    let projection = depth_from_0_to_1() * Perspective3::new(1.5, 1.0, 0.5, 90.0).to_homogeneous();
    let depth = |z: f32| projection.transform_point(&Point3::new(0.0, 0.0, -z)).z;
    assert!(depth(0.5).abs() < 1e-6 && (depth(90.0) - 1.0).abs() < 1e-5);
    assert!((1..90).all(|z| depth(z as f32) < depth(z as f32 + 1.0)));
}
