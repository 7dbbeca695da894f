//! Where an edit of the list is made, and how its entities are picked.

use std::fmt;

use legion::{
    Entity, EntityStore, IntoQuery, Read, Resources, World, query::component, storage::Component,
    systems::CommandBuffer, world::EntryRef,
};
use legion_transform::{prelude::*, spawn::reserve_ids};

use crate::{
    kind::Kind,
    world::{
        edits::{Cast, Step},
        program::Name,
        value::Value,
    },
};

/// An edit of the list.
pub struct Edit {
    /// What it is called.
    pub name: &'static str,
    /// Whose it is.
    pub sort: Sort,
    pub(super) make: fn(&mut Place<'_>) -> Option<()>,
}

impl Edit {
    /// Makes the edit. One that finds nothing to edit does nothing; one that is refused (a cycle,
    /// an entity without the components) is not a mistake.
    ///
    /// # Panics
    ///
    /// Panics if a call breaks what it promises, and where a subscriber or the rows panic.
    pub fn make(&self, mut place: Place<'_>) {
        (self.make)(&mut place);
    }
}

impl fmt::Debug for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Whose an edit is: what a subscriber's panic in it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// The crate's own: every entity stays whole.
    Own,
    /// Legion's: the world may be damaged.
    Legion,
    /// Legion's, and it overwrites what the bundle derives. Where entities come to the archetype
    /// between the same two runs, it is mended within 32 runs.
    Overwrites,
    /// Legion's, of whole worlds: it ends the process.
    Merge,
}

/// Rows that come at once.
pub type Rows = Box<dyn Iterator<Item = (Translation, Scale)> + Send>;

/// How the entities and numbers of an edit are picked.
pub trait Picks {
    /// A number in `0..count`.
    fn below(&mut self, count: usize) -> usize;

    /// One of these; none of none.
    fn pick(&mut self, all: &[Entity]) -> Option<Entity>;

    /// One of these, which are possible parents. Often the same again shows more: what fails, fails
    /// where two things happen to one family.
    fn parent(&mut self, all: &[Entity], _: &World) -> Option<Entity> {
        self.pick(all)
    }

    /// Up to four rows.
    fn rows(&mut self) -> Rows {
        let count = 1 + self.below(4);
        let row = |left| (Translation::new(left as f32, 1.0, 0.0), Scale(1.5));
        Box::new((0..count).rev().map(row))
    }
}

/// A world in which an edit is made.
pub struct Place<'a> {
    /// The world.
    pub world: &'a mut World,
    /// Its resources.
    pub resources: &'a mut Resources,
    /// The numbers of entities, and which were there and are dead.
    pub cast: &'a mut Cast,
    /// What picks entities and numbers.
    pub picks: &'a mut dyn Picks,
}

impl Place<'_> {
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.picks.below(count)
    }

    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// In `-reach..reach`, in eighths.
    pub(super) fn float(&mut self, reach: usize) -> f32 {
        self.below(16 * reach) as f32 / 8.0 - reach as f32
    }

    fn all<T: Component>(&self) -> Vec<Entity> {
        <Entity>::query().filter(component::<T>()).iter(self.world).copied().collect()
    }

    /// An entity with `Parent`.
    pub(super) fn child(&mut self) -> Option<Entity> {
        let all = self.all::<Parent>();
        self.picks.pick(&all)
    }

    /// An entity with `Children`.
    pub(super) fn parent(&mut self) -> Option<Entity> {
        let all = self.all::<Children>();
        self.picks.parent(&all, self.world)
    }

    /// Any entity with a `LocalToWorld`; often a parent or a child.
    pub(super) fn any(&mut self) -> Option<Entity> {
        match self.below(3) {
            0 => self.parent(),
            1 => self.child(),
            _ => {
                let all = self.all::<LocalToWorld>();
                self.picks.pick(&all)
            }
        }
    }

    /// An entity with a component that means nothing.
    pub(super) fn marked(&mut self) -> Option<Entity> {
        let all = self.all::<u8>();
        self.picks.pick(&all)
    }

    /// A child, or any other entity, and a parent that is another one.
    pub(super) fn two(&mut self) -> Option<[Entity; 2]> {
        let child = if self.one_in(3) { self.any() } else { self.child() }?;
        let parent = if self.one_in(3) { self.any() } else { self.parent() }?;
        (child != parent).then_some([child, parent])
    }

    /// Another entity in its archetype, if there is one: when both go, Legion's two events look
    /// alike.
    pub(super) fn beside(&mut self, entity: Entity) -> Option<Entity> {
        let archetype = self.world.entry_ref(entity).ok()?.location().archetype();
        let storage = self.world.get_component_storage::<Read<LocalToWorld>>().ok()?;
        self.picks.pick(storage.archetypes()[archetype].entities())
    }

    /// One that was there and is dead, or has never been there.
    pub(super) fn dead(&mut self) -> Entity {
        let dead = self.cast.entities().into_iter().filter(|it| !self.world.contains(*it));
        let dead: Vec<Entity> = dead.collect();
        let dead = self.picks.pick(&dead).unwrap_or_else(|| reserve_ids(1)[0]);
        self.cast.number(dead);
        dead
    }

    pub(super) fn rows(&mut self) -> Rows {
        self.picks.rows()
    }

    pub(super) fn get<T: Component + Clone>(&self, entity: Entity) -> Option<T> {
        let get = |entry: EntryRef<'_>| entry.get_component::<T>().ok().cloned();
        self.world.entry_ref(entity).ok().and_then(get)
    }

    /// The numbers of those that an entity lists.
    pub(super) fn listed(&mut self, parent: Entity) -> Vec<Name> {
        let list = self.get::<Children>(parent).unwrap_or_default();
        list.iter().map(|child| self.cast.number(*child)).collect()
    }

    /// Records commands, and flushes them.
    pub(super) fn commands(&mut self, record: impl FnOnce(&mut CommandBuffer)) -> Option<()> {
        let mut commands = CommandBuffer::new(self.world);
        record(&mut commands);
        commands.flush(self.world, self.resources);
        Some(())
    }

    /// Makes steps of one entity.
    pub(super) fn of<const N: usize>(
        &mut self,
        pick: fn(&mut Self) -> Option<Entity>,
        steps: impl FnOnce(Name) -> [Step; N],
    ) -> Option<()> {
        let entity = pick(self)?;
        let name = self.cast.number(entity);
        self.play(steps(name))
    }

    /// Makes steps of a child and a parent.
    pub(super) fn of_two<const N: usize>(
        &mut self,
        steps: impl FnOnce(Name, Name) -> [Step; N],
    ) -> Option<()> {
        let [child, parent] = self.two()?.map(|it| self.cast.number(it));
        self.play(steps(child, parent))
    }

    pub(super) fn play<const N: usize>(&mut self, steps: [Step; N]) -> Option<()> {
        steps.iter().for_each(|step| step.play(self.world, self.resources, self.cast));
        Some(())
    }

    /// The children of now, in their order.
    pub(super) fn children(&self, parent: Entity) -> Vec<Entity> {
        Walk::fresh(&*self.world).expect("a world").children(parent).collect()
    }

    /// Inserts a child among the siblings. It comes to stand at the index, or last.
    pub(super) fn insert_child(
        &mut self,
        parent: Entity,
        index: usize,
        child: Entity,
    ) -> Option<()> {
        let mut expected = self.children(parent);
        expected.retain(|other| *other != child);
        // With a matrix that it lacked, a parent gets the children that waited for that.
        let is_bare = self.get::<LocalToWorld>(parent).is_none();
        // Those that no run has seen stand in the order of their rows. A child that leaves an
        // archetype leaves its row to the last one there.
        let archetype = |it: Entity| Some(self.world.entry_ref(it).ok()?.location().archetype());
        let (old, listed) = (archetype(child), self.get::<Children>(parent).unwrap_or_default());
        let is_new = |it: &&Entity| !listed.contains(it);
        let stood_there = expected.iter().filter(is_new).any(|it| archetype(*it) == old);
        self.world.insert_child(parent, index, child).ok()?;
        expected.insert(index.min(expected.len()), child);
        let now = self.children(parent);
        let has_left = self.world.entry_ref(child).ok().map(|it| it.location().archetype()) != old;
        let is_open = is_bare || has_left && stood_there;
        assert!(is_open || now == expected, "{child:?} at {index}: {now:?}, not {expected:?}");
        let list = self.get::<Children>(parent).unwrap_or_default();
        assert_eq!(list.as_slice(), now, "what the parent lists");
        Some(())
    }

    /// Despawns an entity and all below it, by the world or by commands.
    pub(super) fn despawn(&mut self, root: Entity, by_commands: bool) -> Option<()> {
        let walk = Walk::fresh(&*self.world).expect("a world");
        let mut doomed: Vec<Entity> = walk.descendants(root).collect();
        doomed.extend(self.world.contains(root).then_some(root));
        let before = self.world.len();
        if by_commands {
            self.commands(|commands| {
                commands.despawn_subtree(root);
            });
        } else {
            let count = self.world.despawn_subtree(root);
            assert_eq!(count, doomed.len(), "all below it, and itself");
        }
        assert_eq!(self.world.len(), before - doomed.len(), "none else goes");
        assert!(doomed.iter().all(|entity| !self.world.contains(*entity)));
        Some(())
    }
}

/// The component with the value that changes nothing.
pub(super) fn identity(kind: Kind) -> Value {
    Value::Numbers(kind, kind.identity())
}
