//! A random scene with every sort of input, random edits, and a hash of all matrices.

use legion::{storage::Component, world::Entry, *};
use legion_transform::{
    components::{
        CompositeRotation, CompositeScale, PostRotationEulerYXZ, RotationEulerZXY, RotationPivot,
        ScalePivot, Shear,
    },
    interchange::{Detail, MayaTransform},
    prelude::*,
    scene::{NodeTransform, Scene, SceneNode},
};
use nalgebra::{Matrix4, Point3, Vector3};

use super::random::Random;

/// The inputs that a scene has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inputs {
    /// Everything.
    All,
    /// What needs sums, products and square roots only: no angles, edits or described scenes.
    WithoutAngles,
}

pub struct RandomScene {
    world: World,
    resources: Resources,
    schedule: Schedule,
    entities: Vec<Entity>,
    random: Random,
    inputs: Inputs,
}

impl RandomScene {
    pub fn new(bundle: TransformSystemBundle, entities: usize, seed: u64, inputs: Inputs) -> Self {
        let mut scene = Self {
            world: World::default(),
            resources: Resources::default(),
            schedule: Schedule::builder().add_transforms(bundle.print_findings(false)).build(),
            entities: Vec::with_capacity(entities),
            random: Random::new(seed),
            inputs,
        };
        while scene.entities.len() < entities.max(1) {
            let random = &mut scene.random;
            let scale = Vector3::repeat(1.0) + 0.1 * random.vector();
            let transform = (
                Translation(nalgebra::Translation3::from(random.vector())),
                Rotation(random.rotation()),
                NonUniformScale(scale),
            );
            let is_root = scene.entities.len() < 8 || random.below(9) == 0;
            let entity = if is_root {
                scene.world.push_transform(transform)
            } else {
                let parent = scene.any();
                scene.world.push_child(parent, transform)
            };
            scene.entities.push(entity);
        }
        scene
    }

    /// Edits a tenth of the entities, replaces a hundredth by new ones, and runs the bundle.
    pub fn tick(&mut self) {
        for _ in 0..self.entities.len().div_ceil(10) {
            let entity = self.any();
            match self.random.below(30) {
                0..20 => self.write_inputs(entity),
                20..24 => self.link(entity),
                _ if self.inputs == Inputs::WithoutAngles => {}
                24..27 => self.write_angles(entity),
                27 => self.import(entity),
                28 => self.edit(entity),
                _ => self.spawn_described(entity),
            }
        }
        for _ in 0..self.entities.len().div_ceil(100) {
            let replaced = self.random.below(self.entities.len());
            self.world.remove(self.entities[replaced]);
            let translation = Translation::from(self.random.vector());
            let parent = self.any();
            self.entities[replaced] = self.world.push_child(parent, (translation,));
        }
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    /// Runs the bundle until matrices that the edits have overwritten are right in any case: 32
    /// runs, if the overwriting was hidden by insertions.
    pub fn rest(&mut self) {
        (0..32).for_each(|_| self.schedule.execute(&mut self.world, &mut self.resources));
    }

    /// How many matrices there are, and the hash of their bits (FNV-1a).
    pub fn hash(&self) -> (usize, u64) {
        let mut hash = Hash { matrices: 0, state: 0xCBF2_9CE4_8422_2325 };
        for entity in &self.entities {
            let Ok(entry) = self.world.entry_ref(*entity) else { continue };
            hash.add(entry.get_component::<LocalToWorld>().map(|matrix| &matrix.0));
            hash.add(entry.get_component::<LocalToParent>().map(|matrix| &matrix.0));
            hash.add(entry.get_component::<WorldToLocal>().map(|matrix| &matrix.0));
            hash.add(entry.get_component::<ParentScaleInverse>().map(|matrix| &matrix.0));
            hash.add(entry.get_component::<CompositeRotation>().map(|matrix| &matrix.0));
            hash.add(entry.get_component::<CompositeScale>().map(|matrix| &matrix.0));
        }
        (hash.matrices, hash.state)
    }

    fn any(&mut self) -> Entity {
        self.entities[self.random.below(self.entities.len())]
    }

    fn write_inputs(&mut self, entity: Entity) {
        let random = &mut self.random;
        let Some(mut entry) = self.world.entry(entity) else { return };
        match random.below(16) {
            0..4 => entry.add_component(Translation::from(random.vector())),
            4 | 5 => entry.add_component(Rotation(random.rotation())),
            6 => entry.add_component(Scale(random.float())),
            7 => entry.add_component(NonUniformScale(random.vector())),
            8 => entry.add_component(CompositeRotation::identity()),
            9 => entry.add_component(CompositeScale::identity()),
            10 => entry.add_component(ParentScaleInverse::identity()),
            11 => entry.add_component(WorldToLocal::identity()),
            12 => entry.add_component(RotationPivot(random.vector())),
            13 => entry.add_component(ScalePivot(random.vector())),
            14 => entry.add_component(PostRotation(random.rotation())),
            _ => entry.add_component(Shear(random.vector())),
        }
    }

    /// Another parent or none, a matrix of the user's own, or fewer inputs.
    fn link(&mut self, entity: Entity) {
        let parent = self.any();
        let Some(mut entry) = self.world.entry(entity) else { return };
        match self.random.below(5) {
            0 | 1 => {
                add_missing::<LocalToParent>(&mut entry);
                entry.add_component(Parent(parent));
            }
            2 => {
                entry.remove_component::<Parent>();
                entry.remove_component::<LocalToParent>();
            }
            3 => entry.add_component(LocalToParent(self.random.matrix())),
            _ => {
                entry.remove_component::<Translation>();
                entry.remove_component::<Scale>();
                entry.remove_component::<CompositeScale>();
            }
        }
    }

    fn write_angles(&mut self, entity: Entity) {
        let angles = self.random.vector();
        let Some(mut entry) = self.world.entry(entity) else { return };
        match self.random.below(4) {
            0 => entry.add_component(RotationEulerXYZ(angles)),
            1 => entry.add_component(RotationEulerZXY(angles)),
            2 => {
                entry.add_component(PostRotationEulerYXZ(angles));
                add_missing::<PostRotation>(&mut entry);
                add_missing::<CompositeRotation>(&mut entry);
            }
            _ => {
                let turn = Rotation::from_euler_angles(angles.x, angles.y, angles.z);
                entry.add_component(turn);
            }
        }
        add_missing::<Rotation>(&mut entry);
    }

    /// The attributes of a node of Maya.
    fn import(&mut self, entity: Entity) {
        let random = &mut self.random;
        let (translate, rotate) = (random.vector(), 90.0 * random.vector());
        let mut node = MayaTransform::new(translate, rotate, Vector3::repeat(1.0));
        node.rotate_axis = 30.0 * random.vector();
        node.rotate_pivot = random.vector();
        node.joint_orient = 45.0 * random.vector();
        if let Some(mut entry) = self.world.entry(entity) {
            node.insert(&mut entry, Detail::Full);
        }
    }

    /// An edit that is refused changes nothing, on every platform the same ones.
    fn edit(&mut self, entity: Entity) {
        let other = self.any();
        let target = Point3::from(self.random.vector());
        let _ = match self.random.below(2) {
            0 => self.world.set_parent(entity, other),
            _ => self.world.look_at(entity, target, Vector3::y()),
        };
    }

    /// A described scene takes the place of the entity: a node below a matrix of which its
    /// `Translation`, `Rotation` and `NonUniformScale` are made.
    fn spawn_described(&mut self, entity: Entity) {
        let mut scene = Scene::default();
        let place = NodeTransform::from_translation(1.0, 2.0, 3.0);
        let node = scene.add(SceneNode::new("node").at(place));
        let above = NodeTransform::Matrix(self.random.matrix());
        scene.add(SceneNode::new("above").at(above).with_children([node]));
        let Ok(spawned) = scene.spawn_subtree(&mut self.world, node) else { return };
        let old = self.entities.iter_mut().find(|old| **old == entity);
        if let (Some(old), Some(new)) = (old, spawned.entity(node)) {
            self.world.remove(*old);
            *old = new;
        }
    }
}

fn add_missing<C: Component + Default>(entry: &mut Entry<'_>) {
    if entry.get_component::<C>().is_err() {
        entry.add_component(C::default());
    }
}

struct Hash {
    matrices: usize,
    state: u64,
}

impl Hash {
    /// Adds the bits of a matrix; every NaN counts as the same one.
    fn add<E>(&mut self, matrix: Result<&Matrix4<f32>, E>) {
        let Ok(matrix) = matrix else { return };
        self.matrices += 1;
        for element in matrix.iter() {
            let element = if element.is_nan() { f32::NAN } else { *element };
            for byte in element.to_bits().to_le_bytes() {
                self.state = (self.state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
            }
        }
    }
}
