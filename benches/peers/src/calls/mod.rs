//! Calls that a game makes around the run: ours and Bevy's.
//!
//! Nanoseconds a call or an entity: medians of rounds that take turns, the same bones of the same
//! skeletons on both sides. The rows of this crate are those of `cargo bench -p benches --bench
//! transforms -- calls`.

mod bevy;
#[path = "../../../calls/rows/mod.rs"]
mod rows;
mod theirs;

use std::time::{Duration, Instant};

use bevy_math::Vec3;
use bevy_transform::prelude::GlobalTransform;

use crate::{
    figures::middle,
    table::{Table, significant},
};
use bevy::Bevy;
use rows::{BONES, Row, Rows, SKELETONS};
use theirs::Call;

/// The medians of ours and of Bevy's, of half a second or 9 rounds.
fn medians(row: &Row, theirs: Option<Call>, skeletons: usize) -> [f64; 2] {
    let (mut ours, mut bevy, mut times) = (None, None, [Vec::new(), Vec::new()]);
    let start = Instant::now();
    while times[0].len() < 9 || start.elapsed() < Duration::from_millis(500) {
        times[0].push(row.round(&mut ours, skeletons).each());
        if let Some(theirs) = theirs {
            let it = bevy.get_or_insert_with(|| Bevy::new(skeletons));
            times[1].push(theirs(it).each());
            it.run();
            bevy.take_if(|_| row.is_once);
        }
    }
    times.map(|times| if times.is_empty() { f64::NAN } else { middle(times) })
}

/// Both sides have the same skeletons: their tips are in the same places.
fn check() {
    let (ours, bevy) = (rows::Scene::new(2), Bevy::new(2));
    for (&ours_pick, &pick) in ours.bones.picks.iter().zip(&bevy.bones.picks) {
        let entry = legion::EntityStore::entry_ref(&ours.world, ours_pick).unwrap();
        let matrix = entry.into_component::<legion_transform::components::LocalToWorld>().unwrap();
        let theirs = bevy.app.world().get::<GlobalTransform>(pick).unwrap().translation();
        let distance = theirs.distance(Vec3::from_array(matrix.position().into()));
        assert!(distance < 1e-4, "bones are {distance} apart");
    }
}

/// Measures the rows that have one of the words in their names.
pub fn print(words: &[String]) {
    check();
    let sizes = SKELETONS.map(|count| format!("{} bones: ours", count * BONES));
    let sizes = sizes.iter().flat_map(|ours| [ours.as_str(), "Bevy", "ratio"]);
    let mut table = Table::new(["call", "Bevy's"].into_iter().chain(sizes));
    let is_wanted =
        |row: &&Row| words.is_empty() || words.iter().any(|word| row.name.contains(word));
    for row in Rows::all().0.iter().filter(is_wanted) {
        eprintln!("{}", row.name);
        let (name, call) = theirs::of(&row.name).map_or(("", None), |it| (it.0, Some(it.1)));
        let cells = SKELETONS.into_iter().flat_map(|skeletons| {
            let [ours, bevy] = medians(row, call, skeletons);
            let text = |it: f64| if it.is_nan() { "-".into() } else { significant(it) };
            [ours, bevy, ours / bevy].map(text)
        });
        table.row([row.name.clone(), name.into()].into_iter().chain(cells));
    }
    println!("{}", table.text());
}
