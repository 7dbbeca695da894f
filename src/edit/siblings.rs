//! The order of siblings.

use legion::{Entity, World};

use crate::{components::Children, query::Walk};

/// Puts a child at an index of its parent's `Children`. The list then has all children, also those
/// linked since the last run. The next run keeps that order.
pub(super) fn place(world: &mut World, parent: Entity, index: usize, child: Entity) {
    // A whole world can always be read.
    let Ok(walk) = Walk::fresh(world) else { return };
    let mut children: Children =
        walk.children(parent).filter(|sibling| *sibling != child).collect();
    let index = index.min(children.len());
    children.insert(index, child);
    let Some(mut entry) = world.entry(parent) else { return };
    if entry.get_component::<Children>() != Ok(&children) {
        entry.add_component(children);
    }
}
