//! Worlds that go through the same steps, each compared with the oracle or with the first one.

use harness::{TestWorld, oracle::Oracle, snapshot, user::groups};
use legion_transform::{findings::FindingKind, prelude::*};

use super::edits::{Edit, Slot, Subject};

/// What a world of the test is like.
#[derive(Clone, Copy)]
pub struct Plan {
    pub edits: usize,
    pub target: usize,
    /// The most that is spawned in one edit.
    pub bulk: usize,
}

impl Plan {
    /// Whether archetypes may have more than 64 rows. What is overwritten in doubt there is not
    /// right after the next run, but up to 32 runs later: no window overwrites and inserts.
    pub fn is_large(&self) -> bool {
        self.target > 64
    }
}

/// What happened to a world, to be replayed.
#[derive(Clone, Debug)]
pub enum Step {
    Edit(Edit),
    Run,
    RunAgain,
}

/// Worlds that go through the same steps: the first is judged, the others must come out the same
/// bits.
pub struct Trial {
    pub subjects: Vec<Subject>,
    pub oracle: Oracle,
    /// Whether nothing was edited since the last run.
    unchanged: bool,
    /// See [`Plan::is_large`].
    is_large: bool,
    /// Whether components that may be derived were overwritten since the last run, and whether
    /// entities came to archetypes.
    overwrote: bool,
    inserted: bool,
}

impl Trial {
    pub fn new(plan: Plan, bundles: Vec<TransformSystemBundle>) -> Self {
        // Every second one lists what changed, which must not change it.
        let tracked = |(index, bundle): (usize, TransformSystemBundle)| {
            if index % 2 == 1 { bundle.track_changes() } else { bundle }
        };
        let bundles = bundles.into_iter().enumerate().map(tracked);
        let subjects = bundles.map(|bundle| Subject::new(TestWorld::new(bundle))).collect();
        Self {
            subjects,
            oracle: Oracle::new(groups()),
            unchanged: false,
            is_large: plan.is_large(),
            overwrote: false,
            inserted: false,
        }
    }

    pub fn step(&mut self, step: &Step) {
        if let Step::Edit(edit) = step {
            let (overwrites, inserts) = (edit.overwrites(), edit.inserts());
            if self.is_large && (self.inserted && overwrites || self.overwrote && inserts) {
                self.step(&Step::Run);
            }
            self.overwrote |= overwrites;
            self.inserted |= inserts;
        } else {
            (self.overwrote, self.inserted) = (false, false);
        }
        let (first, others) = self.subjects.split_first_mut().expect("there is one");
        match step {
            Step::Edit(edit) => {
                self.unchanged = false;
                self.subjects.iter_mut().for_each(|subject| subject.apply(edit));
            }
            Step::RunAgain if self.unchanged => {
                self.oracle.run_again(&mut first.test);
                first.follow();
                for subject in others {
                    subject.test.run();
                    assert_eq!(subject.follow(), [], "nothing is listed where nothing was edited");
                }
            }
            Step::Run | Step::RunAgain => {
                self.unchanged = true;
                self.oracle.run(&mut first.test);
                first.follow();
                let findings = named(first);
                for other in others {
                    other.test.run();
                    other.follow();
                    let difference =
                        other.difference(&snapshot(&other.test.world), first, &self.oracle.last);
                    assert_eq!(
                        difference, None,
                        "threads and instruction sets do not change results"
                    );
                    assert_eq!(
                        named(other),
                        findings,
                        "threads and instruction sets do not change findings"
                    );
                }
            }
        }
    }
}

/// The findings of a world by slot.
fn named(subject: &Subject) -> Vec<(FindingKind, Slot, Option<Slot>)> {
    let slot = |entity| subject.slots[&entity];
    let findings = subject.test.findings().into_iter();
    findings
        .map(|finding| (finding.kind, slot(finding.entity), finding.related.map(slot)))
        .collect()
}
