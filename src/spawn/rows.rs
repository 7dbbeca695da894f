//! Rows of one type, with the components that their transforms need besides, for [`World::extend`].

use std::{option, vec};

use legion::{Entity, World, storage::ArchetypeWriter};

use super::{
    column::Types,
    derived::{Added, BLOCK, Parents},
    ids::{take_ids, with_unused},
    tuple::ComponentTuple,
};
use crate::{
    components::{Children, LocalToWorld},
    engine::{Panics, guard},
};

/// New entities: a tuple each, with their ids, parents and children.
///
/// The tuples are here already. A user's iterator is [collected](collect) first: where it panics,
/// no column is claimed yet.
pub struct NewRows<I> {
    tuples: I,
    /// The ids they get; empty where ids are taken when the rows are inserted.
    entities: Vec<Entity>,
    added: Added,
}

/// The fewest rows that are appended in blocks. Fewer gain less than the blocks' memory costs.
const FEWEST_IN_BLOCKS: usize = 8;

/// A single row.
pub type One<T> = NewRows<option::IntoIter<T>>;

/// Any number of rows.
pub type Many<T> = NewRows<vec::IntoIter<T>>;

/// The greatest hint of an iterator that gets room. A hint can be wrong: room for 2^58 tuples would
/// end the process.
const MOST_HINTED: usize = 1 << 20;

/// Collects what a user's iterator gives, whatever it says of its size.
pub fn collect<T>(rows: impl IntoIterator<Item = T>) -> Vec<T> {
    let rows = rows.into_iter();
    let mut collected = Vec::with_capacity(rows.size_hint().0.min(MOST_HINTED));
    // Not `extend`: that trusts the hint.
    for row in rows {
        collected.push(row);
    }
    collected
}

impl<T: ComponentTuple> One<T> {
    pub fn one(parent: Option<Entity>, tuple: T) -> Self {
        Self::new(parent, Some(tuple).into_iter())
    }
}

impl<T: ComponentTuple> Many<T> {
    pub fn many(parent: Option<Entity>, tuples: Vec<T>) -> Self {
        Self::new(parent, tuples.into_iter())
    }
}

impl<T: ComponentTuple, I: ExactSizeIterator<Item = T>> NewRows<I> {
    fn new(parent: Option<Entity>, tuples: I) -> Self {
        Self { tuples, entities: Vec::new(), added: Added::new(Parents::Shared(parent)) }
    }

    /// Gives the rows these ids, one each.
    pub fn with_ids(self, entities: Vec<Entity>) -> Self {
        Self { entities, ..self }
    }

    /// Gives each row an id.
    pub fn with_new_ids(self) -> Self {
        let entities = take_ids(self.tuples.len());
        self.with_ids(entities)
    }

    /// Gives the rows parents, one each, that are spawned too and list them.
    pub fn below(mut self, parents: Vec<Entity>) -> Self {
        self.added.parents = Parents::Each(parents);
        self
    }

    /// Gives each row its children; or no row any, if there are none.
    pub fn with_children(mut self, children: Vec<Children>) -> Self {
        self.added.children = children;
        self
    }

    /// The ids that were given to them.
    pub fn ids(&self) -> &[Entity] {
        &self.entities
    }

    /// Inserts the rows. The parent gets the components that a parent needs. Returns the result of
    /// `answer` for the new ids.
    ///
    /// # Panics
    /// If an inherited property of the user's does, or a subscriber. All rows are in the world
    /// then, unless a subscriber did so while their archetype was made or the parent got its
    /// components: then none is.
    #[inline]
    pub fn insert<R>(self, world: &mut World, answer: impl FnOnce(&[Entity]) -> R) -> R {
        let Self { mut tuples, entities, mut added } = self;
        let (rows, mut types) = (tuples.len(), Types::new());
        if rows == 0 {
            return answer(&[]);
        }
        T::list(&mut types);
        let mut panics = Panics::default();
        added.complete(&mut types, world, rows, &mut panics);
        if let Parents::Shared(Some(parent)) = added.parents {
            make_parent(world, parent);
        }
        let mut write = |added: &mut Added, writer: &mut ArchetypeWriter<'_>| {
            let mut append = |ids: &mut dyn Iterator<Item = Entity>| {
                append(&mut tuples, added, writer, ids, &mut panics);
            };
            match entities.is_empty() {
                true => with_unused(|ids| append(ids)),
                false => append(&mut entities.iter().copied()),
            }
        };
        let answer = answer(added.insert(world, &types, T::register, &mut write));
        panics.go_on();
        answer
    }
}

/// Appends the rows, block by block: first the entities, then the columns.
#[inline]
fn append<T: ComponentTuple>(
    tuples: &mut impl ExactSizeIterator<Item = T>,
    added: &mut Added,
    writer: &mut ArchetypeWriter<'_>,
    ids: &mut dyn Iterator<Item = Entity>,
    panics: &mut Panics,
) {
    let count = tuples.len();
    let most = if count < FEWEST_IN_BLOCKS { 1 } else { count.min(BLOCK) };
    let room = room(writer.archetype().entities().len(), count);
    let mut columns = T::claim(writer, room, most);
    let mut added = added.claim(writer, room, most);
    let mut left = count;
    while left > 0 {
        let block = most.min(left);
        panics.push_all(writer, &mut ids.take(block));
        for tuple in tuples.take(block) {
            tuple.append(&mut columns);
        }
        T::flush(&mut columns);
        added.append(block);
        left -= block;
    }
}

/// Gives an entity the components that a parent needs, so that the first run need not move it to
/// another archetype.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline)]
pub(crate) fn make_parent(world: &mut World, parent: Entity) {
    // Without a parent the child waits.
    let Some(entry) = world.entry(parent) else { return };
    let layout = entry.archetype().layout();
    let lacks_world = !layout.has_component::<LocalToWorld>();
    let lacks_children = !layout.has_component::<Children>();
    if lacks_world || lacks_children {
        guard(world, &[parent], |world| {
            let Some(mut entry) = world.entry(parent) else { return };
            if lacks_world {
                entry.add_component(LocalToWorld::identity());
            }
            if lacks_children {
                entry.add_component(Children::new());
            }
        });
    }
}

/// The number of rows for which an archetype of `len` rows gets room when `rows` come.
///
/// Legion's columns grow to exactly the needed size, so each single row would move all of them.
/// With this room they move after an eighth to a quarter more rows, and less than a quarter stays
/// unused. With 1,000 rows the increment is 128: the 1,001st row gets room for 24, up to 1,024.
pub fn room(len: usize, rows: usize) -> usize {
    let increment = (len / 8).next_power_of_two();
    // The next multiple of the increment, without a division.
    ((len + rows).wrapping_sub(1) | (increment - 1)).wrapping_add(1) - len
}
