//! The state that edits are made up for: which entities there are, with which components.

use std::collections::{BTreeMap, BTreeSet};

use super::{being::Being, steps::Step};
use crate::{
    kind::{Kind, Shape},
    program::Name,
    strategies::Forest,
    value::{Type, Value},
};

/// What edits may do that an ordinary program does not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Allow {
    pub(crate) cycles: bool,
    /// Two scales on one entity; writes of what the bundle derives.
    pub(crate) mistakes: bool,
    /// [`Edits::abuse`](super::Edits::abuse).
    pub(crate) abuse: bool,
    /// [`Edits::doubt`](super::Edits::doubt).
    pub(crate) doubt: bool,
}

/// What happened since the last run, of what cannot be told apart within one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Since {
    Run,
    /// Neither of the two below.
    Edit,
    /// Entities came to archetypes.
    Insertion,
    /// Something that may be derived was overwritten.
    Overwriting,
}

/// The living, and the steps that spawned the first of them.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    beings: BTreeMap<Name, Being>,
    pub(crate) start: Vec<Step>,
    next: Name,
    since: Since,
    allow: Allow,
}

impl Model {
    /// A world with a forest in it. `more`: for each entity whether it is there, and with which
    /// other components.
    pub(crate) fn new(forest: Forest, more: Vec<(bool, Vec<Value>)>, allow: Allow) -> Self {
        let (beings, start) = (BTreeMap::new(), Vec::new());
        let mut model = Self { beings, start, next: 0, since: Since::Run, allow };
        let nodes = forest.nodes.into_iter().enumerate().zip(more);
        for ((name, node), (_, more)) in nodes.filter(|(_, (is_there, _))| *is_there) {
            let numbers = node.components.into_iter();
            let mut components: Vec<Value> =
                numbers.map(|(kind, numbers)| Value::Numbers(kind, numbers)).collect();
            components.extend(more);
            let spawned = model.apply(&Step::Spawn { name, components, parent: node.parent });
            model.start.extend(spawned);
        }
        model
    }

    pub(crate) fn alive(&self) -> Vec<Name> {
        self.beings.keys().copied().collect()
    }

    /// Which of these components entities have.
    pub(crate) fn present(&self, types: &BTreeSet<Type>) -> Vec<(Name, Type)> {
        let has = |(name, being): (Name, &Being)| {
            being.types().intersection(types).map(|it| (name, *it)).collect::<Vec<_>>()
        };
        self.some().flat_map(has).collect()
    }

    pub(crate) fn next(&self) -> Name {
        self.next
    }

    fn get_mut(&mut self, name: Name) -> Option<&mut Being> {
        self.beings.get_mut(&name)
    }

    fn is_alive(&self, name: Name) -> bool {
        self.beings.contains_key(&name)
    }

    /// The entities on cycles, of those looked at.
    pub(crate) fn cyclic(&self) -> Vec<Name> {
        let closes = |name: &Name| self.up(*name).skip(1).take(64).any(|above| above == *name);
        self.some().map(|(name, _)| name).filter(closes).collect()
    }

    /// Those without `LocalToWorld`, of those looked at.
    pub(crate) fn bare(&self) -> Vec<Name> {
        let is_bare = |being: &Being| !being.has(Kind::LocalToWorld);
        self.some().filter(|(_, being)| is_bare(being)).map(|(name, _)| name).collect()
    }

    /// An entity with the longest way up, of those looked at.
    pub(crate) fn deepest(&self) -> Option<Name> {
        let depth = |name: &Name| self.up(*name).take(100).count();
        self.some().map(|(name, _)| name).rev().max_by_key(depth)
    }

    /// Some hundred of the entities, spread over all.
    fn some(&self) -> impl DoubleEndedIterator<Item = (Name, &Being)> {
        let all = self.beings.iter().map(|(name, being)| (*name, being));
        all.step_by(1 + self.beings.len() / 400)
    }

    pub(super) fn get(&self, name: Name) -> Option<&Being> {
        self.beings.get(&name)
    }

    pub(super) fn parent(&self, name: Name) -> Option<Name> {
        self.get(name)?.parent
    }

    /// An entity, its parent, and so on; without end on a cycle.
    pub(super) fn up(&self, name: Name) -> impl Iterator<Item = Name> {
        std::iter::successors(Some(name), |name| self.parent(*name))
    }

    /// Takes a step. Returns what is left of it: nothing if it has no effect, and a run before it
    /// where the two kinds of edits must not come between the same two runs.
    pub(crate) fn apply(&mut self, step: &Step) -> Vec<Step> {
        let joins = match step {
            Step::Parent(name, _) => self.joins(*name),
            _ => None,
        };
        let Some((step, since)) = self.effect(step) else { return Vec::new() };
        let clash =
            [(Since::Insertion, Since::Overwriting), (Since::Overwriting, Since::Insertion)];
        let mut steps = Vec::new();
        if !self.allow.doubt && clash.contains(&(self.since, since)) {
            self.repair();
            steps.push(Step::Run);
            self.since = since;
        } else if since != Since::Edit || self.since == Since::Run {
            self.since = since;
        }
        steps.extend(joins);
        steps.push(step);
        steps
    }

    /// What makes an entity one that can have a parent.
    fn joins(&mut self, name: Name) -> Option<Step> {
        let local = Kind::LocalToParent;
        let has = self.get(name)?.has(local);
        (!has).then(|| Step::Put(name, Value::Numbers(local, local.identity())))
    }

    /// What a step does, if it does something.
    fn effect(&mut self, step: &Step) -> Option<(Step, Since)> {
        match step {
            Step::Run if self.since == Since::Run => None,
            Step::Run => {
                self.repair();
                Some((Step::Run, Since::Run))
            }
            Step::Spawn { name, components, parent } => {
                self.spawn(*name, components, *parent).map(|step| (step, Since::Insertion))
            }
            Step::Despawn(name) => self.beings.remove(name).map(|_| (step.clone(), Since::Edit)),
            Step::Parent(name, parent) => {
                let closes = self.is_below(*parent, *name) && !self.allow.cycles;
                if closes || !self.is_alive(*parent) {
                    return None;
                }
                let being = self.get_mut(*name).filter(|being| being.parent != Some(*parent))?;
                being.parent = Some(*parent);
                being.insert(Type::Kind(Kind::LocalToParent));
                Some((step.clone(), Since::Insertion))
            }
            Step::Unparent(name) => {
                let being = self.get_mut(*name).filter(|being| being.parent.is_some())?;
                being.parent = None;
                being.remove(Type::Kind(Kind::LocalToParent));
                Some((step.clone(), Since::Insertion))
            }
            Step::Link(name, parent) => {
                self.get_mut(*name)?.parent = Some(*parent);
                Some((step.clone(), Since::Insertion))
            }
            Step::Unlink(name) => {
                self.get_mut(*name)?.parent.take()?;
                Some((step.clone(), Since::Insertion))
            }
            Step::Extend { first, count, parent, place } => {
                let parent = parent.filter(|parent| self.is_alive(*parent));
                let (first, count, place) = (*first, *count, *place);
                self.beings
                    .extend((first..first + count).map(|name| (name, Being::in_row(parent))));
                self.next = self.next.max(first + count);
                Some((Step::Extend { first, count, parent, place }, Since::Insertion))
            }
            Step::Put(name, value) => self.put(*name, value).map(|since| (step.clone(), since)),
            Step::Write(name, value) => self.write(*name, value.component(), step),
            Step::Touch(name, kind) => self.write(*name, Type::Kind(*kind), step),
            Step::Remove(name, value) => {
                let removed = self.get_mut(*name)?.remove(value.component());
                removed.then(|| (step.clone(), Since::Insertion))
            }
            Step::Tag(name) => {
                let being = self.get_mut(*name)?;
                being.is_tagged = !being.is_tagged;
                let step = if being.is_tagged { Step::Tag(*name) } else { Step::Untag(*name) };
                Some((step, Since::Insertion))
            }
            Step::Untag(_) => None, // made of `Tag`
            Step::Record(name, _) | Step::List(name, _) => {
                self.is_alive(*name).then(|| (step.clone(), Since::Overwriting))
            }
            Step::Clear => {
                let some = !std::mem::take(&mut self.beings).is_empty();
                some.then(|| (step.clone(), Since::Edit))
            }
            Step::Travel | Step::Own(_) => Some((step.clone(), Since::Insertion)),
        }
    }

    fn spawn(&mut self, name: Name, components: &[Value], parent: Option<Name>) -> Option<Step> {
        let parent = parent.filter(|parent| self.is_alive(*parent));
        let kinds = [Kind::LocalToWorld, Kind::LocalToParent];
        let mut being = Being::new(parent, &kinds[..1 + usize::from(parent.is_some())]);
        let allow = self.allow;
        let fits = |value: &&Value| {
            let fits = allow.mistakes || !being.has_other_scale(value);
            fits && being.insert(value.component())
        };
        let components = components.iter().filter(fits).cloned().collect();
        self.beings.insert(name, being);
        self.next = self.next.max(name + 1);
        Some(Step::Spawn { name, components, parent })
    }

    fn put(&mut self, name: Name, value: &Value) -> Option<Since> {
        let allow = self.allow;
        let being = self.get_mut(name)?;
        if !allow.mistakes && being.has_other_scale(value) {
            return None;
        }
        let is_new = being.insert(value.component());
        Some(if is_new { Since::Insertion } else { self.writing(value.component()) })
    }

    /// A write in place has an effect where the component is there.
    fn write(&self, name: Name, what: Type, step: &Step) -> Option<(Step, Since)> {
        let is_there = self.get(name)?.types().contains(&what);
        is_there.then(|| (step.clone(), self.writing(what)))
    }

    /// What it is to write a component that is there.
    fn writing(&self, what: Type) -> Since {
        let is_matrix = |kind: Kind| matches!(kind.shape(), Shape::Matrix | Shape::Quaternion);
        let may_be_derived = matches!(what, Type::Kind(kind) if is_matrix(kind));
        if self.allow.mistakes && may_be_derived { Since::Overwriting } else { Since::Edit }
    }

    /// Whether an entity is another one or hangs off it.
    fn is_below(&self, name: Name, other: Name) -> bool {
        let most = self.beings.len().min(1_000) + 1;
        self.up(name).take(most).any(|name| name == other)
    }

    /// What a run does to entities whose parent is dead or has no `LocalToWorld`.
    fn repair(&mut self) {
        let with = |(_, being): &(&Name, &Being)| being.has(Kind::LocalToWorld);
        let parents: BTreeSet<Name> = self.beings.iter().filter(with).map(|it| *it.0).collect();
        for being in self.beings.values_mut() {
            if being.parent.is_some_and(|parent| !parents.contains(&parent)) {
                being.parent = None;
                being.remove(Type::Kind(Kind::LocalToParent));
            }
        }
    }
}
