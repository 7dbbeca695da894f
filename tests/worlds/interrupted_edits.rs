//! A subscriber of the user's that panics in the middle of an edit. The crate's own edits leave
//! every entity whole, and the next run makes everything right. What Legion's `push` leaves is a
//! row without a place: every run ends, and a finding names the entity.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use harness::{caught, schedule, x};
use legion::{
    Entity, EntityStore, IntoQuery, Resources, Schedule, World, any,
    systems::CommandBuffer,
    world::{Event, EventSender},
};
use legion_transform::{
    components::PreviousParent,
    findings::FindingKind,
    prelude::*,
    spawn::{insert_with_ids, reserve_ids},
};

/// Panics at the n-th time that an entity comes or goes. (When an archetype is made, Legion cannot
/// bear it itself.)
struct Fuse(Arc<AtomicUsize>);

impl EventSender for Fuse {
    fn send(&self, event: Event) -> bool {
        let is_row = !matches!(event, Event::ArchetypeCreated(_));
        let burns = is_row && self.0.load(SeqCst) > 0 && self.0.fetch_sub(1, SeqCst) == 1;
        assert!(!burns, "the subscriber");
        true
    }
}

/// What a component of the user's says, so that a lost or swapped one shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Name(pub u32);

fn at(x: f32) -> Translation {
    Translation::new(x, 0.0, 0.0)
}

/// A root at 1 with five children, the first of which has a child, and a second root.
pub struct Family {
    pub world: World,
    resources: Resources,
    schedule: Schedule,
    pub root: Entity,
    other: Entity,
    children: Vec<Entity>,
    fuse: Arc<AtomicUsize>,
}

impl Family {
    pub fn new() -> Self {
        let mut world = World::default();
        let root = world.push_transform((at(1.0), Name(0)));
        let other = world.push_transform((at(2.0), Name(1)));
        let children = world.extend_children(root, (0..5).map(|i| (at(i as f32), Name(2 + i))));
        world.push_child(children[0], (at(1.0), Name(7)));
        let (mut schedule, mut resources) = (schedule(), Resources::default());
        schedule.execute(&mut world, &mut resources);
        let fuse = Arc::new(AtomicUsize::new(0));
        world.subscribe(Fuse(fuse.clone()), any());
        Self { world, resources, schedule, root, other, children, fuse }
    }

    /// Edits with a subscriber that panics at an event. Returns whether it did.
    fn edit(&mut self, event: usize, edit: impl FnOnce(&mut Self)) -> bool {
        self.fuse.clone().store(event, SeqCst);
        let panicked = caught(|| edit(self)).is_err();
        self.fuse.store(0, SeqCst);
        panicked
    }

    pub fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    fn findings(&self) -> Vec<(FindingKind, Entity)> {
        let findings = self.resources.get::<Findings>().unwrap();
        findings.of(&self.world).map(|finding| (finding.kind, finding.entity)).collect()
    }

    /// The names of all entities, which Legion finds by their ids.
    pub fn names(&mut self) -> Vec<u32> {
        let rows: Vec<(Entity, Name)> = <(Entity, &Name)>::query()
            .iter(&self.world)
            .map(|(&entity, &name)| (entity, name))
            .collect();
        for &(entity, name) in &rows {
            let entry = self.world.entry_ref(entity).expect("each row has a place");
            assert_eq!(entry.get_component::<Name>(), Ok(&name));
        }
        let mut names: Vec<u32> = rows.iter().map(|(_, name)| name.0).collect();
        names.sort_unstable();
        names
    }

    /// Whether each entity is where its parent and its `Translation` say, and its parent lists it.
    pub fn check(&self, what: &str) {
        let mut query = <(Entity, &Translation, &LocalToWorld, Option<&Parent>)>::query();
        for (&entity, local, _, parent) in query.iter(&self.world) {
            let is_linked = |parent: &&Parent| {
                let entry = self.world.entry_ref(entity).unwrap();
                entry.get_component::<LocalToParent>().is_ok() && self.world.contains(parent.0)
            };
            let parent = parent.filter(is_linked);
            let base = parent.map_or(0.0, |parent| x(&self.world, parent.0));
            assert_eq!(x(&self.world, entity), base + local.x, "{what}: {entity:?}");
            if let Some(parent) = parent {
                let entry = self.world.entry_ref(parent.0).unwrap();
                let children = entry.get_component::<Children>().unwrap();
                assert_eq!(children.iter().filter(|it| **it == entity).count(), 1, "{what}");
            }
        }
    }
}

pub type Edit = fn(&mut Family);

/// Every edit that moves or inserts entities, with the number of entities afterwards.
pub const EDITS: [(&str, Edit, u32); 13] = [
    ("set_parent", |it| it.world.set_parent(it.root, it.other).unwrap(), 8),
    ("insert_child", |it| it.world.insert_child(it.other, 0, it.root).unwrap(), 8),
    ("remove_parent", |it| it.world.remove_parent(it.children[0]).unwrap(), 8),
    ("detach_children", |it| _ = it.world.detach_children(it.root).unwrap(), 8),
    ("commands", by_commands, 9),
    ("push_transform", |it| _ = it.world.push_transform((at(8.0), Name(8))), 9),
    ("push_child", |it| _ = it.world.push_child(it.other, (at(8.0), Name(8))), 9),
    ("extend_transforms", |it| _ = it.world.extend_transforms(three()), 11),
    ("extend_children", |it| _ = it.world.extend_children(it.other, three()), 11),
    ("insert_with_ids", |it| insert_with_ids(&mut it.world, &reserve_ids(3), three()).unwrap(), 11),
    ("push_tree", tree, 12),
    ("CommandBuffer::extend_children", children_by_commands, 11),
    ("CommandBuffer::push_tree", tree_by_commands, 12),
];

fn three() -> impl Iterator<Item = (Translation, Name)> {
    (8..11).map(|name| (at(name as f32), Name(name)))
}

fn by_commands(it: &mut Family) {
    let mut commands = CommandBuffer::new(&it.world);
    commands.push_child(it.other, (at(3.0), Name(8)));
    commands.set_parent(it.children[2], it.children[3]);
    commands.flush(&mut it.world, &mut it.resources);
}

fn tree(it: &mut Family) {
    it.world.push_tree((at(0.0), Name(11)), |tree| _ = tree.extend_children(three()));
}

fn children_by_commands(it: &mut Family) {
    let mut commands = CommandBuffer::new(&it.world);
    commands.extend_children(it.other, three());
    commands.flush(&mut it.world, &mut it.resources);
}

fn tree_by_commands(it: &mut Family) {
    let mut commands = CommandBuffer::new(&it.world);
    commands.push_tree((at(0.0), Name(11)), |tree| _ = tree.extend_children(three()));
    commands.flush(&mut it.world, &mut it.resources);
}

#[test]
fn an_edit_that_is_cut_short_leaves_every_entity_whole() {
    for (what, edit, most) in EDITS {
        let mut event = 1;
        loop {
            let mut family = Family::new();
            let panicked = family.edit(event, edit);
            let names = family.names();
            let is_new = names.len() as u32 == most;
            assert!(is_new || names.len() == 8, "{what}: all rows or none, but {names:?}");
            family.run();
            assert_eq!(family.names(), names, "{what} {event}");
            // A link may be made by half. Then it has no effect yet, and a finding says so.
            let by_half = FindingKind::ParentWithoutLocalToParent;
            let mut findings = family.findings().into_iter();
            assert!(findings.all(|(kind, _)| panicked && kind == by_half), "{what} {event}");
            family.check(what);
            if !panicked {
                assert!(is_new, "{what}");
                break;
            }
            event += 1;
        }
        assert!(event > 1, "{what} moves nothing");
    }
}

/// Each entity is gone or whole.
#[test]
fn a_subtree_that_is_despawned_in_part_is_right() {
    for event in 1..8 {
        let mut family = Family::new();
        let entities: Vec<Entity> = Entity::query().iter(&family.world).copied().collect();
        let name = |world: &World, entity| {
            let entry = world.entry_ref(entity).ok()?;
            Some((
                *entry.get_component::<Name>().ok()?,
                entry.get_component::<Translation>().ok()?.x,
            ))
        };
        let before: Vec<_> = entities.iter().map(|it| (*it, name(&family.world, *it))).collect();
        let panicked = family.edit(event, |it| {
            it.world.despawn_subtree(it.root);
        });
        assert_eq!(panicked, event < 8);
        for (entity, own) in before.into_iter().filter(|it| family.world.contains(it.0)) {
            assert_eq!(name(&family.world, entity), own, "{event}");
        }
        let left = family.names();
        assert_eq!(left.len(), 8 - (event - 1), "{event}");
        family.run();
        assert_eq!(family.names(), left);
        let repaired = family.findings().into_iter().all(|(kind, _)| kind.is_repaired());
        assert!(repaired, "{event}: {:?}", family.findings());
        family.check("despawn_subtree");
    }
}

/// `Parent`, `PreviousParent` and `LocalToParent` go from a dead parent's child.
#[test]
fn a_link_that_is_cut_in_part_is_cut_by_the_next_run() {
    for event in 1..7 {
        let mut family = Family::new();
        let child = family.children[1];
        for gone in [family.root, family.children[0]] {
            family.world.remove(gone);
        }
        assert!(family.edit(event, Family::run));
        family.run();
        family.world.entry(child).unwrap().add_component(at(7.0));
        family.run();
        assert_eq!((x(&family.world, child), family.findings()), (7.0, vec![]), "{event}");
        let entry = family.world.entry_ref(child).unwrap();
        assert!(entry.get_component::<LocalToParent>().is_err(), "{event}");
        family.check("unlink");
    }
}

/// What the hierarchy would give to a row, or take from it.
const ROWS: [fn(&mut World, Entity, Entity) -> Entity; 8] = [
    |world, _, dead| world.push((LocalToWorld::identity(), Children::from_iter([dead]))),
    |world, root, _| world.push((LocalToWorld::identity(), Children::from_iter([root]))),
    |world, _, dead| {
        world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(dead)))
    },
    |world, root, _| {
        world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(root)))
    },
    |world, root, _| {
        let link = (LocalToParent::identity(), Parent(root), PreviousParent::from(Some(root)));
        world.push((LocalToWorld::identity(), link.0, link.1, link.2))
    },
    |world, _, _| world.push((at(1.0), 7_u16)),
    |world, root, _| world.push((LocalToWorld::identity(), PreviousParent::from(Some(root)))),
    |world, _, _| world.push((LocalToWorld::identity(), Children::new())),
];

const LACKS_MATRIX: usize = 5;

/// Legion's own `push` is cut short. The row is there, but it has no place in Legion's table.
#[test]
fn a_row_without_a_place_is_told_and_every_run_ends() {
    let bundles: [fn() -> TransformSystemBundle; 2] =
        [TransformSystemBundle::default, || TransformSystemBundle::default().insert_missing()];
    for (number, row) in ROWS.into_iter().enumerate() {
        for bundle in bundles {
            let mut family = Family::new();
            let bundle = bundle().print_findings(false);
            family.schedule = Schedule::builder().add_transforms(bundle).build();
            family.resources = Resources::default();
            family.run();
            let dead = family.world.push((1_u8,));
            family.world.remove(dead);
            // The archetype is made before.
            let first = row(&mut family.world, family.root, dead);
            family.world.remove(first);
            assert!(family.edit(1, |it| _ = row(&mut it.world, it.root, dead)));
            for place in 3..6 {
                family.world.entry(family.root).unwrap().add_component(at(place as f32));
                family.run();
                assert_eq!(x(&family.world, family.children[4]), place as f32 + 4.0, "{number}");
                // A bundle that gives missing matrices moves whole archetypes: that mends it.
                let lost = <Entity>::query()
                    .iter(&family.world)
                    .find(|entity| family.world.entry_ref(**entity).is_err());
                let is_given = number == LACKS_MATRIX && lost.is_none();
                let told = lost.map(|lost| (FindingKind::UnplacedEntity, *lost));
                assert!(told.is_some() || is_given, "{number}");
                let findings = family.findings().into_iter();
                let mut findings = findings.filter(|it| it.0 == FindingKind::UnplacedEntity);
                assert_eq!((findings.next(), findings.next()), (told, None), "{number}");
            }
            // In another world it has a place again.
            let mut elsewhere = World::default();
            elsewhere.move_from(&mut family.world, &any());
            family.world = elsewhere;
            family.run();
            family.run();
            let others = [FindingKind::MissingLocalToWorld, FindingKind::WaitsForParent];
            let left = family.findings().into_iter().filter(|(kind, _)| !others.contains(kind));
            assert_eq!(left.collect::<Vec<_>>(), [], "{number}");
            family.check("moved");
        }
    }
}

/// Legion calls the last subscriber first. One that subscribes behind the bundle and panics keeps
/// the event from it.
#[test]
fn a_removal_that_the_bundle_has_not_heard_of_is_told() {
    let mut family = Family::new();
    let late = Arc::new(AtomicUsize::new(0));
    family.world.subscribe(Fuse(late.clone()), any());
    late.store(1, SeqCst);
    assert!(caught(|| family.world.remove(family.children[3])).is_err());
    for _ in 0..2 {
        family.run();
        let kinds: Vec<FindingKind> = family.findings().into_iter().map(|it| it.0).collect();
        assert!(matches!(kinds[..], [FindingKind::DamagedColumn { .. }]), "{kinds:?}");
    }
    std::mem::forget(family.world); // Its columns have a row too many.
}
