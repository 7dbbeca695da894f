//! An editor's undo and redo by records: any edit of the catalogue, undone and redone in any order,
//! leaves all components of all entities bit for bit as they were.

use harness::{Family, Rng, TestWorld, demand, schedule};
use legion::*;
use legion_transform::{
    cloning::{CloneError, EntityCloner, Record},
    prelude::*,
};
use legion_transform_testing::{
    Cast, Kind, Snapshot,
    catalogue::{EDITS, Edit, Place, Sort},
    snapshot::Column,
};

fn cloner() -> EntityCloner {
    let mut cloner = EntityCloner::default();
    cloner.register::<u8>().register::<()>();
    cloner
}

struct Step {
    name: &'static str,
    /// The second one is of those that the edit has spawned.
    before: [Record; 2],
    after: Record,
    was: Snapshot,
    is: Snapshot,
}

struct Editor {
    world: World,
    resources: Resources,
    schedule: Schedule,
    cast: Cast,
    family: Family,
    rng: Rng,
    cloner: EntityCloner,
    /// Those before `at` have been made, the others are undone.
    history: Vec<Step>,
    at: usize,
}

impl Editor {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut world = World::default();
        world.extend_transforms((0..4).map(|_| (Translation::identity(), Children::new())));
        let family = Family::new(Rng::new(rng.seed()));
        let (resources, schedule, cast) = (Resources::default(), schedule(), Cast::default());
        let (cloner, history) = (cloner(), Vec::new());
        let mut it = Self { world, resources, schedule, cast, family, rng, cloner, history, at: 0 };
        it.run();
        it
    }

    fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    fn alive(&self) -> Vec<Entity> {
        <Entity>::query().iter(&self.world).copied().collect()
    }

    fn record(&self, all: &[Entity]) -> Record {
        self.cloner.record(&self.world, all.iter().copied()).unwrap()
    }

    fn restore(&mut self, record: &Record) {
        self.cloner.restore(record, &mut self.world).unwrap();
    }

    /// Makes an edit, and records either all entities, or those alone that it touches, and those
    /// that the run links or sets free because of it: what else changes follows by itself.
    fn edit(&mut self, edit: &'static Edit) {
        self.run();
        let (was, old) = (Snapshot::of(&self.world), self.alive());
        let all = self.record(&old);
        let Self { world, resources, cast, family, .. } = self;
        edit.make(Place { world, resources, cast, picks: family });
        let made = Snapshot::of(&self.world);
        self.run();
        let (alive, is) = (self.alive(), Snapshot::of(&self.world));
        alive.iter().for_each(|it| _ = self.cast.number(*it));
        let new: Vec<Entity> = alive.iter().copied().filter(|it| !old.contains(it)).collect();
        let gone = self.cloner.record(&World::default(), new.iter().copied()).unwrap();
        let done = self.record(&[&old[..], &new[..]].concat());
        let links = |all: &Snapshot, entity| all.get(entity).map(|row| (row.parent, row.previous));
        let mut touched = old;
        touched.retain(|&entity| {
            !is_same(&was, &made, entity) || links(&was, entity) != links(&is, entity)
        });
        let (before, after) = if self.rng.one_in(2) {
            let after = self.record(&[&touched[..], &new[..]].concat());
            self.restore(&gone);
            self.restore(&all);
            let before = self.record(&touched);
            self.restore(&done);
            self.run();
            assert_same(&is, &Snapshot::of(&self.world), &format!("back and forth: {}", edit.name));
            (before, after)
        } else {
            (all, done)
        };
        self.history.truncate(self.at);
        self.history.push(Step { name: edit.name, before: [before, gone], after, was, is });
        self.at += 1;
    }

    fn undo(&mut self) {
        let Some(at) = self.at.checked_sub(1) else { return };
        let step = self.history.remove(at);
        step.before.iter().rev().for_each(|record| self.restore(record));
        if self.runs() {
            assert_same(&step.was, &Snapshot::of(&self.world), &format!("undone: {}", step.name));
            assert!(step.before.iter().all(|it| self.cloner.is_current(it, &self.world)));
        }
        self.history.insert(at, step);
        self.at = at;
    }

    fn redo(&mut self) {
        if self.at == self.history.len() {
            return;
        }
        let step = self.history.remove(self.at);
        self.restore(&step.after);
        if self.runs() {
            assert_same(&step.is, &Snapshot::of(&self.world), &format!("redone: {}", step.name));
            assert!(self.cloner.is_current(&step.after, &self.world));
        }
        self.history.insert(self.at, step);
        self.at += 1;
    }

    /// Now and then several steps are made in a frame.
    fn runs(&mut self) -> bool {
        let runs = !self.rng.one_in(3);
        if runs {
            self.run();
        }
        runs
    }
}

/// Whether an entity has the same components, bit for bit; or is in neither.
fn is_same(was: &Snapshot, is: &Snapshot, entity: Entity) -> bool {
    let (Some(old), Some(new)) = (was.get(entity), is.get(entity)) else {
        return was.get(entity).is_none() && is.get(entity).is_none();
    };
    // Without a matrix it is no parent: nobody answers for a list that it has nevertheless.
    let is_parent = old.has(Kind::LocalToWorld);
    let [old_types, new_types] = [&was.layouts[old.archetype], &is.layouts[new.archetype]];
    let types = old_types.len() == new_types.len()
        && old_types.iter().all(|component| new_types.contains(component));
    let counts = |column: &Column| is_parent || *column != Column::Children;
    (types || !is_parent) && was.columns().filter(counts).all(|column| column.same(old, new))
}

fn assert_same(was: &Snapshot, is: &Snapshot, what: &str) {
    let all = was.rows.iter().chain(&is.rows).map(|row| row.entity);
    for entity in all {
        let story = || format!("{what}: {:?}\n{:?}", was.get(entity), is.get(entity));
        assert!(is_same(was, is, entity), "{}", story());
    }
}

/// 10 edits of each life, and as many undone and redone.
#[test]
fn any_edit_is_undone_and_redone() {
    demand::each_seed(100, |seed| {
        let mut editor = Editor::new(seed);
        for _ in 0..30 {
            match editor.rng.below(3) {
                0 => editor.undo(),
                1 => editor.redo(),
                _ => {
                    let edit = loop {
                        let edit = editor.rng.pick(EDITS);
                        if matches!(edit.sort, Sort::Own | Sort::Legion) {
                            break edit;
                        }
                    };
                    editor.edit(edit);
                }
            }
        }
        while editor.at > 0 {
            editor.undo();
        }
    });
}

/// A component that is compared by a function.
#[derive(Clone, Debug)]
struct Note(String, u32);

/// What an editor does: an entity is moved, another one goes, and all comes back.
#[test]
fn records_are_what_was() {
    let mut test = TestWorld::default();
    let parent = test.at(1.0);
    let children: Vec<Entity> = (0..4).map(|_| test.below(parent, 1.0)).collect();
    let grandchild = test.child(children[1], Note("a".into(), 0));
    test.run();
    let mut cloner = EntityCloner::default();
    let (world, all) = (&test.world, [children[1], grandchild]);
    let refused = cloner.record(world, all).unwrap_err();
    assert!(matches!(refused, CloneError::NotRegistered { entity, .. } if entity == grandchild));
    // A copy could leave it out. A record could not put it back.
    assert!(cloner.clone().leave_out_unregistered().record(world, all).is_err());
    cloner.register_by::<Note>(|a, b| a.0 == b.0);
    let record = cloner.record(world, all.into_iter().chain(all)).unwrap();
    assert_eq!(record.entities().collect::<Vec<_>>().len(), 2, "each once");

    test.set(grandchild, Note("a".into(), 1));
    assert!(cloner.is_current(&record, &test.world), "that is no difference");
    test.set(children[1], Translation::new(-0.0, 0.0, 0.0));
    let zero = cloner.record(&test.world, [children[1]]).unwrap();
    test.set(children[1], Translation::new(0.0, 0.0, 0.0));
    assert!(!cloner.is_current(&zero, &test.world), "bit for bit");

    assert_eq!(test.world.despawn_subtree(children[1]), 2);
    test.run();
    assert_eq!(test.children(parent).len(), 3);
    cloner.restore(&record, &mut test.world).unwrap();
    assert!(cloner.is_current(&record, &test.world), "at once");
    test.run();
    assert_eq!((test.children(parent), test.x(grandchild)), (children.clone(), 2.0));
    assert_eq!(test.value::<Note>(grandchild).1, 0);

    // Other components by now, another parent, and another order.
    let others = cloner.record(&test.world, children[1..3].to_vec()).unwrap();
    test.world.set_parent(children[1], children[3]).unwrap();
    test.put(children[1], Scale(2.0));
    test.take::<Translation>(children[2]);
    test.world.insert_child(parent, 0, children[2]).unwrap();
    test.run();
    test.put(children[1], 7_u16);
    let refused = cloner.restore(&others, &mut test.world).unwrap_err();
    assert!(matches!(refused, CloneError::NotRegistered { entity, .. } if entity == children[1]));
    assert!(!test.has::<Translation>(children[2]), "nothing has changed");
    test.take::<u16>(children[1]);
    cloner.restore(&others, &mut test.world).unwrap();
    test.run();
    assert_eq!(test.children(parent), children);
    assert!(!test.has::<Scale>(children[1]) && test.has::<Translation>(children[2]));
    assert!(cloner.is_current(&others, &test.world));

    // What is the same is not touched: nobody hears of it.
    let version = test.version::<Translation>(children[1]);
    cloner.restore(&others, &mut test.world).unwrap();
    assert_eq!(test.version::<Translation>(children[1]), version);
}
