//! Every component as data: a kind, and up to sixteen numbers.

use legion::{
    World,
    storage::{ArchetypeIndex, ComponentTypeId},
    world::Entry,
};
use legion_transform::components::*;
use nalgebra::{Matrix4, Quaternion, Translation3, UnitQuaternion, Vector3};

use crate::table::{HasTable, Table};

pub(crate) use crate::numeric::padded;
pub use crate::{
    numeric::{Numbers, Numeric, Shape},
    table::{Own, column, version},
};

macro_rules! numeric {
    (Matrix $component:ident) => {
        numeric!(@ $component, Matrix, self => self.0.as_slice(),
            numbers => Self(Matrix4::from_column_slice(numbers)));
    };
    (Vector Translation) => {
        numeric!(@ Translation, Vector, self => self.0.vector.as_slice(),
            numbers => Self(Translation3::new(numbers[0], numbers[1], numbers[2])));
    };
    (Vector $component:ident) => {
        numeric!(@ $component, Vector, self => self.0.as_slice(),
            numbers => Self(Vector3::from_column_slice(&numbers[..3])));
    };
    (Quaternion $component:ident) => {
        numeric!(@ $component, Quaternion, self => self.0.coords.as_slice(), numbers => {
            let [x, y, z, w] = [numbers[0], numbers[1], numbers[2], numbers[3]];
            Self(UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)))
        });
    };
    (Scalar $component:ident) => {
        numeric!(@ $component, Scalar, self => &[self.0], numbers => Self(numbers[0]));
    };
    (Parts $component:ident) => {
        numeric!(@ $component, Parts,
            self => &[self.translation, self.rotation, self.scale].map(f32::from),
            numbers => {
                let [translation, rotation, scale] = [0, 1, 2].map(|part| numbers[part] == 1.0);
                Self { translation, rotation, scale }
            });
    };
    (@ $component:ident, $shape:ident, $self:ident => $slice:expr, $numbers:ident => $from:expr) => {
        impl Numeric for $component {
            const SHAPE: Shape = Shape::$shape;
            fn numbers(&$self) -> Numbers {
                padded($slice)
            }
            fn from_numbers($numbers: &Numbers) -> Self {
                $from
            }
        }
    };
}

macro_rules! kinds {
    ($($shape:ident { $($component:ident),* $(,)? })*) => {
        /// The name of a component that is nothing but numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(
                #[doc = concat!("[`", stringify!($component), "`]")]
                $component,
            )*)*
            /// Your own component.
            Own(Own),
        }

        impl Kind {
            /// The components of `legion_transform`: the matrices first, the inputs after them.
            pub const ALL: &'static [Self] = &[$($(Self::$component,)*)*];

            fn table(self) -> &'static Table {
                match self {
                    $($(Self::$component => &<$component as HasTable>::TABLE,)*)*
                    Self::Own(own) => own.0,
                }
            }
        }

        $($(numeric!($shape $component);)*)*
    };
}

kinds! {
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
}

/// What `ParentScaleInverse` of a child inverts.
pub(crate) const PARENT_SCALES: [Kind; 3] =
    [Kind::Scale, Kind::NonUniformScale, Kind::CompositeScale];

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
    /// The kind of a component, also of your own.
    #[must_use]
    pub fn of<T: Numeric>() -> Self {
        let own = Self::own::<T>();
        Self::ALL.iter().copied().find(|kind| kind.type_id() == own.type_id()).unwrap_or(own)
    }

    /// The kind of your own component.
    #[must_use]
    pub const fn own<T: Numeric>() -> Self {
        Self::Own(Own(&<T as HasTable>::TABLE))
    }

    /// Whether it is one of `legion_transform`'s.
    #[must_use]
    pub fn is_transform(self) -> bool {
        !matches!(self, Self::Own(_))
    }

    /// The component's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        (self.table().name)()
    }

    /// What its numbers mean.
    #[must_use]
    pub fn shape(self) -> Shape {
        self.table().shape
    }

    /// The component's type.
    #[must_use]
    pub fn type_id(self) -> ComponentTypeId {
        (self.table().type_id)()
    }

    /// Adds the component to an entity, or overwrites it.
    pub fn add(self, entry: &mut Entry<'_>, numbers: &Numbers) {
        (self.table().add)(entry, numbers);
    }

    /// Takes the component from an entity.
    pub fn remove(self, entry: &mut Entry<'_>) {
        (self.table().remove)(entry);
    }

    /// The numbers that an entity has, if it has the component.
    #[must_use]
    pub fn get(self, entry: &Entry<'_>) -> Option<Numbers> {
        (self.table().get)(entry)
    }

    /// Overwrites the component where it is.
    ///
    /// # Panics
    ///
    /// Panics if the entity lacks the component.
    pub fn set(self, entry: &mut Entry<'_>, numbers: &Numbers) {
        (self.table().set)(entry, numbers);
    }

    pub(crate) fn write_each(self, world: &mut World, every: usize, numbers: &Numbers) {
        (self.table().write_each)(world, every, numbers);
    }

    /// The numbers of all entities of an archetype, if it has the component.
    #[must_use]
    pub fn column(self, world: &World, archetype: ArchetypeIndex) -> Option<Vec<Numbers>> {
        (self.table().column)(world, archetype)
    }

    /// The component's version in an archetype, if the archetype has it.
    #[must_use]
    pub fn version(self, world: &World, archetype: ArchetypeIndex) -> Option<u64> {
        (self.table().version)(world, archetype)
    }

    /// The value that changes nothing.
    #[must_use]
    pub fn identity(self) -> Numbers {
        match (self, self.shape()) {
            (Self::NonUniformScale, _) | (_, Shape::Parts) => padded(&[1.0, 1.0, 1.0]),
            (_, Shape::Matrix) => std::array::from_fn(|index| f32::from(u8::from(index % 5 == 0))),
            (_, Shape::Vector) => padded(&[]),
            (_, Shape::Quaternion) => padded(&[0.0, 0.0, 0.0, 1.0]),
            (_, Shape::Scalar) => padded(&[1.0]),
        }
    }
}
