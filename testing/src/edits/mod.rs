//! Sequences of edits that stay valid while they shrink.

mod history;
mod model;
mod tree;

use std::sync::Arc;

use legion::storage::Component;
use proptest::{
    prelude::*,
    strategy::{NewTree, Union},
    test_runner::TestRunner,
};
use proptest_state_machine::strategy::Sequential;

use crate::{
    kind::Kind,
    program::{Name, Value},
    strategies::{Trees, Values},
};

pub use history::{History, Step};
use model::{Allow, Model};
pub use tree::HistoryTree;

/// Which edits. A strategy for [`History`]; see [`edits`].
#[derive(Clone, Debug)]
pub struct Edits {
    values: Values,
    kinds: Vec<Kind>,
    own: Vec<SBoxedStrategy<Value>>,
    allow: Allow,
    start: usize,
    length: usize,
}

/// Random worlds and edits of them: spawn, despawn, give another parent, take the parent, write,
/// add and remove components, and runs of the schedule in between.
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
    let own = Vec::new();
    Edits { values: Values::default(), kinds, own, allow: Allow::default(), start: 12, length: 24 }
}

impl Edits {
    /// The numbers of components.
    #[must_use]
    pub fn values(self, values: Values) -> Self {
        Self { values, ..self }
    }

    /// The components that are written, added and removed.
    #[must_use]
    pub fn components(self, kinds: impl IntoIterator<Item = Kind>) -> Self {
        Self { kinds: kinds.into_iter().collect(), ..self }
    }

    /// Every component: Eulers, pivots, composites, `ParentScaleInverse`, `WorldToLocal`, matrices
    /// that users write, two scales at once, `Inherits`; and cycles of parents. What only the
    /// bundle writes is overwritten too, where its documentation promises to mend it in one run.
    #[must_use]
    pub fn everything(self) -> Self {
        // The usual ones as often as all others together.
        let usual = self.kinds.iter().copied().cycle().take(Kind::ALL.len());
        let kinds = Kind::ALL.iter().copied().chain(usual).collect();
        Self { kinds, allow: Allow { cycles: true, mistakes: true }, ..self }
    }

    /// A component of yours: half of the entities have it from the beginning, and it is written,
    /// added and removed as the others are.
    #[must_use]
    pub fn own<T: Component + Clone + std::fmt::Debug>(
        mut self,
        component: impl Strategy<Value = T> + Send + Sync + 'static,
    ) -> Self {
        self.own.push(component.prop_map(|value| Value::Own(Arc::new(value))).sboxed());
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

    fn value(&self) -> BoxedStrategy<Value> {
        let values = self.values;
        let numbers = proptest::sample::select(self.kinds.clone()).prop_flat_map(move |kind| {
            values.numbers(kind).prop_map(move |numbers| Value::Numbers(kind, numbers))
        });
        let own = self.own.iter().map(|own| (2, own.clone().boxed()));
        Union::new_weighted([(4, numbers.boxed())].into_iter().chain(own).collect()).boxed()
    }

    /// What an entity of the beginning has beside its place, turn and scale.
    fn more(&self) -> BoxedStrategy<Vec<Value>> {
        let own: Vec<_> = self.own.iter().map(|own| proptest::option::of(own.clone())).collect();
        let numbers = proptest::collection::vec(self.value(), 0..=self.kinds.len() / 4);
        let usual = self.kinds.len() < 5;
        (own, numbers)
            .prop_map(move |(own, numbers)| {
                let numbers = if usual { Vec::new() } else { numbers };
                own.into_iter().flatten().chain(numbers).collect()
            })
            .boxed()
    }

    /// A component that an entity has, with another value.
    fn present(&self, model: &Model) -> Option<BoxedStrategy<(Name, Value)>> {
        let present = model.present(&self.kinds);
        let values = self.values;
        let another = move |(name, kind)| {
            values.numbers(kind).prop_map(move |numbers| (name, Value::Numbers(kind, numbers)))
        };
        let any = (!present.is_empty()).then(|| proptest::sample::select(present));
        any.map(|any| any.prop_flat_map(another).boxed())
    }

    /// One edit of a world.
    fn step(&self, model: &Model) -> BoxedStrategy<Step> {
        let alive = model.alive();
        let mut choices = vec![(3, Just(Step::Run).boxed()), (3, self.spawn(model, &alive))];
        if !alive.is_empty() {
            let any = || proptest::sample::select(alive.clone());
            let put = (any(), self.value()).prop_map(|(name, value)| Step::Put(name, value));
            let remove = (any(), self.value()).prop_map(|(name, value)| Step::Remove(name, value));
            let parent = (any(), any()).prop_map(|(name, parent)| Step::Parent(name, parent));
            choices.extend([
                (4, put.boxed()),
                (1, remove.boxed()),
                (3, parent.boxed()),
                (1, any().prop_map(Step::Unparent).boxed()),
                (2, any().prop_map(Step::Despawn).boxed()),
                (2, any().prop_map(Step::Tag).boxed()),
            ]);
            if let Some(present) = self.present(model) {
                let write = present.clone().prop_map(|(name, value)| Step::Put(name, value));
                let remove = present.prop_map(|(name, value)| Step::Remove(name, value));
                choices.extend([(5, write.boxed()), (1, remove.boxed())]);
            }
        }
        Union::new_weighted(choices).boxed()
    }

    fn spawn(&self, model: &Model, alive: &[Name]) -> BoxedStrategy<Step> {
        let name = model.next();
        let parent = match alive.is_empty() {
            true => Just(None).boxed(),
            false => {
                proptest::option::weighted(0.7, proptest::sample::select(alive.to_vec())).boxed()
            }
        };
        // Where there are many components, more of them together.
        let most = (self.kinds.len() / 4).max(4);
        let components = proptest::collection::vec(self.value(), 0..=most);
        (components, parent)
            .prop_map(move |(components, parent)| Step::Spawn { name, components, parent })
            .boxed()
    }
}

impl Strategy for Edits {
    type Tree = HistoryTree;
    type Value = History;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let (options, allow) = (self.clone(), self.allow);
        let start = Trees::of(self.start).values(self.values);
        let first = move || {
            // Entities that are left out one by one leave the numbers of the others as they are.
            let is_there = proptest::bool::weighted(0.9);
            let more = proptest::collection::vec((is_there, options.more()), options.start);
            (start.clone(), more)
                .prop_map(move |(forest, more)| Model::new(forest, more, allow))
                .boxed()
        };
        let options = self.clone();
        let sequence = Sequential::new(
            (1..=self.length).into(),
            first,
            |_: &Model, _: &Step| true, // one that is impossible does nothing
            move |model| options.step(model),
            |mut model, step| {
                model.apply(step);
                model
            },
        );
        sequence.new_tree(runner).map(HistoryTree::new)
    }
}

impl Arbitrary for History {
    type Parameters = ();
    type Strategy = Edits;

    fn arbitrary_with((): ()) -> Edits {
        edits()
    }
}
