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
//!
//! # Angles
//!
//! `RotationEulerSystem` and `PostRotationEulerSystem`: twelve components of angles, six orders of
//! the axes for two targets. Of several the first one in the table of [`rules`] counts.

use nalgebra::{Matrix4, Quaternion, UnitQuaternion};

use super::{columns::Rows, inputs::ROWS, work::Work};
use crate::{
    components::*,
    engine::{
        bits,
        machine::Machine,
        parallel, rules,
        simd::{Formula, Kernel, Simd},
        storage::{Columns, TransformComponent, Wraps, for_each_euler},
    },
    math::{InRegisters, SameBits, compose, from_columns},
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
    update(formula, Wraps::inner_mut(composite), work, machine)
}

/// Writes `CompositeScale` where it differs, in rows that are due. The archetype has it and at
/// least one of its inputs. Returns whether anything was written.
pub(super) fn scale(columns: &mut Columns<'_>, work: &Work, machine: &Machine) -> bool {
    let (composite, beside) = columns.write_beside::<CompositeScale>(work.index);
    let formula = Scales {
        axes: rules::source(work.mask, rules::AXES),
        scale: beside.read(),
        non_uniform_scale: beside.read(),
        shear: Shear::inner(beside.read()),
        pivot: ScalePivot::inner(beside.read()),
        pivot_translation: ScalePivotTranslation::inner(beside.read()),
    };
    update(formula, Wraps::inner_mut(composite), work, machine)
}

fn update(
    formula: impl Formula,
    matrices: &mut [Matrix4<f32>],
    work: &Work,
    machine: &Machine,
) -> bool {
    let (mut marks, matrices) = (work.marks.clone(), &mut matrices[work.covered()]);
    let mut rows =
        Rows { isa: machine.isa, formula, first: work.first, matrices, marks: &mut marks };
    rows.update_due(work.is_whole, machine.threads.paying(work.due()));
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
        let turns = match (
            four(Wraps::inner(self.rotation), row),
            four(Wraps::inner(self.post_rotation), row),
        ) {
            (Some(_), Some(_)) => &[products(0), products(1), products(2), products(3)],
            (turns, post) => turns.or(post).unwrap_or(&[[0.0, 0.0, 0.0, 1.0]; 4]),
        };
        let translations = four(Wraps::inner(self.pivot_translation), row);
        let pivots = four(Wraps::inner(self.pivot), row);
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
    axes: Option<rules::AxesSource>,
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
            Some(rules::AxesSource::Uniform) => [self.scale[row].0; 3],
            Some(rules::AxesSource::NonUniform) => self.non_uniform_scale[row].0.into(),
            None => [1.0; 3],
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

/// Writes `Target`, a rotation that the archetype has, from the Euler component that counts where
/// the result differs, in the rows that are due. Returns whether anything was written.
pub(super) fn from_angles<Target: TransformComponent + SameBits + From<UnitQuaternion<f32>>>(
    columns: &mut Columns<'_>,
    work: &Work,
    eulers: rules::Precedence<rules::Euler>,
    machine: &Machine,
) -> bool {
    let Some(euler) = rules::source(work.mask, eulers) else { return false };
    // One arm for each component: `Euler::RotationEulerXYZ => read it, write Target`.
    macro_rules! columns {
        ($($component:ident: $bit:ident),* $(,)?) => {
            match euler {
                $(rules::Euler::$component => {
                    let (angles, targets) = columns.read_write::<$component, Target>(work.index);
                    ($component::ORDER, Wraps::inner(angles), targets)
                })*
            }
        };
    }
    let (order, angles, targets) = for_each_euler!(columns);
    let (mut marks, covered) = (work.due_marks(), work.covered());
    let blocks = targets[covered.clone()].chunks_mut(parallel::BLOCK);
    let blocks = angles[covered].chunks(parallel::BLOCK).zip(blocks);
    let blocks = blocks.zip(marks.chunks_mut(parallel::BLOCK / ROWS));
    parallel::for_each(blocks, machine.threads.paying(work.due()), &|(
        (angles, targets),
        marks,
    )| {
        machine.isa.run(Turn { order, angles, targets, marks });
    });
    marks.iter().any(|word| *word != 0)
}

/// Rotations of the marked rows, by angles. The rows that differ stay marked.
struct Turn<'a, Target> {
    order: EulerOrder,
    angles: &'a [[f32; 3]],
    targets: &'a mut [Target],
    marks: &'a mut [u64],
}

impl<Target: SameBits + From<UnitQuaternion<f32>>> Kernel for Turn<'_, Target> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let (mut rows, mut due, mut turned) = ([0; ROWS], [[0.0; 3]; ROWS], [[0.0; 4]; ROWS]);
        let words = self.marks.iter_mut().zip(self.angles.chunks(ROWS));
        let words = words.zip(self.targets.chunks_mut(ROWS));
        for ((marks, angles), targets) in words.filter(|((marks, _), _)| **marks != 0) {
            let mut len = 0;
            for row in bits::ones(std::mem::take(marks)) {
                (rows[len], due[len]) = (row, angles[row]);
                len += 1;
            }
            self.order.rotations(&due[..len], &mut turned[..len]);
            for (row, &[x, y, z, w]) in rows[..len].iter().zip(&turned) {
                let value = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)).into();
                if !targets[*row].same_bits(&value) {
                    targets[*row] = value;
                    *marks |= 1 << row;
                }
            }
        }
    }
}
