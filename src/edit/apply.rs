//! Carrying out a plan. This could fail only for a dead entity, and the plan has checked for that.

use legion::{World, storage::Component, world::Entry};
use nalgebra::Translation3;

use super::plan::{LocalChange, ParentChange, Plan};
use crate::{
    components::{with_rotation_euler, *},
    engine::{LocalInputs, Mask, for_each_component, rules},
};

impl Plan {
    pub fn apply(self, world: &mut World) {
        let Some(mut entry) = world.entry(self.entity) else { return };
        let entry = &mut entry;
        match self.parent {
            ParentChange::Keep => {}
            ParentChange::Set(parent) => {
                set_if_other(entry, Parent(parent));
                if entry.get_component::<LocalToParent>().is_err() {
                    entry.add_component(LocalToParent::identity());
                }
            }
            ParentChange::Remove => {
                entry.remove_component::<LocalToParent>();
                entry.remove_component::<Parent>();
            }
        }
        rewrite(entry, self.reset.then(ParentScaleInverse::identity));
        match self.local {
            LocalChange::Keep => {}
            LocalChange::Frame(frame) => {
                if entry.get_component::<Frame>().is_err() {
                    strip_inputs(entry);
                }
                set_if_other(entry, frame);
            }
            LocalChange::Inputs(change) => write_inputs(entry, &change.0, &change.1),
            LocalChange::Matrix { matrix, is_local, strip } => {
                if strip {
                    strip_inputs(entry);
                }
                match is_local {
                    true => set_if_other(entry, LocalToParent(matrix)),
                    false => set_if_other(entry, LocalToWorld(matrix)),
                }
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
        macro_rules! rewrite_angles {
            ($euler:ident) => {
                rewrite(entry, Some($euler(angles)))
            };
        }
        with_rotation_euler!(order, rewrite_angles);
    }
    let are_two = |it: &LocalInputs| it.scale.uniform.is_some() && it.scale.axes.is_some();
    debug_assert!(are_two(old) || !are_two(new), "an edit gives no entity two scales");
    change(entry, old.scale.uniform, new.scale.uniform, Scale);
    change(entry, old.scale.axes, new.scale.axes, NonUniformScale);
    change(entry, old.scale.shear, new.scale.shear, Shear);
    change(entry, old.scale.composite, new.scale.composite, CompositeScale);
}

/// Removes all inputs that would overwrite a matrix, now or once another input is gone.
fn strip_inputs(entry: &mut Entry<'_>) {
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
