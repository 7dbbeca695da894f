//! Rows of one type, with what their transforms need besides: a source of components for [`World::extend`].

use std::{
    any::Any,
    marker::PhantomData,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    vec,
};

use legion::{
    Entity, World,
    query::{FilterResult, LayoutFilter},
    storage::{
        ArchetypeSource, ArchetypeWriter, Component, ComponentSource, ComponentTypeId, EntityLayout, IntoComponentSource,
    },
    world::Allocate,
};

use super::tuple::ComponentTuple;
use crate::{
    components::{Children, LocalToParent, LocalToWorld, Parent, PreviousParent},
    storage::appender::Appender,
};

/// Entities to be: a tuple each, and what they have in common.
pub struct Rows<I> {
    tuples: I,
    /// The ids they get; empty where Legion chooses them.
    entities: Vec<Entity>,
    parent: Option<Entity>,
    /// Where all of them are listed already, as the parent is spawned with them.
    previous_parent: PreviousParent,
    /// The children of a single one that is spawned with them.
    children: Children,
}

/// Rows that can wait.
pub type Collected<T> = Rows<vec::IntoIter<T>>;

impl<T: ComponentTuple, I: Iterator<Item = T>> Rows<I> {
    pub fn new(parent: Option<Entity>, tuples: impl IntoIterator<IntoIter = I>) -> Self {
        let (tuples, previous_parent) = (tuples.into_iter(), PreviousParent(None));
        Self { tuples, entities: Vec::new(), parent, previous_parent, children: Children::new() }
    }

    /// Gives them these ids, as many as there are rows.
    pub fn with_ids(self, entities: Vec<Entity>) -> Self {
        Self { entities, ..self }
    }

    /// Ends the iteration and gives each row an id.
    pub fn collect(self, ids: &mut Allocate) -> Collected<T> {
        let Self { tuples, parent, previous_parent, children, .. } = self;
        let tuples: Vec<T> = tuples.collect();
        let entities = ids.take(tuples.len()).collect();
        Rows { tuples: tuples.into_iter(), entities, parent, previous_parent, children }
    }

    /// The parent is spawned too, and lists them.
    pub fn listed(self) -> Self {
        Self { previous_parent: PreviousParent(self.parent), ..self }
    }

    pub fn with_children(self, children: Children) -> Self {
        Self { children, ..self }
    }

    /// The ids that were given to them.
    pub fn ids(&self) -> &[Entity] {
        &self.entities
    }

    /// Inserts them, below a parent that is made one. Returns what `answer` makes of their ids.
    ///
    /// # Panics
    /// If the iterator does; nothing is inserted then.
    #[inline]
    pub fn insert<R>(mut self, world: &mut World, answer: impl FnOnce(&[Entity]) -> R) -> R {
        let Some(first) = self.tuples.next() else { return answer(&[]) };
        if let Some(parent) = self.parent {
            make_parent(world, parent);
        }
        let derived = Derived::of::<T>(self.parent.is_some(), !self.children.is_empty());
        let mut panicked = None;
        let answer = answer(world.extend(Source { rows: self, first: Some(first), derived, panicked: &mut panicked }));
        if let Some(Panicked { payload, inserted }) = panicked {
            inserted.into_iter().for_each(|entity| _ = world.remove(entity));
            resume_unwind(payload);
        }
        answer
    }
}

/// Gives an entity what it needs to have children, so that the first run need not move it to another archetype.
#[inline]
fn make_parent(world: &mut World, parent: Entity) {
    // A child of a dead parent is a finding of the next run, as any other dead parent is.
    let Some(mut entry) = world.entry(parent) else { return };
    if !entry.archetype().layout().has_component::<LocalToWorld>() {
        entry.add_component(LocalToWorld::identity());
    }
    if !entry.archetype().layout().has_component::<Children>() {
        entry.add_component(Children::new());
    }
}

/// Which components are added to a tuple that has not got them.
#[derive(Clone, Copy)]
struct Derived {
    local_to_world: bool,
    local_to_parent: bool,
    parent: bool,
    previous_parent: bool,
    children: bool,
}

impl Derived {
    /// What these tuples lack.
    fn of<T: ComponentTuple>(is_child: bool, has_children: bool) -> Self {
        fn lacks<T: ComponentTuple, C: Component>() -> bool {
            !T::has(ComponentTypeId::of::<C>())
        }
        let is_linked = is_child || !lacks::<T, Parent>();
        Self {
            local_to_world: lacks::<T, LocalToWorld>(),
            local_to_parent: is_linked && lacks::<T, LocalToParent>(),
            parent: is_linked && lacks::<T, Parent>(),
            previous_parent: is_linked && lacks::<T, PreviousParent>(),
            children: has_children && lacks::<T, Children>(),
        }
    }

    /// All of them, and which are added.
    fn all(self) -> [(ComponentTypeId, bool); 5] {
        [
            (ComponentTypeId::of::<LocalToWorld>(), self.local_to_world),
            (ComponentTypeId::of::<LocalToParent>(), self.local_to_parent),
            (ComponentTypeId::of::<Parent>(), self.parent),
            (ComponentTypeId::of::<PreviousParent>(), self.previous_parent),
            (ComponentTypeId::of::<Children>(), self.children),
        ]
    }

    fn register(self, layout: &mut EntityLayout) {
        fn add<C: Component>(is_added: bool, layout: &mut EntityLayout) {
            if is_added {
                layout.register_component::<C>();
            }
        }
        add::<LocalToWorld>(self.local_to_world, layout);
        add::<LocalToParent>(self.local_to_parent, layout);
        add::<Parent>(self.parent, layout);
        add::<PreviousParent>(self.previous_parent, layout);
        add::<Children>(self.children, layout);
    }
}

/// The columns of what is added.
struct DerivedColumns<'w> {
    local_to_world: Option<Appender<'w, LocalToWorld>>,
    local_to_parent: Option<Appender<'w, LocalToParent>>,
    parent: Option<Appender<'w, Parent>>,
    previous_parent: Option<Appender<'w, PreviousParent>>,
    children: Option<Appender<'w, Children>>,
}

impl<'w> DerivedColumns<'w> {
    fn claim(derived: Derived, writer: &mut ArchetypeWriter<'w>, rows: usize) -> Self {
        Self {
            local_to_world: derived.local_to_world.then(|| Appender::claim(writer, rows)),
            local_to_parent: derived.local_to_parent.then(|| Appender::claim(writer, rows)),
            parent: derived.parent.then(|| Appender::claim(writer, rows)),
            previous_parent: derived.previous_parent.then(|| Appender::claim(writer, rows)),
            children: derived.children.then(|| Appender::claim(writer, rows)),
        }
    }

    #[inline]
    fn append(&mut self, parent: Option<Entity>, previous_parent: &PreviousParent, children: &mut Children) {
        fn push<C: Component>(column: &mut Option<Appender<'_, C>>, component: impl FnOnce() -> C) {
            if let Some(column) = column {
                column.push(component());
            }
        }
        push(&mut self.local_to_world, LocalToWorld::identity);
        push(&mut self.local_to_parent, LocalToParent::identity);
        if let (Some(column), Some(parent)) = (&mut self.parent, parent) {
            column.push(Parent(parent));
        }
        push(&mut self.previous_parent, || PreviousParent(previous_parent.0));
        push(&mut self.children, || std::mem::take(children));
    }
}

/// What went wrong in a user's iterator, and what had been inserted by then.
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
    type Filter = ExactComponents<T>;

    fn filter(&self) -> ExactComponents<T> {
        ExactComponents { derived: self.derived, tuple: PhantomData }
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
    fn push_components<'a>(&mut self, writer: &mut ArchetypeWriter<'a>, entities: impl Iterator<Item = Entity>) {
        let Rows { tuples, entities: ids, parent, previous_parent, children } = &mut self.rows;
        let expected = tuples.size_hint().0 + 1;
        let mut columns = T::claim(writer, expected);
        let mut derived = DerivedColumns::claim(self.derived, writer, expected);
        let mut rows = 0;
        let mut append = |tuple: T| {
            tuple.append(&mut columns);
            derived.append(*parent, previous_parent, children);
            rows += 1;
        };
        self.first.take().into_iter().for_each(&mut append);
        // A panic can only come between two rows, so that all columns are equally long.
        let end = match tuples.size_hint() {
            (_, Some(0)) => Ok(()),
            _ => catch_unwind(AssertUnwindSafe(|| tuples.for_each(append))),
        };
        match ids.is_empty() {
            true => entities.take(rows).for_each(|entity| writer.push(entity)),
            false => ids.drain(..).for_each(|entity| writer.push(entity)),
        }
        let panicked = end.err().map(|payload| Panicked { payload, inserted: writer.inserted().1.to_vec() });
        *self.panicked = panicked;
    }
}

impl<T: ComponentTuple, I: Iterator<Item = T>> IntoComponentSource for Source<'_, T, I> {
    type Source = Self;

    fn into(self) -> Self {
        self
    }
}

/// Matches the archetypes of exactly a tuple's components and what is added to it.
struct ExactComponents<T> {
    derived: Derived,
    tuple: PhantomData<T>,
}

impl<T: ComponentTuple> LayoutFilter for ExactComponents<T> {
    fn matches_layout(&self, components: &[ComponentTypeId]) -> FilterResult {
        let derived = self.derived.all();
        let count = T::LEN + derived.iter().filter(|(_, is_added)| *is_added).count();
        // As the types of an archetype differ, a tuple with one of them twice has none, and panics where its layout is made.
        let is_known = |&id: &ComponentTypeId| T::has(id) || derived.contains(&(id, true));
        FilterResult::Match(components.len() == count && components.iter().all(is_known))
    }
}
