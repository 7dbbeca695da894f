//! A frame, between the two ticks around it.

use legion::{Entity, World};
use legion_transform::{prelude::*, smooth::Smooth};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::{Checks, TOLERANCE};

/// What a rotation that is read from an `f32` matrix may be off by, in radians.
const ANGLE: f64 = 1e-5;

impl Checks {
    /// At `alpha` everything is on its way between the ticks, what came or jumped is there already,
    /// and nothing that is gone is drawn.
    pub fn frame(&mut self, world: &World, smooth: &Smooth, alpha: f32) {
        self.report.frames += 1;
        for (&entity, now) in &self.now {
            let drawn = smooth.matrix(world, entity, alpha).expect("it was there in the tick");
            let at_end = smooth.matrix(world, entity, 1.0).expect("it was there in the tick");
            assert!(same_bits(&at_end, &now.matrix), "{entity:?} does not end at the tick");
            match self.last.get(&entity) {
                Some(last) if !self.jumped.contains(&entity) => {
                    let at_begin = smooth.matrix(world, entity, 0.0).unwrap_or_default();
                    assert!(same_bits(&at_begin, &last.matrix), "{entity:?} does not begin there");
                    check_between(entity, [&last.matrix, &drawn, &now.matrix], alpha.into());
                }
                _ => assert!(same_bits(&drawn, &now.matrix), "{entity:?} is drawn on a way"),
            }
        }
        for entity in self.last.keys().filter(|entity| !self.now.contains_key(entity)) {
            assert_eq!(smooth.matrix(world, *entity, alpha), None, "{entity:?} is gone");
        }
    }
}

fn same_bits(a: &LocalToWorld, b: &LocalToWorld) -> bool {
    a.iter().zip(b.iter()).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Translation and scale go straight, the rotation the shorter way round, all at an even pace.
fn check_between(entity: Entity, matrices: [&LocalToWorld; 3], alpha: f64) {
    let [from, drawn, to] = matrices.map(Parts::of);
    let straight = |part: fn(&Parts) -> Vector3<f64>| {
        let error = (part(&from).lerp(&part(&to), alpha) - part(&drawn)).amax();
        assert!(error <= TOLERANCE, "{entity:?} is {error} from its way at {alpha}");
    };
    straight(|parts| parts.place);
    straight(|parts| parts.scale);
    let whole = from.rotation.angle_to(&to.rotation);
    let error = (from.rotation.angle_to(&drawn.rotation) - alpha * whole).abs();
    assert!(error <= ANGLE, "{entity:?} has not turned as far as it should: {error}");
    let error = (drawn.rotation.angle_to(&to.rotation) - (1.0 - alpha) * whole).abs();
    assert!(error <= ANGLE, "{entity:?} has to turn farther than it should: {error}");
}

struct Parts {
    place: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
    scale: Vector3<f64>,
}

impl Parts {
    /// Of a matrix without shear or mirror, as all are here.
    fn of(matrix: &LocalToWorld) -> Self {
        let matrix = matrix.cast::<f64>();
        let mut axes: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let scale = Vector3::from_fn(|i, _| axes.column(i).norm());
        axes.column_iter_mut().for_each(|mut axis| _ = axis.normalize_mut());
        let rotation = Rotation3::from_matrix_unchecked(axes);
        let rotation = UnitQuaternion::from_rotation_matrix(&rotation);
        Self { place: matrix.column(3).xyz(), rotation, scale }
    }
}
