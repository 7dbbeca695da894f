//! Section 7: the table of Maya's attributes.

use harness::TestWorld;
use legion_transform::{
    components::{
        CompositeRotation, CompositeScale, RotationPivot, RotationPivotTranslation, ScalePivot,
        ScalePivotTranslation, Shear,
    },
    prelude::*,
};
use nalgebra::{Matrix4, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::support::*;

/// Each row of the table: what Maya calls it, and the component whose value it is. The brackets are
/// written out as Maya has them, for row vectors, and transposed.
#[test]
fn maya_table_every_row() {
    let (t, rt, rp) =
        (Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.2, 0.3), Vector3::new(-1.0, 0.5, 2.0));
    let (st, sp, s) =
        (Vector3::new(0.3, -0.2, 0.1), Vector3::new(2.0, -1.0, 0.5), Vector3::new(2.0, 0.5, -1.5));
    let r = UnitQuaternion::from_euler_angles(0.4, -0.7, 1.1);
    let ra = UnitQuaternion::from_euler_angles(-0.2, 0.3, 0.9);

    let mut test = TestWorld::new(TransformSystemBundle::default());
    let entity =
        test.world.push((untouched(), Translation::from(t), Rotation(r), PostRotation(ra)));
    let mut entry = test.world.entry(entity).unwrap();
    entry.add_component(CompositeRotation::default());
    entry.add_component(RotationPivotTranslation(rt));
    entry.add_component(RotationPivot(rp));
    entry.add_component(CompositeScale::default());
    entry.add_component(ScalePivotTranslation(st));
    entry.add_component(ScalePivot(sp));
    entry.add_component(NonUniformScale(s));
    run(&mut test);

    // Row-vector matrices: the transposes of nalgebra's.
    let moved = |v: Vector3<f32>| Translation3::from(v).to_homogeneous().transpose();
    let turned = |q: UnitQuaternion<f32>| Rotation3::from(q).to_homogeneous().transpose();
    let rotation = moved(-rp) * turned(ra) * turned(r) * moved(rp) * moved(rt);
    let scale = moved(-sp) * Matrix4::new_nonuniform_scaling(&s) * moved(sp) * moved(st);
    assert_close(&test.value::<CompositeRotation>(entity).0, &rotation.transpose());
    assert_close(&test.value::<CompositeScale>(entity).0, &scale.transpose());
    assert_close(&test.matrix(entity), &(scale * rotation * moved(t)).transpose());
}

/// SH, which the document leaves unused: SP^-1 S SH SP ST.
#[test]
fn maya_table_shear() {
    let mut test = TestWorld::new(TransformSystemBundle::default());
    let (sp, s) = (Vector3::new(2.0, -1.0, 0.5), Vector3::new(2.0, 0.5, -1.5));
    let entity = test.world.push((
        untouched(),
        CompositeScale::default(),
        ScalePivot(sp),
        NonUniformScale(s),
        Shear::new(0.5, -1.0, 2.0),
    ));
    run(&mut test);
    let moved = |v: Vector3<f32>| Translation3::from(v).to_homogeneous().transpose();
    #[rustfmt::skip]
    let shear = Matrix4::new(
         1.0, 0.0, 0.0, 0.0,
         0.5, 1.0, 0.0, 0.0,
        -1.0, 2.0, 1.0, 0.0,
         0.0, 0.0, 0.0, 1.0,
    );
    let row = moved(-sp) * Matrix4::new_nonuniform_scaling(&s) * shear * moved(sp);
    assert_close(&test.matrix(entity), &row.transpose());
}
