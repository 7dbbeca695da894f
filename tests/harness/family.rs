//! Picks of entities for the list of edits.

use legion::{Entity, World};
use legion_transform_testing::catalogue::Picks;

use super::Rng;

/// Picks the first entities, the last ones, or any; and of parents often the one of before: what
/// falls, falls where several things happen to one family.
pub struct Family {
    pub rng: Rng,
    again: Option<Entity>,
}

impl Family {
    pub fn new(rng: Rng) -> Self {
        Self { rng, again: None }
    }
}

impl Picks for Family {
    fn below(&mut self, count: usize) -> usize {
        self.rng.below(count)
    }

    fn pick(&mut self, all: &[Entity]) -> Option<Entity> {
        let last = all.len().checked_sub(1)?;
        let index = match self.rng.below(3) {
            0 => self.rng.below(all.len().min(6)),
            1 => last - self.rng.below(all.len().min(3)),
            _ => self.rng.below(all.len()),
        };
        Some(all[index])
    }

    fn parent(&mut self, all: &[Entity], world: &World) -> Option<Entity> {
        let again = self.again.filter(|parent| world.contains(*parent));
        if again.is_none() || self.rng.one_in(3) {
            self.again = self.pick(all);
        }
        self.again
    }
}
