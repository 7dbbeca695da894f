//! A frame, between the two ticks around it.

use legion::World;
use legion_transform::smooth::Smooth;
use legion_transform_testing::motion::mismatch;

use super::Checks;

impl Checks {
    /// At `alpha` everything is on its way between the ticks, what came or jumped is there already,
    /// and nothing that is gone is drawn.
    pub fn frame(&mut self, world: &World, smooth: &Smooth, alpha: f32) {
        self.report.frames += 1;
        for (&entity, now) in &self.now {
            let last = self.last.get(&entity).filter(|_| !self.jumped.contains(&entity));
            let from = &last.unwrap_or(now).matrix;
            for alpha in [0.0, alpha, 1.0] {
                let drawn = smooth.matrix(world, entity, alpha).expect("it was there in the tick");
                let alpha = if last.is_some() { alpha } else { 1.0 };
                assert_eq!(mismatch(from, &now.matrix, alpha, &drawn), None, "{entity:?}");
            }
        }
        for entity in self.last.keys().filter(|entity| !self.now.contains_key(entity)) {
            assert_eq!(smooth.matrix(world, *entity, alpha), None, "{entity:?} is gone");
        }
    }
}
