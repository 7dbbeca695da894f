//! The numbers that new entities get.

use std::{collections::VecDeque, error::Error, fmt};

use hashbrown::{HashMap, HashSet};

use super::role::Role;
use crate::wire::{EntityId, SceneEntity};

/// The entity numbers that a replica gives to [new entities](super::Replica::new_entity). Replicas
/// that make entities of the same network need ranges that lie apart, or a network each.
///
/// Plain numbers below 512 in the range are passed over, unless the replica is a
/// [host](super::Role::Host): then 3 to 511 are for its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NumberRange {
    /// The network of new entities; `None` for the scene's own, plain ones.
    pub network: Option<u32>,
    /// The lowest number.
    pub first: u16,
    /// The highest number.
    pub last: u16,
}

impl Default for NumberRange {
    /// All numbers of the scene's own that are not reserved.
    fn default() -> Self {
        Self { network: None, first: EntityId::FIRST_UNRESERVED, last: u16::MAX }
    }
}

impl NumberRange {
    /// These numbers of the scene's own.
    #[must_use]
    pub fn new(first: u16, last: u16) -> Self {
        Self { first, last, ..Self::default() }
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
        write!(f, "no entity number from {first} to {last}")?;
        if let Some(network) = network {
            write!(f, " of network {network}")?;
        }
        f.write_str(" is free: delete entities, or choose a larger range")
    }
}

impl Error for NumbersExhausted {}

/// Numbers for new entities: first numbers that were never given, in order, then numbers that came
/// back, in the order in which they did.
#[derive(Clone, Debug, Default)]
pub(super) struct Reusable {
    range: NumberRange,
    /// The lowest number that was neither given nor passed over.
    unused: u32,
    /// Numbers that died, each once.
    returned: VecDeque<u16>,
    queued: HashSet<u16>,
    /// In a network, one above the highest version of a number that died, of our own range: others
    /// do not split the ids that we make.
    next_versions: HashMap<u16, u32>,
}

impl Reusable {
    pub fn new(range: NumberRange, role: Role) -> Self {
        let least = match (range.network, role) {
            (Some(_), _) => 0,
            (None, Role::Host) => EntityId::CAMERA.number() + 1,
            (None, _) => EntityId::FIRST_UNRESERVED,
        };
        let range = NumberRange { first: range.first.max(least), ..range };
        Self { range, unused: range.first.into(), ..Self::default() }
    }

    /// Whether it is its to give.
    fn holds(&self, scene: SceneEntity) -> bool {
        let NumberRange { network, first, last } = self.range;
        scene.network == network && (first..=last).contains(&scene.entity.number())
    }

    /// Call with an entity that died: its number may be used again.
    pub fn died(&mut self, scene: SceneEntity) {
        if scene.network.is_some() && self.holds(scene) {
            let next = self.next_versions.entry(scene.entity.number()).or_default();
            *next = (*next).max(u32::from(scene.entity.version()) + 1);
        }
        let number = scene.entity.number();
        if self.holds(scene) && self.queued.insert(number) {
            self.returned.push_back(number);
        }
    }

    /// The version of a number of the range's network that was never used; `None` if all were.
    pub fn next_version(&self, number: u16) -> Option<u16> {
        let next = self.next_versions.get(&number).copied().unwrap_or(0);
        u16::try_from(next).ok()
    }

    /// The next number to try, and whether it is tried for the first time.
    pub fn next(&mut self) -> Option<(SceneEntity, bool)> {
        let is_unused = self.unused <= u32::from(self.range.last);
        let number = if is_unused {
            self.unused += 1;
            (self.unused - 1) as u16
        } else {
            let number = self.returned.pop_front()?;
            self.queued.remove(&number);
            number
        };
        let network = self.range.network;
        Some((SceneEntity { network, entity: EntityId::new(number, 0) }, is_unused))
    }
}
