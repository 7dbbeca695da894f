//! Edits that reach the corners: relations of a few entities, rare components, abuse.

use std::collections::BTreeMap;

use proptest::{prelude::*, sample::select};

use super::{
    Histories,
    choices::{Choices, step},
    moves::Move,
    sample::{Sample, one_of},
    steps::Step,
};
use crate::{
    kind::{Kind, PARENT_SCALES},
    world::{
        program::Name,
        value::{Type, Value},
    },
};

impl Histories {
    /// Edits that belong together, of the relations and scales of a few entities.
    pub(super) fn together(&self, sample: &Sample<'_>, choices: &mut Choices) {
        let any = || sample.any();
        let scales = select(PARENT_SCALES.to_vec()).prop_map(Type::Kind);
        let scale = scales.prop_flat_map(self.of_type());
        choices.extend([
            (1, any().prop_map(Move::Exchange).boxed()),
            (1, (any(), any()).prop_map(|(name, heir)| Move::Bequeath(name, heir)).boxed()),
            (1, (any(), any()).prop_map(|(name, parent)| Move::Rehang(name, parent)).boxed()),
            (1, (any(), 0..6_usize).prop_map(|(name, above)| Move::Close(name, above)).boxed()),
            (1, (any(), scale).prop_map(|(name, scale)| Move::Rescale(name, scale)).boxed()),
        ]);
        if let Some(deepest) =
            sample.deepest().filter(|_| sample.len() <= self.most.saturating_add(10))
        {
            let first = sample.model.next();
            let turns = proptest::collection::vec(self.numbers()(Kind::Rotation), 2..6);
            let deepen = turns.prop_map(move |turns| Move::Deepen(first, deepest, turns));
            choices.push((if sample.len() < 20 { 1 } else { 3 }, deepen.boxed()));
        }
        let cyclic = sample.cyclic();
        if !cyclic.is_empty() {
            let cyclic = || select(cyclic.clone());
            let opens = (cyclic(), any()).prop_map(|(name, parent)| Step::Parent(name, parent));
            choices.extend([(1, step(opens)), (1, step(cyclic().prop_map(Step::Unlink)))]);
        }
    }

    /// [`Histories::abuse`].
    pub(super) fn abuses(&self, sample: &Sample<'_>, choices: &mut Choices) {
        let any = || sample.any();
        let ever = || 0..sample.model.next();
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
        let bare = sample.bare();
        if !bare.is_empty() {
            let it = Value::Numbers(Kind::LocalToWorld, Kind::LocalToWorld.identity());
            choices.push((2, step(select(bare).prop_map(move |name| Step::Put(name, it.clone())))));
        }
        if sample.len() % 16 == 7 {
            choices.push((1, step(Just(Step::Clear))));
        }
    }

    /// `ParentScaleInverse` where it has something to invert; other scales of these parents, or
    /// none.
    pub(super) fn compensate(&self, sample: &Sample<'_>, choices: &mut Choices) {
        let below_scaled = sample.below_scaled();
        if !below_scaled.is_empty() && self.kinds.contains(&Kind::ParentScaleInverse) {
            let one = || select(below_scaled.clone());
            let child = one().prop_map(|(it, ..)| (it, Type::Kind(Kind::ParentScaleInverse)));
            let put = self.another(child).prop_map(|(name, value)| Step::Put(name, value));
            let remove = one().prop_map(|(_, parent, kind)| {
                Step::Remove(parent, Value::Numbers(kind, kind.identity()))
            });
            let scale = one().prop_flat_map(|(_, parent, _)| {
                (Just(parent), select(PARENT_SCALES.to_vec()).prop_map(Type::Kind))
            });
            let scale = self.another(scale).prop_map(|(name, value)| Step::Put(name, value));
            choices.extend([(3, step(put)), (2, step(remove)), (2, step(scale))]);
        }
    }

    /// Edits in place; and rare components edited as often as others.
    pub(super) fn rare(&self, sample: &Sample<'_>, choices: &mut Choices) {
        let present = &sample.present;
        if present.is_empty() {
            return;
        }
        let mut by_type: BTreeMap<Type, Vec<Name>> = BTreeMap::new();
        present.iter().for_each(|(name, it)| by_type.entry(*it).or_default().push(*name));
        // In proportion to the others, of which abuse has more.
        let weight = |in_abuse: u32| if self.allow.abuse { in_abuse } else { in_abuse / 2 };
        let write = self.another(one_of(present));
        let write = write.prop_map(|(name, value)| Step::Write(name, value));
        choices.push((weight(8), step(write)));
        let by_type: Vec<_> = by_type.into_iter().collect();
        let value = || {
            let names = |(it, names): (Type, Vec<Name>)| (select(names), Just(it));
            self.another(select(by_type.clone()).prop_flat_map(names))
        };
        let put = value().prop_map(|(name, value)| Step::Put(name, value));
        let write = value().prop_map(|(name, value)| Step::Write(name, value));
        let remove = value().prop_map(|(name, value)| Step::Remove(name, value));
        choices.extend([
            (weight(8), step(put)),
            (weight(6), step(write)),
            (weight(6), step(remove)),
        ]);
        let kind = |it: &(Name, Type)| match it.1 {
            Type::Kind(kind) => Some((it.0, kind)),
            Type::Own(_) => None,
        };
        let kinds: Vec<_> = present.iter().filter_map(kind).collect();
        if !kinds.is_empty() {
            let touch = select(kinds).prop_map(|(name, kind)| Step::Touch(name, kind));
            choices.push((weight(2), step(touch)));
        }
    }
}
