//! Sequences of edits that stay valid while they shrink.

mod being;
mod choices;
mod corners;
mod effects;
mod history;
mod model;
mod moves;
mod sample;
mod steps;
#[cfg(not(target_family = "wasm"))]
mod tree;

use std::sync::Arc;

use legion::storage::Component;
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

use crate::{
    kind::Kind,
    strategies::{Trees, Values},
    value::Value,
};

pub use history::History;
use model::{Allow, Model};
pub use steps::{Cast, OwnEdit, Step};

pub use crate::program::Rows;
#[cfg(not(target_family = "wasm"))]
pub use tree::HistoryTree;

/// Which edits. A strategy for [`History`]; see [`edits`].
#[derive(Clone, Debug)]
pub struct Edits {
    values: Values,
    rare: Option<Values>,
    kinds: Vec<Kind>,
    /// Components of the users', by the names of their types.
    own: Vec<(&'static str, SBoxedStrategy<Value>)>,
    edits: Vec<SBoxedStrategy<Arc<dyn OwnEdit>>>,
    allow: Allow,
    start: usize,
    most: usize,
    bulk: usize,
    length: usize,
}

/// Random worlds and edits of them: spawn, despawn, give another parent, take the parent, write,
/// add and remove components, of one entity or of all that a query finds, and runs of the schedule
/// in between.
///
/// Without more options it is what an ordinary program does: translations, rotations and one scale
/// or the other, and no cycles of parents. A world begins with up to 12 entities and goes through
/// up to 24 edits and runs.
///
/// Edits shrink one by one. An edit that has become impossible, because what spawned its entity is
/// gone, does nothing and is left out of the [`History`]. So a case shrinks to the few edits that
/// matter, and prints as a program:
///
/// ```
/// use legion_transform_testing::edits;
/// use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
///
/// let tree = edits().new_tree(&mut TestRunner::deterministic()).unwrap();
/// println!("{:?}", tree.current());
/// ```
///
/// The sequences are those of `proptest-state-machine`.
#[must_use]
pub fn edits() -> Edits {
    let kinds = vec![Kind::Translation, Kind::Rotation, Kind::Scale, Kind::NonUniformScale];
    Edits {
        values: Values::default(),
        rare: None,
        kinds,
        own: Vec::new(),
        edits: Vec::new(),
        allow: Allow::default(),
        start: 12,
        most: usize::MAX,
        bulk: 0,
        length: 24,
    }
}

impl Edits {
    /// The numbers of components.
    #[must_use]
    pub fn values(self, values: Values) -> Self {
        Self { values, ..self }
    }

    /// One in twelve components has these numbers instead: a world full of infinities shows little.
    #[must_use]
    pub fn rarely(self, values: Values) -> Self {
        Self { rare: Some(values), ..self }
    }

    /// The components that are written, added and removed.
    #[must_use]
    pub fn components(self, kinds: impl IntoIterator<Item = Kind>) -> Self {
        Self { kinds: kinds.into_iter().collect(), ..self }
    }

    /// These components, too; [`Kind::own`] are yours.
    #[must_use]
    pub fn and(mut self, kinds: &[Kind]) -> Self {
        self.kinds.extend(kinds);
        self
    }

    /// Every component: Eulers, pivots, composites, `ParentScaleInverse`, `WorldToLocal`, matrices
    /// that users write, two scales at once, `Inherits`; and cycles of parents. What only the
    /// bundle writes is overwritten too, where its documentation promises to mend it in one run.
    #[must_use]
    pub fn everything(self) -> Self {
        // The usual ones as often as all others together.
        let usual = self.kinds.iter().copied().cycle().take(Kind::ALL.len());
        let kinds = Kind::ALL.iter().copied().chain(usual).collect();
        Self { kinds, allow: Allow { cycles: true, mistakes: true, ..self.allow }, ..self }
    }

    /// A component of yours: half of the entities have it from the beginning, and it is written,
    /// added and removed as the others are.
    #[must_use]
    pub fn own<T: Component + Clone + std::fmt::Debug>(
        mut self,
        component: impl Strategy<Value = T> + Send + Sync + 'static,
    ) -> Self {
        let component = component.prop_map(|value| Value::Own(Arc::new(value))).sboxed();
        self.own.push((std::any::type_name::<T>(), component));
        self
    }

    /// With cycles of parents.
    #[must_use]
    pub fn cycles(self) -> Self {
        Self { allow: Allow { cycles: true, ..self.allow }, ..self }
    }

    /// How many entities there are at most in the beginning.
    #[must_use]
    pub fn start(self, entities: usize) -> Self {
        Self { start: entities, ..self }
    }

    /// How many edits and runs there are at most; at least 1.
    #[must_use]
    pub fn length(self, steps: usize) -> Self {
        Self { length: steps.max(1), ..self }
    }

    /// What no program should do, and what the bundle mends all the same: a `Parent` without
    /// `LocalToParent`, or that is dead; `PreviousParent` and `Children` written or removed; all
    /// entities moved to another world and back; all removed at once.
    #[must_use]
    pub fn abuse(self) -> Self {
        Self { allow: Allow { abuse: true, ..self.allow }, ..self }
    }

    /// What the bundle derives is overwritten also between the same two runs in which entities come
    /// to its archetype. Who wrote it cannot be told then. In archetypes of up to 64 rows the next
    /// run mends it, in others one of the next 32, so a test of large ones must wait for these.
    #[must_use]
    pub fn doubt(self) -> Self {
        Self { allow: Allow { doubt: true, ..self.allow }, ..self }
    }

    /// With many entities that come at once, up to so many, some of them out of another world; and
    /// with the same edit of up to 400 entities. From 1,000 on a world begins with so many, and such
    /// edits are frequent.
    #[must_use]
    pub fn bulk(self, entities: usize) -> Self {
        Self { bulk: entities, ..self }
    }

    /// Above so many entities no more come one by one, and more of them go.
    #[must_use]
    pub fn most(self, entities: usize) -> Self {
        Self { most: entities, ..self }
    }

    /// Edits of yours among the others: calls of your functions, resources that come and go. They
    /// take no part in what the kit knows of a world.
    #[must_use]
    pub fn edit<E: OwnEdit + 'static>(
        mut self,
        edit: impl Strategy<Value = E> + Send + Sync + 'static,
    ) -> Self {
        self.edits.push(edit.prop_map(|edit| Arc::new(edit) as Arc<dyn OwnEdit>).sboxed());
        self
    }

    /// A history that does not shrink. (The only one on WebAssembly, for which
    /// `proptest-state-machine` is not built.)
    pub fn sample(&self, runner: &mut TestRunner) -> History {
        let draw = |runner: &mut TestRunner| self.first().new_tree(runner).map(|it| it.current());
        let start = draw(runner).expect("nothing is rejected");
        let (mut model, mut moves) = (start.clone(), Vec::new());
        for _ in 0..self.length {
            let made_up =
                self.step(&model).new_tree(runner).expect("nothing is rejected").current();
            model.take(&made_up);
            moves.push(made_up);
        }
        History::new(start, &moves, None)
    }

    /// The world in the beginning.
    fn first(&self) -> BoxedStrategy<Model> {
        let allow = self.allow;
        // Entities that are left out one by one leave the numbers of the others as they are.
        let is_there = proptest::bool::weighted(0.9);
        let more = proptest::collection::vec((is_there, self.more()), self.start);
        (Trees::of(self.start).values(self.values), more)
            .prop_map(move |(forest, more)| Model::new(forest, more, allow))
            .boxed()
    }
}

#[cfg(not(target_family = "wasm"))]
impl Strategy for Edits {
    type Tree = HistoryTree;
    type Value = History;

    fn new_tree(&self, runner: &mut TestRunner) -> proptest::strategy::NewTree<Self> {
        let (first, options) = (self.clone(), self.clone());
        let sequence = proptest_state_machine::strategy::Sequential::new(
            (1..=self.length).into(),
            move || first.first(),
            |_: &Model, _: &moves::Move| true, // one that is impossible does nothing
            move |model| options.step(model),
            |mut model, made_up| {
                model.take(made_up);
                model
            },
        );
        sequence.new_tree(runner).map(HistoryTree::new)
    }
}

#[cfg(not(target_family = "wasm"))]
impl Arbitrary for History {
    type Parameters = ();
    type Strategy = Edits;

    fn arbitrary_with((): ()) -> Edits {
        edits()
    }
}
