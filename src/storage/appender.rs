//! Appending to columns while rows are inserted.
#![allow(unsafe_code)]

use std::mem::ManuallyDrop;

use legion::storage::{ArchetypeWriter, Component, ComponentWriter};

/// Appends components to a column of the archetype that rows are inserted into.
///
/// Append row by row: all columns of row 0, then of row 1, and the entities at the end. Then
/// versions move as in Legion's own `extend`, and the [account](super::closing) explains them.
pub struct Appender<'w, T: Component>(ComponentWriter<'w, T>);

impl<'w, T: Component> Appender<'w, T> {
    /// Claims a column, with room for this many rows.
    ///
    /// # Panics
    /// If the archetype has no such column, or it is claimed already.
    pub fn claim(writer: &mut ArchetypeWriter<'w>, rows: usize) -> Self {
        let mut column = writer.claim_components::<T>();
        column.ensure_capacity(rows);
        Self(column)
    }

    /// Appends a component.
    #[inline]
    pub fn push(&mut self, component: T) {
        let component = ManuallyDrop::new(component);
        // SAFETY: the pointer is to one valid `T`. Its bits are moved into the column, which owns
        // the component from here on: it is not dropped here.
        unsafe { self.0.extend_memcopy(&*component, 1) };
    }

    /// Appends a copy, so that one component can go into many rows.
    #[inline]
    pub fn push_copy(&mut self, component: &T)
    where
        T: Copy,
    {
        // SAFETY: the pointer is to one valid `T`, and a `Copy` type may be in two places.
        unsafe { self.0.extend_memcopy(component, 1) };
    }
}
