//! Values cross to other mathematics crates and back, and mean the same there.

use legion_transform::{components::*, prelude::*};
use nalgebra::{Matrix4, UnitQuaternion};

fn matrix() -> Matrix4<f32> {
    Matrix4::from_fn(|row, column| (row * 10 + column) as f32)
}

fn rotation() -> UnitQuaternion<f32> {
    UnitQuaternion::from_euler_angles(0.4, -0.7, 1.9)
}

/// Every component of vectors and matrices, there and back again.
macro_rules! there_and_back {
    ($foreign:ty: $value:expr, $($component:ident),*) => {$(
        let component = $component::from($value);
        let there: $foreign = component.into();
        assert_eq!($component::from(there), component, stringify!($component));
    )*};
}

macro_rules! vectors_there_and_back {
    ($foreign:ty: $value:expr) => {
        there_and_back!(
            $foreign: $value, Translation, NonUniformScale, Shear,
            RotationPivot, RotationPivotTranslation, ScalePivot, ScalePivotTranslation,
            RotationEulerXYZ, RotationEulerXZY, RotationEulerYXZ,
            RotationEulerYZX, RotationEulerZXY, RotationEulerZYX,
            PostRotationEulerXYZ, PostRotationEulerXZY, PostRotationEulerYXZ,
            PostRotationEulerYZX, PostRotationEulerZXY, PostRotationEulerZYX
        )
    };
}

macro_rules! matrices_there_and_back {
    ($foreign:ty: $value:expr) => {
        there_and_back!(
            $foreign: $value, LocalToWorld, LocalToParent, WorldToLocal,
            CompositeRotation, CompositeScale, ParentScaleInverse
        )
    };
}

#[cfg(feature = "glam-033")]
#[test]
fn glam_understands_them() {
    use glam::{Mat4, Quat, Vec3};
    use nalgebra::{Point3, Vector3};

    let vector = Vector3::new(1.0, 2.0, 3.0);
    vectors_there_and_back!(Vec3: vector);
    matrices_there_and_back!(Mat4: matrix());
    assert_eq!(Vec3::from(Translation::from(vector)), Vec3::new(1.0, 2.0, 3.0));

    // The same rotation and the same matrix do the same there.
    let point = Vec3::new(0.3, -0.6, 0.9);
    for there in [Quat::from(Rotation(rotation())), Quat::from(PostRotation(rotation()))] {
        let here = rotation() * Vector3::new(0.3, -0.6, 0.9);
        assert!((there * point - Vec3::from(here)).length() < 1e-6);
        assert!(Rotation::from(there).angle_to(&rotation()) < 1e-6);
    }
    let transform =
        Transform { translation: vector, rotation: rotation(), scale: Vector3::new(2.0, 3.0, 4.0) };
    let there = Mat4::from(LocalToWorld(transform.to_matrix())).transform_point3(point);
    let here = transform.to_matrix().transform_point(&Point3::new(0.3, -0.6, 0.9));
    assert!((there - Vec3::new(here.x, here.y, here.z)).length() < 1e-5);

    let (scale, turn, translation) = transform.into();
    assert!(
        Mat4::from_scale_rotation_translation(scale, turn, translation)
            .abs_diff_eq(Mat4::from(LocalToWorld(transform.to_matrix())), 1e-5)
    );
    assert_eq!(Transform::from((scale, turn, translation)).scale, transform.scale);
    assert!(
        (Rotation::from(Quat::from_xyzw(0.0, 0.0, 0.0, 2.0)).norm() - 1.0).abs() < 1e-6,
        "normalised"
    );
}

#[cfg(feature = "mint-05")]
#[test]
fn mint_carries_them() {
    use mint::{ColumnMatrix4, Quaternion, Vector3};

    let vector = nalgebra::Vector3::new(1.0, 2.0, 3.0);
    vectors_there_and_back!(Vector3<f32>: vector);
    matrices_there_and_back!(ColumnMatrix4<f32>: matrix());
    let columns: ColumnMatrix4<f32> = LocalToWorld(matrix()).into();
    assert_eq!((columns.x.y, columns.y.x, columns.w.z), (10.0, 1.0, 23.0));
    let quaternion: Quaternion<f32> = Rotation(rotation()).into();
    assert_eq!(
        [quaternion.v.x, quaternion.v.y, quaternion.v.z, quaternion.s],
        <[f32; 4]>::from(rotation().coords)
    );
    assert!(Rotation::from(quaternion).angle_to(&rotation()) < 1e-6);
    assert!(
        PostRotation::from(Quaternion::from(PostRotation(rotation()))).angle_to(&rotation()) < 1e-6
    );
}

/// One rule for all: what has a length gets the length 1, and what has none stays as given.
#[cfg(all(feature = "glam-033", feature = "mint-05"))]
#[test]
fn quaternions_without_a_length_stay_as_given() {
    use glam::{Quat, Vec3};
    use legion_transform::findings::FindingKind;
    use nalgebra::Quaternion;

    let (nan, infinity) = (f32::NAN, f32::INFINITY);
    for given in [[0.0; 4], [nan; 4], [nan, 0.0, 0.0, 1.0], [0.0, 0.0, infinity, 1.0]] {
        let [x, y, z, w] = given;
        let foreign = Quat::from_array(given);
        let mint = mint::Quaternion { v: [x, y, z].into(), s: w };
        let own = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
        let transform = Transform::from((Vec3::ONE, foreign, Vec3::ZERO));
        let all = [foreign.into(), mint.into(), own.into(), Rotation(transform.rotation)];
        let post = [PostRotation::from(foreign).0, PostRotation::from(mint).0];
        let bits =
            |rotation: UnitQuaternion<f32>| <[f32; 4]>::from(rotation.coords).map(f32::to_bits);
        for rotation in all.map(|rotation: Rotation| rotation.0).into_iter().chain(post) {
            assert_eq!(bits(rotation), given.map(f32::to_bits));
        }
        let mut world = legion::World::default();
        let entity = world.push_transform((all[0],));
        let bundle = TransformSystemBundle::default();
        let mut schedule = legion::Schedule::builder().add_transforms(bundle).build();
        schedule.execute(&mut world, &mut legion::Resources::default());
        let found = Findings::check(&world);
        assert_eq!((found.len(), found[0].entity), (1, entity));
        let is_named =
            matches!(found[0].kind, FindingKind::RotationNotUnit { .. } | FindingKind::NotFinite);
        assert!(is_named, "{}", found[0]);
    }
    let (long, turn) = (Quat::from_xyzw(0.0, 0.0, 1.0, 2.0), rotation());
    assert!((Rotation::from(long).norm() - 1.0).abs() < 1e-6);
    assert!(
        (Rotation::from(mint::Quaternion { v: [0.0, 0.0, 1.0].into(), s: 2.0 }).norm() - 1.0).abs()
            < 1e-6
    );
    assert_eq!(Rotation::from(Quat::from(turn)).0, turn, "bit for bit");
}

#[cfg(feature = "bytemuck")]
#[test]
fn bytes_are_the_numbers_in_order() {
    fn numbers<T: bytemuck::Pod>(value: &T) -> &[f32] {
        bytemuck::cast_slice(bytemuck::bytes_of(value))
    }
    let by_column: Vec<f32> = matrix().iter().copied().collect();
    assert_eq!(numbers(&LocalToWorld(matrix())), by_column);
    assert_eq!(&numbers(&WorldToLocal(matrix()))[..4], [0.0, 10.0, 20.0, 30.0]);
    assert_eq!(numbers(&Translation::new(1.0, 2.0, 3.0)), [1.0, 2.0, 3.0]);
    assert_eq!(numbers(&Scale(2.0)), [2.0]);
    assert_eq!(numbers(&Rotation(rotation())), <[f32; 4]>::from(rotation().coords));
    assert_eq!(numbers(&Shear::new(1.0, 2.0, 3.0)), [1.0, 2.0, 3.0]);
    let many = [LocalToWorld::identity(), LocalToWorld(matrix())];
    let bytes: &[u8] = bytemuck::cast_slice(&many);
    assert_eq!(bytemuck::cast_slice::<u8, LocalToWorld>(bytes), many);
    assert_eq!(<CompositeScale as bytemuck::Zeroable>::zeroed().0, Matrix4::zeros());
}
