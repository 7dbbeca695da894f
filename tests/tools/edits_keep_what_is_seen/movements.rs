//! Edits that look, move and turn, that write a transform, and that take a subtree away.

use harness::demand;
use legion::Entity;
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Point3, UnitQuaternion};
use proptest::prelude::*;

use super::{factor, forest, plant, vector, walk};
use crate::random_worlds::*;

proptest! {
    #![proptest_config(demand::cases(64))]

    /// Below any parents, the z axis comes to point at the target; place and scale stay.
    #[test]
    fn looking_points_at_the_target(
        nodes in forest(7),
        target in vector(),
        up in vector(),
    ) {
        let mut it = RandomWorld::new();
        plant(&mut it, &nodes);
        let entity = *it.entities.last().unwrap();
        let before = it.fresh().local_to_world(entity).unwrap();
        let scale = (it.get::<Scale>(entity), it.get::<NonUniformScale>(entity));
        let target = Point3::from(target * 10.0);
        let position = before.position();
        prop_assume!((target - position).norm() > 0.1 && up.norm() > 0.1);
        it.world.look_at(entity, target, up).unwrap();

        let after = it.fresh().local_to_world(entity).unwrap();
        prop_assert!((after.position() - position).norm() <= 1e-4 * (1.0 + position.coords.norm()));
        let angle = after.forward().angle(&(target - position));
        prop_assert!(angle < 2e-3, "{angle} off");
        prop_assert_eq!((it.get::<Scale>(entity), it.get::<NonUniformScale>(entity)), scale);
        // y lies in the plane of the direction and `up`, on its side.
        let across = up.cross(&(target - position));
        if across.norm() > 0.3 * up.norm() * (target - position).norm() {
            let above = after.up().normalize();
            prop_assert!(above.dot(&across.normalize()).abs() < 1e-2);
        }
    }

    /// In the world, by a vector: the axes stay, and so do all components but the translation.
    #[test]
    fn translating_moves_in_the_world(
        nodes in forest(7),
        by in vector(),
    ) {
        let mut it = RandomWorld::new();
        plant(&mut it, &nodes);
        let entity = *it.entities.last().unwrap();
        let before = it.fresh().local_to_world(entity).unwrap();
        let kept = (it.get::<Rotation>(entity), it.get::<Scale>(entity));
        let kept = (kept, it.get::<NonUniformScale>(entity));
        it.world.translate(entity, by).unwrap();
        let mut wanted = before.0;
        wanted.append_translation_mut(&by);
        let far = 1.0 + wanted.column(3).norm() + before.column(3).norm();
        let now = it.fresh().local_to_world(entity).unwrap();
        prop_assert!((now.0 - wanted).amax() < 1e-4 * far, "{} {}", now.0, wanted);
        let now = (it.get::<Rotation>(entity), it.get::<Scale>(entity));
        prop_assert_eq!((now, it.get::<NonUniformScale>(entity)), kept);
    }

    /// About a point and an axis of the world: as the matrices say, or shear is refused.
    #[test]
    fn rotating_around_turns_in_the_world(
        nodes in forest(7),
        point in vector(),
        turn in vector(),
    ) {
        let mut it = RandomWorld::new();
        plant(&mut it, &nodes);
        let entity = *it.entities.last().unwrap();
        let before = it.fresh().local_to_world(entity).unwrap();
        let turn = UnitQuaternion::new(turn);
        let (to, from) = (Matrix4::new_translation(&point), Matrix4::new_translation(&-point));
        let wanted = to * turn.to_homogeneous() * from * before.0;
        let point = Point3::from(point);
        let edits = Edits::default().on_shear(OnShear::WriteMatrix);
        edits.rotate_around(&mut it.world, entity, point, turn).unwrap();
        let far = 1.0 + point.coords.norm() + before.norm();
        let now = it.fresh().local_to_world(entity).unwrap();
        prop_assert!((now.0 - wanted).amax() < 1e-4 * far, "{} {}", now.0, wanted);
        // And back: the point itself never moves.
        edits.rotate_around(&mut it.world, entity, point, turn.inverse()).unwrap();
        let now = it.fresh().local_to_world(entity).unwrap();
        prop_assert!((now.0 - before.0).amax() < 2e-4 * far, "{} {}", now.0, before.0);
    }

    /// A transform that is written is read again, and an entity's own transform changes nothing
    /// when written back.
    #[test]
    fn transforms_round_trip(
        setup in histories(40),
        translation in vector(),
        turn in vector(),
        scale in prop::array::uniform3(factor()),
    ) {
        // No component of the user's takes anything over.
        let mut it = RandomWorld::with(TransformSystemBundle::default(), false);
        it.play(&setup);
        let transform = Transform {
            translation,
            rotation: EulerOrder::XYZ.rotation(&turn),
            scale: scale.into(),
        };
        for entity in it.entities.clone() {
            let Ok(old) = Transform::read(&it.world, entity) else { continue };
            let before = TransformQuery::new(&it.world).local_to_parent(entity).unwrap().0;
            if before.iter().all(|x| x.is_finite()) {
                it.world.set_transform(entity, old).unwrap();
                let after = TransformQuery::new(&it.world).local_to_parent(entity).unwrap().0;
                let size = before.amax().max(1.0);
                prop_assert!((after - before).amax() < 1e-4 * size, "{} {}", before, after);
            }
            if it.world.set_transform(entity, transform).is_err() {
                continue; // Below a parent's pivot or a matrix, not everything can be written.
            }
            let now = TransformQuery::new(&it.world).local_to_parent(entity).unwrap().0;
            let wanted = transform.to_matrix();
            prop_assert!(
                (now - wanted).amax() < 1e-3 * (1.0 + wanted.amax() + now.amax()),
                "{} {}",
                now,
                wanted
            );
        }
    }

    /// A subtree is despawned whole, and nothing else.
    #[test]
    fn despawning_takes_the_subtree(
        setup in histories(60),
        which in 0usize..64,
    ) {
        let mut it = RandomWorld::new();
        it.play(&setup);
        prop_assume!(!it.entities.is_empty());
        let root = it.entities[which % it.entities.len()];
        let walk = walk(&it);
        let hangs_off = |entity: Entity| {
            let mut current = Some(entity);
            while let Some(above) = current.filter(|above| *above != root) {
                current = walk.parent(above);
            }
            current == Some(root) && it.world.contains(entity)
        };
        let (doomed, spared): (Vec<Entity>, Vec<Entity>) = it
            .entities
            .iter()
            .filter(|entity| it.world.contains(**entity))
            .partition(|entity| hangs_off(**entity));
        prop_assert_eq!(it.world.despawn_subtree(root), doomed.len());
        prop_assert!(doomed.iter().all(|entity| !it.world.contains(*entity)));
        prop_assert!(spared.iter().all(|entity| it.world.contains(*entity)));
        it.run();
    }
}
