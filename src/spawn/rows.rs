//! Rows of one type, with the components that their transforms need besides: a source of components
//! for [`World::extend`].

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    vec,
};

use legion::{
    Entity, World,
    query::{FilterResult, LayoutFilter},
    storage::{
        ArchetypeSource, ArchetypeWriter, ComponentSource, ComponentTypeId, EntityLayout,
        IntoComponentSource,
    },
};

use super::{
    column::Types,
    derived::{Derived, DerivedColumns},
    ids::{take_ids, with_unused},
    tuple::ComponentTuple,
};
use crate::components::{Children, LocalToWorld};

/// New entities: a tuple each, and the parent and ids that they share.
pub struct Rows<I> {
    tuples: I,
    /// The ids they get; empty where ids are taken when the rows are inserted.
    entities: Vec<Entity>,
    parent: Option<Entity>,
    /// Whether the parent is spawned with them: its `Children` already list them.
    is_listed: bool,
    /// The children of a single row that are spawned with it.
    children: Children,
}

/// Rows that are collected, to be inserted later.
pub type Collected<T> = Rows<vec::IntoIter<T>>;

impl<T: ComponentTuple, I: Iterator<Item = T>> Rows<I> {
    pub fn new(parent: Option<Entity>, tuples: impl IntoIterator<IntoIter = I>) -> Self {
        Self {
            tuples: tuples.into_iter(),
            entities: Vec::new(),
            parent,
            is_listed: false,
            children: Children::new(),
        }
    }

    /// Gives the rows these ids, one each. There must not be more rows.
    pub fn with_ids(self, entities: Vec<Entity>) -> Self {
        Self { entities, ..self }
    }

    /// Ends the iteration and gives each row an id.
    pub fn collect(self) -> Collected<T> {
        let Self { tuples, parent, is_listed, children, .. } = self;
        let tuples: Vec<T> = tuples.collect();
        let entities = take_ids(tuples.len());
        Rows { tuples: tuples.into_iter(), entities, parent, is_listed, children }
    }

    /// Sets whether the parent is spawned too, and lists them.
    pub fn listed(self, is_listed: bool) -> Self {
        Self { is_listed, ..self }
    }

    pub fn with_children(self, children: Children) -> Self {
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
    /// If the iterator panics. Then nothing is inserted.
    #[inline]
    pub fn insert<R>(mut self, world: &mut World, answer: impl FnOnce(&[Entity]) -> R) -> R {
        let Some(first) = self.tuples.next() else { return answer(&[]) };
        if let Some(parent) = self.parent.filter(|_| !self.is_listed) {
            make_parent(world, parent);
        }
        let derived = Derived::of::<T>(self.parent.is_some(), !self.children.is_empty());
        let mut panicked = None;
        let answer = answer(world.extend(Source {
            rows: self,
            first: Some(first),
            derived,
            panicked: &mut panicked,
        }));
        if let Some(Panicked { payload, inserted }) = panicked {
            inserted.into_iter().for_each(|entity| _ = world.remove(entity));
            resume_unwind(payload);
        }
        answer
    }
}

/// Gives an entity the components that a parent needs, so that the first run need not move it to
/// another archetype.
#[inline]
fn make_parent(world: &mut World, parent: Entity) {
    // A dead parent: the next run reports a finding.
    let Some(mut entry) = world.entry(parent) else { return };
    if !entry.archetype().layout().has_component::<LocalToWorld>() {
        entry.add_component(LocalToWorld::identity());
    }
    if !entry.archetype().layout().has_component::<Children>() {
        entry.add_component(Children::new());
    }
}

/// The number of rows for which an archetype of `len` rows gets room when `rows` come.
///
/// Legion's columns grow to exactly the needed size, so each single row would move all of them.
/// With this room they move after an eighth to a quarter more rows, and less than a quarter stays
/// unused. With 1,000 rows a step is 128: the 1,001st row gets room for 24, up to 1,024.
pub fn room(len: usize, rows: usize) -> usize {
    let step = (len / 8).next_power_of_two();
    (len + rows).next_multiple_of(step) - len
}

/// The greatest hint of an iterator that gets room. A hint can be wrong, and Legion multiplies it
/// by the size of a component unchecked: for 2^58 matrices of 64 bytes it would allocate nothing.
const MOST_HINTED: usize = 1 << 20;

/// A panic of a user's iterator, and the rows that had been inserted by then.
struct Panicked {
    payload: Box<dyn Any + Send>,
    inserted: Vec<Entity>,
}

/// Rows on their way into a world.
struct Source<'r, T, I> {
    rows: Rows<I>,
    first: Option<T>,
    derived: Derived,
    panicked: &'r mut Option<Panicked>,
}

impl<T: ComponentTuple, I: Iterator<Item = T>> ArchetypeSource for Source<'_, T, I> {
    type Filter = ExactComponents;

    fn filter(&self) -> ExactComponents {
        let mut types = Types::new();
        T::list(&mut types);
        self.derived.list(&mut types);
        ExactComponents(types)
    }

    fn layout(&mut self) -> EntityLayout {
        let mut layout = EntityLayout::default();
        T::register(&mut layout);
        self.derived.register(&mut layout);
        layout
    }
}

impl<T: ComponentTuple, I: Iterator<Item = T>> ComponentSource for Source<'_, T, I> {
    #[inline]
    fn push_components<'a>(
        &mut self,
        writer: &mut ArchetypeWriter<'a>,
        _: impl Iterator<Item = Entity>,
    ) {
        let Rows { tuples, entities, parent, is_listed, children } = &mut self.rows;
        let hinted = 1 + tuples.size_hint().0.min(MOST_HINTED);
        let mut room = room(writer.archetype().entities().len(), hinted);
        let mut columns = T::claim(writer, room);
        let mut derived = DerivedColumns::claim(self.derived, writer, room);
        let mut rows = 0;
        let mut append = |tuple: T| {
            if rows == room {
                // More rows than the hint said: doubles the room.
                T::reserve(&mut columns, rows);
                derived.reserve(rows);
                room += rows;
            }
            tuple.append(&mut columns);
            derived.append(*parent, *is_listed, children);
            rows += 1;
        };
        self.first.take().into_iter().for_each(&mut append);
        // A panic can only come between two rows, so all columns are equally long.
        let end = match tuples.size_hint() {
            (_, Some(0)) => Ok(()),
            _ => catch_unwind(AssertUnwindSafe(|| tuples.for_each(append))),
        };
        match entities.is_empty() {
            true => with_unused(|ids| ids.take(rows).for_each(|entity| writer.push(entity))),
            false => entities.drain(..rows).for_each(|entity| writer.push(entity)),
        }
        let panicked =
            end.err().map(|payload| Panicked { payload, inserted: writer.inserted().1.to_vec() });
        *self.panicked = panicked;
    }
}

impl<T: ComponentTuple, I: Iterator<Item = T>> IntoComponentSource for Source<'_, T, I> {
    type Source = Self;

    fn into(self) -> Self {
        self
    }
}

/// Matches the archetypes of exactly these components.
pub struct ExactComponents(Types);

impl FromIterator<ComponentTypeId> for ExactComponents {
    fn from_iter<I: IntoIterator<Item = ComponentTypeId>>(types: I) -> Self {
        Self(types.into_iter().collect())
    }
}

impl LayoutFilter for ExactComponents {
    #[inline]
    fn matches_layout(&self, components: &[ComponentTypeId]) -> FilterResult {
        // The types of an archetype differ. A tuple that has a type twice matches none, and panics
        // when its layout is made.
        FilterResult::Match(
            components.len() == self.0.len() && components.iter().all(|id| self.0.contains(id)),
        )
    }
}
