//! Damage to a save of which nothing is known.

use harness::Rng;

/// A range of bytes, up to a length.
fn range(rng: &mut Rng, len: usize, most: usize) -> std::ops::Range<usize> {
    let start = rng.below(len);
    start..start + 1 + rng.below(most.min(len - start))
}

/// Changes a save somewhere, and says how.
pub fn damage(save: &mut Vec<u8>, rng: &mut Rng) -> &'static str {
    let len = save.len();
    match rng.below(8) {
        0 => {
            save.truncate(rng.below(len));
            "cut off"
        }
        1 => {
            // Near to the end, where everything but the last values is there.
            save.truncate(len - 1 - rng.below(len.min(200)));
            "cut off near the end"
        }
        2 => {
            for _ in 0..1 + rng.below(3) {
                save[rng.below(len)] ^= 1 << rng.below(8);
            }
            "bits flipped"
        }
        3 => {
            for _ in 0..1 + rng.below(3) {
                let any = rng.below(256) as u8;
                save[rng.below(len)] = *rng.pick(&[0, 1, 0x7f, 0x80, 0xff, b'0', b'"', any]);
            }
            "bytes replaced"
        }
        4 => {
            let copy = save[range(rng, len, 300)].to_vec();
            let at = rng.below(len);
            save.splice(at..at, copy);
            "range duplicated"
        }
        5 => {
            save.drain(range(rng, len, 300));
            "range removed"
        }
        6 => {
            let copy = save[range(rng, len, 100)].to_vec();
            let at = rng.below(len + 1 - copy.len());
            save[at..at + copy.len()].copy_from_slice(&copy);
            "range overwritten"
        }
        _ => {
            let [a, b] = [0; 2].map(|_| rng.below(len));
            let (a, b) = (a.min(b), a.max(b));
            let most = (b - a).min(len - b).min(100);
            for i in 0..most {
                save.swap(a + i, b + i);
            }
            "ranges swapped"
        }
    }
}
