//! Cleaning: from the numbers on the wire to numbers that make finite matrices.

use legion_transform::{
    components::{NonUniformScale, Rotation, Translation},
    nalgebra::{Quaternion, Translation3, UnitQuaternion},
};

use super::findings::Cleaned;
use crate::wire::SceneTransform;

/// Position, rotation and scale, of one handedness or the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trs {
    pub position: [f32; 3],
    pub rotation: [f32; 4],
    pub scale: [f32; 3],
}

impl Trs {
    pub const IDENTITY: Self = Self::of(&SceneTransform::IDENTITY);

    /// The values of a transform, unchanged.
    pub const fn of(transform: &SceneTransform) -> Self {
        Self { position: transform.position, rotation: transform.rotation, scale: transform.scale }
    }

    /// The cleaned values of a transform, and the mistakes that were cleaned.
    pub fn cleaned(transform: &SceneTransform) -> (Self, Cleaned) {
        let (rotation, mut cleaned) = unit(transform.rotation);
        let finite = |number: f32, otherwise| if number.is_finite() { number } else { otherwise };
        let position = transform.position.map(|number| finite(number, 0.0));
        let scale = transform.scale.map(|number| finite(number, 1.0));
        cleaned.position = !transform.position.iter().all(|number| number.is_finite());
        cleaned.scale = !transform.scale.iter().all(|number| number.is_finite());
        (Self { position, rotation, scale }, cleaned)
    }

    pub fn translation(&self) -> Translation {
        Translation(Translation3::from(self.position))
    }

    pub fn rotation(&self) -> Rotation {
        let [x, y, z, w] = self.rotation;
        Rotation(UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)))
    }

    pub fn scale(&self) -> NonUniformScale {
        NonUniformScale(self.scale.into())
    }
}

/// Whether these are the same bits: NaN equals itself, and 0 is not -0.
pub(super) fn same<const N: usize>(a: &[f32; N], b: &[f32; N]) -> bool {
    a.map(f32::to_bits) == b.map(f32::to_bits)
}

/// The greatest error of a quaternion's length after normalising in `f32`.
const ROUNDING: f64 = 1e-6;

/// The quaternion at unit length, the identity if it has none.
fn unit(rotation: [f32; 4]) -> ([f32; 4], Cleaned) {
    let wide = rotation.map(f64::from);
    let norm = wide.iter().map(|number| number * number).sum::<f64>().sqrt();
    if norm == 0.0 || !norm.is_finite() {
        return (
            SceneTransform::IDENTITY.rotation,
            Cleaned { rotation_replaced: true, ..Cleaned::default() },
        );
    }
    let unit = wide.map(|number| (number / norm) as f32);
    let deviation = Some((norm - 1.0).abs())
        .filter(|deviation| *deviation > ROUNDING)
        .map(|deviation| deviation as f32);
    (unit, Cleaned { deviation, ..Cleaned::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotated(rotation: [f32; 4]) -> (Trs, Cleaned) {
        Trs::cleaned(&SceneTransform { rotation, ..SceneTransform::IDENTITY })
    }

    #[test]
    fn what_is_clean_stays() {
        for rotation in [[0.0, 0.0, 0.0, 1.0], [-0.0, 1.0, 0.0, 0.0], [0.5, -0.5, 0.5, -0.5]] {
            let (trs, cleaned) = rotated(rotation);
            assert!(
                same(&trs.rotation, &rotation) && cleaned == Cleaned::default(),
                "{rotation:?}"
            );
        }
        let transform = SceneTransform {
            position: [-0.0, 1e30, -1e-40],
            scale: [0.0, -0.0, -3.0],
            ..SceneTransform::IDENTITY
        };
        let (trs, cleaned) = Trs::cleaned(&transform);
        assert!(
            same(&trs.position, &transform.position)
                && same(&trs.scale, &transform.scale)
                && cleaned == Cleaned::default()
        );
    }

    #[test]
    fn rotations_come_out_as_units_whatever_their_length() {
        for length in [1e-38_f32, 1e-44, 0.999_935, 1.000_065, 7.0, 3e38] {
            let (trs, cleaned) = rotated([0.0, length, 0.0, 0.0]);
            assert_eq!(trs.rotation, [0.0, 1.0, 0.0, 0.0]);
            let deviation = (f64::from(length) - 1.0).abs() as f32;
            assert_eq!(cleaned, Cleaned { deviation: Some(deviation), ..Cleaned::default() });
        }
        let (_, cleaned) = rotated([1.0_f32, 2.0, 3.0, 4.0].map(|number| number / 30.0_f32.sqrt()));
        assert_eq!(cleaned, Cleaned::default(), "normalised as well as its numbers can tell");
        let (trs, _) = rotated([3e38, -3e38, 3e38, 3e38]);
        assert_eq!(trs.rotation, [0.5, -0.5, 0.5, 0.5]);
    }

    #[test]
    fn what_is_no_number_is_replaced() {
        for bad in [[0.0; 4], [-0.0; 4], [f32::NAN, 0.0, 0.0, 1.0], [0.0, f32::INFINITY, 0.0, 1.0]]
        {
            let (trs, cleaned) = rotated(bad);
            assert_eq!(trs.rotation, [0.0, 0.0, 0.0, 1.0]);
            assert_eq!(cleaned, Cleaned { rotation_replaced: true, ..Cleaned::default() });
        }
        let transform = SceneTransform {
            position: [f32::NAN, 5.0, f32::NEG_INFINITY],
            scale: [2.0, f32::INFINITY, 0.0],
            ..SceneTransform::IDENTITY
        };
        let (trs, cleaned) = Trs::cleaned(&transform);
        assert_eq!((trs.position, trs.scale), ([0.0, 5.0, 0.0], [2.0, 1.0, 0.0]));
        assert_eq!(cleaned, Cleaned { position: true, scale: true, ..Cleaned::default() });
    }
}
