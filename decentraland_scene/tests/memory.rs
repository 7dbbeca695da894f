//! Memory that is not needed any more is given back. Counted by the allocator.
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use decentraland_scene::{merge::*, wire::*};

/// The system's allocator; it counts the bytes that are taken.
struct Counted;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it came. `realloc` and
// `alloc_zeroed` are made of these two.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller's promises are those that the system asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above; it came from the system's allocator.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// One test at a time, so that it counts what is its own.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A frame of 4 MB in pieces, for a component that is not kept.
#[test]
fn a_connection_gives_back_the_buffer_of_a_large_frame() {
    let _alone = alone();
    let mut bytes = Vec::new();
    let data = vec![7; 4_000_000];
    let entity = EntityId(512);
    Message::PutComponent { network: None, entity, component: 9, timestamp: 1, data: &data }
        .write(&mut bytes)
        .unwrap();
    let (mut replica, mut from) = (Replica::default(), Connection::new(Role::Peer));
    let mut report = MergeReport::default();
    let before = TAKEN.load(Relaxed);
    for piece in bytes.chunks(60_000) {
        replica.receive(&mut from, piece, &mut report).unwrap();
    }
    assert_eq!((report.dropped, from.pending()), (1, 0));
    let kept = TAKEN.load(Relaxed) - before;
    assert!(kept < 200_000, "{kept} bytes");
}

/// All but every hundredth of 60,000 numbers die, with two versions each.
#[test]
fn the_memory_of_the_dead_is_given_back() {
    let _alone = alone();
    let entity = |number, version| SceneEntity::local(EntityId::new(number, version));
    let value =
        |x: u16| SceneTransform { position: [f32::from(x), 0.0, 0.0], ..SceneTransform::IDENTITY };
    let before = TAKEN.load(Relaxed);
    let mut replica = Replica::default();
    let mut ends = [(); 2].map(|()| Connection::new(Role::Peer));
    let mut cursor = ChangeCursor::default();
    for number in 1_000..61_000 {
        for version in 0..2 {
            replica.put_transform(entity(number, version), &value(number)).unwrap();
        }
    }
    for end in &mut ends {
        assert_eq!(replica.delta(end).len(), 120_000 * 68);
    }
    replica.for_each_change(&mut cursor, |_, _| {});
    let full = TAKEN.load(Relaxed) - before;
    for number in (1_000..61_000).filter(|number| number % 100 != 0) {
        replica.delete_entity(entity(number, 1)).unwrap();
    }
    replica.put_transform(entity(2_000, 1), &value(7)).unwrap();
    let mut seen = Vec::new();
    replica.for_each_change(&mut cursor, |entity, _| seen.push(entity));
    assert_eq!(seen.len(), 1 + 2 * 59_400);
    assert_eq!(seen.iter().filter(|seen| replica.is_alive(**seen)).count(), 1);
    drop(seen);
    let unread = replica.delta(&mut ends[0]);
    let dump = replica.dump();
    replica.shrink();
    let kept = TAKEN.load(Relaxed) - before - unread.len() - dump.len();
    // Of the dead a number and a version stay, of which others have to hear.
    assert!(kept < full / 2, "{kept} of {full} bytes");

    // Nothing else changed.
    assert_eq!((replica.dump(), replica.begins_anew(&cursor)), (dump, false));
    assert_eq!(replica.delta(&mut ends[1]), unread);
    replica.for_each_change(&mut cursor, |entity, _| panic!("{entity} is told again"));
    for number in (1_000..61_000).step_by(100) {
        let TransformState::Live { bytes, .. } = replica.transform(entity(number, 0)) else {
            panic!("{number} is gone")
        };
        assert_eq!(*bytes, value(number).to_bytes());
        replica.put_transform(entity(number, 1), &value(1)).unwrap();
    }
    replica.put_transform(entity(700, 0), &value(1)).unwrap();
    assert_eq!(replica.usage().entities, 1_201);
    assert_eq!(replica.delta(&mut ends[0]).len(), 601 * 68);
}
