//! Two bundles by turns on one world, each with its own options and `Resources`, while the user's
//! code panics wherever the bundle calls it. The log of a world has one owner, so the next run is
//! right, whichever bundle it is of; and queries go by the options of the bundle that began last.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use harness::{Rng, at, below, caught, demand};
use legion::{
    Entity, EntityStore, Resources, Schedule, World, any,
    systems::{ParallelRunnable, SystemBuilder},
    world::{Event, EventSender},
};
use legion_transform::{findings::FindingKind, prelude::*};
use legion_transform_testing::ListMirror;

use super::damaged_worlds::come_with_one_id;

/// Who of the user's is called.
#[derive(Clone, Copy, Debug)]
enum Call {
    Combine,
    Drop,
    Subscriber,
    System,
}

/// Of each, how many calls are left up to the one that panics; 0 is never.
static LEFT: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

impl Call {
    fn made(self) {
        let left = &LEFT[self as usize];
        let burns = left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)) == Ok(1);
        assert!(!burns || std::thread::panicking(), "a user's bug");
    }
}

/// A value that children inherit.
struct Nation(u8);

#[derive(Clone, PartialEq)]
struct Flag(u8);

impl Drop for Flag {
    fn drop(&mut self) {
        Call::Drop.made();
    }
}

impl Inherited for Nation {
    type Value = Flag;
    fn combine(parent: Option<&Flag>, own: Option<&Self>) -> Flag {
        Call::Combine.made();
        Flag(own.map_or_else(|| parent.map_or(0, |parent| parent.0), |own| own.0))
    }
}

struct Subscriber;

impl EventSender for Subscriber {
    fn send(&self, event: Event) -> bool {
        // Legion cannot bear a panic while an archetype is made.
        if !matches!(event, Event::ArchetypeCreated(_)) {
            Call::Subscriber.made();
        }
        true
    }
}

/// Has its own matrix in one of the two bundles.
struct Pinned;

/// A world that comes between two steps of a bundle, in place of the one with which the run began.
struct Late(World);

fn system() -> impl ParallelRunnable + 'static {
    SystemBuilder::new("the user's").build(|commands, _, _, _| {
        Call::System.made();
        commands.exec_mut(|world, resources| {
            if let Some(late) = resources.remove::<Late>() {
                *world = late.0;
            }
        });
    })
}

/// A bundle with its resources.
struct Side {
    schedule: Schedule,
    resources: Resources,
    list: ListMirror,
}

impl Side {
    fn new(bundle: TransformSystemBundle) -> Self {
        let bundle = bundle.track_changes().inherit::<Nation>().print_findings(false);
        let bundle = bundle.before_composition(system()).before_propagation(system());
        let schedule = Schedule::builder().add_transforms(bundle).build();
        Self { schedule, resources: Resources::default(), list: ListMirror::default() }
    }

    fn is_refused(&self, world: &World) -> bool {
        let findings = self.resources.get::<Findings>().unwrap();
        findings.of(world).any(|it| it.kind == FindingKind::DuplicateEntity)
    }
}

struct Life {
    world: World,
    sides: [Side; 2],
    /// Which side began last.
    known: Option<usize>,
    /// Two rows that have this id; and whether there ever were any.
    shared: Option<Entity>,
    has_ghost: bool,
    all: Vec<Entity>,
    rng: Rng,
}

impl Life {
    fn new(seed: u64) -> Self {
        let bundle = TransformSystemBundle::default;
        let sides = [bundle().write_group::<LocalToWorld, Pinned>(), bundle()].map(Side::new);
        let mut world = World::default();
        world.subscribe(Subscriber, any());
        let (known, shared, has_ghost, all) = Default::default();
        let rng = Rng::new(seed);
        let mut life = Self { world, sides, known, shared, has_ghost, all, rng };
        (0..5).for_each(|_| life.spawn());
        life
    }

    fn any(&mut self) -> Entity {
        self.all[self.rng.below(self.all.len())]
    }

    fn spawn(&mut self) {
        let x = self.rng.below(9) as f32;
        let new = match (self.rng.below(4), self.all.is_empty()) {
            (0, _) | (_, true) => self.world.push(at(x)),
            (1, _) => self.world.push((at(x).0, at(x).1, Nation(x as u8))),
            (2, _) => self.world.push((at(x).0, at(x).1, Pinned)),
            _ => {
                let parent = self.any();
                self.world.push(below(parent, x))
            }
        };
        self.all.push(new);
    }

    /// One edit. A subscriber may panic in those of the crate, which leave a whole world whole.
    fn edit(&mut self) {
        let (entity, other, x) = (self.any(), self.any(), self.rng.below(9) as f32);
        let panics = self.shared.is_none() && self.rng.one_in(3);
        let calls = if panics { 1 + self.rng.below(6) } else { 0 };
        match self.rng.below(8) {
            0 | 1 => self.spawn(),
            2 if self.all.len() > 5 => {
                // Where a row has no place in Legion's table, a removal is not put back.
                let calls = if self.has_ghost { 0 } else { calls };
                LEFT[Call::Subscriber as usize].store(calls, SeqCst);
                by_the_user(|| self.world.despawn_subtree(entity));
            }
            3 => {
                LEFT[Call::Subscriber as usize].store(calls, SeqCst);
                by_the_user(|| self.world.set_parent(entity, other));
            }
            4 if self.all.len() > 5 => _ = self.world.remove(entity),
            5 if self.rng.one_in(4) && self.shared.is_none() => {
                self.shared = Some(come_with_one_id(&mut self.world));
                self.has_ghost = true;
            }
            6 => {
                if let Some(shared) = self.shared.take() {
                    self.world.remove(shared);
                }
            }
            _ => {
                let mut entry = self.world.entry(entity).unwrap();
                entry.add_component(Translation::new(x, 1.0, 0.0));
            }
        }
        LEFT[Call::Subscriber as usize].store(0, SeqCst);
        self.all.retain(|entity| self.world.contains(*entity));
        if self.all.is_empty() {
            self.spawn();
        }
    }

    /// A run of one side, in which a call of the user's panics, perhaps. Returns whether one did.
    fn run(&mut self) -> bool {
        let number = self.rng.below(2);
        let calls = [Call::Combine, Call::Drop, Call::Subscriber, Call::System];
        let call = calls[self.rng.below(4)];
        let left = if self.rng.one_in(2) { 1 + self.rng.below(5) } else { 0 };
        LEFT[call as usize].store(left, SeqCst);
        let is_foreseen = self.known == Some(number);
        let answers = self.answers();
        let Self { world, sides, .. } = self;
        let side = &mut sides[number];
        if self.rng.one_in(4) {
            side.resources.insert(Late(std::mem::take(world)));
        }
        let panicked = by_the_user(|| side.schedule.execute(world, &mut side.resources));
        match side.resources.remove::<Late>() {
            Some(late) => *world = late.0,
            None => self.known = Some(number),
        }
        LEFT[call as usize].store(0, SeqCst);
        if !panicked {
            assert_eq!(side.is_refused(world), self.shared.is_some());
            if self.shared.is_none() {
                side.list.follow(world, &side.resources);
                self.judge(is_foreseen.then_some(answers));
            }
        }
        panicked
    }

    /// What queries say of all entities, and whose children they are.
    fn answers(&self) -> Vec<(Option<LocalToWorld>, Option<Entity>)> {
        let (query, walk) = (TransformQuery::new(&self.world), Walk::new(&self.world).unwrap());
        let answer = |it: &Entity| (query.local_to_world(*it).ok(), walk.parent(*it));
        self.all.iter().map(answer).collect()
    }

    /// After a run that was not refused.
    fn judge(&self, foreseen: Option<Vec<(Option<LocalToWorld>, Option<Entity>)>>) {
        let now = self.answers();
        assert!(foreseen.is_none_or(|foreseen| foreseen == now), "queries say what runs do");
        for (&entity, (matrix, parent)) in self.all.iter().zip(now) {
            let entry = self.world.entry_ref(entity).unwrap();
            assert_eq!(entry.get_component::<LocalToWorld>().ok().copied(), matrix);
            let has = |parent: Entity| {
                let parent = self.world.entry_ref(parent).unwrap();
                parent.get_component::<Children>().is_ok_and(|it| it.contains(&entity))
            };
            assert!(parent.is_none_or(has), "a child is in its parent's list");
            let flag = |entity: Entity| {
                let entry = self.world.entry_ref(entity).unwrap();
                entry.get_component::<Effective<Nation>>().unwrap().0.0
            };
            let own = entry.get_component::<Nation>().ok().map(|own| own.0);
            assert_eq!(flag(entity), own.unwrap_or_else(|| parent.map_or(0, flag)));
        }
    }
}

/// Calls what may panic in the user's code, and nowhere else. Returns whether it did.
fn by_the_user<R>(call: impl FnOnce() -> R) -> bool {
    let Err(payload) = caught(call) else { return false };
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"a user's bug"));
    true
}

#[test]
fn a_log_has_one_owner_whoever_panics() {
    let (mut runs, mut panicked) = (0, 0);
    demand::each_seed(300, |seed| {
        let mut life = Life::new(seed);
        for _ in 0..40 {
            match life.rng.below(3) {
                0 => {
                    runs += 1;
                    panicked += usize::from(life.run());
                }
                _ => life.edit(),
            }
        }
    });
    println!("{runs} runs, {panicked} panicked");
    assert!(runs < 1_000 || panicked > runs / 10, "{panicked} of {runs} panicked");
}
