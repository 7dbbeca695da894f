//! What the server and each client have: a replica, and a Legion world that shows it.

use std::collections::BTreeMap;

use decentraland_scene::{
    apply::Mirror,
    merge::{Limits, NumberRange, Replica, ReplicaOptions, Role, WriteError},
    wire::{EntityId, SceneEntity, SceneTransform},
};
use legion::*;
use legion_transform::{edit::EditError, prelude::*};

/// Things that the server makes and everybody moves: a carousel and two horses on it.
pub const CAROUSEL: SceneEntity = SceneEntity::local(EntityId(512));
pub const HORSES: [SceneEntity; 2] =
    [SceneEntity::local(EntityId(513)), SceneEntity::local(EntityId(514))];

/// The component `Name`, of which the merge only knows the bytes.
pub const NAME: u32 = 1200;

/// Each client makes its entities with 100 numbers of its own: number 3 has 1300 to 1399.
pub fn numbers_of(client: u32) -> NumberRange {
    let first = 1000 + 100 * client as u16;
    NumberRange::new(first, first + 99)
}

/// The bits of a world matrix.
pub type Bits = [u32; 16];

pub struct Side {
    pub replica: Replica,
    mirror: Mirror,
    world: World,
    resources: Resources,
    schedule: Schedule,
}

impl Side {
    pub fn new(role: Role, numbers: NumberRange, limits: Limits) -> Self {
        let mut options = ReplicaOptions::default();
        (options.role, options.numbers, options.limits) = (role, numbers, limits);
        options.keep_other_components = true;
        Self {
            replica: Replica::new(options),
            mirror: Mirror::default(),
            world: World::default(),
            resources: Resources::default(),
            schedule: Schedule::builder().add_transforms(TransformSystemBundle::default()).build(),
        }
    }

    /// Writes a `Transform` into the replica.
    pub fn put(
        &mut self,
        entity: SceneEntity,
        position: [f32; 3],
        parent: SceneEntity,
    ) -> Result<(), WriteError> {
        let parent = parent.entity;
        let transform = SceneTransform { position, parent, ..SceneTransform::IDENTITY };
        self.replica.put_transform(entity, &transform)?;
        Ok(())
    }

    /// Edits the world: moves an entity, if it is there.
    pub fn move_to(&mut self, entity: SceneEntity, [x, y, z]: [f32; 3]) {
        let shown = self.mirror.entity(entity);
        if let Some(mut entry) = shown.and_then(|shown| self.world.entry(shown)) {
            entry.add_component(Translation::new(x, y, z));
            self.edited(entity);
        }
    }

    /// Edits the world: makes an entity the child of another one, in its place, if both are there.
    pub fn hang(&mut self, entity: SceneEntity, parent: SceneEntity) -> Result<(), EditError> {
        if let [Some(child), Some(parent)] = [entity, parent].map(|it| self.mirror.entity(it)) {
            self.world.set_parent(child, parent)?;
            self.edited(entity);
        }
        Ok(())
    }

    /// Writes what was edited into the replica. It may be refused: what it is about was deleted by
    /// another one meanwhile. Then `show` undoes it.
    fn edited(&mut self, entity: SceneEntity) {
        if let Ok(transform) = self.mirror.transform_of(&self.world, entity) {
            _ = self.replica.put_transform(entity, &transform);
        }
    }

    /// Changes of the replica into the world, and all matrices.
    pub fn show(&mut self) {
        self.mirror.apply(&mut self.replica, &mut self.world);
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    /// The world matrices of all scene entities.
    pub fn matrices(&self) -> BTreeMap<SceneEntity, Bits> {
        let bits = |entity| {
            let entry = self.world.entry_ref(entity).ok()?;
            let matrix = entry.get_component::<LocalToWorld>().ok()?;
            Some(std::array::from_fn(|i| matrix.0[i].to_bits()))
        };
        let entities = self.mirror.entities();
        entities.filter_map(|(scene, entity)| Some((scene, bits(entity)?))).collect()
    }
}

/// Random numbers that depend on the seed alone.
pub struct Dice(pub u64);

impl Dice {
    /// One of 0 to `sides` - 1.
    pub fn roll(&mut self, sides: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % sides
    }

    pub fn position(&mut self) -> [f32; 3] {
        [(); 3].map(|()| self.roll(1600) as f32 / 100.0)
    }
}
