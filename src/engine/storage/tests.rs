//! The tracker against a model that knows what it wrote, and against Legion's own archetypes.

mod account;
mod fuzz;
mod layouts;
mod lifetimes;
mod operations;
mod soak;
mod writes;

use legion::{
    Entity, World,
    storage::{IntoComponentSource, IntoSoa},
    systems::CommandBuffer,
};

use self::account::Account;
use super::{columns::Columns, mask::Mask};
use crate::{
    components::{LocalToWorld, Rotation, Translation},
    engine::bulk::Migration,
};

/// Other tests of the process may move the counter at any time, so that a window may be called
/// written without need, but not every time.
fn at_last(mut closes: impl FnMut() -> bool) -> bool {
    (0..1_000_000).any(|_| closes())
}

type Bone = (Translation, Rotation, LocalToWorld);

fn row() -> Bone {
    (Translation::identity(), Rotation::identity(), LocalToWorld::identity())
}

fn rows(n: usize) -> Vec<Bone> {
    vec![row(); n]
}

/// The same, as a structure of arrays.
fn columns(n: usize) -> impl IntoComponentSource {
    let (translation, rotation, world) = row();
    (vec![translation; n], vec![rotation; n], vec![world; n]).into_soa()
}

/// What one edit of a world with two archetypes (three columns, and one more of the user's) is
/// found to have done to the first.
fn found(edit: impl Fn(&mut World, &[Entity])) -> (Mask, Mask, usize) {
    found_with(|world, entities, _| edit(world, entities))
}

/// The same, with another world that has the same rows.
fn found_with(edit: impl Fn(&mut World, &[Entity], &mut World)) -> (Mask, Mask, usize) {
    let (mut world, mut other) = (World::default(), World::default());
    other.extend(rows(2));
    let entities = world.extend(rows(5)).to_vec();
    world.push((Translation::identity(), Rotation::identity(), LocalToWorld::identity(), 1u8));
    let mut account = Account::open(&mut world);
    account.know(&mut world);
    edit(&mut world, &entities, &mut other);
    account.look(&mut world).unwrap();
    assert!(account.is_complete());
    (account.inserted(0), account.written(0), account.touched().len())
}

const ALL: Mask = Mask::LOCAL_TO_WORLD;

fn all() -> Mask {
    ALL | Mask::TRANSLATION | Mask::ROTATION
}

type Edit = dyn Fn(&mut World, &[Entity]);

#[test]
fn insertions_alone_are_told() {
    let edits: [&Edit; 6] = [
        &|world, _| _ = world.push(row()),
        &|world, _| {
            let (translation, rotation, matrix) = row();
            world.push((matrix, rotation, translation));
        },
        &|world, _| _ = world.extend(rows(7)),
        &|world, _| _ = world.extend(columns(3)),
        &|world, entities| {
            let mut commands = CommandBuffer::new(world);
            commands.extend(rows(3));
            commands.remove(entities[1]);
            commands.extend(rows(2));
            commands.flush(world, &mut legion::Resources::default());
        },
        &|world, entities| {
            world.remove(entities[2]);
            world.push_with_id(entities[0], row());
        },
    ];
    for (index, edit) in edits.into_iter().enumerate() {
        assert!(at_last(|| found(edit) == (all(), Mask::NONE, 1)), "edit {index}");
    }
}

#[test]
fn merges_that_move_or_copy_are_insertions() {
    let copies = |world: &mut World, _: &[Entity], other: &mut World| {
        let mut merger = legion::world::Duplicate::default();
        merger.register_copy::<Translation>();
        merger.register_copy::<Rotation>();
        merger.register_copy::<LocalToWorld>();
        world.clone_from(other, &legion::any(), &mut merger);
    };
    let moves =
        |world: &mut World, _: &[Entity], other: &mut World| world.move_from(other, &legion::any());
    assert!(at_last(|| found_with(copies) == (all(), Mask::NONE, 1)));
    assert!(at_last(|| found_with(moves) == (all(), Mask::NONE, 1)));
}

#[test]
fn removals_and_moves_touch_no_column_of_the_source() {
    assert!(at_last(
        || found(|world, entities| _ = world.remove(entities[0])) == (Mask::NONE, Mask::NONE, 1)
    ));
    assert!(at_last(|| found(|world, entities| world
        .entry(entities[0])
        .unwrap()
        .add_component(2u8))
        == (Mask::NONE, Mask::NONE, 2)));
    // The destination: there and back.
    let back = |world: &mut World, entities: &[Entity]| {
        let mut entry = world.entry(entities[0]).unwrap();
        entry.add_component(2u8);
        entry.remove_component::<u8>();
    };
    assert!(at_last(|| found(back) == (all(), Mask::NONE, 2)));
}

#[test]
fn a_write_is_found_wherever_it_stands() {
    let write = |world: &mut World, entity| {
        *world.entry(entity).unwrap().get_component_mut::<Rotation>().unwrap() =
            Rotation::identity()
    };
    for _ in 0..if cfg!(miri) { 1 } else { 20 } {
        let before = found(|world, entities| {
            write(world, entities[0]);
            world.extend(rows(2));
        });
        assert!(before.1.has(Mask::ROTATION), "{before:?}");
        let between = found(|world, entities| {
            world.extend(rows(2));
            write(world, entities[0]);
            world.extend(rows(2));
        });
        assert!(between.1.has(Mask::ROTATION), "{between:?}");
        let over_a_removal = found(|world, entities| {
            write(world, entities[0]);
            world.remove(entities[1]);
            world.extend(rows(2));
        });
        assert!(over_a_removal.1.has(Mask::ROTATION), "{over_a_removal:?}");
        let within = found(|world, entities| {
            let entity = entities[0];
            let mut commands = CommandBuffer::new(world);
            commands.extend(rows(1));
            commands.exec_mut(move |world, _| {
                *world.entry(entity).unwrap().get_component_mut::<Rotation>().unwrap() =
                    Rotation::identity()
            });
            commands.extend(rows(1));
            commands.flush(world, &mut legion::Resources::default());
        });
        assert!(within.1.has(Mask::ROTATION), "{within:?}");
    }
    let after = |world: &mut World, entities: &[Entity]| {
        world.extend(rows(2));
        write(world, entities[0]);
    };
    assert!(at_last(|| found(after) == (ALL | Mask::TRANSLATION, Mask::ROTATION, 1)));
}

#[test]
fn as_many_writes_as_an_insertion_saves_are_found() {
    for _ in 0..if cfg!(miri) { 1 } else { 20 } {
        let hidden = found(|world, entities| {
            for &entity in &entities[..3] {
                world
                    .entry(entity)
                    .unwrap()
                    .get_component_mut::<Translation>()
                    .unwrap()
                    .0
                    .vector
                    .x += 1.0;
            }
            world.extend(columns(1));
        });
        assert!(hidden.1.has(Mask::TRANSLATION), "{hidden:?}");
    }
}

#[test]
fn rows_are_followed_over_several_looks() {
    let mut world = World::default();
    let first = world.extend(rows(3)).to_vec();
    let mut account = Account::open(&mut world);
    account.know(&mut world);
    let second = world.extend(rows(2)).to_vec();
    world.remove(first[0]);
    account.look(&mut world).unwrap();
    world.remove(second[1]);
    account.look(&mut world).unwrap();
    let sheet = &account.tracker[0];
    assert_eq!(sheet.recent.rows(4).collect::<Vec<_>>(), [0], "it took the last row's");
    account.know(&mut world);
    assert!(account.touched().is_empty());
}

/// An hour of bullets leaves the pages of the bullets that stay.
#[test]
fn pages_go_with_their_entities() {
    let mut world = World::default();
    let mut account = Account::open(&mut world);
    account.know(&mut world);
    for round in 0..200 {
        let bullets = world.extend(rows(600)).to_vec();
        account.know(&mut world);
        bullets[usize::from(round % 2 == 0)..].iter().for_each(|&bullet| _ = world.remove(bullet));
        account.know(&mut world);
    }
    assert_eq!(world.len(), 100);
    assert!(
        account.tracker.row_map.pages() <= 100 + 4,
        "{} pages",
        account.tracker.row_map.pages()
    );
}

#[test]
fn more_events_than_are_worth_keeping_are_everything() {
    let mut world = World::default();
    world.extend(rows(3));
    let mut account = Account::open(&mut world);
    account.know(&mut world);
    world.extend(rows(5000));
    account.look(&mut world).unwrap();
    assert!(!account.is_complete());
    assert_eq!(account.written(0), all());
    account.know(&mut world);
    world.extend(rows(5000));
    account.look(&mut world).unwrap();
    assert!(account.is_complete(), "a world of 5,003 may get as many");
}

#[cfg(panic = "unwind")]
#[test]
fn edits_cut_short_by_a_panic_are_written() {
    struct Fragile(bool);

    impl Drop for Fragile {
        fn drop(&mut self) {
            assert!(!self.0 || std::thread::panicking(), "dropped");
        }
    }
    let mut world = World::default();
    let entities: Vec<Entity> = world
        .extend(
            (0..4)
                .map(|row| {
                    (crate::components::Scale(1.0), Fragile(row == 1), Translation::identity())
                })
                .collect::<Vec<_>>(),
        )
        .to_vec();
    let mut account = Account::open(&mut world);
    account.know(&mut world);
    assert!(crate::caught(|| world.remove(entities[1])).is_err());
    assert!(account.look(&mut world).is_err(), "a column has a row too many");
    std::mem::forget(world);
}

/// Miri sees whether to read a column leaves what was read of it before valid.
#[test]
fn a_column_is_read_in_several_ways_at_once() {
    let mut world = World::default();
    world.extend(rows(3));
    let mut columns = Columns::new(&mut world);
    let inputs = Mask::TRANSLATION | Mask::ROTATION;
    let mut factors = columns.factors();
    let archetype = factors(0, all(), inputs);
    archetype.matrices.iter_mut().for_each(|matrix| matrix.fill(2.0));
    let bytes: Vec<usize> = archetype.numbers.iter().map(|(.., bytes)| bytes.len()).collect();
    assert_eq!(bytes, [3 * 12, 3 * 16]);
    assert_eq!(archetype.factors.translation, [[0.0; 3]; 3]);
    assert!(archetype.numbers[0].2.iter().all(|byte| *byte == 0));
    drop(factors);
    let (matrices, beside) = columns.write_beside::<LocalToWorld>(0);
    let (once, again) = (beside.read::<Rotation>(), beside.read::<Rotation>());
    matrices[1] = LocalToWorld::identity();
    assert_eq!((once[0], again.len()), (again[0], 3));
}

/// Moves by whole archetypes bump in an order of their own, which the account cannot explain.
#[test]
fn own_changes_are_no_writes_whatever_they_bump() {
    let mut world = World::default();
    let mut account = Account::open(&mut world);
    // In the first round the archetypes that they come to are new: all counts as written there.
    for round in 0..2 {
        let entities = world.extend(rows(100)).to_vec();
        account.know(&mut world);
        let added: Vec<Mask> = (0..100)
            .map(|row| if row % 3 == 0 { Mask::CHILDREN } else { Mask::PREVIOUS_PARENT })
            .collect();
        let migrations = Migration::all(Columns::new(&mut world).entities(0), &added);
        Migration::carry_out(&mut world, 0, migrations, &[]);
        account.look_own(&mut world);
        for (row, &entity) in entities.iter().enumerate() {
            let to = Columns::new(&mut world).locate(entity).expect("alive");
            let written = if round == 0 { Mask::ALL } else { Mask::NONE };
            assert_eq!(account.written(to.archetype), written);
            assert_eq!(account.inserted(to.archetype), (all() | added[row]).without(written));
        }
        account.check_row_map(&world);
    }
}
