//! World matrices as they are now, by the rows that a run has listed.

use legion::{Entity, storage::ArchetypeIndex};

use crate::{
    components::{LocalToWorld, Parent},
    engine::{Access, Mask, Store},
};

/// The world matrices of an archetype as they are now. Rows may have moved since the run: a system
/// after the bundle has despawned an entity.
///
/// ```text
///  row        0     1     2
///  the run    rock  moon  ship
///  now        ship  moon                 rock is gone; ship is looked up
/// ```
#[derive(Clone, Copy, Default)]
pub(crate) struct MatricesNow<'a> {
    entities: &'a [Entity],
    column: &'a [LocalToWorld],
    pub have_parents: bool,
}

impl<'a> MatricesNow<'a> {
    /// Those of an archetype; none if they may not be read.
    pub fn of(access: &Access<'a>, archetype: ArchetypeIndex) -> Self {
        let columns = access.columns(archetype, Mask::LOCAL_TO_WORLD);
        columns.map_or_else(Self::default, |columns| Self {
            entities: columns.entities,
            column: columns.local_to_world.unwrap_or_default(),
            have_parents: access.layout(archetype).has_component::<Parent>(),
        })
    }

    /// The matrix of an entity that was in this row at the end of the run, if it still is.
    #[inline]
    pub fn in_row(&self, row: usize, entity: Entity) -> Option<&'a LocalToWorld> {
        self.column.get(row).filter(|_| self.entities.get(row) == Some(&entity))
    }

    /// The matrix of an entity that was in this row at the end of the run, if it still has one.
    #[inline]
    pub fn at(
        &self,
        row: usize,
        entity: Entity,
        world: &dyn Store<'a>,
    ) -> Option<&'a LocalToWorld> {
        let elsewhere = || world.entry_of(entity).ok()?.into_component().ok();
        self.in_row(row, entity).or_else(elsewhere)
    }
}
