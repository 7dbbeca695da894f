//! Spawning with reserved ids.

use harness::TestWorld;
use legion::World;
use legion_transform::{
    prelude::*,
    spawn::{InsertError, insert_with_ids, reserve_ids},
};

use super::at;

#[test]
fn wrong_ids_spawn_nothing() {
    let mut world = World::default();
    let ids = reserve_ids(3);
    let tuples = || [Translation::new(1.0, 0.0, 0.0); 3].map(|translation| (translation,));
    let short = insert_with_ids(&mut world, &ids[..2], tuples());
    assert_eq!(short, Err(InsertError::Count { ids: 2, tuples: 3 }));
    for beside in [ids[0], ids[2]] {
        let twice = insert_with_ids(&mut world, &[beside, ids[2], ids[2]], tuples());
        assert_eq!(twice, Err(InsertError::Repeated { entity: ids[2] }));
    }
    let twice = insert_with_ids(&mut world, &[ids[2], ids[0], ids[2]], tuples());
    assert_eq!(twice, Err(InsertError::Repeated { entity: ids[2] }));
    let long = insert_with_ids(&mut world, &ids, [(Translation::identity(),)]);
    assert_eq!(long, Err(InsertError::Count { ids: 3, tuples: 1 }));
    let none = insert_with_ids(&mut world, &ids, std::iter::empty::<(Translation,)>());
    assert_eq!(none, Err(InsertError::Count { ids: 3, tuples: 0 }));
    assert_eq!(world.len(), 0);

    // In any order; and an iterator may claim any size.
    let backwards: Vec<_> = ids.iter().rev().copied().collect();
    insert_with_ids(&mut world, &backwards, tuples().into_iter().filter(|_| true)).unwrap();
    let again = insert_with_ids(&mut world, &ids, tuples());
    assert_eq!(again, Err(InsertError::Exists { entity: ids[0] }));
    assert_eq!(world.len(), 3);
    for message in [short, twice, again].map(|result| result.unwrap_err().to_string()) {
        assert!(message.contains(": "), "{message}");
    }
}

/// Yields one tuple whatever it claims, then nothing, then another.
struct Unsteady(usize, Option<usize>);

impl Iterator for Unsteady {
    type Item = (Scale,);
    fn next(&mut self) -> Option<(Scale,)> {
        self.0 += 1;
        (self.0 != 2).then_some((Scale(1.0),))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.1)
    }
}

#[test]
fn an_iterator_that_goes_on_after_its_end_spawns_nothing() {
    let (mut world, ids) = (World::default(), reserve_ids(2));
    for claimed in [None, Some(0)] {
        let short = insert_with_ids(&mut world, &ids, Unsteady(0, claimed));
        assert!(matches!(short, Err(InsertError::Count { ids: 2, .. })), "{claimed:?}: {short:?}");
        assert_eq!(world.len(), 0);
    }
    // The ids are still free.
    insert_with_ids(&mut world, &ids, [(Scale(1.0),), (Scale(2.0),)]).unwrap();
    assert_eq!(world.len(), 2);
}

#[test]
fn a_child_may_come_before_its_parent_and_gets_what_it_needs() {
    let (mut test, ids) = (TestWorld::default(), reserve_ids(2));
    let [parent, child] = [ids[0], ids[1]];
    insert_with_ids(&mut test.world, &[child], [(Parent(parent), at(1.0))]).unwrap();
    insert_with_ids(&mut test.world, &[parent], [(at(5.0),)]).unwrap();
    test.run();
    assert_eq!(test.x(child), 6.0);
}
