//! Which derived components users have taken over, by layout.

use legion::{
    storage::{Component, ComponentTypeId},
    world::EntryRef,
};

use crate::{components::*, write_group::WriteGroups};

/// Per derived component, the user's components that stop the bundle from writing it. Empty without registrations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overrides {
    members: Vec<(ComponentTypeId, Vec<ComponentTypeId>)>,
}

impl Overrides {
    pub fn new(groups: &WriteGroups) -> Self {
        let mut overrides = Self::default();
        macro_rules! targets {
            ($($target:ty: $($read:ty),*;)*) => {$(
                let reads = [$(ComponentTypeId::of::<$read>()),*];
                let target = ComponentTypeId::of::<$target>();
                let members = groups.outside(target, &reads);
                if !members.is_empty() {
                    overrides.members.push((target, members));
                }
            )*};
        }
        // What the bundle's own systems read to write each: the built-in members of its group.
        targets! {
            LocalToWorld: Translation, Rotation, Scale, NonUniformScale, CompositeRotation, CompositeScale, LocalToParent, Parent;
            LocalToParent: Translation, Rotation, Scale, NonUniformScale, CompositeRotation, CompositeScale, ParentScaleInverse;
            Rotation: RotationEulerXYZ, RotationEulerXZY, RotationEulerYXZ, RotationEulerYZX, RotationEulerZXY, RotationEulerZYX;
            PostRotation: PostRotationEulerXYZ, PostRotationEulerXZY, PostRotationEulerYXZ, PostRotationEulerYZX,
                PostRotationEulerZXY, PostRotationEulerZYX;
            CompositeRotation: Rotation, PostRotation, RotationPivot, RotationPivotTranslation;
            CompositeScale: Scale, NonUniformScale, ScalePivot, ScalePivotTranslation, Shear;
            ParentScaleInverse: Scale, NonUniformScale, CompositeScale, Children;
        }
        overrides
    }

    /// Whether somebody else writes `T` on this entity.
    pub fn has<T: Component>(&self, entry: &EntryRef<'_>) -> bool {
        if self.members.is_empty() {
            return false;
        }
        let target = ComponentTypeId::of::<T>();
        let layout = entry.archetype().layout().component_types();
        self.members.iter().any(|(id, members)| *id == target && members.iter().any(|member| layout.contains(member)))
    }
}
