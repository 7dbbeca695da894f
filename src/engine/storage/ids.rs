//! Legion's ids as numbers, and back: `Entity(7)` is 7, and 7 is `Entity(7)`.
#![allow(unsafe_code)]

use std::{
    hash::{Hash, Hasher},
    num::NonZeroU64,
};

use legion::Entity;

/// The number inside one of Legion's ids. Legion shows it to hashers only, so this is a hasher that
/// keeps the number.
pub(crate) fn captured<T: Hash>(id: &T) -> u64 {
    struct Capture(u64);
    impl Hasher for Capture {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, _: &[u8]) {
            unreachable!("ids hash as one integer");
        }
        fn write_u64(&mut self, id: u64) {
            self.0 = id;
        }
        fn write_usize(&mut self, id: usize) {
            self.0 = id as u64;
        }
    }
    let mut capture = Capture(0);
    id.hash(&mut capture);
    capture.finish()
}

const _: () = assert!(
    size_of::<Entity>() == size_of::<NonZeroU64>()
        && align_of::<Entity>() == align_of::<NonZeroU64>()
);

/// The entity with a number: the inverse of [`captured`].
pub(crate) fn entity(number: NonZeroU64) -> Entity {
    // SAFETY: Legion's `Entity` is a transparent wrapper of this type, and every number of it
    // stands for an entity, alive or not.
    unsafe { std::mem::transmute::<NonZeroU64, Entity>(number) }
}
