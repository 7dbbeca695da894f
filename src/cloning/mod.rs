//! Copies of subtrees: duplicates, prefabs, parts of a world to be saved; and records for undo.
//!
//! An [`EntityCloner`] clones an entity with all below it, within a world or into another. It knows
//! the components of this crate; you register yours, once.
//!
//! ```
//! use legion::*;
//! use legion_transform::{cloning::EntityCloner, prelude::*};
//!
//! #[derive(Clone, PartialEq)]
//! struct Mesh(&'static str);
//!
//! /// A component that names an entity.
//! #[derive(Clone, PartialEq)]
//! struct Aims(Entity);
//!
//! let mut cloner = EntityCloner::default();
//! cloner.register::<Mesh>().register::<Aims>();
//!
//! let mut world = World::default();
//! let tank = world.push_transform((Translation::new(5.0, 0.0, 0.0), Mesh("tank")));
//! let gun = world.push_child(tank, (Translation::new(0.0, 2.0, 0.0), Aims(tank)));
//!
//! // A duplicate: the gun of the new tank aims at that one.
//! let copies = cloner.duplicate(&mut world, tank)?;
//! let entry = world.entry(copies[&gun]).unwrap();
//! assert_eq!(entry.get_component::<Parent>().unwrap().0, copies[&tank]);
//! assert_eq!(entry.get_component::<Aims>().unwrap().0, copies[&tank]);
//!
//! // A prefab: a world of its own, as often as you like into others.
//! let mut prefab = World::default();
//! let root = cloner.clone_to(&world, tank, &mut prefab, None)?[&tank];
//! for x in 0..3 {
//!     let copy = cloner.clone_to(&prefab, root, &mut world, None)?[&root];
//!     world.set_transform(copy, Transform::from_xyz(x as f32, 0.0, 0.0)).unwrap();
//! }
//! assert_eq!(world.len(), 2 + 2 + 3 * 2);
//! # Ok::<(), legion_transform::cloning::CloneError>(())
//! ```
//!
//! - Links inside go with the copy, also in your own components: their `Clone` clones an `Entity`,
//!   and that is renamed. So derive `Clone` and not `Copy`. Links to outside stay as they are.
//! - All components are copied, also the derived ones. So a copy in the same place has the right
//!   matrices at once.
//! - The root of the copy becomes the last child of its parent.
//! - All or nothing: on an error, or where a `Clone` panics, no world has changed.
//!
//! [Editors and tools](crate::guide::editors) has a program with undo by [`Record`], and with a
//! part of a world as a file.

mod columns;
mod record;
mod renamed;
mod root;

use std::{fmt, sync::Arc};

use legion::{
    Entity, EntityStore, World,
    storage::{ArchetypeIndex, Component, ComponentTypeId},
};

pub use self::record::Record;
use self::{
    columns::{Known, Rows, TypeOf},
    renamed::{EntityMap, renamed},
};
use crate::{
    components::*,
    engine::{OtherLinks, Panics, for_each_component},
    math::SameBits,
    query::{Subtree, Walk},
    spawn::{make_parent, take_ids},
};

/// Clones entities with all below them. See [the module](self).
///
/// It knows the components of this crate from the beginning. For a property of your own register
/// `P` and [`Effective<P>`](Effective).
///
/// What is below an entity counts as for [`Walk`], with the children that were linked since the
/// last run. The root's local transform is the same below its new parent, or in the world. To keep
/// its place instead, edit it afterwards
/// ([`set_local_to_world`](crate::edit::EditTransforms::set_local_to_world)). Children stand in
/// their order.
///
/// Clones inside a world, and out of a prefab, cost in proportion to the entities that are cloned,
/// and a few microseconds besides: an insertion for each archetype.
#[derive(Clone)]
pub struct EntityCloner {
    known: Known,
    leaves_out: bool,
}

impl fmt::Debug for EntityCloner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.known.keys()).finish()
    }
}

impl Default for EntityCloner {
    fn default() -> Self {
        let mut cloner = Self { known: Known::default(), leaves_out: false };
        macro_rules! register {
            ($($component:ident: $bit:ident,)*) => {
                $(cloner.register_by::<$component>(SameBits::same_bits);)*
            };
        }
        for_each_component!(register);
        cloner
            .register_by::<Frame>(SameBits::same_bits)
            .register::<Visible>()
            .register::<RenderLayers>()
            .register::<Effective<Visible>>()
            .register::<Effective<RenderLayers>>();
        cloner
    }
}

impl EntityCloner {
    /// Lets it clone components of this type, by their `Clone`. [Records](#method.record) compare
    /// them by `==`.
    pub fn register<T: Component + Clone + PartialEq>(&mut self) -> &mut Self {
        self.register_by(T::eq)
    }

    /// The same, where records compare them by a function of yours. `|_, _| false` puts them back
    /// always.
    pub fn register_by<T: Component + Clone>(&mut self, is_same: fn(&T, &T) -> bool) -> &mut Self {
        self.known.insert(ComponentTypeId::of::<T>(), Arc::new(TypeOf(is_same)));
        self
    }

    /// Copies are without the components that are not registered. Otherwise these are an error.
    #[must_use]
    pub fn leave_out_unregistered(self) -> Self {
        Self { leaves_out: true, ..self }
    }

    /// Clones an entity with all below it, below the same parent. Returns which entity became
    /// which: `copies[&root]` is the copy of the root.
    ///
    /// # Errors
    /// [`CloneError`]; nothing has changed then.
    pub fn duplicate(&self, world: &mut World, root: Entity) -> Result<EntityMap, CloneError> {
        let parent = root::parent(world, root);
        self.clone_within(world, root, parent.map(Some))
    }

    /// Clones an entity with all below it, below another parent, or as a root. The parent may be
    /// among those that are cloned. Returns which entity became which.
    ///
    /// # Errors
    /// [`CloneError`]; nothing has changed then.
    pub fn duplicate_below(
        &self,
        world: &mut World,
        root: Entity,
        parent: Option<Entity>,
    ) -> Result<EntityMap, CloneError> {
        refuse_dead(world, parent)?;
        let made = self.clone_within(world, root, Some(parent))?;
        parent.into_iter().for_each(|parent| make_parent(world, parent));
        Ok(made)
    }

    /// Clones an entity with all below it into another world, below a parent there, or as a root.
    /// Returns which entity became which. Costs a look at each `Parent` of the source besides, as
    /// [`Walk::fresh`].
    ///
    /// # Errors
    /// [`CloneError`]; nothing has changed then.
    pub fn clone_to(
        &self,
        source: &World,
        root: Entity,
        target: &mut World,
        parent: Option<Entity>,
    ) -> Result<EntityMap, CloneError> {
        refuse_dead(target, parent)?;
        let walk = Walk::fresh(source).expect("a world grants all access");
        let subtree = walk.rows_of(root);
        let made = self.clones(source, root, (subtree, Some(parent)))?.insert(target);
        parent.into_iter().for_each(|parent| make_parent(target, parent));
        Ok(made)
    }

    fn clone_within(
        &self,
        world: &mut World,
        root: Entity,
        to: Option<Option<Entity>>,
    ) -> Result<EntityMap, CloneError> {
        let subtree =
            OtherLinks::with(world, |world, links| Walk::with(world, links).rows_of(root));
        Ok(self.clones(world, root, (subtree, to))?.insert(world))
    }

    /// Clones the entities of a subtree, the root in rows of its own. It keeps its parent, or gets
    /// a different one or none.
    fn clones(
        &self,
        world: &World,
        root: Entity,
        (mut subtree, to): (Subtree, Option<Option<Entity>>),
    ) -> Result<Clones, CloneError> {
        refuse_dead(world, Some(root))?;
        // Copies stand in the order of the originals.
        subtree.rows[1..].sort_unstable_by_key(|&(_, archetype, row)| (archetype.0, row));
        let all = subtree.rows;
        let copies = take_ids(all.len());
        // Legion keeps the first one.
        let map = || all.iter().zip(&copies).map(|(it, copy)| (it.0, *copy)).collect::<EntityMap>();
        let (first, others) = all.split_at(1);
        let mut rows: Vec<Rows> = renamed(map(), || {
            let chunks = [first].into_iter().chain(others.chunk_by(|a, b| a.1 == b.1));
            let mut copies = copies.iter().copied();
            chunks
                .map(|chunk| self.clone_chunk(world, chunk, &mut copies, self.leaves_out))
                .collect::<Result<_, _>>()
        })?;
        let map = map();
        to.into_iter().for_each(|to| root::place(&mut rows[0], world, to));
        let new = subtree.new.iter().map(|child| map[child]).collect();
        Ok(Clones { rows, new, map })
    }

    /// Clones entities of one archetype.
    fn clone_chunk(
        &self,
        world: &World,
        chunk: &[(Entity, ArchetypeIndex, usize)],
        copies: &mut impl Iterator<Item = Entity>,
        leaves_out: bool,
    ) -> Result<Rows, CloneError> {
        let (entity, archetype, _) = chunk[0];
        let numbers: Vec<usize> = chunk.iter().map(|(_, _, row)| *row).collect();
        let entry = world.entry_ref(entity).map_err(|_| CloneError::Dead(entity))?;
        let types = entry.archetype().layout().component_types();
        let mut rows = Rows::new(copies.take(chunk.len()).collect());
        for &component in types {
            match self.known.get(&component) {
                Some(known) => {
                    let column = known.of_world(world, archetype, &numbers);
                    let column = column.ok_or(CloneError::Damaged { entity, component })?;
                    rows.add(component, known, column);
                }
                None if leaves_out => {}
                None => return Err(CloneError::NotRegistered { entity, component }),
            }
        }
        Ok(rows)
    }
}

fn refuse_dead(world: &World, entity: Option<Entity>) -> Result<(), CloneError> {
    entity.filter(|it| !world.contains(*it)).map_or(Ok(()), |it| Err(CloneError::Dead(it)))
}

/// Copies that are in no world yet.
struct Clones {
    rows: Vec<Rows>,
    /// Those that are in no list of `Children`, in the order of their siblings.
    new: Vec<Entity>,
    map: EntityMap,
}

impl Clones {
    fn insert(self, world: &mut World) -> EntityMap {
        let mut panics = Panics::default();
        for rows in self.rows {
            panics.catch(|| rows.insert(world));
        }
        for child in self.new {
            OtherLinks::note_call(world, child, false);
        }
        panics.go_on();
        self.map
    }
}

/// Why nothing was cloned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CloneError {
    /// The entity that was to be cloned, or the new parent, does not exist.
    #[error("{0:?} does not exist (any more)")]
    Dead(Entity),
    /// An entity has a component that is not registered.
    #[error(
        "{entity:?} has a component that is not registered, {component:?}: register it with the \
         EntityCloner, or leave_out_unregistered()"
    )]
    NotRegistered {
        /// The entity.
        entity: Entity,
        /// The type of the component. Legion knows its name in debug builds.
        component: ComponentTypeId,
    },
    /// A column of the world has fewer components than entities: something has damaged it.
    #[error("the column {component:?} of {entity:?} is damaged: see FindingKind::DamagedColumn")]
    Damaged {
        /// An entity of the archetype.
        entity: Entity,
        /// The type of the components.
        component: ComponentTypeId,
    },
}
