//! A world with its resources and a schedule of the bundle.

use legion::{Entity, EntityStore, Resources, Schedule, World, storage::Component, storage::IntoComponentSource};
use legion_transform::prelude::*;
use nalgebra::Matrix4;

use super::kinds::{Kind, Numbers};

pub struct TestWorld {
    pub world: World,
    pub resources: Resources,
    pub schedule: Schedule,
}

impl Default for TestWorld {
    fn default() -> Self {
        Self::new(TransformSystemBundle::default())
    }
}

impl TestWorld {
    pub fn new(bundle: TransformSystemBundle) -> Self {
        let schedule = Schedule::builder().add_transforms(bundle).build();
        Self { world: World::default(), resources: Resources::default(), schedule }
    }

    pub fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    /// The findings of the world, after a run.
    pub fn findings(&self) -> Vec<Finding> {
        let findings = self.resources.get::<Findings>().expect("the bundle inserts its findings");
        findings.of(&self.world).collect()
    }

    pub fn push<T>(&mut self, components: T) -> Entity
    where
        Option<T>: IntoComponentSource,
    {
        self.world.push(components)
    }

    /// An entity with these components; any subset will do.
    pub fn spawn(&mut self, components: &[(Kind, Numbers)]) -> Entity {
        let entity = self.world.push(());
        let mut entry = self.world.entry(entity).expect("just pushed");
        for (kind, numbers) in components {
            kind.add(&mut entry, numbers);
        }
        entity
    }

    pub fn get<T: Component + Clone>(&mut self, entity: Entity) -> Option<T> {
        self.world.entry(entity)?.get_component::<T>().ok().cloned()
    }

    pub fn has<T: Component>(&mut self, entity: Entity) -> bool {
        self.world.entry(entity).is_some_and(|entry| entry.get_component::<T>().is_ok())
    }

    /// Adds a component, or overwrites it.
    pub fn put<T: Component>(&mut self, entity: Entity, component: T) {
        self.world.entry(entity).expect("a live entity").add_component(component);
    }

    /// Writes a component that the entity has, where it is.
    pub fn set<T: Component>(&mut self, entity: Entity, component: T) {
        let mut entry = self.world.entry_mut(entity).expect("a live entity");
        *entry.get_component_mut::<T>().expect("the entity has it") = component;
    }

    pub fn take<T: Component>(&mut self, entity: Entity) {
        self.world.entry(entity).expect("a live entity").remove_component::<T>();
    }

    pub fn matrix(&mut self, entity: Entity) -> Matrix4<f32> {
        self.get::<LocalToWorld>(entity).expect("an entity with LocalToWorld").0
    }

    pub fn children(&mut self, entity: Entity) -> Vec<Entity> {
        self.get::<Children>(entity).map_or_else(Vec::new, |children| children.0.to_vec())
    }

    pub fn previous(&mut self, entity: Entity) -> Option<PreviousParent> {
        self.get::<PreviousParent>(entity)
    }
}
