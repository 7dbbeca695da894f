//! Edits that need all children of an entity know them between runs, too: whatever was done since
//! the last run, they find the same ones as `Walk::fresh`, which reads every `Parent`.
//!
//! `LEGION_TRANSFORM_SOAK=10000` lives through the worlds of the first 10,000 seeds,
//! `LEGION_TRANSFORM_SEED=7` through that of seed 7.

use harness::{Rng, demand};
use legion::{
    systems::{CommandBuffer, SystemBuilder},
    *,
};
use legion_transform::{components::PreviousParent, prelude::*};

struct Marker;

/// Something that happens to a whole entity, between two runs or between the stages of one.
#[derive(Clone, Copy)]
enum Deed {
    Remove(Entity),
    /// Its id comes with other components, below another entity or as a root.
    Insert(Entity, Option<Entity>),
    Despawn(Entity),
}

impl Deed {
    fn happen(self, world: &mut World) {
        match self {
            Self::Remove(entity) => _ = world.remove(entity),
            Self::Insert(entity, Some(parent)) => {
                let row = (LocalToWorld::identity(), LocalToParent::identity(), Parent(parent));
                world.push_with_id(entity, row);
            }
            Self::Insert(entity, None) => {
                world.push_with_id(entity, (LocalToWorld::identity(), Translation::identity()));
            }
            Self::Despawn(root) => {
                let known = Walk::fresh(world).unwrap().descendants(root).count();
                let known = known + usize::from(world.contains(root));
                assert_eq!(Edits::default().despawn_subtree(world, root), known);
            }
        }
    }
}

/// What happens in the midst of the next run, the last one first: behind its first look, before
/// composition, and before propagation.
#[derive(Default)]
struct Midway(Vec<Deed>);

/// A system that lets one of them happen.
fn midway(name: &'static str) -> impl systems::ParallelRunnable {
    SystemBuilder::new(name).build(|commands, _, (): &mut (), (): &mut ()| {
        commands.exec_mut(|world, resources| {
            let deed = resources.get_mut::<Midway>().unwrap().0.pop();
            deed.into_iter().for_each(|deed| deed.happen(world));
        });
    })
}

struct Links {
    world: World,
    resources: Resources,
    schedule: Schedule,
    entities: Vec<Entity>,
    /// Entities that are dead. Their ids may come back.
    dead: Vec<Entity>,
    /// The one to which most happens.
    parent: Entity,
    rng: Rng,
    seed: u64,
}

impl Drop for Links {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("LEGION_TRANSFORM_SEED={} repeats it", self.seed);
        }
    }
}

impl Links {
    fn new(seed: u64) -> Self {
        // A system that writes `Parent`s, and commands behind it, which the first step looks at.
        let write = SystemBuilder::new("write").with_query(<&mut Parent>::query()).build(
            |_, world, (), parents| {
                parents.for_each_mut(world, |_| ());
            },
        );
        let bundle = TransformSystemBundle::default().print_findings(false);
        let bundle = bundle.before_composition(midway("two")).before_propagation(midway("three"));
        let mut builder = Schedule::builder();
        builder.add_system(write).add_system(midway("one")).add_transforms(bundle);
        let schedule = builder.build();
        let (mut world, mut resources) = (World::default(), Resources::default());
        resources.insert(Midway::default());
        let parent = world.push_transform((Translation::identity(),));
        let (entities, dead, rng) = (vec![parent], Vec::new(), Rng::new(seed));
        let mut this = Self { world, resources, schedule, entities, dead, parent, rng, seed };
        for _ in 0..3 {
            let root = this.world.push_transform((Translation::identity(),));
            this.entities.push(root);
        }
        this
    }

    fn pick(&mut self) -> Entity {
        *self.rng.pick(&self.entities)
    }

    /// An entity that stays the same for some steps: what falls, falls where several things happen
    /// to one family.
    fn parent(&mut self) -> Entity {
        if self.rng.one_in(5) || !self.world.contains(self.parent) {
            self.parent = self.pick();
        }
        self.parent
    }

    /// That one, or any.
    fn any(&mut self) -> Entity {
        if self.rng.one_in(3) { self.parent() } else { self.pick() }
    }

    fn fresh(&self, parent: Entity) -> Vec<Entity> {
        Walk::fresh(&self.world).unwrap().children(parent).collect()
    }

    /// One thing that users do without the crate's edits.
    fn disturb(&mut self) {
        let (a, b) = (self.parent(), self.any());
        let kind = self.rng.below(21);
        let row = (LocalToWorld::identity(), LocalToParent::identity(), Parent(a));
        let pushed = match kind {
            0 => Some(self.world.push(row)),
            1 => Some(self.world.push((row.0, row.1, row.2, PreviousParent(Some(a))))),
            2 => Some(self.world.push((row.0, row.1, row.2, PreviousParent(None), Marker))),
            3 => Some(self.world.push((row.0, row.2, Children::new()))),
            4 => Some(self.world.push((Translation::identity(), LocalToParent::identity(), row.2))),
            5 => Some(self.world.push_child(a, (Translation::identity(),))),
            6 => Some(self.world.push_transform((Translation::identity(), Children::new()))),
            7 => Some(self.world.push((row.0, row.1))),
            _ => None,
        };
        self.entities.extend(pushed);
        match kind {
            15 => self.happens(Deed::Remove(b)),
            16 => self.happens(Deed::Insert(b, (a != b).then_some(a))),
            17 => self.happens(Deed::Insert(b, None)),
            18 => {
                let dead = self.dead.pop();
                dead.into_iter().for_each(|dead| self.happens(Deed::Insert(dead, None)));
            }
            _ => {}
        }
        let Some(mut entry) = self.world.entry(b) else { return };
        match kind {
            8 => entry.add_component(Marker),
            9 => entry.remove_component::<Marker>(),
            10 => entry.add_component(Parent(a)),
            11 => {
                if let Ok(parent) = entry.get_component_mut::<Parent>() {
                    parent.0 = a;
                }
            }
            12 => {
                if let Ok(children) = entry.get_component_mut::<Children>() {
                    children.0.pop();
                }
            }
            13 => {
                if let Ok(previous) = entry.get_component_mut::<PreviousParent>() {
                    previous.0 = Some(a);
                }
            }
            14 => entry.add_component(LocalToParent::identity()),
            19 => entry.remove_component::<Children>(),
            20 => {
                entry.remove_component::<Children>();
                entry.add_component(Children::new());
            }
            _ => {}
        }
    }

    fn happens(&mut self, deed: Deed) {
        deed.happen(&mut self.world);
        self.meet_all();
    }

    /// Who is alive, and who is dead.
    fn meet_all(&mut self) {
        let all = self.entities.drain(..).chain(self.dead.drain(..));
        (self.entities, self.dead) = all.partition(|entity| self.world.contains(*entity));
        if self.entities.len() < 4 {
            self.entities.push(self.world.push_transform((Translation::identity(),)));
        }
    }

    /// Runs. Now and then something happens in the midst of it: an entity goes, comes back by its
    /// id, or an edit despawns it.
    fn run(&mut self) {
        let (a, b) = (self.parent(), self.any());
        let mut deeds = vec![Deed::Despawn(a), Deed::Insert(a, None), Deed::Remove(a)];
        match self.rng.below(6) {
            0 => {
                deeds.pop();
                self.world.remove(a);
            }
            1 => deeds.swap(0, 1),
            2 => deeds = vec![Deed::Despawn(b), Deed::Insert(a, None)],
            3 => deeds = vec![Deed::Despawn(a), Deed::Remove(b)],
            _ => deeds.clear(),
        }
        self.resources.insert(Midway(deeds));
        self.schedule.execute(&mut self.world, &mut self.resources);
        self.meet_all();
    }

    /// Another entity in its archetype: when both go, Legion's two events look alike.
    fn beside(&mut self, entity: Entity) -> Entity {
        let location = self.world.entry(entity).unwrap().location();
        let archetypes = self.world.get_component_storage::<Read<LocalToWorld>>().unwrap();
        *self.rng.pick(archetypes.archetypes()[location.archetype()].entities())
    }

    /// Despawns a subtree: by the world, or by commands in a schedule, behind its first step. Then
    /// another entity may go without an edit.
    fn despawn(&mut self) {
        let root = self.any();
        let beside = self.beside(root);
        let mut doomed: Vec<Entity> = Walk::fresh(&self.world).unwrap().descendants(root).collect();
        doomed.extend(self.world.contains(root).then_some(root));
        let before = self.world.len();
        if self.rng.below(2) == 0 {
            let count = Edits::default().despawn_subtree(&mut self.world, root);
            assert_eq!(count, doomed.len());
        } else {
            let mut commands = CommandBuffer::new(&self.world);
            Edits::default().commands(&mut commands).despawn_subtree(root);
            commands.flush(&mut self.world, &mut self.resources);
        }
        assert_eq!(self.world.len(), before - doomed.len());
        assert!(doomed.iter().all(|entity| !self.world.contains(*entity)));
        if self.rng.one_in(2) {
            self.world.remove(beside);
        } else {
            self.entities.push(self.world.push_transform((Translation::identity(),)));
        }
        self.meet_all();
    }

    fn edit(&mut self) {
        let (parent, child, index) = (self.parent(), self.any(), self.rng.below(4));
        match self.rng.below(6) {
            0 => self.despawn(),
            1 => {
                let expected = self.fresh(parent);
                if let Ok(children) = Edits::default().detach_children(&mut self.world, parent) {
                    assert_eq!(children, expected);
                }
            }
            2 | 3 => {
                let mut expected = self.fresh(parent);
                expected.retain(|other| *other != child);
                // With a matrix that it lacked, a parent gets the children that waited for that.
                let mut waits = TransformQuery::new(&self.world).local_to_world(parent).is_err();
                // Before the first run, `Parent` alone links: the child may come from among the
                // siblings' rows, and leave them in another order.
                waits |= expected.iter().any(|it| {
                    let entry = self.world.entry_ref(*it).unwrap();
                    let layout = entry.archetype().layout();
                    !layout.has_component::<LocalToParent>()
                        || !layout.has_component::<LocalToWorld>()
                });
                if Edits::default().insert_child(&mut self.world, parent, index, child).is_ok() {
                    expected.insert(index.min(expected.len()), child);
                    if waits {
                        expected = self.fresh(parent);
                    }
                    assert_eq!(self.fresh(parent), expected);
                    let list = self.world.entry(parent).unwrap();
                    assert_eq!(list.get_component::<Children>().unwrap().0.as_slice(), expected);
                }
            }
            4 => _ = Edits::default().set_parent(&mut self.world, child, parent),
            _ => _ = Edits::default().remove_parent(&mut self.world, child),
        }
    }
}

#[test]
fn edits_find_the_children_of_now() {
    let seeds = demand::seed().map_or(0..demand::soak().unwrap_or(400), |seed| seed..seed + 1);
    for seed in seeds {
        let mut links = Links::new(seed);
        for _ in 0..60 {
            match links.rng.below(10) {
                0 => links.run(),
                1..5 => links.edit(),
                _ => links.disturb(),
            }
        }
    }
}
