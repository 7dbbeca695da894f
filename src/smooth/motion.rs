//! One entity's way between two ticks.

use nalgebra::{Matrix3, Matrix4, Unit, UnitQuaternion, Vector3};

use crate::{components::LocalToWorld, math::decompose::decompose};

/// The way of an entity. It ends at the matrix of the last tick, which is stored elsewhere.
#[derive(Debug)]
pub struct Motion {
    from: LocalToWorld,
    /// `None` where all elements go straight.
    turn: Option<Turn>,
    /// The parts of the end, at which the next motion begins.
    end: Option<Parts>,
}

/// All parts but the translation.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    rotation: UnitQuaternion<f32>,
    shear: Vector3<f32>,
    scale: Vector3<f32>,
}

/// The parts at the beginning, and their way: the rotation's as an axis times an angle.
#[derive(Debug)]
struct Turn {
    from: Parts,
    by: Vector3<f32>,
    shear: Vector3<f32>,
    scale: Vector3<f32>,
}

impl Parts {
    fn of(matrix: &Matrix4<f32>) -> Option<Self> {
        Self::of_trs(matrix).or_else(|| {
            let parts = decompose(matrix).ok()?;
            Some(Self { rotation: parts.rotation, shear: parts.shear, scale: parts.scale })
        })
    }

    /// The parts of a matrix without shear, which most are, without a decomposition in `f64`: a
    /// tick costs 100 ns for each entity that moves, instead of 200. The product of three lengths,
    /// whose sign tells a mirror, must be an `f32` that is not zero.
    fn of_trs(matrix: &Matrix4<f32>) -> Option<Self> {
        let axes: Matrix3<f32> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let bottom = [matrix.m41, matrix.m42, matrix.m43, matrix.m44];
        let lengths = Vector3::from_fn(|i, _| axes.column(i).norm());
        let (x, y, z) = (axes.column(0), axes.column(1), axes.column(2));
        let is_right = |a: f32, b: f32, dot: f32| dot.abs() <= 1e-6 * a * b;
        let is_trs = bottom == [0.0, 0.0, 0.0, 1.0]
            && matrix.column(3).iter().all(|x| x.is_finite())
            && lengths.iter().all(|length| *length > 1e-12 && *length < 1e12)
            && is_right(lengths.x, lengths.y, x.dot(&y))
            && is_right(lengths.x, lengths.z, x.dot(&z))
            && is_right(lengths.y, lengths.z, y.dot(&z));
        if !is_trs {
            return None;
        }
        let mut scale = lengths;
        if x.cross(&y).dot(&z) < 0.0 {
            scale.x = -scale.x;
        }
        let unit = Matrix3::from_fn(|row, column| axes[(row, column)] / scale[column]);
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(unit);
        let rotation = UnitQuaternion::from_rotation_matrix(&rotation);
        Some(Self { rotation, shear: Vector3::zeros(), scale })
    }

    /// A mirror is a negative x scale; the others are never negative.
    fn mirrors(&self) -> bool {
        self.scale.x < 0.0
    }
}

impl Motion {
    /// The way from one matrix to another. `begin` are the parts of the first, if they are known
    /// from the motion before.
    pub fn new(from: LocalToWorld, to: &LocalToWorld, begin: Option<Parts>) -> Self {
        let end = Parts::of(to);
        let begin = begin.or_else(|| Parts::of(&from));
        let turn = begin.zip(end).filter(|(begin, end)| begin.mirrors() == end.mirrors());
        let turn = turn.map(|(from, to)| Turn {
            from,
            by: (from.rotation.inverse() * to.rotation).scaled_axis(),
            shear: to.shear - from.shear,
            scale: to.scale - from.scale,
        });
        Self { from, turn, end }
    }

    /// The parts of the end.
    pub fn end(&self) -> Option<Parts> {
        self.end
    }

    /// The matrix at `alpha`, from 0 to 1. `to` is the end.
    pub fn at(&self, to: &LocalToWorld, alpha: f32) -> LocalToWorld {
        if alpha <= 0.0 {
            return self.from;
        }
        if alpha >= 1.0 {
            return *to;
        }
        let straight = |from: f32, to: f32| (1.0 - alpha) * from + alpha * to;
        let Some(turn) = &self.turn else {
            return LocalToWorld(self.from.zip_map(to, straight));
        };
        let by = turn.by * alpha;
        let by = Unit::try_new_and_get(by, 0.0)
            .map_or_else(UnitQuaternion::identity, |(axis, angle)| {
                UnitQuaternion::from_axis_angle(&axis, angle)
            });
        let shear = turn.from.shear + turn.shear * alpha;
        let scale = turn.from.scale + turn.scale * alpha;
        let mut axes = (turn.from.rotation * by).to_rotation_matrix().into_inner();
        if shear != Vector3::zeros() {
            axes *= Matrix3::new(1.0, shear.x, shear.y, 0.0, 1.0, shear.z, 0.0, 0.0, 1.0);
        }
        for i in 0..3 {
            axes.column_mut(i).scale_mut(scale[i]);
        }
        let mut matrix = axes.to_homogeneous();
        for row in 0..3 {
            matrix[(row, 3)] = straight(self.from[(row, 3)], to[(row, 3)]);
        }
        LocalToWorld(matrix)
    }
}
