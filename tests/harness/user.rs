//! What a user of the crate might add: components in write groups, and systems in the bundle's two
//! places.

use legion::{World, system};
use legion_transform::{
    components::{CompositeRotation, CompositeScale},
    prelude::*,
};
use legion_transform_testing::{Kind, Numbers, Numeric, OwnSystem, Setup, Snapshot, kind::Shape};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

macro_rules! scalars {
    ($($(#[$doc:meta])* $component:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $component(pub f32);

        impl Numeric for $component {
            const SHAPE: Shape = Shape::Scalar;
            fn numbers(&self) -> Numbers {
                std::array::from_fn(|index| if index == 0 { self.0 } else { 0.0 })
            }
            fn from_numbers(numbers: &Numbers) -> Self {
                Self(numbers[0])
            }
        }
    )*
        /// All of them.
        pub const OWN: &[Kind] = &[$(Kind::own::<$component>(),)*];
    };
}

scalars! {
    /// In no group: only moves its entity to another archetype.
    Bystander,
    OwnWorld, OwnLocal, OwnRotation, OwnPostRotation, OwnCompositeRotation, OwnCompositeScale,
    OwnParentScaleInverse, OwnWorldToLocal,
    /// In the groups of `LocalToWorld` and `Rotation`.
    OwnWorldAndRotation,
    /// In the groups of `LocalToWorld` and `LocalToParent`.
    OwnWorldAndLocal,
    /// In the group of `Rotation`; a system before composition writes it.
    Spin,
    /// In the group of `LocalToParent`; a system before propagation writes it.
    Lift,
    /// In the group of `LocalToWorld`; a system before propagation writes it.
    Wave,
}

/// What the system of [`Spin`] makes of it.
pub fn spun(spin: f32) -> Rotation {
    Rotation(UnitQuaternion::from_axis_angle(&Vector3::z_axis(), spin))
}

/// What the system of [`Lift`] makes of it.
pub fn lifted(lift: f32) -> LocalToParent {
    LocalToParent(Matrix4::new_translation(&Vector3::new(0.0, lift, 1.0)))
}

/// What the system of [`Wave`] makes of it.
pub fn waved(wave: f32) -> LocalToWorld {
    LocalToWorld(Matrix4::new_translation(&Vector3::new(wave, 2.0, -wave)) * wave)
}

#[system(for_each)]
fn spin(spin: &Spin, rotation: &mut Rotation) {
    *rotation = spun(spin.0);
}

#[system(for_each)]
fn lift(lift: &Lift, local: &mut LocalToParent) {
    *local = lifted(lift.0);
}

#[system(for_each)]
fn wave(wave: &Wave, world: &mut LocalToWorld) {
    *world = waved(wave.0);
}

/// A component of the users' own that children inherit. Every entity on the path counts.
impl Inherited for Bystander {
    type Value = u64;
    fn combine(parent: Option<&u64>, own: Option<&Self>) -> u64 {
        let own = own.map_or(7, |own| u64::from(own.0.to_bits()));
        parent.unwrap_or(&1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(7) ^ own
    }
}

/// The components of the crate and of this file.
pub fn kinds() -> Vec<Kind> {
    [Kind::ALL, OWN].concat()
}

/// All that a world holds, components of this file among it.
pub fn snapshot(world: &World) -> Snapshot {
    Snapshot::with(world, OWN)
}

/// Calls `write_group` for each of the groups.
macro_rules! each_group {
    ($groups:expr) => {
        $groups
            .write_group::<LocalToWorld, OwnWorld>()
            .write_group::<LocalToParent, OwnLocal>()
            .write_group::<Rotation, OwnRotation>()
            .write_group::<PostRotation, OwnPostRotation>()
            .write_group::<CompositeRotation, OwnCompositeRotation>()
            .write_group::<CompositeScale, OwnCompositeScale>()
            .write_group::<ParentScaleInverse, OwnParentScaleInverse>()
            .write_group::<WorldToLocal, OwnWorldToLocal>()
            .write_group::<LocalToWorld, OwnWorldAndRotation>()
            .write_group::<Rotation, OwnWorldAndRotation>()
            .write_group::<LocalToWorld, OwnWorldAndLocal>()
            .write_group::<LocalToParent, OwnWorldAndLocal>()
            .write_group::<Rotation, Spin>()
            .write_group::<LocalToParent, Lift>()
            .write_group::<LocalToWorld, Wave>()
    };
}

/// What these systems write.
const SYSTEMS: &[OwnSystem] = &[
    OwnSystem {
        reads: Kind::own::<Spin>(),
        writes: Kind::Rotation,
        value: |it| spun(it[0]).numbers(),
    },
    OwnSystem {
        reads: Kind::own::<Lift>(),
        writes: Kind::LocalToParent,
        value: |it| lifted(it[0]).numbers(),
    },
    OwnSystem {
        reads: Kind::own::<Wave>(),
        writes: Kind::LocalToWorld,
        value: |it| waved(it[0]).numbers(),
    },
];

/// The options of [`bundle_with_everything`], but for the property.
pub fn setup() -> Setup {
    each_group!(Setup::default()).systems(SYSTEMS)
}

/// A bundle with all of these groups.
pub fn bundle_with_groups() -> TransformSystemBundle {
    each_group!(TransformSystemBundle::default())
}

/// A bundle with all of these groups and systems, with frames, and with a property.
pub fn bundle_with_everything() -> TransformSystemBundle {
    bundle_with_groups()
        .before_composition(spin_system())
        .before_propagation(lift_system())
        .before_propagation(wave_system())
        .large_worlds()
        .inherit::<Bystander>()
}
