//! Whether an edit that was refused had to be.

use legion::Entity;
use legion_transform::{edit::EditError, math::decompose::DecomposeError, prelude::*};
use legion_transform_testing::{Kind, Reference, Snapshot};
use nalgebra::{Matrix3, Vector3};

use super::{
    case::{Case, Edit},
    judge::{M, Pose, linear},
};
use crate::random_worlds::setup;

impl Case {
    pub fn error_is_true(
        &self,
        error: &EditError,
        before: &Pose,
        old: &Snapshot,
        parents: [Option<Entity>; 2],
        story: &dyn Fn() -> String,
    ) {
        let row = old.get(self.entity).unwrap();
        let reference = Reference::with(&self.test.world, setup());
        let is_plain = !row.has_any(&[
            Kind::CompositeRotation,
            Kind::CompositeScale,
            Kind::ParentScaleInverse,
        ]);
        match *error {
            EditError::ParentNotInvertible { parent, .. } => {
                assert!(parents.contains(&Some(parent)), "{}", story());
                let world = reference.world(parent).unwrap();
                if world.magnitude.amax() > 1e30 {
                    return;
                }
                let (linear, terms) = (linear(&world.value), linear(&world.magnitude));
                // An axis that is 0 but for rounding has no length.
                let length = |i| linear.column(i).norm().max(1e-6 * terms.column(i).norm());
                let columns = (0..3).map(length).product::<f64>();
                let is_flat = columns == 0.0 || linear.determinant().abs() / columns < 1e-5;
                let sizes = linear.singular_values();
                assert!(is_flat, "{parent:?} is not flat: {sizes} {}", story());
            }
            EditError::NoTransform { reason, .. } => {
                self.cannot_be_made(reason, before, &reference, is_plain, story);
            }
            EditError::TooFar { off, .. } => {
                // Only where numbers are so great that `f32` has no steps of a hundredth.
                let terms = self.terms(before, &reference).amax();
                assert!(off > 0.01 && off < 1e-6 * terms, "{terms:e} {}", story());
            }
            EditError::Framed(entity) => {
                assert!(entity == self.entity && self.is_framed(), "{}", story());
            }
            EditError::Scaled { entity, frame } => {
                // Another child of the frame may be the one.
                let axes = linear(&before.seen);
                let off = (axes.transpose() * axes - Matrix3::identity()).amax();
                let is_other = entity != self.entity && self.edit == Edit::DetachChildren;
                let is_rigid = off < 1e-6 && axes.determinant() > 0.0;
                assert!(is_other || !is_rigid, "{}", story());
                assert!(self.frames.contains(&frame), "{}", story());
            }
            EditError::Overridden { component, .. } => {
                let is_own =
                    matches!(component, "Rotation" | "CompositeRotation" | "CompositeScale");
                assert!(is_own, "{}", story());
            }
            _ => panic!("{error} {}", story()),
        }
    }
}

impl Case {
    /// Shear is refused where there is some, and matrices are not asked for.
    fn cannot_be_made(
        &self,
        reason: DecomposeError,
        before: &Pose,
        reference: &Reference,
        is_plain: bool,
        story: &dyn Fn() -> String,
    ) {
        if reason == DecomposeError::Singular {
            assert!(!is_plain || self.flattens(), "what is singular? {}", story());
            return;
        }
        let is_shear = matches!(reason, DecomposeError::Sheared(_));
        assert!(is_shear && self.on_shear == OnShear::Fail, "{reason:?} {}", story());
        let new = reference.world(self.new).expect("it has a matrix");
        let new = match self.edit {
            Edit::SetParent | Edit::InsertChild if new.magnitude.amax() < 1e30 => {
                linear(&new.value)
            }
            Edit::RemoveParent | Edit::DetachChildren => Matrix3::identity(),
            _ => return,
        };
        let local = new.try_inverse().unwrap_or_default() * linear(&before.meant);
        let axes = [0, 1, 2].map(|i| local.column(i).normalize());
        let cosines = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| axes[i].dot(&axes[j]).abs());
        // Below a parent of size 0 it is not a number.
        let is_sheared = cosines.iter().any(|shear| shear.is_nan() || *shear > 1e-6);
        let may_be = !is_plain || self.test.has::<Inherits>(self.entity) || is_sheared;
        assert!(may_be, "sheared by {cosines:?} alone {}", story());
    }

    /// The numbers that make its place, before the edit or after.
    fn terms(&self, before: &Pose, reference: &Reference) -> Vector3<f64> {
        let place = |matrix: &M| matrix.fixed_view::<3, 1>(0, 3).abs();
        let mut to = place(&before.seen);
        match self.edit {
            Edit::SetWorld(pose, _) => to = to.sup(&pose.translation.cast().abs()),
            Edit::SetLocal(pose) | Edit::SetLocalMatrix(pose) => {
                to = to.sup(&pose.translation.cast().abs());
            }
            Edit::Translate(by) => to += by.cast::<f64>().abs(),
            Edit::RotateAround(point, _) => {
                to = to.add_scalar(to.norm() + 2.0 * point.coords.cast::<f64>().norm());
            }
            Edit::ScaleAround(point, by) => {
                let all = to.norm() + point.coords.cast::<f64>().norm();
                to = to.add_scalar((1.0 + by.cast::<f64>().amax()) * all);
            }
            _ => {}
        }
        let mut terms = place(&before.sizes) + place(&before.local_sizes) + to;
        for parent in [self.old, Some(self.new)].into_iter().flatten() {
            let world = reference.world(parent).expect("it has a matrix");
            let (axes, at) = (linear(&world.value), place(&world.magnitude));
            let back = axes.try_inverse().unwrap_or_else(Matrix3::zeros);
            terms += axes.abs() * (back.abs() * (to + at)) + at;
        }
        terms
    }
}
