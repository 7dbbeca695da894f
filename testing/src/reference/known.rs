//! What is known of a world while its reference is computed, parents first.

use std::collections::HashMap;

use legion::Entity;

use crate::{
    kind::{Kind, Numbers},
    reference::{
        bounded::{Bounded, World as WorldMatrix},
        formulas as f,
        inherits::inherited,
        inverse::Inverse,
        links::Links,
        setup::Setup,
    },
    snapshot::{Row, Snapshot, matrix64},
};

/// A world as it stands, and the options of its bundle.
#[derive(Clone, Copy)]
pub(crate) struct Standing<'a> {
    pub setup: &'a Setup,
    pub links: &'a Links,
    pub all: &'a Snapshot,
}

/// What a component must be after a run.
#[allow(clippy::large_enum_variant)] // most of them are the large one
#[derive(Clone, Copy, Debug)]
pub enum Derived {
    /// The user's: these very bits.
    Kept(Numbers),
    /// A matrix, or a quaternion whose rotation it is.
    Near(Bounded),
    /// The inverse of a 4x4; the identity where there is none.
    InverseOf(Inverse),
}

impl Derived {
    /// The matrix, as far as it is known. (A kept quaternion is none.)
    #[must_use]
    pub fn bounded(&self) -> Option<Bounded> {
        match self {
            Self::Kept(numbers) => Some(Bounded::exact(matrix64(numbers))),
            Self::Near(bounded) | Self::InverseOf(Inverse::Finite(bounded)) => Some(*bounded),
            Self::InverseOf(Inverse::None) => Some(f::identity()),
            Self::InverseOf(Inverse::Unclear) => Some(Bounded::unknown()),
        }
    }
}

/// The links, and the values of all entities so far.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) links: Links,
    pub(crate) setup: Setup,
    pub(crate) values: HashMap<Entity, Vec<(Kind, Derived)>>,
    pub(crate) worlds: HashMap<Entity, WorldMatrix>,
    /// `ParentScaleInverse` that the bundle wrote: the identity once it has no source.
    pub(crate) written: HashMap<Entity, Numbers>,
}

impl Known {
    pub(crate) fn value(&self, entity: Entity, kind: Kind) -> Option<&Derived> {
        let mut values = self.values.get(&entity).into_iter().flatten();
        values.find(|(of, _)| *of == kind).map(|(_, value)| value)
    }

    /// What an entity inherits of its parent's world.
    pub(crate) fn above(&self, parent: Entity, row: &Row) -> WorldMatrix {
        let above = self.worlds.get(&parent).copied();
        inherited_by(row, above.unwrap_or_else(|| WorldMatrix::new(Bounded::unknown())))
    }
}

/// What an entity inherits of the world above it.
pub(crate) fn inherited_by(row: &Row, above: WorldMatrix) -> WorldMatrix {
    let parts = row.get(Kind::Inherits).map_or([true; 3], |it| [0, 1, 2].map(|i| it[i] == 1.0));
    if parts == [true; 3] {
        return above;
    }
    // To which elements of the parent's a NaN has spread depends on the order of operations.
    if above.matrix.value.iter().any(|x| !x.is_finite()) {
        return WorldMatrix::new(Bounded::unknown());
    }
    WorldMatrix::new(inherited(&above.matrix, parts))
}
