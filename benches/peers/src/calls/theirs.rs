//! What Bevy has for the rows of ours.

use std::hint::black_box;

use bevy_ecs::prelude::*;
use bevy_transform::{commands::BuildChildrenTransformExt, helper::TransformHelper, prelude::*};

use super::{
    bevy::{Bevy, body, spawn},
    rows::{
        BONES, Round,
        clones::{TEN, TEN_THOUSAND},
        counted, each,
    },
};

pub type Call = fn(&mut Bevy) -> Round;

/// What Bevy has for a row of ours: its name, and a round.
pub fn of(row: &str) -> Option<(&'static str, Call)> {
    let row = row.trim_start_matches("SubWorld: ").trim_end_matches(", one query");
    let is_for = |rows: &str| rows.split(" | ").any(|name| name == row);
    THEIRS.iter().find(|it| is_for(it.0)).map(|&(_, name, call)| (name, call))
}

/// The rows of ours, what Bevy has for them, and a round of it.
const THEIRS: [(&str, &str, Call); 23] = [
    ("by hand: entry_ref, a component", "get GlobalTransform", |it| {
        it.read(|world, pick| world.get::<GlobalTransform>(pick).unwrap().translation().x)
    }),
    ("Transform::read", "get Transform", |it| {
        it.read(|world, pick| world.get::<Transform>(pick).unwrap().translation.x)
    }),
    ("TransformQuery::local_to_world", "compute_global_transform", |it| {
        it.system::<TransformHelper>(|helper, bones| {
            each(&bones.picks, |pick| helper.compute_global_transform(pick).unwrap())
        })
    }),
    ("Walk::descendants", "iter_descendants", |it| {
        it.system::<Query<&Children>>(|query, bones| {
            let count = |&root: &Entity| query.iter_descendants(root).map(black_box).count();
            counted(|| bones.roots.iter().map(count).sum())
        })
    }),
    ("Walk::ancestors", "iter_ancestors", |it| {
        it.system::<Query<&ChildOf>>(|query, bones| {
            let count = |&pick: &Entity| query.iter_ancestors(pick).map(black_box).count();
            counted(|| bones.picks.iter().map(count).sum())
        })
    }),
    (
        "by hand: entry, a component | set_transform | set_transforms | update_transforms | \
         Transform::read and set_transform",
        "get_mut Transform",
        |it| {
            it.edit(it.bones.picks.clone(), |world, pick| {
                world.get_mut::<Transform>(pick).unwrap().translation.x += 1.0;
            })
        },
    ),
    ("set_parent", "set_parent_in_place", |it| it.edit(it.bones.pairs(), set_parent)),
    ("set_parent, from root to root", "set_parent_in_place", |it| {
        let other = it.app.world_mut().spawn(body(0)).id();
        let [before, pairs] = it.bones.below_roots(other);
        it.edit(before, set_parent);
        it.run();
        it.edit(pairs, set_parent)
    }),
    ("remove_parent", "remove_parent_in_place", |it| {
        it.edit(it.bones.distinct().to_vec(), |world, pick| {
            world.entity_mut(pick).remove_parent_in_place();
        })
    }),
    ("insert_child", "insert_child, not in place", |it| {
        it.edit(it.bones.few_with_picks(), |world, (root, pick)| {
            world.entity_mut(root).insert_child(2, pick);
        })
    }),
    ("detach_children of six", "detach_all_children, not in place", |it| {
        it.edit(it.bones.few(), |world, root| {
            world.entity_mut(root).detach_all_children();
        })
    }),
    ("despawn_subtree | despawn_subtrees", "despawn", |it| {
        let round = it.edit(it.bones.few(), |world, root| _ = world.despawn(root));
        Round { calls: round.calls * BONES, ..round }
    }),
    ("push_tree", "spawn with ChildOf", |it| {
        it.spawned(|world, _, count| _ = spawn(world, count / BONES))
    }),
    ("push_child", "spawn with ChildOf", |it| {
        it.spawned(|world, parent, count| {
            (0..count).for_each(|i| _ = world.spawn((body(i), ChildOf(parent))));
        })
    }),
    ("push_transform", "spawn", |it| {
        it.spawned(|world, _, count| (0..count).for_each(|i| _ = world.spawn(body(i))))
    }),
    ("extend_children", "spawn_batch with ChildOf", |it| {
        it.spawned(|world, parent, count| {
            world.spawn_batch((0..count).map(|i| (body(i), ChildOf(parent)))).for_each(drop);
        })
    }),
    ("extend_transforms", "spawn_batch", |it| {
        it.spawned(|world, _, count| world.spawn_batch((0..count).map(body)).for_each(drop))
    }),
    ("duplicate of a skeleton", "linked cloning", |it| it.skeletons_cloned(false)),
    ("duplicate of a skeleton, and the run", "the same", |it| it.skeletons_cloned(true)),
    ("duplicate of a tree of 10,000", "linked cloning", |it| {
        it.trees_cloned(TEN_THOUSAND, 1, false)
    }),
    ("duplicate of a tree of 10,000, and the run", "the same", |it| {
        it.trees_cloned(TEN_THOUSAND, 1, true)
    }),
    (
        "1,000 duplicates of a tree of ten | clone_to, 1,000 of a prefab of ten",
        "linked cloning",
        |it| it.trees_cloned(TEN, 1_000, false),
    ),
    (
        "1,000 duplicates of a tree of ten, and the run | \
         clone_to, 1,000 of a prefab of ten, and the run",
        "the same",
        |it| it.trees_cloned(TEN, 1_000, true),
    ),
];

fn set_parent(world: &mut World, (pick, parent): (Entity, Entity)) {
    world.entity_mut(pick).set_parent_in_place(parent);
}
