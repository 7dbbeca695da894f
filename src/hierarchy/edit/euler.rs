//! Euler angles from a rotation, in every order.

use legion::world::Entry;
use nalgebra::{UnitQuaternion, Vector3};

use crate::components::*;

/// Angles about x, y and z that describe `rotation` in this order. In gimbal lock one of them is 0.
pub(super) fn angles(order: EulerOrder, rotation: &UnitQuaternion<f64>) -> Vector3<f32> {
    let axes: [usize; 3] = match order {
        EulerOrder::XYZ => [0, 1, 2],
        EulerOrder::XZY => [0, 2, 1],
        EulerOrder::YXZ => [1, 0, 2],
        EulerOrder::YZX => [1, 2, 0],
        EulerOrder::ZXY => [2, 0, 1],
        EulerOrder::ZYX => [2, 1, 0],
    };
    let unit = [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()];
    // In f64: nalgebra takes an arc cosine on the way, which in f32 loses half the digits near gimbal lock.
    let (found, _) = rotation.to_rotation_matrix().euler_angles_ordered(axes.map(|axis| unit[axis]), true);
    let mut angles = Vector3::zeros();
    for (axis, angle) in axes.into_iter().zip(found) {
        angles[axis] = angle as f32;
    }
    angles
}

/// Writes the `RotationEuler` component of this order.
pub(super) fn write(entry: &mut Entry<'_>, order: EulerOrder, angles: Vector3<f32>) {
    match order {
        EulerOrder::XYZ => entry.add_component(RotationEulerXYZ(angles)),
        EulerOrder::XZY => entry.add_component(RotationEulerXZY(angles)),
        EulerOrder::YXZ => entry.add_component(RotationEulerYXZ(angles)),
        EulerOrder::YZX => entry.add_component(RotationEulerYZX(angles)),
        EulerOrder::ZXY => entry.add_component(RotationEulerZXY(angles)),
        EulerOrder::ZYX => entry.add_component(RotationEulerZYX(angles)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_give_the_rotation_back_in_every_order_and_in_gimbal_lock() {
        let steps = [-3.0, -std::f32::consts::FRAC_PI_2, -0.4, 0.0, 1e-4, 0.7, std::f32::consts::FRAC_PI_2, 2.5];
        for order in EulerOrder::ALL {
            for x in steps {
                for y in steps {
                    for z in steps {
                        let rotation = order.rotation(&Vector3::new(x, y, z));
                        let found = angles(order, &UnitQuaternion::new_normalize(rotation.into_inner().cast()));
                        let again = order.rotation(&found);
                        let off = (again.to_rotation_matrix().matrix() - rotation.to_rotation_matrix().matrix()).amax();
                        assert!(off < 2e-6, "{order:?} {x} {y} {z}: {found} is off by {off}");
                    }
                }
            }
        }
    }
}
