//! An entity's local matrix as its parts, and each part written into the component that holds it.
//! The linear part of every local matrix is `PSI R K H S`:
//!
//! ```text
//!  PSI   ParentScaleInverse, the parent's
//!  R     Rotation, or its Euler angles                  written by set_turn
//!  K     PostRotation
//!  H     Shear                                          shear
//!  S     Scale or NonUniformScale                       set_sizes
//! ```
//!
//! A user's `CompositeRotation` or `CompositeScale` is part of `K`. It is multiplied by `R` from
//! the left, or by `H S` from the right, when these are written.

use nalgebra::{Matrix4, Rotation3, UnitQuaternion, Vector3};

use crate::{
    engine::LocalInputs,
    math::{
        Axes, Factors, Linear, ROUNDING, angles, compose::is_affine, decompose::linear, filled,
        sheared, shown, turning, without_zeros,
    },
};

/// Angles that turn by so much more or less than the turn given are rounded, as of many turns.
const COARSE: f64 = 1e-6;

/// The greatest shear for which a place is added: axes that are 7 degrees apart.
const MOST_SHEAR: f64 = 8.0;

/// What was written, or the component that may not be: a user's component writes it.
pub(super) type Written<T> = Result<T, &'static str>;

/// The factors in `f64`, *filled*: sizes of 0 are 1, so that every axis has a direction.
pub(super) struct Parts {
    /// `PSI`, if there is one.
    pub psi: Option<Linear>,
    /// `R K H S`
    pub own: Factors,
    /// The axes whose size is 0.
    pub zeros: Axes,
    /// The user's matrices, the second one filled.
    by_user: [Option<Linear>; 2],
}

impl Parts {
    /// `None` if a matrix that the user wrote projects.
    pub fn of(inputs: &LocalInputs) -> Option<Self> {
        let (one, ones) = (Linear::identity(), Vector3::repeat(1.0));
        let (rotation, scale) = (&inputs.rotation, &inputs.scale);
        let turns = rotation.composite.filter(|_| !rotation.derives_composite());
        let scales = scale.composite.filter(|_| !scale.derives_composite());
        let psi = inputs.parent_scale_inverse;
        if [turns, scales, psi].iter().flatten().any(|matrix| !is_affine(matrix)) {
            return None;
        }
        let turns = turns.map(|matrix| linear(&matrix));
        let post = rotation.composite.and(rotation.post_rotation).map(|post| turning(&post));
        let rotated = rotation.rotation.filter(|_| turns.is_none());
        let axes = scale.along_axes().map_or(ones, |axes| axes.cast());
        let scales = scales.map(|matrix| filled(&linear(&matrix), Linear::identity));
        let sizes = scales.map_or(axes, |(_, zeros)| shown(&ones, &zeros));
        let scales = scales.map(|(matrix, _)| matrix);
        let shear = scale.composite.and(scale.shear).filter(|_| scales.is_none());
        let (sizes, zeros) = without_zeros(&sizes);
        let turn = rotated.map_or(one, |turn| turning(&turn));
        let between = match (turns.or(post), scales) {
            (Some(turns), Some(scales)) => Some(turns * scales),
            (turns, scales) => turns.or(scales),
        };
        let shear = shear.map_or_else(Vector3::zeros, |shear| shear.cast());
        let own = Factors { turn, between, shear, sizes };
        let psi = psi.map(|psi| linear(&psi));
        Some(Self { psi, own, zeros, by_user: [turns, scales] })
    }

    /// Whether the scale is one number, or there is none yet.
    pub fn is_one_number(&self, inputs: &LocalInputs) -> bool {
        let is_there = inputs.scale.uniform.is_some();
        is_there || inputs.scale.axes.is_none() && self.by_user[1].is_none()
    }

    /// Writes a turn, and returns it as it is written. One that is off by `slack` at most stays as
    /// it is, bit for bit.
    ///
    /// Angles come as the triple nearest to the old one. Where they are coarse, the turn that was
    /// given is returned: their rounding is no shear. Quaternions `q` and `-q` are the same turn:
    /// of the two, the one on the side of the old quaternion is written.
    pub fn set_turn(&self, to: &mut LocalInputs, turn: &Linear, slack: f64) -> Written<Linear> {
        let slot = &mut to.rotation;
        if (turn - self.own.turn).amax() <= slack {
            return Ok(self.own.turn);
        }
        if slot.composite.is_some() && slot.composite_overridden {
            return Err("CompositeRotation");
        }
        if let (Some(matrix), Some(old)) = (&mut slot.composite, &self.by_user[0]) {
            matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&(turn * old).cast());
            return Ok(*turn);
        }
        if slot.rotation_overridden {
            return Err("Rotation");
        }
        let written = if let Some(order) = slot.euler {
            let angles = angles(order, turn, &slot.angles.unwrap_or_default());
            slot.angles = Some(angles);
            order.rotation(&angles)
        } else {
            let turn = Rotation3::from_matrix_unchecked(*turn);
            let turn = UnitQuaternion::from_rotation_matrix(&turn).into_inner().cast();
            let is_other_side = slot.rotation.is_some_and(|old| old.dot(&turn) < 0.0);
            UnitQuaternion::new_unchecked(if is_other_side { -turn } else { turn })
        };
        slot.rotation = Some(written);
        let made = turning(&written);
        let is_coarse = slot.euler.is_some() && (made - turn).amax() > COARSE;
        Ok(if is_coarse { *turn } else { made })
    }

    /// Sizes as they would be written. One that is off by `slack` of it at most, or by a few
    /// digits of `f32`, stays as it is.
    pub fn rounded(&self, to: &LocalInputs, sizes: &Vector3<f64>, slack: f64) -> Vector3<f64> {
        let slack = slack.max(4.0 * f64::from(f32::EPSILON));
        let is_near = |a: f64, b: f64| (a - b).abs() <= ROUNDING * b.abs();
        // A mirrored one, too: `-1` is not -0.99999997.
        let is_kept = |new: f64, old: f64| (new.abs() - old.abs()).abs() <= slack * old.abs();
        let kept = |new: f64, old: f64| match is_kept(new, old) {
            true => old.abs().copysign(new),
            false => f64::from(new as f32),
        };
        let mut sizes = sizes.zip_map(&self.own.sizes, kept);
        if self.is_one_number(to) && is_near(sizes.y, sizes.x) && is_near(sizes.z, sizes.x) {
            sizes.fill(f64::from(sizes.mean() as f32));
        }
        sizes
    }

    /// Writes sizes, and 0 for those axes that are `zeros`.
    pub fn set_sizes(
        &self,
        to: &mut LocalInputs,
        sizes: &Vector3<f64>,
        zeros: &Axes,
    ) -> Written<()> {
        if *sizes == self.own.sizes && *zeros == self.zeros {
            return Ok(());
        }
        if to.scale.composite_overridden {
            return Err("CompositeScale");
        }
        if !self.write_scale(to, &Vector3::zeros(), &shown(sizes, zeros)) {
            set_axes(to, &shown(sizes, zeros).cast());
        }
        Ok(())
    }

    /// Writes a shear, where the entity has a place for it, or `adds` one: `CompositeScale` and
    /// `Shear`. None is added where ignored pivots would get one by that, nor for so much shear
    /// that `f32` has too few digits for it. Returns whether there is a place.
    ///
    /// A component holds `f32`. In a matrix that the user wrote, the shear is a factor alone, and
    /// so is not rounded: columns of hundreds may cancel there, and leave 1.
    pub fn shear(&self, to: &mut LocalInputs, new: &mut Factors, zeros: &Axes, adds: bool) -> bool {
        if to.scale.composite_overridden {
            return false;
        }
        let slot = &mut to.scale;
        let is_there = slot.composite.is_some() && slot.shear.is_some();
        let is_free = slot.composite.is_some() || slot.pivot.or(slot.pivot_translation).is_none();
        let has_place = is_there || adds && is_free && new.shear.amax() <= MOST_SHEAR;
        if self.by_user[1].is_none() && has_place {
            slot.composite.get_or_insert_with(Matrix4::identity);
            slot.shear = Some(new.shear.cast());
            new.shear = new.shear.cast::<f32>().cast();
            return true;
        }
        self.write_scale(to, &new.shear, &shown(&new.sizes, zeros))
    }

    /// Writes `H S` into a `CompositeScale` that the user wrote. Returns whether there is one.
    fn write_scale(&self, to: &mut LocalInputs, h: &Vector3<f64>, s: &Vector3<f64>) -> bool {
        let written = to.scale.composite.as_mut().zip(self.by_user[1]).map(|(matrix, old)| {
            let linear = old * sheared(h) * Linear::from_diagonal(s);
            matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&linear.cast());
        });
        written.is_some()
    }
}

/// Writes a scale along the axes into the component that counts. `Scale` holds one number, so
/// `NonUniformScale` takes its place where the sizes differ. Where there is neither, the one that
/// is needed comes, or none for (1, 1, 1).
pub(super) fn set_axes(to: &mut LocalInputs, sizes: &Vector3<f32>) {
    let slot = &mut to.scale;
    let is_one_number = slot.uniform.is_some() || slot.axes.is_none();
    if !is_one_number || sizes.x != sizes.y || sizes.x != sizes.z {
        (slot.axes, slot.uniform) = (Some(*sizes), None);
    } else if slot.uniform.is_some() || sizes.x != 1.0 {
        slot.uniform = Some(sizes.x);
    }
}
