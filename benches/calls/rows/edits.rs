//! What changes components, parents, or who is alive.

use legion::{Entity, World, systems::CommandBuffer};
use legion_transform::{
    edit::{EditError, FailedEdits},
    prelude::*,
    spawn::reserve_ids,
};
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};

use super::{BONES, Round, Rows, Scene, counted, each, scene::body, timed};

pub fn add(rows: &mut Rows) {
    rows.add("by hand: entry, a component", |it| {
        it.edit(|world, pick, x| {
            world.entry(pick).unwrap().get_component_mut::<Translation>().unwrap().0.x = x;
        })
    });
    let at = |x| Vector3::new(x, 0.0, 0.0);
    let transform = move |x| Transform::from_translation(at(x));
    let turn = UnitQuaternion::from_euler_angles(0.0, 0.1, 0.0);
    pose(rows, "set_transform", move |world, pick, x| world.set_transform(pick, transform(x)));
    rows.add("Transform::read and set_transform", |it| {
        it.edit(|world, pick, x| {
            let mut transform = Transform::read(world, pick).unwrap();
            transform.translation.x = x;
            world.set_transform(pick, transform).unwrap();
        })
    });
    rows.add("set_transforms", move |it| {
        let count = it.bones.picks.len();
        let transforms: Vec<_> = it.picks_to().map(|(pick, x)| (pick, transform(x))).collect();
        timed(count, || it.world.set_transforms(transforms).unwrap())
    });
    rows.add("update_transforms", |it| {
        let (picks, mut to) = (it.bones.picks.clone(), it.picks_to().map(|it| it.1));
        let update = |_, it: &mut Transform| it.translation.x = to.next().unwrap();
        timed(picks.len(), || it.world.update_transforms(picks, update).unwrap())
    });
    pose(rows, "set_local_to_world", move |world, pick, x| {
        world.set_local_to_world(pick, Matrix4::new_translation(&at(x)))
    });
    pose(rows, "set_local_to_parent", move |world, pick, x| {
        world.set_local_to_parent(pick, Matrix4::new_translation(&at(x)))
    });
    pose(rows, "translate", move |world, pick, x| world.translate(pick, at(x % 3.0 - 1.0)));
    pose(rows, "look_at", |world, pick, x| {
        world.look_at(pick, Point3::new(x + 1e4, 3.0, 1e4), Vector3::y())
    });
    rotate(rows, turn);
    pose(rows, "rotate_around", move |world, pick, _| {
        world.rotate_around(pick, Point3::origin(), turn)
    });
    pose(rows, "scale_around", |world, pick, _| {
        world.scale_around(pick, Point3::origin(), Vector3::repeat(-1.0))
    });
    parents(rows);
    hierarchy(rows);
    despawns(rows);
    commands(rows);
}

/// An edit of a pose.
fn pose(
    rows: &mut Rows,
    name: &str,
    call: impl Fn(&mut World, Entity, f32) -> Result<(), EditError> + Copy + 'static,
) {
    rows.add(name, move |it| it.edit(|world, pick, x| call(world, pick, x).unwrap()));
}

pub fn rotate(rows: &mut Rows, turn: UnitQuaternion<f32>) {
    pose(rows, "rotate", move |world, pick, _| world.rotate(pick, turn));
}

pub fn parents(rows: &mut Rows) {
    rows.once("set_parent", |it| {
        each(&it.bones.pairs(), |(pick, hand)| it.world.set_parent(pick, hand).unwrap())
    });
    rows.once("remove_parent", |it| {
        each(it.bones.distinct(), |pick| it.world.remove_parent(pick).unwrap())
    });
}

/// Edits of parents and children, all in place.
fn hierarchy(rows: &mut Rows) {
    rows.once("set_parent, from root to root", move |it| {
        let other = it.world.push_transform(body(0));
        let [before, pairs] = it.bones.below_roots(other);
        for (pick, root) in before {
            it.world.set_parent(pick, root).unwrap();
        }
        it.run();
        each(&pairs, |(pick, root)| it.world.set_parent(pick, root).unwrap())
    });
    rows.once("insert_child", |it| {
        let few = it.bones.few_with_picks();
        each(&few, |(root, pick)| it.world.insert_child(root, 2, pick).unwrap())
    });
    rows.once("detach_children of six", |it| {
        each(&it.bones.few(), |root| it.world.detach_children(root).unwrap())
    });
    // Children whose parents have not come.
    rows.once("give_up_waiting, a child", |it| {
        let parents = reserve_ids(1_000);
        let child = |(i, &parent): (usize, _)| (body(i), Parent(parent));
        it.world.extend_transforms(parents.iter().enumerate().map(child));
        it.run();
        let round = counted(|| it.world.give_up_waiting().unwrap().len());
        assert_eq!(round.calls, parents.len());
        round
    });
    rows.once("by hand: two removals from each of six children", |it| {
        each(&it.bones.few(), |root| {
            let children = it.world.entry(root).unwrap().get_component::<Children>().cloned();
            for child in children.unwrap().iter() {
                let mut child = it.world.entry(*child).unwrap();
                child.remove_component::<LocalToParent>();
                child.remove_component::<Parent>();
            }
        })
    });
}

/// The deaths of 40 skeletons.
fn despawns(rows: &mut Rows) {
    rows.once("despawn_subtree", move |it| {
        let (few, world) = (it.bones.few(), &mut it.world);
        counted(|| few.iter().map(|root| world.despawn_subtree(*root)).sum())
    });
    rows.once("by hand: remove of an entity", |it| {
        let walk = Walk::new(&it.world).unwrap();
        let few = it.bones.few().into_iter();
        let all: Vec<_> = few.flat_map(|root| walk.subtree(root)).collect();
        each(&all, |entity| it.world.remove(entity))
    });
    rows.once("despawn_subtree, a run between", move |it| {
        frames(it, |it, root| counted(|| it.world.despawn_subtree(root)))
    });
    rows.once("despawn_subtrees", move |it| {
        let few = it.bones.few();
        counted(|| it.world.despawn_subtrees(few))
    });
}

/// A root's death a frame.
fn frames(it: &mut Scene, mut die: impl FnMut(&mut Scene, Entity) -> Round) -> Round {
    let rounds = it.bones.few().into_iter().map(|root| {
        let round = die(it, root);
        it.run();
        round
    });
    rounds.reduce(Round::and).unwrap()
}

/// Edits that wait in a buffer; the flush alone is timed.
fn commands(rows: &mut Rows) {
    rows.once("commands.set_parent", |it| {
        let pairs = it.bones.pairs();
        flush(it, pairs.len(), |commands| {
            pairs.iter().for_each(|&(pick, hand)| commands.set_parent(pick, hand));
        })
    });
    rows.once("commands.set_transform", |it| {
        let (picks, local) = (it.bones.picks.clone(), Transform::from_xyz(1.0, 0.0, 0.0));
        flush(it, picks.len(), |commands| {
            picks.iter().for_each(|&pick| commands.set_transform(pick, local));
        })
    });
    rows.once("commands.set_transforms", |it| {
        let local = Transform::from_xyz(1.0, 0.0, 0.0);
        let all: Vec<_> = it.bones.picks.iter().map(|&pick| (pick, local)).collect();
        flush(it, all.len(), |commands| commands.set_transforms(all))
    });
    rows.once("commands.despawn_subtree", |it| {
        let few = it.bones.few();
        flush(it, few.len() * BONES, |commands| {
            few.iter().for_each(|&root| commands.despawn_subtree(root));
        })
    });
    // A child of another parent comes by Legion's own `push`, so that not all are listed.
    rows.once("commands.despawn_subtree, a push and a run between", |it| {
        let other = it.world.push((LocalToWorld::identity(),));
        frames(it, |it, root| {
            let matrices = (LocalToWorld::identity(), LocalToParent::identity());
            it.world.push((matrices.0, matrices.1, Translation::identity(), Parent(other)));
            flush(it, BONES, |commands| commands.despawn_subtree(root))
        })
    });
}

fn flush(it: &mut Scene, calls: usize, record: impl FnOnce(&mut CommandBuffer)) -> Round {
    let mut buffer = CommandBuffer::new(&it.world);
    record(&mut buffer);
    let round = timed(calls, || buffer.flush(&mut it.world, &mut it.resources));
    assert!(it.resources.get::<FailedEdits>().is_none_or(|it| it.iter().next().is_none()));
    round
}
