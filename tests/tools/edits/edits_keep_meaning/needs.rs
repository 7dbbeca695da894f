//! What an edit leaves alone: components, signs of sizes, and turns, where it need not change them.

use legion_transform_testing::{Kind, Numbers, groups, kind, snapshot::Row};

use super::{
    case::{Case, Edit},
    judge::{M, Pose, linear},
};

impl Case {
    /// What a component was, would it do?
    pub fn nothing_changes_without_need(
        &mut self,
        old: &Row,
        new: &Row,
        now: &Pose,
        story: &dyn Fn() -> String,
    ) {
        let is_given = matches!(self.edit, Edit::SetLocal(_) | Edit::SetLocalMatrix(_));
        let is_exact = matches!(
            self.edit,
            Edit::Translate(_)
                | Edit::Rotate(_)
                | Edit::RotateAround(..)
                | Edit::ScaleAround(..)
                | Edit::LookAt(..)
        );
        let has_angles = kind::ROTATION_EULERS.iter().any(|euler| new.has(*euler));
        for kind in [Kind::Translation, Kind::Rotation, Kind::Scale, Kind::NonUniformScale] {
            if kind == Kind::Rotation && has_angles {
                continue; // made of them
            }
            let (was, is) = (old.get(kind).copied(), new.get(kind).copied());
            let (Some(is), false) = (is, is_given || was == is) else { continue };
            if kind == Kind::NonUniformScale && old.has(Kind::Scale) {
                continue;
            }
            self.write(kind, &was.unwrap_or(kind.identity()));
            let reverted = self.pose();
            self.write(kind, &is);
            let Some(reverted) = reverted else { continue };
            let off = |a: &M, b: &M| {
                let turned = (a - b).fixed_view::<3, 3>(0, 0).amax();
                let size = linear(&now.sizes).amax();
                let moved = (a - b).fixed_view::<3, 1>(0, 3).amax();
                let place = now.sizes.fixed_view::<3, 1>(0, 3).amax();
                // A millimetre is a need, wherever it is.
                let moved = if moved > 1e-3 { 1.0 } else { moved / place.max(1e-30) };
                (turned / size.max(1e-30)).max(moved)
            };
            let off = off(&reverted.seen, &now.seen).max(off(&reverted.meant, &now.meant));
            // What is inherited in part is rounded once more: a scale of 1 may be 1.0000001 below
            // one parent, and 0.9999999 below the other. The edit makes up for that.
            let is_inherited = old.has(Kind::Inherits);
            let digits = |a: &Numbers| {
                let far = a.iter().zip(is.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                far / is.iter().fold(1e-30, |most, x| x.abs().max(most))
            };
            if is_inherited && was.as_ref().is_some_and(|was| digits(was) <= 4.0 * f32::EPSILON) {
                continue;
            }
            let needless = if is_exact || is_inherited { 1e-12 } else { 2e-9 };
            assert!(off > needless, "{kind:?} changed without need: {off:e} {}", story());
        }
        self.sizes_keep_their_signs(old, new, story);
        self.turns_are_near(old, new, story);
    }

    /// Whether it is scaled by 0.
    pub fn flattens(&self) -> bool {
        matches!(self.edit, Edit::ScaleAround(_, by) if by.iter().any(|factor| *factor == 0.0))
    }

    fn write(&mut self, kind: Kind, numbers: &Numbers) {
        kind.set(&mut self.test.world.entry(self.entity).unwrap(), numbers);
    }

    fn sizes_keep_their_signs(&self, old: &Row, new: &Row, story: &dyn Fn() -> String) {
        let sizes = |row: &Row| match row.get(Kind::Scale) {
            Some(scale) => Some([scale[0]; 3]),
            None => row.get(Kind::NonUniformScale).map(|axes| [axes[0], axes[1], axes[2]]),
        };
        let (was, is) = (sizes(old).unwrap_or([1.0; 3]), sizes(new).unwrap_or([1.0; 3]));
        let is_given =
            matches!(self.edit, Edit::SetLocal(_) | Edit::SetLocalMatrix(_) | Edit::SetWorld(..));
        let zeros = |sizes: [f32; 3]| sizes.map(|size| size == 0.0);
        // Before, it was a matrix that shows zeros, or one of its own; or the parent's scale was
        // cancelled by zeros.
        let is_own = self.has_own() || !old.has_any(&groups::LOCAL);
        let is_flat = old
            .get(Kind::ParentScaleInverse)
            .is_some_and(|psi| psi.chunks(4).take(3).any(|axis| axis[..3] == [0.0; 3]));
        let may_differ = is_given || is_own || is_flat || self.flattens();
        assert!(may_differ || zeros(was) == zeros(is), "other zeros {}", story());
        if let Edit::SetLocal(transform) = self.edit
            && !is_own
            && !new.has(Kind::CompositeRotation)
            && !new.has(Kind::CompositeScale)
            && !new.has(Kind::ParentScaleInverse)
            && is != [1.0; 3]
            && !new.has(Kind::LocalToParent)
        {
            assert_eq!(is, <[f32; 3]>::from(transform.scale), "as given {}", story());
        }
        let flips = was.iter().zip(is).filter(|(was, is)| **was * is < 0.0).count();
        assert!(flips != 2 || is_given, "half a turn by sizes {}", story());
    }

    fn turns_are_near(&self, old: &Row, new: &Row, story: &dyn Fn() -> String) {
        let is_given = matches!(self.edit, Edit::SetLocal(_));
        if let (Some(was), Some(is)) = (old.get(Kind::Rotation), new.get(Kind::Rotation)) {
            let side: f32 = was.iter().zip(is).map(|(a, b)| a * b).sum();
            let has_angles = kind::ROTATION_EULERS.iter().any(|euler| new.has(*euler));
            assert!(is_given || has_angles || side >= -1e-6, "the other side {}", story());
        }
        for euler in kind::ROTATION_EULERS {
            let (Some(was), Some(is)) = (old.get(euler), new.get(euler)) else { continue };
            let apart = |is: [f32; 3]| (0..3).map(|i| (is[i] - was[i]).powi(2)).sum::<f32>().sqrt();
            let middle = match euler {
                Kind::RotationEulerXYZ | Kind::RotationEulerZYX => 1,
                Kind::RotationEulerXZY | Kind::RotationEulerYZX => 2,
                _ => 0,
            };
            let pi = std::f32::consts::PI;
            let one = [is[0], is[1], is[2]];
            let mut other = one.map(|angle| angle + pi);
            other[middle] = pi - one[middle];
            let near = |a: f32, b: f32| a + 2.0 * pi * ((b - a) / (2.0 * pi)).round();
            let best = [one, other].map(|it| apart(std::array::from_fn(|i| near(it[i], was[i]))));
            let least = best[0].min(best[1]);
            assert!(apart(one) <= least + 1e-3, "{euler:?}: a nearer triple {}", story());
        }
    }
}
