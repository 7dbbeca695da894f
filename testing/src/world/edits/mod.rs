//! Sequences of edits that stay valid while they shrink.

mod being;
mod choices;
mod corners;
mod crowd;
mod effects;
mod history;
mod model;
mod moves;
mod sample;
mod sort;
mod steps;
#[cfg(not(target_family = "wasm"))]
mod tree;

use std::{collections::BTreeSet, sync::Arc};

use legion::storage::{Component, ComponentTypeId};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

use crate::{
    kind::Kind,
    world::{
        strategies::{Trees, Values},
        value::Value,
    },
};

pub use history::History;
use model::{Allow, Model};
pub use sort::Edit;
pub use steps::{Cast, OwnEdit, Step};

pub use crate::world::program::Rows;
#[cfg(not(target_family = "wasm"))]
pub use tree::HistoryTree;

/// How many entities a large world has.
const LARGE: usize = 9_000;

/// Which edits. A strategy for [`History`]; see [`edits`].
#[derive(Clone, Debug)]
pub struct Histories {
    values: Values,
    rare: Option<Values>,
    kinds: Vec<Kind>,
    /// Components of the users', by the names of their types.
    own: Vec<(&'static str, SBoxedStrategy<Value>)>,
    edits: Vec<SBoxedStrategy<Arc<dyn OwnEdit>>>,
    allow: Allow,
    start: usize,
    /// How many entities a crowd has at most.
    crowd: usize,
    is_crowd: bool,
    /// The components that must occur.
    named: Vec<Kind>,
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
/// Histories shrink one by one. An edit that has become impossible, because what spawned its entity
/// is gone, does nothing and is left out of the [`History`]. So a case shrinks to the few edits
/// that matter, and prints as a program:
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
pub fn edits() -> Histories {
    let kinds = vec![Kind::Translation, Kind::Rotation, Kind::Scale, Kind::NonUniformScale];
    Histories {
        values: Values::default(),
        rare: None,
        kinds,
        own: Vec::new(),
        edits: Vec::new(),
        allow: Allow::default(),
        start: 12,
        crowd: 70,
        is_crowd: false,
        named: Vec::new(),
        most: usize::MAX,
        bulk: 0,
        length: 24,
    }
}

impl Histories {
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

    /// The components that entities have, and that are written, added and removed; no others but
    /// the matrices and the links.
    #[must_use]
    pub fn components(self, kinds: impl IntoIterator<Item = Kind>) -> Self {
        let kinds: Vec<Kind> = kinds.into_iter().collect();
        Self { named: kinds.clone(), kinds, ..self }
    }

    /// No edits of this sort: what your program never does.
    ///
    /// ```
    /// use legion_transform_testing::{Edit, Step, check_histories, config, edits};
    ///
    /// let edits = edits().without(Edit::Despawn).without(Edit::Unparent);
    /// check_histories(config(), edits, |history| {
    ///     assert!(history.steps().all(|step| !matches!(step, Step::Despawn(_))));
    ///     Ok(())
    /// });
    /// ```
    #[must_use]
    pub fn without(mut self, edit: Edit) -> Self {
        self.allow.without.push(edit);
        self
    }

    /// The components that [`components`](Self::components) has named.
    pub(crate) fn named(&self) -> BTreeSet<ComponentTypeId> {
        self.named.iter().map(|kind| kind.type_id()).collect()
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

    /// Your own component: half of the entities have it from the beginning, and it is written,
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

    /// How many entities there are at most in the beginning, in crowds, too.
    #[must_use]
    pub fn start(self, entities: usize) -> Self {
        Self { start: entities, crowd: entities, ..self }
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
    /// to its archetype. Then it is not known who wrote it. In archetypes of up to 64 rows the next
    /// run mends it, in others one of the next 32, so a test of large ones must wait for these.
    #[must_use]
    pub fn doubt(self) -> Self {
        Self { allow: Allow { doubt: true, ..self.allow }, ..self }
    }

    /// With many entities that come at once, up to so many, some of them out of another world; and
    /// with the same edit of up to 400 entities. From 1,000 on a world begins with so many, and
    /// such edits are frequent.
    #[must_use]
    pub fn bulk(self, entities: usize) -> Self {
        Self { bulk: entities, ..self }
    }

    /// Above so many entities no more come one by one, and more of them go. Below 9,000, no world
    /// is large: see [`check_system`](crate::check_system).
    #[must_use]
    pub fn most(self, entities: usize) -> Self {
        Self { most: entities, ..self }
    }

    /// Your own histories among the others: calls of functions, resources that come and go. They
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
        let allow = self.allow.clone();
        // Entities that are left out one by one leave the numbers of the others as they are.
        let is_there = proptest::bool::weighted(0.9);
        let more = proptest::collection::vec((is_there, self.more()), self.start);
        let kinds = self.kinds.clone();
        let usual = (Trees::of(self.start).values(self.values), more).prop_map(
            move |(mut forest, more)| {
                let components = forest.nodes.iter_mut().map(|node| &mut node.components);
                components.for_each(|it| it.retain(|(kind, _)| kinds.contains(kind)));
                Model::new(forest, more, allow.clone())
            },
        );
        if self.is_crowd { self.crowd() } else { usual.boxed() }
    }

    /// Worlds that are crowds, unless fewer than four entities may be there in the beginning.
    pub(crate) fn crowds(&self) -> Option<Self> {
        let can_be = self.crowd >= crowd::FEWEST && self.most >= self.crowd;
        can_be.then(|| Self { is_crowd: true, ..self.clone() })
    }

    /// Worlds of 9,000 entities, if so many may come: more than threads share in one block, in more
    /// than two sectors.
    pub(crate) fn large(&self) -> Option<Self> {
        let is_large = self.most >= LARGE && self.bulk < LARGE;
        is_large.then(|| Self { start: 4, ..self.clone() }.bulk(LARGE).length(self.length.min(16)))
    }
}

#[cfg(not(target_family = "wasm"))]
impl Strategy for Histories {
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
    type Strategy = Histories;

    fn arbitrary_with((): ()) -> Histories {
        edits()
    }
}
