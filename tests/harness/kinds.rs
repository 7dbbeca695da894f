//! Every component as data: a kind and up to sixteen numbers.

use legion::{
    EntityStore, World,
    query::Fetch,
    storage::{ArchetypeIndex, Component, ComponentStorage, EntityLayout},
    world::Entry,
};
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::{rng::Rng, user::*};

/// The numbers of one component; matrices fill it column by column, the others use the first few.
pub type Numbers = [f32; 16];

/// What the numbers of a component mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Matrix,
    Vector,
    Quaternion,
    Scalar,
    /// Three numbers, each 0 or 1.
    Parts,
}

/// A component that is nothing but numbers.
pub trait Numeric: Component {
    fn numbers(&self) -> Numbers;
    fn from_numbers(numbers: &Numbers) -> Self;
}

fn padded(slice: &[f32]) -> Numbers {
    let mut numbers = [0.0; 16];
    numbers[..slice.len()].copy_from_slice(slice);
    numbers
}

macro_rules! numeric {
    (Matrix $component:ident) => {
        impl Numeric for $component {
            fn numbers(&self) -> Numbers {
                padded(self.0.as_slice())
            }
            fn from_numbers(numbers: &Numbers) -> Self {
                Self(Matrix4::from_column_slice(numbers))
            }
        }
    };
    (Vector $component:ident) => {
        impl Numeric for $component {
            fn numbers(&self) -> Numbers {
                padded(self.0.as_slice())
            }
            fn from_numbers(numbers: &Numbers) -> Self {
                Self(Vector3::from_column_slice(&numbers[..3]))
            }
        }
    };
    (Quaternion $component:ident) => {
        impl Numeric for $component {
            fn numbers(&self) -> Numbers {
                padded(self.0.coords.as_slice())
            }
            fn from_numbers(numbers: &Numbers) -> Self {
                let [x, y, z, w] = [numbers[0], numbers[1], numbers[2], numbers[3]];
                Self(UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)))
            }
        }
    };
    (Scalar $component:ident) => {
        impl Numeric for $component {
            fn numbers(&self) -> Numbers {
                padded(&[self.0])
            }
            fn from_numbers(numbers: &Numbers) -> Self {
                Self(numbers[0])
            }
        }
    };
}

macro_rules! kinds {
    ($d:tt; $($shape:ident { $($component:ident),* $(,)? })*) => {
        /// The name of a numeric component.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind { $($($component,)*)* }

        impl Kind {
            pub const ALL: &'static [Self] = &[$($(Self::$component,)*)*];

            pub fn shape(self) -> Shape {
                match self { $($(Self::$component)|* => Shape::$shape,)* }
            }
        }

        impl Kind {
            /// The component's name.
            pub fn name(self) -> &'static str {
                match self { $($(Self::$component => stringify!($component),)*)* }
            }
        }

        $($(kinds!(@numeric $shape $component);)*)*

        /// Runs an expression with the type of a kind.
        macro_rules! with_kind {
            ($d kind:expr, $d type:ident => $d body:expr) => {
                match $d kind { $($($crate::kinds::Kind::$component => {
                    type $d type = $component;
                    $d body
                })*)* }
            };
        }
    };
    // `Translation` wraps nalgebra's own translation, not a vector.
    (@numeric Vector Translation) => {};
    (@numeric Parts $component:ident) => {};
    (@numeric $shape:ident $component:ident) => { numeric!($shape $component); };
}

kinds! { $;
    Matrix {
        LocalToWorld, LocalToParent, WorldToLocal,
        CompositeRotation, CompositeScale, ParentScaleInverse
    }
    Quaternion { Rotation, PostRotation }
    Scalar { Scale }
    Parts { Inherits }
    Vector {
        Translation, NonUniformScale, Shear,
        RotationPivot, RotationPivotTranslation, ScalePivot, ScalePivotTranslation,
        RotationEulerXYZ, RotationEulerXZY, RotationEulerYXZ,
        RotationEulerYZX, RotationEulerZXY, RotationEulerZYX,
        PostRotationEulerXYZ, PostRotationEulerXZY, PostRotationEulerYXZ,
        PostRotationEulerYZX, PostRotationEulerZXY, PostRotationEulerZYX,
    }
    Scalar {
        Bystander, OwnWorld, OwnLocal, OwnRotation, OwnPostRotation,
        OwnCompositeRotation, OwnCompositeScale, OwnParentScaleInverse, OwnWorldToLocal,
        OwnWorldAndRotation, OwnWorldAndLocal, Spin, Lift, Wave,
    }
}

impl Numeric for Inherits {
    fn numbers(&self) -> Numbers {
        padded(&[self.translation, self.rotation, self.scale].map(f32::from))
    }
    fn from_numbers(numbers: &Numbers) -> Self {
        let [translation, rotation, scale] = [0, 1, 2].map(|part| numbers[part] == 1.0);
        Self { translation, rotation, scale }
    }
}

impl Numeric for Translation {
    fn numbers(&self) -> Numbers {
        padded(self.0.vector.as_slice())
    }
    fn from_numbers(numbers: &Numbers) -> Self {
        Self(Translation3::new(numbers[0], numbers[1], numbers[2]))
    }
}

/// The Eulers of `Rotation`, in the order in which they win.
pub const ROTATION_EULERS: [Kind; 6] = [
    Kind::RotationEulerXYZ,
    Kind::RotationEulerXZY,
    Kind::RotationEulerYXZ,
    Kind::RotationEulerYZX,
    Kind::RotationEulerZXY,
    Kind::RotationEulerZYX,
];

/// The Eulers of `PostRotation`, in the order in which they win.
pub const POST_ROTATION_EULERS: [Kind; 6] = [
    Kind::PostRotationEulerXYZ,
    Kind::PostRotationEulerXZY,
    Kind::PostRotationEulerYXZ,
    Kind::PostRotationEulerYZX,
    Kind::PostRotationEulerZXY,
    Kind::PostRotationEulerZYX,
];

impl Kind {
    /// Whether the crate has it, and not a user of the tests.
    pub fn is_transform(self) -> bool {
        self < Self::Bystander
    }

    /// The reference's name for it. Both lists have the components in one order.
    pub fn in_reference(self) -> Option<legion_transform_testing::Kind> {
        legion_transform_testing::Kind::ALL.get(self as usize).copied()
    }

    /// Adds the component to an entity, or overwrites it.
    pub fn add(self, entry: &mut Entry<'_>, numbers: &Numbers) {
        with_kind!(self, T => entry.add_component(T::from_numbers(numbers)))
    }

    pub fn remove(self, entry: &mut Entry<'_>) {
        with_kind!(self, T => entry.remove_component::<T>())
    }

    /// The numbers an entity has, if it has the component.
    pub fn get(self, entry: &Entry<'_>) -> Option<Numbers> {
        with_kind!(self, T => entry.get_component::<T>().ok().map(Numeric::numbers))
    }

    pub fn is_on(self, entry: &Entry<'_>) -> bool {
        with_kind!(self, T => entry.get_component::<T>().is_ok())
    }

    /// Whether the entities of an archetype have it.
    pub fn is_in(self, layout: &EntityLayout) -> bool {
        with_kind!(self, T => layout.has_component::<T>())
    }

    /// Overwrites the component in place.
    pub fn set(self, entry: &mut Entry<'_>, numbers: &Numbers) {
        with_kind!(self, T => {
            let component = entry.get_component_mut::<T>().expect("the component is there");
            *component = T::from_numbers(numbers);
        })
    }

    /// The numbers of all entities of an archetype, if it has the component.
    pub fn column(self, world: &World, archetype: ArchetypeIndex) -> Option<Vec<Numbers>> {
        with_kind!(self, T => {
            let slice = column::<T>(world, archetype);
            slice.map(|slice| slice.iter().map(Numeric::numbers).collect())
        })
    }

    /// The component's version in an archetype, if the archetype has it.
    pub fn version(self, world: &World, archetype: ArchetypeIndex) -> Option<u64> {
        with_kind!(self, T => version::<T>(world, archetype))
    }

    /// The value that changes nothing.
    pub fn identity(self) -> Numbers {
        match (self, self.shape()) {
            (Self::NonUniformScale, _) | (_, Shape::Parts) => padded(&[1.0, 1.0, 1.0]),
            (_, Shape::Matrix) => padded(Matrix4::<f32>::identity().as_slice()),
            (_, Shape::Vector) => padded(&[]),
            (_, Shape::Quaternion) => padded(&[0.0, 0.0, 0.0, 1.0]),
            (_, Shape::Scalar) => padded(&[1.0]),
        }
    }

    /// An ordinary random value: rotations of unit length, scales that have an inverse, matrices
    /// with some of everything.
    pub fn random(self, rng: &mut Rng) -> Numbers {
        match (self, self.shape()) {
            (Self::NonUniformScale, _) => padded(&[rng.scale(), rng.scale(), rng.scale()]),
            (Self::Shear, _) => padded(rng.vector(0.7).as_slice()),
            (Self::Translation, _) => padded(rng.vector(5.0).as_slice()),
            (_, Shape::Vector) => padded(rng.vector(3.0).as_slice()),
            (_, Shape::Quaternion) => padded(rng.quaternion().coords.as_slice()),
            (_, Shape::Scalar) => padded(&[rng.scale()]),
            (_, Shape::Parts) => padded(&[0, 1, 2].map(|_| f32::from(rng.one_in(2)))),
            (_, Shape::Matrix) => padded(random_matrix(rng).as_slice()),
        }
    }
}

fn random_matrix(rng: &mut Rng) -> Matrix4<f32> {
    let scale = Vector3::new(rng.scale(), rng.scale(), rng.scale());
    let mut matrix = rng.quaternion().to_homogeneous() * Matrix4::new_nonuniform_scaling(&scale);
    matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&rng.vector(4.0));
    matrix[(0, 1)] += rng.float(-0.3, 0.3);
    if rng.one_in(5) {
        // A projection: the bottom row is not (0, 0, 0, 1).
        matrix[(3, 2)] = rng.float(-0.2, 0.2);
    }
    matrix
}

/// The components of an archetype.
pub fn column<T: Component>(world: &World, archetype: ArchetypeIndex) -> Option<&[T]> {
    let storage = world.components().get_downcast::<T>()?;
    Some(storage.get(archetype)?.into_slice())
}

/// The version of a component in an archetype: Legion moves it whenever someone could have written
/// there.
pub fn version<T: Component>(world: &World, archetype: ArchetypeIndex) -> Option<u64> {
    let storage = world.components().get_downcast::<T>()?;
    let slice = storage.get(archetype)?;
    let fetch: <legion::Read<T> as legion::query::View<'_>>::Fetch = slice.into();
    fetch.version::<T>()
}

/// How many archetypes a world has ever had; they are never removed.
pub fn archetypes(world: &World) -> &[legion::storage::Archetype] {
    world
        .get_component_storage::<legion::Read<LocalToWorld>>()
        .expect("reading is allowed")
        .archetypes()
}
