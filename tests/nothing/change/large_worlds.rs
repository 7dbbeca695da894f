//! Large worlds are right in every state. From run to run entities are moved, overwritten, spawned,
//! despawned and given other parents. After each run every matrix has the bits of the first run of
//! a copy without a past, which takes no short cut.
//!
//! The ticks drive archetypes through all states: everything moves (matrices are written unseen),
//! little does (inputs are compared with copies), nothing does though all was touched, a user
//! writes derived matrices, entities come and go. Worlds are large enough for several threads, with
//! archetypes above and below the size from which one is spread by itself.

mod scene;

use std::collections::HashMap;

use harness::{Rng, TestWorld};
use legion::{Entity, EntityStore, IntoQuery, any, component};
use legion_transform::prelude::*;
use nalgebra::Matrix4;

use scene::{extend, forget, merger, place, rewritten, shift, size, spawn, turn};

/// A world and its entities.
struct LargeWorld {
    test: TestWorld,
    all: Vec<Entity>,
    rng: Rng,
}

/// What a tick does before the run.
#[derive(Clone, Copy, Debug)]
enum Tick {
    /// One entity in `n` and the first one get another place and turn; all are written.
    Move(usize),
    /// One rotation in `n` changes, and nothing but rotations is written.
    Turn(usize),
    /// One scale in `n` changes, and nothing but scales is written.
    Resize(usize),
    /// All values are written unchanged.
    Touch,
    /// A user writes some matrices, and one entity in `n` moves.
    Overwrite(usize),
    /// Some childless entities are despawned, and the same number spawned elsewhere.
    Respawn,
    /// Some get another parent.
    Reparent,
    /// Some near the top of their tree lose theirs, and take all that is below them along.
    Detach,
}

use Tick::{Detach, Move, Overwrite, Reparent, Resize, Respawn, Touch, Turn};

/// How many entities the trees of [`trees`] have.
const TREE: usize = 2000;

/// Every state after every other that matters.
const TICKS: &[Tick] = &[
    Move(1),
    Move(1),
    Move(1),
    Overwrite(1),
    Respawn,
    Move(1),
    Touch,
    Touch,
    Move(1),
    Move(2),
    Move(3),
    Move(100),
    Move(100),
    Move(100),
    Move(50_000),
    Turn(100),
    Resize(100),
    Resize(100),
    Move(100),
    Turn(50_000),
    Overwrite(100),
    Move(100),
    Touch,
    Turn(1),
    Resize(2),
    Turn(100),
    Resize(100),
    Turn(100),
    Move(7),
    Respawn,
    Respawn,
    Move(100),
    Overwrite(50_000),
    Move(100),
    Move(100),
    Move(100),
    Reparent,
    Move(100),
    Reparent,
    Respawn,
    Move(1),
    Reparent,
    Move(1),
    Overwrite(2),
    Move(100),
    Move(1),
    Detach,
    Move(1),
    Move(1),
    Detach,
    Reparent,
    Move(100),
    Move(1),
];

impl LargeWorld {
    fn new(
        bundle: TransformSystemBundle,
        shape: impl Fn(usize, &mut Rng) -> Option<usize>,
        entities: usize,
    ) -> Self {
        let mut rng = Rng::new(entities as u64);
        let parents: Vec<_> = (0..entities).map(|number| shape(number, &mut rng)).collect();
        let mut test = TestWorld::new(bundle);
        let all = spawn(&mut test.world, &parents, &mut rng);
        // Each combination of components is an archetype; the first two are large.
        for (number, &entity) in all.iter().enumerate() {
            match number % 40 {
                3 => test.take::<Rotation>(entity),
                5 => test.take::<Scale>(entity),
                7 => {
                    test.take::<Scale>(entity);
                    test.put(entity, NonUniformScale::new(1.5, 0.5, 1.0));
                }
                _ => {}
            }
        }
        test.run();
        Self { test, all, rng }
    }

    fn tick(&mut self, tick: Tick) {
        let (world, rng) = (&mut self.test.world, &mut self.rng);
        match tick {
            Move(every) => self.shift(every),
            Turn(every) => <&mut Rotation>::query().for_each_mut(world, |it| {
                *it = if rng.one_in(every) { turn(rng) } else { rewritten(it) };
            }),
            Resize(every) => {
                <&mut Scale>::query().for_each_mut(world, |it| {
                    *it = if rng.one_in(every) { size(rng) } else { rewritten(it) };
                });
                <&mut NonUniformScale>::query().for_each_mut(world, |it| {
                    it.0.y = if rng.one_in(every) { size(rng).0 } else { it.0.y };
                });
            }
            Touch => {
                <&mut Translation>::query().for_each_mut(world, |it| *it = rewritten(it));
                <&mut Rotation>::query().for_each_mut(world, |it| *it = rewritten(it));
            }
            Overwrite(every) => {
                self.shift(every);
                for _ in 0..5 {
                    let entity = self.any();
                    self.test.set(entity, LocalToWorld(Matrix4::repeat(f32::NAN)));
                    let entity = self.any();
                    if self.test.has::<LocalToParent>(entity) {
                        self.test.set(entity, LocalToParent(Matrix4::repeat(7.0)));
                    }
                }
            }
            Respawn => self.respawn(),
            Detach => {
                for _ in 0..50 {
                    let entity = self.any();
                    let up: Vec<Entity> = self.up(entity).collect();
                    if let Some(&below_root) = up.iter().rev().nth(1) {
                        self.test.take::<Parent>(below_root);
                        self.test.take::<LocalToParent>(below_root);
                    }
                }
            }
            Reparent => {
                for _ in 0..50 {
                    let (child, parent) = (self.any(), self.any());
                    let closes = self.up(parent).any(|above| above == child);
                    if self.test.has::<Parent>(child) && !closes {
                        self.test.set(child, Parent(parent));
                    }
                }
            }
        }
    }

    /// One entity in `every` moves, and the first one, which is a root.
    fn shift(&mut self, every: usize) {
        shift(&mut self.test.world, &mut self.rng, every);
        self.test.set(self.all[0], place(&mut self.rng));
    }

    fn any(&mut self) -> Entity {
        *self.rng.pick(&self.all)
    }

    /// An entity, its parent, and so on.
    fn up(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        std::iter::successors(Some(entity), |it| self.test.get::<Parent>(*it).map(|it| it.0))
    }

    /// Takes some childless entities out of the world and puts others in, below the same parents.
    fn respawn(&mut self) {
        let (world, rng) = (&mut self.test.world, &mut self.rng);
        let mut leaves = <(Entity, Option<&Parent>, &Rotation, &Scale)>::query()
            .filter(!component::<Children>());
        let leaves: Vec<(Entity, Option<Entity>)> =
            leaves.iter(world).map(|(leaf, parent, ..)| (*leaf, parent.map(|it| it.0))).collect();
        let picked = leaves.into_iter().step_by(2 + self.all.len() / 200);
        let (gone, parents): (Vec<_>, Vec<_>) = picked.unzip();
        gone.iter().for_each(|leaf| assert!(world.remove(*leaf)));
        let new: HashMap<Entity, Entity> =
            gone.into_iter().zip(extend(world, &parents, rng)).collect();
        self.all.iter_mut().for_each(|it| *it = new.get(it).copied().unwrap_or(*it));
    }

    /// Runs, and compares with a copy of the world that was never run.
    fn run(&mut self, what: &str) {
        self.test.run();
        let mut fresh = TestWorld::default();
        let copies = fresh.world.clone_from(&self.test.world, &any(), &mut merger());
        forget(&mut fresh.world);
        fresh.run();
        for &entity in &self.all {
            let copy = copies[&entity];
            let is_same = digest_of(&self.test, entity, 0) == digest_of(&fresh, copy, 0);
            let (found, expected) = (self.test.matrix(entity), fresh.matrix(copy));
            assert!(is_same, "{entity:?} after {what}: {found} and not {expected}");
        }
    }

    /// Goes through all ticks. Returns a digest of all matrices after each.
    fn live(mut self) -> Vec<u64> {
        self.run("the first run");
        let life = TICKS.iter().enumerate().map(|(number, &tick)| {
            self.tick(tick);
            self.run(&format!("tick {number}, {tick:?}"));
            self.digest()
        });
        life.collect()
    }

    /// The same without being judged by anything but the digests.
    fn live_again(mut self, digests: &[u64]) {
        self.test.run();
        for (number, (&tick, &digest)) in TICKS.iter().zip(digests).enumerate() {
            self.tick(tick);
            self.test.run();
            assert_eq!(self.digest(), digest, "tick {number}, {tick:?}");
        }
    }

    fn digest(&self) -> u64 {
        self.all.iter().fold(0, |digest, entity| digest_of(&self.test, *entity, digest))
    }
}

/// A digest of the bits of an entity's `LocalToWorld` and `LocalToParent`, and of another digest.
fn digest_of(test: &TestWorld, entity: Entity, mut digest: u64) -> u64 {
    let entry = test.world.entry_ref(entity).expect("a live entity");
    let mut add = |matrix: &Matrix4<f32>| {
        for number in matrix.as_slice() {
            // Odd, so that no bit is lost.
            digest = (digest ^ u64::from(number.to_bits())).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            digest = digest.rotate_left(29);
        }
    };
    entry.get_component::<LocalToWorld>().into_iter().for_each(|it| add(it));
    entry.get_component::<LocalToParent>().into_iter().for_each(|it| add(it));
    digest
}

/// One life for each number of threads and each instruction set: the first judged by worlds made
/// afresh, the others by the first.
fn lives(shape: impl Fn(usize, &mut Rng) -> Option<usize> + Copy, nodes: usize) {
    let life = |threads: usize, isa: &str| {
        #[cfg(feature = "parallel")]
        let bundle = {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a thread pool");
            TransformSystemBundle::default().thread_pool(pool.into())
        };
        #[cfg(not(feature = "parallel"))]
        let bundle = {
            let _ = threads; // there is but one
            TransformSystemBundle::default()
        };
        LargeWorld::new(bundle.instruction_set(isa), shape, nodes)
    };
    let isas = TransformSystemBundle::instruction_sets();
    let (best, others) = isas.split_last().expect("there is one that every machine has");
    let digests = life(2, best).live();
    others.iter().for_each(|isa| life(2, isa).live_again(&digests));
    #[cfg(feature = "parallel")]
    [1, 7].into_iter().for_each(|threads| life(threads, best).live_again(&digests));
    assert_eq!(digests.len(), TICKS.len());
}

#[test]
fn roots() {
    lives(|_, _| None, 6_000);
}

#[test]
fn a_small_world() {
    lives(|number, rng| (number % 50 != 0).then(|| rng.below(number)), 500);
}

#[test]
fn skeletons() {
    lives(
        |number, rng| (number % 67 != 0).then(|| number - 1 - rng.below((number % 67).min(3))),
        6_000,
    );
}

#[test]
fn trees() {
    lives(
        |number, rng| {
            (number % TREE != 0).then(|| number - number % TREE + rng.below(number % TREE))
        },
        6_000,
    );
}

#[test]
fn one_wide_family() {
    lives(|number, _| (number != 0).then_some(0), 6_000);
}
