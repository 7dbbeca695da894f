//! What the calls cost that a game makes around the run: nanoseconds a call or an entity, on one
//! skeleton and in worlds of 20,100 and 201,000 bones.

mod rows;
#[cfg(feature = "serde")]
mod saving;

use crate::harness::{Bench, is_full};
use rows::{BONES, Rows, SKELETONS};

/// Measures all of them.
pub fn calls(bench: &Bench) {
    let sizes = if is_full() { &SKELETONS[..] } else { &SKELETONS[..2] };
    #[cfg_attr(not(feature = "serde"), allow(unused_mut))]
    let mut rows = Rows::all();
    #[cfg(feature = "serde")]
    saving::add(&mut rows);
    for row in &rows.0 {
        for &skeletons in sizes {
            let (id, mut scene) = (format!("calls/{}/{}", row.name, skeletons * BONES), None);
            bench.calls(&id, || row.round(&mut scene, skeletons).each());
        }
    }
}
