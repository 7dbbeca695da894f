//! Euler angles from a rotation, in every order.

use std::f64::consts::{PI, TAU};

use libm::{atan2, hypot};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::turning;
use crate::components::EulerOrder;

/// Angles below so many radians (163 turns) keep their whole turns. Half a step of `f32` is 0.0017
/// degrees there.
const MOST_TURNED: f32 = 1024.0;

/// Gimbal lock: below this cosine of the middle angle (in `f64`, of an `f32` rotation) the other
/// two angles turn about the same axis, and only their sum or difference counts.
const GIMBAL_LOCK: f64 = 1e-7;

impl EulerOrder {
    /// The angles of a rotation in this order, of all triples that make it the one nearest to
    /// `near`: the inverse of [`rotation`](Self::rotation), and what edits write. Radians about x,
    /// y and z. The same bits on every platform.
    ///
    /// There are two triples within a turn: (0, 100, 0) degrees is also (180, 80, 180). Each angle
    /// may have whole turns more. So 80 degrees about y, turned by 20 more, are (0, 100, 0), and
    /// -231 degrees, turned by 6, are -225 and not 135. Whole turns are kept up to 1,024 radians;
    /// above, the triple nearest to 0 is returned. In gimbal lock only the sum or the difference
    /// of two angles counts, and each of them goes half of the way.
    ///
    /// ```
    /// # use legion_transform::{components::EulerOrder, prelude::*};
    /// # use nalgebra::Vector3;
    /// // An inspector shows 350 degrees about y, and something turns the entity by 20.
    /// let shown = Vector3::new(0.0, 350_f32.to_radians(), 0.0);
    /// let turned = Rotation::from_rotation_y(370_f32.to_radians());
    /// let angles = EulerOrder::YXZ.angles(&turned, &shown).map(f32::to_degrees);
    /// assert!((angles - Vector3::new(0.0, 370.0, 0.0)).norm() < 1e-4);
    /// ```
    #[must_use]
    pub fn angles(self, rotation: &UnitQuaternion<f32>, near: &Vector3<f32>) -> Vector3<f32> {
        angles(self, &turning(rotation), near)
    }
}

/// [`EulerOrder::angles`] of a matrix.
pub(crate) fn angles(
    order: EulerOrder,
    rotation: &Matrix3<f64>,
    near: &Vector3<f32>,
) -> Vector3<f32> {
    let angles = nearest_angles(order, rotation, near).cast::<f32>();
    match angles.amax() < MOST_TURNED {
        true => angles,
        false => nearest_angles(order, rotation, &Vector3::zeros()).cast(),
    }
}

/// The angles about x, y and z that describe `rotation` in this order, of all such triples the one
/// nearest to `old`.
fn nearest_angles(order: EulerOrder, rotation: &Matrix3<f64>, old: &Vector3<f32>) -> Vector3<f64> {
    // The axes from the one applied last to the one applied first: r = R_i R_j R_k.
    let ([i, j, k], parity) = match order {
        EulerOrder::XYZ => ([2, 1, 0], -1.0),
        EulerOrder::XZY => ([1, 2, 0], 1.0),
        EulerOrder::YXZ => ([2, 0, 1], 1.0),
        EulerOrder::YZX => ([0, 2, 1], -1.0),
        EulerOrder::ZXY => ([1, 0, 2], -1.0),
        EulerOrder::ZYX => ([0, 1, 2], 1.0),
    };
    let (r, old) = (rotation, old.map(|angle| if angle.is_finite() { angle.into() } else { 0.0 }));
    let cosine = hypot(r[(i, i)], r[(i, j)]);
    let middle = atan2(parity * r[(i, k)], cosine);
    let mut angles = Vector3::zeros();
    angles[j] = middle;
    if cosine > GIMBAL_LOCK {
        angles[i] = atan2(-parity * r[(j, k)], r[(k, k)]);
        angles[k] = atan2(-parity * r[(i, j)], r[(i, i)]);
    } else {
        // Half of the way to the sum or difference that counts is gone by each of the two.
        let side = parity * middle.signum();
        let whole = atan2(parity * r[(k, j)], r[(j, j)]);
        let way = near(whole, old[i] + side * old[k]) - (old[i] + side * old[k]);
        (angles[i], angles[k]) = (old[i] + way / 2.0, old[k] + side * way / 2.0);
    }
    let mut other = angles.add_scalar(PI);
    other[j] = PI - middle;
    let [one, other] = [angles, other].map(|angles| angles.zip_map(&old, near));
    if (other - old).norm() < (one - old).norm() { other } else { one }
}

/// The same angle with so many whole turns that it is nearest to the old one.
fn near(angle: f64, old: f64) -> f64 {
    angle + TAU * libm::round((old - angle) / TAU)
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use nalgebra::UnitQuaternion;

    use super::*;

    fn matrix(rotation: UnitQuaternion<f32>) -> Matrix3<f64> {
        let rotation = UnitQuaternion::new_normalize(rotation.into_inner().cast());
        rotation.to_rotation_matrix().into_inner()
    }

    /// In every order and in gimbal lock, the angles give the rotation back, and are as near to the
    /// old ones as those that it was made of.
    #[test]
    fn angles_give_the_rotation_back_and_are_the_nearest() {
        let steps = [-7.0, -3.0, -FRAC_PI_2, -0.4, 0.0, 1e-4, 0.7, FRAC_PI_2, 2.5, 9.5];
        for order in EulerOrder::ALL {
            for case in 0..1000 {
                let [x, y, z] = [case % 10, case / 10 % 10, case / 100].map(|step| steps[step]);
                let made_of = Vector3::new(x, y, z);
                let rotation = matrix(order.rotation(&made_of));
                for old in [made_of, Vector3::new(y, z, x), made_of.add_scalar(0.1)] {
                    let found = nearest_angles(order, &rotation, &old);
                    let again = matrix(order.rotation(&found.cast()));
                    let off = (again - rotation).amax();
                    assert!(off < 2e-6, "{order:?} {made_of}: {found} is off by {off}");
                    let old = old.cast::<f64>();
                    let (way, least) = ((found - old).norm(), (made_of.cast() - old).norm());
                    assert!(way <= least + 2e-3, "{order:?} {made_of} from {old}: {found}");
                }
            }
        }
    }
}
