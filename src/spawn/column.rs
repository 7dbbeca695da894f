//! The columns of one element of a tuple.

use std::any::{Any, type_name};

use legion::storage::{ArchetypeWriter, Component, ComponentTypeId, EntityLayout};
use smallvec::SmallVec;

use crate::{
    components::{NonUniformScale, Rotation, Translation},
    engine::{Appender, Mask},
    transform::Transform,
};

/// The types of a row: 16 of a tuple, two more for a transform, and nine that are derived.
pub type Types = SmallVec<[ComponentTypeId; 27]>;

/// The column of a component; of a [`Transform`], which is a value and no component, the columns of
/// its three parts.
///
/// ```text
///  tuple        (Mesh, Transform)
///  columns       Mesh, Translation, Rotation, NonUniformScale
/// ```
pub enum Column<'w, C: Component> {
    Own(Appender<'w, C>),
    Parts(Appender<'w, Translation>, Appender<'w, Rotation>, Appender<'w, NonUniformScale>),
}

/// The components of a transform.
const PARTS: Mask = Mask::TRANSLATION.union(Mask::ROTATION).union(Mask::NON_UNIFORM_SCALE);

/// Whether the element is a transform. The compiler knows the answer for each type.
#[inline]
fn is_transform<C: Component>() -> bool {
    is_of_transform(ComponentTypeId::of::<C>())
}

#[inline]
fn is_of_transform(id: ComponentTypeId) -> bool {
    id == ComponentTypeId::of::<Transform>()
}

/// Adds the types of an element's columns to a list.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline)]
pub fn list(id: ComponentTypeId, types: &mut Types) {
    match is_of_transform(id) {
        true => types.extend(PARTS.ids()),
        false => types.push(id),
    }
}

/// Adds an element's columns to a layout. The crate's own are added by code that is compiled with
/// it: what adds a component first makes its storage.
///
/// # Panics
/// If one of them is there already.
pub fn register<C: Component>(layout: &mut EntityLayout) {
    if !register_own(ComponentTypeId::of::<C>(), type_name::<C>(), layout) {
        layout.register_component::<C>();
    }
}

fn register_own(id: ComponentTypeId, name: &str, layout: &mut EntityLayout) -> bool {
    let mut types = Types::new();
    list(id, &mut types);
    assert!(
        !types.into_iter().any(|id| layout.has_component_by_id(id)),
        "a tuple of components has {name}, or a part of it, twice: keep one of them (a Transform \
         stands for Translation, Rotation and NonUniformScale)"
    );
    let own = if is_of_transform(id) { Some(PARTS) } else { Mask::of_component(id) };
    own.inspect(|own| own.register(layout)).is_some()
}

impl<'w, C: Component> Column<'w, C> {
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
