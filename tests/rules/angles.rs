//! Angles become rotations: how exactly, and for which angles.

use harness::demand;
use legion_transform::components::{EulerOrder, Rotation, RotationEulerXYZ};
use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};

/// The distance of two numbers in units in the last place of the exact one.
fn ulps(value: f32, exact: f64) -> f64 {
    let magnitude = (exact.abs() as f32).max(f32::MIN_POSITIVE);
    let ulp = f32::from_bits(magnitude.to_bits() + 1) - magnitude;
    (f64::from(value) - exact).abs() / f64::from(ulp)
}

/// Checks the sine and the cosine of the half of an angle.
fn check(angle: f32) {
    let turned = Rotation::from_rotation_x(angle).coords;
    let (sine, cosine) = (f64::from(angle) / 2.0).sin_cos();
    let errors = [ulps(turned.x, sine), ulps(turned.w, cosine)];
    assert!(errors.iter().all(|error| *error <= 1.0), "{angle:e}: {errors:?} ulps");
}

/// Every 10,091st `f32` up to 2,000,000 radians, of both signs: a hundred thousand.
#[test]
fn sines_and_cosines_are_within_one_unit_in_the_last_place() {
    let step = 10_091_usize.div_ceil(demand::soak(1));
    for bits in (0..2e6_f32.to_bits()).step_by(step) {
        check(f32::from_bits(bits));
        check(-f32::from_bits(bits));
    }
}

/// Near multiples of a quarter turn most digits of the angle cancel.
#[test]
fn angles_near_quarter_turns_are_as_exact() {
    for quarters in (-70_000..70_000).step_by(7) {
        let near = (f64::from(quarters) * std::f64::consts::PI) as f32;
        for angle in [near.next_down(), near, near.next_up()] {
            check(angle);
        }
    }
}

#[test]
fn special_angles_give_what_they_should() {
    assert_eq!(Rotation::from_rotation_z(0.0), Rotation::identity());
    let minus = Rotation::from_rotation_z(-0.0).coords;
    assert_eq!((minus.z.to_bits(), minus.w), ((-0.0_f32).to_bits(), 1.0));
    for angle in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let turned = Rotation::from_rotation_y(angle).coords;
        assert!(turned.y.is_nan() && turned.w.is_nan(), "{angle}: {turned}");
        let one = RotationEulerXYZ::new(0.5, angle, 0.5).rotation().coords;
        assert!(one.iter().all(|part| part.is_nan()), "{angle}: {one}");
    }
}

/// The product of three turns about the axes, in `f64`, by quaternions written out here.
#[test]
fn each_order_is_the_product_of_its_three_turns() {
    let turn = |axis: usize, angle: f32| {
        let (sine, cosine) = (f64::from(angle) / 2.0).sin_cos();
        let mut vector = Vector3::zeros();
        vector[axis] = sine;
        Quaternion::from_parts(cosine, vector)
    };
    let orders = [
        (EulerOrder::XYZ, [0, 1, 2]),
        (EulerOrder::XZY, [0, 2, 1]),
        (EulerOrder::YXZ, [1, 0, 2]),
        (EulerOrder::YZX, [1, 2, 0]),
        (EulerOrder::ZXY, [2, 0, 1]),
        (EulerOrder::ZYX, [2, 1, 0]),
    ];
    for i in 0..4_000 {
        let part = |factor: f32| (i as f32 * factor).rem_euclid(20.0) - 10.0;
        let angles = Vector3::new(part(0.713), part(1.117), part(2.339));
        for (order, [first, second, third]) in orders {
            let of = |axis: usize| turn(axis, angles[axis]);
            let exact = of(third) * of(second) * of(first);
            let rotation = order.rotation(&angles).into_inner().cast::<f64>();
            assert!((rotation - exact).norm() < 3e-7, "{order:?} {angles:?}: {rotation} {exact}");
        }
    }
}

/// What one is given by a constructor, systems write: the bits are the same.
#[test]
fn constructors_and_angles_agree_bit_for_bit() {
    for i in 0..1_000 {
        let angles = [i as f32 * 0.37, i as f32 * -0.11, i as f32 * 0.05];
        let [x, y, z] = angles;
        let component = RotationEulerXYZ::new(x, y, z).rotation();
        assert_eq!(Rotation::from_euler_angles(x, y, z).0.coords, component.coords);
        let axis = Unit::new_normalize(Vector3::new(1.0, 2.0, 2.0));
        let exact = UnitQuaternion::from_axis_angle(&axis.cast::<f64>(), f64::from(x));
        let about = Rotation::from_axis_angle(&axis, x).0.cast::<f64>();
        assert!((about.coords - exact.coords).norm() < 3e-7);
    }
}
