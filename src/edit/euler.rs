//! Euler angles from a rotation, in every order.

use libm::{atan2, hypot};
use nalgebra::{UnitQuaternion, Vector3};

use crate::components::EulerOrder;

/// Gimbal lock: below this cosine of the middle angle (in `f64`, of an `f32` rotation) the other
/// two angles turn about the same axis.
const GIMBAL_LOCK: f64 = 1e-10;

/// Angles about x, y and z that describe `rotation` in this order. In gimbal lock the angle that is
/// applied first is 0.
///
/// (nalgebra's `euler_angles_ordered` gives a wrong sign in gimbal lock about fixed axes.)
pub(super) fn angles(order: EulerOrder, rotation: &UnitQuaternion<f64>) -> Vector3<f32> {
    // The axes from the one applied last to the one applied first: r = R_i R_j R_k.
    let ([i, j, k], parity) = match order {
        EulerOrder::XYZ => ([2, 1, 0], -1.0),
        EulerOrder::XZY => ([1, 2, 0], 1.0),
        EulerOrder::YXZ => ([2, 0, 1], 1.0),
        EulerOrder::YZX => ([0, 2, 1], -1.0),
        EulerOrder::ZXY => ([1, 0, 2], -1.0),
        EulerOrder::ZYX => ([0, 1, 2], 1.0),
    };
    let r = rotation.to_rotation_matrix();
    let cosine = hypot(r[(i, i)], r[(i, j)]);
    let mut angles = Vector3::zeros();
    angles[j] = atan2(parity * r[(i, k)], cosine);
    if cosine > GIMBAL_LOCK {
        angles[i] = atan2(-parity * r[(j, k)], r[(k, k)]);
        angles[k] = atan2(-parity * r[(i, j)], r[(i, i)]);
    } else {
        angles[i] = atan2(parity * r[(k, j)], r[(j, j)]);
    }
    angles.map(|angle: f64| angle as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_give_the_rotation_back_in_every_order_and_in_gimbal_lock() {
        let steps = [
            -3.0,
            -std::f32::consts::FRAC_PI_2,
            -0.4,
            0.0,
            1e-4,
            0.7,
            std::f32::consts::FRAC_PI_2,
            2.5,
        ];
        for order in EulerOrder::ALL {
            for x in steps {
                for y in steps {
                    for z in steps {
                        let rotation = order.rotation(&Vector3::new(x, y, z));
                        let found = angles(
                            order,
                            &UnitQuaternion::new_normalize(rotation.into_inner().cast()),
                        );
                        let again = order.rotation(&found);
                        let off = (again.to_rotation_matrix().matrix()
                            - rotation.to_rotation_matrix().matrix())
                        .amax();
                        assert!(off < 2e-6, "{order:?} {x} {y} {z}: {found} is off by {off}");
                    }
                }
            }
        }
    }
}
