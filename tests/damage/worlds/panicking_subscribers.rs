//! A subscriber of the user's that panics at every event of a first run in turn, while whole
//! archetypes and single entities get what they lack: no entity is lost, no component is dropped
//! twice or never, and the next run mends the rest.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use harness::{caught, panics::Fuse, schedule};
use legion::{
    Entity, IntoQuery, Resources, Schedule, World, any,
    world::{Event, EventSender},
};
use legion_transform::{components::PreviousParent, findings::FindingKind, prelude::*};

/// A component that counts how many of it there are.
struct Counted(#[expect(dead_code, reason = "it is counted")] Arc<()>, usize);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Empty;

#[repr(align(256))]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wide(usize);

const COUNT: usize = 80;

/// A root with children, half of which have a child each, all of them as bare as they may be.
fn build(world: &mut World, owner: &Arc<()>) -> (Entity, Vec<Entity>) {
    let root = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
    let link = |parent| (LocalToWorld::identity(), LocalToParent::identity(), Parent(parent));
    let row = |number| {
        let (world, local, parent) = link(root);
        (world, local, parent, Counted(owner.clone(), number), Empty, Wide(number))
    };
    let children = world.extend((0..COUNT).map(row).collect::<Vec<_>>()).to_vec();
    let below = children.iter().step_by(2).map(|&child| link(child));
    world.extend(below.collect::<Vec<_>>());
    (root, children)
}

/// All that is wrong with the children.
fn faults(world: &mut World, root: Entity, children: &[Entity]) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, &child) in children.iter().enumerate() {
        let Some(entry) = world.entry(child) else {
            faults.push(format!("{number} is lost"));
            continue;
        };
        let is_whole = entry.get_component::<Counted>().is_ok_and(|counted| counted.1 == number)
            && entry.get_component::<Wide>().is_ok_and(|wide| *wide == Wide(number))
            && entry.get_component::<Empty>().is_ok()
            && entry.get_component::<PreviousParent>().is_ok_and(|p| p.parent() == Some(root))
            && entry.get_component::<Children>().is_ok() == (number % 2 == 0)
            && entry.get_component::<LocalToWorld>().is_ok_and(|m| m.position().x == 1.0);
        if !is_whole {
            faults.push(format!("{number} is wrong"));
        }
    }
    faults
}

/// What a first run that panics at an event leaves, and what the next run makes of it. Returns
/// whether it panicked, and whether an archetype was being made then.
fn first_run(fuse: Fuse, at: usize) -> (bool, bool) {
    let owner = Arc::new(());
    let (mut world, mut resources, mut schedule) =
        (World::default(), Resources::default(), schedule());
    let (root, children) = build(&mut world, &owner);
    let fuse = fuse.subscribed(&mut world);
    let panicked = fuse.light(at, || schedule.execute(&mut world, &mut resources)).is_err();
    if fuse.has_burnt_in_an_archetype() {
        // Legion has entered the archetype into its index and nowhere else: that cannot be mended,
        // and its own `push` fails from here on. No entity was on its way.
        assert!(children.iter().all(|&child| world.contains(child)));
        assert_eq!(Arc::strong_count(&owner), COUNT + 1);
        std::mem::forget(world);
        return (panicked, true);
    }
    assert!(children.iter().all(|&child| world.contains(child)), "{at}: each is there");
    assert_eq!(Arc::strong_count(&owner), COUNT + 1, "{at}: each component is there once");
    schedule.execute(&mut world, &mut resources);
    assert_eq!(faults(&mut world, root, &children), Vec::<String>::new(), "at {at}");
    assert!(resources.get::<Findings>().unwrap().is_clean(&world), "{at}");
    // And life goes on.
    let (root, children) = build(&mut world, &owner);
    schedule.execute(&mut world, &mut resources);
    assert_eq!(faults(&mut world, root, &children), Vec::<String>::new(), "after {at}");
    drop(world);
    assert_eq!(Arc::strong_count(&owner), 1, "{at}: each component is dropped once");
    (panicked, false)
}

#[test]
fn a_subscriber_that_panics_costs_nothing() {
    for (fuse, makes) in [(Fuse::of_all_events(), true), (Fuse::lasting(), false)] {
        let first_run = |at| first_run(fuse.clone(), at);
        let runs: Vec<_> = (1..).map(first_run).take_while(|(panicked, _)| *panicked).collect();
        let made = runs.iter().filter(|(_, was_made)| *was_made).count();
        assert!(runs.len() > 2 * COUNT && (made > 1) == makes, "{} events, {made}", runs.len());
    }
}

/// Whole archetypes come with right records: a child whose parent dies before the next run has lost
/// it, and does not wait for it.
#[test]
fn a_parent_that_dies_after_a_panic_is_missed() {
    let mut repaired = 0;
    for at in 1..2 * COUNT + 3 {
        let (mut world, mut resources, mut schedule) =
            (World::default(), Resources::default(), schedule());
        let root = world.push((LocalToWorld::identity(),));
        let link = (LocalToWorld::identity(), LocalToParent::identity(), Parent(root));
        let children = world.extend(vec![link; COUNT]).to_vec();
        let fuse = Fuse::of_all_events().subscribed(&mut world);
        let panicked = fuse.light(at, || schedule.execute(&mut world, &mut resources)).is_err();
        if fuse.has_burnt_in_an_archetype() {
            std::mem::forget(world);
            continue;
        }
        world.remove(root);
        schedule.execute(&mut world, &mut resources);
        assert!(panicked, "{at}");
        for &child in &children {
            let layout = world.entry(child).expect("alive").archetype().layout().clone();
            assert!(!layout.has_component::<Parent>(), "at {at}");
            repaired += 1;
        }
    }
    assert!(repaired >= 2 * COUNT * COUNT, "{repaired}");
}

/// With `insert_missing`, a row without a place in Legion's table gets what it lacks with all
/// others of its archetype, and is linked in the same run.
#[test]
fn a_row_without_a_place_gets_its_matrices() {
    for (at, without) in [(1, ""), (1, "bulk"), (2, ""), (2, "bulk")] {
        let bundle = TransformSystemBundle::default().insert_missing().without(without);
        let mut schedule = Schedule::builder().add_transforms(bundle).build();
        let (mut world, mut resources) = (World::default(), Resources::default());
        let root = world.push((Translation::new(1.0, 0.0, 0.0),));
        let row = |x| (Parent(root), Translation::new(x, 0.0, 0.0));
        world.push(row(1.0));
        schedule.execute(&mut world, &mut resources);
        let fuse = Fuse::default().subscribed(&mut world);
        fuse.set(at);
        let pushed = [2.0, 3.0].map(|x| caught(|| world.push(row(x))).is_ok());
        assert_eq!(pushed, [at != 1, at != 2]);
        schedule.execute(&mut world, &mut resources);
        let mut found: Vec<f32> =
            <&LocalToWorld>::query().iter(&world).map(|it| it.position().x).collect();
        found.sort_by(f32::total_cmp);
        assert_eq!(found, [1.0, 2.0, 3.0, 4.0], "{at} {without}");
        let children = world.entry(root).expect("alive").get_component::<Children>().cloned();
        assert_eq!(children.expect("it has some").len(), 3);
    }
}

/// A subscriber that lets no archetype be made after it is armed.
struct NoArchetypes(Arc<AtomicUsize>);

impl EventSender for NoArchetypes {
    fn send(&self, event: Event) -> bool {
        let is_armed = self.0.load(SeqCst) == 1;
        assert!(!is_armed || !matches!(event, Event::ArchetypeCreated(_)), "the subscriber");
        true
    }
}

/// The bundle gets the event of an archetype that is never made, because a user's subscriber
/// panics.
#[test]
fn an_archetype_that_was_announced_and_never_made_is_left_out() {
    let (mut world, mut resources, mut schedule) =
        (World::default(), Resources::default(), schedule());
    let root = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
    // Legion calls the last subscriber first: the bundle's, which subscribes in its first run.
    let armed = Arc::new(AtomicUsize::new(0));
    world.subscribe(NoArchetypes(armed.clone()), any());
    schedule.execute(&mut world, &mut resources);
    armed.store(1, SeqCst);
    assert!(caught(|| world.push((LocalToWorld::identity(), Scale(2.0)))).is_err());
    armed.store(0, SeqCst);
    let mut entry = world.entry(root).unwrap();
    entry.get_component_mut::<Translation>().unwrap().0.vector.x = 2.0;
    schedule.execute(&mut world, &mut resources);
    let entry = world.entry(root).unwrap();
    assert_eq!(entry.get_component::<LocalToWorld>().unwrap().position().x, 2.0);
    assert!(resources.get::<Findings>().unwrap().is_clean(&world));
}

/// Where the last row of an archetype has no place in Legion's table, because a subscriber has
/// panicked in the user's own `push`, an entity before it is put back all the same.
#[test]
fn an_edit_is_put_back_before_a_row_without_a_place() {
    for at in 0..2 {
        let (mut world, mut resources, mut schedule) =
            (World::default(), Resources::default(), schedule());
        let row = |x: f32| (Translation::new(x, 0.0, 0.0), LocalToWorld::identity());
        let all = world.extend([row(1.0), row(2.0), row(3.0)]).to_vec();
        schedule.execute(&mut world, &mut resources);
        // An edit of this kind makes its archetypes now, and not later.
        world.set_parent(all[2], all[0]).unwrap();
        world.remove_parent(all[2]).unwrap();
        let fuse = Fuse::default().subscribed(&mut world);
        assert!(fuse.light(1, || world.push(row(4.0))).is_err());
        assert!(fuse.light(1 + at, || world.set_parent(all[1], all[0])).is_err());
        schedule.execute(&mut world, &mut resources);
        let findings = resources.get::<Findings>().unwrap();
        let mut kinds = findings.of(&world).map(|finding| finding.kind);
        assert!(kinds.all(|kind| kind == FindingKind::UnplacedEntity), "at {at}");
        for (&entity, x) in all.iter().zip([1.0, 2.0, 3.0]) {
            let entry = world.entry(entity).unwrap();
            assert_eq!(entry.get_component::<Translation>().unwrap().x, x, "at {at}");
        }
    }
}
