//! Changes to Legion entities that are there already. Only components whose value differs are touched.

use legion::{Entity, World, world::Entry};

use super::{
    clean::{Trs, same},
    nodes::{Form, Node, NodeIndex, SceneNode},
};
use crate::components::{Children, LocalToParent, LocalToWorld, Parent, Scale};

/// Gives the node's entity these values and this parent. Returns whether anything differed.
pub(super) fn update(node: &mut Node, mut entry: Entry<'_>, target: &Trs, link: Option<Entity>) -> bool {
    let mut written = false;
    if !same(&node.written.position, &target.position) {
        entry.add_component(target.translation());
        written = true;
    }
    if !same(&node.written.rotation, &target.rotation) {
        entry.add_component(target.rotation());
        written = true;
    }
    if !same(&node.written.scale, &target.scale) {
        // One that a user added would win over ours.
        entry.remove_component::<Scale>();
        entry.add_component(target.scale());
        written = true;
    }
    let form = link.map_or(Form::Root, Form::Linked);
    if form != node.form {
        match link {
            Some(parent) => {
                if entry.get_component::<LocalToParent>().is_err() {
                    entry.add_component(LocalToParent::identity());
                }
                entry.add_component(Parent(parent));
            }
            None => {
                entry.remove_component::<Parent>();
                entry.remove_component::<LocalToParent>();
            }
        }
        written = true;
    }
    (node.written, node.form) = (*target, form);
    written
}

/// Takes everything from the entity of a dead node but what those need that hang off it. The entity keeps its id, so that
/// their links stay.
pub(super) fn strip(node: &mut Node, index: NodeIndex, world: &mut World) {
    // The matrix is left as it was: the bundle sees from it what changes below.
    let (matrix, children) = match world.entry(node.entity) {
        Some(entry) => {
            (entry.get_component::<LocalToWorld>().ok().copied(), entry.get_component::<Children>().ok().cloned())
        }
        None => (None, None),
    };
    let trs = Trs::IDENTITY;
    let scene = SceneNode { scene: node.scene, index };
    let matrix = matrix.unwrap_or_default();
    world.push_with_id(
        node.entity,
        (matrix, trs.translation(), trs.rotation(), trs.scale(), scene, children.unwrap_or_default()),
    );
    (node.written, node.form) = (trs, Form::Root);
}
