//! A component without the one that reads it, or without its option, is a finding with its fix.

use std::any::type_name;

use harness::TestWorld;
use legion::{Entity, Resources, World, storage::IntoComponentSource};
use legion_transform::{
    TransformStats,
    changes::FollowError,
    components::{
        CompositeRotation, CompositeScale, RenderLayers, RotationEulerZXY, RotationPivot,
        RotationPivotTranslation, ScalePivot, ScalePivotTranslation, Shear, Visible,
    },
    edit::FailedEdits,
    findings::{Finding, FindingKind},
    frames::{Frame, Origin},
    prelude::*,
    smooth::Smooth,
    spawn::ComponentTuple,
};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

/// What two runs tell: the same, as nothing happens in between.
fn tells(it: &mut TestWorld) -> Vec<(FindingKind, Entity)> {
    let told = [(); 2].map(|()| {
        it.run();
        let found = it.findings().into_iter();
        let name = |it: &Finding| it.to_string().contains(&format!("{:?}", it.entity));
        found.inspect(|it| assert!(name(it))).map(|it| (it.kind, it.entity)).collect()
    });
    let [first, second] = told;
    assert_eq!(first, second);
    first
}

/// What a check finds after a run.
fn checked(it: &mut TestWorld) -> Vec<(FindingKind, Entity, Option<Entity>)> {
    it.run();
    let found = Findings::check(&it.world).into_iter();
    found.map(|it| (it.kind, it.entity, it.related)).collect()
}

fn large() -> TestWorld {
    TestWorld::new(TransformSystemBundle::default().large_worlds())
}

fn without(component: &'static str, needs: &'static str) -> FindingKind {
    FindingKind::WithoutEffect { component, needs }
}

/// What is told of one entity with these components and a matrix, which is all that Legion's own
/// `push` gives it. Spawned as a transform, or with `insert_missing`, it lacks nothing.
fn told_of<T: ComponentTuple + Clone>(components: T) -> Vec<FindingKind>
where
    Option<T>: IntoComponentSource,
{
    let mut it = TestWorld::default();
    let entity = it.world.push(components.clone());
    it.put(entity, LocalToWorld::identity());
    let told = tells(&mut it);
    assert!(told.iter().all(|(_, of)| *of == entity));

    let mut other = TestWorld::default();
    let spawned = other.world.push_transform(components.clone());
    assert_eq!(tells(&mut other), []);
    let before = TransformQuery::new(&other.world).local_to_world(spawned);
    let mut inserting = TestWorld::new(TransformSystemBundle::default().insert_missing());
    tells(&mut inserting);
    let pushed = inserting.world.push(components);
    let foreseen = TransformQuery::new(&inserting.world).local_to_world(pushed);
    assert_eq!(tells(&mut inserting), []);
    assert_eq!((before, foreseen), (Ok(other.value(spawned)), Ok(other.value(spawned))));
    assert_eq!(inserting.matrix(pushed), other.matrix(spawned));
    told.into_iter().map(|(kind, _)| kind).collect()
}

/// Transform components without `LocalToWorld` do nothing, and that is said, with all that has to
/// be added.
#[test]
fn a_missing_local_to_world_is_told() {
    let mut test = TestWorld::default();
    let parent = test.at(1.0);
    let lone = test.push((Translation::new(1.0, 0.0, 0.0),));
    let child =
        test.push((Parent(parent), LocalToParent::identity(), Translation::new(1.0, 0.0, 0.0)));
    let turned = test.push((RotationEulerXYZ::new(0.0, 1.0, 0.0), Rotation::identity()));
    let other = test.push((7_u8,));
    let missing = [lone, child, turned].map(|it| (FindingKind::MissingLocalToWorld, it));
    let told = tells(&mut test);
    assert!(told.len() == 3 && missing.iter().all(|it| told.contains(it)), "{told:?}");
    assert!(test.findings()[0].to_string().contains("add LocalToWorld, and LocalToParent"));
    for entity in [lone, child, turned] {
        test.put(entity, LocalToWorld::identity());
    }
    test.despawn(other);
    assert_eq!(tells(&mut test), []);
    assert_eq!((test.x(lone), test.x(child)), (1.0, 2.0));
}

#[test]
fn inputs_of_composites_without_the_composite() {
    let (pivot, by) = (RotationPivot::new(1.0, 0.0, 0.0), RotationPivotTranslation::default());
    let rotation = [
        without("PostRotation", "CompositeRotation"),
        without("RotationPivot", "CompositeRotation"),
        without("RotationPivotTranslation", "CompositeRotation"),
    ];
    let post = PostRotation::identity();
    assert_eq!(told_of((Rotation::identity(), post, pivot, by)), rotation);
    assert_eq!(told_of((CompositeRotation::identity(), post, pivot, by)), []);

    let (pivot, by) = (ScalePivot::new(1.0, 0.0, 0.0), ScalePivotTranslation::default());
    let scale = [
        without("ScalePivot", "CompositeScale"),
        without("ScalePivotTranslation", "CompositeScale"),
        without("Shear", "CompositeScale"),
    ];
    assert_eq!(told_of((Scale(2.0), pivot, by, Shear::default())), scale);
    assert_eq!(told_of((CompositeScale::identity(), pivot, by, Shear::default())), []);
}

#[test]
fn angles_without_their_rotation() {
    let angles = RotationEulerZXY::new(0.1, 0.2, 0.3);
    assert_eq!(told_of((angles,)), [without("RotationEulerZXY", "Rotation")]);
    assert_eq!(told_of((angles, Rotation::identity())), []);
    let angles = PostRotationEulerXYZ::new(0.1, 0.2, 0.3);
    let composite = CompositeRotation::identity();
    let told = [without("PostRotationEulerXYZ", "PostRotation")];
    assert_eq!(told_of((angles, composite)), told);
    assert_eq!(told_of((angles, composite, PostRotation::identity())), []);
}

fn turned_by<T: ComponentTuple>(components: T, expected: Matrix4<f32>) {
    let mut it = TestWorld::default();
    let alone = it.world.push_transform(components);
    tells(&mut it);
    assert!((it.matrix(alone) - expected).amax() < 1e-6, "{}", type_name::<T>());
}

#[test]
fn inputs_that_are_spawned_count() {
    let angles = RotationEulerXYZ::new(0.1, 0.2, 0.3);
    let turn = Rotation::from_euler_angles(0.1, 0.2, 0.3).0.to_homogeneous();
    turned_by((angles,), turn);
    turned_by((PostRotationEulerXYZ::new(0.1, 0.2, 0.3),), turn);
    turned_by((PostRotation::from_euler_angles(0.1, 0.2, 0.3),), turn);
    let pivot = Vector3::new(1.0, 0.0, 0.0);
    let there = Matrix4::new_translation(&pivot);
    let about = there * turn * Matrix4::new_translation(&-pivot);
    turned_by((angles, RotationPivot(pivot)), about);
    turned_by((RotationPivotTranslation(pivot),), there);
    let grown = there * Matrix4::new_scaling(2.0) * Matrix4::new_translation(&-pivot);
    turned_by((Scale(2.0), ScalePivot(pivot)), grown);
    turned_by((ScalePivotTranslation(pivot),), there);
    // Many rows, and children of a tree, as one.
    let mut world = World::default();
    let rows = (0..100).map(|i| (RotationEulerXYZ::new(i as f32, 0.0, 0.0),));
    let ids = world.extend_transforms(rows);
    let root = world.push_tree((Scale(2.0), ScalePivot(pivot)), |root| {
        root.push_child((PostRotationEulerXYZ::new(0.1, 0.2, 0.3),));
    });
    let mut it = TestWorld::default();
    std::mem::swap(&mut it.world, &mut world);
    assert_eq!(tells(&mut it), []);
    let child = it.world.entry(root).unwrap().get_component::<Children>().unwrap()[0];
    assert!((it.matrix(root) - grown).amax() < 1e-6);
    assert!((it.matrix(child) - grown * turn).amax() < 1e-6);
    for (i, entity) in ids.into_iter().enumerate() {
        let turn = Rotation::from_euler_angles(i as f32, 0.0, 0.0).0.to_homogeneous();
        assert!((it.matrix(entity) - turn).amax() < 1e-5);
    }
}

/// 100 entities get in one move what their angles and pivots need, and few do one by one.
#[test]
fn insert_missing_gives_what_inputs_need() {
    let rows = |count| {
        (0..count).map(|i| (PostRotationEulerXYZ::new(i as f32, 0.0, 0.0), Shear::default()))
    };
    for (count, without) in [(100, ""), (3, ""), (100, "bulk")] {
        let bundle = TransformSystemBundle::default().insert_missing();
        let mut it =
            TestWorld::new(if without.is_empty() { bundle } else { bundle.without(without) });
        let ids = it.world.extend(rows(count)).to_vec();
        assert_eq!(tells(&mut it), []);
        for (i, entity) in ids.into_iter().enumerate() {
            let turn = Rotation::from_euler_angles(i as f32, 0.0, 0.0).0;
            let expected = turn.to_homogeneous();
            assert!((it.matrix(entity) - expected).amax() < 1e-5);
            let entry = it.world.entry(entity).unwrap();
            assert!(entry.get_component::<PostRotation>().is_ok());
            assert!(entry.get_component::<CompositeRotation>().is_ok());
            assert!(entry.get_component::<CompositeScale>().is_ok());
            assert!(entry.get_component::<Rotation>().is_err(), "nothing needs it");
        }
    }
}

/// A component of the user's that gives the matrix may read them.
#[test]
fn what_a_component_of_the_users_reads_is_not_told() {
    struct Rig;
    let mut it =
        TestWorld::new(TransformSystemBundle::default().write_group::<LocalToWorld, Rig>());
    it.world.push_transform((RotationPivot::new(1.0, 0.0, 0.0), Rig));
    assert_eq!(tells(&mut it), []);
    let other = it.world.push((LocalToWorld::identity(), RotationPivot::new(1.0, 0.0, 0.0)));
    assert_eq!(tells(&mut it), [(without("RotationPivot", "CompositeRotation"), other)]);
    it.put(other, CompositeRotation::identity());
    assert_eq!(tells(&mut it), [], "the fix helps");
}

#[test]
fn values_that_no_bundle_inherits() {
    let mut it = TestWorld::default();
    let hidden = it.world.push_transform((Visible(false),));
    let layered = it.world.push_transform((RenderLayers::default(),));
    let inherit = "TransformSystemBundle::inherit()";
    let told = [(without("RenderLayers", inherit), layered), (without("Visible", inherit), hidden)];
    assert_eq!(tells(&mut it), told);
    let mut it = TestWorld::new(TransformSystemBundle::default().inherit::<Visible>());
    it.world.push_transform((Visible(false),));
    assert_eq!(tells(&mut it), []);
}

#[test]
fn frames_without_their_option_and_beside_other_inputs() {
    let mut it = TestWorld::default();
    let frame = it.world.push_transform((Frame::from_xyz(1e9, 0.0, 0.0),));
    let option = "TransformSystemBundle::large_worlds()";
    assert_eq!(tells(&mut it), [(without("Frame", option), frame)]);

    let mut it = large();
    it.world.push_transform((Frame::from_xyz(1e9, 0.0, 0.0),));
    assert_eq!(tells(&mut it), []);
    let both =
        it.world.push_transform((Frame::from_xyz(1e9, 0.0, 0.0), Translation::new(1.0, 0.0, 0.0)));
    assert_eq!(tells(&mut it), [(FindingKind::InputsBesideFrame, both)]);
    it.world.remove(both);
    assert_eq!(tells(&mut it), []);
}

#[test]
fn a_frame_below_a_parent_without_one() {
    let mut it = large();
    let ship = it.world.push_transform((Translation::new(1.0, 0.0, 0.0),));
    let buoy = it.world.push_child(ship, (Frame::default(),));
    assert_eq!(checked(&mut it), [(FindingKind::FrameBelowNone, buoy, Some(ship))]);
    it.take::<Translation>(ship);
    it.put(ship, Frame::default());
    assert_eq!(checked(&mut it), []);
}

/// 0.2 m of a bolt at the earth's radius are lost to the steps of `f32`. A frame for the site
/// helps, where the viewer may be anywhere.
#[test]
fn children_far_away_without_a_frame() {
    const EARTH: f32 = 6_378_137.0;
    let mut it = large();
    let site = it.world.push_transform((Translation::new(EARTH, 0.0, 0.0),));
    let bolt = it.world.push_child(site, (Translation::new(0.2, 0.0, 0.0),));
    assert_eq!(checked(&mut it), [(FindingKind::FarAway, site, Some(bolt))]);
    assert!(Findings::check(&it.world)[0].to_string().contains("Frame"));
    // What is as good as 0, and what is a whole number of steps, loses nothing.
    for x in [1e-9, 2.0, 0.0] {
        it.put(bolt, Translation::new(x, 0.0, 0.0));
        assert_eq!(checked(&mut it), [], "{x}");
    }
    // In a frame, the place in it counts, and not where it is seen: far from the viewer, or near.
    it.put(site, Frame::from_xyz(EARTH.into(), 0.0, 0.0));
    it.take::<Translation>(site);
    it.put(bolt, Translation::new(0.2, 0.0, 0.0));
    assert_eq!(checked(&mut it), []);
    let base = it.world.push_child(site, (Translation::new(0.0, EARTH, 0.0),));
    let nut = it.world.push_child(base, (Translation::new(0.0, 0.2, 0.0),));
    it.resources.insert(Origin(site));
    assert_eq!(checked(&mut it), [(FindingKind::FarAway, base, Some(nut))]);
    // What inherits no place is in no frame: it is where it is seen.
    it.put(base, Inherits::NOTHING);
    assert_eq!(checked(&mut it), [(FindingKind::FarAway, base, Some(nut))]);
    it.put(base, Translation::new(0.0, 1.0, 0.0));
    assert_eq!(checked(&mut it), []);
}

/// What stands so far from its frame that `f32` cannot say where, also if nothing is below it.
#[test]
fn an_entity_far_from_its_frame() {
    let mut it = large();
    let sun = it.world.push_transform((Frame::default(),));
    let earth = it.world.push_child(sun, (Frame::from_xyz(1.5e11, 0.0, 0.0),));
    let house = it.world.push_child(sun, (Translation::new(1.5e11, 0.0, 0.0),));
    let near = it.world.push_child(earth, (Translation::new(0.0, 1e5, 0.0),));
    // What is below it is not named: it stands near it. Nor is what is in no frame.
    it.world.push_child(house, (Translation::new(1.5e11, 0.0, 0.0),));
    it.world.push_child(near, (Translation::new(0.0, 5e3, 0.0),));
    let root = it.world.push_transform((Translation::new(3e5, 0.0, 0.0),));
    it.world.push_child(root, (Translation::new(1e5, 0.0, 0.0),));
    assert_eq!(checked(&mut it), [(FindingKind::FarAway, house, None)]);
    assert!(Findings::check(&it.world)[0].to_string().contains("nearest frame"));
}

#[test]
fn a_frame_whose_rotation_is_not_of_length_1() {
    let mut it = large();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 1.0);
    let unit = Frame { rotation: turn, ..Frame::default() };
    let long = UnitQuaternion::new_unchecked(turn.into_inner() * 1.5);
    let [frame, other] =
        [long, turn].map(|rotation| it.world.push_transform((Frame { rotation, ..unit },)));
    let kind = FindingKind::RotationNotUnit { component: "Frame" };
    assert_eq!(checked(&mut it), [(kind, frame, None)]);
    // It counts as if its length were 1.
    assert!((it.matrix(frame) - it.matrix(other)).amax() < 1e-6);
    it.put(frame, unit);
    assert_eq!(checked(&mut it), []);
}

/// One resource names the origin of one of two worlds. The other one has no frames, and needs none.
#[test]
fn an_origin_for_one_of_two_worlds() {
    let mut it = large();
    let mut menu = World::default();
    menu.push_transform((Translation::new(1.0, 0.0, 0.0),));
    let ship = it.world.push_transform((Frame::from_xyz(1.0, 0.0, 0.0),));
    it.resources.insert(Origin(ship));
    assert_eq!(tells(&mut it), []);
    std::mem::swap(&mut it.world, &mut menu);
    assert_eq!(tells(&mut it), [], "no frames, no origin");
    let button = it.world.push_transform((Frame::default(),));
    assert_eq!(tells(&mut it), [(FindingKind::DeadOrigin, ship)], "it is of another world");
    it.world.remove(button);
    assert_eq!(tells(&mut it), [(FindingKind::DeadOrigin, ship)], "it had a frame");
    std::mem::swap(&mut it.world, &mut menu);
    assert_eq!(tells(&mut it), []);
}

#[test]
fn an_origin_that_is_gone() {
    let mut it = large();
    let ship = it.world.push_transform((Frame::from_xyz(1.5e11, 0.0, 0.0),));
    let buoy = it.world.push_transform((Frame::from_xyz(1.5e11 + 3.0, 0.0, 0.0),));
    it.resources.insert(Origin(ship));
    assert_eq!(tells(&mut it), []);
    it.world.remove(ship);
    assert_eq!(tells(&mut it), [(FindingKind::DeadOrigin, ship)]);
    it.resources.insert(Origin(buoy));
    assert_eq!(tells(&mut it), [], "the fix helps");
    it.resources.remove::<Origin>();
    assert_eq!(tells(&mut it), [], "without the resource the universe is meant");
}

/// Who asks for a list that nothing fills is told the option, in the world that was asked about.
#[test]
fn changes_that_no_bundle_tracks() {
    let mut it = TestWorld::default();
    let rock = it.world.push_transform((Translation::new(7.0, 0.0, 0.0),));
    assert_eq!(tells(&mut it), [], "nobody has asked");
    let mut other = World::default();
    other.push_transform((Translation::new(7.0, 0.0, 0.0),));
    it.schedule.execute(&mut other, &mut it.resources);
    let changes = it.resources.get::<TransformChanges>().unwrap();
    assert!(changes.of(&it.world).is_empty());
    assert_eq!(Smooth::default().tick(&it.world, &changes), Err(FollowError::NotTracked));
    assert!(FollowError::NotTracked.to_string().contains("track_changes()"));
    drop(changes);
    assert_eq!(tells(&mut it), [(FindingKind::ChangesNotTracked, rock)]);
    it.schedule.execute(&mut other, &mut it.resources);
    assert!(it.resources.get::<Findings>().unwrap().is_clean(&other), "of it nobody has");
    let text = it.resources.get::<Findings>().unwrap().of(&it.world).next().unwrap().to_string();
    assert!(text.contains("track_changes()"), "{text}");

    let mut it = TestWorld::new(TransformSystemBundle::default().track_changes());
    it.world.push_transform((Translation::new(7.0, 0.0, 0.0),));
    it.run();
    let changes = it.resources.get::<TransformChanges>().unwrap();
    assert_eq!(changes.of(&it.world).changed().count(), 1);
    assert_eq!(Smooth::default().tick(&it.world, &changes), Ok(()));
    drop(changes);
    assert_eq!(tells(&mut it), []);
}

/// What systems behind the bundle may name is there from the first run on, whoever forgot to insert
/// it; and in other resources, too.
#[test]
fn resources_that_nobody_inserted() {
    let mut it = TestWorld::default();
    for _ in 0..2 {
        it.resources = Resources::default();
        it.run();
        assert!(it.resources.contains::<Findings>() && it.resources.contains::<FailedEdits>());
        let changes = it.resources.contains::<TransformChanges>();
        assert!(changes && it.resources.contains::<TransformStats>());
    }
}

#[test]
fn an_origin_below_no_frame_and_large_worlds_without_an_origin() {
    let mut it = large();
    let camera = it.world.push_transform((Translation::new(7.0, 0.0, 0.0),));
    let buoy = it.world.push_transform((Frame::from_xyz(3.0, 0.0, 0.0),));
    for origin in [None, Some(Origin(camera))] {
        it.resources.remove::<Origin>();
        origin.into_iter().for_each(|origin| it.resources.insert(origin));
        assert_eq!(tells(&mut it), []);
        assert_eq!((it.x(buoy), it.x(camera)), (3.0, 7.0), "seen from the universe's own origin");
    }
}
