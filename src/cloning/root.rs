//! Where the root of a copy comes to stand.

use legion::{Entity, EntityStore, World};
use nalgebra::Matrix4;

use super::columns::Rows;
use crate::{
    components::*,
    engine::{Mask, rules},
};

/// Puts the root of a copy, which stands in rows of its own, below a parent, or makes it a root. It
/// keeps its local matrix. It is a new child: a record would say that its parent's list has lost
/// it.
pub(super) fn place(root: &mut Rows, source: &World, to: Option<Entity>) {
    let from = root.get_mut::<Parent>().map(|parent| parent[0].0);
    let local = match from {
        Some(_) => root.get_mut::<LocalToParent>().map(|it| it[0].0),
        None => root.get_mut::<LocalToWorld>().map(|it| it[0].0),
    };
    // What cancelled the scale of another parent is computed again, if there is one to cancel.
    if let (Some(inverse), Some(from)) = (root.get_mut::<ParentScaleInverse>(), from)
        && to != Some(from)
        && rules::first(mask(source, from), rules::SCALINGS) != Mask::NONE
    {
        inverse[0] = ParentScaleInverse::identity();
    }
    if let Some(to) = to {
        root.set(Parent(to));
        root.set(PreviousParent(None));
        root.set(LocalToParent(local.unwrap_or_else(Matrix4::identity)));
        if root.get_mut::<LocalToWorld>().is_none() {
            root.set(LocalToWorld::identity());
        }
    } else if from.is_some() {
        root.remove::<Parent>();
        root.remove::<PreviousParent>();
        root.remove::<LocalToParent>();
        if let (Some(world), Some(local)) = (root.get_mut::<LocalToWorld>(), local) {
            world[0] = LocalToWorld(local);
        }
    }
}

/// The parent of an entity that has all that a link needs.
pub(super) fn parent(world: &World, entity: Entity) -> Option<Entity> {
    let parent = world.entry_ref(entity).ok()?.get_component::<Parent>().ok()?.0;
    let links = mask(world, entity).has(Mask::LINK);
    (links && mask(world, parent).has(Mask::LOCAL_TO_WORLD)).then_some(parent)
}

/// The crate's components of an entity; none of a dead one.
fn mask(world: &World, entity: Entity) -> Mask {
    let entry = world.entry_ref(entity);
    entry.map_or(Mask::NONE, |entry| Mask::of(entry.archetype().layout()))
}
