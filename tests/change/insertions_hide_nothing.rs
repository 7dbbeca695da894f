//! An insertion hides nothing: whatever was written before, between and after entities that come
//! and go in one frame, by systems, by commands or directly, everything is right after the frame's
//! one run.
//!
//! After each frame a bundle that has never seen the world, and so takes everything for written,
//! must find nothing to do.

use std::sync::{Arc, Mutex};

use harness::{Rng, Snapshot, at, below};
use legion::{
    Entity, IntoQuery, Resources, Schedule, SystemBuilder, World, systems::CommandBuffer,
};
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Vector3};

/// What a frame does to the world at one of three moments.
#[derive(Clone, Debug)]
enum Edit {
    Root(f32),
    Child(usize, f32),
    Many(usize, usize, f32),
    Despawn(usize),
    Hang(usize, usize),
    Unhang(usize),
    Tag(usize),
    Untag(usize),
    Move(usize, f32),
    MoveAll(f32),
    OverwriteWorld(usize),
    OverwriteAllWorlds,
    OverwriteLocal(usize),
    OverwriteChildren(usize),
    OverwritePrevious(usize),
    Rewrap(usize, f32),
}

/// A component that moves an entity to another archetype.
struct Tag;

fn random(rng: &mut Rng) -> Edit {
    let (a, b, x) = (rng.below(1 << 20), rng.below(1 << 20), rng.below(100) as f32);
    match rng.below(20) {
        0 => Edit::Root(x),
        1..=3 => Edit::Child(a, x),
        4 => Edit::Many(a, 1 + b % 40, x),
        5 | 6 => Edit::Despawn(a),
        7 => Edit::Hang(a, b),
        8 => Edit::Unhang(a),
        9 => Edit::Tag(a),
        10 => Edit::Untag(a),
        11 | 12 => Edit::Move(a, x),
        13 => Edit::MoveAll(x),
        14 => Edit::OverwriteWorld(a),
        15 => Edit::OverwriteAllWorlds,
        16 => Edit::OverwriteLocal(a),
        17 => Edit::OverwriteChildren(a),
        18 => Edit::OverwritePrevious(a),
        _ => Edit::Rewrap(a, x),
    }
}

/// Carries an edit out on a world.
fn edit(world: &mut World, all: &mut Vec<Entity>, edit: &Edit) {
    all.retain(|&entity| world.contains(entity));
    let pick = |index: usize| if all.is_empty() { None } else { Some(all[index % all.len()]) };
    macro_rules! write {
        ($entity:expr, $component:ty, $value:expr) => {
            if let Some(mut entry) = pick($entity).and_then(|entity| world.entry(entity)) {
                if let Ok(component) = entry.get_component_mut::<$component>() {
                    *component = $value;
                }
            }
        };
    }
    match *edit {
        Edit::Root(x) => all.push(world.push(at(x))),
        Edit::Child(parent, x) => {
            if let Some(parent) = pick(parent) {
                all.push(world.push(below(parent, x)));
            }
        }
        Edit::Many(parent, n, x) => {
            if let Some(parent) = pick(parent) {
                all.extend_from_slice(
                    world.extend((0..n).map(|i| below(parent, x + i as f32)).collect::<Vec<_>>()),
                );
            }
        }
        Edit::Despawn(index) => {
            pick(index).map(|entity| world.remove(entity));
        }
        Edit::Hang(child, parent) => {
            if let (Some(child), Some(parent)) = (pick(child), pick(parent)) {
                let mut entry = world.entry(child).unwrap();
                entry.add_component(LocalToParent::identity());
                entry.add_component(Parent(parent));
            }
        }
        Edit::Unhang(index) => {
            if let Some(mut entry) = pick(index).and_then(|entity| world.entry(entity)) {
                entry.remove_component::<Parent>();
                entry.remove_component::<LocalToParent>();
            }
        }
        Edit::Tag(index) => {
            if let Some(mut entry) = pick(index).and_then(|entity| world.entry(entity)) {
                entry.add_component(Tag);
            }
        }
        Edit::Untag(index) => {
            if let Some(mut entry) = pick(index).and_then(|entity| world.entry(entity)) {
                entry.remove_component::<Tag>();
            }
        }
        Edit::Move(index, x) => write!(index, Translation, Translation::new(x, 1.0, 0.0)),
        Edit::MoveAll(x) => <&mut Translation>::query()
            .for_each_mut(world, |translation| translation.0.vector.y = x),
        Edit::OverwriteWorld(index) => {
            write!(index, LocalToWorld, LocalToWorld(Matrix4::repeat(7.0)))
        }
        Edit::OverwriteAllWorlds => {
            <&mut LocalToWorld>::query()
                .for_each_mut(world, |matrix| matrix.0 = Matrix4::new_translation(&Vector3::x()));
        }
        Edit::OverwriteLocal(index) => {
            write!(index, LocalToParent, LocalToParent(Matrix4::repeat(8.0)))
        }
        Edit::OverwriteChildren(index) => write!(index, Children, Children::new()),
        Edit::OverwritePrevious(index) => write!(index, PreviousParent, PreviousParent(None)),
        Edit::Rewrap(index, x) => {
            if let Some(mut entry) = pick(index).and_then(|entity| world.entry(entity)) {
                entry.add_component(Translation::new(x, 2.0, 0.0));
                entry.add_component(LocalToWorld(Matrix4::repeat(9.0)));
            }
        }
    }
}

type Plan = Arc<Mutex<(Vec<Edit>, Vec<Edit>)>>;

/// A schedule that edits directly, then writes in a system, then by commands, and then runs the
/// bundle.
fn schedule(plan: &Plan, all: &Arc<Mutex<Vec<Entity>>>) -> Schedule {
    let (direct, known) = (plan.clone(), all.clone());
    let (recorded, later) = (plan.clone(), all.clone());
    Schedule::builder()
        .add_thread_local_fn(move |world, _| {
            let (plan, mut all) = (direct.lock().unwrap(), known.lock().unwrap());
            plan.0.iter().for_each(|planned| edit(world, &mut all, planned));
        })
        .add_system(SystemBuilder::new("commands").build(
            move |commands: &mut CommandBuffer, _, _, _| {
                for planned in recorded.lock().unwrap().1.iter().cloned() {
                    let all = later.clone();
                    match planned {
                        Edit::Root(x) => all.lock().unwrap().push(commands.push(at(x))),
                        planned => commands.exec_mut(move |world, _| {
                            edit(world, &mut all.lock().unwrap(), &planned)
                        }),
                    }
                }
            },
        ))
        .add_transforms(TransformSystemBundle::default())
        .build()
}

#[test]
fn whatever_is_written_around_insertions_is_found() {
    let frames: usize =
        std::env::var("LEGION_TRANSFORM_SOAK").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    let mut rng = Rng::new(0x5eed);
    let (plan, all) = (Plan::default(), Arc::new(Mutex::new(Vec::new())));
    let mut world = World::default();
    let mut resources = Resources::default();
    let mut lived_in = schedule(&plan, &all);
    for frame in 0..frames {
        let plans: Vec<Edit> = (0..rng.below(8)).map(|_| random(&mut rng)).collect();
        let direct = if rng.below(3) == 0 { rng.below(plans.len() + 1) } else { 0 };
        *plan.lock().unwrap() = (plans[..direct].to_vec(), plans[direct..].to_vec());
        lived_in.execute(&mut world, &mut resources);
        let before = Snapshot::of(&world);
        let mut fresh = harness::schedule();
        fresh.execute(&mut world, &mut resources);
        assert_eq!(Snapshot::of(&world).moved_since(&before), [], "frame {frame}: {plans:?}");
        if world.len() > 400 {
            world.clear();
        }
    }
}
