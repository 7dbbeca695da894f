//! A world that runs, and short ways to fill and to read it.

use legion::{Entity, EntityStore, Resources, Schedule, World, storage::Component};
use legion_transform::{TransformStats, prelude::*};
use nalgebra::Matrix4;

pub struct Test {
    pub world: World,
    resources: Resources,
    schedule: Schedule,
}

impl Test {
    pub fn new() -> Self {
        let schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
        Self { world: World::default(), resources: Resources::default(), schedule }
    }

    pub fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    pub fn root<T: Component>(&mut self, component: T) -> Entity {
        self.world.push((LocalToWorld::identity(), component))
    }

    pub fn child<T: Component>(&mut self, parent: Entity, component: T) -> Entity {
        self.world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(parent), component))
    }

    pub fn add<T: Component>(&mut self, entity: Entity, component: T) {
        self.world.entry(entity).unwrap().add_component(component);
    }

    pub fn remove<T: Component>(&mut self, entity: Entity) {
        self.world.entry(entity).unwrap().remove_component::<T>();
    }

    pub fn get<T: Component + Clone>(&self, entity: Entity) -> T {
        self.world.entry_ref(entity).unwrap().get_component::<T>().unwrap().clone()
    }

    pub fn matrix(&self, entity: Entity) -> Matrix4<f32> {
        self.get::<LocalToWorld>(entity).0
    }

    /// How many local and how many propagated matrices the last run wrote.
    pub fn written(&self) -> (usize, usize) {
        let stats = self.resources.get::<TransformStats>().expect("the bundle puts it there").of(&self.world);
        (stats.composed_changed, stats.propagated_changed)
    }

    pub fn findings(&self) -> Vec<(FindingKind, Entity, Option<Entity>)> {
        let findings = self.resources.get::<Findings>().expect("the bundle puts it there");
        findings.of(&self.world).map(|finding| (finding.kind, finding.entity, finding.related)).collect()
    }
}

pub fn is_finite(matrix: &Matrix4<f32>) -> bool {
    matrix.iter().all(|x| x.is_finite())
}

pub fn assert_close(a: &Matrix4<f32>, b: &Matrix4<f32>) {
    assert!((a - b).amax() < 1e-5, "{a} is not {b}");
}
