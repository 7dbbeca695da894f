//! Between the scene's left-handed space and a right-handed world.

use super::clean::Trs;

/// The hand of the world's axes. Both have y up; the scene is left-handed with z forward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Handedness {
    /// The scene's own: nothing is converted.
    #[default]
    Left,
    /// The z axis flipped: position (x, y, -z), rotation (-x, -y, z, w). Two quaternions mean this
    /// rotation; this one keeps the identity.
    Right,
}

impl Handedness {
    /// From the scene to the world, and back: it is its own inverse, to the bit.
    pub(super) fn convert(self, mut trs: Trs) -> Trs {
        if self == Self::Right {
            trs.position[2] = -trs.position[2];
            trs.rotation[0] = -trs.rotation[0];
            trs.rotation[1] = -trs.rotation[1];
        }
        trs
    }
}

#[cfg(test)]
mod tests {
    use legion_transform::nalgebra::{
        Isometry3, Matrix4, Quaternion, Translation3, UnitQuaternion,
    };

    use super::*;

    #[test]
    fn right_is_left_seen_in_the_mirror() {
        let trs = Trs {
            position: [1.0, 2.0, 3.0],
            rotation: [0.1, -0.7, 0.5, 0.5],
            scale: [2.0, 3.0, 4.0],
        };
        let matrix = |trs: Trs| -> Matrix4<f32> {
            let [x, y, z, w] = trs.rotation;
            let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
            let [sx, sy, sz] = trs.scale;
            Isometry3::from_parts(Translation3::from(trs.position), rotation).to_homogeneous()
                * Matrix4::new_nonuniform_scaling(&[sx, sy, sz].into())
        };
        let flip = Matrix4::new_nonuniform_scaling(&[1.0, 1.0, -1.0].into());
        let converted = Handedness::Right.convert(trs);
        assert_eq!(matrix(converted), flip * matrix(trs) * flip);
        assert_eq!(Handedness::Right.convert(converted), trs);
        assert_eq!(Handedness::Left.convert(trs), trs);
        // The formula of the other sign means the same rotation.
        let [x, y, z, w] = trs.rotation;
        assert_eq!(matrix(converted), matrix(Trs { rotation: [x, y, -z, -w], ..converted }));
    }
}
