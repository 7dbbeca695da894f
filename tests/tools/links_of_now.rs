//! Edits that need all children of an entity know them between runs, too: whatever was done since
//! the last run, they find the same ones as `Walk::fresh`, which reads every `Parent`.

use harness::Rng;
use legion::{
    systems::{CommandBuffer, SystemBuilder},
    *,
};
use legion_transform::{components::PreviousParent, prelude::*};

struct Marker;

struct Links {
    world: World,
    resources: Resources,
    schedule: Schedule,
    entities: Vec<Entity>,
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
        let schedule = Schedule::builder()
            .add_system(write)
            .add_transforms(TransformSystemBundle::default().print_findings(false))
            .build();
        let (world, resources) = (World::default(), Resources::default());
        let mut this =
            Self { world, resources, schedule, entities: Vec::new(), rng: Rng::new(seed) };
        for _ in 0..4 {
            let root = this.world.push_transform((Translation::identity(),));
            this.entities.push(root);
        }
        this
    }

    fn pick(&mut self) -> Entity {
        self.entities[self.rng.below(self.entities.len())]
    }

    fn fresh(&self, parent: Entity) -> Vec<Entity> {
        Walk::fresh(&self.world).unwrap().children(parent).collect()
    }

    /// One thing that users do without the crate's edits.
    fn disturb(&mut self) {
        let (a, b) = (self.pick(), self.pick());
        let kind = self.rng.below(14);
        let row = (LocalToWorld::identity(), LocalToParent::identity(), Parent(a));
        let pushed = match kind {
            0 => Some(self.world.push(row)),
            1 => Some(self.world.push((row.0, row.1, row.2, PreviousParent(Some(a))))),
            2 => Some(self.world.push((row.0, row.1, row.2, PreviousParent(None), Marker))),
            3 => Some(self.world.push((row.0, row.2, Children::new()))),
            4 => Some(self.world.push((Translation::identity(), LocalToParent::identity(), row.2))),
            5 => Some(self.world.push_child(a, (Translation::identity(),))),
            6 => Some(self.world.push_transform((Translation::identity(), Children::new()))),
            _ => None,
        };
        self.entities.extend(pushed);
        let Some(mut entry) = self.world.entry(b) else { return };
        match kind {
            7 => entry.add_component(Marker),
            8 => entry.remove_component::<Marker>(),
            9 => entry.add_component(Parent(a)),
            10 => {
                if let Ok(parent) = entry.get_component_mut::<Parent>() {
                    parent.0 = a;
                }
            }
            11 => {
                if let Ok(children) = entry.get_component_mut::<Children>() {
                    children.0.pop();
                }
            }
            12 => {
                if let Ok(previous) = entry.get_component_mut::<PreviousParent>() {
                    previous.0 = Some(a);
                }
            }
            13 => entry.add_component(LocalToParent::identity()),
            _ => {}
        }
    }

    fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    /// Despawns a subtree: by the world, or by commands in a schedule, behind its first step.
    fn despawn(&mut self) {
        let root = self.pick();
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
        self.entities.retain(|entity| self.world.contains(*entity));
        let root = self.world.push_transform((Translation::identity(),));
        self.entities.push(root);
    }

    fn edit(&mut self) {
        let (parent, child, index) = (self.pick(), self.pick(), self.rng.below(4));
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
                let waits = TransformQuery::new(&self.world).local_to_world(parent).is_err();
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
    for seed in 0..400 {
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
