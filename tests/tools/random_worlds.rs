//! Random worlds with users' components in write groups, by the edits of
//! `legion_transform_testing`.
use std::{
    ops::{Deref, DerefMut},
    sync::LazyLock,
};

pub use harness::user::bundle_with_groups as bundle;
use harness::{
    TestWorld,
    user::{
        self, OwnCompositeRotation, OwnCompositeScale, OwnLocal, OwnParentScaleInverse,
        OwnRotation, OwnWorld, OwnWorldAndRotation,
    },
};
use legion::{Entity, World};
use legion_transform::prelude::*;
use legion_transform_testing::{Histories, History, Kind, Setup, Step, Values, edits, snapshot};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use proptest::prelude::*;

/// The same for the reference.
pub fn setup() -> &'static Setup {
    static SETUP: LazyLock<Setup> = LazyLock::new(user::setup);
    &SETUP
}

pub const OWN: [Kind; 7] = [
    Kind::own::<OwnWorld>(),
    Kind::own::<OwnLocal>(),
    Kind::own::<OwnRotation>(),
    Kind::own::<OwnCompositeRotation>(),
    Kind::own::<OwnCompositeScale>(),
    Kind::own::<OwnParentScaleInverse>(),
    Kind::own::<OwnWorldAndRotation>(),
];

/// A vector of up to 4 units along each axis.
pub fn vector() -> impl Strategy<Value = Vector3<f32>> {
    Values::default().reach(4).component::<Translation>().prop_map(|it| it.0.vector)
}

pub fn rotation() -> impl Strategy<Value = UnitQuaternion<f32>> {
    Values::default().component::<Rotation>().prop_map(|it| it.0)
}

/// Scales that are neither tiny nor huge, some of them negative.
pub fn factors() -> impl Strategy<Value = Vector3<f32>> {
    Values::default().mirrors().component::<NonUniformScale>().prop_map(|it| it.0)
}

/// Worlds of every component, with up to so many edits and runs.
pub fn histories(length: usize) -> Histories {
    let values = Values::default().reach(3).mirrors().zeros();
    edits().everything().and(&OWN).values(values).length(length)
}

/// Without `ParentScaleInverse`: what becomes of one whose source goes, only the bundle can
/// foresee.
pub fn without_compensation(length: usize) -> Histories {
    let kinds = Kind::ALL.iter().filter(|kind| **kind != Kind::ParentScaleInverse);
    histories(length).components(kinds.chain(&OWN).copied())
}

/// A world with users' components, and the entities that were ever spawned into it.
pub struct RandomWorld {
    pub test: TestWorld,
    /// Whether the bundle inserts missing matrices.
    pub inserts: bool,
    pub entities: Vec<Entity>,
}

impl Deref for RandomWorld {
    type Target = TestWorld;

    fn deref(&self) -> &TestWorld {
        &self.test
    }
}

impl DerefMut for RandomWorld {
    fn deref_mut(&mut self) -> &mut TestWorld {
        &mut self.test
    }
}

impl RandomWorld {
    /// The bundle has run once, so queries know its write groups.
    pub fn new() -> Self {
        Self::with(bundle(), false)
    }

    /// With `insert_missing`.
    pub fn inserting() -> Self {
        Self::with(bundle().insert_missing(), true)
    }

    /// `inserts`: whether the bundle inserts missing matrices.
    pub fn with(bundle: TransformSystemBundle, inserts: bool) -> Self {
        let mut test = TestWorld::new(bundle);
        test.run();
        Self { test, inserts, entities: Vec::new() }
    }

    pub fn world_matrix(&self, entity: Entity) -> Option<Matrix4<f32>> {
        self.get::<LocalToWorld>(entity).map(|matrix| matrix.0)
    }

    pub fn fresh(&self) -> TransformQuery<'_, World> {
        TransformQuery::new(&self.world)
    }

    /// Makes an edit, or runs.
    pub fn take(&mut self, step: &Step) {
        match step {
            Step::Run => self.run(),
            edit => self.test.play(edit),
        }
        self.entities = self.test.cast.entities();
    }

    /// All of a history but the run at its end.
    pub fn play(&mut self, history: &History) {
        let mut steps: Vec<&Step> = history.steps().collect();
        steps.pop_if(|last| matches!(last, Step::Run));
        steps.into_iter().for_each(|step| self.take(step));
    }
}

/// Bit for bit; NaNs count as equal.
pub fn same_bits(a: &Matrix4<f32>, b: &Matrix4<f32>) -> bool {
    snapshot::same_bits(a.as_slice(), b.as_slice())
}
