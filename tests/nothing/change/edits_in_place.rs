//! Edits of this crate in place: the next run composes these entities and compares nothing, and
//! matrices are right whatever else happens to the same columns. The judge checks every run.

use harness::{CheckedWorld, at, below};
use legion::{Entity, IntoQuery};
use legion_transform::{TransformStats, prelude::*};
use nalgebra::{Matrix4, Vector3};

/// Many roots in one archetype, after a few runs.
fn many(rows: usize) -> (CheckedWorld, Vec<Entity>) {
    let mut it = CheckedWorld::default();
    let all = it.world.extend((0..rows).map(|i| at(i as f32))).to_vec();
    it.run();
    (it, all)
}

fn to(x: f32) -> Transform {
    Transform::from_xyz(x, 0.0, 0.0)
}

/// How many local matrices the last run composed.
fn composed(it: &CheckedWorld) -> usize {
    it.resources.get::<TransformStats>().unwrap().of(&it.world).composed
}

/// Writes a translation as users do.
fn write(it: &mut CheckedWorld, entity: Entity, x: f32) {
    it.world.entry(entity).unwrap().get_component_mut::<Translation>().unwrap().x = x;
}

/// Few rows are written in some runs: inputs are copied from then on.
fn calm(it: &mut CheckedWorld, entity: Entity) {
    for x in 0..4 {
        write(it, entity, 0.5 + x as f32);
        it.run();
    }
}

#[test]
fn one_of_many_is_composed_and_no_other() {
    let (mut it, all) = many(1_000);
    let child = it.world.push(below(all[7], 1.0));
    it.run();
    for x in 1..5 {
        let x = x as f32;
        it.world.set_transform(all[7], to(100.0 * x)).unwrap();
        it.world.translate(all[8], Vector3::new(x, 0.0, 0.0)).unwrap();
        it.run();
        assert_eq!((composed(&it), it.x(all[7]), it.x(child)), (2, 100.0 * x, 100.0 * x + 1.0));
    }
    it.world.set_transform(all[7], to(400.0)).unwrap();
    it.run();
    assert_eq!(composed(&it), 0, "the same numbers are no edit");
}

#[test]
fn users_writes_around_it_are_found() {
    let (mut it, all) = many(1_000);
    for round in 0..8 {
        let x = 10.0 * round as f32;
        if round % 2 == 0 {
            write(&mut it, all[3], x);
        }
        it.world.set_transform(all[4], to(x + 1.0)).unwrap();
        if round % 3 == 0 {
            write(&mut it, all[5], x + 2.0);
        }
        it.run();
    }
    assert_eq!([3, 4, 5].map(|i| it.x(all[i])), [60.0, 71.0, 62.0]);
}

/// With a copy of the inputs, the value before the edit must not pass for the one of now.
#[test]
fn a_user_writes_back_what_an_edit_has_changed() {
    let (mut it, all) = many(1_000);
    calm(&mut it, all[0]);
    for _ in 0..2 {
        it.world.set_transform(all[9], to(-1.0)).unwrap();
        it.run();
        assert_eq!((composed(&it), it.x(all[9])), (1, -1.0));
        write(&mut it, all[9], 9.0);
        it.run();
        assert_eq!(it.x(all[9]), 9.0);
    }
}

#[test]
fn the_entity_may_take_another_row_or_leave_before_the_run() {
    for order in 0..4 {
        let (mut it, all) = many(300);
        let (last, other) = (all[299], all[298]);
        if order == 0 {
            it.world.remove(all[0]);
        }
        it.world.set_transform(last, to(-1.0)).unwrap();
        it.world.set_transform(other, to(-2.0)).unwrap();
        match order {
            1 => _ = it.world.remove(all[0]),
            2 => {
                it.put(other, Scale(2.0));
                it.world.remove(all[1]);
            }
            3 => {
                it.world.remove(other);
                it.world.push(at(5.0));
            }
            _ => {}
        }
        it.run();
        assert_eq!(it.x(last), -1.0, "{order}");
        assert!(order == 3 || it.x(other) == -2.0, "{order}");
    }
}

/// A new entity is found by itself, and an edit of it is none of the others'.
#[test]
fn an_entity_may_come_and_be_edited_in_one_frame() {
    let (mut it, all) = many(300);
    let new = it.world.push(at(1.0));
    it.world.set_transform(new, to(-1.0)).unwrap();
    it.world.set_transform(all[3], to(-3.0)).unwrap();
    it.run();
    assert_eq!((it.x(new), it.x(all[3])), (-1.0, -3.0));
}

/// More comes and goes than is remembered: everything that was edited counts as written.
#[test]
fn an_edit_survives_that_events_are_lost() {
    for again in [false, true] {
        let (mut it, all) = many(1_000);
        calm(&mut it, all[0]);
        it.world.set_transform(all[9], to(-1.0)).unwrap();
        let others = it.world.extend((0..10_000u32).map(|i| (i,))).to_vec();
        others.into_iter().for_each(|other| assert!(it.world.remove(other)));
        if again {
            it.world.set_transform(all[10], to(-2.0)).unwrap();
        }
        it.run();
        assert_eq!((it.x(all[9]), it.x(all[10])), (-1.0, if again { -2.0 } else { 10.0 }));
    }
}

#[test]
fn one_edit_a_thousand_times_and_an_edit_of_each() {
    let (mut it, all) = many(1_000);
    for x in 0..20_000 {
        it.world.set_transform(all[5], to(x as f32)).unwrap();
    }
    it.run();
    assert_eq!(it.x(all[5]), 19_999.0);
    for round in 1..4 {
        for (i, &entity) in all.iter().enumerate() {
            it.world.set_transform(entity, to(-((round * i + 1) as f32))).unwrap();
        }
        it.run();
        assert_eq!(composed(&it), 1_000);
    }
}

/// The children's `ParentScaleInverse` follows the edit of a parent's scale, of whatever kind.
#[test]
fn the_inverse_of_an_edited_scale_follows() {
    let mut it = CheckedWorld::default();
    for scale in [true, false] {
        let parent = match scale {
            true => it.push((LocalToWorld::identity(), Translation::identity(), Scale(2.0))),
            false => {
                let scale = NonUniformScale::new(2.0, 2.0, 2.0);
                it.push((LocalToWorld::identity(), Translation::identity(), scale))
            }
        };
        let (matrices, link) =
            ((LocalToWorld::identity(), LocalToParent::identity()), Parent(parent));
        let child = it.world.push((matrices.0, matrices.1, link, ParentScaleInverse::identity()));
        it.run();
        let transform = to(1.0).with_scale(Vector3::repeat(4.0));
        it.world.set_transform(parent, transform).unwrap();
        it.run();
        let inverse = it.get::<ParentScaleInverse>(child).unwrap();
        assert_eq!(inverse.0, Matrix4::new_scaling(0.25), "{scale}");
    }
}

/// Only those are composed that differ, in whatever archetypes they are; one of them by a user.
#[test]
fn many_of_many_are_composed_and_no_other() {
    let (mut it, all) = many(3_000);
    for &entity in &all[1_500..] {
        it.put(entity, Children::new());
    }
    let turned = all[500];
    it.put(turned, Rotation::identity());
    it.run();
    // From the two large archetypes in turns.
    let some: Vec<Entity> = (1..50).map(|i| all[i * 20 + i % 2 * 1_500 + 1]).collect();
    for round in 1..5 {
        let x = round as f32;
        let update = |_, it: &mut Transform| it.translation.x += 1.0;
        it.world.update_transforms(some.iter().copied(), update).unwrap();
        it.world.set_transforms([(turned, to(x)), (turned, to(-x))]).unwrap();
        it.run();
        assert_eq!((composed(&it), it.x(turned)), (some.len() + 1, -x), "{round}");
        it.world.set_transforms([(turned, to(-x))]).unwrap();
        it.run();
        assert_eq!(composed(&it), 0, "the same numbers are no edit");
    }
    let turn = Transform::identity().with_rotation(Rotation::from_rotation_x(1.0).0);
    let errors = it.world.set_transforms(some.iter().map(|&entity| (entity, turn)));
    assert_eq!(errors, Ok(()), "each has got a `Rotation`, and so moved");
    it.run();
}

/// What was written before the panic counts; the judge looks at all.
#[test]
#[cfg(panic = "unwind")]
fn an_update_may_panic() {
    let (mut it, all) = many(1_000);
    let mut left = 10;
    let update = |_, it: &mut Transform| {
        assert!(left > 0, "enough");
        left -= 1;
        it.translation.x -= 1_000.0;
    };
    let world = &mut it.test.world;
    assert!(harness::caught(|| world.update_transforms(all, update)).is_err());
    it.run();
}

/// More archetypes than are open at once, in turns.
#[test]
fn many_of_hundreds_of_archetypes() {
    struct Tag<const N: usize>;
    let mut it = CheckedWorld::default();
    let mut all = Vec::new();
    macro_rules! push {
        ($($tag:literal)*) => {$(
            let components = (Tag::<$tag>, LocalToWorld::identity(), Translation::identity());
            all.push(it.world.push((components.0, components.1, components.2)));
            for other in [0u8, 1, 2] {
                let entity = it.world.push((Tag::<$tag>, LocalToWorld::identity()));
                it.put(entity, Translation::identity());
                match other {
                    0 => it.put(entity, Scale(1.0)),
                    1 => it.put(entity, NonUniformScale::identity()),
                    _ => it.put(entity, Rotation::identity()),
                }
                all.push(entity);
            }
        )*};
    }
    push!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    it.run();
    for round in 1..4 {
        let twice = all.iter().chain(all.iter().rev()).copied();
        it.world.update_transforms(twice, |_, it| it.translation.x += 1.0).unwrap();
        it.run();
        assert_eq!(composed(&it), all.len());
        assert!(all.iter().all(|&entity| it.x(entity) == 2.0 * round as f32));
    }
}

/// Commands are edits at the flush.
#[test]
fn commands_are_edits_in_place() {
    let (mut it, all) = many(1_000);
    let mut commands = legion::systems::CommandBuffer::new(&it.world);
    commands.set_transform(all[7], to(-7.0));
    commands.rotate(all[8], Rotation::from_rotation_z(1.0));
    let CheckedWorld { test, .. } = &mut it;
    commands.flush(&mut test.world, &mut test.resources);
    it.run();
    assert_eq!(it.x(all[7]), -7.0);
    let mut query = <&Rotation>::query();
    assert_eq!(query.iter(&it.world).count(), 1, "a rotation was added to that entity alone");
}
