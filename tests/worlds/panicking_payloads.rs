//! A subscriber of the user's that panics at every event, each time with a payload that panics when
//! it is dropped. The first payload comes out, for the user to catch. To drop one of the others
//! would be another panic, where none can be borne.

use std::{
    mem::forget,
    panic::panic_any,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use harness::caught;
use legion::{
    any,
    world::{Event, EventSender},
};

use legion_transform::prelude::*;

use super::interrupted_edits::{EDITS, Family, Name};

/// The number of the event that it is of.
struct Payload(usize);

impl Drop for Payload {
    fn drop(&mut self) {
        panic!("the payload of event {} is dropped", self.0);
    }
}

/// Panics whenever an entity comes or goes, from an event with this number on.
struct Bombs {
    seen: Arc<AtomicUsize>,
    first: usize,
}

/// As many events as no test sees.
const OFF: usize = usize::MAX / 2;

impl EventSender for Bombs {
    fn send(&self, event: Event) -> bool {
        if !matches!(event, Event::ArchetypeCreated(_)) {
            let number = self.seen.fetch_add(1, SeqCst);
            if (self.first..OFF).contains(&number) && !std::thread::panicking() {
                panic_any(Payload(number));
            }
        }
        true
    }
}

/// Calls with such a subscriber. Returns whether it panicked; the payload must be the first one.
fn bombed(family: &mut Family, first: usize, call: impl FnOnce(&mut Family)) -> bool {
    let seen = Arc::new(AtomicUsize::new(OFF));
    family.world.subscribe(Bombs { seen: seen.clone(), first }, any());
    seen.store(0, SeqCst);
    let payload = caught(|| call(family)).err().map(|it| it.downcast::<Payload>().unwrap());
    seen.store(OFF, SeqCst);
    let number = payload.as_ref().map(|it| it.0);
    forget(payload);
    assert!(number.is_none_or(|number| number == first), "{number:?} instead of {first}");
    number.is_some()
}

#[test]
fn an_edit_survives_panics_at_all_events() {
    // A child with children is put back where it was, which fails if the subscriber panics again.
    let of_such = ["remove_parent", "detach_children"];
    for (what, edit, most) in EDITS.into_iter().filter(|edit| !of_such.contains(&edit.0)) {
        let mut first = 0;
        loop {
            let mut family = Family::new();
            let panicked = bombed(&mut family, first, edit);
            let names = family.names();
            let are_all = names.len() as u32 == most;
            assert!(are_all || names.len() == 8, "{what}: all rows or none, but {names:?}");
            family.run();
            assert_eq!(family.names(), names, "{what} {first}");
            family.check(what);
            if !panicked {
                break;
            }
            first += 1;
        }
        assert!(first > 0, "{what} moves nothing");
    }
}

/// A run that gives all entities of an archetype what they lack.
#[test]
fn a_run_survives_panics_at_all_events() {
    let mut first = 0;
    loop {
        let mut family = Family::new();
        let bare = |name| {
            let links = (LocalToWorld::identity(), LocalToParent::identity(), Parent(family.root));
            (links.0, links.1, links.2, Translation::new(1.0, 0.0, 0.0), Name(name))
        };
        let rows: Vec<_> = (100..180).map(bare).collect();
        family.world.extend(rows);
        let names = family.names();
        let panicked = bombed(&mut family, first, Family::run);
        assert_eq!(family.names(), names, "{first}");
        family.run();
        assert_eq!(family.names(), names, "{first}");
        family.check("a run");
        if !panicked {
            break;
        }
        first += 1;
    }
    assert!(first > 100, "{first}");
}
