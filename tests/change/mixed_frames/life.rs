//! A world's entities, and what of them was written by whom.

use std::collections::HashMap;

use legion::{Entity, EntityStore, Resources, World, storage::Archetype};
use legion_transform_testing::{
    Cast, Kind, Numbers, Step, Value,
    kind::{POST_ROTATION_EULERS, ROTATION_EULERS},
    snapshot::archetypes,
};

#[derive(Default)]
pub struct Life {
    cast: Cast,
    /// What the user last wrote into matrices of his own.
    pub owned: HashMap<(Entity, Kind), Numbers>,
    /// The entities whose derived components were overwritten, and after which run.
    pub overwritten: HashMap<Entity, usize>,
    /// How many runs there were.
    pub runs: usize,
}

impl Life {
    /// Makes an edit. One that overwrites what is derived is left out where that may not be.
    pub fn play(
        &mut self,
        step: &Step,
        world: &mut World,
        resources: &mut Resources,
        overwrites: bool,
    ) {
        let written = self.written(step, world);
        let is_derived = |it: &&(Entity, Kind)| is_derived(world, it.0, it.1);
        let derived = written.iter().filter(is_derived).map(|(entity, _)| *entity);
        let derived: Vec<Entity> = derived.chain(self.relation(step)).collect();
        if !overwrites && !derived.is_empty() {
            return;
        }
        self.overwritten.extend(derived.into_iter().map(|entity| (entity, self.runs)));
        if let Some(entity) = name(step).and_then(|name| self.cast.entity(name)) {
            // What it is made of may be another from now on.
            self.owned.retain(|(owner, _), _| *owner != entity);
        }
        step.play(world, resources, &mut self.cast);
        for (entity, kind) in written {
            if OWNED.contains(&kind) && !self::is_derived(world, entity, kind) {
                let numbers = kind.get(&world.entry(entity).expect("alive"));
                self.owned.extend(numbers.map(|numbers| ((entity, kind), numbers)));
            }
        }
    }

    /// The components that an edit overwrites.
    fn written(&self, step: &Step, world: &World) -> Vec<(Entity, Kind)> {
        let (one, kind) = match step {
            Step::Put(name, Value::Numbers(kind, _))
            | Step::Write(name, Value::Numbers(kind, _))
            | Step::Touch(name, kind) => (self.cast.entity(*name), *kind),
            Step::Each(Value::Numbers(kind, _), _) => {
                let all = archetypes(world).iter().filter(|it| has_kind(it, *kind));
                return all.flat_map(|it| it.entities()).map(|it| (*it, *kind)).collect();
            }
            _ => return Vec::new(),
        };
        one.filter(|it| has(world, *it, kind)).map(|it| (it, kind)).into_iter().collect()
    }

    /// The entity whose `PreviousParent` or `Children` an edit overwrites.
    fn relation(&self, step: &Step) -> Option<Entity> {
        match step {
            Step::Record(name, _) | Step::List(name, _) => self.cast.entity(*name),
            _ => None,
        }
    }
}

/// The entity that an edit is of.
fn name(step: &Step) -> Option<usize> {
    match *step {
        Step::Parent(name, _)
        | Step::Link(name, _)
        | Step::Unparent(name)
        | Step::Unlink(name)
        | Step::Put(name, _)
        | Step::Write(name, _)
        | Step::Touch(name, _)
        | Step::Remove(name, _) => Some(name),
        _ => None,
    }
}

/// The matrices that a user may have of his own.
const OWNED: [Kind; 2] = [Kind::LocalToWorld, Kind::LocalToParent];

/// The inputs of `LocalToParent`, or of a root's `LocalToWorld`.
const INPUTS: [Kind; 7] = [
    Kind::Translation,
    Kind::Rotation,
    Kind::Scale,
    Kind::NonUniformScale,
    Kind::CompositeRotation,
    Kind::CompositeScale,
    Kind::ParentScaleInverse,
];

fn has(world: &World, entity: Entity, kind: Kind) -> bool {
    world.entry_ref(entity).is_ok_and(|entry| has_kind(entry.archetype(), kind))
}

fn has_kind(archetype: &Archetype, kind: Kind) -> bool {
    archetype.layout().component_types().contains(&kind.type_id())
}

/// Whether the bundle may derive a component that an entity has.
pub fn is_derived(world: &World, entity: Entity, kind: Kind) -> bool {
    let any = |kinds: &[Kind]| kinds.iter().any(|kind| has(world, entity, *kind));
    has(world, entity, kind)
        && match kind {
            Kind::LocalToWorld => any(&INPUTS) || any(&[Kind::LocalToParent]),
            Kind::LocalToParent => any(&INPUTS),
            Kind::Rotation => any(&ROTATION_EULERS),
            Kind::PostRotation => any(&POST_ROTATION_EULERS),
            Kind::WorldToLocal | Kind::ParentScaleInverse => true,
            Kind::CompositeRotation | Kind::CompositeScale => true,
            _ => false,
        }
}
