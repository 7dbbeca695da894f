//! What edits do to the entities, and which do nothing.

use super::{
    being::Being,
    model::{Model, Since},
    steps::Step,
};
use crate::{
    kind::{Kind, Shape},
    world::{
        program::{Name, Rows},
        value::{Type, Value},
    },
};

impl Model {
    /// What a step does, if it does something.
    pub(super) fn effect(&mut self, step: &Step) -> Option<(Step, Since)> {
        match step {
            Step::Run if self.since == Since::Run => None,
            Step::Run => {
                self.repair();
                Some((Step::Run, Since::Run))
            }
            Step::Spawn { name, components, parent } => {
                self.spawn(*name, components, *parent).map(|step| (step, Since::Insertion))
            }
            Step::Despawn(name) => self.dies(*name).then(|| (step.clone(), Since::Edit)),
            Step::Extend(rows) => {
                let (rows, _) = self.extend(*rows, &[]);
                Some((Step::Extend(rows), Since::Insertion))
            }
            Step::Merge(rows, components) => {
                let (rows, components) = self.extend(*rows, components);
                Some((Step::Merge(rows, components), Since::Insertion))
            }
            Step::Put(name, value) => self.put(*name, value).map(|since| (step.clone(), since)),
            Step::Write(name, value) => self.write(*name, value.component(), step),
            Step::Each(value, _) => {
                let what = value.component();
                let is_there = self.beings.values().any(|being| being.types().contains(&what));
                is_there.then(|| (step.clone(), self.writing(what)))
            }
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
            Step::Parent(..)
            | Step::Unparent(_)
            | Step::Link(..)
            | Step::Unlink(_)
            | Step::Record(..)
            | Step::List(..) => self.relate(step),
            Step::Clear => {
                let died = self.alive().into_iter().filter(|name| self.dies(*name)).count();
                (died > 0).then(|| (step.clone(), Since::Edit))
            }
            Step::Travel | Step::Own(_) => Some((step.clone(), Since::Insertion)),
        }
    }

    /// The same of a step that is about parents and children.
    fn relate(&mut self, step: &Step) -> Option<(Step, Since)> {
        match step {
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
                self.was_there(*parent).then_some(())?;
                self.get_mut(*name)?.parent = Some(*parent);
                Some((step.clone(), Since::Insertion))
            }
            Step::Unlink(name) => {
                self.get_mut(*name)?.parent.take()?;
                Some((step.clone(), Since::Insertion))
            }
            Step::Record(name, record) => {
                let known = |parent: &Name| self.was_there(*parent);
                let record = record.map(|parent| parent.filter(known));
                let step = Step::Record(*name, record);
                self.is_alive(*name).then_some((step, Since::Overwriting))
            }
            Step::List(name, list) => {
                let known = |child: &Name| self.was_there(*child);
                let list = list.as_ref().map(|it| it.iter().copied().filter(known).collect());
                let step = Step::List(*name, list);
                self.is_alive(*name).then_some((step, Since::Overwriting))
            }
            _ => None,
        }
    }

    fn spawn(&mut self, name: Name, components: &[Value], parent: Option<Name>) -> Option<Step> {
        let parent = parent.filter(|parent| self.is_alive(*parent));
        let kinds = [Kind::LocalToWorld, Kind::LocalToParent];
        let mut being = Being::new(parent, &kinds[..1 + usize::from(parent.is_some())]);
        let components = self.fitting(components, &mut being);
        self.beings.insert(name, being);
        self.next = self.next.max(name + 1);
        Some(Step::Spawn { name, components, parent })
    }

    /// Adds components to an entity. Returns those that it did not have and may have.
    fn fitting(&self, components: &[Value], being: &mut Being) -> Vec<Value> {
        let fits = |value: &&Value| {
            let fits = self.allow.mistakes || !being.has_other_scale(value);
            fits && being.insert(value.component())
        };
        components.iter().filter(fits).cloned().collect()
    }

    /// Adds entities with these components, too. Returns what is left of both.
    fn extend(&mut self, rows: Rows, components: &[Value]) -> (Rows, Vec<Value>) {
        let first = rows.first;
        let parent = rows.parent.filter(|parent| self.is_alive(*parent));
        // A count may grow while a history shrinks, into the numbers of those that come later.
        let count = (first..first + rows.count).take_while(|name| !self.was_there(*name)).count();
        let rows = Rows { parent, count, ..rows };
        let mut being = Being::in_row(&rows);
        let components = self.fitting(components, &mut being);
        self.beings.extend((first..first + count).map(|name| (name, being.clone())));
        self.next = self.next.max(first + count);
        (rows, components)
    }

    fn put(&mut self, name: Name, value: &Value) -> Option<Since> {
        let mistakes = self.allow.mistakes;
        let being = self.get_mut(name)?;
        if !mistakes && being.has_other_scale(value) {
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
}
