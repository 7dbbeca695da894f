//! Spawning helpers: everything is there from the beginning, nothing moves to another archetype,
//! and matrices and relations are right after the first run.

mod hard_rows;
mod tuples;
mod with_ids;

use std::{
    cell::Cell,
    collections::{BTreeSet, HashMap},
    ops::Range,
};

use harness::{CheckedWorld, Rng, TestWorld, demand};
use legion::{Entity, EntityStore, World, storage::ArchetypeIndex, systems::CommandBuffer};
use legion_transform::{
    components::PreviousParent,
    prelude::*,
    spawn::{TreeBuilder, insert_with_ids, reserve_ids},
};
use nalgebra::UnitQuaternion;

thread_local!(static ALIVE: Cell<usize> = const { Cell::new(0) });

/// A component of the user's that owns memory. Those of a thread that are alive are counted.
#[derive(Debug, PartialEq)]
struct Mesh(Box<usize>);

impl Mesh {
    fn new(number: usize) -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Self(Box::new(number))
    }
}

impl Drop for Mesh {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
    }
}

fn at(x: f32) -> Translation {
    Translation::new(x, 0.0, 0.0)
}

/// Its numbers differ for each `i`.
fn transform(i: usize) -> Transform {
    let angle = i as f32 * 0.01;
    Transform::from_xyz(i as f32, 2.0, 3.0)
        .with_rotation(UnitQuaternion::from_euler_angles(0.1, angle, 0.3))
        .with_scale([1.0 + angle, 0.5, -1.0])
}

fn archetypes(world: &World, entities: &[Entity]) -> Vec<ArchetypeIndex> {
    entities.iter().map(|entity| world.entry_ref(*entity).unwrap().archetype().index()).collect()
}

/// Runs the bundle; nothing may move to another archetype.
fn run_in_place(test: &mut TestWorld, entities: &[Entity]) {
    let before = archetypes(&test.world, entities);
    test.run();
    assert_eq!(archetypes(&test.world, entities), before);
    assert_eq!(test.findings(), []);
}

/// Calls something with the rows of a sort: a function from a number to a tuple.
macro_rules! with_rows {
    ($sort:expr, $row:ident => $call:expr) => {
        match $sort {
            0 => with_rows!(@ |i| (at(i as f32), Scale(0.5)), $row => $call),
            1 => with_rows!(@ |i| (at(i as f32), Mesh::new(i)), $row => $call),
            2 => with_rows!(@ transform, $row => $call),
            3 => with_rows!(@ |i| (Mesh::new(i), transform(i)), $row => $call),
            4 => with_rows!(@ of_components, $row => $call),
            _ => with_rows!(@ |i| (Mesh::new(i),), $row => $call),
        }
    };
    (@ $of_number:expr, $row:ident => $call:expr) => {{
        let $row = $of_number;
        $call
    }};
}

/// What a row of sort 3 comes to, in another order.
fn of_components(i: usize) -> (NonUniformScale, Mesh, Translation, Rotation) {
    let (translation, rotation, scale) = transform(i).components();
    (scale, Mesh::new(i), translation, rotation)
}

/// How many components a row of a sort has by itself, and what its transform is.
fn expected(sort: usize, i: usize) -> (usize, Transform) {
    let at = Transform::from_xyz(i as f32, 0.0, 0.0);
    match sort {
        0 => (2, at.with_scale([0.5; 3])),
        1 => (2, at),
        2 => (3, transform(i)),
        3 | 4 => (4, transform(i)),
        _ => (1, Transform::identity()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// A call for each row.
    Alone,
    /// A call for all rows.
    Together,
    /// As a tree, with all batches below that are trees, too, or have none below.
    Tree,
    /// By `insert_with_ids`.
    ById,
    /// By Legion's `push`.
    Bare,
}

/// Rows of one sort, as roots or below the last row of another batch.
#[derive(Clone, Copy, Debug)]
struct Batch {
    parent: Option<usize>,
    count: usize,
    sort: usize,
    way: Way,
}

/// A random forest. The first one that is bare may become a parent; the last one comes by ids.
fn mixed(rng: &mut Rng) -> Vec<Batch> {
    let bare = Batch { parent: None, count: 1, sort: 5, way: Way::Bare };
    let batch = |rng: &mut Rng, i| Batch {
        parent: (!rng.one_in(6)).then(|| rng.below(i)),
        count: 1 + rng.below(3),
        sort: rng.below(6),
        way: *rng.pick(&[Way::Alone, Way::Together, Way::Tree, Way::Tree]),
    };
    let random = (1..2 + rng.below(30)).map(|i| batch(rng, i));
    let by_id = Batch { parent: None, count: 3, sort: 3, way: Way::ById };
    [bare].into_iter().chain(random).chain([by_id]).collect()
}

/// One tree. It has more rows of a type than are appended together, and in that type parents of
/// parents.
fn one_tree(rng: &mut Rng) -> Vec<Batch> {
    let batch = |parent, count, sort| Batch { parent, count, sort, way: Way::Tree };
    let fixed = [(None, 1), (Some(0), 70), (Some(1), 2), (Some(2), 1), (Some(0), 2), (Some(4), 1)];
    let mut all = Vec::from(fixed.map(|(parent, count)| batch(parent, count, 0)));
    for i in all.len()..all.len() + rng.below(20) {
        all.push(batch(Some(rng.below(i)), 1 + rng.below(3), rng.below(6)));
    }
    all
}

/// What was spawned of a forest.
struct Spawned<'a> {
    forest: &'a [Batch],
    /// Each row: its batch, its number, and its parent.
    rows: Vec<(Entity, Batch, usize, Option<Entity>)>,
    /// The last row of each batch.
    last: Vec<Option<Entity>>,
    /// The children that each entity has within its tree.
    listed: HashMap<Entity, Vec<Entity>>,
}

impl<'a> Spawned<'a> {
    fn new(forest: &'a [Batch]) -> Self {
        let last = vec![None; forest.len()];
        Self { forest, rows: Vec::new(), last, listed: HashMap::new() }
    }

    /// The numbers of a batch's rows.
    fn numbers(&self, batch: usize) -> Range<usize> {
        100 * batch..100 * batch + self.forest[batch].count
    }

    fn note(&mut self, batch: usize, parent: Option<Entity>, entities: &[Entity]) {
        let (numbers, it) = (self.numbers(batch), self.forest[batch]);
        assert_eq!(entities.len(), it.count);
        self.last[batch] = entities.last().copied();
        self.rows.extend(entities.iter().zip(numbers).map(|(row, i)| (*row, it, i, parent)));
    }

    fn spawn(&mut self, target: &mut impl SpawnTransforms, batches: Range<usize>) {
        for batch in batches {
            if self.last[batch].is_some() {
                continue; // in a tree
            }
            let Batch { parent, sort, way, .. } = self.forest[batch];
            let parent = parent.map(|batch| self.last[batch].expect("it comes before"));
            let mut numbers = self.numbers(batch);
            let last = numbers.end - 1;
            let entities: Vec<Entity> = with_rows!(sort, row => match (way, parent) {
                (Way::Alone, None) => numbers.map(|i| target.push_transform(row(i))).collect(),
                (Way::Alone, Some(it)) => numbers.map(|i| target.push_child(it, row(i))).collect(),
                (Way::Together, None) => target.extend_transforms(numbers.map(row)),
                (Way::Together, Some(it)) => target.extend_children(it, numbers.map(row)),
                (_, None) => numbers
                    .map(|i| target.push_tree(row(i), |tree| self.grow(tree, batch, i == last)))
                    .collect(),
                (_, Some(it)) => numbers
                    .by_ref()
                    .map(|i| target.push_child_tree(it, row(i), |tree| {
                        self.grow(tree, batch, i == last);
                    }))
                    .collect(),
            });
            self.note(batch, parent, &entities);
        }
    }

    /// What hangs below a row of a batch in a tree.
    fn grow(&mut self, tree: &mut TreeBuilder<'_>, batch: usize, is_last: bool) {
        let below: Vec<usize> = (batch..self.forest.len())
            .filter(|below| is_last && self.forest[*below].parent == Some(batch))
            .collect();
        for below in below {
            let (numbers, Batch { sort, way, .. }) = (self.numbers(below), self.forest[below]);
            let last = numbers.end - 1;
            let entities: Vec<Entity> = with_rows!(sort, row => match way {
                Way::Alone => numbers.map(|i| tree.push_child(row(i))).collect(),
                Way::Together => tree.extend_children(numbers.map(row)),
                _ => numbers
                    .map(|i| tree.push_child_tree(row(i), |it| self.grow(it, below, i == last)))
                    .collect(),
            });
            self.listed.entry(tree.entity()).or_default().extend(&entities);
            self.note(below, Some(tree.entity()), &entities);
        }
    }

    /// The way of all batches that no command buffer knows.
    fn spawn_others(&mut self, test: &mut TestWorld, batch: usize) {
        let numbers = self.numbers(batch);
        let entities = match self.forest[batch].way {
            Way::Bare => vec![test.push((Mesh::new(numbers.start),))],
            _ => {
                let (ids, rows) =
                    (reserve_ids(numbers.len()), numbers.map(|i| (Mesh::new(i), transform(i))));
                insert_with_ids(&mut test.world, &ids, rows).unwrap();
                ids
            }
        };
        self.note(batch, None, &entities);
    }

    /// Each row has what its tuple says and what it needs, in one archetype for all alike. The run
    /// leaves it there, and what trees list as it is.
    fn judge(&self, mut it: CheckedWorld) {
        let mut layouts = HashMap::new();
        for &(entity, batch, number, parent) in &self.rows {
            let is_parent = self.rows.iter().any(|row| row.3 == Some(entity));
            let entry = it.world.entry_ref(entity).unwrap();
            let types = entry.archetype().layout().component_types();
            let (own, transform) = expected(batch.sort, number);
            let is_placed = is_parent || batch.way != Way::Bare;
            let more = [is_placed as usize, 3 * parent.is_some() as usize, is_parent as usize];
            assert_eq!(types.len(), own + more.iter().sum::<usize>(), "{batch:?}");
            let first = layouts.entry(BTreeSet::from_iter(types.to_vec()));
            assert_eq!(*first.or_insert(entry.archetype().index()), entry.archetype().index());
            let mesh = entry.get_component::<Mesh>().ok();
            assert!(mesh.is_none_or(|mesh| *mesh.0 == number));
            let read = Transform::read(&it.world, entity).ok();
            assert_eq!(read, is_placed.then_some(transform), "{batch:?}");
            let listed = parent.is_some_and(|parent| {
                self.listed.get(&parent).is_some_and(|listed| listed.contains(&entity))
            });
            let record = parent.map(|parent| PreviousParent::from(listed.then_some(parent)));
            assert_eq!(it.previous(entity), record);
            assert_eq!(it.get::<Parent>(entity).map(|parent| parent.0), parent);
        }
        let all: Vec<Entity> = self.rows.iter().map(|row| row.0).collect();
        let before = archetypes(&it.world, &all);
        it.run();
        assert_eq!((archetypes(&it.world, &all), &it.found[..]), (before, &[][..]));
        for (parent, listed) in &self.listed {
            assert_eq!(it.children(*parent)[..listed.len()], *listed);
        }
        it.run_again();
    }
}

#[test]
fn any_forest_is_right_after_one_run() {
    demand::each_seed(20, |seed| {
        let rng = &mut Rng::new(seed);
        let (forest, mut it) = (mixed(rng), CheckedWorld::default());
        let mut spawned = Spawned::new(&forest);
        spawned.spawn_others(&mut it, 0);
        spawned.spawn_others(&mut it, forest.len() - 1);
        // Some by the world, the others by commands; and some that nobody flushes.
        let middle = 1 + rng.below(forest.len());
        spawned.spawn(&mut it.world, 1..middle);
        let alive = ALIVE.get();
        let mut lost = Spawned { last: spawned.last.clone(), ..Spawned::new(&forest) };
        lost.spawn(&mut CommandBuffer::new(&it.world), middle..forest.len());
        let mut commands = CommandBuffer::new(&it.world);
        let (count, last) = (it.world.len(), ALIVE.get());
        spawned.spawn(&mut commands, middle..forest.len());
        assert_eq!((it.world.len(), last), (count, alive));
        let test = &mut it.test;
        commands.flush(&mut test.world, &mut test.resources);
        spawned.judge(it);
        assert_eq!(ALIVE.get(), 0, "each component is dropped once");
    });
}

#[test]
fn any_tree_is_right_after_one_run() {
    demand::each_seed(20, |seed| {
        let (forest, mut it) = (one_tree(&mut Rng::new(seed)), CheckedWorld::default());
        let mut spawned = Spawned::new(&forest);
        spawned.spawn(&mut it.world, 0..forest.len());
        let root = spawned.last[0].unwrap();
        let (list, version) = (it.children(root), it.version::<Children>(root));
        assert_eq!(list, spawned.listed[&root]);
        it.test.run();
        assert_eq!(it.version::<Children>(root), version, "the list is taken as it is");
        spawned.judge(it);
        assert_eq!(ALIVE.get(), 0, "each component is dropped once");
    });
}
