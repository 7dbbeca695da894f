//! The algebra: group laws of the types that compose, and decompositions.

use harness::demand;
use legion_transform::{
    Transform,
    components::LocalToWorld,
    components::{PostRotation, Rotation},
    math::{
        algebra::AffineMap,
        decompose::{DecomposeError, decompose, decompose_signed},
        handedness::Flip,
    },
};
use nalgebra::{Affine3, Matrix3, Matrix4, Point3, Similarity3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use crate::random_worlds::{factors, rotation, vector};

/// A translation, a rotation, a shear, and scales.
fn affine() -> impl Strategy<Value = AffineMap> {
    (vector(), rotation(), factors(), prop::array::uniform3(-1.0f32..1.0)).prop_map(
        |(t, r, s, h)| {
            let stretch = sheared(h) * Matrix4::new_nonuniform_scaling(&s);
            let matrix = Matrix4::new_translation(&t) * r.to_homogeneous() * stretch;
            AffineMap::from_matrix(&matrix).unwrap()
        },
    )
}

/// Maps of all types: of no scale, of one number, and of any.
fn map() -> impl Strategy<Value = AffineMap> {
    let of = |s: Vector3<f32>| {
        (vector(), rotation()).prop_map(move |(t, r)| AffineMap::from_trs(&t, &r, &s))
    };
    let similarity = factors().prop_flat_map(move |s| of(Vector3::repeat(s.x)));
    prop_oneof![of(Vector3::repeat(1.0)), similarity, affine()]
}

fn sheared([xy, xz, yz]: [f32; 3]) -> Matrix4<f32> {
    Matrix3::new(1.0, xy, xz, 0.0, 1.0, yz, 0.0, 0.0, 1.0).to_homogeneous()
}

fn kind(map: &AffineMap) -> u8 {
    match map {
        AffineMap::Isometry(_) => 0,
        AffineMap::Similarity(_) => 1,
        AffineMap::Affine(_) => 2,
    }
}

/// Equal within the rounding of sums as large as `a` and `b`.
fn close(a: &Matrix4<f32>, b: &Matrix4<f32>, tolerance: f32) -> bool {
    (a - b).amax() <= tolerance * (1.0 + a.amax() + b.amax())
}

proptest! {
    #![proptest_config(demand::cases(256))]

    /// Products and inverses stay in the wider of the types, and are what the matrices say. They
    /// are a group: associativity, identity, inverses on both sides, the inverse of a product.
    #[test]
    fn the_laws_of_a_group(a in map(), b in map(), c in map(), p in vector()) {
        let product = a * b;
        prop_assert_eq!(kind(&product), kind(&a).max(kind(&b)));
        let matrix = a.to_matrix() * b.to_matrix();
        prop_assert!(close(&product.to_matrix(), &matrix, 1e-5));
        let off = product.transform_point(&p.into()) - matrix.transform_point(&p.into());
        prop_assert!(off.norm() < 1e-4 * (1.0 + matrix.amax()));
        let off = product.transform_vector(&p) - matrix.transform_vector(&p);
        prop_assert!(off.norm() < 1e-4 * (1.0 + matrix.amax()));
        prop_assert!(close(&((a * b) * c).to_matrix(), &(a * (b * c)).to_matrix(), 1e-4));
        prop_assert_eq!((a * AffineMap::identity()).to_matrix(), a.to_matrix());
        prop_assert!(close(&(AffineMap::identity() * a).to_matrix(), &a.to_matrix(), 1e-6));
        let (x, y) = (a.inverse().unwrap(), b.inverse().unwrap());
        prop_assert_eq!(kind(&x), kind(&a));
        for inverse in [a * x, x * a] {
            prop_assert!(close(&inverse.to_matrix(), &Matrix4::identity(), 1e-3));
        }
        prop_assert!(close(&(a * b).inverse().unwrap().to_matrix(), &(y * x).to_matrix(), 1e-3));
        prop_assert!(close(&x.inverse().unwrap().to_matrix(), &a.to_matrix(), 1e-3));
    }

    /// A decomposition composes to what it came from; its rotation is proper, and mirrors are in
    /// the scale.
    #[test]
    fn decompositions_compose_again(map in affine(), signs in factors()) {
        let matrix = map.to_matrix();
        for parts in [decompose(&matrix).unwrap(), decompose_signed(&matrix, &signs).unwrap()] {
            prop_assert!(
                close(&parts.to_matrix(), &matrix, 2e-6),
                "{:?} {} {}",
                parts,
                matrix,
                parts.to_matrix()
            );
            prop_assert_eq!(parts.scale.product() < 0.0, LocalToWorld(matrix).is_mirrored());
            prop_assert!((parts.rotation.norm() - 1.0).abs() < 1e-6);
        }
    }

    /// A translation, rotation and scale is found again, without shear, if the signs are known.
    #[test]
    fn trs_is_found_again(t in vector(), r in rotation(), s in factors()) {
        let transform = Transform { translation: t, rotation: r, scale: s };
        let parts = decompose_signed(&transform.to_matrix(), &s).unwrap();
        prop_assert_eq!(parts.translation, t);
        prop_assert!((parts.scale - s).amax() < 5e-6);
        prop_assert!(parts.rotation.angle_to(&r) < 2e-3);
        prop_assert!(!parts.is_sheared(2e-6), "{:?}", parts.shear);
        // Without the signs it is one of the four, and composes to the same matrix.
        let back = Transform::try_from_matrix(&transform.to_matrix()).unwrap();
        prop_assert!(close(&back.to_matrix(), &transform.to_matrix(), 2e-6));
    }

    /// Shear that is there is found: such a matrix is no translation, rotation and scale.
    #[test]
    fn shear_is_found(r in rotation(), s in factors(), h in prop::array::uniform3(-1.0f32..1.0)) {
        let matrix = r.to_homogeneous() * sheared(h) * Matrix4::new_nonuniform_scaling(&s);
        let (parts, shear) = (decompose_signed(&matrix, &s).unwrap(), Vector3::from(h));
        prop_assert!((parts.shear - shear).amax() < 1e-5);
        prop_assert_eq!(parts.is_sheared(0.1), shear.amax() > 0.1);
        prop_assert_eq!(Transform::try_from_matrix(&matrix).is_err(), shear.amax() > 1e-4);
    }

    /// Flipping an axis of space twice gives everything back, and keeps every relation.
    #[test]
    fn flipping_is_an_automorphism(a in map(), b in map(), r in rotation(), v in vector()) {
        for flip in [Flip::X, Flip::Y, Flip::Z] {
            let (a, b) = (a.to_matrix(), b.to_matrix());
            prop_assert_eq!(flip.matrix(&flip.matrix(&a)), a);
            prop_assert!(close(&flip.matrix(&(a * b)), &(flip.matrix(&a) * flip.matrix(&b)), 1e-5));
            prop_assert_eq!(LocalToWorld(flip.matrix(&a)).is_mirrored(), LocalToWorld(a).is_mirrored());
            prop_assert!(close(
                &flip.rotation(&r).to_homogeneous(),
                &flip.matrix(&r.to_homogeneous()),
                1e-6
            ));
            prop_assert!(
                (flip.vector(&(r * v)) - flip.rotation(&r) * flip.vector(&v)).norm() < 1e-5
            );
        }
    }

    /// Maps there and back; normals stay normal.
    #[test]
    fn maps_invert(a in affine(), p in vector(), u in vector(), v in vector()) {
        let (map, back) = (a, a.inverse().unwrap());
        prop_assert!(
            (back.transform_point(&map.transform_point(&p.into())) - Point3::from(p)).norm() < 1e-3
        );
        prop_assert!((back.transform_vector(&map.transform_vector(&v)) - v).norm() < 1e-3);
        prop_assume!(u.cross(&v).norm() > 0.5);
        let normal = nalgebra::Unit::new_normalize(u.cross(&v));
        let mapped = map.transform_normal(&normal).unwrap();
        for tangent in [u, v] {
            prop_assert!(mapped.dot(&map.transform_vector(&tangent).normalize()).abs() < 1e-3);
        }
        let direction = nalgebra::Unit::new_normalize(u);
        let returned =
            back.transform_direction(&map.transform_direction(&direction).unwrap()).unwrap();
        prop_assert!((returned.into_inner() - direction.into_inner()).norm() < 1e-3);
    }
}

/// A map is taken into the space of another and back, 10,000 times, as a ship that docks and
/// leaves. What each step rounds adds up. It never multiplies.
#[test]
fn errors_of_products_and_inverses_add() {
    let turned = |x: f32, angle: f32, scale: f32| {
        let axis = nalgebra::Unit::new_normalize(Vector3::new(0.3, 1.0, 0.2));
        let turn = UnitQuaternion::from_axis_angle(&axis, angle);
        AffineMap::from_trs(&Vector3::new(x, 2.0, 3.0), &turn, &Vector3::repeat(scale))
    };
    for scale in [1.0, 1.5] {
        let [mut a, mut b] = [turned(1.0, 0.4, 1.0), turned(3.0, 1.1, scale)];
        let start = [a, b].map(|map| map.to_matrix());
        for _ in 0..2500 {
            let docked = b.inverse().unwrap() * a;
            a = b * docked;
            let docked = a.inverse().unwrap() * b;
            b = a * docked;
        }
        for (map, start) in [a, b].iter().zip(start) {
            let off = (map.to_matrix() - start).amax();
            assert!(off <= 10_000.0 * 5e-7, "{off} off");
            let turn = match map {
                AffineMap::Isometry(map) => map.rotation,
                AffineMap::Similarity(map) => map.isometry.rotation,
                AffineMap::Affine(_) => panic!("stays in its type"),
            };
            assert!((turn.norm() - 1.0).abs() <= 4e-7, "the length is {}", turn.norm());
        }
    }
}

/// A wheel turns in each of 20,000 ticks, six minutes at 60 Hz. It does not grow.
#[test]
fn a_rotation_that_turns_for_minutes_keeps_its_length() {
    for angle in [0.01, 0.37, 1.5] {
        let axis = nalgebra::Unit::new_normalize(Vector3::new(0.3, 1.0, 0.2));
        let turn = Rotation::from_axis_angle(&axis, angle);
        let (mut own, mut outer, mut post) =
            (Rotation::identity(), Rotation::identity(), PostRotation::identity());
        for _ in 0..demand::soak(20_000) {
            own *= turn;
            outer = turn * outer;
            post *= turn.0;
            for q in [own.0, outer.0, post.0] {
                assert!((q.norm() - 1.0).abs() <= 4e-7, "the length is {}", q.norm());
            }
        }
        let same = own * Rotation::identity();
        assert_eq!(same, own, "what need not change keeps its bits");
    }
}

#[test]
fn no_decomposition_is_an_error_that_says_why() {
    let mut projective = Matrix4::identity();
    projective.m43 = 1.0;
    assert_eq!(decompose(&projective), Err(DecomposeError::Projective));
    assert_eq!(AffineMap::from_matrix(&projective), Err(DecomposeError::Projective));
    for flat in [
        Vector3::new(0.0, 1.0, 1.0),
        Vector3::new(1.0, 0.0, 1.0),
        Vector3::new(1.0, 1.0, 0.0),
        Vector3::zeros(),
    ] {
        let turned = UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3).to_homogeneous();
        assert_eq!(
            decompose(&(turned * Matrix4::new_nonuniform_scaling(&flat))),
            Err(DecomposeError::Singular)
        );
    }
    let in_one_plane = Matrix3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0).to_homogeneous();
    assert_eq!(decompose(&in_one_plane), Err(DecomposeError::Singular));
    for bad in [f32::NAN, f32::INFINITY] {
        assert_eq!(
            decompose(&Matrix4::new_translation(&Vector3::new(bad, 0.0, 0.0))),
            Err(DecomposeError::NotFinite)
        );
    }
    assert!(DecomposeError::Singular.to_string().contains("singular"));
}

#[test]
fn tiny_and_huge_scales_decompose_too() {
    let turn = UnitQuaternion::from_euler_angles(0.5, -0.2, 1.0);
    let scale = Vector3::new(1e-20, 1.0, 1e15);
    let transform = Transform { translation: Vector3::zeros(), rotation: turn, scale };
    let parts = decompose(&transform.to_matrix()).unwrap();
    assert!(
        parts.scale.component_div(&scale).iter().all(|ratio| (ratio - 1.0).abs() < 1e-5),
        "{}",
        parts.scale
    );
    assert!(parts.rotation.angle_to(&turn) < 1e-3);
    for length in [1e-45, 1e-20, 1e20, f32::MAX] {
        let scale = Vector3::new(length, -length, length);
        let parts = decompose_signed(&Matrix4::new_nonuniform_scaling(&scale), &scale).unwrap();
        assert_eq!((parts.scale, parts.rotation), (scale, UnitQuaternion::identity()));
    }
}

#[test]
fn scales_that_vanish_do_not_panic() {
    let tiny = AffineMap::from(Similarity3::new(Vector3::zeros(), Vector3::zeros(), 1e-30));
    let vanished = tiny * tiny;
    assert!(matches!(vanished, AffineMap::Affine(_)), "a similarity cannot have scale 0");
    assert_eq!((vanished * tiny).inverse(), None);
    let turn = UnitQuaternion::identity();
    assert!(matches!(
        AffineMap::from_trs(&Vector3::zeros(), &turn, &Vector3::zeros()),
        AffineMap::Affine(_)
    ));
    let smallest =
        AffineMap::from(Similarity3::new(Vector3::zeros(), Vector3::zeros(), f32::from_bits(1)));
    assert_eq!(smallest.inverse(), None, "not finite");
    assert_eq!(
        AffineMap::from(Affine3::identity()).inverse().map(|map| map.to_matrix()),
        Some(Matrix4::identity())
    );
}
