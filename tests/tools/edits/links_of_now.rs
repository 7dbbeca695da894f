//! Edits that need all children of an entity know them between runs, too: whatever was done since
//! the last run, they find the same ones as `Walk::fresh`, which reads every `Parent`. The
//! catalogue checks that where it makes them.

use harness::{Family, Rng, demand};
use legion::{systems::SystemBuilder, *};
use legion_transform::{
    findings::{Finding, FindingKind},
    prelude::*,
};
use legion_transform_testing::{
    Cast,
    catalogue::{EDITS, Edit, Place},
};

/// The edits that need to know all children, or give an entity another parent.
const OF_CHILDREN: [&str; 6] = [
    "insert_child",
    "detach_children",
    "despawn_subtree",
    "despawn_subtree by commands",
    "set_parent",
    "remove_parent",
];

/// After these, children wait: their parents are not there, or lack a matrix.
const OF_THOSE_THAT_WAIT: [&str; 5] = [
    "push what lacks a matrix",
    "push a child of a dead one",
    "push with a dead one's id",
    "no LocalToWorld",
    "remove a parent",
];

/// What happens to a whole entity: it goes, or its id comes with other components, below another
/// one or as a root.
const OF_ENTITIES: [&str; 5] = [
    "despawn_subtree",
    "remove a parent",
    "remove a child",
    "push with another's id",
    "no parent, and again by its id",
];

fn named(name: &str) -> &'static Edit {
    EDITS.iter().find(|edit| edit.name == name).expect("it is in the list")
}

/// Who is who, and what happens in the midst of the next run, the last one first: behind its first
/// look, before composition, and before propagation.
struct Midway {
    cast: Cast,
    family: Family,
    edits: Vec<&'static Edit>,
}

fn make(edit: &Edit, world: &mut World, resources: &mut Resources) {
    let mut midway = resources.remove::<Midway>().expect("there is one");
    let Midway { cast, family, .. } = &mut midway;
    edit.make(Place { world, resources, cast, picks: family });
    // Those that die may come back by their ids.
    <Entity>::query().for_each(world, |it| _ = cast.number(*it));
    resources.insert(midway);
}

/// A system that lets one of them happen.
fn midway(name: &'static str) -> impl systems::ParallelRunnable {
    SystemBuilder::new(name).build(|commands, _, (): &mut (), (): &mut ()| {
        commands.exec_mut(|world, resources| {
            let edit = resources.get_mut::<Midway>().expect("there is one").edits.pop();
            edit.into_iter().for_each(|edit| make(edit, world, resources));
        });
    })
}

struct Links {
    world: World,
    resources: Resources,
    schedule: Schedule,
    rng: Rng,
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
        let (schedule, mut rng) = (builder.build(), Rng::new(seed));
        let (mut world, mut resources) = (World::default(), Resources::default());
        world.extend_transforms((0..4).map(|_| (Translation::identity(), Children::new())));
        let family = Family::new(Rng::new(rng.seed()));
        resources.insert(Midway { cast: Cast::default(), family, edits: Vec::new() });
        Self { world, resources, schedule, rng }
    }

    fn one_of(&mut self, names: &[&'static str]) -> &'static Edit {
        named(names[self.rng.below(names.len())])
    }

    fn edit(&mut self) {
        let edit = match self.rng.below(6) {
            0 | 1 => self.one_of(&OF_CHILDREN),
            2 => self.one_of(&OF_THOSE_THAT_WAIT),
            _ => self.rng.pick(EDITS),
        };
        make(edit, &mut self.world, &mut self.resources);
        if self.rng.one_in(40) {
            self.lose_events();
        }
        if self.world.len() < 4 {
            make(named("push_transform"), &mut self.world, &mut self.resources);
        }
    }

    /// Runs. Now and then something happens right before it, and in the midst of it.
    fn run(&mut self) {
        if self.rng.one_in(2) {
            let edits = (0..3).map(|_| self.one_of(&OF_ENTITIES)).collect();
            self.resources.get_mut::<Midway>().expect("there is one").edits = edits;
            if self.rng.one_in(4) {
                make(named("remove a parent"), &mut self.world, &mut self.resources);
            }
        }
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    /// A parent comes by its id, for which children have waited since a run. Returns whether there
    /// was one.
    fn come(&mut self) -> bool {
        let waits = |it: &Finding| it.kind == FindingKind::WaitsForParent;
        let findings = self.resources.get::<Findings>().expect("a run inserts them");
        let mut parents = findings.of(&self.world).filter(waits).filter_map(|it| it.related);
        let Some(parent) = parents.find(|it| !self.world.contains(*it)) else { return false };
        self.world.push_with_id(parent, (LocalToWorld::identity(), Scale(2.0)));
        let mut all: Vec<Entity> = Walk::fresh(&self.world).unwrap().subtree(parent).collect();
        assert_eq!(self.world.despawn_subtree(parent), all.len(), "{parent:?} and all below");
        all.retain(|it| self.world.contains(*it));
        assert_eq!(all, []);
        true
    }

    /// More come and go than the log of events holds. From then on edits have to read on.
    fn lose_events(&mut self) {
        for _ in 0..2 {
            let come = self.world.extend((0..1_100 + self.world.len() as u32).map(|i| (i,)));
            let come = Vec::from_iter(come.iter().copied());
            come.into_iter().for_each(|it| _ = self.world.remove(it));
        }
    }
}

#[test]
fn edits_find_the_children_of_now() {
    let mut came = 0;
    demand::each_seed(400, |seed| {
        let mut links = Links::new(seed);
        for _ in 0..60 {
            match links.rng.below(10) {
                0 => {
                    links.run();
                    came += usize::from(links.rng.one_in(3) && links.come());
                }
                _ => links.edit(),
            }
        }
    });
    assert!(came >= 50 || demand::soak(400) < 400, "{came} parents came late");
}
