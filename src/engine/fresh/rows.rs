//! Entities by row. What the rows of an archetype share is found once, and kept in
//! [`FreshRows`].
//!
//! ```text
//!  entity 1,003 ── location ──►  archetype 7, row 12
//!                                    │
//!  FreshRows   archetype 7:  mask         │   LocalToWorld, LocalToParent, Parent, Translation
//!              found once    overridden   ▼   nothing
//!                            parents      [ .. 12: ship .. ]
//!                            translations [ .. 12: (0, 1, 0) .. ]
//! ```
//!
//! So a step up a hierarchy costs Legion's look at the location, and the row itself.

use std::{ops::Deref, sync::OnceLock};

use legion::{
    Entity, EntityStore, Read,
    storage::{Archetype, ArchetypeIndex, ComponentStorage},
};

use super::{
    access::{QueryError, component, entry},
    kind::Kind,
    path::{Path, follow},
};
use crate::{
    components::*,
    engine::{
        overrides::Overrides,
        storage::{Mask, TransformComponent, captured},
    },
};

/// How many archetypes need no memory of their own.
const INLINE: usize = 4;

/// The rows of a store; see the [module](self). Threads may share it.
pub(crate) struct FreshRows<'a, S> {
    pub store: &'a S,
    overrides: Overrides,
    /// The archetypes met first.
    first: [OnceLock<Shared<'a>>; INLINE],
    /// The others, by index.
    others: OnceLock<Box<[OnceLock<Box<Shared<'a>>>]>>,
}

/// All that the rows of an archetype share.
pub(crate) struct Shared<'a> {
    index: ArchetypeIndex,
    kind: Kind,
    parents: Column<'a, Parent>,
    children: Column<'a, Children>,
    inherits: Column<'a, Inherits>,
    translations: Column<'a, Translation>,
    rotations: Column<'a, Rotation>,
    scales: Column<'a, Scale>,
    axes: Column<'a, NonUniformScale>,
}

impl Deref for Shared<'_> {
    type Target = Kind;

    #[inline]
    fn deref(&self) -> &Kind {
        &self.kind
    }
}

/// A column, empty if the archetype lacks the component; `None` if the store grants no access.
struct Column<'a, T>(Option<&'a [T]>);

impl<'a, T: TransformComponent> Column<'a, T> {
    fn of<S: EntityStore>(store: &'a S, mask: Mask, archetype: ArchetypeIndex) -> Self {
        if !mask.has(T::MASK) {
            return Self(Some(&[]));
        }
        let storage = store.get_component_storage::<Read<T>>().ok();
        Self(storage.map(|storage| {
            let column = storage.components().get_downcast::<T>();
            column.and_then(|column| column.get(archetype)).map_or(&[][..], |it| it.into_slice())
        }))
    }

    #[inline]
    fn get(&self, node: &FreshRow<'_, '_>) -> Result<Option<&'a T>, QueryError> {
        match self.0 {
            Some(column) => Ok(column.get(node.row)),
            None => Err(QueryError::MissingAccess {
                component: Some(std::any::type_name::<T>()),
                entity: Some(node.entity),
            }),
        }
    }
}

/// An entity, its row, and what it shares with the other rows.
#[derive(Clone, Copy)]
pub(crate) struct FreshRow<'q, 'a> {
    pub entity: Entity,
    row: usize,
    pub archetype: &'q Shared<'a>,
}

impl PartialEq for FreshRow<'_, '_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.entity == other.entity
    }
}

impl<'a> FreshRow<'_, 'a> {
    #[inline]
    pub fn mask(&self) -> Mask {
        self.archetype.mask
    }

    /// Its place in the order in which Legion stores rows.
    #[inline]
    pub fn place(&self) -> (u32, usize) {
        (self.archetype.index.0, self.row)
    }

    /// Whether it has all of these components.
    #[inline]
    pub fn has(&self, all: Mask) -> bool {
        self.archetype.mask.has(all)
    }

    /// Whether users' components write this one.
    #[inline]
    pub fn is_overridden(&self, component: Mask) -> bool {
        self.archetype.overridden.has(component)
    }

    #[inline]
    pub fn parent(&self) -> Result<Option<&'a Parent>, QueryError> {
        self.archetype.parents.get(self)
    }

    #[inline]
    pub fn children(&self) -> Result<Option<&'a Children>, QueryError> {
        self.archetype.children.get(self)
    }

    #[inline]
    pub fn inherits(&self) -> Result<Inherits, QueryError> {
        Ok(self.archetype.inherits.get(self)?.copied().unwrap_or_default())
    }

    #[inline]
    pub fn translation(&self) -> Result<Option<&'a Translation>, QueryError> {
        self.archetype.translations.get(self)
    }

    #[inline]
    pub fn rotation(&self) -> Result<Option<&'a Rotation>, QueryError> {
        self.archetype.rotations.get(self)
    }

    #[inline]
    pub fn scale(&self) -> Result<Option<&'a Scale>, QueryError> {
        self.archetype.scales.get(self)
    }

    #[inline]
    pub fn axes(&self) -> Result<Option<&'a NonUniformScale>, QueryError> {
        self.archetype.axes.get(self)
    }
}

impl<'a, S: EntityStore> FreshRows<'a, S> {
    #[inline]
    pub fn new(store: &'a S, overrides: Overrides) -> Self {
        let first = [const { OnceLock::new() }; INLINE];
        Self { store, overrides, first, others: OnceLock::new() }
    }

    /// The row of an entity.
    #[inline]
    pub fn node(&self, entity: Entity) -> Result<FreshRow<'_, 'a>, QueryError> {
        let location = entry(self.store, entity)?.location();
        let row = captured(&location.component()) as usize;
        Ok(FreshRow { entity, row, archetype: self.shared(location.archetype()) })
    }

    /// The parent of an entity with a link: it has `Parent`, `LocalToParent` and `LocalToWorld`,
    /// and its parent is alive and has `LocalToWorld`. The link may be on a cycle.
    #[inline]
    pub fn parent(&self, child: FreshRow<'_, 'a>) -> Result<Option<FreshRow<'_, 'a>>, QueryError> {
        if !child.has(Mask::LINK) {
            return Ok(None);
        }
        let Some(&Parent(parent)) = child.parent()? else { return Ok(None) };
        match self.node(parent) {
            Ok(parent) => Ok(Some(parent).filter(|parent| parent.has(Mask::LOCAL_TO_WORLD))),
            Err(QueryError::Dead(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Follows the links upwards from a row.
    #[inline]
    pub fn climb<'q>(
        &'q self,
        start: FreshRow<'q, 'a>,
    ) -> Result<Path<FreshRow<'q, 'a>>, QueryError> {
        follow(start, |node| self.parent(node))
    }

    /// Whether `Parent` alone leads from an entity up to another, whatever else they lack.
    pub fn leads_to(&self, start: Entity, wanted: Entity) -> Result<bool, QueryError> {
        let mut is_met = false;
        follow(start, |entity| {
            is_met |= entity == wanted;
            match self.node(entity) {
                Ok(node) if !is_met => Ok(node.parent()?.map(|parent| parent.0)),
                Ok(_) | Err(QueryError::Dead(_)) => Ok(None),
                Err(error) => Err(error),
            }
        })?;
        Ok(is_met)
    }

    /// A component of a row, if it is there; only then is access needed.
    pub fn get<T: TransformComponent>(
        &self,
        node: FreshRow<'_, 'a>,
    ) -> Result<Option<&'a T>, QueryError> {
        match node.has(T::MASK) {
            true => component(entry(self.store, node.entity)?, node.entity),
            false => Ok(None),
        }
    }

    /// All that the rows of an archetype share.
    #[inline]
    fn shared(&self, index: ArchetypeIndex) -> &Shared<'a> {
        for cell in &self.first {
            match cell.get() {
                Some(known) if known.index == index => return known,
                Some(_) => {}
                None => break,
            }
        }
        self.meet(index)
    }

    /// The same of an archetype that is not among the first, or is met now.
    #[cold]
    fn meet(&self, index: ArchetypeIndex) -> &Shared<'a> {
        let storage = self.store.get_component_storage::<Entity>();
        let archetypes = storage.expect("entities may always be read").archetypes();
        let new = || Shared::of(self.store, &archetypes[index], &self.overrides);
        for cell in &self.first {
            let known = cell.get_or_init(new);
            if known.index == index {
                return known;
            }
        }
        let others = || archetypes.iter().map(|_| OnceLock::new()).collect();
        self.others.get_or_init(others)[index.0 as usize].get_or_init(|| Box::new(new()))
    }
}

impl<'a> Shared<'a> {
    fn of<S: EntityStore>(store: &'a S, archetype: &Archetype, overrides: &Overrides) -> Self {
        let (index, kind) = (archetype.index(), Kind::of(archetype.layout(), overrides));
        let mask = kind.mask;
        Self {
            index,
            kind,
            parents: Column::of(store, mask, index),
            children: Column::of(store, mask, index),
            inherits: Column::of(store, mask, index),
            translations: Column::of(store, mask, index),
            rotations: Column::of(store, mask, index),
            scales: Column::of(store, mask, index),
            axes: Column::of(store, mask, index),
        }
    }
}
