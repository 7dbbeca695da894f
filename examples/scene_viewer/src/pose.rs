//! Values of animations, and the components that hold them.

use legion::{world::Entry, *};
use legion_transform::{prelude::*, scene::NodeTransform};

use super::sample::Value;

/// Writes a value into its component, if the entity has one. Weights have none.
pub fn write(world: &mut World, entity: Entity, value: Value) {
    let Some(mut entry) = world.entry(entity) else { return };
    match value {
        Value::Translation([x, y, z]) => put(&mut entry, Translation::new(x, y, z)),
        Value::Rotation(rotation) => put(&mut entry, Rotation(rotation)),
        Value::Scale([x, y, z]) => put(&mut entry, NonUniformScale::new(x, y, z)),
        Value::Weights(_) => {}
    }
}

fn put<T: storage::Component>(entry: &mut Entry<'_>, value: T) {
    if let Ok(component) = entry.get_component_mut() {
        *component = value;
    }
}

/// Writes what the file says of a node that an animation may have moved.
pub fn rest(world: &mut World, entity: Entity, node: &NodeTransform) {
    if let NodeTransform::Trs { translation, rotation, scale } = *node {
        write(world, entity, Value::Translation(translation.into()));
        write(world, entity, Value::Rotation(rotation));
        write(world, entity, Value::Scale(scale.into()));
    }
}

/// Gives an animated entity the scale that a conversion leaves out where it is one: an animation
/// can write only what is there.
pub fn prepare(world: &mut World, entity: Entity) {
    if let Some(mut entry) = world.entry(entity)
        && entry.get_component::<NonUniformScale>().is_err()
    {
        entry.add_component(NonUniformScale::identity());
    }
}
