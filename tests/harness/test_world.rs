//! A world with its resources and a schedule of the bundle.

use legion::{
    Entity, EntityStore, Resources, Schedule, World, storage::Component,
    storage::IntoComponentSource,
};
use legion_transform::{
    TransformStats,
    components::PreviousParent,
    findings::{Finding, FindingKind},
    prelude::*,
};
use legion_transform_testing::{Cast, Kind, Numbers, RunJudge, Step, findings, kind::version};
use nalgebra::Matrix4;

pub struct TestWorld {
    pub world: World,
    pub resources: Resources,
    pub schedule: Schedule,
    /// Who is who, in the steps of a history.
    pub cast: Cast,
    /// Whether steps since the last run may have made links by edits of the crate's. A child that
    /// leaves and comes back by them is the last one (`tests/runs/hierarchy/order_of_siblings.rs`).
    pub is_edited: bool,
}

impl Default for TestWorld {
    fn default() -> Self {
        Self::new(TransformSystemBundle::default())
    }
}

impl TestWorld {
    pub fn new(bundle: TransformSystemBundle) -> Self {
        let schedule = Schedule::builder().add_transforms(bundle).build();
        let (world, resources, cast, is_edited) = Default::default();
        Self { world, resources, schedule, cast, is_edited }
    }

    /// Makes an edit of a history.
    pub fn play(&mut self, edit: &Step) {
        self.is_edited |= matches!(edit, Step::Own(_));
        edit.play(&mut self.world, &mut self.resources, &mut self.cast);
    }

    pub fn run(&mut self) {
        self.is_edited = false;
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    /// Runs, and judges what came of it.
    #[track_caller]
    pub fn judged_by(&mut self, judge: &mut RunJudge) {
        let in_order = !std::mem::take(&mut self.is_edited);
        let Self { world, resources, schedule, .. } = self;
        judge.run(world, resources, in_order, |world, it| schedule.execute(world, it));
    }

    /// Runs once more: nothing may change.
    #[track_caller]
    pub fn judged_again_by(&mut self, judge: &mut RunJudge) {
        let Self { world, resources, schedule, .. } = self;
        judge.run_again(world, resources, |world, it| schedule.execute(world, it));
    }

    /// The findings of the world, after a run.
    pub fn findings(&self) -> Vec<Finding> {
        findings(&self.world, &self.resources)
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

    /// An entity at `(x, 0, 0)`.
    pub fn at(&mut self, x: f32) -> Entity {
        self.push(at(x))
    }

    /// An entity at `(x, 0, 0)` of another.
    pub fn below(&mut self, parent: Entity, x: f32) -> Entity {
        self.push(below(parent, x))
    }

    /// A root with one component besides its matrix.
    pub fn root<T: Component>(&mut self, component: T) -> Entity {
        self.push((LocalToWorld::identity(), component))
    }

    /// A child with one component besides its matrices.
    pub fn child<T: Component>(&mut self, parent: Entity, component: T) -> Entity {
        self.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(parent), component))
    }

    /// Gives an entity that has `LocalToParent` another parent.
    pub fn hang(&mut self, child: Entity, parent: Entity) {
        self.put(child, Parent(parent));
    }

    pub fn despawn(&mut self, entity: Entity) {
        assert!(self.world.remove(entity));
    }

    pub fn get<T: Component + Clone>(&self, entity: Entity) -> Option<T> {
        self.world.entry_ref(entity).ok()?.get_component::<T>().ok().cloned()
    }

    /// A component that the entity has.
    #[track_caller]
    pub fn value<T: Component + Clone>(&self, entity: Entity) -> T {
        self.get(entity).expect("an entity with this component")
    }

    pub fn has<T: Component>(&self, entity: Entity) -> bool {
        self.world.entry_ref(entity).is_ok_and(|entry| entry.get_component::<T>().is_ok())
    }

    /// The version of a component in the archetype of an entity.
    pub fn version<T: Component>(&mut self, entity: Entity) -> u64 {
        let archetype = self.world.entry(entity).expect("a live entity").location().archetype();
        version::<T>(&self.world, archetype).expect("an archetype with this component")
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

    pub fn matrix(&self, entity: Entity) -> Matrix4<f32> {
        self.value::<LocalToWorld>(entity).0
    }

    /// Where an entity is along x.
    pub fn x(&self, entity: Entity) -> f32 {
        self.matrix(entity).m14
    }

    pub fn children(&self, entity: Entity) -> Vec<Entity> {
        self.get::<Children>(entity).map_or_else(Vec::new, |children| children.to_vec())
    }

    pub fn previous(&self, entity: Entity) -> Option<PreviousParent> {
        self.get::<PreviousParent>(entity)
    }

    /// Whether nothing about an entity says that it has a parent.
    pub fn is_root(&self, entity: Entity) -> bool {
        !self.has::<Parent>(entity)
            && !self.has::<PreviousParent>(entity)
            && !self.has::<LocalToParent>(entity)
    }

    /// The findings of the world, after a run, in short.
    pub fn told(&self) -> Vec<(FindingKind, Entity, Option<Entity>)> {
        self.findings()
            .into_iter()
            .map(|finding| (finding.kind, finding.entity, finding.related))
            .collect()
    }

    /// How many local and how many propagated matrices the last run wrote.
    pub fn written(&self) -> (usize, usize) {
        let stats = self
            .resources
            .get::<TransformStats>()
            .expect("the bundle inserts its counts")
            .of(&self.world);
        (stats.composed_changed, stats.propagated_changed)
    }
}

/// The components of an entity at `(x, 0, 0)`.
pub fn at(x: f32) -> (LocalToWorld, Translation) {
    (LocalToWorld::identity(), Translation::new(x, 0.0, 0.0))
}

/// The components of an entity at `(x, 0, 0)` of another.
pub fn below(parent: Entity, x: f32) -> (LocalToWorld, Translation, LocalToParent, Parent) {
    (
        LocalToWorld::identity(),
        Translation::new(x, 0.0, 0.0),
        LocalToParent::identity(),
        Parent(parent),
    )
}

/// Where an entity of a world is along x.
pub fn x(world: &World, entity: Entity) -> f32 {
    world.entry_ref(entity).unwrap().get_component::<LocalToWorld>().unwrap().0.m14
}

/// A schedule of the bundle and nothing else.
pub fn schedule() -> Schedule {
    Schedule::builder().add_transforms(TransformSystemBundle::default()).build()
}
