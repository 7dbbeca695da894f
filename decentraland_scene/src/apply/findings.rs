//! Mistakes in the values of a scene.

use std::fmt;

use legion_transform::legion::Entity;

use crate::wire::SceneEntity;

/// A value of the scene that could not go into a matrix unchanged. The finding stands while the
/// value does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneFinding {
    /// The scene entity that has the value.
    pub scene: SceneEntity,
    /// The Legion entity that stands for it.
    pub entity: Entity,
    /// The mistake.
    pub kind: SceneFindingKind,
}

/// A mistake in a value. The merged bytes stay as they came.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SceneFindingKind {
    /// Numbers of the position that are not finite are 0.
    PositionNotFinite,
    /// The rotation is zero or not finite, and became the identity.
    RotationReplaced,
    /// The rotation was brought to unit length.
    RotationNotUnit {
        /// The difference of its length from 1. Below about 1e-7 it is rounding.
        deviation: f32,
    },
    /// Numbers of the scale that are not finite are 1.
    ScaleNotFinite,
}

impl fmt::Display for SceneFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scene = self.scene;
        match self.kind {
            SceneFindingKind::PositionNotFinite => {
                write!(
                    f,
                    "{scene} has a position that is not finite, 0 is used instead: mend it where \
                     it is written"
                )
            }
            SceneFindingKind::RotationReplaced => {
                write!(
                    f,
                    "{scene} has a rotation that is none, the identity is used: write a quaternion \
                     of length 1"
                )
            }
            SceneFindingKind::RotationNotUnit { deviation } => write!(
                f,
                "{scene} has a rotation whose length is {deviation:e} off 1, it was normalised: \
                 normalise it before writing"
            ),
            SceneFindingKind::ScaleNotFinite => {
                write!(
                    f,
                    "{scene} has a scale that is not finite, 1 is used instead: mend it where it \
                     is written"
                )
            }
        }
    }
}

/// The mistakes in one transform.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cleaned {
    pub position: bool,
    pub rotation_replaced: bool,
    pub deviation: Option<f32>,
    pub scale: bool,
}

impl Cleaned {
    pub fn kinds(self) -> impl Iterator<Item = SceneFindingKind> {
        let position = self.position.then_some(SceneFindingKind::PositionNotFinite);
        let replaced = self.rotation_replaced.then_some(SceneFindingKind::RotationReplaced);
        let unit = self.deviation.map(|deviation| SceneFindingKind::RotationNotUnit { deviation });
        let scale = self.scale.then_some(SceneFindingKind::ScaleNotFinite);
        [position, replaced, unit, scale].into_iter().flatten()
    }
}
