//! What edits are made up of: the living, and a few hundred of them that are looked at.

use std::{collections::BTreeSet, fmt::Debug, sync::Arc};

use proptest::prelude::*;

use super::{being::Being, model::Model};
use crate::{
    kind::{Kind, PARENT_SCALES},
    world::{program::Name, value::Type},
};

/// The entities of a model.
pub(super) struct Sample<'a> {
    pub(super) model: &'a Model,
    alive: Arc<[Name]>,
    /// Some hundred of them, spread over all.
    some: Vec<(Name, &'a Being)>,
    /// Which components they have, of those that are edited.
    pub(super) present: Arc<[(Name, Type)]>,
}

impl<'a> Sample<'a> {
    pub(super) fn of(model: &'a Model, types: &BTreeSet<Type>) -> Self {
        let alive: Arc<[Name]> = model.alive().into();
        let some = alive.iter().step_by(1 + alive.len() / 400);
        let some: Vec<(Name, &Being)> =
            some.filter_map(|name| Some((*name, model.get(*name)?))).collect();
        let has = |(name, being): &(Name, &'a Being)| {
            let name = *name;
            being.types().intersection(types).map(move |it| (name, *it)).collect::<Vec<_>>()
        };
        let present = some.iter().flat_map(has).collect();
        Self { model, alive, some, present }
    }

    pub(super) fn len(&self) -> usize {
        self.alive.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.alive.is_empty()
    }

    /// One of the living. There must be one.
    pub(super) fn any(&self) -> impl Strategy<Value = Name> + Clone + use<> {
        one_of(&self.alive)
    }

    /// One of the living so often, if there is one.
    pub(super) fn maybe_any(&self, probability: f64) -> BoxedStrategy<Option<Name>> {
        match self.is_empty() {
            true => Just(None).boxed(),
            false => proptest::option::weighted(probability, self.any()).boxed(),
        }
    }

    /// The entities on cycles.
    pub(super) fn cyclic(&self) -> Vec<Name> {
        let up = |name: &Name| self.model.up(*name);
        self.names(|name, _| up(name).skip(1).take(64).any(|above| above == *name))
    }

    /// Those without `LocalToWorld`.
    pub(super) fn bare(&self) -> Vec<Name> {
        self.names(|_, being| !being.has(Kind::LocalToWorld))
    }

    /// Those whose parent has a scale, with the parent and its scale.
    pub(super) fn below_scaled(&self) -> Vec<(Name, Name, Kind)> {
        let scale = |(name, being): &(Name, &Being)| {
            let parent = being.parent?;
            let above = self.model.get(parent)?;
            let scale = PARENT_SCALES.into_iter().find(|kind| above.has(*kind))?;
            Some((*name, parent, scale))
        };
        self.some.iter().filter_map(scale).collect()
    }

    fn names(&self, is_one: impl Fn(&Name, &Being) -> bool) -> Vec<Name> {
        self.some
            .iter()
            .filter(|(name, being)| is_one(name, being))
            .map(|(name, _)| *name)
            .collect()
    }

    /// An entity with the longest way up.
    pub(super) fn deepest(&self) -> Option<Name> {
        let depth = |name: &Name| self.model.up(*name).take(100).count();
        self.some.iter().map(|(name, _)| *name).rev().max_by_key(depth)
    }
}

/// One of these.
pub(super) fn one_of<T: Clone + Debug + 'static>(
    all: &Arc<[T]>,
) -> impl Strategy<Value = T> + Clone + use<T> {
    let all = all.clone();
    (0..all.len()).prop_map(move |i| all[i].clone())
}
