//! Random edits of a world that write down what they wrote.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use legion::{
    Entity, IntoQuery, Resources, World, any, storage::IntoSoa, systems::CommandBuffer,
    world::Duplicate,
};

use super::{
    layouts::{LAYOUTS, Mark, Name, r, t, w, with_row},
    writes::{Writes, write_all, write_one},
};
use crate::components::{LocalToWorld, Rotation, Scale, Translation};

pub(super) struct Rng(fastrand::Rng);

impl Rng {
    pub fn of(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0.usize(..n)
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// A world, and the operations done to it.
pub(super) struct TestWorld {
    pub world: World,
    pub alive: Vec<Entity>,
    pub writes: Writes,
    /// Whether anything was done that the account is not made for.
    pub is_odd: bool,
}

/// A merger that clones some components and copies the others.
fn merger(rng: &mut Rng) -> Duplicate {
    let mut merger = Duplicate::default();
    merger.register_copy::<Mark>();
    merger.register_copy::<Name>();
    merger.register_copy::<Scale>();
    merger.register_copy::<Rotation>();
    merger.register_clone::<LocalToWorld>();
    if rng.one_in(2) {
        merger.register_copy::<LocalToWorld>();
        merger.register_copy::<Translation>();
    } else {
        merger.register_clone::<Translation>();
    }
    merger
}

impl TestWorld {
    pub fn new() -> Self {
        let mut world = World::default();
        let alive = (0..LAYOUTS).map(|layout| with_row!(layout, row => world.push(row))).collect();
        Self { world, alive, writes: Vec::new(), is_odd: false }
    }

    pub fn any(&self, rng: &mut Rng) -> Option<Entity> {
        (!self.alive.is_empty()).then(|| self.alive[rng.below(self.alive.len())])
    }

    /// Forgets dead entities, and keeps the world small.
    pub fn refresh(&mut self, rng: &mut Rng) {
        let Self { world, alive, .. } = self;
        alive.retain(|&entity| world.contains(entity));
        while self.alive.len() > 150 {
            let entity = self.alive.swap_remove(rng.below(self.alive.len()));
            self.world.remove(entity);
        }
    }

    pub fn insert(&mut self, rng: &mut Rng) {
        let (n, world) = (1 + rng.below(3), &mut self.world);
        let shape = rng.below(8);
        let new = with_row!(rng.below(LAYOUTS), row => match shape {
            0..=2 => vec![world.push(row)],
            3..=5 => world.extend(vec![row; n]).to_vec(),
            6 => world.extend((0..n).filter(|row| row % 2 == 0).map(|_| row)).to_vec(),
            _ => Vec::new(),
        });
        self.alive.extend(new);
        if shape == 7 {
            let new = match rng.below(4) {
                0 => world.extend((vec![t(); n],).into_soa()).to_vec(),
                1 => world.extend((vec![w(); n], vec![r(); n], vec![t(); n]).into_soa()).to_vec(),
                2 => world.extend((vec![t(); n], vec![Mark(1); n]).into_soa()).to_vec(),
                _ => world.extend((vec![t(); n], vec![Scale(1.0); n]).into_soa()).to_vec(),
            };
            self.alive.extend(new);
        }
    }

    pub fn write(&mut self, rng: &mut Rng) {
        let written = match (rng.below(4), self.any(rng)) {
            (0, _) => write_all(&mut self.world, rng.below(4)),
            (_, Some(entity)) => {
                write_one(&mut self.world, entity, rng.below(4)).into_iter().collect()
            }
            _ => Vec::new(),
        };
        self.writes.extend(written);
    }

    pub fn remove_or_move(&mut self, rng: &mut Rng) {
        let Some(entity) = self.any(rng) else { return };
        let kind = rng.below(8);
        if kind < 3 {
            self.world.remove(entity);
        } else if kind == 3 {
            self.world.push_with_id(entity, (t(), r(), w()));
        } else if let Some(mut entry) = self.world.entry(entity) {
            match (rng.below(3), entry.archetype().layout().has_component::<Mark>()) {
                (0, true) => entry.remove_component::<Mark>(),
                (0, false) => entry.add_component(Mark(1)),
                (1, _) => entry.remove_component::<Scale>(),
                _ if entry.get_component::<Rotation>().is_err() => entry.add_component(r()),
                _ => entry.remove_component::<Rotation>(),
            }
        }
    }

    /// One write for each bump of an `extend`, and then its rows as a structure of arrays,
    /// which bumps the counter later.
    pub fn hide(&mut self, rng: &mut Rng) {
        let n = 1 + rng.below(2);
        for _ in 0..2 * n {
            if let Some(entity) = self.any(rng) {
                let written = write_one(&mut self.world, entity, rng.below(4));
                self.writes.extend(written);
            }
        }
        let new = self.world.extend((vec![t(); n], vec![Scale(1.0); n]).into_soa()).to_vec();
        self.alive.extend(new);
    }

    pub fn merge(&mut self, rng: &mut Rng, source: Option<&mut World>) {
        let mut scratch = Self::new();
        let moves = rng.one_in(2);
        for _ in 0..rng.below(3) {
            scratch.insert(rng);
        }
        let source = source.unwrap_or(&mut scratch.world);
        if moves {
            self.world.move_from(source, &any());
        } else {
            self.world.clone_from(source, &any(), &mut merger(rng));
        }
        self.alive = <Entity>::query().iter(&self.world).copied().collect();
        self.is_odd = true;
    }

    /// A command buffer with all sorts of commands, writes among them if `writes`.
    pub fn flush(&mut self, rng: &mut Rng, writes: bool) {
        let mut commands = CommandBuffer::new(&self.world);
        let written: Arc<Mutex<Writes>> = Arc::default();
        let mut doomed = HashSet::new();
        for _ in 0..1 + rng.below(5) {
            let (n, entity) = (1 + rng.below(3), self.any(rng));
            match rng.below(if writes { 8 } else { 6 }) {
                0 => with_row!(rng.below(LAYOUTS), row => self.alive.push(commands.push(row))),
                1 | 2 => {
                    with_row!(rng.below(LAYOUTS), row => {
                        self.alive.extend(commands.extend(vec![row; n]).iter().copied());
                    })
                }
                3 => entity.into_iter().for_each(|entity| {
                    doomed.insert(entity);
                    commands.remove(entity);
                }),
                4 => entity.into_iter().for_each(|entity| {
                    commands.exec_mut(move |world, _| {
                        if let Some(mut entry) = world
                            .entry(entity)
                            .filter(|entry| !entry.archetype().layout().has_component::<Mark>())
                        {
                            entry.add_component(Mark(1));
                        }
                    });
                }),
                5 => entity
                    .filter(|entity| self.world.contains(*entity) && !doomed.contains(entity))
                    .into_iter()
                    .for_each(|entity| {
                        commands.remove_component::<Mark>(entity);
                    }),
                _ => entity.into_iter().for_each(|entity| {
                    let (written, which, all) = (written.clone(), rng.below(4), rng.one_in(5));
                    commands.exec_mut(move |world, _| {
                        let mut written = written.lock().unwrap();
                        if all {
                            written.extend(write_all(world, which));
                        } else {
                            written.extend(write_one(world, entity, which));
                        }
                    });
                }),
            }
        }
        commands.flush(&mut self.world, &mut Resources::default());
        self.writes.append(&mut written.lock().unwrap());
    }
}
