//! Each frame, everyone of the last generation gets a child.

use harness::{CheckedWorld, at, below};

/// Those that came take the record of their parent, and so come to the archetype of the generation
/// before, which leaves it for one with `Children`. Both migrate as a whole:
///
/// ```text
///  came     4 components, and PreviousParent  ->  5
///  before   5 components, and Children        ->  6, before the others come
/// ```
#[test]
fn a_generation_comes_where_the_one_before_leaves() {
    let mut it = CheckedWorld::default();
    let mut last = it.world.extend((0..100).map(|i| at(i as f32))).to_vec();
    for generation in 0..4 {
        last = it.world.extend(last.iter().map(|parent| below(*parent, 1.0))).to_vec();
        it.run_twice();
        for (i, entity) in last.iter().enumerate() {
            assert_eq!(it.x(*entity), (i + generation + 1) as f32);
        }
    }
}
