//! `CompositeRotationSystem` and `CompositeScaleSystem`: the composites from pivots, rotations,
//! scales and shear.
//!
//! ```text
//!  CompositeRotation = T(pivot translation) T(pivot) R(rotation) R(post rotation) T(-pivot)
//!  CompositeScale    = T(pivot translation) T(pivot) shear S(scale) T(-pivot)
//! ```
//!
//! A point in the pivot stays there. With a scale of 3 around the pivot (1, 0, 0), point 1 on the x
//! axis is scaled to `1 + 3 * (1 - 1) = 1`, and point 2 to `1 + 3 * (2 - 1) = 4`. Columns that an
//! archetype lacks are empty slices, and stand for the identity.

use nalgebra::Matrix4;

use super::{rows::Rows, work::Work};
use crate::{
    components::*,
    engine::{
        machine::Machine,
        rules,
        simd::{Formula, Simd},
        storage::{Columns, Mask, inner, inner_mut},
    },
    math::{InRegisters, compose, from_columns},
};

/// Writes `CompositeRotation` where it differs, in rows that are due. The archetype has it and at
/// least one of its inputs. Returns whether anything was written.
pub(super) fn rotation(columns: &mut Columns<'_>, work: &Work, machine: &Machine) -> bool {
    let (composite, beside) = columns.write_beside::<CompositeRotation>(work.index);
    let formula = Rotations {
        rotation: beside.read(),
        post_rotation: beside.read(),
        pivot: beside.read(),
        pivot_translation: beside.read(),
    };
    compose(formula, inner_mut(composite), work, machine)
}

/// Writes `CompositeScale` where it differs, in rows that are due. The archetype has it and at
/// least one of its inputs. Returns whether anything was written.
pub(super) fn scale(columns: &mut Columns<'_>, work: &Work, machine: &Machine) -> bool {
    let (composite, beside) = columns.write_beside::<CompositeScale>(work.index);
    let formula = Scales {
        axes: rules::first(work.mask, rules::AXES),
        scale: beside.read(),
        non_uniform_scale: beside.read(),
        shear: inner::<Shear>(beside.read()),
        pivot: inner::<ScalePivot>(beside.read()),
        pivot_translation: inner::<ScalePivotTranslation>(beside.read()),
    };
    compose(formula, inner_mut(composite), work, machine)
}

fn compose(
    formula: impl Formula,
    matrices: &mut [Matrix4<f32>],
    work: &Work,
    machine: &Machine,
) -> bool {
    let (mut marks, matrices) = (work.marks.clone(), &mut matrices[work.covered()]);
    let mut rows =
        Rows { isa: machine.isa, formula, first: work.first, matrices, marks: &mut marks };
    rows.compose_due(work.is_whole, machine.threads.paying(work.due()));
    marks.iter().any(|word| *word != 0)
}

/// The inputs of `CompositeRotation`, as long as the archetype, or empty.
#[derive(Clone, Copy)]
struct Rotations<'a> {
    rotation: &'a [Rotation],
    post_rotation: &'a [PostRotation],
    pivot: &'a [RotationPivot],
    pivot_translation: &'a [RotationPivotTranslation],
}

impl Formula for Rotations<'_> {
    fn one(&self, row: usize) -> Matrix4<f32> {
        compose::composite_rotation(
            self.pivot_translation.get(row).map(|it| &it.0),
            self.pivot.get(row).map(|it| &it.0),
            self.rotation.get(row).map(|it| &it.0),
            self.post_rotation.get(row).map(|it| &it.0),
        )
    }

    #[inline(always)]
    fn four<S: Simd>(&self, simd: S, row: usize) -> [S::Matrix; 4] {
        let products = {
            #[inline(always)]
            |i: usize| (self.rotation[row + i].0 * self.post_rotation[row + i].0).coords.into()
        };
        let turns = match (four(inner(self.rotation), row), four(inner(self.post_rotation), row)) {
            (Some(_), Some(_)) => &[products(0), products(1), products(2), products(3)],
            (turns, post) => turns.or(post).unwrap_or(&[[0.0, 0.0, 0.0, 1.0]; 4]),
        };
        let translations = four(inner(self.pivot_translation), row);
        let pivots = four(inner(self.pivot), row);
        simd.of_columns(compose::composite_rotations(turns, translations, pivots))
    }
}

/// Four rows from one on; none of a column that is not there.
#[inline(always)]
fn four<T>(column: &[T], row: usize) -> Option<&[T; 4]> {
    column.get(row..).and_then(|rows| rows.first_chunk())
}

/// The inputs of `CompositeScale`. With `Scale` and `NonUniformScale` both, `Scale` counts.
#[derive(Clone, Copy)]
struct Scales<'a> {
    axes: Mask,
    scale: &'a [Scale],
    non_uniform_scale: &'a [NonUniformScale],
    shear: &'a [[f32; 3]],
    pivot: &'a [[f32; 3]],
    pivot_translation: &'a [[f32; 3]],
}

impl Scales<'_> {
    #[inline(always)]
    fn columns(&self, row: usize) -> InRegisters {
        // `Scale(2.0)` is (2, 2, 2).
        let axes = match self.axes {
            Mask::SCALE => [self.scale[row].0; 3],
            Mask::NON_UNIFORM_SCALE => self.non_uniform_scale[row].0.into(),
            _ => [1.0; 3],
        };
        let sheared = compose::sheared(self.shear.get(row), &axes);
        compose::about(sheared, self.pivot_translation.get(row), self.pivot.get(row))
    }
}

impl Formula for Scales<'_> {
    fn one(&self, row: usize) -> Matrix4<f32> {
        from_columns(self.columns(row))
    }

    #[inline(always)]
    fn four<S: Simd>(&self, simd: S, row: usize) -> [S::Matrix; 4] {
        let [a, b] = [self.columns(row), self.columns(row + 1)];
        simd.of_columns([a, b, self.columns(row + 2), self.columns(row + 3)])
    }
}
