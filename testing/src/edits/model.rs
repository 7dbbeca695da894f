//! The state that edits are made up for: which entities there are, with which components.

use std::collections::BTreeSet;

use super::history::Step;
use crate::{
    kind::{Kind, Shape},
    program::{Name, Value},
    strategies::Forest,
};

/// What edits may do that an ordinary program does not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Allow {
    pub(crate) cycles: bool,
    /// Two scales on one entity; writes of what the bundle derives.
    pub(crate) mistakes: bool,
}

#[derive(Clone, Debug)]
struct Being {
    name: Name,
    parent: Option<Name>,
    kinds: BTreeSet<Kind>,
    own: BTreeSet<&'static str>,
    is_tagged: bool,
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
    beings: Vec<Being>,
    pub(crate) start: Vec<Step>,
    next: Name,
    since: Since,
    allow: Allow,
}

impl Model {
    /// A world with a forest in it. `more`: for each entity whether it is there, and with which
    /// other components.
    pub(crate) fn new(forest: Forest, more: Vec<(bool, Vec<Value>)>, allow: Allow) -> Self {
        let (beings, start) = (Vec::new(), Vec::new());
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
        self.beings.iter().map(|being| being.name).collect()
    }

    /// Which of these components entities have.
    pub(crate) fn present(&self, kinds: &[Kind]) -> Vec<(Name, Kind)> {
        let has = |being: &Being| {
            let kinds = being.kinds.iter().filter(|kind| kinds.contains(kind));
            kinds.map(|kind| (being.name, *kind)).collect::<Vec<_>>()
        };
        self.beings.iter().flat_map(has).collect()
    }

    pub(crate) fn next(&self) -> Name {
        self.next
    }

    fn get(&mut self, name: Name) -> Option<&mut Being> {
        self.beings.iter_mut().find(|being| being.name == name)
    }

    fn is_alive(&self, name: Name) -> bool {
        self.beings.iter().any(|being| being.name == name)
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
        if clash.contains(&(self.since, since)) {
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
        let has = self.get(name)?.kinds.contains(&Kind::LocalToParent);
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
            Step::Despawn(name) => {
                let before = self.beings.len();
                self.beings.retain(|being| being.name != *name);
                (self.beings.len() < before).then(|| (step.clone(), Since::Edit))
            }
            Step::Parent(name, parent) => {
                let closes = self.is_below(*parent, *name) && !self.allow.cycles;
                if closes || !self.is_alive(*parent) {
                    return None;
                }
                let being = self.get(*name).filter(|being| being.parent != Some(*parent))?;
                being.parent = Some(*parent);
                being.kinds.insert(Kind::LocalToParent);
                Some((step.clone(), Since::Insertion))
            }
            Step::Unparent(name) => {
                let being = self.get(*name).filter(|being| being.parent.is_some())?;
                being.parent = None;
                being.kinds.remove(&Kind::LocalToParent);
                Some((step.clone(), Since::Insertion))
            }
            Step::Put(name, value) => self.put(*name, value).map(|since| (step.clone(), since)),
            Step::Remove(name, value) => {
                let removed = self.get(*name)?.remove(value);
                removed.then(|| (step.clone(), Since::Insertion))
            }
            Step::Tag(name) => {
                let being = self.get(*name)?;
                being.is_tagged = !being.is_tagged;
                let (name, is_tagged) = (being.name, being.is_tagged);
                let step = if is_tagged { Step::Tag(name) } else { Step::Untag(name) };
                Some((step, Since::Insertion))
            }
            Step::Untag(_) => None, // made of `Tag`
        }
    }

    fn spawn(&mut self, name: Name, components: &[Value], parent: Option<Name>) -> Option<Step> {
        let parent = parent.filter(|parent| self.is_alive(*parent));
        let mut being =
            Being { name, parent, kinds: BTreeSet::new(), own: BTreeSet::new(), is_tagged: false };
        being.kinds.insert(Kind::LocalToWorld);
        if parent.is_some() {
            being.kinds.insert(Kind::LocalToParent);
        }
        let allow = self.allow;
        let fits = |value: &&Value| {
            let fits = allow.mistakes || !being.has_other_scale(value);
            fits && being.insert(value)
        };
        let components = components.iter().filter(fits).cloned().collect();
        self.beings.push(being);
        self.next = self.next.max(name + 1);
        Some(Step::Spawn { name, components, parent })
    }

    fn put(&mut self, name: Name, value: &Value) -> Option<Since> {
        let allow = self.allow;
        let being = self.get(name)?;
        if !allow.mistakes && being.has_other_scale(value) {
            return None;
        }
        if being.insert(value) {
            return Some(Since::Insertion);
        }
        let may_be_derived =
            |kind: &Kind| matches!(kind.shape(), Shape::Matrix | Shape::Quaternion);
        match value {
            Value::Numbers(kind, _) if allow.mistakes && may_be_derived(kind) => {
                Some(Since::Overwriting)
            }
            _ => Some(Since::Edit),
        }
    }

    /// Whether an entity is another one or hangs off it.
    fn is_below(&self, name: Name, other: Name) -> bool {
        let parent = |name: &Name| self.beings.iter().find(|it| it.name == *name)?.parent;
        let mut up = std::iter::successors(Some(name), parent).take(self.beings.len() + 1);
        up.any(|name| name == other)
    }

    /// What a run does to entities whose parent is dead or has no `LocalToWorld`.
    fn repair(&mut self) {
        let with = |being: &&Being| being.kinds.contains(&Kind::LocalToWorld);
        let parents: BTreeSet<Name> = self.beings.iter().filter(with).map(|it| it.name).collect();
        for being in &mut self.beings {
            if being.parent.is_some_and(|parent| !parents.contains(&parent)) {
                being.parent = None;
                being.kinds.remove(&Kind::LocalToParent);
            }
        }
    }
}

impl Being {
    /// Whether the component is new.
    fn insert(&mut self, value: &Value) -> bool {
        match value {
            Value::Numbers(kind, _) => self.kinds.insert(*kind),
            Value::Own(own) => self.own.insert((**own).type_name()),
        }
    }

    /// Whether the component was there.
    fn remove(&mut self, value: &Value) -> bool {
        match value {
            Value::Numbers(kind, _) => self.kinds.remove(kind),
            Value::Own(own) => self.own.remove((**own).type_name()),
        }
    }

    fn has_other_scale(&self, value: &Value) -> bool {
        match value {
            Value::Numbers(Kind::Scale, _) => self.kinds.contains(&Kind::NonUniformScale),
            Value::Numbers(Kind::NonUniformScale, _) => self.kinds.contains(&Kind::Scale),
            _ => false,
        }
    }
}
