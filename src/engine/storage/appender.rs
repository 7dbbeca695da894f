//! Appending to columns while rows are inserted: rows come from a source, for Legion's `extend`.
//!
//! ```text
//!  Legion calls   for
//!  filter         the first archetype that matches: the rows go there
//!  layout         a new archetype, if none matches
//!  write          the rows: columns are claimed and appended to, entities are named
//! ```
#![allow(unsafe_code)]

use std::mem::ManuallyDrop;

use legion::{
    Entity,
    query::LayoutFilter,
    storage::{
        ArchetypeSource, ArchetypeWriter, Component, ComponentSource, ComponentTypeId,
        EntityLayout, IntoComponentSource, UnknownComponentWriter,
    },
};

/// Appends components to a column of the archetype that rows are inserted into.
///
/// The [account](super::closing) explains how versions are bumped in two orders:
/// - row by row: all columns of row 0, then of row 1, and the entities at the end; or one row after
///   the other, each with its entity first;
/// - in blocks: the entities of a block, then each column of it. With 100 rows of 7 columns in
///   blocks of 64, the counter rises 14 times instead of 700.
pub struct Appender<'w, T: Component> {
    column: UnknownComponentWriter<'w>,
    /// Components that wait for the end of their block. `None`: each goes into the column at once.
    waiting: Option<Vec<T>>,
}

impl<'w, T: Component> Appender<'w, T> {
    /// Claims a column, with room for this many rows.
    ///
    /// # Panics
    /// If the archetype has no such column, or it is claimed already.
    pub fn claim(writer: &mut ArchetypeWriter<'w>, rows: usize) -> Self {
        let mut column = writer.claim_components_unknown(ComponentTypeId::of::<T>());
        column.ensure_capacity(rows);
        Self { column, waiting: None }
    }

    /// Claims a column that gets blocks of up to this many rows.
    ///
    /// # Panics
    /// As [`claim`](Appender::claim).
    pub fn claim_blocks(writer: &mut ArchetypeWriter<'w>, rows: usize, block: usize) -> Self {
        let waiting = (block > 1).then(|| Vec::with_capacity(block));
        Self { waiting, ..Self::claim(writer, rows) }
    }

    /// Appends copies of these components.
    #[inline]
    pub fn push_copies(&mut self, components: &[T])
    where
        T: Copy,
    {
        // SAFETY: the pointer is to that many valid `T`, and a `Copy` type may be in two places.
        unsafe { self.extend(components.as_ptr(), components.len()) };
    }

    /// Appends a component.
    #[inline]
    pub fn push(&mut self, component: T) {
        if let Some(waiting) = &mut self.waiting {
            waiting.push(component);
            return;
        }
        let component = ManuallyDrop::new(component);
        // SAFETY: the pointer is to one valid `T`. Its bits are moved into the column, which owns
        // the component from here on: it is not dropped here.
        unsafe { self.extend(&raw const *component, 1) };
    }

    /// Ends a block: all that waits goes into the column.
    #[inline]
    pub fn flush(&mut self) {
        if let Some(mut waiting) = self.waiting.take() {
            let len = waiting.len();
            // SAFETY: the vector has `len` valid components, and forgets them first: the column
            // owns them from here on.
            unsafe {
                waiting.set_len(0);
                self.extend(waiting.as_ptr(), len);
            }
            self.waiting = Some(waiting);
        }
    }

    /// Moves all of these into the column, as a block.
    pub fn append(&mut self, components: Vec<T>) {
        self.waiting = Some(components);
        self.flush();
    }

    /// Moves components into the column.
    ///
    /// # Safety
    /// There must be `len` of them, which are not used as values afterwards.
    #[inline]
    unsafe fn extend(&mut self, components: *const T, len: usize) {
        // SAFETY: the column was claimed as one of `T`; the caller promises the rest.
        unsafe { self.column.extend_memcopy_raw(components.cast(), len) };
    }
}

/// New values of one component, for rows of any archetype.
pub(crate) trait NewValues: Send {
    fn component(&self) -> ComponentTypeId;

    /// Claims their column. The result appends so many of them, as a block.
    fn claim<'w>(self: Box<Self>, to: &mut ArchetypeWriter<'w>, room: usize) -> Append<'w>;
}

/// Appends so many values to a column.
pub(crate) type Append<'w> = Box<dyn FnMut(usize) + 'w>;

impl<T: Component> NewValues for Vec<T> {
    fn component(&self) -> ComponentTypeId {
        ComponentTypeId::of::<T>()
    }

    fn claim<'w>(self: Box<Self>, to: &mut ArchetypeWriter<'w>, room: usize) -> Append<'w> {
        let mut column = Appender::claim_blocks(to, room, self.len());
        let mut values = self.into_iter();
        Box::new(move |rows| {
            values.by_ref().take(rows).for_each(|value| column.push(value));
            column.flush();
        })
    }
}

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
