//! Appending to columns while rows are inserted.
#![allow(unsafe_code)]

use std::mem::ManuallyDrop;

use legion::storage::{ArchetypeWriter, Component, ComponentWriter};

/// Appends components to a column of the archetype that rows are inserted into.
///
/// Used row by row, each row's columns one behind the other and the entities at the end, it moves
/// versions as Legion's own sources of rows do, which is what the [account](super::closing) tells
/// from writes.
pub struct Appender<'w, T: Component>(ComponentWriter<'w, T>);

impl<'w, T: Component> Appender<'w, T> {
    /// Claims a column, with room for so many rows.
    ///
    /// # Panics
    /// If the archetype has no such column, or it is claimed already.
    pub fn claim(writer: &mut ArchetypeWriter<'w>, rows: usize) -> Self {
        let mut column = writer.claim_components::<T>();
        column.ensure_capacity(rows);
        Self(column)
    }

    /// Makes room for so many rows more.
    pub fn reserve(&mut self, rows: usize) {
        self.0.ensure_capacity(rows);
    }

    /// Appends a component.
    #[inline]
    pub fn push(&mut self, component: T) {
        let component = ManuallyDrop::new(component);
        // SAFETY: the pointer is to one valid `T`. Its bits are moved into the column, which owns
        // the component from here on, as it is not dropped here.
        unsafe { self.0.extend_memcopy(&*component, 1) };
    }

    /// Appends a copy. Where the same one goes into many rows, it need not be made for each.
    #[inline]
    pub fn push_copy(&mut self, component: &T)
    where
        T: Copy,
    {
        // SAFETY: the pointer is to one valid `T`, and a `Copy` type may be in two places.
        unsafe { self.0.extend_memcopy(component, 1) };
    }
}
