//! Rows of one type, with the components that their transforms need besides, for [`World::extend`].

use std::{iter, mem, option, vec};

use legion::{
    Entity, World,
    query::{FilterResult, LayoutFilter},
    storage::{ArchetypeWriter, ComponentTypeId, EntityLayout},
};

use super::{
    column::Types,
    derived::{BLOCK, Derived, DerivedColumns},
    ids::{take_ids, with_unused},
    tuple::ComponentTuple,
};
use crate::{
    components::{Children, LocalToWorld},
    engine::{AppendOrder, InBlocks, Panics, RowSource, Single, guard},
};

/// New entities: a tuple each, with their ids, parents and children.
///
/// The tuples are here already. A user's iterator is [collected](collect) first: where it panics,
/// no column is claimed yet.
pub struct NewRows<I> {
    tuples: I,
    /// The ids they get; empty where ids are taken when the rows are inserted.
    entities: Vec<Entity>,
    parents: Parents,
    /// The children of each row that are spawned with it; empty where no row has any.
    children: Vec<Children>,
}

/// The parents of rows.
enum Parents {
    /// One for all rows, or none.
    Shared(Option<Entity>),
    /// One for each row. It is spawned with them: its `Children` already list them.
    Each(Vec<Entity>),
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
        let parents = Parents::Shared(parent);
        Self { tuples, entities: Vec::new(), parents, children: Vec::new() }
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
    pub fn below(self, parents: Vec<Entity>) -> Self {
        Self { parents: Parents::Each(parents), ..self }
    }

    /// Gives each row its children; or no row any, if there are none.
    pub fn with_children(self, children: Vec<Children>) -> Self {
        Self { children, ..self }
    }

    /// The ids that were given to them.
    pub fn ids(&self) -> &[Entity] {
        &self.entities
    }

    /// Inserts the rows. The parent gets the components that a parent needs. Returns the result of
    /// `answer` for the new ids.
    ///
    /// # Panics
    /// If a subscriber of the user's does. All rows are in the world then, unless it did so while
    /// their archetype was made or the parent got its components: then none is.
    #[inline]
    pub fn insert<R>(mut self, world: &mut World, answer: impl FnOnce(&[Entity]) -> R) -> R {
        if self.tuples.len() == 0 {
            return answer(&[]);
        }
        if let Parents::Shared(Some(parent)) = self.parents {
            make_parent(world, parent);
        }
        let is_child = !matches!(self.parents, Parents::Shared(None));
        let derived = Derived::of::<T>(is_child, !self.children.is_empty());
        let filter = || {
            let mut types = Types::new();
            T::list(&mut types);
            derived.list(&mut types);
            ExactComponents(types)
        };
        let layout = || {
            let mut layout = EntityLayout::default();
            T::register(&mut layout);
            derived.register(&mut layout);
            layout
        };
        let mut panics = Panics::default();
        let write =
            |writer: &mut ArchetypeWriter<'_>| self.append_all(derived, writer, &mut panics);
        let answer = answer(world.extend(RowSource { filter, layout, write }));
        panics.go_on();
        answer
    }

    /// Appends all rows: many of them in blocks.
    #[inline]
    fn append_all(
        &mut self,
        derived: Derived,
        writer: &mut ArchetypeWriter<'_>,
        panics: &mut Panics,
    ) {
        let count = self.tuples.len();
        let entities = mem::take(&mut self.entities);
        let mut append = |ids: &mut dyn Iterator<Item = Entity>| match count < FEWEST_IN_BLOCKS {
            true => self.append::<Single>(derived, writer, 1, ids, panics),
            false => self.append::<InBlocks>(derived, writer, count.min(BLOCK), ids, panics),
        };
        match entities.is_empty() {
            true => with_unused(|ids| append(ids)),
            false => append(&mut entities.into_iter()),
        }
    }

    /// Appends the rows, block by block of `most` rows: first the entities, then the columns.
    #[inline]
    fn append<W: AppendOrder>(
        &mut self,
        derived: Derived,
        writer: &mut ArchetypeWriter<'_>,
        most: usize,
        mut ids: impl Iterator<Item = Entity>,
        panics: &mut Panics,
    ) {
        let Self { tuples, parents, children, .. } = self;
        let count = tuples.len();
        let room = room(writer.archetype().entities().len(), count);
        let mut columns = T::claim::<W>(writer, room, most);
        let mut derived = DerivedColumns::<W>::claim(derived, writer, room, most);
        let mut children = children.iter_mut().map(mem::take);
        let mut start = 0;
        while start < count {
            let block = most.min(count - start);
            panics.push_all(writer, ids.by_ref().take(block));
            for (row, tuple) in iter::zip(start..start + block, tuples.by_ref()) {
                tuple.append::<W>(&mut columns);
                let (parent, is_listed) = match parents {
                    Parents::Shared(parent) => (*parent, false),
                    Parents::Each(parents) => (Some(parents[row]), true),
                };
                derived.append(parent, is_listed, &mut children);
            }
            T::flush::<W>(&mut columns);
            derived.flush(block);
            start += block;
        }
    }
}

/// Gives an entity the components that a parent needs, so that the first run need not move it to
/// another archetype.
#[inline]
fn make_parent(world: &mut World, parent: Entity) {
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

/// Matches the archetypes of exactly these components.
struct ExactComponents(Types);

impl LayoutFilter for ExactComponents {
    #[inline]
    fn matches_layout(&self, components: &[ComponentTypeId]) -> FilterResult {
        // The types of an archetype differ. A tuple that has a type twice matches none, and panics
        // when its layout is made.
        let (types, len) = (&self.0[..], components.len());
        let is_same = || components == types || components.iter().all(|id| types.contains(id));
        FilterResult::Match(len == types.len() && is_same())
    }
}
