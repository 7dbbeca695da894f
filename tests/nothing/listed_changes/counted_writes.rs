//! As many writes as an insertion bumps versions, before an insertion of another sort: by their
//! number alone the two cannot be told apart.
//!
//! ```text
//!  3 columns, 3 writes, then push              +1 +1 +1   +1 +1 +1 In   6 bumps before the event
//!  3 columns, 3 writes, then push_transform    +1 +1 +1   In +1 +1 +1   3 before it, as of a push
//! ```

use harness::Rng;
use legion::{systems::CommandBuffer, *};
use legion_transform::{prelude::*, spawn::insert_with_ids, spawn::reserve_ids};

use super::Tracked;

/// Flat rows, and children in another archetype; and where the next rows come from.
struct Rows {
    tracked: Tracked,
    root: Entity,
    flat: Vec<Entity>,
    children: Vec<Entity>,
}

type Inputs = (Translation, Rotation);

fn inputs(n: usize) -> Inputs {
    (Translation::new(n as f32, 0.0, 1.0), Rotation::identity())
}

fn flat_row() -> (Translation, Rotation, LocalToWorld) {
    (Translation::identity(), Rotation::identity(), LocalToWorld::identity())
}

/// Inserts this many rows into the archetype that was written.
struct Source {
    name: &'static str,
    insert: fn(&mut Rows, usize),
    /// Whether the rows are children.
    is_below: bool,
}

const fn flat(name: &'static str, insert: fn(&mut Rows, usize)) -> Source {
    Source { name, insert, is_below: false }
}

const fn below(name: &'static str, insert: fn(&mut Rows, usize)) -> Source {
    Source { name, insert, is_below: true }
}

/// Each way in which rows come.
const SOURCES: &[Source] = &[
    flat("push", |it, n| (0..n).for_each(|_| _ = it.world().push(flat_row()))),
    flat("extend", |it, n| _ = it.world().extend(vec![flat_row(); n])),
    flat("columns", |it, n| {
        let (translation, rotation, world) = flat_row();
        let columns = (vec![translation; n], vec![rotation; n], vec![world; n]);
        it.world().extend(columns.into_soa());
    }),
    flat("push_transform", |it, n| (0..n).for_each(|at| _ = it.world().push_transform(inputs(at)))),
    flat("extend_transforms", |it, n| _ = it.world().extend_transforms((0..n).map(inputs))),
    flat("insert_with_ids", |it, n| {
        let ids = reserve_ids(n);
        insert_with_ids(it.world(), &ids, (0..n).map(inputs)).unwrap();
    }),
    flat("push_tree", |it, n| {
        (0..n).for_each(|at| _ = it.world().push_tree(inputs(at), |_| ()));
    }),
    flat("add_component", |it, _| {
        let plain = it.world().push((5_u8,));
        let mut entry = it.tracked.test.world.entry(plain).unwrap();
        entry.remove_component::<u8>();
        entry.add_component(Translation::identity());
        entry.add_component(Rotation::identity());
        entry.add_component(LocalToWorld::identity());
    }),
    flat("remove_component", |it, n| {
        let (translation, rotation, world) = flat_row();
        let marked = it.world().extend(vec![(translation, rotation, world, 7_u8); n]).to_vec();
        marked.into_iter().for_each(|entity| it.tracked.test.take::<u8>(entity));
    }),
    flat("merge", |it, n| {
        let mut other = World::default();
        other.extend(vec![flat_row(); n]);
        it.world().move_from(&mut other, &any());
    }),
    flat("commands: push", |it, n| {
        it.by_commands(|commands| (0..n).for_each(|_| _ = commands.push(flat_row())));
    }),
    flat("commands: extend_transforms", |it, n| {
        it.by_commands(|commands| _ = commands.extend_transforms((0..n).map(inputs)));
    }),
    below("push_child", |it, n| {
        (0..n).for_each(|at| _ = it.tracked.test.world.push_child(it.root, inputs(at)));
    }),
    below("extend_children", |it, n| {
        it.tracked.test.world.extend_children(it.root, (0..n).map(inputs));
    }),
    below("commands: push_child", |it, n| {
        let root = it.root;
        it.by_commands(|commands| {
            (0..n).for_each(|at| _ = commands.push_child(root, inputs(at)));
        });
    }),
];

impl Rows {
    fn new(rows: usize) -> Self {
        let mut tracked = Tracked::new();
        let world = &mut tracked.test.world;
        let root = world.push_transform((Translation::identity(), Scale(2.0)));
        let flat = world.extend_transforms((0..rows).map(inputs));
        let children = world.extend_children(root, (0..rows).map(inputs));
        tracked.run();
        tracked.run();
        Self { tracked, root, flat, children }
    }

    fn world(&mut self) -> &mut World {
        &mut self.tracked.test.world
    }

    fn by_commands(&mut self, record: impl FnOnce(&mut CommandBuffer)) {
        let mut commands = CommandBuffer::new(&self.tracked.test.world);
        record(&mut commands);
        commands.flush(&mut self.tracked.test.world, &mut self.tracked.test.resources);
    }

    /// Writes a component of two rows in turn.
    fn write(&mut self, writes: usize, is_below: bool) {
        let rows = if is_below { &self.children } else { &self.flat };
        for (write, &entity) in (0..writes).zip(rows[..2].iter().cycle()) {
            self.tracked.test.set(entity, Translation::new(-1.0, write as f32, 2.0));
        }
    }

    /// How many columns the archetype of the written rows has.
    fn columns(&mut self, is_below: bool) -> usize {
        let row = if is_below { self.children[0] } else { self.flat[0] };
        self.world().entry(row).unwrap().archetype().layout().component_types().len()
    }
}

/// The smallest case: three writes in an archetype of three columns, then one row that is named
/// before its columns get their values.
#[test]
fn three_writes_before_push_transform_list_three_rows() {
    let mut it = Rows::new(70);
    it.write(3, false);
    let new = it.world().push_transform(inputs(1));
    assert_eq!(it.tracked.run_exactly(), [it.flat[0], it.flat[1], new]);
}

/// How many rows are listed without need after a window with that many writes, and then rows from a
/// source.
fn listed_without_need(source: &Source, writes: usize, rows: usize) -> usize {
    let mut it = Rows::new(70);
    it.write(writes, source.is_below);
    (source.insert)(&mut it, rows);
    it.tracked.run().len()
}

/// `k` writes and `n * k`, for `n` rows in an archetype of `k` columns, before each source.
#[test]
fn as_many_writes_as_an_insertion_bumps_list_what_was_written_alone() {
    let mut wrong = Vec::new();
    for source in SOURCES {
        let columns = Rows::new(2).columns(source.is_below);
        for rows in [1, 2, 3, 9] {
            for bursts in [1, 2, rows, rows + 1, 2 * rows] {
                let writes = bursts * columns;
                let listed = listed_without_need(source, writes, rows);
                if listed > 0 {
                    wrong.push(format!("{writes} writes, {rows} by {}: {listed}", source.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "listed without need:\n{}", wrong.join("\n"));
}

/// Windows of a world that lives on: writes, mostly as many as an insertion bumps, and rows from
/// several sources, one after the other.
#[test]
fn random_windows_list_what_was_written_alone() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let mut it = Rows::new(70);
        for window in 0..20 {
            let mut told = Vec::new();
            for _ in 0..1 + rng.below(3) {
                let source = rng.pick(SOURCES);
                let rows = 1 + rng.below(9);
                let bursts = *rng.pick(&[0, 1, 2, rows]);
                let is_below = if rng.one_in(4) { !source.is_below } else { source.is_below };
                let writes = bursts * it.columns(is_below) + rng.below(4) / 3;
                it.write(writes, is_below);
                (source.insert)(&mut it, rows);
                told.push(format!("{writes} writes, {rows} by {}", source.name));
            }
            let listed = it.tracked.run().len();
            assert_eq!(listed, 0, "seed {seed}, window {window}: {}", told.join("; "));
        }
    }
}
