//! The reference against answers worked out by hand, one for each rule. No run of the bundle.

use std::collections::HashMap;

use legion::*;
use legion_transform::{
    components::{
        CompositeRotation, CompositeScale, PreviousParent, RotationEulerXZY, RotationEulerYXZ,
        RotationEulerYZX, RotationEulerZXY, RotationEulerZYX, RotationPivot,
        RotationPivotTranslation, ScalePivot, ScalePivotTranslation, Shear,
    },
    prelude::*,
};
use legion_transform_testing::{
    Bounded, Derived, Kind, Reference, Setup,
    inherits::inherited,
    inverse::{Inverse, inverse_of},
};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion};

/// A quarter turn about z: x goes to y. Exact to 3e-8.
fn quarter() -> UnitQuaternion<f32> {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    UnitQuaternion::new_unchecked(Quaternion::new(half, 0.0, 0.0, half))
}

const QUARTER: f32 = std::f32::consts::FRAC_PI_2;

/// A world whose only root has these components.
macro_rules! alone {
    ($($component:expr),* $(,)?) => {{
        let mut world = World::default();
        let entity = world.push((LocalToWorld::identity(),));
        $(world.entry(entity).unwrap().add_component($component);)*
        (world, entity)
    }};
}

/// Adds a child with these components.
macro_rules! child {
    ($world:expr, $parent:expr $(, $component:expr)* $(,)?) => {{
        let child = (LocalToWorld::identity(), LocalToParent::identity(), Parent($parent));
        let entity = $world.push(child);
        $($world.entry(entity).unwrap().add_component($component);)*
        entity
    }};
}

/// The three upper rows of a world matrix.
#[track_caller]
fn assert_world(world: &World, entity: Entity, rows: [[f64; 4]; 3]) {
    assert_value(world, entity, Kind::LocalToWorld, rows);
}

#[track_caller]
fn assert_value(world: &World, entity: Entity, kind: Kind, rows: [[f64; 4]; 3]) {
    let reference = Reference::of(world);
    let value = reference.value(entity, kind).expect("it is derived").bounded().expect("it is");
    for (row, numbers) in rows.into_iter().chain([[0.0, 0.0, 0.0, 1.0]]).enumerate() {
        for (column, number) in numbers.into_iter().enumerate() {
            let got = value.value[(row, column)];
            assert!((got - number).abs() < 1e-6, "{kind:?} ({row}, {column}): {got}, not {number}");
        }
    }
}

/// What a vector of the angles (90, 90, 0), (0, 90, 90) or the like takes x, y and z to: a turn by
/// 90 degrees about x takes y to z, about y z to x, about z x to y.
#[track_caller]
fn assert_turns(rotation: Kind, world: &World, entity: Entity, columns: [[f64; 3]; 3]) {
    let [x, y, z] = columns;
    let rows = [0, 1, 2].map(|row| [x[row], y[row], z[row], 0.0]);
    assert_value(world, entity, rotation, rows);
}

#[test]
fn translation_rotation_and_scale() {
    let parts = (Translation::new(1.0, 2.0, 3.0), Rotation(quarter()), Scale(2.0));
    let (world, entity) = alone!(parts.0, parts.1, parts.2);
    let rows = [[0.0, -2.0, 0.0, 1.0], [2.0, 0.0, 0.0, 2.0], [0.0, 0.0, 2.0, 3.0]];
    assert_world(&world, entity, rows);
}

#[test]
fn scale_wins_over_non_uniform_scale() {
    let (world, entity) = alone!(NonUniformScale::new(2.0, 3.0, 4.0));
    let rows = [[2.0, 0.0, 0.0, 0.0], [0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0]];
    assert_world(&world, entity, rows);
    let (world, entity) = alone!(NonUniformScale::new(2.0, 3.0, 4.0), Scale(5.0));
    let rows = [[5.0, 0.0, 0.0, 0.0], [0.0, 5.0, 0.0, 0.0], [0.0, 0.0, 5.0, 0.0]];
    assert_world(&world, entity, rows);
}

/// Two quarter turns about different fixed axes, in each of the six orders. XYZ turns about x
/// first: with the angles (90, 90, 0), y goes to z and then to x.
#[test]
fn orders_of_angles() {
    const A: f32 = QUARTER;
    macro_rules! order {
        ($($component:ident($($angle:expr),*) => $columns:expr;)*) => {$(
            let (world, entity) = alone!(Rotation::identity(), $component::new($($angle),*));
            assert_turns(Kind::Rotation, &world, entity, $columns);
        )*};
    }
    let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let minus = |v: [f64; 3]| v.map(|n| -n);
    order! {
        RotationEulerXYZ(A, A, 0.0) => [minus(z), x, minus(y)];
        RotationEulerXYZ(0.0, A, A) => [minus(z), minus(x), y];
        RotationEulerXZY(A, 0.0, A) => [y, z, x];
        RotationEulerXZY(0.0, A, A) => [y, z, x];
        RotationEulerYXZ(A, A, 0.0) => [y, z, x];
        RotationEulerYXZ(A, 0.0, A) => [y, z, x];
        RotationEulerYZX(0.0, A, A) => [minus(z), minus(x), y];
        RotationEulerYZX(A, A, 0.0) => [y, z, x];
        RotationEulerZXY(A, 0.0, A) => [z, minus(x), minus(y)];
        RotationEulerZXY(A, A, 0.0) => [minus(z), x, minus(y)];
        RotationEulerZYX(0.0, A, A) => [y, z, x];
        RotationEulerZYX(A, 0.0, A) => [z, minus(x), minus(y)];
    }
}

#[test]
fn the_first_order_of_angles_wins_and_an_angle_alone_writes_nothing() {
    let (about_x, about_z) =
        (RotationEulerXYZ::new(QUARTER, 0.0, 0.0), RotationEulerZYX::new(0.0, 0.0, QUARTER));
    let (world, entity) = alone!(Rotation::identity(), about_z, about_x);
    let turned = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]];
    assert_turns(Kind::Rotation, &world, entity, turned);
    let (world, entity) = alone!(about_x);
    assert!(Reference::of(&world).value(entity, Kind::Rotation).is_none());
    let kept = Reference::of(&world);
    assert!(matches!(kept.value(entity, Kind::LocalToWorld), Some(Derived::Kept(_))));
}

/// About the pivot (1, 0, 0): the origin goes to (1, -1, 0), and the pivot stays.
#[test]
fn rotation_about_a_pivot() {
    let pivot = RotationPivot::new(1.0, 0.0, 0.0);
    let composite = CompositeRotation::identity();
    let (mut world, entity) = alone!(Rotation(quarter()), pivot, composite);
    let rows = [[0.0, -1.0, 0.0, 1.0], [1.0, 0.0, 0.0, -1.0], [0.0, 0.0, 1.0, 0.0]];
    assert_value(&world, entity, Kind::CompositeRotation, rows);
    assert_world(&world, entity, rows);
    // The translation of the pivot comes on top.
    world.entry(entity).unwrap().add_component(RotationPivotTranslation::new(0.0, 0.0, 5.0));
    let rows = [rows[0], rows[1], [0.0, 0.0, 1.0, 5.0]];
    assert_world(&world, entity, rows);
}

/// `PostRotation` acts first: about z it takes x to y, and `Rotation` about x takes that y to z.
#[test]
fn post_rotation_acts_first() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let about_x = UnitQuaternion::new_unchecked(Quaternion::new(half, half, 0.0, 0.0));
    let (world, entity) =
        alone!(Rotation(about_x), PostRotation(quarter()), CompositeRotation::identity());
    let columns = [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
    assert_turns(Kind::CompositeRotation, &world, entity, columns);
    let post = PostRotationEulerXYZ::new(0.0, 0.0, QUARTER);
    let (world, entity) = alone!(PostRotation::identity(), post);
    let columns = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    assert_turns(Kind::PostRotation, &world, entity, columns);
}

/// About the pivot (1, 1, 1) the scale (2, 3, 4) takes the origin to (-1, -2, -3).
#[test]
fn scale_about_a_pivot() {
    let scale = NonUniformScale::new(2.0, 3.0, 4.0);
    let (mut world, entity) =
        alone!(scale, ScalePivot::new(1.0, 1.0, 1.0), CompositeScale::identity());
    let rows = [[2.0, 0.0, 0.0, -1.0], [0.0, 3.0, 0.0, -2.0], [0.0, 0.0, 4.0, -3.0]];
    assert_value(&world, entity, Kind::CompositeScale, rows);
    world.entry(entity).unwrap().add_component(ScalePivotTranslation::new(1.0, 0.0, 0.0));
    assert_world(&world, entity, [[2.0, 0.0, 0.0, 0.0], rows[1], rows[2]]);
}

/// The shear acts after the scale: each of its columns is scaled.
#[test]
fn shear() {
    let scale = NonUniformScale::new(2.0, 3.0, 4.0);
    let (world, entity) = alone!(scale, Shear::new(0.5, 0.25, 2.0), CompositeScale::identity());
    let rows = [[2.0, 1.5, 1.0, 0.0], [0.0, 3.0, 8.0, 0.0], [0.0, 0.0, 4.0, 0.0]];
    assert_world(&world, entity, rows);
    let (world, entity) = alone!(Shear::new(0.5, 0.25, 2.0), CompositeScale::identity());
    let rows = [[1.0, 0.5, 0.25, 0.0], [0.0, 1.0, 2.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    assert_world(&world, entity, rows);
}

/// The parent is at (10, 0, 0), turned by 90 degrees and twice as large. Its child at (1, 0, 0) is
/// at (10, 2, 0); the grandchild half a unit further.
#[test]
fn a_child_is_in_the_space_of_its_parent() {
    let (mut world, root) =
        alone!(Translation::new(10.0, 0.0, 0.0), Rotation(quarter()), Scale(2.0));
    let child = child!(world, root, Translation::new(1.0, 0.0, 0.0), Scale(0.5));
    let grandchild = child!(world, child, Translation::new(0.5, 0.0, 0.0));
    let rows = [[0.0, -1.0, 0.0, 10.0], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 0.0]];
    assert_world(&world, child, rows);
    assert_world(&world, grandchild, [rows[0], [1.0, 0.0, 0.0, 2.5], rows[2]]);
    let local = [[0.5, 0.0, 0.0, 1.0], [0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.0]];
    assert_value(&world, child, Kind::LocalToParent, local);
}

/// The parent's scale (2, 4, 8) is taken back after the child's rotation: the child's axes have
/// length 1 in the world, its place is scaled.
#[test]
fn parent_scale_inverse() {
    let (mut world, root) = alone!(NonUniformScale::new(2.0, 4.0, 8.0));
    let parts = (Translation::new(1.0, 0.0, 0.0), Rotation(quarter()));
    let child = child!(world, root, parts.0, parts.1, ParentScaleInverse::identity());
    let inverse = [[0.5, 0.0, 0.0, 0.0], [0.0, 0.25, 0.0, 0.0], [0.0, 0.0, 0.125, 0.0]];
    assert_value(&world, child, Kind::ParentScaleInverse, inverse);
    let rows = [[0.0, -1.0, 0.0, 2.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    assert_world(&world, child, rows);
}

/// A scale of 0 inverts to 0. The matrix of a composite with it has no inverse and gives the
/// identity, unless it is derived from a scale alone.
#[test]
fn scales_without_inverse() {
    let scale = NonUniformScale::new(0.0, 4.0, 1.0);
    let of_axes = [[0.0, 0.0, 0.0, 0.0], [0.0, 0.25, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let identity = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let (mut world, root) = alone!(scale);
    let child = child!(world, root, ParentScaleInverse::identity());
    assert_value(&world, child, Kind::ParentScaleInverse, of_axes);
    world.entry(root).unwrap().add_component(CompositeScale::identity());
    assert_value(&world, child, Kind::ParentScaleInverse, of_axes);
    world.entry(root).unwrap().add_component(ScalePivot::new(1.0, 0.0, 0.0));
    assert_value(&world, child, Kind::ParentScaleInverse, identity);
}

#[test]
fn world_to_local() {
    let parts = (Translation::new(1.0, 2.0, 3.0), Rotation(quarter()), Scale(2.0));
    let (world, entity) = alone!(parts.0, parts.1, parts.2, WorldToLocal::identity());
    let rows = [[0.0, 0.5, 0.0, -1.0], [-0.5, 0.0, 0.0, 0.5], [0.0, 0.0, 0.5, -1.5]];
    assert_value(&world, entity, Kind::WorldToLocal, rows);
    let (world, entity) = alone!(NonUniformScale::new(1.0, 0.0, 1.0), WorldToLocal::identity());
    let identity = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    assert_value(&world, entity, Kind::WorldToLocal, identity);
}

/// Below a parent at (5, 0, 0), turned by 90 degrees and scaled by (2, 3, 4), with a child at
/// (1, 1, 0).
#[test]
fn inherits() {
    let parent = (Translation::new(5.0, 0.0, 0.0), Rotation(quarter()));
    let (mut world, root) = alone!(parent.0, parent.1, NonUniformScale::new(2.0, 3.0, 4.0));
    let place = Translation::new(1.0, 1.0, 0.0);
    let mut with = |translation, rotation, scale| {
        child!(world, root, place, Inherits { translation, rotation, scale })
    };
    let (nothing, place, turn) =
        (with(false, false, false), with(true, false, false), with(false, true, false));
    let scale = with(true, false, true);
    let rows = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]];
    assert_world(&world, nothing, rows);
    assert_world(&world, place, [[1.0, 0.0, 0.0, 6.0], rows[1], rows[2]]);
    let rows = [[0.0, -1.0, 0.0, -1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]];
    assert_world(&world, turn, rows);
    let rows = [[2.0, 0.0, 0.0, 7.0], [0.0, 3.0, 0.0, 3.0], [0.0, 0.0, 4.0, 0.0]];
    assert_world(&world, scale, rows);
}

/// An axis of a parent that has no length counts as perpendicular to the two others.
#[test]
fn inherits_the_turn_of_a_flat_parent() {
    let (mut world, root) = alone!(Rotation(quarter()), NonUniformScale::new(2.0, 3.0, 0.0));
    let turn = Inherits { translation: false, rotation: true, scale: false };
    let child = child!(world, root, Translation::new(1.0, 2.0, 3.0), turn);
    let rows = [[0.0, -1.0, 0.0, -2.0], [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 3.0]];
    assert_world(&world, child, rows);
    let magnitude = Reference::of(&world).world(child).unwrap().magnitude.max();
    assert!(magnitude < 100.0, "{magnitude}");
}

/// A row of zeros of which nothing is known is no row of zeros.
#[test]
fn errors_of_what_has_no_inverse() {
    let flat = Matrix4::from_diagonal(&[1.0, 0.0, 1.0, 1.0].into());
    assert!(matches!(inverse_of(&Bounded::exact(flat)), Inverse::None));
    let blurred = Bounded::within(flat, Matrix4::repeat(1e-6));
    assert!(matches!(inverse_of(&blurred), Inverse::Unclear));
}

/// What is left of the parent is its z axis, which has no x but for rounding, and the child's x
/// axis has no z but for rounding: an x is left, of the size of a rounding of a rounding.
#[test]
fn errors_of_errors() {
    let (mut world, root) = alone!(Rotation(quarter()), NonUniformScale::new(0.0, 0.0, 2.0));
    let child = child!(world, root, Rotation(quarter()));
    let reference = Reference::of(&world);
    let world = reference.world(child).unwrap();
    let (is, error) = (world.value[(0, 0)], world.magnitude[(0, 0)]);
    assert!(is == 0.0 && error > 1e-7 && error < 1e-4, "{is} {error}");
}

/// Without the rotation a scale and shears are left: nothing below the diagonal, to the last bit.
#[test]
fn inherits_without_the_rotation() {
    let axes = Matrix4::new(
        1.0, 2.0, 3.0, 0.0, 0.5, 1.0, -1.0, 0.0, 0.25, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    );
    let rest = inherited(&Bounded::exact(axes), [true, false, true]).value;
    assert_eq!([rest[(1, 0)], rest[(2, 0)], rest[(2, 1)]], [0.0; 3]);
    let lengths = [0, 1, 2].map(|column| rest.column(column).norm() - axes.column(column).norm());
    assert!(lengths.iter().all(|off| off.abs() < 1e-12), "as long as before: {lengths:?}");
}

/// A matrix of the user's counts where there are no inputs, a projection included.
#[test]
fn matrices_of_users() {
    let mut camera = Matrix4::<f32>::identity();
    camera[(3, 2)] = -1.0;
    let (mut world, root) = alone!(LocalToWorld(camera));
    let child = child!(world, root, Translation::new(0.0, 0.0, 2.0));
    let reference = Reference::of(&world);
    let got = reference.world(child).unwrap().value;
    // w = -(z + 2) + 1
    assert_eq!([0, 1, 2, 3].map(|column| got[(3, column)]), [0.0, 0.0, -1.0, -1.0]);
    assert_eq!(got[(2, 3)], 2.0);
}

#[test]
fn relations() {
    let (mut world, root) = alone!();
    let first = child!(world, root);
    let second = child!(world, root);
    let reference = Reference::of(&world);
    assert_eq!(reference.children(root), [first, second]);
    assert_eq!((reference.parent(first), reference.parent(root)), (Some(root), None));
    // A parent that is not there, and one without `LocalToWorld`: roots that wait. Those with a
    // record have lost theirs, and lose `LocalToParent` with it.
    let (dead, bare) = (world.push(()), world.push(()));
    world.remove(dead);
    let orphans = [child!(world, dead, Scale(2.0)), child!(world, bare, Scale(2.0))];
    let records = [dead, bare].map(|parent| PreviousParent::from(Some(parent)));
    let lost = |record: PreviousParent| child!(world, record.parent().unwrap(), Scale(2.0), record);
    let [died, hidden] = records.map(lost);
    let reference = Reference::of(&world);
    assert_eq!(reference.waiting(), &HashMap::from([(orphans[0], dead), (orphans[1], bare)]));
    for orphan in orphans.into_iter().chain([died, hidden]) {
        assert_eq!(reference.parent(orphan), None);
        let rows = [[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]];
        assert_world(&world, orphan, rows);
    }
    // `Parent` without `LocalToParent` is no link.
    let alone = world.push((LocalToWorld::identity(), Parent(root)));
    assert_eq!(Reference::of(&world).parent(alone), None);
}

/// `a` and `b` are on a cycle, so they are roots at their local places; `c` hangs off `a`.
#[test]
fn cycles() {
    let mut world = World::default();
    let stub = world.push(());
    let a = child!(world, stub, Translation::new(1.0, 0.0, 0.0));
    let b = child!(world, a, Translation::new(2.0, 0.0, 0.0));
    let c = child!(world, a, Translation::new(4.0, 0.0, 0.0));
    world.entry(a).unwrap().add_component(Parent(b));
    let reference = Reference::of(&world);
    assert_eq!(reference.cycles().len(), 2);
    assert_eq!((reference.parent(a), reference.parent(b)), (None, None));
    assert_eq!(reference.children(a), [c]);
    for (entity, x) in [(a, 1.0), (b, 2.0), (c, 5.0)] {
        assert_eq!(reference.world(entity).unwrap().value[(0, 3)], x);
    }
}

#[test]
fn write_groups() {
    struct Mine;
    let (mut world, root) = alone!(Scale(2.0), Mine);
    let child = child!(world, root, Translation::new(1.0, 0.0, 0.0));
    world.entry(root).unwrap().add_component(LocalToWorld(Matrix4::identity() * 3.0));
    let setup = Setup::default().write_group::<LocalToWorld, Mine>();
    let x = |setup| Reference::with(&world, setup).world(child).unwrap().value[(0, 3)];
    assert_eq!((x(&setup), x(&Setup::default())), (3.0, 2.0));
}

/// The bound grows in proportion with the depth, not with its power: 200 turned links.
#[test]
fn the_error_grows_with_the_depth() {
    let mut world = World::default();
    let mut last = world.push((LocalToWorld::identity(),));
    let mut bounds = Vec::new();
    for _ in 0..200 {
        let turn = Rotation::from_euler_angles(0.5, 0.7, 0.9);
        last = child!(world, last, Translation::new(1.0, 0.0, 0.0), turn);
        bounds.push(last);
    }
    let reference = Reference::of(&world);
    let bound = |entity| reference.world(entity).unwrap().magnitude[(0, 0)];
    let (shallow, deep) = (bound(bounds[19]), bound(bounds[199]));
    assert!((5.0..20.0).contains(&(deep / shallow)), "{shallow} at 20, {deep} at 200");
}
