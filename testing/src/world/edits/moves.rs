//! What is made up, and the edits that it stands for.

use super::{being::Being, model::Model, steps::Step};
use crate::{
    kind::{Kind, Numbers, PARENT_SCALES},
    world::{
        program::Name,
        value::{Type, Value},
    },
};

/// What is made up: an edit, or several that belong together.
#[derive(Clone, Debug)]
pub(crate) enum Move {
    Step(Step),
    /// The same edit of so many entities, from the first one on, or of each second or third one.
    Many(Step, Name, usize, usize),
    /// The first one gets the components of the second one: it comes to an archetype that is there.
    Resemble(Name, Name),
    /// An entity and its parent change places.
    Exchange(Name),
    /// The parent of the first one dies, and it gets another one.
    Bequeath(Name, Name),
    /// The first one loses its parent, and hangs off the second one.
    Rehang(Name, Name),
    /// The entity so many above the first one becomes its child.
    Close(Name, usize),
    /// The scale of an entity is replaced by this one.
    Rescale(Name, Value),
    /// A chain of entities that are turned by so much each, and what it hangs off. The number of
    /// the first one.
    Deepen(Name, Name, Vec<Numbers>),
}

impl Model {
    /// Takes what was made up. Returns what is left of it, as [`apply`](Self::apply) does.
    pub(crate) fn take(&mut self, made_up: &Move) -> Vec<Step> {
        let steps = self.expand(made_up);
        steps.iter().flat_map(|step| self.apply(step)).collect()
    }

    fn expand(&self, made_up: &Move) -> Vec<Step> {
        match *made_up {
            Move::Step(ref step) => vec![step.clone()],
            Move::Many(ref step, first, every, count) => {
                let names = self.alive().into_iter().filter(|name| *name >= first);
                let steps = names.step_by(every).take(count).map(|name| of_another(step, name));
                // Not an insertion here and an overwriting there: between the two is a run.
                let overwrites = |step: &Step| match step {
                    Step::Put(name, value) => {
                        self.get(*name).is_some_and(|it| it.types().contains(&value.component()))
                    }
                    _ => false,
                };
                steps.filter(|step| !overwrites(step)).collect()
            }
            Move::Resemble(name, other) => {
                let (Some(one), Some(other)) = (self.get(name), self.get(other)) else {
                    return Vec::new();
                };
                let value = |it: &Type| match *it {
                    // Whether it has a parent stays as it is, and so do the user's components.
                    Type::Kind(Kind::LocalToWorld | Kind::LocalToParent) | Type::Own(_) => None,
                    Type::Kind(kind) => Some(Value::Numbers(kind, kind.identity())),
                };
                let gone = one.types().difference(other.types()).filter_map(value);
                let new = other.types().difference(one.types()).filter_map(value);
                let gone = gone.map(|value| Step::Remove(name, value));
                gone.chain(new.map(|value| Step::Put(name, value))).collect()
            }
            Move::Exchange(name) => {
                let Some(parent) = self.parent(name) else { return Vec::new() };
                let above = self.parent(parent);
                let up = above.map_or(Step::Unparent(name), |above| Step::Parent(name, above));
                vec![up, Step::Parent(parent, name)]
            }
            Move::Bequeath(name, heir) => {
                let dies = self.parent(name).filter(|parent| *parent != name && *parent != heir);
                dies.map_or(Vec::new(), |dies| vec![Step::Despawn(dies), Step::Parent(name, heir)])
            }
            Move::Rehang(name, parent) => vec![Step::Unlink(name), Step::Link(name, parent)],
            Move::Close(name, above) => {
                let top = self.up(name).take(above + 2).last();
                top.map_or(Vec::new(), |top| vec![Step::Parent(top, name)])
            }
            Move::Deepen(first, parent, ref turns) => {
                let parents = std::iter::once(parent).chain(first..);
                let links = (first..).zip(parents).zip(turns);
                let spawn = |((name, parent), turn): ((Name, Name), &Numbers)| Step::Spawn {
                    name,
                    components: vec![Value::Numbers(Kind::Rotation, *turn)],
                    parent: Some(parent),
                };
                links.map(spawn).collect()
            }
            Move::Rescale(name, ref new) => {
                let being = self.get(name);
                let has = |kind: &Kind| being.is_some_and(|being: &Being| being.has(*kind));
                let old = PARENT_SCALES.into_iter().filter(has);
                let gone = |kind: Kind| Step::Remove(name, Value::Numbers(kind, kind.identity()));
                old.map(gone).chain([Step::Put(name, new.clone())]).collect()
            }
        }
    }
}

/// The same edit of another entity.
fn of_another(step: &Step, name: Name) -> Step {
    match step.clone() {
        Step::Despawn(_) => Step::Despawn(name),
        Step::Tag(_) => Step::Tag(name),
        Step::Parent(_, parent) => Step::Parent(name, parent),
        Step::Unparent(_) => Step::Unparent(name),
        Step::Put(_, value) => Step::Put(name, value),
        Step::Write(_, value) => Step::Write(name, value),
        Step::Remove(_, value) => Step::Remove(name, value),
        step => step,
    }
}
