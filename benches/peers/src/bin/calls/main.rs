//! Calls that a game makes around the run, side by side: ours and Bevy's. `cargo run --release
//! --manifest-path benches/peers/Cargo.toml --bin calls`; words behind `--` choose rows that have
//! one of them in their names.
//!
//! Nanoseconds a call or an entity: medians of rounds that take turns, the same bones of the same
//! skeletons on both sides. The rows of this crate are those of `cargo bench -p benches --bench
//! transforms -- calls`.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_transform::{commands::BuildChildrenTransformExt, helper::TransformHelper, prelude::*};

mod bevy;
#[path = "../../../../calls/rows/mod.rs"]
mod rows;

use bevy::{Bevy, body, spawn};
use rows::{
    BONES, Round, Row, Rows, SKELETONS,
    clones::{TEN, TEN_THOUSAND},
    counted, each, timed,
};

type Call = fn(&mut Bevy) -> Round;

/// What Bevy has for a row of ours: its name, and a round.
fn theirs(row: &str) -> Option<(&'static str, Call)> {
    let others = || deaths(row).or_else(|| spawns(row)).or_else(|| copies(row));
    reads(row).or_else(|| edits(row)).or_else(others)
}

fn reads(row: &str) -> Option<(&'static str, Call)> {
    Some(match row.trim_start_matches("SubWorld: ").trim_end_matches(", one query") {
        "by hand: entry_ref, a component" => ("get GlobalTransform", |it| {
            it.read(|world, pick| world.get::<GlobalTransform>(pick).unwrap().translation().x)
        }),
        "Transform::read" => ("get Transform", |it| {
            it.read(|world, pick| world.get::<Transform>(pick).unwrap().translation.x)
        }),
        "TransformQuery::local_to_world" => ("compute_global_transform", |it| {
            it.system::<TransformHelper>(|helper, bones| {
                each(&bones.picks, |pick| helper.compute_global_transform(pick).unwrap())
            })
        }),
        "Walk::descendants" => ("iter_descendants", |it| {
            it.system::<Query<&Children>>(|query, bones| {
                let count = |&root: &Entity| query.iter_descendants(root).map(black_box).count();
                counted(|| bones.roots.iter().map(count).sum())
            })
        }),
        "Walk::ancestors" => ("iter_ancestors", |it| {
            it.system::<Query<&ChildOf>>(|query, bones| {
                let count = |&pick: &Entity| query.iter_ancestors(pick).map(black_box).count();
                counted(|| bones.picks.iter().map(count).sum())
            })
        }),
        _ => return None,
    })
}

fn set_parent(world: &mut World, (pick, parent): (Entity, Entity)) {
    world.entity_mut(pick).set_parent_in_place(parent);
}

fn edits(row: &str) -> Option<(&'static str, Call)> {
    Some(match row {
        "by hand: entry, a component"
        | "set_transform"
        | "set_transforms"
        | "update_transforms"
        | "Transform::read and set_transform" => ("get_mut Transform", |it| {
            it.edit(it.bones.picks.clone(), |world, pick| {
                world.get_mut::<Transform>(pick).unwrap().translation.x += 1.0;
            })
        }),
        "set_parent" => ("set_parent_in_place", |it| it.edit(it.bones.pairs(), set_parent)),
        "set_parent, from root to root" => ("set_parent_in_place", |it| {
            let other = it.app.world_mut().spawn(body(0)).id();
            let [before, pairs] = it.bones.below_roots(other);
            it.edit(before, set_parent);
            it.run();
            it.edit(pairs, set_parent)
        }),
        "remove_parent" => ("remove_parent_in_place", |it| {
            it.edit(it.bones.distinct().to_vec(), |world, pick| {
                world.entity_mut(pick).remove_parent_in_place();
            })
        }),
        "insert_child" => ("insert_child, not in place", |it| {
            it.edit(it.bones.few_with_picks(), |world, (root, pick)| {
                world.entity_mut(root).insert_child(2, pick);
            })
        }),
        "detach_children of six" => ("detach_all_children, not in place", |it| {
            it.edit(it.bones.few(), |world, root| {
                world.entity_mut(root).detach_all_children();
            })
        }),
        "commands.set_parent" => ("commands: set_parent_in_place", |it| {
            it.flush(it.bones.pairs(), |commands, (pick, hand)| {
                commands.entity(pick).set_parent_in_place(hand);
            })
        }),
        "commands.set_transform" | "commands.set_transforms" => {
            ("commands: insert Transform", |it| {
                it.flush(it.bones.picks.clone(), |commands, pick| {
                    commands.entity(pick).insert(body(1));
                })
            })
        }
        _ => return None,
    })
}

/// Whole skeletons are gone.
fn each_bone(round: Round) -> Round {
    Round { calls: round.calls * BONES, ..round }
}

fn deaths(row: &str) -> Option<(&'static str, Call)> {
    Some(match row {
        "despawn_subtree" | "despawn_subtrees" => ("despawn", |it| {
            each_bone(it.edit(it.bones.few(), |world, root| _ = world.despawn(root)))
        }),
        "despawn_subtree, a run between" => ("despawn, a run between", |it| {
            it.frames(|it, root| timed(BONES, || it.app.world_mut().despawn(root)))
        }),
        "commands.despawn_subtree" => ("commands: despawn", |it| {
            each_bone(it.flush(it.bones.few(), |commands, root| commands.entity(root).despawn()))
        }),
        "commands.despawn_subtree, a push and a run between" => {
            ("commands: despawn, a spawn and a run between", |it| {
                let other = it.app.world_mut().spawn(body(0)).id();
                it.frames(|it, root| {
                    it.app.world_mut().spawn((body(0), ChildOf(other)));
                    each_bone(
                        it.flush(vec![root], |commands, root| commands.entity(root).despawn()),
                    )
                })
            })
        }
        _ => return None,
    })
}

fn spawns(row: &str) -> Option<(&'static str, Call)> {
    Some(match row {
        "push_tree" => ("spawn with ChildOf", |it| {
            it.spawned(|world, _, count| _ = spawn(world, count / BONES))
        }),
        "push_child" => ("spawn with ChildOf", |it| {
            it.spawned(|world, parent, count| {
                (0..count).for_each(|i| _ = world.spawn((body(i), ChildOf(parent))));
            })
        }),
        "push_transform" => ("spawn", |it| {
            it.spawned(|world, _, count| (0..count).for_each(|i| _ = world.spawn(body(i))))
        }),
        "extend_children" => ("spawn_batch with ChildOf", |it| {
            it.spawned(|world, parent, count| {
                world.spawn_batch((0..count).map(|i| (body(i), ChildOf(parent)))).for_each(drop);
            })
        }),
        "extend_transforms" => ("spawn_batch", |it| {
            it.spawned(|world, _, count| world.spawn_batch((0..count).map(body)).for_each(drop))
        }),
        _ => return None,
    })
}

fn copies(row: &str) -> Option<(&'static str, Call)> {
    Some(match row {
        "duplicate of a skeleton" => ("linked cloning", |it| it.skeletons_cloned(false)),
        "duplicate of a skeleton, and the run" => ("the same", |it| it.skeletons_cloned(true)),
        "duplicate of a tree of 10,000" => {
            ("linked cloning", |it| it.trees_cloned(TEN_THOUSAND, 1, false))
        }
        "duplicate of a tree of 10,000, and the run" => {
            ("the same", |it| it.trees_cloned(TEN_THOUSAND, 1, true))
        }
        "1,000 duplicates of a tree of ten" | "clone_to, 1,000 of a prefab of ten" => {
            ("linked cloning", |it| it.trees_cloned(TEN, 1_000, false))
        }
        "1,000 duplicates of a tree of ten, and the run"
        | "clone_to, 1,000 of a prefab of ten, and the run" => {
            ("the same", |it| it.trees_cloned(TEN, 1_000, true))
        }
        _ => return None,
    })
}

/// The medians of ours and of Bevy's, of half a second or 9 rounds.
fn medians(row: &Row, theirs: Option<Call>, skeletons: usize) -> [f64; 2] {
    let (mut ours, mut bevy, mut times) = (None, None, [Vec::new(), Vec::new()]);
    let start = Instant::now();
    while times[0].len() < 9 || start.elapsed() < Duration::from_millis(500) {
        times[0].push(row.round(&mut ours, skeletons).each());
        if let Some(theirs) = theirs {
            let it = bevy.get_or_insert_with(|| Bevy::new(skeletons));
            times[1].push(theirs(it).each());
            it.run();
            bevy.take_if(|_| row.is_once);
        }
    }
    times.map(|mut times| {
        times.sort_unstable_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
    })
}

/// Both sides have the same skeletons: their tips are in the same places.
fn check() {
    let (ours, bevy) = (rows::Scene::new(2), Bevy::new(2));
    for (&ours_pick, &pick) in ours.bones.picks.iter().zip(&bevy.bones.picks) {
        let entry = legion::EntityStore::entry_ref(&ours.world, ours_pick).unwrap();
        let matrix = entry.into_component::<legion_transform::components::LocalToWorld>().unwrap();
        let theirs = bevy.app.world().get::<GlobalTransform>(pick).unwrap().translation();
        let distance = theirs.distance(Vec3::from_array(matrix.position().into()));
        assert!(distance < 1e-4, "bones are {distance} apart");
    }
}

fn main() {
    check();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let bones = SKELETONS.map(|count| format!(" {} bones: ours | Bevy | ratio |", count * BONES));
    println!("| call | Bevy's |{}", bones.concat());
    println!("| --- | --- |{}", " ---: |".repeat(bones.len() * 3));
    let is_wanted =
        |row: &&Row| words.is_empty() || words.iter().any(|word| row.name.contains(word));
    for row in Rows::all().0.iter().filter(is_wanted) {
        let theirs = theirs(&row.name);
        print!("| {} | {} |", row.name, theirs.map_or("", |it| it.0));
        for skeletons in SKELETONS {
            match (medians(row, theirs.map(|it| it.1), skeletons), theirs) {
                ([ours, _], None) => print!(" {ours:.1} | | |"),
                ([ours, bevy], _) => print!(" {ours:.1} | {bevy:.1} | {:.2} |", ours / bevy),
            }
        }
        println!();
    }
}
