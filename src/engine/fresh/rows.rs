//! Entities by row. What the rows of an archetype share is found once, and kept in [`FreshRows`].
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
//! In a skeleton that was spawned as a tree, most bones stand right behind their parents: if row 11
//! above is the ship, the step needs no location, which takes as long as all else.

use std::{
    ops::Deref,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use legion::{Entity, EntityStore, storage::ArchetypeIndex};

use super::{
    met::{denied, entry, found},
    path::Path,
    store::Store,
};
use crate::{
    components::*,
    engine::storage::{Access, Mask, Meaning, ReadColumns, TransformComponent, captured},
    findings::QueryError,
};

/// The rows of a store; see the [module](self). Threads may share it. It is made of `&'a World` or
/// the like, and then taken as one of any [`Store`]: all of its methods are those of that type.
pub(crate) struct FreshRows<'a, S: ?Sized = dyn Store<'a> + 'a> {
    /// Whether matrices count as inserted where no bundle has run yet: `Parent` alone links then.
    pub trusts_parents: bool,
    /// Whether an archetype that was met has frames. In most worlds none has.
    pub has_met_frames: AtomicBool,
    /// What may be read, of the components that most questions read.
    pub access: Access<'a>,
    met: Met<'a>,
    pub store: S,
}

/// The archetypes that were met so far.
struct Met<'a> {
    /// Those met first, which need no memory of their own.
    first: [OnceLock<Shared<'a>>; 4],
    /// The others, by index.
    others: OnceLock<Box<[OnceLock<Box<Shared<'a>>>]>>,
}

/// All that the rows of an archetype share.
pub(crate) struct Shared<'a> {
    pub index: ArchetypeIndex,
    pub meaning: Meaning,
    columns: ReadColumns<'a>,
    /// The same for roots whose link the next run removes.
    unlinked: OnceLock<Box<Shared<'a>>>,
}

/// The components that most questions read, and a row's values of them.
macro_rules! values {
    ($($name:ident: $component:ident,)*) => {
        const READ: Mask = Mask::NONE$(.union($component::MASK))*;

        impl<'a> FreshRow<'_, 'a> {$(
            #[inline]
            pub fn $name(&self) -> Result<Option<&'a $component>, QueryError> {
                let column = self.archetype.columns.$name;
                Ok(column.ok_or_else(|| denied::<$component>(self.entity))?.get(self.row))
            }
        )*}
    };
}
values! {
    parent: Parent,
    children: Children,
    inherited: Inherits,
    translation: Translation,
    rotation: Rotation,
    scale: Scale,
    axes: NonUniformScale,
}

/// The parent of an entity, where matrices are missing.
#[cold]
fn unlinked<'q, 'a>(
    child: FreshRow<'q, 'a>,
    parent: FreshRow<'q, 'a>,
) -> Result<Option<FreshRow<'q, 'a>>, QueryError> {
    match parent.archetype.meaning.inserts {
        Some(inserts) => Ok(inserts.then_some(parent)),
        None => Err(lacks(child, parent)),
    }
}

/// What a child or its parent lacks for their link.
fn lacks(child: FreshRow<'_, '_>, parent: FreshRow<'_, '_>) -> QueryError {
    match child.has(Mask::LOCAL_TO_PARENT) {
        true if child.has(Mask::LOCAL_TO_WORLD) => QueryError::NoLocalToWorld(parent.entity),
        true => QueryError::NoLocalToWorld(child.entity),
        false => QueryError::NoLocalToParent(child.entity),
    }
}

/// An entity, its row, and what it shares with the other rows.
#[derive(Clone, Copy)]
pub(crate) struct FreshRow<'q, 'a> {
    pub entity: Entity,
    pub row: usize,
    pub archetype: &'q Shared<'a>,
}

/// An entity and its ancestors, as rows.
pub(crate) type WayUp<'q, 'a> = Path<FreshRow<'q, 'a>>;

impl PartialEq for FreshRow<'_, '_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.entity == other.entity
    }
}

impl FreshRow<'_, '_> {
    /// A root as it is after the next run, which removes a broken link first: what the link held
    /// back has come.
    pub fn unlinked(self) -> Self {
        let Shared { index, meaning, columns, unlinked } = self.archetype;
        let Some(meaning) = meaning.unlinked() else { return self };
        let (index, columns) = (*index, *columns);
        let new = || Box::new(Shared { index, meaning, columns, unlinked: OnceLock::new() });
        Self { archetype: unlinked.get_or_init(new), ..self }
    }

    /// Whether it has all of these components.
    #[inline]
    pub fn has(&self, all: Mask) -> bool {
        self.archetype.meaning.mask.has(all)
    }

    /// Whether users' components write this one.
    #[inline]
    pub fn is_overridden(&self, component: Mask) -> bool {
        self.archetype.meaning.overridden.has(component)
    }

    #[inline]
    pub fn inherits(&self) -> Result<Inherits, QueryError> {
        Ok(self.inherited()?.copied().unwrap_or_default())
    }
}

impl<'a, S: EntityStore> FreshRows<'a, &'a S> {
    #[inline]
    pub fn new(store: &'a S) -> Self {
        let access = store.access(READ);
        let met = Met { first: Default::default(), others: OnceLock::new() };
        Self { trusts_parents: false, has_met_frames: AtomicBool::new(false), access, met, store }
    }

    /// The matrix of an entity, as it is stored.
    pub fn stored_world(store: &'a S, entity: Entity) -> Result<LocalToWorld, QueryError> {
        let row = entry(&store, entity)?;
        found(row.get_component(), entity)?.copied().ok_or(QueryError::NoLocalToWorld(entity))
    }
}

impl<'a, S: EntityStore> Deref for FreshRows<'a, &'a S> {
    type Target = FreshRows<'a>;
    fn deref(&self) -> &FreshRows<'a> {
        self
    }
}

impl<'a> FreshRows<'a> {
    /// The row of an entity.
    #[inline]
    pub fn node(&self, entity: Entity) -> Result<FreshRow<'_, 'a>, QueryError> {
        let location = entry(&self.store, entity)?.location();
        let row = captured(&location.component()) as usize;
        Ok(FreshRow { entity, row, archetype: self.shared(location.archetype()) })
    }

    /// The row of an entity, which is often this one: then Legion need not look it up.
    #[inline]
    pub fn node_at<'q>(
        &'q self,
        entity: Entity,
        (archetype, row): (&'q Shared<'a>, usize),
    ) -> Result<FreshRow<'q, 'a>, QueryError> {
        match archetype.columns.entities.get(row) == Some(&entity) {
            true => Ok(FreshRow { entity, row, archetype }),
            false => self.node(entity),
        }
    }

    /// The parent of an entity with a link: it has `Parent`, `LocalToParent` and `LocalToWorld`,
    /// and its parent is alive and has `LocalToWorld`, or the next run inserts what is missing. The
    /// link may be on a cycle.
    ///
    /// # Errors
    /// If something is missing, and no bundle has run that may insert it.
    #[inline]
    pub fn parent<'q>(
        &'q self,
        child: FreshRow<'q, 'a>,
    ) -> Result<Option<FreshRow<'q, 'a>>, QueryError> {
        let meaning = &child.archetype.meaning;
        if !meaning.mask.has(Mask::LINK) && meaning.inserts.is_some() {
            return Ok(None);
        }
        let Some(&Parent(parent)) = child.parent()? else { return Ok(None) };
        // Often it stands right before the child.
        match self.node_at(parent, (child.archetype, child.row.wrapping_sub(1))) {
            Ok(parent) if meaning.mask.has(Mask::LINK) && parent.has(Mask::LOCAL_TO_WORLD) => {
                Ok(Some(parent))
            }
            Ok(parent) => unlinked(child, parent),
            Err(QueryError::Dead(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Follows the links upwards from the only row of a path. See [`Path::follow`].
    #[inline]
    pub fn climb_links<'q>(&'q self, path: &mut WayUp<'q, 'a>) -> Result<(), QueryError> {
        path.follow(|node| self.parent(node))
    }

    /// The same, and finds whether the root waits for its parent: the record does not name it.
    #[inline]
    pub fn climb<'q>(&'q self, path: &mut WayUp<'q, 'a>) -> Result<(), QueryError> {
        self.climb_links(path)?;
        let root = path.root();
        path.is_held |= root.has(Mask::LINK) && self.waits(root)?;
        Ok(())
    }

    /// Whether an entity has all components of a child, and a parent that has not come.
    ///
    /// # Errors
    /// If something is missing, and no bundle has run that may insert it.
    #[cold]
    pub fn waits(&self, node: FreshRow<'_, 'a>) -> Result<bool, QueryError> {
        let is_root = self.parent(node)?.is_none();
        if !node.has(Mask::LINK) {
            let is_known = node.archetype.meaning.inserts.is_some() || !node.has(Mask::PARENT);
            return if is_root && !is_known { Err(lacks(node, node)) } else { Ok(false) };
        }
        Ok(is_root && self.lost_parent(node)?.is_none())
    }

    /// The `Parent` of a root, where the record names it, too: it has died.
    pub fn lost_parent(&self, root: FreshRow<'_, 'a>) -> Result<Option<Entity>, QueryError> {
        let record = self.get::<PreviousParent>(root)?.and_then(|record| record.0);
        Ok(root.parent()?.map(|parent| parent.0).filter(|parent| record == Some(*parent)))
    }

    /// Whether `Parent` alone leads from an entity up to another, whatever else they lack.
    pub fn leads_to(&self, start: Entity, wanted: Entity) -> Result<bool, QueryError> {
        let mut is_met = false;
        Path::of(start).follow(|entity| {
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
            true => found(entry(&self.store, node.entity)?.into_component(), node.entity),
            false => Ok(None),
        }
    }

    /// All that the rows of an archetype share.
    #[inline]
    fn shared(&self, index: ArchetypeIndex) -> &Shared<'a> {
        let mut known = self.met.first.iter().map_while(OnceLock::get);
        known.find(|known| known.index == index).unwrap_or_else(|| self.meet(index))
    }

    /// The same of an archetype that is not among the first, or is met now.
    #[cold]
    fn meet(&self, index: ArchetypeIndex) -> &Shared<'a> {
        let new = || {
            let mut meaning = Meaning::met(&self.store, index);
            if self.trusts_parents && meaning.inserts.is_none() {
                meaning = meaning.with_matrices();
            }
            self.has_met_frames.fetch_or(meaning.has_frame, Relaxed);
            let columns =
                self.access.columns(index, meaning.mask).expect("an entity of it was read");
            Shared { index, meaning, columns, unlinked: OnceLock::new() }
        };
        for cell in &self.met.first {
            let known = cell.get_or_init(new);
            if known.index == index {
                return known;
            }
        }
        let others = || self.access.all().map(|_| OnceLock::new()).collect();
        self.met.others.get_or_init(others)[index.0 as usize].get_or_init(|| Box::new(new()))
    }
}
