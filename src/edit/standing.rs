//! Where an entity stands before an edit.

use legion::Entity;
use nalgebra::{Matrix4, Vector3};

use super::{
    EditError,
    apply::{Change, LocalChange},
    error::{OWN, RESULT, Result, finite},
    parts::Parts,
};
use crate::{
    engine::{FreshRow, LocalInputs, Mask, WayUp, rules},
    math::{
        Base, NEAR, ROUNDING, Target, compose::is_affine, linear_part, origin, times, vanishes,
    },
};

/// An entity, its ancestors, and which matrix places it in the world.
pub(super) struct Standing<'q, 'a> {
    pub node: FreshRow<'q, 'a>,
    /// The parent that its local matrix leads to. A root has none, nor one that is held.
    pub parent: Option<FreshRow<'q, 'a>>,
    /// Whether the bundle does not write its `LocalToWorld`, which places it.
    pub is_own: bool,
    /// Whether its `LocalToParent` places it, and not its `LocalToWorld`.
    pub is_local: bool,
}

impl<'q, 'a> Standing<'q, 'a> {
    /// Where the first of a whole path stands.
    pub fn on(path: &WayUp<'q, 'a>) -> Self {
        let node = path.nodes[0];
        let is_own = path.is_world_overridden(0) || node.archetype.meaning.is_orphan();
        let parent = path.parent().filter(|_| !is_own);
        let is_local = parent.is_some() || path.is_held && !is_own;
        let is_root = path.nodes.len() == 1 && !path.is_held;
        let node = if is_root { node.unlinked() } else { node };
        Self { node, parent, is_own, is_local }
    }

    /// Whether a stored matrix places the entity: it has no inputs, or a user's component has taken
    /// over its matrix.
    pub fn is_stored(&self, inputs: &LocalInputs) -> bool {
        let is_overridden = self.is_local && self.node.is_overridden(Mask::LOCAL_TO_PARENT);
        self.is_own || is_overridden || inputs.is_empty()
    }

    /// The error where what its local matrix leads to has no inverse.
    pub fn flat(&self, base: &Base) -> EditError {
        let entity = self.node.entity;
        if !base.is_finite {
            return EditError::NotFinite { entity, what: "the world matrix of its parent" };
        }
        let parent = self.parent.map_or(entity, |parent| parent.entity);
        EditError::ParentNotInvertible { entity, parent }
    }

    /// Refuses inputs that do not put the entity where the edit was to put it.
    #[inline]
    pub fn reaches(&self, base: &Base, to: &LocalInputs, asked: &Vector3<f64>) -> Result<()> {
        match to.composed() {
            Some(matrix) => self.near(base, &matrix, asked),
            None => self.near_at(base, &to.translation.unwrap_or_default(), asked),
        }
    }

    /// The same of a local matrix. Projections have no place.
    fn near(&self, base: &Base, local: &Matrix4<f32>, asked: &Vector3<f64>) -> Result<()> {
        let at = local.fixed_view::<3, 1>(0, 3).into();
        if is_affine(local) { self.near_at(base, &at, asked) } else { Ok(()) }
    }

    #[inline]
    fn near_at(&self, base: &Base, local: &Vector3<f32>, asked: &Vector3<f64>) -> Result<()> {
        let off = (base.place(local) - asked).norm_squared();
        if off <= NEAR * NEAR || !base.is_affine {
            return Ok(());
        }
        Err(match vanishes(&linear_part(&base.matrix), &local.cast()) {
            true => self.flat(base),
            false => EditError::TooFar { entity: self.node.entity, off: off.sqrt() },
        })
    }

    /// The change that stores a matrix, in this place.
    pub fn stored(
        &self,
        matrix: Matrix4<f32>,
        strip: bool,
        (base, place): (&Base, &Vector3<f64>),
    ) -> Result<LocalChange> {
        finite(self.node.entity, RESULT, [matrix.as_slice()])?;
        self.near(base, &matrix, place)?;
        Ok(LocalChange::Matrix { matrix, is_local: self.is_local, strip })
    }
}

/// Where an entity stands, and its local matrix of now.
pub(super) struct Here<'q, 'a> {
    pub standing: Standing<'q, 'a>,
    /// The frame in whose space the edit works. `None`: in the world, relative to the origin.
    pub frame: Option<Entity>,
    /// What the local matrix leads to, in that space.
    pub base: Base,
    pub local: Matrix4<f32>,
}

impl Here<'_, '_> {
    /// Where it is, in the space of the edit.
    #[inline]
    pub fn place(&self) -> Vector3<f64> {
        self.base.place(&self.local.fixed_view::<3, 1>(0, 3).into())
    }

    /// What is local here, in a space of the world or of a frame, and at a place there, as the
    /// target of one that stands below a base. It is filled: as if sizes of 0 were 1, so that each
    /// axis has a direction.
    pub fn target<'b>(
        &self,
        inputs: &LocalInputs,
        (space, place): (&Matrix4<f64>, Vector3<f64>),
        (standing, base): (&Standing<'_, '_>, &'b Base),
    ) -> Result<Target<'b>> {
        finite(standing.node.entity, OWN, [self.local.as_slice()])?;
        let parts = if self.standing.is_stored(inputs) { None } else { Parts::of(inputs) };
        let mut local = self.local.cast::<f64>();
        let (mut from, mut made) = (linear_part(space), linear_part(&local));
        if let Some(Parts { psi, own, .. }) = &parts {
            made = own.product();
            local.fixed_view_mut::<3, 3>(0, 0).copy_from(&psi.map_or(made, |psi| psi * made));
            from = psi.map_or(from, |psi| from * psi);
        }
        let local = base.below(&times(space, &local)).ok_or_else(|| standing.flat(base))?;
        let zeros = parts.map(|parts| parts.zeros);
        Ok(Target::new(base, local, place, zeros).made_of(&from, &made))
    }

    /// The change that moves the entity by a step of the space of the edit to a place there, and
    /// does nothing else. Below a flat parent there is none for steps that lead out of its plane. A
    /// step that is at most `least` of the numbers of the place is none.
    pub fn step(
        &self,
        mut change: Change,
        (by, to): (&Vector3<f64>, &Vector3<f64>),
        least: f64,
    ) -> Result<LocalChange> {
        let Here { standing, base, local, .. } = self;
        let least = base.rounding(&origin(&local.cast()), least);
        let step = base.step(by, least + ROUNDING * by.amax());
        let step = step.ok_or_else(|| standing.flat(base))?;
        if standing.is_stored(&change.0) {
            let moved = Matrix4::new_translation(&step) * local.cast::<f64>();
            return standing.stored(moved.map(|x| x as f32), false, (base, to));
        }
        let old = change.0.translation;
        if by.amax() > if old.is_some() { least } else { 4.0 * least } {
            let moved: Vector3<f32> = (old.unwrap_or_default().cast() + step).cast();
            finite(standing.node.entity, RESULT, [moved.as_slice()])?;
            change.1.translation = Some(moved);
        }
        standing.reaches(base, &change.1, to)?;
        Ok(LocalChange::Inputs(change))
    }
}

/// Whether the `ParentScaleInverse` of the first of a path is computed from its parent.
pub(super) fn cancels(path: &WayUp<'_, '_>) -> bool {
    path.parent().is_some_and(|parent| derives_inverse(path.nodes[0]) && has_scale(parent))
}

/// Whether the entity has a `ParentScaleInverse` that the bundle may write.
pub(super) fn derives_inverse(node: FreshRow<'_, '_>) -> bool {
    node.has(Mask::PARENT_SCALE_INVERSE) && !node.is_overridden(Mask::PARENT_SCALE_INVERSE)
}

/// Whether the entity has a scale.
pub(super) fn has_scale(node: FreshRow<'_, '_>) -> bool {
    rules::first(node.archetype.meaning.mask, rules::SCALINGS) != Mask::NONE
}
