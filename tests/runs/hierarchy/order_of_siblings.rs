//! Siblings stand in the order of the calls that linked them, judged by a plain list of lists.

use std::collections::HashMap;

use harness::{Rng, TestWorld, below, demand};
use legion::{systems::CommandBuffer, *};
use legion_transform::prelude::*;

/// A component of a user's: to add it is a way into another archetype.
struct Tag;
/// Another one.
struct Mark;

/// A world, and who stands below each parent by the calls alone.
struct Family {
    test: TestWorld,
    rng: Rng,
    inserts_missing: bool,
    parents: Vec<Entity>,
    /// All that may be children, or no longer are.
    nodes: Vec<Entity>,
    lists: HashMap<Entity, Vec<Entity>>,
    /// Since the last run: whose `Parent` was overwritten in place. They stand behind all others,
    /// by rows.
    loose: Vec<Entity>,
    /// Since the last run: who came to another archetype, or was linked, or left.
    called: Vec<Entity>,
    /// Since the last run: what was done, for the message.
    done: Vec<String>,
}

type Links = [(&'static str, fn(&mut Family, Entity, Entity)); 4];

/// Ways to give an entity another parent, as the last child.
const LINKS: Links = [
    ("set_parent", |it, child, parent| it.test.world.set_parent(child, parent).unwrap()),
    ("Edits::set_parent", |it, child, parent| {
        Edits::default().set_parent(&mut it.test.world, child, parent).unwrap();
    }),
    ("commands.set_parent", |it, child, parent| {
        let mut commands = CommandBuffer::new(&it.test.world);
        commands.set_parent(child, parent);
        commands.flush(&mut it.test.world, &mut Resources::default());
    }),
    ("set_parent, tagged", |it, child, parent| {
        it.test.put(child, Mark);
        it.test.world.set_parent(child, parent).unwrap();
        it.test.put(child, Tag);
    }),
];

impl Family {
    fn new(seed: u64) -> Self {
        // In every second world entities get what they lack, in other archetypes.
        let (inserts_missing, bundle) = (seed % 2 == 1, TransformSystemBundle::default());
        let bundle = if inserts_missing { bundle.insert_missing() } else { bundle };
        let mut test = TestWorld::new(bundle);
        let parents = (0..3).map(|x| test.at(x as f32)).collect();
        let mut family = Self {
            test,
            rng: Rng::new(seed),
            inserts_missing,
            parents,
            nodes: Vec::new(),
            lists: HashMap::new(),
            loose: Vec::new(),
            called: Vec::new(),
            done: Vec::new(),
        };
        family.run();
        family
    }

    fn parent_of(&self, child: Entity) -> Option<Entity> {
        self.parents.iter().copied().find(|parent| self.list(*parent).contains(&child))
    }

    fn list(&self, parent: Entity) -> &[Entity] {
        self.lists.get(&parent).map_or(&[], |list| list)
    }

    fn leave(&mut self, child: Entity) {
        self.lists.values_mut().for_each(|list| list.retain(|it| *it != child));
        self.loose.retain(|it| *it != child);
        self.called.push(child);
    }

    /// One is linked behind all others, but for those that are loose.
    fn link(&mut self, child: Entity, parent: Entity) {
        if self.parent_of(child) == Some(parent) {
            return;
        }
        self.leave(child);
        let list = self.lists.entry(parent).or_default();
        let settled = list.iter().filter(|it| !self.loose.contains(it)).count();
        list.insert(settled, child);
    }

    /// Those that are loose come to the end of a list, by rows.
    fn sort(&mut self, parent: Entity) {
        let world = &self.test.world;
        let place = |child: &Entity| {
            let at = world.entry_ref(*child).unwrap().location();
            self.loose.contains(child).then_some((at.archetype().0, at.component()))
        };
        self.lists.entry(parent).or_default().sort_by_key(place);
    }

    fn step(&mut self) {
        let parent = *self.rng.pick(&self.parents.clone());
        let x = self.nodes.len() as f32;
        let at = (Translation::new(x, 0.0, 0.0),);
        let Some(&node) = (!self.nodes.is_empty()).then(|| self.rng.pick(&self.nodes)) else {
            let child = self.test.world.push_child(parent, at);
            return self.spawned("push_child", parent, &[child]);
        };
        match self.rng.below(16) {
            0 => {
                let child = self.test.world.push_child(parent, at);
                self.spawned("push_child", parent, &[child]);
            }
            1 => {
                let child = self.test.push(below(parent, x));
                self.spawned("push", parent, &[child]);
            }
            2 => {
                let tuple = (Tag, Parent(parent), LocalToParent::identity());
                let child = self.test.push((tuple.0, tuple.1, tuple.2, LocalToWorld::identity()));
                self.spawned("push, tagged", parent, &[child]);
            }
            3 => {
                let rows = (0..3).map(|more| below(parent, x + more as f32));
                let children = self.test.world.extend(rows).to_vec();
                self.spawned("extend", parent, &children);
            }
            4 => {
                let commands = &mut CommandBuffer::new(&self.test.world);
                let child = commands.push_child(parent, at);
                commands.flush(&mut self.test.world, &mut Resources::default());
                self.spawned("commands.push_child", parent, &[child]);
            }
            11 if self.inserts_missing => {
                let world = &mut self.test.world;
                let children = match self.rng.below(3) {
                    0 => [world.push((Parent(parent), LocalToParent::identity(), Mark, at.0))],
                    1 => [world.push((Parent(parent), LocalToParent::identity(), Tag))],
                    _ => [world.push((Parent(parent), LocalToParent::identity()))],
                };
                self.spawned("push, bare", parent, &children);
            }
            5 | 12 => {
                let index = *self.rng.pick(&[0, 1, 2, 3, 4, usize::MAX]);
                self.done.push(format!("insert_child({parent:?}, {index}, {node:?})"));
                self.test.world.insert_child(parent, index, node).unwrap();
                self.sort(parent);
                self.leave(node);
                let list = self.lists.entry(parent).or_default();
                list.insert(index.min(list.len()), node);
                self.loose.retain(|it| !list.contains(it));
            }
            6 => {
                self.done.push(format!("remove_parent({node:?})"));
                self.test.world.remove_parent(node).unwrap();
                self.leave(node);
            }
            7 if self.rng.one_in(3) => {
                self.done.push(format!("detach_children({parent:?})"));
                self.sort(parent);
                let children = self.test.world.detach_children(parent).unwrap();
                assert_eq!(children, self.list(parent), "{:#?}", self.done);
                children.into_iter().for_each(|child| self.leave(child));
            }
            8 if self.rng.one_in(3) => {
                self.done.push(format!("despawn({node:?})"));
                self.test.world.despawn_subtree(node);
                self.leave(node);
                self.nodes.retain(|it| *it != node);
            }
            9 if !self.loose.contains(&node) => {
                self.called.push(node);
                self.done.push(format!("add a component ({node:?})"));
                self.test.put(node, Mark);
            }
            10 if !self.called.contains(&node) && !self.loose.contains(&node) => {
                let old = self.parent_of(node);
                if old.is_some_and(|old| old != parent) {
                    self.done.push(format!("{node:?}.Parent = {parent:?}"));
                    self.test.set(node, Parent(parent));
                    self.link(node, parent);
                    let list = self.lists.get_mut(&parent).expect("it has one now");
                    list.retain(|it| *it != node);
                    list.push(node);
                    self.loose.push(node);
                } else if old.is_none() {
                    self.done.push(format!("add Parent({parent:?}) to {node:?}"));
                    self.test.put(node, LocalToParent::identity());
                    self.test.put(node, Parent(parent));
                    self.link(node, parent);
                }
            }
            _ => {
                let (name, link) = *self.rng.pick(&LINKS);
                if name == "set_parent, tagged" && self.loose.contains(&node) {
                    return;
                }
                self.done.push(format!("{name}({node:?}, {parent:?})"));
                self.called.push(node);
                link(self, node, parent);
                self.link(node, parent);
            }
        }
    }

    fn spawned(&mut self, how: &str, parent: Entity, children: &[Entity]) {
        self.done.push(format!("{how}: {children:?} below {parent:?}"));
        self.nodes.extend(children);
        children.iter().for_each(|child| self.link(*child, parent));
    }

    /// What a walk says now.
    fn look(&mut self) {
        for parent in self.parents.clone() {
            self.sort(parent);
            let walk = Walk::fresh(&self.test.world).unwrap();
            let children: Vec<Entity> = walk.children(parent).collect();
            assert_eq!(children, self.list(parent), "below {parent:?}: {:#?}", self.done);
        }
    }

    fn run(&mut self) {
        self.look();
        self.test.run();
        for parent in self.parents.clone() {
            let list = self.list(parent);
            assert_eq!(self.test.children(parent), list, "below {parent:?}: {:#?}", self.done);
        }
        (self.loose, self.called, self.done) = Default::default();
    }
}

#[test]
fn they_stand_in_the_order_of_the_calls() {
    demand::each_seed(400, |seed| {
        let mut family = Family::new(seed);
        for _ in 0..8 {
            for _ in 0..family.rng.below(12) {
                family.step();
                if family.rng.one_in(6) {
                    family.look();
                }
            }
            family.run();
        }
    });
}
