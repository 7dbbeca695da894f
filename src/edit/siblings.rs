//! The order of siblings.

use legion::{Entity, EntityStore, World};

use crate::{
    components::{Children, PreviousParent},
    engine::ByParent,
    query::Walk,
};

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
    // The others keep their order.
    let mut kept = children.iter().filter(|it| **it != child).peekable();
    let is_lost = |old: &&Entity| **old != child && kept.next_if_eq(old).is_none();
    let lost: Vec<Entity> = list.iter().filter(is_lost).copied().collect();
    if let Ok(list) = entry.get_component_mut::<Children>() {
        *list = children;
    }
    // A child of the last run that the list loses here may get this parent again. Its record is
    // right then, so nothing would show that the list lacks it: it is noted as a new link.
    lost.into_iter().filter(|child| is_recorded(world, *child, parent)).for_each(|child| {
        links.entry(parent).or_default().push(child);
    });
}

/// Whether a child had this parent in the last run.
fn is_recorded(world: &World, child: Entity, parent: Entity) -> bool {
    let entry = world.entry_ref(child);
    entry.is_ok_and(|it| it.get_component() == Ok(&PreviousParent(Some(parent))))
}
