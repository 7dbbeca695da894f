//! NaN and infinity.

use harness::TestWorld;
use legion_transform::{findings::FindingKind, prelude::*};
use nalgebra::{Matrix4, Vector3};

fn is_finite(matrix: &Matrix4<f32>) -> bool {
    matrix.iter().all(|x| x.is_finite())
}

#[test]
fn non_finite_angles_stay_with_the_entity_and_what_is_below_it() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut test = TestWorld::default();
        let root = test.root(Translation::new(1.0, 0.0, 0.0));
        let spoilt = test.child(root, Rotation::identity());
        test.put(spoilt, RotationEulerXYZ::new(0.0, bad, 0.0));
        test.put(spoilt, WorldToLocal::default());
        let below = test.child(spoilt, Translation::new(1.0, 0.0, 0.0));
        let sibling = test.child(root, Translation::new(2.0, 0.0, 0.0));
        test.run();
        assert!(!is_finite(&test.matrix(spoilt)) && !is_finite(&test.matrix(below)));
        assert_eq!(test.matrix(root), Matrix4::new_translation(&Vector3::new(1.0, 0.0, 0.0)));
        assert_eq!(test.matrix(sibling), Matrix4::new_translation(&Vector3::new(3.0, 0.0, 0.0)));
        assert_eq!(test.value::<WorldToLocal>(spoilt).0, Matrix4::identity());
        // The finding names the entity where it begins, not the ones below.
        let expected = [
            (FindingKind::NotFinite, spoilt, None),
            (FindingKind::WorldWithoutInverse, spoilt, None),
        ];
        assert_eq!(test.told(), expected);
        test.run();
        assert_eq!(test.told(), expected, "as long as it lasts");

        test.put(spoilt, RotationEulerXYZ::new(0.0, 0.0, 0.0));
        test.run();
        assert_eq!(test.matrix(below), Matrix4::new_translation(&Vector3::new(2.0, 0.0, 0.0)));
        assert_eq!(test.told(), []);
    }
}

/// Wherever it enters: an input of a large archetype in any state of its cache, a matrix of the
/// user's, a new row; and told as gone with its cause.
#[test]
fn whatever_is_not_finite_is_found_where_it_enters() {
    for rows in [3, 1000, 5_000] {
        let mut test = TestWorld::default();
        let flat = test.world.extend((0..rows).map(|row| harness::at(row as f32))).to_vec();
        let own = test.world.extend(vec![(LocalToWorld::identity(),); rows]).to_vec();
        for round in 0..3 {
            let bad = flat[rows * round / 3];
            test.set(bad, Translation::new(0.0, f32::NAN, 1.0));
            test.set(own[rows / 2], LocalToWorld(Matrix4::repeat(f32::INFINITY)));
            let new = test.at(f32::NEG_INFINITY);
            let mut expected = vec![bad, own[rows / 2], new];
            expected.sort_by_key(|entity| format!("{entity:?}"));
            // Where everything moves all the time, too.
            for run in 0..4 {
                test.run();
                let mut found: Vec<_> = test.told().into_iter().map(|told| told.1).collect();
                found.sort_by_key(|entity| format!("{entity:?}"));
                assert_eq!(found, expected, "{rows} {round} {run}");
                assert!(test.told().iter().all(|told| told.0 == FindingKind::NotFinite));
                flat.iter()
                    .filter(|&&entity| entity != bad)
                    .for_each(|&it| test.set(it, Translation::new(run as f32, 1.0, 0.0)));
            }

            test.set(bad, Translation::new(0.0, round as f32, 1.0));
            test.set(own[rows / 2], LocalToWorld::identity());
            test.despawn(new);
            test.run();
            assert_eq!(test.told(), []);
        }
    }
}

/// A product can be infinite where both matrices are not: told of the entity where that happens,
/// until its parent is smaller, although nothing was written to the entity itself.
#[test]
fn products_that_overflow_are_found() {
    let mut test = TestWorld::default();
    let parent = test.root(Scale(1.0));
    let child = test.child(parent, Scale(1e30));
    let _below = test.child(child, Translation::new(1.0, 0.0, 0.0));
    test.run();
    assert_eq!(test.told(), []);
    test.set(parent, Scale(1e30));
    test.set(child, Scale(2e30));
    test.run();
    assert_eq!(test.told(), [(FindingKind::NotFinite, child, None)]);
    test.set(parent, Scale(1.0));
    test.run();
    assert_eq!(test.told(), []);
}

/// NaNs count as equal: a world that holds some comes to rest, also when one is written over with
/// another.
#[test]
fn a_world_with_nans_comes_to_rest() {
    let mut test = TestWorld::default();
    let spoilt = test.root(Translation::new(f32::NAN, 0.0, 0.0));
    let _below = test.child(spoilt, Rotation::identity());
    test.run();
    test.run();
    assert_eq!(test.written(), (0, 0));
    test.put(spoilt, Translation::new(f32::from_bits(f32::NAN.to_bits() ^ 0x8000_0001), 0.0, 0.0));
    test.run();
    assert_eq!(test.written(), (0, 0));
}
