//! `WorldToLocal`: the inverse, computed in `f64` and rounded once; and `ParentScaleInverse` of
//! many rows.

use harness::TestWorld;
use legion::{Entity, systems::SystemBuilder};
use legion_transform::prelude::*;
use legion_transform_testing::inverse::{Inverse, inverse};
use nalgebra::Matrix4;

/// The `WorldToLocal` of each matrix is the inverse in `f64` but for one rounding, relative to the
/// largest element of its column.
fn inverts(matrices: &[Matrix4<f32>]) {
    for matrix in matrices {
        let mut test = TestWorld::default();
        let entity = test.push((LocalToWorld(*matrix), WorldToLocal::identity()));
        test.run();
        let got = *test.world.entry(entity).unwrap().get_component::<WorldToLocal>().unwrap();
        let Inverse::Finite(expected) = inverse(&matrix.cast()) else { panic!("it has one") };
        let got: Matrix4<f64> = got.0.cast();
        for (got, expected) in got.column_iter().zip(expected.value.column_iter()) {
            let (error, near) = ((got - expected).amax(), 1e-7 * expected.amax());
            assert!(error <= near, "{error:e} off, {near:e} is rounding, of {matrix}");
        }
    }
}

/// What a camera sees from 1 cm to 10 km: of the two numbers in the lower right one is 1e6 times
/// the other, and in `f32` the inverse would lose all but one digit.
#[test]
fn a_projection_far_into_the_distance() {
    let matrices = [(0.01, 1e4), (0.1, 1e5), (1.0, 10.0)].map(|(near, far): (f32, f32)| {
        let projection = Matrix4::new_perspective(1.5, 0.8, near, far);
        projection
            * Matrix4::from_euler_angles(0.3, 0.7, -0.2)
                .append_translation(&nalgebra::Vector3::new(100.0, -20.0, 3.0))
    });
    inverts(&matrices);
}

/// Three axes that are nearly in one plane.
#[test]
fn axes_nearly_in_one_plane() {
    let flat = Matrix4::new(
        1.0, 0.5, 0.75, 3.0, 0.25, 2.0, 1.125, 4.0, 0.5, 1.0, 0.75, 5.0, 0.0, 0.0, 0.0, 1.0,
    );
    let mut near = flat;
    near[(2, 2)] += 1e-4;
    inverts(&[near]);
}

/// Takes over the world of a parent: its scale changes, and its world does not.
struct Pinned;

/// Of 100 rows only those behind the first 64 are due: theirs are the worlds that follow.
#[test]
fn parents_scales_of_the_last_rows_alone() {
    let bundle = TransformSystemBundle::default().write_group::<LocalToWorld, Pinned>();
    let mut test = TestWorld::new(bundle);
    let mut parent = || test.push((LocalToWorld::identity(), Scale(2.0), Pinned));
    let [others, scaled] = [parent(), parent()];
    let mut child = |parent| {
        let at = Translation::new(1.0, 0.0, 0.0);
        let matrices = (LocalToWorld::identity(), LocalToParent::identity());
        test.push((matrices.0, matrices.1, Parent(parent), at, ParentScaleInverse::identity()))
    };
    let first: Vec<_> = (0..70).map(|_| child(others)).collect();
    let last: Vec<_> = (0..30).map(|_| child(scaled)).collect();
    test.run();
    test.set(scaled, Scale(4.0));
    test.run();
    for (children, inverse) in [(first, 0.5), (last, 0.25)] {
        for child in children {
            assert_eq!(test.matrix(child).m11, inverse);
        }
    }
}

/// A system between local matrices and propagation removes an entity. The last one, whose matrix
/// has just changed, comes to its row, before the others: its inverse follows there.
#[test]
fn a_removal_between_two_steps_takes_marks_along() {
    let remove = SystemBuilder::new("remove").write_resource::<Vec<Entity>>().build(
        |commands, _, dead, _| {
            dead.drain(..).for_each(|dead: Entity| commands.remove(dead));
        },
    );
    let bundle = TransformSystemBundle::default().before_propagation(remove);
    let mut test = TestWorld::new(bundle);
    test.resources.insert(Vec::<Entity>::new());
    let row = |x: usize| (Translation::new(x as f32, 0.0, 0.0), WorldToLocal::identity());
    let rows = test.world.extend_transforms((0..300).map(row)).to_vec();
    test.run();
    for moved in [70, 200, 299] {
        test.set(rows[moved], Translation::new(0.0, 7.0, 0.0));
    }
    test.resources.insert(vec![rows[3]]);
    test.run();
    for moved in [70, 200, 299] {
        let inverse = test.value::<WorldToLocal>(rows[moved]).0;
        assert_eq!(inverse.m24, -7.0, "row {moved}");
    }
}
