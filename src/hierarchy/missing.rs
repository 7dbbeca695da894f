//! What many entities lack at once, as scenes do that are spawned without `PreviousParent` and `Children`.

use legion::World;

use super::Hierarchy;
use crate::{
    components::Parent,
    storage::archetype_moves::add_components,
    storage::columns::{Columns, Row},
    storage::mask::Mask,
    storage::tracker::ChangeTracker,
};

/// Entities from which on an archetype is moved as a whole, and not one by one.
const MANY: usize = 64;

impl Hierarchy {
    /// Gives `PreviousParent`, and `Children` to those of them that are parents, to all entities of archetypes in which linked
    /// entities lack it. As none is left there after a run, all that are there have just come. What this foresees wrongly, as
    /// where a link closes a cycle, the pass that follows mends. Returns where they are now, in the order in which they were.
    pub(super) fn add_missing(world: &mut World, tracker: &ChangeTracker) -> Vec<Row> {
        let columns = Columns::new(world);
        let lacking: Vec<u32> = tracker
            .having(Mask::PARENT)
            .filter(|&index| tracker[index].mask.has(Mask::LINK) && !tracker[index].mask.has(Mask::PREVIOUS_PARENT))
            .filter(|&index| columns.entities(index).len() >= MANY)
            .collect();
        if lacking.is_empty() || columns.has_duplicates() {
            return Vec::new();
        }
        let added = missing(&columns, tracker, &lacking);
        let mut arrived = Vec::new();
        for (archetype, added) in lacking.into_iter().zip(added) {
            if added.iter().any(|added| *added != Mask::NONE) {
                arrived.extend(add_components(world, archetype, &added));
            }
        }
        arrived
    }
}

/// What the rows of archetypes lack.
fn missing(columns: &Columns<'_>, tracker: &ChangeTracker, lacking: &[u32]) -> Vec<Vec<Mask>> {
    let mut missing: Vec<Vec<Mask>> = lacking.iter().map(|&index| vec![Mask::NONE; columns.entities(index).len()]).collect();
    for (number, &archetype) in lacking.iter().enumerate() {
        let mut last = None;
        for (row, Parent(parent)) in columns.read::<Parent>(archetype).iter().enumerate() {
            // Siblings often follow each other.
            let above = match last {
                Some((entity, above)) if entity == *parent => above,
                _ => columns.locate(*parent).filter(|above| tracker[above.archetype].mask.has(Mask::LOCAL_TO_WORLD)),
            };
            let is_known = last.replace((*parent, above)).is_some_and(|(entity, _)| entity == *parent);
            // What cannot be a parent is none.
            let Some(above) = above else { continue };
            missing[number][row] |= Mask::PREVIOUS_PARENT;
            if !is_known
                && !tracker[above.archetype].mask.has(Mask::CHILDREN)
                && let Ok(number) = lacking.binary_search(&above.archetype)
            {
                missing[number][above.row as usize] |= Mask::CHILDREN;
            }
        }
    }
    for missing in missing.iter_mut().flatten().filter(|missing| **missing == Mask::CHILDREN) {
        *missing = Mask::NONE; // It is about to lose its `Parent`, and stays for that.
    }
    missing
}
