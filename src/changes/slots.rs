//! Slots of instances: stable numbers for what a renderer draws.
//!
//! ```text
//!  run                              went        came        slots
//!  1   ship, rock come                          0, 1        ship rock
//!  2   rock is despawned, gem comes rock 1      gem 2       ship -    gem
//!  3   shot comes                               shot 1      ship shot gem
//! ```
//!
//! A slot that went is free from the next run on: so none goes and comes in the same run.

use std::{collections::HashMap, marker::PhantomData, ops::Range};

use legion::{
    Entity, EntityStore,
    storage::{ArchetypeIndex, Component},
    world::{EntityAccessError, EntityHasher, WorldId},
};

use super::{FollowError, QueryError, RowSet, TransformChanges, WorldChanges, now::MatricesNow};
use crate::{
    components::LocalToWorld,
    engine::{Access, Mask, Store},
};

/// An entity in its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instance {
    /// The number of the slot.
    pub slot: usize,
    /// The entity that has it, or had it.
    pub entity: Entity,
}

/// A number for each entity with a [`LocalToWorld`] and the component `M`, say its mesh. An entity
/// keeps its number as long as it has both. The numbers of others are used again, so a buffer with
/// an element a slot stays about as long as there were entities at once.
///
/// ```
/// use legion::*;
/// use legion_transform::{changes::InstanceSlots, prelude::*};
///
/// struct Mesh;
///
/// let (mut world, mut resources) = (World::default(), Resources::default());
/// let bundle = TransformSystemBundle::default().track_changes();
/// let mut schedule = Schedule::builder().add_transforms(bundle).build();
/// let cubes = (0..9).map(|i| (Translation::new(i as f32, 0.0, 0.0), Mesh));
/// let cubes = world.extend_transforms(cubes).to_vec();
///
/// let (mut slots, mut buffer, mut writes) = (InstanceSlots::<Mesh>::default(), Vec::new(), 0);
/// for tick in 0..3 {
///     if tick == 1 {
///         world.entry(cubes[4]).unwrap().remove_component::<Mesh>();
///         world.entry(cubes[7]).unwrap().add_component(Translation::new(0.0, 5.0, 0.0));
///     }
///     schedule.execute(&mut world, &mut resources);
///     slots.follow(&world, &resources.get::<TransformChanges>().unwrap())?;
///     buffer.resize(slots.len(), [0.0; 16]); // a matrix of zeros draws nothing
///     slots.went().iter().for_each(|it| buffer[it.slot] = [0.0; 16]);
///     for (it, matrix) in slots.updates(&world)? {
///         buffer[it.slot].copy_from_slice(matrix.as_slice());
///     }
///     writes += slots.take_changed().count(); // upload `buffer[range]` for each
/// }
/// assert_eq!(writes, 3, "all nine at once; slots 4 and 7; nothing");
/// assert_eq!((buffer[4], buffer[7][13]), ([0.0; 16], 5.0));
/// # Ok::<(), legion_transform::changes::FollowError>(())
/// ```
///
/// With [`Smooth`](crate::smooth::Smooth), a frame writes what
/// [`Smooth::instances`](crate::smooth::Smooth::instances) lists, in place of
/// [`updates`](Self::updates).
///
/// All is as of the run that was followed. What was despawned since then keeps its slot until the
/// next. If runs were not followed, if the list of changes
/// [begins anew](WorldChanges::begins_anew), or if the resources are others, everything is looked
/// at again: entities that have a slot keep it. With another world all go, and its own come.
///
/// That `M` has another value is for the program to know: another mesh in the same slot.
///
/// Costs 32 to 52 bytes a slot, and 8 more for one that changes; and time in proportion to what
/// changed: 6 to 9 ns each to follow it, and as much to list it.
#[derive(Debug)]
pub struct InstanceSlots<M> {
    slots: Slots,
    of: PhantomData<fn() -> M>,
}

impl<M> Default for InstanceSlots<M> {
    fn default() -> Self {
        Self { slots: Slots::default(), of: PhantomData }
    }
}

impl<M: Component> InstanceSlots<M> {
    /// Follows a run. Call it after each run of a bundle with
    /// [`track_changes`](crate::TransformSystemBundle::track_changes) on the world. A system needs
    /// no access: no component is read.
    ///
    /// # Errors
    /// [`FollowError::NotTracked`] if no bundle with `track_changes` has run on the world.
    pub fn follow<S: EntityStore>(
        &mut self,
        world: &S,
        changes: &TransformChanges,
    ) -> Result<(), FollowError> {
        let list = changes.tracked(world).ok_or(FollowError::NotTracked)?;
        let access = Access::of(world, Mask::NONE);
        let has = |archetype| {
            let layout = access.layout(ArchetypeIndex(archetype));
            layout.has_component::<M>() && layout.has_component::<LocalToWorld>()
        };
        self.slots.follow(world.id(), list, &has);
        Ok(())
    }

    /// The entities that got a slot in the last [`follow`](Self::follow).
    #[must_use]
    pub fn came(&self) -> &[Instance] {
        &self.slots.came
    }

    /// The entities that lost their slot in the last [`follow`](Self::follow): they died, or lost
    /// `M` or their `LocalToWorld`.
    #[must_use]
    pub fn went(&self) -> &[Instance] {
        &self.slots.went
    }

    /// The instances that came, moved or got another component in the last
    /// [`follow`](Self::follow), with their matrices of now. A system needs read access to
    /// `LocalToWorld` on them.
    ///
    /// # Errors
    /// [`QueryError::MissingAccess`] in a system that may not read all of them.
    pub fn updates<'a, S: EntityStore>(
        &'a self,
        world: &'a S,
    ) -> Result<impl Iterator<Item = (Instance, LocalToWorld)> + use<'a, S, M>, QueryError> {
        let (slots, access) = (&self.slots, Access::of(world, Mask::LOCAL_TO_WORLD));
        slots.check(&access, &world)?;
        Ok(Updates { slots, access, rows: slots.changed.iter(), matrices: None, world })
    }

    /// The slots that changed since the last call, as ranges: of [`went`](Self::went), of
    /// [`updates`](Self::updates), and of [`Smooth::instances`](crate::smooth::Smooth::instances).
    pub fn take_changed(&mut self) -> impl Iterator<Item = Range<usize>> + use<M> {
        self.slots.take_marked().into_iter()
    }

    /// How many slots there are, with those that are free: the length of a buffer.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.entities.len()
    }

    /// Whether no entity has ever had a slot.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.entities.is_empty()
    }

    /// The slot of an entity, as of the last [`follow`](Self::follow).
    #[must_use]
    pub fn slot(&self, entity: Entity) -> Option<usize> {
        self.slots.by_entity.get(&entity).map(|&slot| slot as usize)
    }

    /// The entity in a slot, if it is not free.
    #[must_use]
    pub fn entity(&self, slot: usize) -> Option<Entity> {
        *self.slots.entities.get(slot)?
    }

    pub(crate) fn of_rows(&mut self) -> &mut Slots {
        &mut self.slots
    }
}

/// The slots, whatever the component.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    world: Option<WorldId>,
    /// The stamp of the list that was followed last.
    stamp: u64,
    /// By archetype, the slots of its rows; `None` where entities get none.
    columns: Vec<Option<Vec<u32>>>,
    /// By slot.
    entities: Vec<Option<Entity>>,
    /// By slot: whether its entity stands in a row. During a run, one may have left its row.
    is_placed: Vec<bool>,
    by_entity: HashMap<Entity, u32, EntityHasher>,
    free: Vec<u32>,
    came: Vec<Instance>,
    went: Vec<Instance>,
    /// The archetypes and rows that changed in the last run.
    changed: Vec<(u32, u32)>,
    /// The slots to be uploaded.
    marked: RowSet,
}

impl Slots {
    fn follow(&mut self, world: WorldId, list: &WorldChanges, has: &dyn Fn(u32) -> bool) {
        self.came.clear();
        self.went.clear();
        self.changed.clear();
        let (after, stamp) = list.stamps();
        // A run that panicked has left no list, and one may be followed twice.
        if stamp == 0 || stamp == self.stamp {
            return;
        }
        let mut left = Vec::new();
        let is_other = self.world.replace(world) != Some(world);
        if is_other {
            self.by_entity.clear();
        }
        if !is_other && self.stamp == after {
            for rows in list.archetypes().filter(|rows| has(rows.archetype().0)) {
                self.leave(rows.archetype().0, rows.rows(), rows.entities(), &mut left);
            }
            for rows in list.archetypes().filter(|rows| has(rows.archetype().0)) {
                self.enter(rows.archetype().0, rows.rows(), rows.entities());
            }
        } else {
            left = self.leave_all();
            for (archetype, entities) in list.entities_by_row().filter(|it| has(it.0)) {
                self.enter(archetype, 0..entities.len(), entities);
            }
        }
        self.stamp = stamp;
        left.retain(|&slot| !self.is_placed[slot as usize]);
        self.free_all(left);
    }

    /// Rows of an archetype have changed: the entities that were there before may be elsewhere.
    fn leave(
        &mut self,
        archetype: u32,
        rows: impl Iterator<Item = usize>,
        entities: &[Entity],
        left: &mut Vec<u32>,
    ) {
        let Some(Some(column)) = self.columns.get_mut(archetype as usize) else { return };
        let known = column.len();
        for row in rows.take_while(|&row| row < known).chain(entities.len()..known) {
            let slot = column[row];
            if self.entities[slot as usize].as_ref() != entities.get(row) {
                self.is_placed[slot as usize] = false;
                left.push(slot);
            }
        }
        column.truncate(entities.len());
    }

    /// Takes over rows of an archetype that have changed.
    fn enter(&mut self, archetype: u32, rows: impl Iterator<Item = usize>, entities: &[Entity]) {
        let mut column = self.take_column(archetype);
        // Rows that are new are all among those that changed.
        column.resize(entities.len(), u32::MAX);
        for row in rows.take_while(|&row| row < entities.len()) {
            let slot = match column[row] {
                slot if self.entity(slot) == Some(entities[row]) => slot,
                _ => self.place(entities[row]),
            };
            column[row] = slot;
            self.is_placed[slot as usize] = true;
            self.changed.push((archetype, row as u32));
            self.marked.insert(slot);
        }
        self.columns[archetype as usize] = Some(column);
    }

    fn take_column(&mut self, archetype: u32) -> Vec<u32> {
        if self.columns.len() <= archetype as usize {
            self.columns.resize_with(archetype as usize + 1, || None);
        }
        self.columns[archetype as usize].take().unwrap_or_default()
    }

    fn entity(&self, slot: u32) -> Option<Entity> {
        *self.entities.get(slot as usize)?
    }

    /// The slot of an entity: that which it has, or a free one.
    fn place(&mut self, entity: Entity) -> u32 {
        if let Some(&slot) = self.by_entity.get(&entity) {
            return slot;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.entities.push(None);
            self.is_placed.push(false);
            self.entities.len() as u32 - 1
        });
        self.entities[slot as usize] = Some(entity);
        self.by_entity.insert(entity, slot);
        self.came.push(Instance { slot: slot as usize, entity });
        slot
    }

    /// All slots that are not free: their entities stand in no row any more.
    fn leave_all(&mut self) -> Vec<u32> {
        self.columns.clear();
        self.is_placed.fill(false);
        (0..self.entities.len() as u32).filter(|&slot| self.entity(slot).is_some()).collect()
    }

    fn free_all(&mut self, slots: Vec<u32>) {
        for slot in slots {
            let Some(entity) = self.entities[slot as usize].take() else { continue };
            // An entity of another world may have the same id, and another slot.
            if self.by_entity.get(&entity) == Some(&slot) {
                self.by_entity.remove(&entity);
            }
            self.went.push(Instance { slot: slot as usize, entity });
            self.free.push(slot);
            self.marked.insert(slot);
        }
    }

    /// The entity in a row that changed.
    #[inline]
    fn instance(&self, archetype: u32, row: u32) -> Option<Instance> {
        let slot = self.columns[archetype as usize].as_ref()?[row as usize];
        Some(Instance { slot: slot as usize, entity: self.entity(slot)? })
    }

    /// Checks that all that changed may be read. Where no matrix of the world is hidden, this looks
    /// at no row.
    fn check<'a>(&self, access: &Access<'a>, world: &dyn Store<'a>) -> Result<(), QueryError> {
        access.check(Mask::LOCAL_TO_WORLD, |_| false)?;
        let has_world = |at| access.layout(at).has_component::<LocalToWorld>();
        if access.check(Mask::NONE, has_world).is_ok() {
            return Ok(());
        }
        for rows in self.changed.chunk_by(|a, b| a.0 == b.0) {
            let matrices = MatricesNow::of(access, ArchetypeIndex(rows[0].0));
            for &(archetype, row) in rows {
                let Some(Instance { entity, .. }) = self.instance(archetype, row) else { continue };
                if matrices.in_row(row as usize, entity).is_none()
                    && matches!(world.entry_of(entity), Err(EntityAccessError::AccessDenied))
                {
                    let (component, entity) = (None, Some(entity));
                    return Err(QueryError::MissingAccess { component, entity });
                }
            }
        }
        Ok(())
    }

    /// The slot of the entity in a row, to be uploaded, if it has one.
    #[inline]
    pub fn mark(&mut self, archetype: u32, row: u32, entity: Entity) -> Option<usize> {
        let slot = *self.columns.get(archetype as usize)?.as_ref()?.get(row as usize)?;
        if self.entity(slot) != Some(entity) {
            return None;
        }
        self.marked.insert(slot);
        Some(slot as usize)
    }

    /// Whether entities of an archetype have slots.
    pub fn has(&self, archetype: u32) -> bool {
        self.columns.get(archetype as usize).is_some_and(Option::is_some)
    }

    fn take_marked(&mut self) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for slot in self.marked.rows(self.entities.len()).map(|slot| slot as usize) {
            match ranges.last_mut() {
                Some(range) if range.end == slot => range.end += 1,
                _ => ranges.push(slot..slot + 1),
            }
        }
        self.marked.clear();
        ranges
    }
}

/// Made by [`InstanceSlots::updates`], of `&'a World` or the like, and then taken as one of any
/// [`Store`].
struct Updates<'a, S: ?Sized = dyn Store<'a> + 'a> {
    slots: &'a Slots,
    access: Access<'a>,
    rows: std::slice::Iter<'a, (u32, u32)>,
    /// Those of the archetype of the last row.
    matrices: Option<(u32, MatricesNow<'a>)>,
    world: S,
}

impl<'a, S: EntityStore> Iterator for Updates<'a, &'a S> {
    type Item = (Instance, LocalToWorld);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let any: &mut Updates<'a> = self;
        any.next_update()
    }
}

impl Updates<'_> {
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    fn next_update(&mut self) -> Option<(Instance, LocalToWorld)> {
        loop {
            let &(archetype, row) = self.rows.next()?;
            let matrices = match self.matrices {
                Some((last, matrices)) if last == archetype => matrices,
                _ => MatricesNow::of(&self.access, ArchetypeIndex(archetype)),
            };
            self.matrices = Some((archetype, matrices));
            let instance = self.slots.instance(archetype, row)?;
            // One that died since the run has none.
            if let Some(matrix) = matrices.at(row as usize, instance.entity, &self.world) {
                return Some((instance, *matrix));
            }
        }
    }
}
