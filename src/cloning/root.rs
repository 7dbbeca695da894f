//! Where the root of a copy comes to stand.

use legion::{Entity, EntityStore, World};
use nalgebra::Matrix4;

use super::columns::Rows;
use crate::{
    components::*,
    engine::{Mask, rules},
};

/// The parent of the root.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// The one of the original.
    Same,
    Below(Entity),
    /// None.
    Root,
}

impl From<Option<Entity>> for Place {
    fn from(parent: Option<Entity>) -> Self {
        parent.map_or(Self::Root, Self::Below)
    }
}

impl Place {
    /// Puts the root of a copy there: in the first rows, alone if the place is another one. It
    /// keeps its local matrix.
    pub fn apply(self, source: &World, rows: &mut [Rows], root: Entity) {
        if let Self::Same = self {
            return follow_siblings(source, rows, root);
        }
        let root = &mut rows[0];
        let parent = root.get_mut::<Parent>().map(|parent| parent[0].0);
        let local = match parent {
            Some(_) => root.get_mut::<LocalToParent>().map(|it| it[0].0),
            None => root.get_mut::<LocalToWorld>().map(|it| it[0].0),
        };
        // What cancelled a scale is computed again, if there is one to cancel.
        if let Some(inverse) = root.get_mut::<ParentScaleInverse>()
            && let Some(parent) = parent
            && rules::first(mask(source, parent), rules::SCALINGS) != Mask::NONE
        {
            inverse[0] = ParentScaleInverse::identity();
        }
        if let Self::Below(parent) = self {
            root.set(Parent(parent));
            root.set(PreviousParent(None));
            root.set(LocalToParent(local.unwrap_or_else(Matrix4::identity)));
            if root.get_mut::<LocalToWorld>().is_none() {
                root.set(LocalToWorld::identity());
            }
        } else if parent.is_some() {
            root.remove::<Parent>();
            root.remove::<PreviousParent>();
            root.remove::<LocalToParent>();
            if let (Some(world), Some(local)) = (root.get_mut::<LocalToWorld>(), local) {
                world[0] = LocalToWorld(local);
            }
        }
    }
}

/// It is a new child of its parent: a record would say that its list has lost it.
fn follow_siblings(source: &World, rows: &mut [Rows], root: Entity) {
    let Some((rows, row)) = rows.iter_mut().find_map(|rows| {
        let row = rows.entities.iter().position(|entity| *entity == root)?;
        Some((rows, row))
    }) else {
        return;
    };
    let parent = rows.get_mut::<Parent>().map(|parents| parents[row].0);
    // Of one that is dead, or has lost its matrix, the record says just that.
    if parent.is_some_and(|parent| mask(source, parent).has(Mask::LOCAL_TO_WORLD))
        && let Some(records) = rows.get_mut::<PreviousParent>()
    {
        records[row] = PreviousParent(None);
    }
}

/// The crate's components of an entity; none of a dead one.
fn mask(world: &World, entity: Entity) -> Mask {
    let entry = world.entry_ref(entity);
    entry.map_or(Mask::NONE, |entry| Mask::of(entry.archetype().layout()))
}
