//! What a user overwrites in a frame in doubt is right again within 32 runs, whatever the archetype
//! grows or shrinks to meanwhile.

use harness::{TestWorld, at};
use legion::Entity;
use legion_transform::prelude::*;
use nalgebra::Matrix4;

/// Roots at 0, 1, 2, ... along x.
struct Line {
    test: TestWorld,
    roots: Vec<Entity>,
}

impl Line {
    fn new(len: usize) -> Self {
        let mut line = Self { test: TestWorld::default(), roots: Vec::new() };
        line.resize(len);
        line.test.run();
        // Where little is written, inputs are compared with a copy from the third time on, and
        // matrices no longer.
        for _ in 0..3 {
            line.test.set(line.roots[0], Translation::identity());
            line.test.run();
        }
        line
    }

    /// Spawns or despawns at the end.
    fn resize(&mut self, len: usize) {
        for root in self.roots.split_off(len.min(self.roots.len())) {
            self.test.despawn(root);
        }
        let new: Vec<_> = (self.roots.len()..len).map(|x| at(x as f32)).collect();
        self.roots.extend_from_slice(self.test.world.extend(new));
    }

    /// Overwrites the matrices of some, and then inserts one: that hides the writes.
    fn overwrite_in_doubt(&mut self, count: usize) {
        for &root in &self.roots[..count] {
            self.test.set(root, LocalToWorld(Matrix4::repeat(7.0)));
        }
        self.resize(self.roots.len() + 1);
    }

    fn wrong(&self) -> Vec<usize> {
        let is_wrong = |&row: &usize| self.test.x(self.roots[row]) != row as f32;
        (0..self.roots.len()).filter(is_wrong).collect()
    }
}

#[test]
fn all_rows_are_repaired_while_the_archetype_grows_and_shrinks() {
    for (before, after) in [(640, 640), (640, 2000), (2001, 1500), (2000, 460), (5000, 3000)] {
        // Each start leaves the next rows to be looked at elsewhere.
        for (start, moment) in (0..12).flat_map(|start| [(start, 1), (start, 3), (start, 6)]) {
            let mut line = Line::new(before);
            line.overwrite_in_doubt(1);
            (0..start).for_each(|_| line.test.run());
            line.overwrite_in_doubt(before);
            (0..moment).for_each(|_| line.test.run());
            line.resize(after);
            (moment..32).for_each(|_| line.test.run());
            assert_eq!(
                line.wrong(),
                [],
                "{before} rows, {after} after run {moment}, start {start}"
            );
        }
    }
}
