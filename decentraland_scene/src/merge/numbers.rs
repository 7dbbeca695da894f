//! The numbers that new entities get.

use std::{collections::VecDeque, error::Error, fmt};

use hashbrown::HashSet;

use crate::wire::{EntityId, SceneEntity};

/// The entity numbers that a replica gives to [new entities](super::Replica::new_entity). Replicas
/// that make entities of the same network need ranges that lie apart, or a network each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NumberRange {
    /// The network of new entities, 0 for the scene's own.
    pub network: u32,
    /// The lowest number.
    pub first: u16,
    /// The highest number.
    pub last: u16,
}

impl Default for NumberRange {
    /// All numbers of the scene's own that are not reserved.
    fn default() -> Self {
        Self { network: 0, first: EntityId::FIRST_UNRESERVED, last: u16::MAX }
    }
}

impl NumberRange {
    /// These numbers of the scene's own.
    #[must_use]
    pub fn new(first: u16, last: u16) -> Self {
        Self { first, last, ..Self::default() }
    }

    fn holds(&self, scene: SceneEntity) -> bool {
        scene.network == self.network && (self.first..=self.last).contains(&scene.entity.number())
    }
}

/// Every number of the range is in use, or all its versions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumbersExhausted {
    /// The range.
    pub range: NumberRange,
}

impl fmt::Display for NumbersExhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NumberRange { network, first, last } = self.range;
        write!(
            f,
            "no entity number from {first} to {last} of network {network} is free: delete \
             entities, or choose a larger range"
        )
    }
}

impl Error for NumbersExhausted {}

/// Numbers for new entities: first numbers that were never given, in order, then numbers whose
/// versions died, in the order of their deaths.
#[derive(Clone, Debug, Default)]
pub(super) struct Reusable {
    pub range: NumberRange,
    /// How many numbers of the range were given or passed over.
    begun: u32,
    /// Numbers that died, each once.
    dead: VecDeque<u16>,
    queued: HashSet<u16>,
}

impl Reusable {
    pub fn new(range: NumberRange) -> Self {
        Self { range, ..Self::default() }
    }

    /// Call with a number that may be used again.
    pub fn died(&mut self, scene: SceneEntity) {
        let number = scene.entity.number();
        if self.range.holds(scene) && self.queued.insert(number) {
            self.dead.push_back(number);
        }
    }

    /// The next number to try, and whether it is tried for the first time.
    pub fn next(&mut self) -> Option<(SceneEntity, bool)> {
        let NumberRange { network, first, last } = self.range;
        let unused = u32::from(first) + self.begun;
        let is_unused = unused <= u32::from(last);
        let number = if is_unused {
            self.begun += 1;
            unused as u16
        } else {
            let number = self.dead.pop_front()?;
            self.queued.remove(&number);
            number
        };
        Some((SceneEntity { network, entity: EntityId::new(number, 0) }, is_unused))
    }
}
