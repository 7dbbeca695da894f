//! A world of which every run is checked.

use std::ops::{Deref, DerefMut};

use legion::Entity;
use legion_transform::{
    findings::{Finding, FindingKind},
    prelude::*,
};
use legion_transform_testing::{Reference, RunJudge, Setup};

use super::{
    test_world::TestWorld,
    user::{OWN, bundle_with_everything, setup},
};

/// A [`TestWorld`] and the judge that looks at it before and after each run.
pub struct CheckedWorld {
    pub test: TestWorld,
    pub judge: RunJudge,
    /// The findings of the last [`run`](Self::run).
    pub found: Vec<Finding>,
}

impl Default for CheckedWorld {
    fn default() -> Self {
        Self::new(TransformSystemBundle::default(), Setup::default())
    }
}

impl CheckedWorld {
    pub fn new(bundle: TransformSystemBundle, setup: Setup) -> Self {
        let judge = RunJudge::new(setup.large_worlds(None), OWN);
        Self { test: TestWorld::new(bundle), judge, found: Vec::new() }
    }

    /// With the write groups and systems of [`user`](super::user).
    pub fn with_everything() -> Self {
        Self::new(bundle_with_everything(), setup())
    }

    /// Runs and checks what came of it.
    pub fn run(&mut self) {
        self.test.judged_by(&mut self.judge);
        self.found = self.test.findings();
    }

    /// Runs once more: nothing may change.
    pub fn run_again(&mut self) {
        self.test.judged_again_by(&mut self.judge);
    }

    /// Runs, and runs once more.
    pub fn run_twice(&mut self) {
        self.run();
        self.run_again();
    }

    /// Runs, and compares with all derived values from scratch as well.
    pub fn run_from_scratch(&mut self) {
        let reference = Reference::of(&self.world);
        self.run();
        reference.check(&self.world).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    }

    #[track_caller]
    pub fn assert_found(&self, kind: FindingKind, entity: Entity, related: Option<Entity>) {
        let expected = Finding::new(kind, entity, related);
        assert!(self.found.contains(&expected), "{expected:?} is not among {:?}", self.found);
    }
}

impl Deref for CheckedWorld {
    type Target = TestWorld;

    fn deref(&self) -> &TestWorld {
        &self.test
    }
}

impl DerefMut for CheckedWorld {
    fn deref_mut(&mut self) -> &mut TestWorld {
        &mut self.test
    }
}
