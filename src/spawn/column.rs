//! The columns of one element of a tuple.

use std::any::{Any, type_name};

use legion::storage::{ArchetypeWriter, Component, ComponentTypeId, EntityLayout};
use smallvec::SmallVec;

use crate::{
    components::{NonUniformScale, Rotation, Translation},
    engine::{AppendOrder, Appender},
    transform::Transform,
};

/// The types of a row: 16 of a tuple, two more for a transform, and five that are derived.
pub type Types = SmallVec<[ComponentTypeId; 23]>;

/// The column of a component; of a [`Transform`], which is a value and no component, the columns of
/// its three parts.
///
/// ```text
///  tuple        (Mesh, Transform)
///  columns       Mesh, Translation, Rotation, NonUniformScale
/// ```
pub enum Column<'w, C: Component, W: AppendOrder> {
    Own(Appender<'w, C, W>),
    Parts(
        Appender<'w, Translation, W>,
        Appender<'w, Rotation, W>,
        Appender<'w, NonUniformScale, W>,
    ),
}

/// Whether the element is a transform. The compiler knows the answer for each type.
#[inline]
fn is_transform<C: Component>() -> bool {
    ComponentTypeId::of::<C>() == ComponentTypeId::of::<Transform>()
}

/// Adds the types of an element's columns to a list.
#[inline]
pub fn list<C: Component>(types: &mut Types) {
    match is_transform::<C>() {
        true => types.extend([
            ComponentTypeId::of::<Translation>(),
            ComponentTypeId::of::<Rotation>(),
            ComponentTypeId::of::<NonUniformScale>(),
        ]),
        false => types.push(ComponentTypeId::of::<C>()),
    }
}

fn register_one<C: Component>(layout: &mut EntityLayout) {
    let name = type_name::<C>();
    assert!(
        !layout.has_component::<C>(),
        "a tuple of components has {name} twice: keep one of them (a Transform stands for \
         Translation, Rotation and NonUniformScale)"
    );
    layout.register_component::<C>();
}

/// Adds an element's columns to a layout.
///
/// # Panics
/// If one of them is there already.
pub fn register<C: Component>(layout: &mut EntityLayout) {
    if is_transform::<C>() {
        register_one::<Translation>(layout);
        register_one::<Rotation>(layout);
        register_one::<NonUniformScale>(layout);
    } else {
        register_one::<C>(layout);
    }
}

impl<'w, C: Component, W: AppendOrder> Column<'w, C, W> {
    /// Claims the columns, with room for `rows` rows, which come in blocks.
    pub fn claim(writer: &mut ArchetypeWriter<'w>, rows: usize, block: usize) -> Self {
        match is_transform::<C>() {
            true => Self::Parts(
                Appender::claim_blocks(writer, rows, block),
                Appender::claim_blocks(writer, rows, block),
                Appender::claim_blocks(writer, rows, block),
            ),
            false => Self::Own(Appender::claim_blocks(writer, rows, block)),
        }
    }

    /// Appends an element.
    #[inline]
    pub fn push(&mut self, element: C) {
        match self {
            Self::Own(column) => column.push(element),
            Self::Parts(translations, rotations, scales) => {
                if let Some(transform) = (&element as &dyn Any).downcast_ref::<Transform>() {
                    let (translation, rotation, scale) = transform.components();
                    translations.push(translation);
                    rotations.push(rotation);
                    scales.push(scale);
                }
            }
        }
    }

    /// Ends a block.
    #[inline]
    pub fn flush(&mut self) {
        match self {
            Self::Own(column) => column.flush(),
            Self::Parts(translations, rotations, scales) => {
                translations.flush();
                rotations.flush();
                scales.flush();
            }
        }
    }
}
