//! What is made up next.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{prelude::*, sample::select, strategy::Union};

use super::{Edits, model::Model, moves::Move, steps::Step};
use crate::{
    kind::{Kind, Numbers},
    program::{Name, Rows},
    value::{Type, Value},
};

/// A world whose entities may come so many at once has so many, from the first edit on.
const MANY: usize = 1_000;

type Choices = Vec<(u32, BoxedStrategy<Move>)>;

impl Edits {
    /// The numbers of each component.
    fn numbers(&self) -> impl Fn(Kind) -> BoxedStrategy<Numbers> + Clone + 'static {
        let (values, rare) = (self.values, self.rare);
        move |kind| match rare {
            None => values.numbers(kind),
            Some(rare) => prop_oneof![11 => values.numbers(kind), 1 => rare.numbers(kind)].boxed(),
        }
    }

    fn value(&self) -> BoxedStrategy<Value> {
        let values = self.numbers();
        let numbers = select(self.kinds.clone()).prop_flat_map(move |kind| {
            values(kind).prop_map(move |numbers| Value::Numbers(kind, numbers))
        });
        let own = self.own.iter().map(|(_, own)| (2, own.clone().boxed()));
        Union::new_weighted([(4, numbers.boxed())].into_iter().chain(own).collect()).boxed()
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

    /// The components that entities have, of those that are edited.
    fn present(&self, model: &Model) -> Vec<(Name, Type)> {
        let kinds = self.kinds.iter().copied().map(Type::Kind);
        let own = self.own.iter().map(|(name, _)| Type::Own(name));
        model.present(&BTreeSet::from_iter(kinds.chain(own)))
    }

    /// One of these components, with another value.
    fn another(
        &self,
        one: impl Strategy<Value = (Name, Type)> + 'static,
    ) -> BoxedStrategy<(Name, Value)> {
        let (numbers, own) = (self.numbers(), self.own.clone());
        let value = move |it| match it {
            Type::Kind(kind) => numbers(kind).prop_map(move |it| Value::Numbers(kind, it)).boxed(),
            Type::Own(name) => {
                let (_, value) = own.iter().find(|(it, _)| *it == name).expect("it is one");
                value.clone().boxed()
            }
        };
        one.prop_flat_map(move |(name, it)| (Just(name), value(it))).boxed()
    }

    /// One edit of a world, or a few that belong together.
    pub(super) fn step(&self, model: &Model) -> BoxedStrategy<Move> {
        let alive = model.alive();
        if self.bulk >= MANY && alive.len() < self.bulk {
            return step(self.rows(model, &alive, self.bulk..=self.bulk).prop_map(Step::Extend));
        }
        let is_crowded = alive.len() > self.most;
        // In a large world edits of many entities matter more than of one.
        let often = if self.bulk >= MANY { 4 } else { 1 };
        let runs = if self.allow.abuse { 24 } else { 3 };
        let mut choices = vec![(runs, Just(Move::Step(Step::Run)).boxed())];
        if !is_crowded {
            choices.push((3, step(self.spawn(model, &alive))));
        }
        if !alive.is_empty() {
            let any = || select(alive.clone());
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
            let present = self.present(model);
            if !present.is_empty() {
                let one = || self.another(select(present.clone()));
                let write = one().prop_map(|(name, value)| Step::Put(name, value));
                let remove = one().prop_map(|(name, value)| Step::Remove(name, value));
                choices.extend([(5, step(write)), (1, step(remove))]);
            }
            if self.bulk > 0 {
                choices.push((2 * often, self.many(present.clone(), &alive)));
            }
            if self.allow.abuse {
                self.together(model, &alive, &mut choices);
                self.abuses(model, &alive, &mut choices);
                self.rare(present, &mut choices);
            }
        }
        if self.bulk > 0 && !is_crowded {
            let few = self.rows(model, &alive, 1..=self.bulk.min(4));
            let many = || self.rows(model, &alive, 1..=self.bulk);
            let components = proptest::collection::vec(self.value(), 0..=4);
            let merge = (many(), components).prop_map(|(rows, more)| Step::Merge(rows, more));
            let is_sparse = alive.len() < self.most / 2;
            let weight = if self.bulk >= MANY && is_sparse { 3 } else { 1 };
            choices.extend([
                (2, step(few.prop_map(Step::Extend))),
                (weight, step(many().prop_map(Step::Extend))),
                (weight, step(merge)),
            ]);
        }
        let own = |edit: &SBoxedStrategy<_>| (1, step(edit.clone().prop_map(Step::Own)));
        choices.extend(self.edits.iter().map(own));
        Union::new_weighted(choices).boxed()
    }

    /// The same edit of many entities.
    fn many(&self, present: Vec<(Name, Type)>, alive: &[Name]) -> BoxedStrategy<Move> {
        let any = || select(alive.to_vec());
        let value = match present.is_empty() {
            true => (any(), self.value()).boxed(),
            false => self.another(select(present)),
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

    /// Edits that belong together, of the relations and scales of a few entities.
    fn together(&self, model: &Model, alive: &[Name], choices: &mut Choices) {
        let any = || select(alive.to_vec());
        let scales = select(vec![Kind::Scale, Kind::NonUniformScale, Kind::CompositeScale]);
        let values = self.numbers();
        let scale = scales.prop_flat_map(move |kind| {
            values(kind).prop_map(move |numbers| Value::Numbers(kind, numbers))
        });
        choices.extend([
            (1, any().prop_map(Move::Exchange).boxed()),
            (1, (any(), any()).prop_map(|(name, heir)| Move::Bequeath(name, heir)).boxed()),
            (1, (any(), any()).prop_map(|(name, parent)| Move::Rehang(name, parent)).boxed()),
            (1, (any(), 0..6_usize).prop_map(|(name, above)| Move::Close(name, above)).boxed()),
            (1, (any(), scale).prop_map(|(name, scale)| Move::Rescale(name, scale)).boxed()),
        ]);
        if let Some(deepest) =
            model.deepest().filter(|_| alive.len() <= self.most.saturating_add(10))
        {
            let first = model.next();
            let turns = proptest::collection::vec(self.numbers()(Kind::Rotation), 2..6);
            let deepen = turns.prop_map(move |turns| Move::Deepen(first, deepest, turns));
            choices.push((if alive.len() < 20 { 1 } else { 3 }, deepen.boxed()));
        }
        let cyclic = model.cyclic();
        if !cyclic.is_empty() {
            let cyclic = || select(cyclic.clone());
            let opens = (cyclic(), any()).prop_map(|(name, parent)| Step::Parent(name, parent));
            choices.extend([(1, step(opens)), (1, step(cyclic().prop_map(Step::Unlink)))]);
        }
    }

    /// [`Edits::abuse`].
    fn abuses(&self, model: &Model, alive: &[Name], choices: &mut Choices) {
        let any = || select(alive.to_vec());
        let ever = || 0..model.next();
        let link = (any(), ever()).prop_map(|(name, parent)| Step::Link(name, parent));
        let record = (any(), proptest::option::of(proptest::option::of(ever())));
        let list = proptest::collection::vec(ever(), 0..4);
        let list = (any(), proptest::option::weighted(0.7, list));
        let put = (any(), self.value()).prop_map(|(name, value)| Step::Put(name, value));
        choices.extend([
            (6, step(put)),
            (2, step(link)),
            (1, step(any().prop_map(|name| Step::Link(name, name)))),
            (2, step(any().prop_map(Step::Unlink))),
            (2, step(record.prop_map(|(name, record)| Step::Record(name, record)))),
            (2, step(list.prop_map(|(name, list)| Step::List(name, list)))),
            (1, step(Just(Step::Travel))),
        ]);
        let bare = model.bare();
        if !bare.is_empty() {
            let it = Value::Numbers(Kind::LocalToWorld, Kind::LocalToWorld.identity());
            choices.push((2, step(select(bare).prop_map(move |name| Step::Put(name, it.clone())))));
        }
        if alive.len() % 16 == 7 {
            choices.push((1, step(Just(Step::Clear))));
        }
    }

    /// Edits in place; and rare components edited as often as others.
    fn rare(&self, present: Vec<(Name, Type)>, choices: &mut Choices) {
        if present.is_empty() {
            return;
        }
        let mut by_type: BTreeMap<Type, Vec<Name>> = BTreeMap::new();
        present.iter().for_each(|(name, it)| by_type.entry(*it).or_default().push(*name));
        let write = self.another(select(present.clone()));
        let write = write.prop_map(|(name, value)| Step::Write(name, value));
        choices.push((8, step(write)));
        let by_type: Vec<_> = by_type.into_iter().collect();
        let value = || {
            let names = |(it, names): (Type, Vec<Name>)| (select(names), Just(it));
            self.another(select(by_type.clone()).prop_flat_map(names))
        };
        let put = value().prop_map(|(name, value)| Step::Put(name, value));
        let write = value().prop_map(|(name, value)| Step::Write(name, value));
        let remove = value().prop_map(|(name, value)| Step::Remove(name, value));
        choices.extend([(8, step(put)), (6, step(write)), (6, step(remove))]);
        let kind = |it: &(Name, Type)| match it.1 {
            Type::Kind(kind) => Some((it.0, kind)),
            Type::Own(_) => None,
        };
        let kinds: Vec<_> = present.iter().filter_map(kind).collect();
        if !kinds.is_empty() {
            let touch = select(kinds).prop_map(|(name, kind)| Step::Touch(name, kind));
            choices.push((2, step(touch)));
        }
    }

    fn rows(
        &self,
        model: &Model,
        alive: &[Name],
        count: std::ops::RangeInclusive<usize>,
    ) -> impl Strategy<Value = Rows> + 'static {
        let first = model.next();
        let parent = match alive.is_empty() {
            true => Just(None).boxed(),
            false => proptest::option::of(select(alive.to_vec())).boxed(),
        };
        let place = self.numbers()(Kind::Translation);
        (count, parent, place).prop_map(move |(count, parent, place)| Rows {
            first,
            count,
            parent,
            place,
        })
    }

    fn spawn(&self, model: &Model, alive: &[Name]) -> BoxedStrategy<Step> {
        let name = model.next();
        let parent = match alive.is_empty() {
            true => Just(None).boxed(),
            false => proptest::option::weighted(0.7, select(alive.to_vec())).boxed(),
        };
        let components = proptest::collection::vec(self.value(), 0..=self.several().max(4));
        (components, parent)
            .prop_map(move |(components, parent)| Step::Spawn { name, components, parent })
            .boxed()
    }
}

fn step(steps: impl Strategy<Value = Step> + 'static) -> BoxedStrategy<Move> {
    steps.prop_map(Move::Step).boxed()
}
