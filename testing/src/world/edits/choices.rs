//! What is made up next.

use std::collections::BTreeSet;

use proptest::{prelude::*, sample::select, strategy::Union};

use super::{
    Histories,
    model::Model,
    moves::Move,
    sample::{Sample, one_of},
    steps::Step,
};
use crate::{
    kind::{Kind, Numbers},
    world::{
        program::{Name, Rows},
        value::{Type, Value},
    },
};

/// A world whose entities may come so many at once has so many, from the first edit on.
const MANY: usize = 1_000;

pub(super) type Choices = Vec<(u32, BoxedStrategy<Move>)>;

impl Histories {
    /// The numbers of each component.
    pub(super) fn numbers(&self) -> impl Fn(Kind) -> BoxedStrategy<Numbers> + Clone + 'static {
        let (values, rare) = (self.values, self.rare);
        move |kind| match rare {
            None => values.numbers(kind),
            Some(rare) => prop_oneof![11 => values.numbers(kind), 1 => rare.numbers(kind)].boxed(),
        }
    }

    /// The values of each component.
    pub(super) fn of_type(&self) -> impl Fn(Type) -> BoxedStrategy<Value> + Clone + 'static {
        let (numbers, own) = (self.numbers(), self.own.clone());
        move |it| match it {
            Type::Kind(kind) => numbers(kind).prop_map(move |it| Value::Numbers(kind, it)).boxed(),
            Type::Own(name) => {
                let (_, value) = own.iter().find(|(it, _)| *it == name).expect("it is one");
                value.clone().boxed()
            }
        }
    }

    pub(super) fn value(&self) -> BoxedStrategy<Value> {
        let kinds = select(self.kinds.clone()).prop_map(Type::Kind);
        let numbers = kinds.prop_flat_map(self.of_type());
        let own = self.own.iter().map(|(_, own)| (2, own.clone().boxed()));
        Union::new_weighted([(4, numbers.boxed())].into_iter().chain(own).collect()).boxed()
    }

    /// Every component as often as any other.
    fn of_any_type(&self) -> BoxedStrategy<Value> {
        let types = Vec::from_iter(self.types());
        select(types).prop_flat_map(self.of_type()).boxed()
    }

    /// What an entity of the beginning has beside its place, turn and scale.
    pub(super) fn more(&self) -> BoxedStrategy<Vec<Value>> {
        let own = self.own.iter().map(|(_, own)| proptest::option::of(own.clone()));
        let own: Vec<_> = own.collect();
        let numbers = proptest::collection::vec(self.value(), 0..=self.several());
        let usual = self.kinds.len() < 5;
        (own, numbers)
            .prop_map(move |(own, numbers)| {
                let numbers = if usual { Vec::new() } else { numbers };
                own.into_iter().flatten().chain(numbers).collect()
            })
            .boxed()
    }

    /// How many components an entity has in the beginning: where there are many, more of them
    /// together. In a long history not: each set of components is an archetype, which stays.
    fn several(&self) -> usize {
        if self.length > 50 { 4 } else { self.kinds.len() / 4 }
    }

    /// The components that are edited.
    pub(super) fn types(&self) -> BTreeSet<Type> {
        let kinds = self.kinds.iter().copied().map(Type::Kind);
        let own = self.own.iter().map(|(name, _)| Type::Own(name));
        kinds.chain(own).collect()
    }

    /// One of these components, with another value.
    pub(super) fn another(
        &self,
        one: impl Strategy<Value = (Name, Type)> + 'static,
    ) -> BoxedStrategy<(Name, Value)> {
        let value = self.of_type();
        one.prop_flat_map(move |(name, it)| (Just(name), value(it))).boxed()
    }

    /// One edit of a world, or a few that belong together.
    pub(super) fn step(&self, model: &Model) -> BoxedStrategy<Move> {
        let sample = &Sample::of(model, &self.types());
        if self.bulk >= MANY && sample.len() < self.bulk {
            let rows = || self.rows(sample, self.bulk..=self.bulk);
            let merge = (rows(), self.a_few(4)).prop_map(|(rows, more)| Step::Merge(rows, more));
            return prop_oneof![step(rows().prop_map(Step::Extend)), step(merge)].boxed();
        }
        let is_crowded = sample.len() > self.most;
        // In a large world little happens from run to run, and most of it stays as it is.
        let runs = if self.allow.abuse || self.bulk >= MANY { 24 } else { 3 };
        let mut choices = vec![(runs, Just(Move::Step(Step::Run)).boxed())];
        if !is_crowded {
            choices.push((3, step(self.spawn(sample))));
        }
        if !sample.is_empty() {
            self.changes(sample, &mut choices);
        }
        if self.bulk > 0 && !is_crowded {
            self.arrivals(sample, &mut choices);
        }
        let own = |edit: &SBoxedStrategy<_>| (1, step(edit.clone().prop_map(Step::Own)));
        choices.extend(self.edits.iter().map(own));
        Union::new_weighted(choices).boxed()
    }

    /// Edits of entities that are there.
    fn changes(&self, sample: &Sample<'_>, choices: &mut Choices) {
        let is_crowded = sample.len() > self.most;
        // In a large world edits of many entities matter more than of one.
        let often = if self.bulk >= MANY { 4 } else { 1 };
        let any = || sample.any();
        let put = (any(), self.value()).prop_map(|(name, value)| Step::Put(name, value));
        let remove = (any(), self.value()).prop_map(|(name, value)| Step::Remove(name, value));
        let parent = (any(), any()).prop_map(|(name, parent)| Step::Parent(name, parent));
        let every = prop_oneof![Just(1), 2..9_usize, Just(1_000)];
        let each = (self.value(), every).prop_map(|(value, every)| Step::Each(value, every));
        choices.extend([
            (often, step(each)),
            (4, step(put)),
            (1, step(remove)),
            (3, step(parent)),
            (1, step(any().prop_map(Step::Unparent))),
            (if is_crowded { 6 } else { 2 }, step(any().prop_map(Step::Despawn))),
            (2, step(any().prop_map(Step::Tag))),
        ]);
        let resemble = (any(), any()).prop_map(|(name, other)| Move::Resemble(name, other));
        choices.push((3, resemble.boxed()));
        if !sample.present.is_empty() {
            let one = || self.another(one_of(&sample.present));
            let write = one().prop_map(|(name, value)| Step::Put(name, value));
            let remove = one().prop_map(|(name, value)| Step::Remove(name, value));
            choices.extend([(5, step(write)), (1, step(remove))]);
        }
        if self.bulk > 0 {
            choices.push((2 * often, self.many(sample)));
        }
        if self.allow.abuse {
            self.together(sample, choices);
            self.abuses(sample, choices);
        }
        if self.allow.mistakes || self.allow.abuse {
            self.rare(sample, choices);
            self.compensate(sample, choices);
        }
    }

    /// Many entities that come at once.
    fn arrivals(&self, sample: &Sample<'_>, choices: &mut Choices) {
        let few = self.rows(sample, 1..=self.bulk.min(4));
        let many = || self.rows(sample, 1..=self.bulk);
        let merge = (many(), self.a_few(6)).prop_map(|(rows, more)| Step::Merge(rows, more));
        let is_sparse = sample.len() < self.most / 2;
        let weight = if self.bulk >= MANY && is_sparse { 3 } else { 1 };
        choices.extend([
            (2, step(few.prop_map(Step::Extend))),
            (weight, step(many().prop_map(Step::Extend))),
            (weight, step(merge)),
        ]);
    }

    /// The same edit of many entities.
    fn many(&self, sample: &Sample<'_>) -> BoxedStrategy<Move> {
        let any = || sample.any();
        let value = match sample.present.is_empty() {
            true => (any(), self.value()).boxed(),
            false => self.another(one_of(&sample.present)),
        };
        let write = value.clone().prop_map(|(name, value)| Step::Write(name, value));
        let remove = value.clone().prop_map(|(name, value)| Step::Remove(name, value));
        let step = prop_oneof![
            1 => value.prop_map(|(name, value)| Step::Put(name, value)),
            3 => write,
            1 => remove,
            1 => any().prop_map(Step::Despawn),
            1 => any().prop_map(Step::Tag),
            1 => (any(), any()).prop_map(|(name, parent)| Step::Parent(name, parent)),
            1 => any().prop_map(Step::Unparent),
        ];
        let count = select(vec![4, 40, 400]);
        let many = (step, any(), 1..8_usize, count);
        many.prop_map(|(step, first, every, count)| Move::Many(step, first, every, count)).boxed()
    }

    fn rows(
        &self,
        sample: &Sample<'_>,
        count: std::ops::RangeInclusive<usize>,
    ) -> impl Strategy<Value = Rows> + 'static {
        let first = sample.model.next();
        let numbers = |kind| match self.kinds.contains(&kind) {
            true => self.numbers()(kind).prop_map(Some).boxed(),
            false => Just(None).boxed(),
        };
        let (place, scale) = (numbers(Kind::Translation), numbers(Kind::Scale));
        (count, sample.maybe_any(0.5), place, scale).prop_map(
            move |(count, parent, place, scale)| Rows {
                first,
                count,
                parent,
                place,
                scale: scale.map(|it| it[0]),
            },
        )
    }

    /// A few components, each as often as any other, at most so many.
    fn a_few(&self, most: usize) -> impl Strategy<Value = Vec<Value>> + 'static {
        proptest::collection::vec(self.of_any_type(), 0..=most)
    }

    fn spawn(&self, sample: &Sample<'_>) -> BoxedStrategy<Step> {
        let name = sample.model.next();
        let components = proptest::collection::vec(self.value(), 0..=self.several().max(4));
        (components, sample.maybe_any(0.7))
            .prop_map(move |(components, parent)| Step::Spawn { name, components, parent })
            .boxed()
    }
}

pub(super) fn step(steps: impl Strategy<Value = Step> + 'static) -> BoxedStrategy<Move> {
    steps.prop_map(Move::Step).boxed()
}
