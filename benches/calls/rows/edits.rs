//! What changes components, parents, or who is alive.

use legion::{Entity, World, systems::CommandBuffer};
use legion_transform::{
    edit::{EditCommands, EditError, FailedEdits},
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
    let turn = UnitQuaternion::from_euler_angles(0.0, 0.1, 0.0);
    pose(rows, "set_local", move |it, world, pick, x| {
        it.set_local(world, pick, Transform::from_translation(at(x)))
    });
    pose(rows, "set_world", move |it, world, pick, x| {
        it.set_world(world, pick, Matrix4::new_translation(&at(x)))
    });
    pose(rows, "translate", move |it, world, pick, x| it.translate(world, pick, at(x % 3.0 - 1.0)));
    pose(rows, "look_at", |it, world, pick, x| {
        it.look_at(world, pick, Point3::new(x + 1e4, 3.0, 1e4), Vector3::y())
    });
    pose(rows, "rotate", move |it, world, pick, _| it.rotate(world, pick, turn));
    pose(rows, "rotate_around", move |it, world, pick, _| {
        it.rotate_around(world, pick, Point3::origin(), turn)
    });
    hierarchy(rows);
    despawns(rows);
    commands(rows);
}

/// An edit of a pose.
fn pose(
    rows: &mut Rows,
    name: &str,
    call: impl Fn(&Edits, &mut World, Entity, f32) -> Result<(), EditError> + Copy + 'static,
) {
    rows.add(&format!("Edits::{name}"), move |it| {
        let edits = Edits::default();
        it.edit(|world, pick, x| call(&edits, world, pick, x).unwrap())
    });
}

/// Edits of parents and children, all in place.
fn hierarchy(rows: &mut Rows) {
    let edits = Edits::default;
    rows.once("Edits::set_parent", move |it| {
        let (edits, pairs) = (edits(), it.bones.pairs());
        each(&pairs, |(pick, hand)| edits.set_parent(&mut it.world, pick, hand).unwrap())
    });
    rows.once("Edits::set_parent, from root to root", move |it| {
        let (edits, other) = (edits(), it.world.push_transform(body(0)));
        let [before, pairs] = it.bones.below_roots(other);
        for (pick, root) in before {
            edits.set_parent(&mut it.world, pick, root).unwrap();
        }
        it.run();
        each(&pairs, |(pick, root)| edits.set_parent(&mut it.world, pick, root).unwrap())
    });
    rows.once("Edits::remove_parent", move |it| {
        let edits = edits();
        each(it.bones.distinct(), |pick| edits.remove_parent(&mut it.world, pick).unwrap())
    });
    rows.once("Edits::insert_child", move |it| {
        let (edits, few) = (edits(), it.bones.few_with_picks());
        each(&few, |(root, pick)| edits.insert_child(&mut it.world, root, 2, pick).unwrap())
    });
    rows.once("Edits::detach_children of six", move |it| {
        let (edits, few) = (edits(), it.bones.few());
        each(&few, |root| edits.detach_children(&mut it.world, root).unwrap())
    });
    rows.once("Edits::give_up_waiting, a child", move |it| {
        let late = late(it);
        counted(|| {
            let given_up = edits().give_up_waiting(&mut it.world).unwrap();
            assert_eq!(given_up.len(), late.len());
            given_up.len()
        })
    });
    rows.once("by hand: two removals from each that waits", move |it| {
        each(&late(it), |child| {
            let mut child = it.world.entry(child).unwrap();
            child.remove_component::<LocalToParent>();
            child.remove_component::<Parent>();
        })
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

/// 1,000 children whose parents have not come, after a run.
fn late(it: &mut Scene) -> Vec<Entity> {
    let parents = reserve_ids(1_000);
    let child = |(i, &parent): (usize, _)| (body(i), Parent(parent));
    let late = it.world.extend_transforms(parents.iter().enumerate().map(child));
    it.run();
    late
}

/// The deaths of 40 skeletons.
fn despawns(rows: &mut Rows) {
    let edits = Edits::default;
    rows.once("Edits::despawn_subtree", move |it| {
        let (edits, few, world) = (edits(), it.bones.few(), &mut it.world);
        counted(|| few.iter().map(|root| edits.despawn_subtree(world, *root)).sum())
    });
    rows.once("by hand: remove of an entity", |it| {
        let walk = Walk::new(&it.world).unwrap();
        let few = it.bones.few().into_iter();
        let all: Vec<_> =
            few.flat_map(|root| [root].into_iter().chain(walk.descendants(root))).collect();
        each(&all, |entity| it.world.remove(entity))
    });
    rows.once("Edits::despawn_subtree, a run between", move |it| {
        frames(it, |it, root| counted(|| edits().despawn_subtree(&mut it.world, root)))
    });
    rows.once("Edits::despawn_subtrees", move |it| {
        let few = it.bones.few();
        counted(|| edits().despawn_subtrees(&mut it.world, few))
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
    rows.once("EditCommands::set_parent", |it| {
        let pairs = it.bones.pairs();
        flush(it, pairs.len(), |edits| {
            pairs.iter().for_each(|&(pick, hand)| _ = edits.set_parent(pick, hand));
        })
    });
    rows.once("EditCommands::set_local", |it| {
        let (picks, local) = (it.bones.picks.clone(), Transform::from_xyz(1.0, 0.0, 0.0));
        flush(it, picks.len(), |edits| {
            picks.iter().for_each(|&pick| _ = edits.set_local(pick, local));
        })
    });
    rows.once("EditCommands::despawn_subtree", |it| {
        let few = it.bones.few();
        flush(it, few.len() * BONES, |edits| {
            few.iter().for_each(|&root| _ = edits.despawn_subtree(root));
        })
    });
    // A child of another parent comes by Legion's own `push`, so that not all are listed.
    rows.once("EditCommands::despawn_subtree, a push and a run between", |it| {
        let other = it.world.push((LocalToWorld::identity(),));
        frames(it, |it, root| {
            let matrices = (LocalToWorld::identity(), LocalToParent::identity());
            it.world.push((matrices.0, matrices.1, Translation::identity(), Parent(other)));
            flush(it, BONES, |edits| _ = edits.despawn_subtree(root))
        })
    });
}

fn flush(it: &mut Scene, calls: usize, record: impl FnOnce(&mut EditCommands<'_>)) -> Round {
    let mut buffer = CommandBuffer::new(&it.world);
    record(&mut Edits::default().commands(&mut buffer));
    let round = timed(calls, || buffer.flush(&mut it.world, &mut it.resources));
    assert!(it.resources.get::<FailedEdits>().is_none(), "an edit failed");
    round
}
