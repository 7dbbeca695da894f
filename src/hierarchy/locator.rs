//! Finding the rows of entities that are neighbours.

use legion::Entity;

use crate::storage::columns::{Columns, Row, captured};

/// Finds entities, at next to no cost where they were spawned together and still stand side by side: from the row of the last
/// one found follows where the next one would be, and a look at the entity there tells.
#[derive(Default)]
pub(super) struct Locator {
    last: Option<(u64, Row)>,
}

impl Locator {
    /// Where a live entity is.
    pub fn locate(&mut self, columns: &Columns<'_>, entity: Entity) -> Option<Row> {
        let index = captured(&entity);
        if let Some((last, Row { archetype, row })) = self.last {
            let guess = u64::from(row).wrapping_add(index).wrapping_sub(last);
            let found = usize::try_from(guess).ok().and_then(|guess| columns.entities(archetype).get(guess));
            if found == Some(&entity) {
                return Some(Row { archetype, row: guess as u32 });
            }
        }
        let row = columns.locate(entity)?;
        self.last = Some((index, row));
        Some(row)
    }
}
