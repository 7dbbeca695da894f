//! A source of rows for Legion's `extend`.
//!
//! ```text
//!  Legion calls   for
//!  filter         the first archetype that matches: the rows go there
//!  layout         a new archetype, if none matches
//!  write          the rows: columns are claimed and appended to, entities are named
//! ```

use legion::{
    Entity,
    query::LayoutFilter,
    storage::{
        ArchetypeSource, ArchetypeWriter, ComponentSource, EntityLayout, IntoComponentSource,
    },
};

/// New rows of one archetype, as three closures; see the [module](self).
pub(crate) struct RowSource<F, L, W> {
    pub filter: F,
    pub layout: L,
    pub write: W,
}

impl<W: FnMut(&mut ArchetypeWriter<'_>)> RowSource<(), (), W> {
    /// New rows of the first archetype with a layout, or of a new one.
    pub fn of(
        layout: &EntityLayout,
        write: W,
    ) -> RowSource<impl Fn() -> EntityLayout, impl FnMut() -> EntityLayout, W> {
        RowSource { filter: || layout.clone(), layout: || layout.clone(), write }
    }
}

impl<F: Fn() -> M, M: LayoutFilter, L: FnMut() -> EntityLayout, W> ArchetypeSource
    for RowSource<F, L, W>
{
    type Filter = M;

    #[inline]
    fn filter(&self) -> M {
        (self.filter)()
    }

    fn layout(&mut self) -> EntityLayout {
        (self.layout)()
    }
}

impl<F, L, W: FnMut(&mut ArchetypeWriter<'_>)> ComponentSource for RowSource<F, L, W>
where
    Self: ArchetypeSource,
{
    #[inline]
    fn push_components<'a>(
        &mut self,
        writer: &mut ArchetypeWriter<'a>,
        _: impl Iterator<Item = Entity>,
    ) {
        (self.write)(writer);
    }
}

impl<F, L, W> IntoComponentSource for RowSource<F, L, W>
where
    Self: ComponentSource,
{
    type Source = Self;

    fn into(self) -> Self {
        self
    }
}
