//! `Inherits`: a child leaves out parts of its parent's world.

use std::f32::consts::FRAC_PI_2;

use harness::{CheckedWorld, Rng, TestWorld, demand};
use legion::Entity;
use legion_transform::prelude::*;
use legion_transform_testing::{Bounded, inherits::inherited};
use nalgebra::{Matrix3, Matrix4, Point3, Vector3};

const PARTS: [Inherits; 8] = {
    let mut all = [Inherits::NOTHING; 8];
    let mut i = 0;
    while i < 8 {
        all[i] = Inherits { translation: i & 1 != 0, rotation: i & 2 != 0, scale: i & 4 != 0 };
        i += 1;
    }
    all
};

fn worlds(it: &TestWorld, entities: &[Entity]) -> Vec<LocalToWorld> {
    entities.iter().map(|&entity| it.value(entity)).collect()
}

/// A child at (1, 0, 0) for each of the eight sets of parts.
fn children(it: &mut TestWorld, parent: Entity) -> Vec<Entity> {
    let at = Translation::new(1.0, 0.0, 0.0);
    PARTS.iter().map(|&parts| it.world.push_child(parent, (at, parts))).collect()
}

/// Worked out by hand: the parent is at (1, 2, 3), turned by a quarter about z (x to y), scaled by
/// (2, 3, 4). The child is at (1, 0, 0).
#[test]
fn each_part_by_itself() {
    let mut it = CheckedWorld::default();
    let parent = it.world.push_transform((
        Translation::new(1.0, 2.0, 3.0),
        Rotation::from_rotation_z(FRAC_PI_2),
        NonUniformScale::new(2.0, 3.0, 4.0),
    ));
    let children = children(&mut it, parent);
    it.run_twice();
    let places = [
        [1.0, 0.0, 0.0], // nothing
        [2.0, 2.0, 3.0], // translation
        [0.0, 1.0, 0.0], // rotation
        [1.0, 3.0, 3.0], // translation and rotation
        [2.0, 0.0, 0.0], // scale
        [3.0, 2.0, 3.0], // translation and scale
        [0.0, 2.0, 0.0], // rotation and scale
        [1.0, 4.0, 3.0], // all
    ];
    for ((world, place), parts) in worlds(&it, &children).iter().zip(places).zip(PARTS) {
        assert!((world.position() - Point3::from(place)).norm() < 1e-6, "{parts:?}: {world:?}");
        let scale = if parts.scale { Vector3::new(2.0, 3.0, 4.0) } else { Vector3::repeat(1.0) };
        assert!((world.scale().0 - scale).norm() < 1e-6, "{parts:?}: {world:?}");
        let right = if parts.rotation { Vector3::y() } else { Vector3::x() };
        assert!((world.right().normalize() - right).norm() < 1e-6, "{parts:?}: {world:?}");
    }
}

/// The harness' reference has the formula in `f64`, and judges each of these runs.
#[test]
fn parents_that_are_sheared_mirrored_flat_or_worse() {
    let turned = Rotation::from_euler_angles(0.4, -0.7, 1.1).to_rotation_matrix().into_inner();
    let diagonal = |x, y, z| Matrix3::from_diagonal(&Vector3::new(x, y, z));
    let sheared = Matrix3::new(1.0, 0.8, -0.3, 0.0, 1.0, 2.0, 0.0, 0.0, 1.0);
    let mut linear = vec![
        turned * sheared * diagonal(2.0, 0.5, 3.0),
        turned * sheared * diagonal(-2.0, 0.5, 3.0),
        turned * sheared * diagonal(2.0, -0.5, -3.0),
        turned * diagonal(1e-18, 1.0, 1e18),
        turned * diagonal(1e38, 1e-38, 1.0),
        turned * sheared * diagonal(1e37, 1e37, 1e37),
        diagonal(f32::MAX, f32::MAX, -f32::MAX),
        diagonal(1e-45, 1e-45, 1e-45), // the least above zero
        turned * Matrix3::repeat(1.0),
        turned * sheared * diagonal(1.0, 1.0, f32::INFINITY),
        turned * diagonal(f32::NAN, 1.0, 1.0),
    ];
    for flat in 1..8 {
        let axis = |i: usize| if flat & (1 << i) == 0 { 2.0 } else { 0.0 };
        linear.push(turned * diagonal(axis(0), axis(1), axis(2)));
        linear.push(turned * sheared * diagonal(axis(0), axis(1), axis(2)));
    }
    for linear in linear {
        for bottom in [[0.0, 0.0, 0.0, 1.0], [0.1, 0.0, -0.2, 2.0]] {
            let mut it = CheckedWorld::default();
            let mut matrix = linear.to_homogeneous();
            matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&Vector3::new(5.0, -1.0, 7.0));
            matrix.set_row(3, &bottom.into());
            let parent = it.world.push((LocalToWorld(matrix),));
            children(&mut it, parent);
            it.run();
        }
    }
}

/// An axis that is flat takes its direction from the two others, so a sprite's child is turned
/// as the sprite is. The product of what is left and what is left out is the parent's world.
#[test]
fn a_flat_parent_keeps_its_rotation() {
    for flat in 0..3 {
        let mut it = CheckedWorld::default();
        let mut scale = [2.0; 3];
        scale[flat] = 0.0;
        let turn = Rotation::from_euler_angles(0.4, -0.7, 1.1);
        let sprite = it.world.push_transform((turn, NonUniformScale::from(scale)));
        let rotation = Inherits { rotation: true, ..Inherits::NOTHING };
        let size = Inherits { scale: true, ..Inherits::NOTHING };
        let turned = it.world.push_child(sprite, (Scale(1.0), rotation));
        let flattened = it.world.push_child(sprite, (Scale(1.0), size));
        it.run();
        let [turned, flattened] = [turned, flattened].map(|child| it.matrix(child));
        assert!((turned - turn.to_homogeneous()).amax() < 1e-6, "{flat}: {turned}");
        let scaling = Matrix4::new_nonuniform_scaling(&Vector3::from(scale));
        assert!((flattened - scaling).amax() < 1e-6, "{flat}: {flattened}");
        assert!((turned * flattened - it.matrix(sprite)).amax() < 1e-6);
    }
}

/// Each element of rotation and rest is rounded once, however flat or long the parent's axes are.
/// From 4.8e-7 on, an axis is so flat that there is no rotation.
#[test]
fn rotation_and_rest_are_as_exact_as_documented() {
    let mut rng = Rng::new(35);
    let mut it = TestWorld::default();
    let rotation = Inherits { rotation: true, ..Inherits::NOTHING };
    let rest = Inherits { scale: true, ..Inherits::NOTHING };
    let mut families = Vec::new();
    for _ in 0..demand::soak(600) {
        let turn = Rotation(rng.quaternion()).to_rotation_matrix().into_inner();
        // x, then y with a part across x, then z with a part across both: 1e-6 to 1 of it.
        let mut flatness = || 10_f32.powf(rng.float(-6.0, 0.0));
        let (b, c) = (flatness(), flatness());
        let shear = Matrix3::new(1.0, 1.0, 0.7, 0.0, b, 0.7, 0.0, 0.0, c);
        let sizes = Vector3::from_fn(|_, _| 10_f32.powf(rng.float(-3.0, 3.0)));
        let mut matrix = (turn * shear * Matrix3::from_diagonal(&sizes)).to_homogeneous();
        if rng.one_in(2) {
            matrix.column_mut(2).neg_mut();
        }
        let parent = it.world.push((LocalToWorld(matrix),));
        let children =
            [rotation, rest].map(|parts| it.world.push_child(parent, (Scale(1.0), parts)));
        families.push((matrix, children));
    }
    it.run();
    let (mut unclear, count) = (0, families.len());
    for (matrix, [turned, stretched]) in families {
        let world = Bounded::exact(matrix.cast());
        let [r, m] = [[false, true, false], [false, false, true]].map(|it| inherited(&world, it));
        if [r, m].iter().any(|it| it.magnitude.amax() >= f32::MAX.into()) {
            unclear += 1; // so flat that rounding of the product may have flattened it entirely
            continue;
        }
        let (r, m) = (r.value, m.value);
        let [turned, stretched] = [turned, stretched].map(|child| it.matrix(child).cast::<f64>());
        for (row, column) in (0..9).map(|i| (i / 3, i % 3)) {
            let off = (turned[(row, column)] - r[(row, column)]).abs();
            assert!(off <= 6e-8, "{matrix} {off:e}");
            let off = (stretched[(row, column)] - m[(row, column)]).abs();
            assert!(off <= 6e-8 * world.value.column(column).norm(), "{matrix} {off:e}");
        }
    }
    assert!(3 * unclear < count, "{unclear} of {count}");
    for (flatness, is_flat) in [(4.7e-7, true), (4.9e-7, false)] {
        let matrix = Matrix3::new(1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, flatness);
        let turn = Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
        let parent = it.world.push((LocalToWorld((turn * matrix).to_homogeneous()),));
        let child = it.world.push_child(parent, (Scale(1.0), rotation));
        it.run();
        let expected = if is_flat { Matrix3::identity() } else { turn };
        assert_eq!(it.matrix(child), expected.to_homogeneous(), "{flatness}");
    }
}

/// All in rows one after another, in one archetype and in several, below one parent and in chains.
#[test]
fn many_in_consecutive_rows() {
    let mut rng = Rng::new(26);
    let mut it = CheckedWorld::default();
    let root = it.world.push_transform((Rotation::identity(), Scale(1.0)));
    let random = |rng: &mut Rng| {
        let [translation, rotation, scale] = [0, 1, 2].map(|_| rng.one_in(2));
        Inherits { translation, rotation, scale }
    };
    for _ in 0..300 {
        it.world.push_child(root, (Translation::from(rng.vector(3.0)), random(&mut rng)));
    }
    let mut parent = root;
    for _ in 0..300 {
        let turn = Rotation(rng.quaternion());
        parent = it.world.push_child(parent, (turn, Translation::from(rng.vector(1.0))));
        it.world.push_child(parent, (Translation::from(rng.vector(3.0)), random(&mut rng)));
    }
    it.run_twice();
    for _ in 0..3 {
        it.put(root, Rotation(rng.quaternion()));
        it.put(root, Translation::from(rng.vector(5.0)));
        it.run_twice();
    }
}

/// Families in consecutive rows, with something below each seventh child. In each tick some
/// children are written in a row, some alone, and now and then a parent: all others keep their
/// worlds.
#[test]
fn some_of_many_in_consecutive_rows() {
    let mut rng = Rng::new(27);
    let mut it = CheckedWorld::default();
    let labels = Inherits { translation: true, ..Inherits::NOTHING };
    let (mut parents, mut children) = (Vec::new(), Vec::new());
    for family in 0..6 {
        let parent = it.world.push_transform((Rotation(rng.quaternion()), Scale(2.0)));
        parents.push(parent);
        let places = (0..100).map(|i| Translation::new(i as f32, family as f32, 0.0));
        children.extend(if family % 2 == 0 {
            it.world.extend_children(parent, places.map(|place| (place, labels)))
        } else {
            it.world.extend_children(parent, places.map(|place| (place,)))
        });
    }
    for &child in children.iter().step_by(7) {
        let below = it.world.push_child(child, (Translation::new(1.0, 0.0, 0.0),));
        it.world.push_child(below, (Translation::new(0.0, 1.0, 0.0), labels));
    }
    it.run_twice();
    for tick in 0..20 {
        let first = rng.below(children.len() - 150);
        for &child in &children[first..first + 150] {
            it.put(child, Translation::from(rng.vector(3.0)));
        }
        for _ in 0..10 {
            let child = children[rng.below(children.len())];
            it.put(child, Translation::from(rng.vector(3.0)));
        }
        if tick % 4 == 3 {
            it.put(parents[rng.below(parents.len())], Rotation(rng.quaternion()));
        }
        it.run_twice();
    }
}

/// Writing, adding and removing the component take effect, alone and with the parent's move.
#[test]
fn what_is_inherited_changes() {
    let mut it = CheckedWorld::default();
    let ship = it.world.push_transform((Translation::new(5.0, 0.0, 0.0), Scale(2.0)));
    let label = it.world.push_child(ship, (Translation::new(0.0, 3.0, 0.0),));
    let text = it.world.push_child(label, (Translation::new(1.0, 0.0, 0.0),));
    let expect = |it: &mut CheckedWorld, place: [f32; 3]| {
        it.run_twice();
        assert_eq!(it.value::<LocalToWorld>(text).position(), place.into());
    };
    expect(&mut it, [7.0, 6.0, 0.0]);
    it.put(label, Inherits { translation: true, ..Inherits::NOTHING });
    expect(&mut it, [6.0, 3.0, 0.0]);
    it.put(label, Inherits::NOTHING); // in place: the archetype stays
    expect(&mut it, [1.0, 3.0, 0.0]);
    it.put(ship, Translation::new(9.0, 0.0, 0.0));
    expect(&mut it, [1.0, 3.0, 0.0]);
    it.take::<Inherits>(label);
    expect(&mut it, [11.0, 6.0, 0.0]);
    it.put(label, Inherits::ALL);
    expect(&mut it, [11.0, 6.0, 0.0]);
    // Alone and on a cycle it counts for nothing.
    it.put(label, Inherits::NOTHING);
    it.take::<Parent>(label);
    it.take::<LocalToParent>(label);
    expect(&mut it, [1.0, 3.0, 0.0]);
    it.put(label, Parent(text));
    it.put(label, LocalToParent::identity());
    it.run_twice();
}

/// What is left out cannot change the world: the list of changes does not have the entity.
#[test]
fn what_is_left_out_changes_nothing() {
    let mut it = TestWorld::new(TransformSystemBundle::default().track_changes());
    let ship = it.world.push_transform((Translation::new(5.0, 0.0, 0.0), Rotation::identity()));
    let place = Inherits { translation: true, ..Inherits::NOTHING };
    let label = it.world.push_child(ship, (Translation::new(0.0, 3.0, 0.0), place));
    let text = it.world.push_child(label, (Translation::new(1.0, 0.0, 0.0),));
    it.run();
    let changed = |it: &mut TestWorld| -> Vec<Entity> {
        it.run();
        let changes = it.resources.get::<TransformChanges>().unwrap();
        changes.of(&it.world).changed().collect()
    };
    it.put(ship, Rotation::from_rotation_y(1.0));
    assert_eq!(changed(&mut it), [ship]);
    it.put(ship, Translation::new(6.0, 0.0, 0.0));
    let mut all = changed(&mut it);
    all.sort_by_key(|entity| [ship, label, text].iter().position(|other| other == entity));
    assert_eq!(all, [ship, label, text]);
}

/// In place means in place, whatever is inherited before and after.
#[test]
fn edits_keep_what_is_seen() {
    let mut rng = Rng::new(7);
    let (edits, mut it) = (Edits::default(), CheckedWorld::default());
    let spawn = |it: &mut CheckedWorld, rng: &mut Rng| {
        let scale = Scale(rng.float(0.5, 2.0));
        it.world.push_transform((
            Translation::from(rng.vector(5.0)),
            Rotation(rng.quaternion()),
            scale,
        ))
    };
    let [ship, station] = [0, 1].map(|_| spawn(&mut it, &mut rng));
    for parts in PARTS {
        let child = spawn(&mut it, &mut rng);
        it.put(child, parts);
        it.run();
        let seen = it.matrix(child);
        for parent in [ship, station] {
            edits.set_parent(&mut it.world, child, parent).unwrap();
            it.run();
            assert!((it.matrix(child) - seen).amax() < 1e-5, "{parts:?}");
        }
        let there = Transform::from_xyz(3.0, 2.0, 1.0);
        edits.set_local_to_world(&mut it.world, child, there).unwrap();
        it.run();
        assert!((it.matrix(child) - there.to_matrix()).amax() < 1e-5, "{parts:?}");
        let target = Point3::new(-4.0, 1.0, 2.0);
        edits.look_at(&mut it.world, child, target, Vector3::y()).unwrap();
        it.run();
        let looks = it.value::<LocalToWorld>(child).forward().normalize();
        let wanted = (target - Point3::new(3.0, 2.0, 1.0)).normalize();
        assert!((looks - wanted).norm() < 1e-5, "{parts:?}");
        edits.remove_parent(&mut it.world, child).unwrap();
        let seen = it.matrix(child);
        it.run();
        assert!((it.matrix(child) - seen).amax() < 1e-5, "{parts:?}");
    }
}
