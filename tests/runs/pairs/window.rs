//! One window.

use std::{panic::resume_unwind, time::Duration};

use harness::{Rng, caught, panics::Fuse, snapshot};
use legion_transform::prelude::*;
use legion_transform_testing::{
    Snapshot,
    catalogue::{EDITS, Edit, Sort},
};

use super::{
    judge::{is_whole, judge, judge_damaged},
    scene::Scene,
    watchdog::watched,
};

/// What panics.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Panics {
    Nothing,
    Iterator,
    SubscriberOfEdits,
    SubscriberOfRuns,
}

/// What happens between two runs, and where.
pub struct Window {
    number: usize,
    rows: usize,
    tracks: bool,
    /// One that is none is a run.
    edits: Vec<Option<&'static Edit>>,
    panics: Panics,
    /// At which call, and whether it goes on to panic.
    at: usize,
    lasts: bool,
    rng: Rng,
}

/// What came of a window.
pub struct Lived {
    /// Whether anything panicked.
    pub panicked: bool,
    /// How many entities came.
    pub grown: isize,
}

impl Window {
    pub fn new(number: usize) -> Self {
        let mut rng = Rng::new(number as u64 + 1);
        let all = EDITS.len() + 1;
        let mut edits = vec![EDITS.get(number % all), EDITS.get(number / all % all)];
        if rng.one_in(3) {
            edits.push(EDITS.get(rng.below(all)));
        }
        let rows = match rng.below(100) {
            0..45 => 3,
            45..95 => 65,
            _ => 1_000,
        };
        let panics = match rng.below(6) {
            0 => Panics::Iterator,
            1 => Panics::SubscriberOfEdits,
            2 => Panics::SubscriberOfRuns,
            _ => Panics::Nothing,
        };
        let most = if rng.one_in(3) { 12 } else { 3 };
        let (tracks, at) = (rng.one_in(4), 1 + rng.below(most));
        Self { number, rows, tracks, edits, panics, at, lasts: false, rng }
    }

    /// One edit among few rows and a run. A subscriber panics at an event with this number, in the
    /// edit or in the run.
    pub fn cut_short(edit: &'static Edit, number: usize, in_run: bool, at: usize) -> Self {
        let panics = if in_run { Panics::SubscriberOfRuns } else { Panics::SubscriberOfEdits };
        let (edits, rng) = (vec![Some(edit)], Rng::new(number as u64));
        Self { number, rows: 3, tracks: false, edits, panics, at, lasts: false, rng }
    }

    /// The subscriber goes on to panic at all events from there on.
    pub fn lasting(self, lasts: bool) -> Self {
        Self { lasts, ..self }
    }

    pub fn with_rows(number: usize, rows: usize) -> Self {
        Self { rows, ..Self::new(number) }
    }

    fn name(&self) -> String {
        let edits: Vec<&str> =
            self.edits.iter().map(|edit| edit.map_or("a run", |edit| edit.name)).collect();
        let Self { number, rows, panics, at, .. } = self;
        format!("window {number}: {rows} rows, {}, {panics:?} at {at}", edits.join(" + "))
    }

    /// Lives through it.
    pub fn live(self) -> Lived {
        let name = self.name();
        let lived = caught(|| self.live_through(&name));
        lived.unwrap_or_else(|payload| {
            eprintln!("{name} failed");
            resume_unwind(payload)
        })
    }

    fn live_through(mut self, name: &str) -> Lived {
        // A loaded machine may take its time.
        let limit = Duration::from_secs(30);
        let bundle = TransformSystemBundle::default();
        let bundle = if self.tracks { bundle.track_changes() } else { bundle };
        let fuse = if self.lasts { Fuse::lasting() } else { Fuse::default() };
        let mut scene = Scene::new(self.rows, bundle, fuse, Rng::new(self.rng.seed()));
        let run = |scene: &mut Scene| watched(name, limit, || scene.test.run());
        let before = scene.test.world.len();
        let mut panicked = self.edit(&mut scene);
        let grown = scene.test.world.len() as isize - before as isize;
        if self.panics == Panics::SubscriberOfRuns {
            scene.subscriber.set(self.at);
            panicked |= caught(|| run(&mut scene)).is_err();
            scene.subscriber.set(0);
            assert!(is_whole(&scene.test.world), "a run leaves the world whole");
        }
        if is_whole(&scene.test.world) {
            judge(&mut scene, run);
        } else {
            judge_damaged(&mut scene, run);
            std::mem::forget(scene.test.world); // Legion's own columns may be out of step.
        }
        Lived { panicked, grown }
    }

    /// The edits, up to the first that panics. Returns whether one did.
    fn edit(&self, scene: &mut Scene) -> bool {
        match self.panics {
            Panics::Iterator => scene.iterator.set(self.at),
            Panics::SubscriberOfEdits => scene.subscriber.set(self.at),
            Panics::SubscriberOfRuns | Panics::Nothing => {}
        }
        let mut edits = self.edits.iter();
        let panicked = edits.find(|edit| {
            let before = snapshot(&scene.test.world);
            let sort = edit.map_or(Sort::Own, |edit| edit.sort);
            if sort == Sort::Merge {
                scene.subscriber.set(0);
            }
            let edited = caught(|| match edit {
                Some(edit) => scene.make(edit),
                None => scene.test.run(),
            });
            let Err(payload) = edited else { return false };
            let is_asked = self.panics == Panics::Iterator && scene.iterator.has_burnt()
                || self.panics == Panics::SubscriberOfEdits && scene.subscriber.has_burnt();
            if !is_asked {
                resume_unwind(payload);
            }
            if self.panics == Panics::Iterator {
                assert_eq!(scene.test.world.len(), before.rows.len(), "all rows or none");
            }
            if sort == Sort::Own {
                assert!(is_whole(&scene.test.world), "an edit of the crate leaves all whole");
            }
            if edit.is_some_and(|edit| edit.name.contains("despawn")) {
                assert_unchanged(&before, &snapshot(&scene.test.world));
            }
            true
        });
        scene.iterator.set(0);
        scene.subscriber.set(0);
        panicked.is_some()
    }
}

/// What an edit that removes has left is as it was.
fn assert_unchanged(before: &Snapshot, after: &Snapshot) {
    for row in &after.rows {
        let old = before.get(row.entity).expect("none came");
        assert_eq!((&row.numbers, row.parent), (&old.numbers, old.parent), "{:?}", row.entity);
    }
}
