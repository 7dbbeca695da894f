//! Puts a [`PivotTransform`] into a world. Everything here is `#[inline]`, so that only crates that
//! use it compile it: it contains Legion's code for some 20 columns.

use legion::{Entity, World, world::Entry};
use nalgebra::{UnitQuaternion, Vector3};

use super::{Detail, PivotTransform};
use crate::components::*;

/// Removes components from an entity.
macro_rules! remove_all {
    ($entry:ident, $($component:ty),* $(,)?) => { $($entry.remove_component::<$component>();)* };
}

/// Adds the Euler component for an order, chosen at run time.
macro_rules! add_euler {
    ($entry:ident, $order:expr, $angles:expr, [$($variant:ident => $component:ident),* $(,)?]) => {
        match $order { $(EulerOrder::$variant => $entry.add_component($component($angles)),)* }
    };
}

impl PivotTransform {
    /// A new entity with this transform: a root, or with a link to `parent`.
    ///
    /// A root's `LocalToWorld`, or a child's `LocalToParent`, is right from the start. A child's
    /// `LocalToWorld` comes with the bundle's next run, and so does the inverse of the parent's
    /// scale where [`parent_scale_inverse`](Self::parent_scale_inverse) is set. A `parent` that is
    /// dead or has no `LocalToWorld` is repaired then, and reported as a finding.
    #[inline]
    pub fn spawn(&self, world: &mut World, parent: Option<Entity>, detail: Detail) -> Entity {
        let local = self.local_matrix();
        let translation = Translation::from(self.translation);
        let entity = match parent {
            Some(parent) => world.push((
                LocalToWorld::default(),
                LocalToParent(local),
                Parent(parent),
                PreviousParent::default(),
                translation,
            )),
            None => world.push((LocalToWorld(local), translation)),
        };
        if let Some(mut entry) = world.entry(entity) {
            self.insert(&mut entry, detail);
        }
        entity
    }

    /// Makes this the transform of the entity. Transform components that are no part of it are
    /// removed. The links (`Parent`, `LocalToParent`) stay, and `LocalToWorld` is added if it is
    /// missing.
    ///
    /// Legion moves an entity for each component added or removed, so prefer
    /// [`components`](Self::components) for thousands at once.
    #[inline]
    pub fn insert(&self, entry: &mut Entry<'_>, detail: Detail) {
        if !entry.archetype().layout().has_component::<LocalToWorld>() {
            entry.add_component(LocalToWorld(self.local_matrix()));
        }
        entry.add_component(Translation::from(self.translation));
        if self.parent_scale_inverse {
            entry.add_component(ParentScaleInverse::default());
        } else {
            entry.remove_component::<ParentScaleInverse>();
        }
        self.insert_rotation(entry, detail);
        self.insert_scale(entry, detail);
    }

    #[inline]
    fn insert_rotation(&self, entry: &mut Entry<'_>, detail: Detail) {
        let full = detail == Detail::Full;
        let identity = UnitQuaternion::identity();
        let zero = Vector3::zeros();
        let composite = full || self.has_composite_rotation();
        set(entry, Rotation(self.rotation), full || self.rotation != identity);
        set(entry, CompositeRotation::default(), composite);
        set(entry, PostRotation(self.post_rotation), full || self.post_rotation != identity);
        set(
            entry,
            RotationPivot(self.rotation_pivot),
            full || (composite && self.rotation_pivot != zero),
        );
        let translation = self.rotation_pivot_translation;
        set(entry, RotationPivotTranslation(translation), full || translation != zero);
        self.insert_eulers(entry, full);
    }

    #[inline]
    fn insert_eulers(&self, entry: &mut Entry<'_>, full: bool) {
        remove_all!(entry, RotationEulerXYZ, RotationEulerXZY, RotationEulerYXZ);
        remove_all!(entry, RotationEulerYZX, RotationEulerZXY, RotationEulerZYX);
        remove_all!(entry, PostRotationEulerXYZ, PostRotationEulerXZY, PostRotationEulerYXZ);
        remove_all!(entry, PostRotationEulerYZX, PostRotationEulerZXY, PostRotationEulerZYX);
        if let (true, Some((order, angles))) = (full, self.rotation_euler) {
            add_euler!(entry, order, angles, [
                XYZ => RotationEulerXYZ, XZY => RotationEulerXZY, YXZ => RotationEulerYXZ,
                YZX => RotationEulerYZX, ZXY => RotationEulerZXY, ZYX => RotationEulerZYX,
            ]);
        }
        if let (true, Some((order, angles))) = (full, self.post_rotation_euler) {
            add_euler!(entry, order, angles, [
                XYZ => PostRotationEulerXYZ, XZY => PostRotationEulerXZY,
                YXZ => PostRotationEulerYXZ, YZX => PostRotationEulerYZX,
                ZXY => PostRotationEulerZXY, ZYX => PostRotationEulerZYX,
            ]);
        }
    }

    #[inline]
    fn insert_scale(&self, entry: &mut Entry<'_>, detail: Detail) {
        let full = detail == Detail::Full;
        let zero = Vector3::zeros();
        let composite = full || self.has_composite_scale();
        let x = self.scale.x;
        let uniform = !full && self.scale == Vector3::repeat(x);
        set(entry, Scale(x), uniform && x != 1.0);
        set(entry, NonUniformScale(self.scale), !uniform);
        set(entry, CompositeScale::default(), composite);
        set(entry, Shear(self.shear), full || self.shear != zero);
        set(entry, ScalePivot(self.scale_pivot), full || (composite && self.scale_pivot != zero));
        let translation = self.scale_pivot_translation;
        set(entry, ScalePivotTranslation(translation), full || translation != zero);
    }
}

/// Adds or removes the component.
fn set<T: legion::storage::Component>(entry: &mut Entry<'_>, component: T, wanted: bool) {
    if wanted {
        entry.add_component(component);
    } else {
        entry.remove_component::<T>();
    }
}
