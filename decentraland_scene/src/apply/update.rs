//! Changes to Legion entities that are there already. Only components whose value differs are
//! touched.

use legion_transform::{
    components::{Children, LocalToParent, LocalToWorld, Parent, Scale},
    legion::{Entity, World, world::Entry},
};

use super::{
    clean::{Trs, same},
    nodes::{Form, Node, NodeIndex, SceneNode},
};

/// Gives the node's entity these values and this parent; all of its components if it is rewritten.
/// Returns whether anything was written.
pub(super) fn update(
    node: &mut Node,
    mut entry: Entry<'_>,
    target: &Trs,
    link: Option<Entity>,
) -> bool {
    let all = std::mem::take(&mut node.is_rewritten);
    let mut written = all;
    if all || !same(&node.written.position, &target.position) {
        entry.add_component(target.translation());
        written = true;
    }
    if all || !same(&node.written.rotation, &target.rotation) {
        entry.add_component(target.rotation());
        written = true;
    }
    if all || !same(&node.written.scale, &target.scale) {
        // A `Scale` that a user added would win over the `NonUniformScale`.
        entry.remove_component::<Scale>();
        entry.add_component(target.scale());
        written = true;
    }
    if all && entry.get_component::<LocalToWorld>().is_err() {
        entry.add_component(LocalToWorld::identity());
    }
    let form = link.map_or(Form::Root, Form::Linked);
    let is_relinked = all || form != node.form;
    (node.written, node.form) = (*target, form);
    if is_relinked {
        match link {
            Some(parent) => set_parent(&mut entry, parent),
            None => {
                entry.remove_component::<Parent>();
                entry.remove_component::<LocalToParent>();
            }
        }
    }
    written || is_relinked
}

/// Does as if an entity whose components are the user's were updated.
pub(super) fn pretend(node: &mut Node, target: &Trs, link: Option<Entity>) {
    (node.written, node.form) = (*target, link.map_or(Form::Root, Form::Linked));
}

/// Links the entity to a parent.
pub(super) fn set_parent(entry: &mut Entry<'_>, parent: Entity) {
    if entry.get_component::<LocalToParent>().is_err() {
        entry.add_component(LocalToParent::identity());
    }
    entry.add_component(Parent(parent));
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
    (node.written, node.form, node.is_rewritten) = (trs, Form::Root, false);
    matrix.is_some()
}
