//! Zero, tiny and negative scale, and matrices without an inverse.

use harness::TestWorld;
use legion_transform::{
    components::{CompositeScale, ScalePivot},
    findings::FindingKind,
    prelude::*,
};
use nalgebra::{Matrix4, Vector3};

#[test]
fn zero_scale_flattens_what_it_scales_and_its_inverse_stays_finite() {
    let mut test = TestWorld::default();
    let point = test.root(Scale(0.0));
    let sheet = test.root(NonUniformScale::new(2.0, 0.0, 4.0));
    let denormal = test.root(Scale(1.0e-40)); // its reciprocal overflows
    let in_point = test.child(point, ParentScaleInverse::identity());
    let in_sheet = test.child(sheet, ParentScaleInverse::identity());
    let in_denormal = test.child(denormal, ParentScaleInverse::identity());
    test.run();
    let flat = |x, y, z| Matrix4::new_nonuniform_scaling(&Vector3::new(x, y, z));
    assert_eq!(test.matrix(point), flat(0.0, 0.0, 0.0));
    assert_eq!(test.matrix(sheet), flat(2.0, 0.0, 4.0));
    assert_eq!(test.value::<ParentScaleInverse>(in_point).0, flat(0.0, 0.0, 0.0));
    assert_eq!(test.value::<ParentScaleInverse>(in_sheet).0, flat(0.5, 0.0, 0.25));
    assert_eq!(test.value::<ParentScaleInverse>(in_denormal).0, flat(0.0, 0.0, 0.0));
    assert_eq!(test.matrix(in_sheet), flat(1.0, 0.0, 1.0));
    assert_eq!(test.told(), [], "scale alone has an inverse as far as its axes allow");
}

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
fn negative_scale_mirrors_and_its_inverse_mirrors_back() {
    let mut test = TestWorld::default();
    let parent = test.world.push((LocalToWorld::identity(), Scale(-2.0), WorldToLocal::default()));
    let child = test.child(parent, ParentScaleInverse::identity());
    let mirror = test.root(NonUniformScale::new(-1.0, 2.0, 4.0));
    let mirrored = test.child(mirror, ParentScaleInverse::identity());
    test.run();
    assert_eq!(test.matrix(parent), Matrix4::new_scaling(-2.0));
    assert_eq!(test.value::<WorldToLocal>(parent).0, Matrix4::new_scaling(-0.5));
    assert_eq!(test.value::<ParentScaleInverse>(child).0, Matrix4::new_scaling(-0.5));
    assert_eq!(test.matrix(child), Matrix4::identity());
    assert_eq!(test.matrix(mirrored), Matrix4::identity());
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

/// The same where the composite is derived from a zero scale about a pivot.
#[test]
fn a_derived_composite_scale_of_zero_is_no_different() {
    let mut test = TestWorld::default();
    let parent = test.world.push((
        LocalToWorld::identity(),
        CompositeScale::identity(),
        ScalePivot::new(1.0, 1.0, 1.0),
        Scale(0.0),
    ));
    let child = test.child(parent, ParentScaleInverse::identity());
    test.run();
    let to_pivot = Matrix4::new_translation(&Vector3::repeat(1.0)) * Matrix4::new_scaling(0.0);
    assert_eq!(test.matrix(parent), to_pivot);
    assert_eq!(test.value::<ParentScaleInverse>(child).0, Matrix4::identity());
    assert_eq!(test.told(), [(FindingKind::ScaleWithoutInverse, child, Some(parent))]);
}

/// Adding a composite beside the same scale changes no child: what was derived from axes alone
/// inverts as its axes do.
#[test]
fn a_composite_scale_derived_from_axes_alone_inverts_as_they_do() {
    let mut test = TestWorld::default();
    for scale in [Vector3::new(2.0, 0.0, 4.0), Vector3::new(3.0, 1.0e-40, -7.0), Vector3::zeros()] {
        let plain = test.root(NonUniformScale(scale));
        let composite = test.world.push((
            LocalToWorld::identity(),
            NonUniformScale(scale),
            CompositeScale::default(),
        ));
        let (of_plain, of_composite) = (
            test.child(plain, ParentScaleInverse::default()),
            test.child(composite, ParentScaleInverse::default()),
        );
        test.run();
        let inverse = scale.map(|axis| if axis.recip().is_finite() { axis.recip() } else { 0.0 });
        assert_eq!(
            test.value::<ParentScaleInverse>(of_plain).0,
            Matrix4::new_nonuniform_scaling(&inverse)
        );
        assert_eq!(
            test.value::<ParentScaleInverse>(of_composite),
            test.value::<ParentScaleInverse>(of_plain)
        );
        assert_eq!(test.matrix(of_composite), test.matrix(of_plain));
        assert_eq!(test.told(), []);
    }
    let uniform =
        test.world.push((LocalToWorld::identity(), Scale(0.0), CompositeScale::default()));
    let child = test.child(uniform, ParentScaleInverse::default());
    test.run();
    assert_eq!(
        test.value::<ParentScaleInverse>(child).0,
        Matrix4::new_nonuniform_scaling(&Vector3::zeros())
    );
    assert_eq!(test.told(), []);
    // A matrix of the user's is another thing, whatever it looks like.
    test.take::<Scale>(uniform);
    test.run();
    assert_eq!(test.told(), [(FindingKind::ScaleWithoutInverse, child, Some(uniform))]);
}
