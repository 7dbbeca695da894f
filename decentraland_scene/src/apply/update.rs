//! Changes to Legion entities that are there already. Only components whose value differs are
//! touched.

use legion_transform::{
    components::{
        Children, LocalToParent, LocalToWorld, NonUniformScale, Parent, Rotation, Scale,
        Translation,
    },
    legion::{Entity, World, storage::Component, world::Entry},
};

use super::{
    clean::{Trs, same},
    nodes::{Form, Node, NodeIndex, SceneNode},
    part_set::PartSet,
};

/// Gives the node's entity these values, this parent and the components that it lacks. Returns
/// whether anything differed.
pub(super) fn update(
    node: &mut Node,
    mut entry: Entry<'_>,
    target: &Trs,
    link: Option<Entity>,
) -> bool {
    let lacking = std::mem::take(&mut node.lacking);
    let mut written = false;
    if !same(&node.written.position, &target.position)
        || lacks::<Translation>(&entry, lacking, PartSet::TRANSLATION)
    {
        entry.add_component(target.translation());
        written = true;
    }
    if !same(&node.written.rotation, &target.rotation)
        || lacks::<Rotation>(&entry, lacking, PartSet::ROTATION)
    {
        entry.add_component(target.rotation());
        written = true;
    }
    let other_scale = !same(&node.written.scale, &target.scale) || lacking == PartSet::ALL;
    if other_scale
        || lacks::<Scale>(&entry, lacking, PartSet::SCALE)
            && lacks::<NonUniformScale>(&entry, lacking, PartSet::SCALE)
    {
        // A `Scale` that a user added would win over the `NonUniformScale`.
        entry.remove_component::<Scale>();
        entry.add_component(target.scale());
        node.cleaned.two_scales = false;
        written = true;
    }
    if lacks::<LocalToWorld>(&entry, lacking, PartSet::WORLD)
        && entry.get_component::<LocalToWorld>().is_err()
    {
        entry.add_component(LocalToWorld::identity());
        written = true;
    }
    let form = link.map_or(Form::Root, Form::Linked);
    let other_form = form != node.form;
    (node.written, node.form) = (*target, form);
    match link {
        Some(parent) if other_form || lacks::<Parent>(&entry, lacking, PartSet::PARENT) => {
            set_parent(&mut entry, parent);
            written = true;
        }
        None if other_form || lacking == PartSet::ALL => {
            entry.remove_component::<Parent>();
            written = true;
        }
        _ => {}
    }
    if other_form || lacking.has(PartSet::LOCAL) {
        complete(&mut entry, target);
    }
    written
}

/// Does as if an entity whose components are the user's were updated.
pub(super) fn pretend(node: &mut Node, target: &Trs, link: Option<Entity>) {
    (node.written, node.form) = (*target, link.map_or(Form::Root, Form::Linked));
}

/// Whether the entity was found to lack a component, and still does.
fn lacks<T: Component>(entry: &Entry<'_>, lacking: PartSet, part: PartSet) -> bool {
    lacking.has(part) && (lacking == PartSet::ALL || entry.get_component::<T>().is_err())
}

/// Links the entity to a parent.
pub(super) fn set_parent(entry: &mut Entry<'_>, parent: Entity) {
    if entry.get_component::<LocalToParent>().is_err() {
        entry.add_component(LocalToParent::identity());
    }
    entry.add_component(Parent(parent));
}

/// Makes `LocalToParent` agree with `Parent`. Without either, the values alone show that there is a
/// `Transform`. If the user removed them all, they come back: otherwise it would look deleted.
fn complete(entry: &mut Entry<'_>, target: &Trs) {
    let is_linked = entry.get_component::<Parent>().is_ok();
    if is_linked && entry.get_component::<LocalToParent>().is_err() {
        entry.add_component(LocalToParent::identity());
    }
    if !is_linked {
        entry.remove_component::<LocalToParent>();
        let layout = entry.archetype().layout();
        let has_values = layout.has_component::<Translation>()
            || layout.has_component::<Rotation>()
            || layout.has_component::<Scale>()
            || layout.has_component::<NonUniformScale>();
        if !has_values {
            entry.add_component(target.translation());
            entry.add_component(target.rotation());
            entry.add_component(target.scale());
        }
    }
}

/// Removes all components from the entity of a dead node that its children do not need. The entity
/// keeps its id, so that their links stay. Returns whether it had a matrix; it has one afterwards.
pub(super) fn strip(node: &mut Node, index: NodeIndex, world: &mut World) -> bool {
    // The matrix is left as it was: the bundle sees from it what changes below.
    let Some(entry) = world.entry(node.entity) else { return false };
    let matrix = entry.get_component::<LocalToWorld>().ok().copied();
    let children = entry.get_component::<Children>().ok().cloned().unwrap_or_default();
    let trs = Trs::IDENTITY;
    let scene = SceneNode { scene: node.scene, index };
    world.push_with_id(
        node.entity,
        (
            matrix.unwrap_or_default(),
            trs.translation(),
            trs.rotation(),
            trs.scale(),
            scene,
            children,
        ),
    );
    (node.written, node.form, node.lacking, node.cleaned.two_scales) =
        (trs, Form::Root, PartSet::NONE, false);
    matrix.is_some()
}
