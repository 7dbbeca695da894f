//! Zero, tiny and negative scale, and matrices without an inverse.

use harness::TestWorld;
use legion_transform::{components::CompositeScale, findings::FindingKind, prelude::*};
use nalgebra::{Matrix4, Vector3};

#[test]
fn a_world_without_inverse_gives_the_identity_and_a_finding() {
    let mut test = TestWorld::default();
    let entity = test.world.push((LocalToWorld::identity(), Scale(0.0), WorldToLocal::default()));
    let child = test.child(entity, WorldToLocal(Matrix4::new_scaling(7.0)));
    test.run();
    assert_eq!(test.value::<WorldToLocal>(entity).0, Matrix4::identity());
    assert_eq!(test.value::<WorldToLocal>(child).0, Matrix4::identity());
    let mut findings = test.told();
    findings.sort_by_key(|(_, found, _)| *found == child);
    let kind = FindingKind::WorldWithoutInverse;
    assert_eq!(findings, [(kind, entity, None), (kind, child, None)]);

    test.put(entity, Scale(2.0));
    test.run();
    assert_eq!(test.value::<WorldToLocal>(child).0, Matrix4::new_scaling(0.5));
    assert_eq!(test.told(), []);
}

#[test]
fn a_singular_composite_scale_compensates_nothing_and_a_finding_says_so() {
    let mut test = TestWorld::default();
    let singular = Matrix4::new_nonuniform_scaling(&Vector3::new(2.0, 0.0, 2.0));
    let nan = Matrix4::repeat(f32::NAN);
    for bad in [singular, Matrix4::zeros(), nan] {
        let parent = test.root(CompositeScale(bad));
        let child = test.world.push((
            LocalToWorld::identity(),
            LocalToParent::identity(),
            Parent(parent),
            ParentScaleInverse(Matrix4::new_scaling(9.0)),
            Translation::new(1.0, 2.0, 3.0),
        ));
        test.run();
        assert_eq!(test.value::<ParentScaleInverse>(child).0, Matrix4::identity());
        assert_eq!(
            test.value::<LocalToParent>(child).0,
            Matrix4::new_translation(&Vector3::new(1.0, 2.0, 3.0))
        );
        let told: Vec<_> =
            test.told().into_iter().filter(|(kind, ..)| *kind != FindingKind::NotFinite).collect();
        assert_eq!(told, [(FindingKind::ScaleWithoutInverse, child, Some(parent))]);

        test.put(parent, CompositeScale(Matrix4::new_scaling(4.0)));
        test.run();
        assert_eq!(test.value::<ParentScaleInverse>(child).0, Matrix4::new_scaling(0.25));
        assert_eq!(test.told(), []);
    }
}
