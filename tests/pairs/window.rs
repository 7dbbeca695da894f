//! One window.

use std::{panic::resume_unwind, time::Duration};

use harness::{Rng, caught};
use legion_transform::prelude::*;
use legion_transform_testing::catalogue::{EDITS, Edit, Sort};

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
    /// At which call.
    at: usize,
    rng: Rng,
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
        Self { number, rows, tracks, edits, panics, at, rng }
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

    /// Lives through it. Returns whether anything panicked.
    pub fn live(self) -> bool {
        let name = self.name();
        let lived = caught(|| self.live_through(&name));
        lived.unwrap_or_else(|payload| {
            eprintln!("{name} failed");
            resume_unwind(payload)
        })
    }

    fn live_through(mut self, name: &str) -> bool {
        // A loaded machine may take its time.
        let limit = Duration::from_secs(30);
        let bundle = TransformSystemBundle::default();
        let bundle = if self.tracks { bundle.track_changes() } else { bundle };
        let mut scene = Scene::new(self.rows, bundle, Rng::new(self.rng.seed()));
        let run = |scene: &mut Scene| watched(name, limit, || scene.test.run());
        let mut has_panicked = self.edit(&mut scene);
        if self.panics == Panics::SubscriberOfRuns {
            scene.subscriber.set(self.at);
            has_panicked |= caught(|| run(&mut scene)).is_err();
            scene.subscriber.set(0);
            assert!(is_whole(&scene.test.world), "a run leaves the world whole");
        }
        if is_whole(&scene.test.world) {
            judge(&mut scene, run);
        } else {
            judge_damaged(&mut scene, run);
            std::mem::forget(scene.test.world); // Legion's own columns may be out of step.
        }
        has_panicked
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
            let before = scene.test.world.len();
            let sort = edit.map_or(Sort::Own, |edit| edit.sort);
            if sort == Sort::Merge {
                scene.subscriber.set(0);
            }
            let edited = caught(|| match edit {
                Some(edit) => scene.make(edit),
                None => scene.test.run(),
            });
            let Err(payload) = edited else { return false };
            let is_asked = self.panics == Panics::Iterator && scene.iterator.left() == 0
                || self.panics == Panics::SubscriberOfEdits && scene.subscriber.left() == 0;
            if !is_asked {
                resume_unwind(payload);
            }
            if self.panics == Panics::Iterator {
                assert_eq!(scene.test.world.len(), before, "all rows or none");
            }
            if sort == Sort::Own {
                assert!(is_whole(&scene.test.world), "an edit of the crate leaves all whole");
            }
            true
        });
        scene.iterator.set(0);
        scene.subscriber.set(0);
        panicked.is_some()
    }
}
