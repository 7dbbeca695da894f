//! Carrying out a plan. This could fail only for a dead entity, and the plan has checked for that.

use legion::{World, storage::Component, world::Entry};
use nalgebra::{Translation3, Vector3};

use super::plan::{LocalChange, ParentChange, Plan};
use crate::{
    components::*,
    engine::LocalInputs,
    engine::{Mask, for_each_component, rules},
};

impl Plan {
    pub fn apply(self, world: &mut World) {
        let Some(mut entry) = world.entry(self.entity) else { return };
        let entry = &mut entry;
        match self.parent {
            ParentChange::Keep => {}
            ParentChange::Set { parent, reset } => {
                set_if_other(entry, Parent(parent));
                if entry.get_component::<LocalToParent>().is_err() {
                    entry.add_component(LocalToParent::identity());
                }
                rewrite(entry, reset.then(ParentScaleInverse::identity));
            }
            ParentChange::Remove { reset } => {
                entry.remove_component::<LocalToParent>();
                entry.remove_component::<Parent>();
                rewrite(entry, reset.then(ParentScaleInverse::identity));
            }
        }
        match self.local {
            LocalChange::Keep => {}
            LocalChange::Frame(frame) => rewrite(entry, Some(frame)),
            LocalChange::Inputs(change) => write_inputs(entry, &change.0, &change.1),
            LocalChange::LocalToParent { matrix, strip } => {
                strip_inputs(entry, strip);
                set_if_other(entry, LocalToParent(matrix));
            }
            LocalChange::LocalToWorld { matrix, strip } => {
                strip_inputs(entry, strip);
                set_if_other(entry, LocalToWorld(matrix));
            }
        }
    }
}

/// Writes a component, or adds it. (To add one that is there, Legion searches all archetypes.)
fn put<T: Component>(entry: &mut Entry<'_>, component: T) {
    match entry.get_component_mut::<T>() {
        Ok(stored) => *stored = component,
        Err(_) => entry.add_component(component),
    }
}

/// Writes a component only if it changes, so that no version is bumped without reason.
fn set_if_other<T: Component + PartialEq>(entry: &mut Entry<'_>, component: T) {
    if entry.get_component::<T>() != Ok(&component) {
        put(entry, component);
    }
}

/// Writes a component where the entity has one that differs. (`add_component` would have all of
/// Legion's code for columns of this type compiled here.)
pub(super) fn rewrite<T: Component + PartialEq>(entry: &mut Entry<'_>, component: Option<T>) {
    if let Some(component) = component
        && entry.get_component::<T>().is_ok_and(|stored| *stored != component)
        && let Ok(stored) = entry.get_component_mut::<T>()
    {
        *stored = component;
    }
}

fn write_inputs(entry: &mut Entry<'_>, old: &LocalInputs, new: &LocalInputs) {
    fn change<T: Component, V: PartialEq + Copy>(
        entry: &mut Entry<'_>,
        old: Option<V>,
        new: Option<V>,
        wrap: fn(V) -> T,
    ) {
        match new {
            _ if old == new => {}
            Some(value) => put(entry, wrap(value)),
            None => entry.remove_component::<T>(),
        }
    }
    change(entry, old.translation, new.translation, |vector| Translation(Translation3 { vector }));
    change(entry, old.rotation.rotation, new.rotation.rotation, Rotation);
    rewrite(entry, new.rotation.composite.map(CompositeRotation));
    if let (Some(order), Some(angles)) = (new.rotation.euler, new.rotation.angles) {
        rewrite_angles(entry, order, angles);
    }
    change(entry, old.scale.uniform, new.scale.uniform, Scale);
    change(entry, old.scale.axes, new.scale.axes, NonUniformScale);
    rewrite(entry, new.scale.shear.map(Shear));
    rewrite(entry, new.scale.composite.map(CompositeScale));
}

/// Writes the angles of the `RotationEuler` component of this order.
fn rewrite_angles(entry: &mut Entry<'_>, order: EulerOrder, angles: Vector3<f32>) {
    match order {
        EulerOrder::XYZ => rewrite(entry, Some(RotationEulerXYZ(angles))),
        EulerOrder::XZY => rewrite(entry, Some(RotationEulerXZY(angles))),
        EulerOrder::YXZ => rewrite(entry, Some(RotationEulerYXZ(angles))),
        EulerOrder::YZX => rewrite(entry, Some(RotationEulerYZX(angles))),
        EulerOrder::ZXY => rewrite(entry, Some(RotationEulerZXY(angles))),
        EulerOrder::ZYX => rewrite(entry, Some(RotationEulerZYX(angles))),
    }
}

/// Removes all inputs that would overwrite a matrix, now or once another input is gone.
fn strip_inputs(entry: &mut Entry<'_>, strip: bool) {
    if !strip {
        return;
    }
    let inputs = rules::all_inputs_of_local_matrices();
    macro_rules! remove {
        ($($component:ident: $bit:ident,)*) => {
            $(if inputs.has(Mask::$bit) {
                entry.remove_component::<$component>();
            })*
        };
    }
    for_each_component!(remove);
}
