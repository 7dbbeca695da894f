//! The algebra: group laws of the types that compose, the commutators, and decompositions.

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
use nalgebra::{
    Affine3, Isometry3, Matrix3, Matrix4, Point3, Similarity3, Translation3, UnitQuaternion,
    Vector3,
};
use proptest::prelude::*;

fn vector() -> impl Strategy<Value = Vector3<f32>> {
    prop::array::uniform3(-4.0f32..4.0).prop_map(Vector3::from)
}

fn rotation() -> impl Strategy<Value = UnitQuaternion<f32>> {
    prop::array::uniform3(-3.1f32..3.1)
        .prop_map(|[x, y, z]| UnitQuaternion::from_euler_angles(x, y, z))
}

/// A scale that is neither tiny nor huge.
fn factor() -> impl Strategy<Value = f32> {
    (0.4f32..2.5, any::<bool>()).prop_map(|(size, negative)| if negative { -size } else { size })
}

fn factors() -> impl Strategy<Value = Vector3<f32>> {
    prop::array::uniform3(factor()).prop_map(Vector3::from)
}

fn isometry() -> impl Strategy<Value = AffineMap> {
    (vector(), rotation()).prop_map(|(t, r)| AffineMap::from_trs(&t, &r, &Vector3::repeat(1.0)))
}

fn similarity() -> impl Strategy<Value = AffineMap> {
    (vector(), rotation(), factor())
        .prop_map(|(t, r, s)| AffineMap::from_trs(&t, &r, &Vector3::repeat(s)))
}

fn affine() -> impl Strategy<Value = AffineMap> {
    (vector(), rotation(), factors(), prop::array::uniform3(-1.0f32..1.0)).prop_map(
        |(t, r, s, [xy, xz, yz])| {
            let shear = Matrix3::new(1.0, xy, xz, 0.0, 1.0, yz, 0.0, 0.0, 1.0).to_homogeneous();
            let matrix = Matrix4::new_translation(&t)
                * r.to_homogeneous()
                * shear
                * Matrix4::new_nonuniform_scaling(&s);
            AffineMap::from_matrix(&matrix).unwrap()
        },
    )
}

fn map() -> impl Strategy<Value = AffineMap> {
    prop_oneof![isometry(), similarity(), affine()]
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

fn translation_map(v: Vector3<f32>) -> Matrix4<f32> {
    Matrix4::new_translation(&v)
}

/// `a^-1 b^-1 a b`
fn commutator(a: &Matrix4<f32>, b: &Matrix4<f32>) -> Matrix4<f32> {
    a.try_inverse().unwrap() * b.try_inverse().unwrap() * a * b
}

proptest! {
    #![proptest_config(demand::cases(256))]

    /// Products and inverses stay in the wider of the types, and are what the matrices say.
    #[test]
    fn products_and_inverses_stay_in_their_type(a in map(), b in map()) {
        let product = a * b;
        prop_assert_eq!(kind(&product), kind(&a).max(kind(&b)));
        prop_assert!(close(&product.to_matrix(), &(a.to_matrix() * b.to_matrix()), 1e-5));
        let inverse = a.inverse().unwrap();
        prop_assert_eq!(kind(&inverse), kind(&a));
        prop_assert!(close(&(inverse * a).to_matrix(), &Matrix4::identity(), 1e-3));
    }

    /// Associativity, identity, inverses on both sides, and the inverse of a product.
    #[test]
    fn the_laws_of_a_group(a in map(), b in map(), c in map()) {
        prop_assert!(close(&((a * b) * c).to_matrix(), &(a * (b * c)).to_matrix(), 1e-4));
        prop_assert_eq!((a * AffineMap::identity()).to_matrix(), a.to_matrix());
        prop_assert!(close(&(AffineMap::identity() * a).to_matrix(), &a.to_matrix(), 1e-6));
        let (x, y) = (a.inverse().unwrap(), b.inverse().unwrap());
        prop_assert!(close(&(a * x).to_matrix(), &Matrix4::identity(), 1e-3));
        prop_assert!(close(&(a * b).inverse().unwrap().to_matrix(), &(y * x).to_matrix(), 1e-3));
        prop_assert!(close(&x.inverse().unwrap().to_matrix(), &a.to_matrix(), 1e-3));
    }

    /// A product acts as its factors one after the other.
    #[test]
    fn products_act_one_after_the_other(a in map(), b in map(), p in vector()) {
        let (at_once, in_turn) =
            ((a * b).transform_point(&p.into()), a.transform_point(&b.transform_point(&p.into())));
        prop_assert!((at_once - in_turn).norm() < 1e-3 * (1.0 + in_turn.coords.norm()));
        let (at_once, in_turn) =
            ((a * b).transform_vector(&p), a.transform_vector(&b.transform_vector(&p)));
        prop_assert!((at_once - in_turn).norm() < 1e-3 * (1.0 + in_turn.norm()));
    }

    /// Appendix I: `(M, v)^-1 = (M^-1, -M^-1 v)`.
    #[test]
    fn the_inverse_of_an_affine_map(a in affine()) {
        let matrix = a.to_matrix();
        let linear: Matrix3<f32> = matrix.fixed_view::<3, 3>(0, 0).into();
        let inverse = a.inverse().unwrap().to_matrix();
        let expected = linear.try_inverse().unwrap();
        prop_assert!(
            (inverse.fixed_view::<3, 3>(0, 0) - expected).amax() < 1e-4 * (1.0 + expected.amax())
        );
        let moved = -(expected * matrix.fixed_view::<3, 1>(0, 3));
        prop_assert!(
            (inverse.fixed_view::<3, 1>(0, 3) - moved).amax() < 1e-3 * (1.0 + moved.amax())
        );
    }

    /// Appendix II: the commutator of a translation by v and a rotation (any linear map, for that
    /// matter) M is the translation by `M^-1 v - v`.
    #[test]
    fn the_commutator_of_a_translation_is_a_translation(
        v in vector(),
        r in rotation(),
        s in factors(),
    ) {
        for linear in [
            r.to_homogeneous(),
            Matrix4::new_nonuniform_scaling(&s),
            r.to_homogeneous() * Matrix4::new_nonuniform_scaling(&s),
        ] {
            let inverse: Matrix3<f32> =
                linear.try_inverse().unwrap().fixed_view::<3, 3>(0, 0).into();
            let expected = translation_map(inverse * v - v);
            prop_assert!(close(&commutator(&translation_map(v), &linear), &expected, 1e-4));
        }
    }

    /// `G0 G1 = T R` with `T = M0 v1 + v0` and `R = R0 R1`.
    #[test]
    fn the_product_of_isometries(
        v0 in vector(),
        r0 in rotation(),
        v1 in vector(),
        r1 in rotation(),
    ) {
        let isometry = |v: Vector3<f32>, r| Isometry3::from_parts(Translation3::from(v), r);
        let AffineMap::Isometry(product) =
            AffineMap::from(isometry(v0, r0)) * AffineMap::from(isometry(v1, r1))
        else {
            return Err(TestCaseError::fail("not an isometry"));
        };
        prop_assert!((product.translation.vector - (r0 * v1 + v0)).norm() < 1e-5);
        prop_assert!(product.rotation.angle_to(&(r0 * r1)) < 1e-3);
    }

    /// A uniform scale commutes with rotations; one along the axes in general does not, and shears.
    #[test]
    fn only_uniform_scale_commutes_with_rotation(r in rotation(), s in factor()) {
        let uniform = commutator(&r.to_homogeneous(), &Matrix4::new_scaling(s));
        prop_assert!(close(&uniform, &Matrix4::identity(), 1e-5));
        let stretch = Matrix4::new_nonuniform_scaling(&Vector3::new(2.0, 1.0, 1.0));
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3 + r.angle().min(0.9));
        let product = stretch * turn.to_homogeneous();
        prop_assert!(
            decompose(&product).unwrap().is_sheared(0.1),
            "T R S is not closed under products"
        );
        prop_assert!(Transform::try_from_matrix(&product).is_err());
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

    /// Shear that is there is found.
    #[test]
    fn shear_is_found(
        r in rotation(),
        s in factors(),
        shear in prop::array::uniform3(-1.0f32..1.0),
    ) {
        let [xy, xz, yz] = shear;
        let h = Matrix3::new(1.0, xy, xz, 0.0, 1.0, yz, 0.0, 0.0, 1.0).to_homogeneous();
        let matrix = r.to_homogeneous() * h * Matrix4::new_nonuniform_scaling(&s);
        let parts = decompose_signed(&matrix, &s).unwrap();
        prop_assert!((parts.shear - Vector3::from(shear)).amax() < 1e-5);
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
            decompose(&translation_map(Vector3::new(bad, 0.0, 0.0))),
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
