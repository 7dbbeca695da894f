//! Doubt: a user writes something and then inserts entities, without the bundle in between. Inputs
//! are found at once, and relations are right after the next run. Matrices and rotations that are
//! derived and were overwritten are right again within 32 runs, whatever the archetype grows or
//! shrinks to meanwhile.

use harness::{Rng, TestWorld, at, demand, snapshot};
use legion::Entity;
use legion_transform::{
    components::{CompositeRotation, CompositeScale, PreviousParent, RotationPivot, ScalePivot},
    prelude::*,
};
use legion_transform_testing::{Kind, Snapshot};
use nalgebra::Matrix4;

/// Roots at 0, 1, 2, ... along x.
struct Line {
    test: TestWorld,
    roots: Vec<(Entity, f32)>,
    next: f32,
}

impl Line {
    fn new(len: usize) -> Self {
        let mut line = Self { test: TestWorld::default(), roots: Vec::new(), next: 0.0 };
        line.spawn(len);
        line.test.run();
        // Where little is written, inputs are compared with a copy from the third time on, and
        // matrices no longer.
        for _ in 0..3 {
            line.test.set(line.roots[0].0, Translation::identity());
            line.test.run();
        }
        line
    }

    fn spawn(&mut self, count: usize) {
        let places: Vec<f32> = (0..count).map(|number| self.next + number as f32).collect();
        self.next += count as f32;
        let entities = self.test.world.extend(places.iter().map(|&x| at(x)).collect::<Vec<_>>());
        self.roots.extend(entities.iter().copied().zip(places));
    }

    /// Spawns, or despawns those that came last.
    fn resize(&mut self, len: usize) {
        for (root, _) in self.roots.split_off(len.min(self.roots.len())) {
            self.test.despawn(root);
        }
        self.spawn(len - self.roots.len());
    }

    /// Overwrites the matrices of some, and then inserts one: that hides the writes.
    fn overwrite_in_doubt(&mut self, count: usize) {
        for &(root, _) in &self.roots[..count] {
            self.test.set(root, LocalToWorld(Matrix4::repeat(-7.0)));
        }
        self.spawn(1);
    }

    fn wrong(&self) -> Vec<f32> {
        let places = self.roots.iter().filter(|&&(root, x)| self.test.x(root) != x);
        places.map(|&(_, x)| x).collect()
    }
}

/// Runs before it begins: the first and the last portion of 32, and two between.
const STARTS: [usize; 4] = [0, 5, 11, 31];

/// The archetype grows and shrinks meanwhile. Where rows go one by one, the last ones, which are
/// still wrong, take the places of rows that have been looked at.
#[test]
fn all_rows_are_repaired_whatever_comes_and_goes() {
    for (before, after) in
        [(640, 640), (640, 2000), (2001, 1500), (2000, 460), (5000, 3000), (5000, 5000)]
    {
        // Each start leaves the next rows to be looked at elsewhere.
        for (start, moment) in STARTS.into_iter().flat_map(|start| [1, 3, 6].map(|it| (start, it)))
        {
            let mut line = Line::new(before);
            line.overwrite_in_doubt(1);
            (0..start).for_each(|_| line.test.run());
            line.overwrite_in_doubt(before);
            for run in 0..32 {
                if run == moment {
                    line.resize(after);
                }
                line.test.run();
                if moment == 3 {
                    let (gone, _) = line.roots.swap_remove((start * 40 + run) % line.roots.len());
                    line.test.despawn(gone);
                }
            }
            let case = format!("{before} rows, {after} after run {moment}, start {start}");
            assert_eq!(line.wrong(), [], "{case}");
        }
    }
}

/// Matrices of children are in doubt now and then, while rows come, go and are filled: each one
/// that was overwritten is right 32 runs later.
#[test]
fn whatever_is_in_doubt_when_each_matrix_is_repaired_in_32_runs() {
    demand::each_seed(20, |seed| {
        let (mut test, mut rng) = (TestWorld::default(), Rng::new(seed));
        let root = test.world.push(at(0.0));
        let (mut children, mut next) = (Vec::new(), 0.0);
        let mut spawn = |test: &mut TestWorld, children: &mut Vec<_>, count: usize| {
            let places: Vec<f32> = (0..count).map(|number| next + number as f32).collect();
            next += count as f32;
            // With the record, so that they come to the archetype in which they stay.
            let row = |&x: &f32| {
                let (local, world) = (LocalToParent::identity(), LocalToWorld::identity());
                let links = (Parent(root), PreviousParent::from(Some(root)));
                (Translation::new(x, 0.0, 0.0), local, world, links.0, links.1)
            };
            let new = test.world.extend(places.iter().map(row).collect::<Vec<_>>());
            children.extend(new.iter().zip(places).map(|(&entity, x)| (entity, x, None)));
        };
        spawn(&mut test, &mut children, 60 + rng.below(200));
        test.run();
        for run in 0..400 {
            if rng.one_in(20) || run % 40 < 3 {
                let at = match rng.one_in(2) {
                    true => children.len() - 1,
                    false => rng.below(children.len()),
                };
                test.set(children[at].0, LocalToWorld(Matrix4::repeat(-7.0)));
                children[at].2 = Some(run);
            }
            let gone = if rng.one_in(6) { rng.below(children.len() / 2) } else { rng.below(2) };
            for _ in 0..gone {
                let (gone, ..) = children.swap_remove(rng.below(children.len()));
                test.despawn(gone);
            }
            let count = if rng.one_in(6) { 1 + rng.below(70) } else { 1 };
            spawn(&mut test, &mut children, count);
            test.run();
            for (entity, x, since) in &mut children {
                let is_right = test.x(*entity) == *x;
                if is_right {
                    *since = None;
                }
                let waits = since.is_some_and(|since| run < since + 32);
                assert!(is_right || waits, "run {run}: the child at {x}");
            }
        }
    });
}

/// The copy of inputs follows entities to other rows with the values that they have there.
#[test]
fn what_was_written_before_its_entity_took_another_row_is_found() {
    for inserts in [false, true] {
        let mut line = Line::new(640);
        let (moved, _) = *line.roots.last().unwrap();
        line.test.set(moved, Translation::new(-5.0, 0.0, 0.0));
        if inserts {
            line.spawn(1);
        }
        for row in [1, 0] {
            let (gone, _) = line.roots.swap_remove(row);
            line.test.despawn(gone);
        }
        line.test.run();
        assert_eq!(line.test.x(moved), -5.0, "inserts: {inserts}");
    }
}

/// 1,000 children of one root with everything that is derived, and a child each.
struct Family {
    test: TestWorld,
    root: Entity,
    middles: Vec<Entity>,
    before: Snapshot,
}

impl Family {
    fn new() -> Self {
        let mut test = TestWorld::default();
        let root = test.at(0.0);
        let (middles, before) = (Vec::new(), Snapshot::default());
        let mut family = Self { test, root, middles, before };
        family.middles = family.spawn(1000);
        for &middle in &family.middles {
            family.test.below(middle, 1.0);
        }
        family.test.run();
        family.before = snapshot(&family.test.world);
        family
    }

    fn spawn(&mut self, count: usize) -> Vec<Entity> {
        let rows = (0..count).map(|number| {
            (
                Translation::new(number as f32, 0.0, 0.0),
                RotationEulerXYZ::new(0.5, 0.0, 0.0),
                Rotation::identity(),
                RotationPivot::new(1.0, 2.0, 3.0),
                CompositeRotation::identity(),
                Scale(2.0),
                ScalePivot::new(1.0, 0.0, 0.0),
                CompositeScale::identity(),
                WorldToLocal::identity(),
                Children::new(),
            )
        });
        self.test.world.extend_children(self.root, rows)
    }

    /// Inserts an entity beside the others, and runs so often. All but the root are as before then.
    fn insert_and_run(&mut self, runs: usize) {
        self.spawn(1);
        (0..runs).for_each(|_| self.test.run());
        let after = snapshot(&self.test.world);
        for old in self.before.rows.iter().filter(|row| row.entity != self.root) {
            let row = after.get(old.entity).unwrap();
            assert_eq!((&row.numbers, row.previous), (&old.numbers, old.previous));
            assert_eq!(row.children, old.children);
        }
    }
}

#[test]
fn everything_that_is_derived_is_repaired() {
    use Kind::{CompositeRotation, CompositeScale, LocalToParent, LocalToWorld, Rotation};
    for kind in [
        LocalToWorld,
        LocalToParent,
        Kind::WorldToLocal,
        Rotation,
        CompositeRotation,
        CompositeScale,
    ] {
        let mut family = Family::new();
        for &middle in family.middles.iter().step_by(7) {
            kind.set(&mut family.test.world.entry(middle).unwrap(), &Rng::new(1).numbers(kind));
        }
        family.insert_and_run(32);
    }
}

/// Lists and records; and where a link was written, the record may not show it.
#[test]
fn relations_are_repaired_at_once() {
    let mut family = Family::new();
    for &middle in family.middles.iter().step_by(7) {
        family.test.set(middle, Children::from_iter([family.root]));
        family.test.set(middle, PreviousParent::from(None));
    }
    family.insert_and_run(1);
    let other = family.test.push((at(9.0).0, at(9.0).1, Children::new()));
    family.test.run();
    let middle = family.middles[900];
    let x = family.test.x(middle);
    family.test.set(middle, Parent(other));
    family.test.set(middle, PreviousParent::from(Some(other)));
    family.spawn(1);
    family.test.run();
    assert_eq!((family.test.x(middle), family.test.children(other)), (x + 9.0, vec![middle]));
    assert!(!family.test.children(family.root).contains(&middle));
}

/// The ways to put a new child first in a list, of which the bundle hears in the next run.
const FIRST: [fn(&mut TestWorld, Entity, Entity); 2] = [
    |test, parent, child| {
        test.world.insert_child(parent, 0, child).unwrap();
    },
    |test, parent, child| {
        let mut children = test.children(parent);
        children.insert(0, child);
        test.world.entry(child).unwrap().add_component(Parent(parent));
        test.world.entry(child).unwrap().add_component(LocalToParent::identity());
        test.set(parent, Children::from_iter(children));
    },
];

/// A list gets a child by the user, who writes it, and by the link. It lists the child once, and
/// not at all when the child is dead.
#[test]
fn a_list_that_was_written_in_doubt_names_each_child_once() {
    for (len, insert) in [3, 65, 1000].into_iter().flat_map(|len| FIRST.map(|first| (len, first))) {
        let mut test = TestWorld::default();
        let parent = || (Translation::identity(), Children::new());
        let parents = test.world.extend_transforms((0..len).map(|_| parent()));
        for &parent in &parents {
            test.world.push_child(parent, (Translation::identity(),));
        }
        test.run();
        test.run();
        let last = *parents.last().unwrap();
        let old = test.children(last)[0];
        let child = test.world.push_transform((Translation::identity(),));
        insert(&mut test, last, child);
        let beside = test.world.push_transform(parent());
        test.world.push_child(beside, (Translation::identity(),));
        test.run();
        assert_eq!(test.children(last), [child, old], "{len}");
        // Doubt again, while it leaves.
        test.set(last, Children::from_iter([old, child, child]));
        test.world.push_transform(parent());
        test.despawn(child);
        test.run();
        assert_eq!(test.children(last), [old], "{len}");
    }
}
