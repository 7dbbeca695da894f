//! World matrices as they are now, by the rows that a run has listed.
//!
//! `World` and `SubWorld` are two types. What is generic over them is compiled in the user's crate,
//! in a debug build without optimisation. So these questions are all that is generic; the rest
//! asks by `&dyn Now`, and is compiled with this crate.

use legion::{
    Entity, EntityStore, Read,
    storage::{ArchetypeIndex, ComponentStorage},
};

use crate::components::{LocalToWorld, Parent};

/// A world of any type.
pub(crate) trait Now {
    /// The world matrices of an archetype.
    fn matrices(&self, archetype: ArchetypeIndex) -> MatricesNow<'_>;
    /// The world matrix of an entity.
    fn matrix_of(&self, entity: Entity) -> Option<&LocalToWorld>;
}

impl<S: EntityStore> Now for S {
    fn matrices(&self, archetype: ArchetypeIndex) -> MatricesNow<'_> {
        let mut all = MatricesNow::default();
        let Ok(storage) = self.get_component_storage::<Read<LocalToWorld>>() else { return all };
        let column = storage.components().get_downcast::<LocalToWorld>();
        if let Some(column) = column.and_then(|column| column.get(archetype)) {
            let archetype = &storage.archetypes()[archetype];
            all.entities = archetype.entities();
            all.have_parents = archetype.layout().has_component::<Parent>();
            all.column = column.into_slice();
        }
        all
    }

    fn matrix_of(&self, entity: Entity) -> Option<&LocalToWorld> {
        self.entry_ref(entity).ok()?.into_component().ok()
    }
}

/// The world matrices of an archetype as they are now. Rows may have moved since the run: a system
/// after the bundle has despawned an entity.
///
/// ```text
///  row        0     1     2
///  the run    rock  moon  ship
///  now        ship  moon                 rock is gone; ship is looked up
/// ```
#[derive(Clone, Copy, Default)]
pub(crate) struct MatricesNow<'w> {
    entities: &'w [Entity],
    column: &'w [LocalToWorld],
    pub have_parents: bool,
}

impl<'w> MatricesNow<'w> {
    /// The matrix of an entity that was in this row at the end of the run, if it still is.
    #[inline]
    pub fn in_row(&self, row: usize, entity: Entity) -> Option<&'w LocalToWorld> {
        self.column.get(row).filter(|_| self.entities.get(row) == Some(&entity))
    }

    /// The matrix of an entity that was in this row at the end of the run, if it still has one.
    #[inline]
    pub fn at<N: Now + ?Sized>(
        &self,
        row: usize,
        entity: Entity,
        world: &'w N,
    ) -> Option<&'w LocalToWorld> {
        self.in_row(row, entity).or_else(|| world.matrix_of(entity))
    }
}
