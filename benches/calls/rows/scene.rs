//! Skeletons of 67 bones: a root, and six limbs, each a chain of eleven bones.

use legion::{Entity, Resources, Schedule, World};
use legion_transform::{
    changes::InstanceSlots, components::Frame, prelude::*, smooth::Smooth, spawn::TreeBuilder,
};

use super::{Round, each};

pub const LIMBS: usize = 6;
pub const LIMB: usize = 11;
pub const BONES: usize = 1 + LIMBS * LIMB;

/// Where bone `i` is in its parent.
pub fn place(i: usize) -> [f32; 3] {
    [i as f32 * 0.1, 1.0, 0.0]
}

/// Its angles about x, y and z, in radians, x first.
pub fn turn(i: usize) -> [f32; 3] {
    [0.1, 0.2, i as f32]
}

pub type Body = (Translation, Rotation, NonUniformScale);

pub fn body(i: usize) -> Body {
    let ([x, y, z], [roll, pitch, yaw]) = (place(i), turn(i));
    let rotation = Rotation::from_euler_angles(roll, pitch, yaw);
    (Translation::new(x, y, z), rotation, NonUniformScale::new(1.0, 1.0, 1.0))
}

/// The bones of all skeletons that calls are made on.
pub struct Bones<E> {
    pub roots: Vec<E>,
    /// The last bone of each limb.
    tips: Vec<E>,
    /// The bones above these.
    hands: Vec<E>,
    /// 2,000 tips, in an order that jumps from skeleton to skeleton.
    pub picks: Vec<E>,
}

impl<E: Copy> Bones<E> {
    /// Each skeleton has its limbs one by one, from the tip upwards, and then the root.
    pub fn new(skeletons: &[Vec<E>]) -> Self {
        let limbs = || skeletons.iter().flat_map(|all| all.chunks_exact(LIMB));
        let tips: Vec<E> = limbs().map(|limb| limb[0]).collect();
        let hands = limbs().map(|limb| limb[1]).collect();
        let roots = skeletons.iter().map(|all| all[BONES - 1]).collect();
        let picks = (0..2_000).map(|i| tips[i * 7_919 % tips.len()]).collect();
        Self { roots, tips, hands, picks }
    }

    /// The picks without repetition.
    pub fn distinct(&self) -> &[E] {
        &self.picks[..self.picks.len().min(self.tips.len())]
    }

    /// The picks, each with a hand of another limb than the last time.
    pub fn pairs(&self) -> Vec<(E, E)> {
        self.with(&self.picks, &self.hands, 0)
    }

    /// The picks with roots, of which one is this: for a start, and then with other ones.
    pub fn below_roots(&self, other: E) -> [Vec<(E, E)>; 2] {
        let roots: Vec<E> = self.roots.iter().copied().chain([other]).collect();
        [self.with(self.distinct(), &roots, 7), self.with(&self.picks, &roots, 0)]
    }

    fn with(&self, picks: &[E], parents: &[E], skip: usize) -> Vec<(E, E)> {
        let parent = |i: usize| parents[(i * 31 + i / self.tips.len() + skip) % parents.len()];
        picks.iter().enumerate().map(|(i, &pick)| (pick, parent(i))).collect()
    }

    /// 40 roots, each with a pick.
    pub fn few_with_picks(&self) -> Vec<(E, E)> {
        self.few().into_iter().zip(self.distinct().iter().copied()).collect()
    }

    /// 40 roots all over the world.
    pub fn few(&self) -> Vec<E> {
        let step = (self.roots.len() / 40).max(1);
        self.roots.iter().step_by(step).take(40).copied().collect()
    }
}

pub struct Scene {
    pub world: World,
    pub resources: Resources,
    pub bones: Bones<Entity>,
    pub smooth: Smooth,
    pub with_last_frames: Smooth,
    pub slots: InstanceSlots<Translation>,
    schedule: Schedule,
    /// How many calls came before.
    calls: usize,
}

impl Scene {
    pub fn new(skeletons: usize) -> Self {
        Self::with(skeletons, TransformSystemBundle::default(), |_, _| ())
    }

    /// All skeletons stand in a frame, far from where they are seen.
    pub fn in_a_frame(skeletons: usize) -> Self {
        Self::with(skeletons, TransformSystemBundle::default().large_worlds(), |world, bones| {
            let ship = world.push_transform((Frame::from_xyz(1e9, 0.0, 0.0),));
            for &root in &bones.roots {
                world.set_parent(root, ship).unwrap();
            }
        })
    }

    fn with(
        skeletons: usize,
        bundle: TransformSystemBundle,
        arrange: impl FnOnce(&mut World, &Bones<Entity>),
    ) -> Self {
        let mut world = World::default();
        let bones = Bones::new(&spawn(&mut world, skeletons));
        arrange(&mut world, &bones);
        let schedule = Schedule::builder().add_transforms(bundle.track_changes()).build();
        let (smooth, with_last_frames) = (Smooth::default(), Smooth::default().with_last_frames());
        let (resources, slots, calls) = Default::default();
        let mut scene =
            Self { world, resources, bones, smooth, with_last_frames, slots, schedule, calls };
        (0..2).for_each(|_| scene.run());
        scene
    }

    pub fn run(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    pub fn skeletons(&self) -> usize {
        self.bones.roots.len()
    }

    /// All bones.
    pub fn len(&self) -> usize {
        self.skeletons() * BONES
    }

    /// A call for each pick.
    pub fn read<R>(&self, mut call: impl FnMut(&World, Entity) -> R) -> Round {
        each(&self.bones.picks, |pick| call(&self.world, pick))
    }

    /// A call for each pick, with another number in each.
    pub fn edit<R>(&mut self, mut call: impl FnMut(&mut World, Entity, f32) -> R) -> Round {
        let picks: Vec<_> = self.picks_to().collect();
        each(&picks, |(pick, x)| call(&mut self.world, pick, x))
    }

    /// The picks, with another number each.
    pub fn picks_to(&mut self) -> impl Iterator<Item = (Entity, f32)> + use<> {
        let (picks, first) = (self.bones.picks.clone(), self.calls);
        self.calls += picks.len();
        (first + 1..).zip(picks).map(|(call, pick)| (pick, (call % 10_007) as f32))
    }
}

/// The bones of each skeleton.
pub fn spawn(world: &mut World, skeletons: usize) -> Vec<Vec<Entity>> {
    fn limb(tree: &mut TreeBuilder<'_>, below: usize, all: &mut Vec<Entity>) {
        let more = |tree: &mut TreeBuilder<'_>| {
            if below > 1 {
                limb(tree, below - 1, all);
            }
        };
        let bone = tree.push_child_tree(body(below), more);
        all.push(bone);
    }
    let skeleton = |i: usize| {
        let mut all = Vec::with_capacity(BONES);
        let limbs = |tree: &mut TreeBuilder<'_>| {
            (0..LIMBS).for_each(|_| limb(tree, LIMB, &mut all));
        };
        let root = world.push_tree(body(i), limbs);
        all.push(root);
        all
    };
    (0..skeletons).map(skeleton).collect()
}
