//! Random worlds, and edits of them.
use std::ops::{Deref, DerefMut};

use harness::TestWorld;
use legion::{Entity, World};
use legion_transform::{WriteGroups, prelude::*};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use proptest::prelude::*;

/// Users' components for write groups.
pub struct OwnWorld;
pub struct OwnLocal;
pub struct OwnRotation;
pub struct OwnCompositeRotation;
pub struct OwnCompositeScale;
pub struct OwnParentScaleInverse;
/// In the groups of `LocalToWorld` and `Rotation`: overrides neither, says the rule.
pub struct ThroughRotation;

pub fn bundle() -> TransformSystemBundle {
    TransformSystemBundle::default()
        .write_group::<LocalToWorld, OwnWorld>()
        .write_group::<LocalToParent, OwnLocal>()
        .write_group::<Rotation, OwnRotation>()
        .write_group::<CompositeRotation, OwnCompositeRotation>()
        .write_group::<CompositeScale, OwnCompositeScale>()
        .write_group::<ParentScaleInverse, OwnParentScaleInverse>()
        .write_group::<LocalToWorld, ThroughRotation>()
        .write_group::<Rotation, ThroughRotation>()
}

/// A world with users' components, and the entities that were ever spawned into it.
pub struct RandomWorld {
    pub test: TestWorld,
    pub groups: WriteGroups,
    pub entities: Vec<Entity>,
}

impl Deref for RandomWorld {
    type Target = TestWorld;

    fn deref(&self) -> &TestWorld {
        &self.test
    }
}

impl DerefMut for RandomWorld {
    fn deref_mut(&mut self) -> &mut TestWorld {
        &mut self.test
    }
}

impl RandomWorld {
    pub fn new() -> Self {
        let bundle = bundle();
        let groups = bundle.write_groups().clone();
        Self { test: TestWorld::new(bundle), groups, entities: Vec::new() }
    }

    pub fn world_matrix(&self, entity: Entity) -> Option<Matrix4<f32>> {
        self.get::<LocalToWorld>(entity).map(|matrix| matrix.0)
    }

    pub fn fresh(&self) -> TransformQuery<'_, World> {
        TransformQuery::new(&self.world).with_groups(&self.groups)
    }

    fn entity(&self, index: usize) -> Option<Entity> {
        (!self.entities.is_empty()).then(|| self.entities[index % self.entities.len()])
    }

    pub fn apply(&mut self, edit: &Edit) {
        match edit {
            Edit::Spawn(spec) => {
                let entity = self.world.push((LocalToWorld::identity(),));
                self.entities.push(entity);
                for (kind, values) in spec {
                    self.add(entity, *kind, values);
                }
            }
            Edit::Parent(child, parent) => {
                let (Some(child), Some(parent)) = (self.entity(*child), self.entity(*parent))
                else {
                    return;
                };
                if let Some(mut entry) = self.world.entry(child) {
                    entry.add_component(Parent(parent));
                    entry.add_component(LocalToParent::identity());
                }
            }
            Edit::Add(entity, kind, values) => {
                let Some(entity) = self.entity(*entity) else { return };
                self.add(entity, *kind, values);
            }
            Edit::Remove(entity, kind) => {
                let Some(entity) = self.entity(*entity) else { return };
                self.remove(entity, *kind);
            }
            Edit::Despawn(entity) => {
                let Some(entity) = self.entity(*entity) else { return };
                self.world.remove(entity);
            }
            Edit::Run => self.run(),
        }
    }
}

/// Ten numbers from which a component of any kind is made.
pub type Values = [f32; 10];

#[derive(Clone, Debug)]
pub enum Edit {
    Spawn(Vec<(usize, Values)>),
    Parent(usize, usize),
    Add(usize, usize, Values),
    Remove(usize, usize),
    Despawn(usize),
    Run,
}

fn vector(v: &Values) -> Vector3<f32> {
    Vector3::new(v[0], v[1], v[2])
}

fn rotation(v: &Values) -> UnitQuaternion<f32> {
    UnitQuaternion::from_euler_angles(v[0], v[1], v[2])
}

fn matrix(v: &Values) -> Matrix4<f32> {
    let mut m = Matrix4::from_fn(|row, column| v[(row * 4 + column) % 10]);
    // Now and then projective.
    if v[9] < 2.9 {
        m.set_row(3, &Matrix4::identity().row(3));
    }
    m
}

/// How many kinds of components there are.
pub const KINDS: usize = 36;
pub const PARENT_SCALE_INVERSE: usize = 26;

impl RandomWorld {
    fn add(&mut self, entity: Entity, kind: usize, v: &Values) {
        let Some(mut entry) = self.world.entry(entity) else { return };
        match kind {
            0 => entry.add_component(LocalToWorld(matrix(v))),
            1 => entry.add_component(LocalToParent(matrix(v))),
            2 => entry.add_component(Translation::from(vector(v))),
            3 => entry.add_component(Rotation(rotation(v))),
            4 => entry.add_component(Scale(v[0])),
            5 => entry.add_component(NonUniformScale(vector(v))),
            6 => entry.add_component(RotationEulerXYZ(vector(v))),
            7 => entry.add_component(RotationEulerXZY(vector(v))),
            8 => entry.add_component(RotationEulerYXZ(vector(v))),
            9 => entry.add_component(RotationEulerYZX(vector(v))),
            10 => entry.add_component(RotationEulerZXY(vector(v))),
            11 => entry.add_component(RotationEulerZYX(vector(v))),
            12 => entry.add_component(PostRotationEulerXYZ(vector(v))),
            13 => entry.add_component(PostRotationEulerXZY(vector(v))),
            14 => entry.add_component(PostRotationEulerYXZ(vector(v))),
            15 => entry.add_component(PostRotationEulerYZX(vector(v))),
            16 => entry.add_component(PostRotationEulerZXY(vector(v))),
            17 => entry.add_component(PostRotationEulerZYX(vector(v))),
            18 => entry.add_component(PostRotation(rotation(v))),
            19 => entry.add_component(CompositeRotation(matrix(v))),
            20 => entry.add_component(CompositeScale(matrix(v))),
            21 => entry.add_component(RotationPivot(vector(v))),
            22 => entry.add_component(RotationPivotTranslation(vector(v))),
            23 => entry.add_component(ScalePivot(vector(v))),
            24 => entry.add_component(ScalePivotTranslation(vector(v))),
            25 => entry.add_component(Shear(vector(v))),
            26 => entry.add_component(ParentScaleInverse(matrix(v))),
            27 => entry.add_component(WorldToLocal::identity()),
            28 => entry.add_component(OwnWorld),
            29 => entry.add_component(OwnLocal),
            30 => entry.add_component(OwnRotation),
            31 => entry.add_component(OwnCompositeRotation),
            32 => entry.add_component(OwnCompositeScale),
            33 => entry.add_component(OwnParentScaleInverse),
            34 => entry.add_component(ThroughRotation),
            35 => entry.add_component(Inherits {
                translation: v[0] < 0.0,
                rotation: v[1] < 0.0,
                scale: v[2] < 0.0,
            }),
            _ => unreachable!("no such kind"),
        }
    }

    fn remove(&mut self, entity: Entity, kind: usize) {
        let Some(mut entry) = self.world.entry(entity) else { return };
        match kind {
            0 => entry.remove_component::<LocalToWorld>(),
            1 => entry.remove_component::<LocalToParent>(),
            2 => entry.remove_component::<Translation>(),
            3 => entry.remove_component::<Rotation>(),
            4 => entry.remove_component::<Scale>(),
            5 => entry.remove_component::<NonUniformScale>(),
            6 => entry.remove_component::<RotationEulerXYZ>(),
            7 => entry.remove_component::<RotationEulerXZY>(),
            8 => entry.remove_component::<RotationEulerYXZ>(),
            9 => entry.remove_component::<RotationEulerYZX>(),
            10 => entry.remove_component::<RotationEulerZXY>(),
            11 => entry.remove_component::<RotationEulerZYX>(),
            12 => entry.remove_component::<PostRotationEulerXYZ>(),
            13 => entry.remove_component::<PostRotationEulerXZY>(),
            14 => entry.remove_component::<PostRotationEulerYXZ>(),
            15 => entry.remove_component::<PostRotationEulerYZX>(),
            16 => entry.remove_component::<PostRotationEulerZXY>(),
            17 => entry.remove_component::<PostRotationEulerZYX>(),
            18 => entry.remove_component::<PostRotation>(),
            19 => entry.remove_component::<CompositeRotation>(),
            20 => entry.remove_component::<CompositeScale>(),
            21 => entry.remove_component::<RotationPivot>(),
            22 => entry.remove_component::<RotationPivotTranslation>(),
            23 => entry.remove_component::<ScalePivot>(),
            24 => entry.remove_component::<ScalePivotTranslation>(),
            25 => entry.remove_component::<Shear>(),
            26 => entry.remove_component::<ParentScaleInverse>(),
            27 => entry.remove_component::<WorldToLocal>(),
            28 => entry.remove_component::<OwnWorld>(),
            29 => entry.remove_component::<OwnLocal>(),
            30 => entry.remove_component::<OwnRotation>(),
            31 => entry.remove_component::<OwnCompositeRotation>(),
            32 => entry.remove_component::<OwnCompositeScale>(),
            33 => entry.remove_component::<OwnParentScaleInverse>(),
            34 => entry.remove_component::<ThroughRotation>(),
            35 => entry.remove_component::<Inherits>(),
            36 => entry.remove_component::<Parent>(),
            _ => unreachable!("no such kind"),
        }
    }
}

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![8 => -3.0f32..3.0, 1 => Just(1.0), 1 => Just(0.0), 1 => Just(-1.0)]
}

fn values() -> impl Strategy<Value = Values> {
    prop::array::uniform10(number())
}

/// Any edit; `PARENT` (one past the kinds) removes `Parent`.
pub fn edit() -> impl Strategy<Value = Edit> {
    let many = 0usize..64;
    prop_oneof![
        6 => prop::collection::vec((0..KINDS, values()), 0..6).prop_map(Edit::Spawn),
        6 => (many.clone(), many.clone()).prop_map(|(child, parent)| Edit::Parent(child, parent)),
        4 => (many.clone(), 0..KINDS, values())
            .prop_map(|(entity, kind, v)| Edit::Add(entity, kind, v)),
        2 => (many.clone(), 0..=KINDS).prop_map(|(entity, kind)| Edit::Remove(entity, kind)),
        1 => many.prop_map(Edit::Despawn),
        1 => Just(Edit::Run),
    ]
}

/// Bit for bit; NaNs count as equal.
pub fn same_bits(a: &Matrix4<f32>, b: &Matrix4<f32>) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
}
