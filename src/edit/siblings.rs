//! The order of siblings.

use legion::{Entity, World};

use crate::{components::Children, engine::OtherLinks, query::Walk};

/// Puts a child at an index of its parent's `Children`. The list then has all children, also those
/// linked since the last run. The next run keeps that order.
pub(super) fn place(
    world: &mut World,
    parent: Entity,
    index: usize,
    child: Entity,
    links: &mut OtherLinks<'_>,
) {
    let walk = Walk::with(world, links);
    let mut children: Children =
        walk.children(parent).filter(|sibling| *sibling != child).collect();
    let index = index.min(children.len());
    children.insert(index, child);
    links.add(parent, child);
    let Some(mut entry) = world.entry(parent) else { return };
    match entry.get_component::<Children>() {
        Ok(list) if *list == children => {}
        Ok(_) => {
            if let Ok(list) = entry.get_component_mut::<Children>() {
                *list = children;
            }
        }
        Err(_) => entry.add_component(children),
    }
}
