//! Memory that is not needed any more is given back. Counted by the allocator: one test, so that it
//! counts what is its own.
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
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

#[test]
fn memory_is_given_back() {
    a_connection_gives_back_the_buffer_of_a_large_frame();
    departures_of_a_replica_without_readers_do_not_collect();
}

/// A frame of 4 MB in pieces, for a component that is not kept.
fn a_connection_gives_back_the_buffer_of_a_large_frame() {
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

/// Players come and go, and no reader ends an epoch: departures are forgotten all the same.
fn departures_of_a_replica_without_readers_do_not_collect() {
    let mut client = Replica::default();
    let mut join_and_leave = |visits: std::ops::Range<u32>| {
        for visit in visits {
            let entity = EntityId::new(32 + (visit % 100) as u16, (visit / 100) as u16);
            let data = SceneTransform::IDENTITY.to_bytes();
            let mut bytes = Vec::new();
            for message in [
                Message::PutComponent {
                    network: None,
                    entity,
                    component: TRANSFORM,
                    timestamp: 1,
                    data: &data,
                },
                Message::DeleteEntity { network: None, entity },
            ] {
                message.write(&mut bytes).unwrap();
            }
            let report = client.merge_bytes(&bytes, Role::Host).unwrap();
            assert_eq!(report.accepted, 2);
        }
        TAKEN.load(Relaxed)
    };
    let before = join_and_leave(0..10_000);
    let after = join_and_leave(10_000..60_000);
    assert!(after < before + 10_000, "{before} bytes, and then {after}");
}
