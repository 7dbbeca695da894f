//! Entities as they were: what an editor's undo puts back.
//!
//! ```text
//!  record                 restore                          the next run
//!  e3   its components    differs: leaves, comes back      derives what follows from it
//!  e4   its components    is the same: is not touched
//!  e5   dead              is alive: is removed
//!  e3 behind e2, below e1                                  e1 lists e3 there
//! ```

use std::collections::{HashMap, HashSet};

use legion::{Entity, EntityStore, World, world::EntityHasher};

use super::{CloneError, EntityCloner, columns::Rows, root::parent};
use crate::{
    components::Children,
    edit::arrange,
    engine::{FreshRows, OtherLinks, Panics, captured, guard, remove},
    query::Walk,
};

/// Entities as they were, made by [`EntityCloner::record`].
///
/// ```
/// # use legion::*;
/// # use legion_transform::{cloning::{CloneError, EntityCloner}, prelude::*};
/// # let (mut world, cloner) = (World::default(), EntityCloner::default());
/// let lamp = world.push_transform((Translation::new(5.0, 0.0, 0.0),));
/// world.push_child(lamp, (Scale(2.0),));
/// let all: Vec<Entity> = Walk::fresh(&world).unwrap().subtree(lamp).collect();
/// let before = cloner.record(&world, all)?;
/// world.despawn_subtree(lamp);
/// cloner.restore(&before, &mut world)?;
/// assert!(world.contains(lamp) && world.len() == 2 && cloner.is_current(&before, &world));
/// # Ok::<(), CloneError>(())
/// ```
///
/// - Ids come back, so what names the entities is right again.
/// - One that was dead when it was recorded is removed: a record of new entities, taken from an
///   empty world, undoes a spawn.
/// - Children stand behind the sibling behind which they stood. Links of others are not recorded:
///   where a parent goes, its children lose it, so record these, too.
/// - Resources, findings and ids that you keep elsewhere are not in it.
pub struct Record {
    rows: Vec<Rows>,
    dead: Vec<Entity>,
    /// Where children stood whose parents' lists are not recorded, in the order of these lists.
    places: Vec<Place>,
}

/// A child stands behind a sibling; or first.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    parent: Entity,
    child: Entity,
    behind: Option<Entity>,
}

impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.entities()).finish()
    }
}

impl Record {
    /// The entities, also those that were dead.
    pub fn entities(&self) -> impl Iterator<Item = Entity> + '_ {
        let alive = self.rows.iter().flat_map(|rows| &rows.entities);
        alive.chain(&self.dead).copied()
    }
}

type Set = HashSet<Entity, EntityHasher>;

impl EntityCloner {
    /// Records entities as they are: all of their components, and where they stand among their
    /// siblings. One that is dead, or does not exist yet, is recorded as dead. Costs in proportion
    /// to the number of entities, and a look at the lists of their parents.
    ///
    /// # Errors
    /// [`CloneError::NotRegistered`], also where a copy would leave the component out: it could not
    /// be put back. [`CloneError::Damaged`].
    pub fn record(
        &self,
        world: &World,
        entities: impl IntoIterator<Item = Entity>,
    ) -> Result<Record, CloneError> {
        let nodes = FreshRows::new(world);
        let (mut met, mut all, mut dead) = (Set::default(), Vec::new(), Vec::new());
        for entity in entities.into_iter().filter(|entity| met.insert(*entity)) {
            match nodes.node(entity) {
                Ok(node) => all.push((entity, node.archetype.index, node.row)),
                Err(_) => dead.push(entity),
            }
        }
        all.sort_unstable_by_key(|&(_, archetype, row)| (archetype.0, row));
        let mut same = all.iter().map(|(entity, ..)| *entity);
        let chunks = all.chunk_by(|a, b| a.1 == b.1);
        let rows = chunks.map(|chunk| self.clone_chunk(world, chunk, &mut same, false));
        let rows = rows.collect::<Result<_, _>>()?;
        Ok(Record { rows, dead, places: places(world, &met) })
    }

    /// Whether the entities are as they were recorded: all components (this crate's bit for bit,
    /// yours as they were registered), dead or alive, and where they stand among their siblings.
    #[must_use]
    pub fn is_current(&self, record: &Record, world: &World) -> bool {
        let all = record.entities().collect();
        record.dead.iter().all(|entity| !world.contains(*entity))
            && record.rows.iter().all(|rows| others(rows, world).is_empty())
            && places(world, &all) == record.places
    }

    /// Puts the entities back as they were recorded. One that is the same is not touched; each
    /// other one leaves the world, and comes back by its id. The next run does the rest: matrices
    /// follow what is above them *now*. Costs in proportion to the number of entities, and of the
    /// siblings of those that have to be moved among them.
    ///
    /// # Errors
    /// [`CloneError::NotRegistered`] if an entity has a component by now that would be lost; then
    /// nothing has changed.
    pub fn restore(&self, record: &Record, world: &mut World) -> Result<(), CloneError> {
        let back: Vec<Rows> =
            record.rows.iter().map(|rows| rows.select(&others(rows, world))).collect();
        let mut going: Vec<Entity> = back.iter().flat_map(|rows| &rows.entities).copied().collect();
        for &entity in &going {
            self.refuse_unknown(world, entity)?;
        }
        going.extend(&record.dead);
        let mut panics = Panics::default();
        for entity in going {
            panics.catch(|| remove(world, entity));
        }
        for rows in back.into_iter().filter(|rows| !rows.entities.is_empty()) {
            panics.catch(|| rows.insert(world));
        }
        panics.catch(|| put_back(world, record));
        panics.go_on();
        Ok(())
    }

    fn refuse_unknown(&self, world: &World, entity: Entity) -> Result<(), CloneError> {
        let Ok(entry) = world.entry_ref(entity) else { return Ok(()) };
        let mut types = entry.archetype().layout().component_types().iter();
        let unknown = types.find(|component| !self.known.contains_key(component));
        unknown.map_or(Ok(()), |&component| Err(CloneError::NotRegistered { entity, component }))
    }
}

/// The rows whose entities are not as they were.
fn others(rows: &Rows, world: &World) -> Vec<usize> {
    let is_row = |row: &usize| {
        let entry = world.entry_ref(rows.entities[*row]);
        entry.is_ok_and(|entry| rows.is_row(*row, &entry))
    };
    (0..rows.entities.len()).filter(|row| !is_row(row)).collect()
}

/// Where these stand among their siblings. The lists of parents that are recorded, too, say so
/// themselves, but for links that no list has yet: these cost a look at each `Parent` of the world.
fn places(world: &World, entities: &Set) -> Vec<Place> {
    let link = |child: &Entity| Some((parent(world, *child)?, *child));
    let mut links: Vec<_> = entities.iter().filter_map(link).collect();
    links.sort_unstable_by_key(|(parent, _)| captured(parent));
    let (mut all, mut walk) = (Vec::new(), None);
    for links in links.chunk_by(|a, b| a.0 == b.0) {
        let above = links[0].0;
        let Ok(entry) = world.entry_ref(above) else { continue };
        let list = entry.get_component::<Children>().map_or(&[][..], |list| list);
        let listed = in_list(world, above, list, entities);
        if listed.len() < links.len() {
            let walk = walk.get_or_insert_with(|| Walk::fresh(world).expect("all is granted"));
            all.extend(in_list(world, above, &walk.children(above).collect::<Vec<_>>(), entities));
        } else if !entities.contains(&above) {
            all.extend(listed);
        }
    }
    all
}

/// The same of one list, of the children of this parent.
fn in_list(world: &World, above: Entity, list: &[Entity], entities: &Set) -> Vec<Place> {
    let is_child = |entity: &&Entity| parent(world, **entity) == Some(above);
    let place = |(at, &child): (usize, &Entity)| {
        let behind = list[..at].iter().rev().find(is_child).copied();
        Place { parent: above, child, behind }
    };
    let recorded = list.iter().enumerate().filter(|(_, it)| entities.contains(*it));
    recorded.filter(|(_, child)| is_child(child)).map(place).collect()
}

/// Brings children to their places, where they stand elsewhere. Lists that are recorded stay as
/// they are: what they lack follows by calls.
fn put_back(world: &mut World, record: &Record) {
    let recorded: Set = record.entities().collect();
    for siblings in record.places.chunk_by(|a, b| a.parent == b.parent) {
        let parent = siblings[0].parent;
        OtherLinks::with(world, |world, links| {
            let now: Vec<Entity> = Walk::with(world, links).children(parent).collect();
            let list = in_order(&now, siblings);
            let entry = world.entry_ref(parent).ok();
            let listed = entry.as_ref().and_then(|entry| entry.get_component::<Children>().ok());
            let listed: Vec<Entity> =
                listed.into_iter().flat_map(|it| it.0.iter().copied()).collect();
            if recorded.contains(&parent) {
                let new = list.iter().filter(|child| list != now && !listed.contains(child));
                new.for_each(|child| OtherLinks::note_call(world, *child, false));
            } else if listed != list {
                // Written down also where they stand right by chance.
                let moved = siblings.iter().map(|place| place.child);
                guard(world, &[parent], |world| {
                    arrange(world, parent, list.into_iter().collect(), moved, links);
                });
            }
        });
    }
}

/// Children in the order of their places: each stands behind its sibling. With c behind a, and d
/// behind c, `a b d c` becomes `a c d b`.
fn in_order(now: &[Entity], places: &[Place]) -> Vec<Entity> {
    let there: Set = now.iter().copied().collect();
    let placed: Set = places.iter().map(|place| place.child).collect();
    let behind = places.iter().filter_map(|place| Some((place.behind?, place.child)));
    let mut behind: HashMap<Entity, Entity, EntityHasher> = behind.collect();
    let mut list = Vec::with_capacity(now.len());
    let mut append = |first: Entity| {
        let mut next = Some(first);
        while let Some(child) = next {
            list.extend(there.contains(&child).then_some(child));
            next = behind.remove(&child);
        }
    };
    let first = places.iter().filter(|place| place.behind.is_none()).map(|place| place.child);
    first.for_each(&mut append);
    now.iter().copied().filter(|child| !placed.contains(child)).for_each(&mut append);
    // Their siblings are gone.
    let gone = places.iter().filter_map(|place| place.behind).filter(|it| !there.contains(it));
    gone.for_each(&mut append);
    list
}
