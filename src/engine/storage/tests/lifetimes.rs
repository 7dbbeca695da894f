//! Accounts of two worlds; accounts that go before their world, and worlds before their account.

use std::sync::Arc;

use legion::World;

use super::{Account, all, at_last, columns, rows};
use crate::{
    components::Translation,
    engine::storage::{WorldCell, access::Access, log::LogCursor, mask::Mask},
};

/// How many subscribers the world's first archetype has, which Legion shows in its debug output
/// only.
fn subscribers(world: &World) -> String {
    format!("{world:?}").rsplit("Subscribers { len: ").next().unwrap().to_owned()
}

/// Legion never frees a subscriber, so a world has one log, whatever accounts there are.
#[test]
fn a_world_has_one_log() {
    let mut world = World::default();
    let entity = world.push((Translation::identity(),));
    let mut account = Account::open(&mut world);
    account.know(&mut world);
    let one = subscribers(&world);
    drop(account);
    world.remove(entity);
    world.push((Translation::identity(), 1u8));
    let mut next = Account::open(&mut world);
    next.look(&mut world).unwrap();
    assert!(!next.is_complete(), "what happened in between is not known");
    assert_eq!(subscribers(&world), one);
}

#[test]
fn an_account_sees_its_world_go() {
    let mut world = World::default();
    world.push((Translation::identity(),));
    let account = Account::open(&mut world);
    assert!(account.cell.is_alive());
    drop(world);
    assert!(!account.cell.is_alive());
}

#[test]
fn accounts_of_two_worlds_do_not_disturb_each_other() {
    assert!(at_last(|| {
        let mut worlds = [World::default(), World::default()];
        worlds[0].extend(rows(3));
        let mut accounts = worlds.each_mut().map(Account::open);
        accounts.iter_mut().zip(&mut worlds).for_each(|(account, world)| account.know(world));
        let gone = worlds[0].extend(rows(2))[1];
        accounts[1].look(&mut worlds[1]).unwrap();
        worlds[0].extend(rows(4));
        accounts[1].look(&mut worlds[1]).unwrap();
        worlds[0].remove(gone);
        worlds[0].extend(columns(1));
        accounts[0].look(&mut worlds[0]).unwrap();
        (accounts[0].inserted(0), accounts[0].written(0)) == (all(), Mask::NONE)
    }));
}

/// What lies in a cell goes with the world, or with the first event after all others that know the
/// cell are gone.
#[test]
fn a_state_goes_with_its_world_or_with_all_that_know_it() {
    let mut world = World::default();
    let state = Arc::new(());
    let cell = WorldCell::of(&mut world);
    cell.standing(&mut world).state = Some(Box::new(state.clone()));
    world.push((1u8,));
    assert_eq!(Arc::strong_count(&state), 2);
    drop(cell);
    world.push((2u8,));
    assert_eq!(Arc::strong_count(&state), 1, "an event came, and no other knows the cell");
    let cell = WorldCell::of(&mut world);
    cell.standing(&mut world).state = Some(Box::new(state.clone()));
    drop(world);
    assert_eq!(Arc::strong_count(&state), 1, "the world is gone");
    assert!(!cell.is_alive());
}

/// An edit borrows the state, and a panic gives it back.
#[cfg(panic = "unwind")]
#[test]
fn a_state_comes_back_after_a_panic() {
    let mut world = World::default();
    let cell = WorldCell::of(&mut world);
    cell.standing(&mut world).state = Some(Box::new(7u8));
    let panics = |world: &mut World, state: Option<&mut u8>| {
        assert!(
            (state, cell.standing(world).state.is_none()) == (Some(&mut 7), true),
            "it is lent"
        );
        panic!("in the midst of an edit");
    };
    assert!(crate::caught(|| WorldCell::with_state(&mut world, panics)).is_err());
    WorldCell::with_state(&mut world, |_, state: Option<&mut u8>| assert_eq!(state, Some(&mut 7)));
}

/// Where a state begins, no other stands. Its options stay when it goes.
#[test]
fn options_are_those_with_which_the_last_state_began() {
    let options = |world: &World| {
        let all = Access::of(world, Mask::NONE);
        WorldCell::options::<u8>(&all).map(|options| *options)
    };
    let mut world = World::default();
    let cell = WorldCell::of(&mut world);
    assert_eq!(options(&world), None);
    for number in [1, 2] {
        let changes = WorldCell::option_changes();
        cell.begin(&mut world, Arc::new(number));
        assert!(WorldCell::option_changes() > changes && options(&world) == Some(number));
        let before = cell.standing(&mut world).state.replace(Box::new(number));
        assert!(before.is_none(), "that of other options is gone");
    }
    drop(cell);
    world.push((1_u8,));
    assert_eq!(options(&world), Some(2));
}

/// The owner of a log forgets events that it has read. To any other reader they are lost.
#[test]
fn a_reader_that_is_not_the_owner_loses_what_is_trimmed() {
    let mut world = World::default();
    let _known = WorldCell::of(&mut world);
    let mut cursors = [(); 2].map(|()| LogCursor::of(&mut world));
    for reader in &mut cursors {
        let span = reader.read(&mut world);
        reader.give_back(&mut world, span);
    }
    let [owner, other] = &mut cursors;
    world.push((1_u8,));
    owner.trim(&mut world);
    let span = owner.read(&mut world);
    assert!(!span.is_lost);
    owner.give_back(&mut world, span);
    assert!(other.read(&mut world).is_lost);
}
