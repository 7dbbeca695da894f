//! A world's entities, and what of them was written by whom.

use std::collections::HashMap;

use legion::{Entity, EntityStore, Resources, World, storage::Archetype};
use legion_transform_testing::{
    Cast, Kind, Numbers, Step, Value,
    groups::LOCAL,
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
        let entity = step.changed().and_then(|name| self.cast.entity(name));
        let is_relation = matches!(step, Step::Record(..) | Step::List(..));
        let derived: Vec<Entity> = derived.chain(entity.filter(|_| is_relation)).collect();
        if !overwrites && !derived.is_empty() {
            return;
        }
        self.overwritten.extend(derived.into_iter().map(|entity| (entity, self.runs)));
        if !is_relation && !matches!(step, Step::Tag(_) | Step::Untag(_)) {
            // What it is made of may be another from now on.
            self.owned.retain(|(owner, _), _| Some(*owner) != entity);
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
}

/// The matrices that a user may have of his own.
const OWNED: [Kind; 2] = [Kind::LocalToWorld, Kind::LocalToParent];

fn has(world: &World, entity: Entity, kind: Kind) -> bool {
    world.entry_ref(entity).is_ok_and(|entry| has_kind(entry.archetype(), kind))
}

fn has_kind(archetype: &Archetype, kind: Kind) -> bool {
    archetype.layout().component_types().contains(&kind.type_id())
}

/// Whether the bundle may derive a component that an entity has.
pub fn is_derived(world: &World, entity: Entity, kind: Kind) -> bool {
    let any = |kinds: &[Kind]| kinds.iter().any(|kind| has(world, entity, *kind));
    let is_local = any(&LOCAL) || any(&[Kind::ParentScaleInverse]);
    has(world, entity, kind)
        && match kind {
            Kind::LocalToWorld => is_local || any(&[Kind::LocalToParent]),
            Kind::LocalToParent => is_local,
            Kind::Rotation => any(&ROTATION_EULERS),
            Kind::PostRotation => any(&POST_ROTATION_EULERS),
            Kind::WorldToLocal | Kind::ParentScaleInverse => true,
            Kind::CompositeRotation | Kind::CompositeScale => true,
            _ => false,
        }
}
