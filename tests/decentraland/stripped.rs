//! Components that were removed by hand: what the bundle took away is nobody's edit.

use crate::common::live::*;
use legion_transform::{
    decentraland::{apply::*, merge::*, wire::*},
    prelude::*,
};

#[test]
fn children_of_a_parent_without_matrix_that_dies_send_nothing() {
    // The order of: r the bundle runs, s edits are sent, a the state is applied, d the parent's death
    // is merged.
    for order in ["rda", "rdas", "rsda", "drsa", "rsdras", "dra", "rdar", "rads"] {
        let mut live = Live::default();
        live.put(512, at(1.0, 2.0, 3.0, 0));
        live.put(513, at(0.0, 1.0, 0.0, 512));
        live.update();
        live.remove::<LocalToWorld>(512);
        for step in order.chars() {
            match step {
                'r' => live.run(),
                's' => assert_eq!(send(&mut live), EditReport::default(), "{order}"),
                'd' => {
                    let death = Message::DeleteEntity { network: None, entity: EntityId(512) };
                    assert_eq!(live.replica.merge(&death), Outcome::Accepted);
                }
                _ => _ = live.mirror.apply(&mut live.replica, &mut live.world),
            }
        }
        assert_eq!(send(&mut live), EditReport::default(), "{order}");
        settled(&mut live);
        assert_eq!(live.get::<Parent>(513), Some(Parent(live.entity(512))), "{order}");
    }
}
