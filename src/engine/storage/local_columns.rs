//! The columns of one archetype that take part in local matrices, all at once.
#![allow(unsafe_code)]

use super::columns::Columns;
use crate::components::*;

impl Columns<'_> {
    /// All columns of one archetype that take part in local matrices: inputs to read, derived ones
    /// to write.
    pub fn local(&mut self, archetype: u32) -> LocalColumns<'_> {
        // SAFETY: `&mut self` stands for the whole world, and each component type is handed out
        // once: columns of different types never overlap.
        unsafe { LocalColumns::of(self, archetype) }
    }
}

/// Columns of one archetype, each as long as the archetype, or empty if it lacks the component.
pub(crate) struct LocalColumns<'a> {
    pub local_to_world: &'a mut [LocalToWorld],
    pub local_to_parent: &'a mut [LocalToParent],
    pub world_to_local: &'a mut [WorldToLocal],
    pub rotation: &'a mut [Rotation],
    pub post_rotation: &'a mut [PostRotation],
    pub composite_rotation: &'a mut [CompositeRotation],
    pub composite_scale: &'a mut [CompositeScale],
    pub parent_scale_inverse: &'a mut [ParentScaleInverse],
    pub translation: &'a [Translation],
    pub scale: &'a [Scale],
    pub non_uniform_scale: &'a [NonUniformScale],
    pub rotation_pivot: &'a [RotationPivot],
    pub rotation_pivot_translation: &'a [RotationPivotTranslation],
    pub scale_pivot: &'a [ScalePivot],
    pub scale_pivot_translation: &'a [ScalePivotTranslation],
    pub shear: &'a [Shear],
}

impl<'a> LocalColumns<'a> {
    /// # Safety
    /// No other slice of any column of this archetype may be alive during `'a`.
    unsafe fn of(columns: &Columns<'_>, archetype: u32) -> Self {
        // SAFETY: the caller's promise; every type is named once.
        unsafe {
            Self {
                local_to_world: columns.raw_mut(archetype),
                local_to_parent: columns.raw_mut(archetype),
                world_to_local: columns.raw_mut(archetype),
                rotation: columns.raw_mut(archetype),
                post_rotation: columns.raw_mut(archetype),
                composite_rotation: columns.raw_mut(archetype),
                composite_scale: columns.raw_mut(archetype),
                parent_scale_inverse: columns.raw_mut(archetype),
                translation: columns.raw_mut(archetype),
                scale: columns.raw_mut(archetype),
                non_uniform_scale: columns.raw_mut(archetype),
                rotation_pivot: columns.raw_mut(archetype),
                rotation_pivot_translation: columns.raw_mut(archetype),
                scale_pivot: columns.raw_mut(archetype),
                scale_pivot_translation: columns.raw_mut(archetype),
                shear: columns.raw_mut(archetype),
            }
        }
    }
}
