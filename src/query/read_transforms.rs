//! Declaring that a system reads transforms.

use legion::{storage::ConsFlatten, systems::SystemBuilder};

use crate::components::*;

/// `read_transforms` for Legion's system builder alone. For the attribute `#[system]`, there is the
/// macro [`read_transforms!`](crate::read_transforms).
pub trait ReadTransforms: Sealed {
    /// Declares read access, on all entities, to every component that
    /// [`TransformQuery`](super::TransformQuery), [`Walk`](super::Walk),
    /// [`Transform::read`](crate::Transform::read), [`Smooth`](crate::smooth::Smooth) and
    /// [`InstanceSlots`](crate::changes::InstanceSlots) may need.
    #[must_use]
    fn read_transforms(self) -> Self;
}

/// Others cannot implement [`ReadTransforms`], so that methods may join it.
pub trait Sealed {}

impl<Q, R> Sealed for SystemBuilder<Q, R> {}

impl<Q, R> ReadTransforms for SystemBuilder<Q, R>
where
    Q: 'static + Send + ConsFlatten,
    R: 'static + ConsFlatten,
{
    fn read_transforms(self) -> Self {
        macro_rules! read {
            ($($component:ident: $bit:ident,)*) => {
                self.read_component::<Frame>()$(.read_component::<$component>())*
            };
        }
        crate::engine::for_each_component!(read)
    }
}

/// Declares read access, on all entities, to every component that
/// [`TransformQuery`](crate::TransformQuery), [`Walk`](crate::Walk),
/// [`Transform::read`](crate::Transform::read), [`Smooth`](crate::smooth::Smooth) and
/// [`InstanceSlots`](crate::changes::InstanceSlots) may need, for a system by Legion's attribute
/// `#[system]`. It stands for 33 lines of `#[read_component(..)]`.
///
/// Your own `#[read_component(..)]` and `#[write_component(..)]` may follow `#[system]`.
///
/// Legion does not let a system read a component from its `SubWorld` that its own query writes. So
/// record edits in the command buffer, as below: they are made at the next flush. A system that
/// reads the components of its own entities only needs no macro: put them into its parameters.
///
/// ```
/// use legion::{systems::CommandBuffer, world::SubWorld, *};
/// use legion_transform::prelude::*;
/// use nalgebra::Vector3;
///
/// struct LooksAt(Entity);
///
/// read_transforms! {
///     #[system(for_each)]
///     fn look(entity: &Entity, at: &LooksAt, world: &SubWorld<'_>, commands: &mut CommandBuffer) {
///         let Ok(target) = TransformQuery::new(world).local_to_world(at.0) else { return };
///         commands.look_at(*entity, target.position(), Vector3::y());
///     }
/// }
///
/// let (mut world, mut resources) = (World::default(), Resources::default());
/// let mut schedule = Schedule::builder()
///     .add_system(look_system())
///     .add_transforms(TransformSystemBundle::default())
///     .build();
/// let bird = world.push_transform(Transform::from_xyz(3.0, 0.0, 0.0));
/// let cat = world.push_transform((Rotation::identity(), LooksAt(bird)));
/// schedule.execute(&mut world, &mut resources);
/// let forward = world.entry(cat).unwrap().get_component::<LocalToWorld>().unwrap().forward();
/// assert!((forward - Vector3::x()).norm() < 1e-6);
/// ```
#[macro_export]
macro_rules! read_transforms {
    ($(#[$($attribute:tt)*])* $visibility:vis fn $($function:tt)*) => {
        $(#[$($attribute)*])*
        #[read_component($crate::components::LocalToWorld)]
        #[read_component($crate::components::LocalToParent)]
        #[read_component($crate::components::WorldToLocal)]
        #[read_component($crate::components::Translation)]
        #[read_component($crate::components::Rotation)]
        #[read_component($crate::components::Scale)]
        #[read_component($crate::components::NonUniformScale)]
        #[read_component($crate::components::Parent)]
        #[read_component($crate::components::PreviousParent)]
        #[read_component($crate::components::Children)]
        #[read_component($crate::components::Inherits)]
        #[read_component($crate::components::ParentScaleInverse)]
        #[read_component($crate::components::CompositeRotation)]
        #[read_component($crate::components::RotationPivot)]
        #[read_component($crate::components::RotationPivotTranslation)]
        #[read_component($crate::components::CompositeScale)]
        #[read_component($crate::components::ScalePivot)]
        #[read_component($crate::components::ScalePivotTranslation)]
        #[read_component($crate::components::Shear)]
        #[read_component($crate::components::PostRotation)]
        #[read_component($crate::components::RotationEulerXYZ)]
        #[read_component($crate::components::RotationEulerXZY)]
        #[read_component($crate::components::RotationEulerYXZ)]
        #[read_component($crate::components::RotationEulerYZX)]
        #[read_component($crate::components::RotationEulerZXY)]
        #[read_component($crate::components::RotationEulerZYX)]
        #[read_component($crate::components::PostRotationEulerXYZ)]
        #[read_component($crate::components::PostRotationEulerXZY)]
        #[read_component($crate::components::PostRotationEulerYXZ)]
        #[read_component($crate::components::PostRotationEulerYZX)]
        #[read_component($crate::components::PostRotationEulerZXY)]
        #[read_component($crate::components::PostRotationEulerZYX)]
        #[read_component($crate::components::Frame)]
        $visibility fn $($function)*
    };
}
