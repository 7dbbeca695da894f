//! Every public function that reads a world of any type, in a system that may read some archetypes
//! while Legion runs another beside it, which writes all others. `tests/sources/surface/surface.txt` marks
//! these functions, and each has its row here.
//!
//! ```text
//!  seen     root ─┬─ child                         the system's queries match these
//!                 │            ┌─ adopted
//!  hidden         └─ lost   parent                 the other system writes these
//! ```

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use harness::{at, below};
use legion::{
    Entity, IntoQuery, Resources, Schedule, World, component, systems::SystemBuilder,
    world::SubWorld,
};
use legion_transform::{
    TransformStats,
    changes::{FollowError, InstanceSlots},
    components::PreviousParent,
    prelude::*,
    query::QueryError,
    smooth::Smooth,
};

/// What a function answers in such a system.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Answers {
    /// About an entity: an error, if that is hidden.
    Entity,
    /// An error: something is hidden that belongs to the answer.
    Denied,
    /// What it knows without the world.
    Always,
}
use Answers::*;

/// A system that asks.
struct Asked<'a, 'w> {
    world: &'a SubWorld<'w>,
    entity: Entity,
    known: &'a Known,
}

/// What has followed the last run, in a world of which all could be read.
struct Known {
    changes: TransformChanges,
    smooth: Smooth,
    slots: InstanceSlots<Translation>,
}

/// The numbers in an answer.
type Answer = Result<Vec<f32>, QueryError>;

type Row = (&'static str, Answers, fn(&Asked<'_, '_>) -> Answer);

const READERS: [Row; 32] = [
    ("changes::InstanceSlots::follow", Always, |it| {
        let mut slots = InstanceSlots::<Translation>::default();
        slots.follow(it.world, &it.known.changes).unwrap();
        Ok(vec![])
    }),
    ("changes::InstanceSlots::updates", Denied, |it| {
        Ok(it.known.slots.updates(it.world)?.flat_map(|(_, matrix)| numbers(&matrix)).collect())
    }),
    ("changes::TransformChanges::of", Always, |it| {
        assert!(it.known.changes.of(it.world).changed().count() > 0);
        Ok(vec![])
    }),
    ("changes::TransformChanges::tracked", Always, |it| {
        assert!(it.known.changes.tracked(it.world).is_some());
        Ok(vec![])
    }),
    ("components::LocalToWorld::of", Entity, |it| {
        LocalToWorld::of(it.world, it.entity).map(|matrix| numbers(&matrix))
    }),
    ("findings::Findings::is_clean", Always, |it| {
        assert!(Findings::default().is_clean(it.world));
        Ok(vec![])
    }),
    ("findings::Findings::of", Always, |it| {
        assert_eq!(Findings::default().of(it.world).count(), 0);
        Ok(vec![])
    }),
    ("query::TransformQuery::between", Entity, |it| {
        let query = TransformQuery::new(it.world);
        query.between(it.entity, it.entity).map(|matrix| matrix.as_slice().to_vec())
    }),
    ("query::TransformQuery::in_frame", Entity, |it| {
        match TransformQuery::new(it.world).in_frame(it.entity, it.entity) {
            Err(QueryError::NoFrame(_)) => Ok(vec![]),
            answer => answer.map(|matrix| matrix.cast().as_slice().to_vec()),
        }
    }),
    ("query::TransformQuery::local_to_parent", Entity, |it| {
        TransformQuery::new(it.world).local_to_parent(it.entity).map(|it| it.as_slice().to_vec())
    }),
    ("query::TransformQuery::local_to_world", Entity, |it| {
        TransformQuery::new(it.world).local_to_world(it.entity).map(|it| numbers(&it))
    }),
    ("query::TransformQuery::new", Always, |it| {
        _ = TransformQuery::new(it.world);
        Ok(vec![])
    }),
    ("query::TransformQuery::position", Entity, |it| {
        TransformQuery::new(it.world).position(it.entity).map(|at| at.coords.as_slice().to_vec())
    }),
    ("query::TransformQuery::transform", Entity, |it| {
        let transform = TransformQuery::new(it.world).transform(it.entity);
        transform.map(|it| it.to_matrix().as_slice().to_vec())
    }),
    ("query::TransformQuery::world_to_local", Entity, |it| {
        TransformQuery::new(it.world).world_to_local(it.entity).map(|it| it.as_slice().to_vec())
    }),
    ("query::Walk::ancestors", Denied, |it| walk(it, |walk, it| walk.ancestors(it).count())),
    ("query::Walk::children", Denied, |it| walk(it, |walk, it| walk.children(it).count())),
    ("query::Walk::descendants", Denied, |it| walk(it, |walk, it| walk.descendants(it).count())),
    ("query::Walk::descendants_breadth_first", Denied, |it| {
        walk(it, |walk, it| walk.descendants_breadth_first(it).count())
    }),
    ("query::Walk::fresh", Denied, |it| Walk::fresh(it.world).map(|_| vec![])),
    ("query::Walk::index", Denied, |it| walk(it, |walk, it| walk.index(it).iter().count())),
    ("query::Walk::new", Denied, |it| Walk::new(it.world).map(|_| vec![])),
    ("query::Walk::parent", Denied, |it| walk(it, |walk, it| walk.parent(it).iter().count())),
    ("query::Walk::root", Denied, |it| walk(it, |walk, it| walk.root(it).iter().count())),
    ("query::Walk::siblings", Denied, |it| walk(it, |walk, it| walk.siblings(it).count())),
    ("query::Walk::subtree", Denied, |it| walk(it, |walk, it| walk.subtree(it).count())),
    ("query::Walk::topmost", Denied, |it| walk(it, |walk, it| walk.topmost([it]).len())),
    ("smooth::Smooth::last_frame", Always, |it| {
        let last = it.known.smooth.last_frame(it.world, it.entity).unwrap();
        Ok(numbers(&last))
    }),
    ("smooth::Smooth::matrix", Always, |it| {
        let matrix = it.known.smooth.matrix(it.world, it.entity, 1.0).unwrap();
        Ok(numbers(&matrix))
    }),
    ("smooth::Smooth::tick", Denied, |it| {
        match Smooth::default().tick(it.world, &it.known.changes) {
            Err(FollowError::Query(error)) => Err(error),
            other => panic!("{other:?}"),
        }
    }),
    ("stats::TransformStats::of", Always, |it| {
        assert_eq!(TransformStats::default().of(it.world).composed, 0);
        Ok(vec![])
    }),
    ("transform::Transform::read", Entity, |it| {
        Transform::read(it.world, it.entity).map(|it| it.to_matrix().as_slice().to_vec())
    }),
];

fn numbers(matrix: &LocalToWorld) -> Vec<f32> {
    matrix.as_slice().to_vec()
}

fn walk(it: &Asked<'_, '_>, step: fn(&Walk<'_, SubWorld<'_>>, Entity) -> usize) -> Answer {
    Ok(vec![step(&Walk::new(it.world)?, it.entity) as f32])
}

/// Fails where a function that reads a world has no row above, and where a row has no function.
#[test]
fn each_function_that_reads_a_world_has_its_row() {
    let mut marked = Vec::new();
    for block in include_str!("../../sources/surface/surface.txt").split("\n\n").skip(1) {
        let mut lines = block.lines();
        let item = lines.next().unwrap_or_default();
        let path = item.split([' ', ',']).nth(1).unwrap_or_default();
        let functions = lines.filter_map(|line| line.strip_suffix(", reads a world"));
        marked.extend(functions.map(|line| format!("{path}::{}", line.trim().replace("fn ", ""))));
    }
    marked.sort();
    let rows = READERS.map(|(name, ..)| name.to_owned());
    assert_eq!(marked, rows);
}

/// What the other system writes is above this, and all else below.
const WRITTEN: f32 = 2000.0;

/// The world, with its entities by name as in the drawing: two that are seen with all that is above
/// them, one whose parent is hidden, and two that are hidden.
fn world() -> (World, [Entity; 5], Known) {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let bundle = TransformSystemBundle::default().track_changes();
    let mut schedule = Schedule::builder().add_transforms(bundle).build();
    let seen = |world: &mut World, entity| world.entry(entity).unwrap().add_component(7_u8);
    let root = world.push(at(1.0));
    seen(&mut world, root);
    let child = world.push(below(root, 2.0));
    seen(&mut world, child);
    let parent = world.push(at(3.0));
    let adopted = world.push(below(parent, 4.0));
    seen(&mut world, adopted);
    let lost = world.push(below(root, 5.0));
    schedule.execute(&mut world, &mut resources);
    let changes = resources.remove::<TransformChanges>().unwrap();
    let (mut smooth, mut slots) = (Smooth::default().with_last_frames(), InstanceSlots::default());
    smooth.tick(&world, &changes).unwrap();
    slots.follow(&world, &changes).unwrap();
    (world, [root, child, adopted, parent, lost], Known { changes, smooth, slots })
}

/// Asks all readers about the entity of this number.
fn ask(world: &SubWorld<'_>, known: &Known, entity: Entity, number: usize) {
    for (name, answers, call) in READERS {
        let answer = call(&Asked { world, entity, known });
        let is_denied = matches!(answer, Err(QueryError::MissingAccess { .. }));
        match (answers, number) {
            (Always, _) | (Entity, 0 | 1) => assert!(answer.is_ok(), "{name}: {answer:?}"),
            (Denied, _) | (Entity, 3 | 4) => assert!(is_denied, "{name}: {answer:?}"),
            (Entity, _) => assert!(is_denied || answer.is_ok(), "{name}: {answer:?}"),
        }
        let numbers = answer.unwrap_or_default();
        assert!(numbers.iter().all(|x| x.abs() < WRITTEN), "{name}: {numbers:?}");
    }
}

#[test]
fn nothing_is_read_that_another_system_may_write() {
    let (mut world, entities, known) = world();
    let (begun, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (has_begun, is_done) = (begun.clone(), done.clone());
    type All<'a> = (&'a mut LocalToWorld, Option<&'a mut LocalToParent>, &'a mut Translation);
    let writer = SystemBuilder::new("writer")
        .with_query(<All<'_>>::query().filter(!component::<u8>()))
        .build(move |_, world, (), query| {
            for turn in 0..1_000_000 {
                let number = WRITTEN + (turn % 100) as f32;
                query.for_each_mut(world, |(matrix, local, at)| {
                    matrix.0.fill(number);
                    local.into_iter().for_each(|local| local.0.fill(number));
                    at.x = number;
                });
                has_begun.store(true, SeqCst);
                if is_done.load(SeqCst) {
                    break;
                }
            }
        });
    // All that these readers may need, where entities are seen.
    let first = <(
        &LocalToWorld,
        Option<&LocalToParent>,
        Option<&Parent>,
        Option<&PreviousParent>,
        Option<&Children>,
        &Translation,
    )>::query();
    let others = <(
        &LocalToWorld,
        Option<&Rotation>,
        Option<&Scale>,
        Option<&NonUniformScale>,
        Option<&Inherits>,
    )>::query();
    let reader = SystemBuilder::new("reader")
        .with_query(first.filter(component::<u8>()))
        .with_query(others.filter(component::<u8>()))
        .build(move |_, world, (), _| {
            // With a thread alone, the other system has run already, or will run later.
            let start = Instant::now();
            while !begun.load(SeqCst) && start.elapsed() < Duration::from_millis(200) {}
            for _ in 0..200 {
                for (number, &entity) in entities.iter().enumerate() {
                    ask(world, &known, entity, number);
                }
            }
            done.store(true, SeqCst);
        });
    let mut schedule = Schedule::builder().add_system(writer).add_system(reader).build();
    schedule.execute(&mut world, &mut Resources::default());
}

/// A system that sees all instances needs to see nothing else, until one of them has moved away.
#[test]
fn updates_need_what_they_list_and_no_more() {
    let (mut world, [_, child, ..], known) = world();
    let Known { changes, .. } = known;
    let mut slots = InstanceSlots::<u8>::default();
    slots.follow(&world, &changes).unwrap();
    assert_eq!(slots.came().len(), 3);
    let slots = Arc::new(slots);
    for moved in [false, true] {
        if moved {
            world.entry(child).unwrap().remove_component::<u8>();
        }
        let slots = slots.clone();
        let reader = SystemBuilder::new("reader")
            .with_query(<&LocalToWorld>::query().filter(component::<u8>()))
            .build(move |_, world, (), _| match slots.updates(world) {
                Ok(updates) if !moved => assert_eq!(updates.count(), 3),
                Err(QueryError::MissingAccess { component: None, entity }) if moved => {
                    assert_eq!(entity, Some(child));
                }
                other => panic!("{moved} {:?}", other.map(Iterator::count)),
            });
        let mut schedule = Schedule::builder().add_system(reader).build();
        schedule.execute(&mut world, &mut Resources::default());
    }
}

/// A parent may be bare with `insert_missing`, and before the first run. So a walk must see all
/// entities then, or it would lose a parent.
#[test]
fn a_walk_sees_parents_without_a_matrix() {
    for inserts in [None, Some(false), Some(true)] {
        let (mut world, mut resources) = (World::default(), Resources::default());
        let bare = world.push((7_u8,));
        let child = world.push(below(bare, 1.0));
        if let Some(inserts) = inserts {
            let bundle = TransformSystemBundle::default();
            let bundle = if inserts { bundle.insert_missing() } else { bundle };
            Schedule::builder().add_transforms(bundle).build().execute(&mut world, &mut resources);
            world.entry(bare).unwrap().remove_component::<LocalToWorld>();
        }
        let query = <(&Parent, Option<&Children>)>::query();
        let reader =
            SystemBuilder::new("reader").with_query(query).build(move |_, world, (), _| {
                let parent = Walk::new(world).map(|walk| walk.parent(child));
                match inserts {
                    Some(false) => assert_eq!(parent, Ok(None)),
                    _ => assert!(
                        matches!(parent, Err(QueryError::MissingAccess { .. })),
                        "{parent:?}"
                    ),
                }
            });
        let mut schedule = Schedule::builder().add_system(reader).build();
        schedule.execute(&mut world, &mut resources);
    }
}
