//! Where nodes are: a table of poses that nodes step through from tick to tick.

/// Translation, rotation (a unit quaternion, x y z w) and uniform scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trs {
    /// Translation.
    pub translation: [f32; 3],
    /// Rotation.
    pub rotation: [f32; 4],
    /// Uniform scale.
    pub scale: f32,
}

/// How many poses there are: more than a predictor could learn, few enough to stay in the cache
/// while a world is edited.
const POSES: usize = 4096;

/// The poses of one scene.
pub struct Poses(Vec<Trs>);

impl Poses {
    /// Poses whose translations reach `reach` along each axis, and whose scales are in `1 / stretch
    /// ..= stretch`.
    ///
    /// Scales come in pairs with product 1, so that a chain of any length neither vanishes nor
    /// explodes.
    pub fn new(reach: f32, stretch: f32) -> Self {
        let mut random = Random::new(7);
        let pair = |random: &mut Random| {
            let scale = (random.symmetric() * stretch.ln()).exp();
            [scale, 1.0 / scale]
        };
        let scales: Vec<f32> = (0..POSES / 2).flat_map(|_| pair(&mut random)).collect();
        let trs = |scale| Trs {
            translation: std::array::from_fn(|_| random.symmetric() * reach),
            rotation: random.rotation(),
            scale,
        };
        Self(scales.into_iter().map(trs).collect())
    }

    /// The pose of a node at a tick: another one each tick.
    pub fn at(&self, node: usize, tick: usize) -> Trs {
        self.0[(node * 7 + tick * 13) % POSES]
    }
}

/// Xorshift: enough for scenes, and the same on every machine.
pub struct Random(u64);

impl Random {
    /// A sequence of its own for each seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (((self.next() >> 32) * bound as u64) >> 32) as usize
    }

    /// At most `count` different numbers of a range, ascending.
    pub fn distinct(&mut self, count: usize, range: std::ops::Range<usize>) -> Vec<u32> {
        let mut picked: Vec<u32> =
            (0..count).map(|_| (range.start + self.below(range.len())) as u32).collect();
        picked.sort_unstable();
        picked.dedup();
        picked
    }

    /// Puts them into a random order.
    pub fn shuffle(&mut self, numbers: &mut [u32]) {
        (1..numbers.len()).rev().for_each(|last| numbers.swap(last, self.below(last + 1)));
    }

    /// In -1 ..= 1.
    fn symmetric(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn rotation(&mut self) -> [f32; 4] {
        loop {
            let q: [f32; 4] = std::array::from_fn(|_| self.symmetric());
            let length = q.iter().map(|x| x * x).sum::<f32>().sqrt();
            if (0.1..=1.0).contains(&length) {
                return q.map(|x| x / length);
            }
        }
    }
}
