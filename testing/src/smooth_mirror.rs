//! A copy of the world matrices of two ticks, beside a `Smooth` that follows the list of changes.

use std::collections::{HashMap, HashSet};

use legion::{Entity, EntityStore, IntoQuery, Resources, World};
use legion_transform::{
    TransformChanges,
    components::{LocalToWorld, PreviousParent},
    smooth::Smooth,
};

use crate::snapshot::same_bits;

/// Between two ticks: a [`Smooth`] that follows each run is at the tick before, and at the last one,
/// where the world was, to the bit.
#[derive(Default)]
pub(crate) struct SmoothMirror {
    smooth: Smooth,
    last: HashMap<Entity, LocalToWorld>,
}

impl SmoothMirror {
    /// Follows the last run. Does nothing if the bundle does not track changes.
    ///
    /// # Panics
    ///
    /// If an entity is elsewhere at one of the two ticks, or if what moves is not listed once.
    pub fn follow(&mut self, world: &World, resources: &Resources) {
        let Some(changes) = resources.get::<TransformChanges>() else { return };
        let Some(list) = changes.tracked(world) else { return };
        if list.begins_anew() {
            self.last.clear();
        }
        self.smooth.tick(world, &changes).expect("a whole world may be read");
        let mut query = <(Entity, &LocalToWorld)>::query();
        let now: HashMap<_, _> = query.iter(world).map(|(it, matrix)| (*it, *matrix)).collect();
        let mut listed = HashSet::new();
        for (entity, _) in self.smooth.updates(0.5) {
            assert!(listed.insert(entity), "{entity:?} is listed twice between two ticks");
        }
        for (entity, matrix) in &now {
            let before = self.last.get(entity).unwrap_or(matrix);
            // A child that has just come is drawn where its parent was before.
            let comes_along = !self.last.contains_key(entity) && is_child(world, *entity);
            for (alpha, right) in [(0.0, before), (1.0, matrix)] {
                if comes_along && alpha == 0.0 {
                    continue;
                }
                let seen = self.smooth.matrix(world, *entity, alpha).expect("it has a matrix");
                let is_right = same_bits(seen.0.as_slice(), right.0.as_slice());
                assert!(is_right, "{entity:?} is at {seen:?} at {alpha}, and not at {right:?}");
            }
            let moves = !same_bits(before.0.as_slice(), matrix.0.as_slice());
            assert!(!moves || listed.contains(entity), "{entity:?} moves and is not listed");
        }
        self.last = now;
    }
}

/// Whether the last run has linked an entity to a parent.
fn is_child(world: &World, entity: Entity) -> bool {
    let entry = world.entry_ref(entity).ok();
    entry.is_some_and(|it| {
        it.get_component::<PreviousParent>().is_ok_and(|it| it.parent().is_some())
    })
}
