//! A humanoid skeleton as animation tools export it.

/// How many bones it has.
pub const BONES: usize = 67;

/// The parent of each bone, depth first, the hips first.
pub fn parents() -> [Option<usize>; BONES] {
    let mut bones = Vec::with_capacity(BONES);
    let hips = chain(&mut bones, None, 1);
    let chest = chain(&mut bones, hips, 3);
    let head = chain(&mut bones, chest, 2);
    for _crown_and_eyes in 0..3 {
        chain(&mut bones, head, 1);
    }
    for _side in 0..2 {
        let hand = chain(&mut bones, chest, 4); // shoulder, arm, forearm, hand
        for _finger in 0..5 {
            chain(&mut bones, hand, 4);
        }
    }
    for _side in 0..2 {
        chain(&mut bones, hips, 5); // thigh, shin, foot, toe, toe's end
    }
    bones.try_into().expect("as many bones")
}

/// Adds bones below one another, and returns the last one.
fn chain(bones: &mut Vec<Option<usize>>, top: Option<usize>, length: usize) -> Option<usize> {
    (0..length).fold(top, |parent, _| {
        bones.push(parent);
        Some(bones.len() - 1)
    })
}
