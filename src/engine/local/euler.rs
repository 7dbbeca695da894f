//! `RotationEulerSystem` and `PostRotationEulerSystem`: `Rotation` and `PostRotation` from angles.
//!
//! There are twelve components of angles: six orders of the axes, for two targets. An archetype may
//! have several: the first one in the table of [`rules`](crate::engine::rules) counts, here passed as
//! `euler`. With `RotationEulerXYZ(0, 0, π/2)` the result is the quaternion (0, 0, 0.707, 0.707).
//!
//! The rows that are due in 64 rows are computed together.

use nalgebra::{Quaternion, UnitQuaternion};

use super::{inputs::ROWS, work::Work};
use crate::{
    components::*,
    engine::{
        bits,
        machine::Machine,
        parallel,
        simd::{Kernel, Simd},
        storage::{Columns, Mask, TransformComponent, for_each_euler, inner},
    },
    math::SameBits,
};

/// Writes `Target`, a rotation that the archetype has, from this Euler component where the result
/// differs, in the rows that are due. Returns whether anything was written.
pub(super) fn write<Target: TransformComponent + SameBits + From<UnitQuaternion<f32>>>(
    columns: &mut Columns<'_>,
    work: &Work,
    euler: Mask,
    machine: &Machine,
) -> bool {
    // One arm for each component: `Mask::ROTATION_EULER_XYZ => read it, write Target`.
    macro_rules! columns {
        ($($component:ident: $bit:ident),* $(,)?) => {
            match euler {
                $(Mask::$bit => {
                    let (angles, targets) = columns.read_write::<$component, Target>(work.index);
                    ($component::ORDER, inner(angles), targets)
                })*
                _ => return false,
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
