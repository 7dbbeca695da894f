//! Strategies for components, trees and worlds.

mod forest;

use proptest::{prelude::*, strategy::Union};

use legion_transform::prelude::*;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::kind::{Kind, Numbers, Numeric, Shape, padded};

pub use forest::{Forest, Node, Trees, chain, wide};

/// Which numbers components have. The strategies of every component follow from it.
///
/// Most numbers are multiples of a quarter, some are any: a failing case shrinks to `0.25` and not
/// to `0.2500001`, and to the identity if the component does not matter.
///
/// ```
/// use legion_transform::prelude::*;
/// use legion_transform_testing::Values;
/// use proptest::prelude::*;
///
/// proptest!(|(scale in Values::default().mirrors().component::<NonUniformScale>())| {
///     prop_assert!(scale.x != 0.0);
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Values {
    reach: u16,
    mirrors: bool,
    zeros: bool,
    non_finite: bool,
    extremes: bool,
}

impl Default for Values {
    /// Vectors up to 8 along each axis, scales from 0.25 to 4, all of it finite.
    fn default() -> Self {
        Self { reach: 8, mirrors: false, zeros: false, non_finite: false, extremes: false }
    }
}

impl Values {
    /// Vectors up to so many units along each axis.
    #[must_use]
    pub fn reach(self, reach: u16) -> Self {
        Self { reach, ..self }
    }

    /// With negative scales, one in four.
    #[must_use]
    pub fn mirrors(self) -> Self {
        Self { mirrors: true, ..self }
    }

    /// With scales of zero, one in eight: such a matrix has no inverse.
    #[must_use]
    pub fn zeros(self) -> Self {
        Self { zeros: true, ..self }
    }

    /// With infinities and NaNs, one number in sixteen.
    #[must_use]
    pub fn non_finite(self) -> Self {
        Self { non_finite: true, ..self }
    }

    /// With numbers that products of `f32` cannot hold, one in sixteen: 1e-40, 1e30.
    #[must_use]
    pub fn extremes(self) -> Self {
        Self { extremes: true, ..self }
    }

    /// One number of a vector.
    pub fn length(self) -> BoxedStrategy<f32> {
        let reach = i32::from(self.reach);
        let whole = (-reach..=reach).prop_map(|n| n as f32);
        let quarters = (-4 * reach..=4 * reach).prop_map(|n| n as f32 / 4.0);
        let any = -f32::from(self.reach)..=f32::from(self.reach);
        self.wild(prop_oneof![2 => whole, 3 => quarters, 1 => any].boxed())
    }

    /// One scale.
    pub fn factor(self) -> BoxedStrategy<f32> {
        let quarters = (-3..=12_i32).prop_map(|n| 1.0 + n as f32 / 4.0);
        let mut choices = vec![(5, quarters.boxed()), (2, (0.25..=4.0_f32).boxed())];
        if self.mirrors {
            choices.push((2, (1..=8_i32).prop_map(|n| n as f32 / -4.0).boxed()));
        }
        if self.zeros {
            choices.push((1, Just(0.0).boxed()));
        }
        self.wild(Union::new_weighted(choices).boxed())
    }

    /// One angle, in radians: multiples of 15 degrees, or any up to half a turn.
    pub fn angle(self) -> BoxedStrategy<f32> {
        let pi = std::f32::consts::PI;
        let steps = (-12..=12_i32).prop_map(move |n| n as f32 * pi / 12.0);
        self.wild(prop_oneof![4 => steps, 1 => -pi..=pi].boxed())
    }

    fn wild(self, numbers: BoxedStrategy<f32>) -> BoxedStrategy<f32> {
        let mut wild = Vec::new();
        if self.non_finite {
            wild.extend([f32::INFINITY, f32::NEG_INFINITY, f32::NAN]);
        }
        if self.extremes {
            wild.extend([1e-40, -0.0, 1e30]);
        }
        if wild.is_empty() {
            return numbers;
        }
        prop_oneof![15 => numbers, 1 => proptest::sample::select(wild)].boxed()
    }

    fn vector(self) -> BoxedStrategy<[f32; 3]> {
        [self.length(), self.length(), self.length()].boxed()
    }

    /// A unit quaternion by construction: an axis, and an angle about it.
    fn quaternion(self) -> BoxedStrategy<[f32; 4]> {
        let along =
            proptest::sample::select(vec![[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
        let any = proptest::array::uniform3(-4..=4_i32).prop_map(|axis| match axis {
            [0, 0, 0] => [1.0, 1.0, 1.0],
            axis => axis.map(|n| n as f32),
        });
        let axes = prop_oneof![along, any];
        let finite = Self { non_finite: false, extremes: false, ..self };
        let turn = |(axis, angle): ([f32; 3], f32)| {
            let axis = axis.map(f64::from);
            let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
            let (sin, cos) = (f64::from(angle) / 2.0).sin_cos();
            let [x, y, z] = axis.map(|x| (x / length * sin) as f32);
            [x, y, z, cos as f32]
        };
        (axes, finite.angle()).prop_map(turn).boxed()
    }

    /// A matrix of the user's: a translation, a rotation, scales and some shear; one in six is a
    /// projection.
    fn matrix(self) -> BoxedStrategy<Numbers> {
        let scales = [self.factor(), self.factor(), self.factor()];
        let shear = (-2..=2_i32).prop_map(|n| n as f32 / 8.0);
        let bottom = prop_oneof![5 => Just(0.0_f32), 1 => Just(0.125_f32)];
        let parts = (self.vector(), self.quaternion(), scales, shear, bottom);
        let matrix =
            |(place, turn, scale, shear, bottom): ([f32; 3], [f32; 4], [f32; 3], f32, f32)| {
                let turn = crate::reference::formulas::rotation(turn.map(f64::from)).value;
                let mut numbers = Kind::LocalToWorld.identity();
                for column in 0..3 {
                    for row in 0..3 {
                        numbers[column * 4 + row] = turn[(row, column)] as f32 * scale[column];
                    }
                    numbers[12 + column] = place[column];
                }
                numbers[4] += shear;
                numbers[11] = bottom;
                numbers
            };
        parts.prop_map(matrix).boxed()
    }

    /// The numbers of a component.
    pub fn numbers(self, kind: Kind) -> BoxedStrategy<Numbers> {
        let first = |slice: &[f32]| padded(slice);
        let is_angles = format!("{kind:?}").contains("Euler");
        match (kind, kind.shape()) {
            (Kind::NonUniformScale, _) => {
                [self.factor(), self.factor(), self.factor()].prop_map(move |it| first(&it)).boxed()
            }
            (Kind::Shear, _) => proptest::array::uniform3(-4..=4_i32)
                .prop_map(move |it| first(&it.map(|n| n as f32 / 4.0)))
                .boxed(),
            (_, Shape::Vector) if is_angles => {
                [self.angle(), self.angle(), self.angle()].prop_map(move |it| first(&it)).boxed()
            }
            (_, Shape::Vector) => self.vector().prop_map(move |it| first(&it)).boxed(),
            (_, Shape::Quaternion) => self.quaternion().prop_map(move |it| first(&it)).boxed(),
            (_, Shape::Scalar) => self.factor().prop_map(move |it| first(&[it])).boxed(),
            (_, Shape::Parts) => any::<[bool; 3]>()
                .prop_map(move |it| first(&it.map(|inherits| f32::from(!inherits))))
                .boxed(),
            (_, Shape::Matrix) => self.matrix(),
        }
    }

    /// A component.
    pub fn component<T: Numeric + std::fmt::Debug>(self) -> BoxedStrategy<T> {
        self.numbers(Kind::of::<T>()).prop_map(|numbers| T::from_numbers(&numbers)).boxed()
    }

    /// A [`Transform`]: a translation, a rotation and a scale along the axes.
    pub fn transform(self) -> BoxedStrategy<Transform> {
        let scale = [self.factor(), self.factor(), self.factor()];
        let transform = |(place, [x, y, z, w], scale): ([f32; 3], [f32; 4], [f32; 3])| Transform {
            translation: Vector3::from(place),
            rotation: UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)),
            scale: Vector3::from(scale),
        };
        (self.vector(), self.quaternion(), scale).prop_map(transform).boxed()
    }
}

/// A `Translation` of up to 8 units along each axis.
pub fn translation() -> BoxedStrategy<Translation> {
    Values::default().component()
}

/// A `Rotation`, a unit quaternion by construction. It shrinks to the identity.
///
/// ```
/// use legion_transform_testing::rotation;
/// use proptest::prelude::*;
///
/// proptest!(|(rotation in rotation())| {
///     prop_assert!((rotation.norm() - 1.0).abs() < 1e-6);
/// });
/// ```
pub fn rotation() -> BoxedStrategy<Rotation> {
    Values::default().component()
}

/// A `Scale` from 0.25 to 4.
pub fn scale() -> BoxedStrategy<Scale> {
    Values::default().component()
}

/// Any component that is nothing but numbers: `component_of::<RotationEulerXYZ>()`.
pub fn component_of<T: Numeric + std::fmt::Debug>() -> BoxedStrategy<T> {
    Values::default().component()
}

/// A [`Transform`].
pub fn transform() -> BoxedStrategy<Transform> {
    Values::default().transform()
}
