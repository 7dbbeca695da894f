//! What `Smooth` makes of what is carried: through a portal (`teleport_by`), or with a viewer
//! (`change_origin`). The numbers are round and nothing is turned, so that a map may give the very
//! bits that were there before.

use harness::{Rng, TestWorld, demand};
use legion::Entity;
use legion_transform::{frames::Frame, prelude::*};
use nalgebra::{Matrix4, Vector3};

use super::smooth_ticks::{Ticks, x};

/// A component that takes over `LocalToWorld`.
struct Own;

fn by(x: f32) -> Matrix4<f32> {
    Matrix4::new_translation(&Vector3::new(x, 0.0, 0.0))
}

fn to(x: f32) -> Translation {
    Translation::new(x, 0.0, 0.0)
}

fn life() -> Ticks {
    let bundle = TransformSystemBundle::default().large_worlds().print_findings(false);
    Ticks::of(bundle.write_group::<LocalToWorld, Own>())
}

/// Draws a frame. Returns where those of these entities are drawn that are listed.
fn draw(it: &mut Ticks, alpha: f32, of: &[Entity]) -> Vec<f32> {
    let all = it.followed.smooth.updates(alpha);
    let all = all.filter(|(entity, _)| of.contains(entity));
    let drawn = all.map(|(_, matrix)| matrix.position().x).collect();
    it.followed.draw(&it.test.world, alpha);
    drawn
}

/// Through two portals in one tick, a turn about the origin and then a shift: from 3 to -3 to 7.
#[test]
fn two_portals_act_one_after_the_other() {
    let mut it = life();
    let half = Rotation::from_rotation_y(std::f32::consts::PI);
    let ball = it.test.at(3.0);
    it.test.put(ball, Rotation::identity());
    it.tick();
    draw(&mut it, 1.0, &[]);
    it.test.set(ball, to(8.0));
    it.test.set(ball, half);
    it.followed.teleport_by(ball, half.0.to_homogeneous());
    it.followed.teleport_by(ball, by(10.0));
    it.tick();
    assert!((x(&it, ball, 0.0) - 7.0).abs() < 1e-5, "{}", x(&it, ball, 0.0));
    assert_eq!(x(&it, ball, 1.0), 8.0);
}

/// The viewer goes from one frame to another, 2 further on. A lamp in a frame is seen elsewhere;
/// a fellow traveller has the matrix that he had, and so comes from elsewhere; the sky is in no
/// frame, nor is a sign that inherits nothing.
#[test]
fn all_that_is_seen_from_another_frame_is_listed() {
    let mut it = life();
    let frame = |x: f64| (Frame::from_xyz(x, 0.0, 0.0),);
    let [ship, traveller] = [1e9, 1e9 + 2.0].map(|x| it.test.world.push_transform(frame(x)));
    let lamp = it.test.below(ship, 7.0);
    let sky = it.test.at(50.0);
    let sign = it.test.world.push_child(ship, (to(60.0), Inherits::NOTHING));
    let mark = it.test.below(sign, 1.0);
    let others = [sky, sign, mark];
    it.test.resources.insert(legion_transform::frames::Origin(ship));
    it.tick();
    draw(&mut it, 1.0, &[]);
    // All is seen from the traveller, who is where the ship was.
    let old_in_new = Frame::between(&it.test.world, ship, traveller).unwrap();
    it.followed.change_origin(old_in_new);
    it.test.resources.insert(legion_transform::frames::Origin(traveller));
    it.tick();
    assert_eq!([ship, lamp, traveller].map(|at| x(&it, at, 0.5)), [-2.0, 5.0, 0.0]);
    assert_eq!(others.map(|at| x(&it, at, 0.5)), [50.0, 60.0, 61.0]);
    let mut drawn = draw(&mut it, 0.5, &[ship, lamp, traveller, sky, sign, mark]);
    drawn.sort_by(f32::total_cmp);
    assert_eq!(drawn, [-2.0, 0.0, 5.0]);
    // The ship drives on by 2, and is the origin again: it has the matrix that it had.
    let old_in_new = Frame::between(&it.test.world, traveller, ship).unwrap();
    it.followed.change_origin(old_in_new);
    it.test.resources.insert(legion_transform::frames::Origin(ship));
    it.test.set(ship, Frame::from_xyz(1e9 + 2.0, 0.0, 0.0));
    it.tick();
    assert_eq!([0.0, 0.5, 1.0].map(|at| x(&it, traveller, at)), [2.0, 1.0, 0.0]);
    assert_eq!([0.0, 0.5, 1.0].map(|at| x(&it, lamp, at)), [7.0; 3]);
}

/// A frame below a plain parent, and an entity whose matrix the user's own component writes, do not
/// move with the parent: they do not come along with it either.
#[test]
fn what_does_not_follow_its_parent_does_not_come_along_with_it() {
    let mut it = life();
    let cart = it.test.at(0.0);
    it.tick();
    it.test.set(cart, to(100.0));
    let frame = it.test.world.push_child(cart, (Frame::from_xyz(5.0, 0.0, 0.0),));
    let own = it.test.world.push_child(cart, (Own, LocalToWorld(by(7.0))));
    let child = it.test.below(cart, 9.0);
    it.tick();
    for (entity, at) in [(frame, [5.0; 3]), (own, [7.0; 3]), (child, [9.0, 59.0, 109.0])] {
        assert_eq!([0.0, 0.5, 1.0].map(|alpha| x(&it, entity, alpha)), at);
    }
}

/// Random lives: what is drawn by the lists alone is where it is to be, in each frame. In every
/// second one things turn, grow and lose their matrices, and nothing is carried.
#[test]
fn what_is_drawn_by_the_lists_is_right_whatever_is_carried() {
    demand::each_seed(80, |seed| {
        let (mut it, mut rng) = (life(), Rng::new(seed));
        let mut all: Vec<Entity> = [0.0, 1.0, 2.0].map(|x| it.test.at(x)).into();
        for x in [0.0, 4.0] {
            all.push(it.test.world.push_transform((Frame::from_xyz(x, 0.0, 0.0),)));
        }
        for _ in 0..25 {
            for _ in 0..rng.below(4) {
                match seed % 2 == 0 && rng.one_in(2) {
                    true => turn(&mut it.test, *rng.pick(&all), &mut rng),
                    false => edit(&mut it, &mut all, &mut rng, seed % 2 == 1),
                }
            }
            it.tick();
            for _ in 0..rng.below(3) {
                let alpha = *rng.pick(&[0.0, 0.3, 0.5, 1.0]);
                it.followed.draw(&it.test.world, alpha);
            }
        }
    });
}

/// It turns, or has another size, or no matrix, or one again.
fn turn(test: &mut TestWorld, entity: Entity, rng: &mut Rng) {
    match (rng.below(4), test.has::<LocalToWorld>(entity)) {
        (0 | 1, true) => test.put(entity, Rotation(rng.quaternion())),
        (2, true) => test.put(entity, NonUniformScale::new(rng.scale(), 1.0, 2.0)),
        (_, true) => test.take::<LocalToWorld>(entity),
        (_, false) => test.put(entity, LocalToWorld::identity()),
    }
}

fn edit(it: &mut Ticks, all: &mut Vec<Entity>, rng: &mut Rng, carries: bool) {
    let entity = *rng.pick(all);
    let step = *rng.pick(&[-1.0, 0.0, 1.0, 2.0]);
    match rng.below(11) {
        // It moves; or it moves and the map undoes that; or it rests and is carried.
        kind @ 0..=4 => {
            if kind != 4 || !carries {
                move_by(&mut it.test, entity, step);
            }
            if kind > 0 && carries {
                it.followed.teleport_by(entity, by(if kind == 1 { -step } else { step }));
            }
        }
        5 if carries => it.followed.change_origin(Frame::from_xyz(step.into(), 0.0, 0.0)),
        5 | 6 => it.followed.teleport(entity),
        7 => all.push(it.test.below(entity, step)),
        8 if all.len() > 6 => {
            it.test.despawn(entity);
            all.retain(|it| *it != entity);
        }
        9 => it.test.put(entity, if step > 0.0 { Inherits::NOTHING } else { Inherits::ALL }),
        // Another archetype, or another parent.
        _ if step < 1.0 => it.test.put(entity, rng.below(100) as u64),
        _ => _ = it.test.world.set_parent(entity, *rng.pick(all)),
    }
}

fn move_by(test: &mut TestWorld, entity: Entity, step: f32) {
    let mut entry = test.world.entry(entity).expect("a live entity");
    if let Ok(it) = entry.get_component_mut::<Translation>() {
        it.x += step;
    } else if let Ok(it) = entry.get_component_mut::<Frame>() {
        it.position.x += f64::from(step);
    }
}
