//! Accounts that go before their world, and worlds that go before their account.

use std::sync::Arc;

use legion::World;

use super::super::Account;
use crate::components::Translation;

/// Legion never frees a subscriber, so an account takes the one that an earlier account has left.
#[test]
fn a_subscriber_is_used_again() {
    let mut world = World::default();
    let entity = world.push((Translation::identity(),));
    let mut account = Account::open(&mut world);
    account.know(&mut world);
    let log = Arc::downgrade(&account.log);
    assert_eq!(log.strong_count(), 2, "the account and the subscriber");
    drop(account);
    world.remove(entity);
    world.push((Translation::identity(), 1u8));
    assert_eq!(log.strong_count(), 1, "the world keeps its subscriber");
    let mut next = Account::open(&mut world);
    assert!(std::ptr::eq(log.as_ptr(), Arc::as_ptr(&next.log)));
    next.look(&mut world).unwrap();
    assert!(!next.is_complete(), "what happened in between is not known");
    let beside = Account::open(&mut world);
    assert!(!std::ptr::eq(log.as_ptr(), Arc::as_ptr(&beside.log)));
    drop((world, next));
    assert_eq!(log.strong_count(), 0);
}

#[test]
fn an_account_sees_its_world_go() {
    let mut world = World::default();
    world.push((Translation::identity(),));
    let account = Account::open(&mut world);
    assert!(account.world().is_alive());
    drop(world);
    assert!(!account.world().is_alive());
}
