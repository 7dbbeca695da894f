//! A humanoid skeleton as animation tools export it.

/// How many bones it has.
pub const BONES: usize = 67;

/// The parent of each bone, depth first, the hips first.
pub fn parents() -> [Option<usize>; BONES] {
    let mut bones = Bones { parents: [None; BONES], count: 0 };
    let hips = bones.add(None);
    let chest = bones.chain(hips, 3);
    let head = bones.chain(chest, 2);
    for _crown_and_eyes in 0..3 {
        bones.add(Some(head));
    }
    for _side in 0..2 {
        let hand = bones.chain(chest, 4); // shoulder, arm, forearm, hand
        for _finger in 0..5 {
            bones.chain(hand, 4);
        }
    }
    for _side in 0..2 {
        bones.chain(hips, 5); // thigh, shin, foot, toe, toe's end
    }
    assert_eq!(bones.count, BONES);
    bones.parents
}

struct Bones {
    parents: [Option<usize>; BONES],
    count: usize,
}

impl Bones {
    fn add(&mut self, parent: Option<usize>) -> usize {
        self.parents[self.count] = parent;
        self.count += 1;
        self.count - 1
    }

    fn chain(&mut self, parent: usize, length: usize) -> usize {
        (0..length).fold(parent, |parent, _| self.add(Some(parent)))
    }
}
