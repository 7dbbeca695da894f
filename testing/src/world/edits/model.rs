//! The state that edits are made up for: which entities there are, with which components.

use std::collections::{BTreeMap, BTreeSet};

use super::{being::Being, sort::Edit, steps::Step};
use crate::{
    kind::Kind,
    world::{
        program::Name,
        strategies::Forest,
        value::{Type, Value},
    },
};

/// What edits may do that an ordinary program does not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allow {
    /// [`Histories::without`](super::Histories::without).
    pub(crate) without: Vec<Edit>,
    pub(crate) cycles: bool,
    /// Two scales on one entity; writes of what the bundle derives.
    pub(crate) mistakes: bool,
    /// [`Histories::abuse`](super::Histories::abuse).
    pub(crate) abuse: bool,
    /// [`Histories::doubt`](super::Histories::doubt).
    pub(crate) doubt: bool,
}

/// What happened since the last run, of what cannot be distinguished within one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Since {
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
    pub(super) beings: BTreeMap<Name, Being>,
    dead: BTreeSet<Name>,
    pub(crate) start: Vec<Step>,
    pub(super) next: Name,
    pub(super) since: Since,
    pub(super) allow: Allow,
}

impl Model {
    /// A world with a forest in it. `more`: for each entity whether it is there, and with which
    /// other components.
    pub(crate) fn new(forest: Forest, more: Vec<(bool, Vec<Value>)>, allow: Allow) -> Self {
        let (beings, dead, start) = Default::default();
        let mut model = Self { beings, dead, start, next: 0, since: Since::Run, allow };
        let nodes = forest.nodes.into_iter().enumerate().zip(more);
        for ((name, node), (_, more)) in nodes.filter(|(_, (is_there, _))| *is_there) {
            let numbers = node.components.into_iter();
            let mut components: Vec<Value> =
                numbers.map(|(kind, numbers)| Value::Numbers(kind, numbers)).collect();
            components.extend(more);
            let spawned = model.make(&Step::Spawn { name, components, parent: node.parent });
            model.start.extend(spawned);
        }
        model
    }

    pub(crate) fn alive(&self) -> Vec<Name> {
        self.beings.keys().copied().collect()
    }

    pub(crate) fn next(&self) -> Name {
        self.next
    }

    pub(super) fn get_mut(&mut self, name: Name) -> Option<&mut Being> {
        self.beings.get_mut(&name)
    }

    pub(super) fn is_alive(&self, name: Name) -> bool {
        self.beings.contains_key(&name)
    }

    /// Whether there was an entity of this number; it may be dead.
    pub(super) fn was_there(&self, name: Name) -> bool {
        self.is_alive(name) || self.dead.contains(&name)
    }

    /// Whether the entity was alive.
    pub(super) fn dies(&mut self, name: Name) -> bool {
        let was_alive = self.beings.remove(&name).is_some();
        if was_alive {
            self.dead.insert(name);
        }
        was_alive
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
        let has = |name, what| self.get(name).is_some_and(|it: &Being| it.types().contains(&what));
        if Edit::of(step, has).is_some_and(|sort| self.allow.without.contains(&sort)) {
            return Vec::new();
        }
        self.make(step)
    }

    /// The same of a step of any sort.
    fn make(&mut self, step: &Step) -> Vec<Step> {
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

    /// Whether an entity is another one or hangs off it.
    pub(super) fn is_below(&self, name: Name, other: Name) -> bool {
        let most = self.beings.len().min(1_000) + 1;
        self.up(name).take(most).any(|name| name == other)
    }

    /// What a run does to entities whose parent is dead or has no `LocalToWorld`.
    pub(super) fn repair(&mut self) {
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
