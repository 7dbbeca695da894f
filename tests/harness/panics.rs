//! Panics that tests catch, and the user's code that panics.

use std::{
    any::Any,
    mem::forget,
    panic::{AssertUnwindSafe, catch_unwind, panic_any},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
};

use legion::{
    World, any,
    world::{Event, EventSender},
};

/// Calls what may panic. An error is the panic's payload.
///
/// Where a panic ends the process, as on wasm32, this function is not there, so a test that catches
/// panics compiles only if it is left out there, too, by `#[cfg(panic = "unwind")]`.
pub fn caught<R>(call: impl FnOnce() -> R) -> thread::Result<R> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|payload| match payload.downcast::<Payload>() {
        Ok(payload) => {
            let number = payload.0;
            forget(payload);
            assert_eq!(number, 1, "of several panics the first one goes on");
            Box::new("a user's bug") as Box<dyn Any + Send>
        }
        Err(payload) => payload,
    })
}

/// The payload of a panic of a [`Fuse`] that lasts, by its number. To drop it is another panic,
/// where none can be borne.
struct Payload(usize);

impl Drop for Payload {
    fn drop(&mut self) {
        panic!("the payload of panic {} is dropped", self.0);
    }
}

/// A user's code that panics at a call. As a subscriber it is called when an entity comes or goes.
#[derive(Clone, Default)]
pub struct Fuse {
    /// How many calls are left up to the one that panics; 0 is never.
    left: Arc<AtomicUsize>,
    burnt: Arc<AtomicUsize>,
    /// Whether it goes on to panic at all calls behind that one, each time with a [`Payload`].
    lasts: bool,
    /// Whether it is called when an archetype is made, too. Legion cannot bear a panic there.
    hears_archetypes: bool,
    burnt_in_archetype: Arc<AtomicBool>,
}

impl Fuse {
    pub fn lasting() -> Self {
        Self { lasts: true, ..Self::default() }
    }

    pub fn of_all_events() -> Self {
        Self { hears_archetypes: true, ..Self::default() }
    }

    /// Subscribes to a world. Subscribing tells all that is there, so it must not be lit before.
    #[must_use]
    pub fn subscribed(self, world: &mut World) -> Self {
        world.subscribe(self.clone(), any());
        self
    }

    /// From now on, panics at the call with this number; 0 is never.
    pub fn set(&self, calls: usize) {
        self.burnt.store(0, SeqCst);
        self.burnt_in_archetype.store(false, SeqCst);
        self.left.store(calls, SeqCst);
    }

    pub fn has_burnt(&self) -> bool {
        self.burnt.load(SeqCst) > 0
    }

    /// Whether it panicked while an archetype was being made.
    pub fn has_burnt_in_an_archetype(&self) -> bool {
        self.burnt_in_archetype.load(SeqCst)
    }

    /// Makes a call in which it panics at its call with this number.
    pub fn light<R>(&self, calls: usize, call: impl FnOnce() -> R) -> thread::Result<R> {
        self.set(calls);
        let result = caught(call);
        self.left.store(0, SeqCst);
        result
    }

    pub fn call(&self) {
        let next =
            |left: usize| if self.lasts && left == 1 { Some(1) } else { left.checked_sub(1) };
        if self.left.fetch_update(SeqCst, SeqCst, next) != Ok(1) || thread::panicking() {
            return;
        }
        let number = self.burnt.fetch_add(1, SeqCst) + 1;
        if self.lasts {
            panic_any(Payload(number));
        }
        panic!("a user's bug");
    }
}

impl EventSender for Fuse {
    fn send(&self, event: Event) -> bool {
        let is_archetype = matches!(event, Event::ArchetypeCreated(_));
        if is_archetype && self.left.load(SeqCst) == 1 {
            self.burnt_in_archetype.store(self.hears_archetypes, SeqCst);
        }
        if !is_archetype || self.hears_archetypes {
            self.call();
        }
        true
    }
}
