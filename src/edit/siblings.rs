//! The order of siblings.

use legion::{Entity, World};

use crate::{components::Children, query::Walk, storage::ByParent};

/// Puts a child at an index of its parent's `Children`. The list then has all children, also those
/// linked since the last run. The next run keeps that order.
pub(super) fn place(
    world: &mut World,
    parent: Entity,
    index: usize,
    child: Entity,
    links: &mut ByParent,
) {
    let walk = Walk::with(world, links);
    let mut children: Children =
        walk.children(parent).filter(|sibling| *sibling != child).collect();
    let index = index.min(children.len());
    children.insert(index, child);
    let Some(mut entry) = world.entry(parent) else { return };
    let Ok(list) = entry.get_component::<Children>() else {
        return entry.add_component(children);
    };
    if *list == children {
        return;
    }
    // Children that the list loses may come back. The others keep their order.
    let mut kept = children.iter().filter(|it| **it != child).peekable();
    let is_lost = |old: &&Entity| **old != child && kept.next_if_eq(old).is_none();
    let mut lost = list.iter().filter(is_lost).copied().peekable();
    if lost.peek().is_some() {
        links.entry(parent).or_default().extend(lost);
    }
    if let Ok(list) = entry.get_component_mut::<Children>() {
        *list = children;
    }
}
