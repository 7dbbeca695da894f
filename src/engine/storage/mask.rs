//! Sets of the crate's components, a bit each: `{LocalToWorld, Translation}` is `0b1001`.
//!
//! The order of the bits is the order of `for_each_component`, in every table by component.
//!
//! Below it: Legion's ids as numbers, and back: `Entity(7)` is 7, and 7 is `Entity(7)`.

use std::{
    hash::{Hash, Hasher},
    num::NonZeroU64,
    ops::{BitAnd, BitOr, BitOrAssign},
    sync::LazyLock,
};

use legion::{
    Entity,
    storage::{ComponentTypeId, EntityLayout},
};

use crate::components::*;

/// Calls a macro with every component and the name of its bit, in a fixed order. The first arm
/// hands its list to the second, which adds the Eulers. `for_each_euler` hands it an empty one.
macro_rules! for_each_component {
    ($callback:ident) => {
        $crate::engine::for_each_component! { $callback:
            LocalToWorld: LOCAL_TO_WORLD,
            LocalToParent: LOCAL_TO_PARENT,
            WorldToLocal: WORLD_TO_LOCAL,
            Translation: TRANSLATION,
            Rotation: ROTATION,
            Scale: SCALE,
            NonUniformScale: NON_UNIFORM_SCALE,
            Parent: PARENT,
            PreviousParent: PREVIOUS_PARENT,
            Children: CHILDREN,
            Inherits: INHERITS,
            ParentScaleInverse: PARENT_SCALE_INVERSE,
            CompositeRotation: COMPOSITE_ROTATION,
            RotationPivot: ROTATION_PIVOT,
            RotationPivotTranslation: ROTATION_PIVOT_TRANSLATION,
            CompositeScale: COMPOSITE_SCALE,
            ScalePivot: SCALE_PIVOT,
            ScalePivotTranslation: SCALE_PIVOT_TRANSLATION,
            Shear: SHEAR,
            PostRotation: POST_ROTATION,
        }
    };
    ($callback:ident: $($component:ident: $bit:ident,)*) => {
        $callback! {
            $($component: $bit,)*
            RotationEulerXYZ: ROTATION_EULER_XYZ,
            RotationEulerXZY: ROTATION_EULER_XZY,
            RotationEulerYXZ: ROTATION_EULER_YXZ,
            RotationEulerYZX: ROTATION_EULER_YZX,
            RotationEulerZXY: ROTATION_EULER_ZXY,
            RotationEulerZYX: ROTATION_EULER_ZYX,
            PostRotationEulerXYZ: POST_ROTATION_EULER_XYZ,
            PostRotationEulerXZY: POST_ROTATION_EULER_XZY,
            PostRotationEulerYXZ: POST_ROTATION_EULER_YXZ,
            PostRotationEulerYZX: POST_ROTATION_EULER_YZX,
            PostRotationEulerZXY: POST_ROTATION_EULER_ZXY,
            PostRotationEulerZYX: POST_ROTATION_EULER_ZYX,
        }
    };
}
pub(crate) use for_each_component;

/// Calls a macro with every Euler component and the name of its bit.
macro_rules! for_each_euler {
    ($callback:ident) => {
        $crate::engine::for_each_component! { $callback: }
    };
}
pub(crate) use for_each_euler;

/// How many components the crate has.
pub(crate) const COMPONENTS: usize = 32;

/// A set of the crate's components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mask(u32);

/// One of the crate's components.
///
/// # Safety
/// `MASK` is the bit that [`for_each_component`] gives to this very type: the storage at its index
/// is read and written as a storage of `Self`.
#[allow(unsafe_code)]
pub(crate) unsafe trait TransformComponent: Send + Sync + 'static {
    /// The set of this component alone.
    const MASK: Mask;
}

macro_rules! bits {
    ($($component:ident: $name:ident,)*) => {
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)]
        enum Index { $($name),* }

        $(
            // SAFETY: type and bit stand side by side in `for_each_component`.
            #[allow(unsafe_code)]
            unsafe impl TransformComponent for $component {
                const MASK: Mask = Mask::$name;
            }
        )*

        /// Legion's ids of the components, by index.
        const IDS: [fn() -> ComponentTypeId; COMPONENTS] = [$(ComponentTypeId::of::<$component>),*];

        /// What adds the components to a layout, by index.
        const REGISTER: [fn(&mut EntityLayout); COMPONENTS] =
            [$(EntityLayout::register_component::<$component>),*];

        /// The names of the components, by index.
        const NAMES: [&str; COMPONENTS] = [$(stringify!($component)),*];

        impl Mask {
            $(pub const $name: Self = Self(1 << Index::$name as u32);)*
        }
    };
}
for_each_component!(bits);

/// The ids of the components with their bits, and free buckets. Each stands where the lowest byte
/// of the id says, or in the next free bucket: one look is enough most often, for a user's, too.
type Buckets = [Option<(ComponentTypeId, Mask)>; 256];

static BUCKETS: LazyLock<Buckets> = LazyLock::new(|| {
    let mut buckets = [None; 256];
    for (id, index) in IDS.iter().zip(0..) {
        buckets[bucket(&buckets, id())] = Some((id(), Mask(1 << index)));
    }
    buckets
});

/// The bucket of an id, or the free one where its search ends.
#[inline]
fn bucket(buckets: &Buckets, id: ComponentTypeId) -> usize {
    let mut at = captured(&id) as u8;
    while buckets[at as usize].is_some_and(|(other, _)| other != id) {
        at = at.wrapping_add(1);
    }
    at as usize
}

impl Mask {
    pub const NONE: Self = Self(0);
    pub const ALL: Self = Self(u32::MAX);

    /// The crate's components in an archetype's layout.
    pub fn of(layout: &EntityLayout) -> Self {
        Self::of_types(layout.component_types())
    }

    /// The crate's components among these.
    pub fn of_types(types: &[ComponentTypeId]) -> Self {
        let buckets = &*BUCKETS;
        let bits = types.iter().filter_map(|id| buckets[bucket(buckets, *id)]);
        bits.fold(Self::NONE, |all, (_, bit)| all | bit)
    }

    /// The inputs of local matrices that are derived themselves.
    pub const DERIVED_INPUTS: Self = Self::ROTATION
        .union(Self::POST_ROTATION)
        .union(Self::COMPOSITE_ROTATION)
        .union(Self::COMPOSITE_SCALE);
    /// What the bundle writes and a later stage, or the findings, have to look at.
    pub const NEWS: Self =
        Self::DERIVED_INPUTS.union(Self::PARENT_SCALE_INVERSE).union(Self::LOCAL_TO_WORLD);
    /// The components that hold the hierarchy.
    pub const RELATIONS: Self = Self(Self::PARENT.0 | Self::PREVIOUS_PARENT.0 | Self::CHILDREN.0);
    /// The components that an entity needs to be the child of another.
    pub const LINK: Self = Self(Self::PARENT.0 | Self::LOCAL_TO_PARENT.0 | Self::LOCAL_TO_WORLD.0);

    pub const fn has(self, all: Self) -> bool {
        self.0 & all.0 == all.0
    }

    pub const fn has_any(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Its components in order, each as a set of one: of `0b101`, `0b001` and `0b100`.
    pub fn iter(self) -> impl Iterator<Item = Self> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let lowest = left & left.wrapping_neg();
            left ^= lowest;
            (lowest != 0).then_some(Self(lowest))
        })
    }

    /// Legion's ids of the components.
    pub fn ids(self) -> impl Iterator<Item = ComponentTypeId> {
        self.iter().map(|component| IDS[component.index()]())
    }

    /// Adds the components to a layout.
    pub fn register(self, layout: &mut EntityLayout) {
        self.iter().for_each(|component| REGISTER[component.index()](layout));
    }

    /// The set of the component with an id, if it is one of the crate's.
    #[inline]
    pub fn of_component(id: ComponentTypeId) -> Option<Self> {
        BUCKETS[bucket(&BUCKETS, id)].map(|(_, bit)| bit)
    }

    /// All components before the only one of this set: of `0b100`, `0b011`.
    pub const fn below(self) -> Self {
        Self(self.0 - 1)
    }

    /// The name of the only component in the set.
    pub const fn name(self) -> &'static str {
        NAMES[self.index()]
    }

    /// The number of the only component in the set: of `0b100`, 2.
    pub const fn index(self) -> usize {
        self.0.trailing_zeros() as usize
    }
}

impl BitOr for Mask {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Mask {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for Mask {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// The number inside one of Legion's ids. Legion shows it to hashers only, so this is a hasher that
/// keeps the number.
pub(crate) fn captured<T: Hash>(id: &T) -> u64 {
    struct Capture(u64);
    impl Hasher for Capture {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, _: &[u8]) {
            unreachable!("ids hash as one integer");
        }
        fn write_u64(&mut self, id: u64) {
            self.0 = id;
        }
        fn write_usize(&mut self, id: usize) {
            self.0 = id as u64;
        }
    }
    let mut capture = Capture(0);
    id.hash(&mut capture);
    capture.finish()
}

const _: () = assert!(
    size_of::<Entity>() == size_of::<NonZeroU64>()
        && align_of::<Entity>() == align_of::<NonZeroU64>()
);

/// The entity with a number: the inverse of [`captured`].
#[allow(unsafe_code)]
pub(crate) fn entity(number: NonZeroU64) -> Entity {
    // SAFETY: Legion's `Entity` is a transparent wrapper of this type, and every number of it
    // stands for an entity, alive or not.
    unsafe { std::mem::transmute::<NonZeroU64, Entity>(number) }
}
