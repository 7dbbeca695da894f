//! Merges one message into the state, and returns the outcome.

use std::cmp::Ordering;

use super::{
    corrections::Round, entities::NoSlot, last_writer::compare, limits::Cost, outcome::Outcome,
    replica::Replica, slot::State,
};
use crate::wire::{Key, Message, SceneEntity, SceneTransform, TRANSFORM};

impl Replica {
    /// Merges a message.
    pub fn merge(&mut self, message: &Message<'_>) -> Outcome<'_> {
        self.merge_in(message, Round::None).0
    }

    /// Merges a message, in a round of corrections. Also returns whether the round has its key
    /// already.
    #[inline(always)] // so that neither message nor outcome are moved
    pub(super) fn merge_in(&mut self, message: &Message<'_>, round: Round) -> (Outcome<'_>, bool) {
        let (timestamp, value) = match *message {
            Message::PutComponent { component: TRANSFORM, timestamp, data, .. } => {
                match data.try_into().ok() {
                    Some(value) => (timestamp, Some(value)),
                    None => return (Outcome::WrongLength { length: data.len() }, false),
                }
            }
            Message::DeleteComponent { component: TRANSFORM, timestamp, .. } => (timestamp, None),
            Message::DeleteEntity { .. } => {
                return (self.merge_death(message.scene_entity()), false);
            }
            _ => return (self.merge_other(message), false),
        };
        self.merge_transform(message.scene_entity(), timestamp, value, round)
    }

    /// Merges a message about another component than `Transform`.
    fn merge_other(&mut self, message: &Message<'_>) -> Outcome<'_> {
        let scene = message.scene_entity();
        match *message {
            _ if !self.options.keep_other_components => Outcome::Dropped,
            Message::PutComponent { component, timestamp, data, .. } => {
                self.merge_raw(scene.key(component), timestamp, Some(data), message)
            }
            Message::DeleteComponent { component, timestamp, .. } => {
                self.merge_raw(scene.key(component), timestamp, None, message)
            }
            Message::AppendValue { component, timestamp, data, .. } => match self
                .make_room(message, data.len())
            {
                Ok(()) => self.raw.append(scene.key(component), timestamp, data, &mut self.budget),
                Err(refused) => refused,
            },
            Message::DeleteEntity { .. } => Outcome::Dropped,
        }
    }

    /// Merges a write of a `Transform`, or, without a value, its deletion.
    #[inline(always)]
    fn merge_transform(
        &mut self,
        scene: SceneEntity,
        timestamp: u32,
        value: Option<&[u8; SceneTransform::LEN]>,
        round: Round,
    ) -> (Outcome<'_>, bool) {
        if scene.entity.is_host_placed() {
            return (Outcome::HostPlaced, false);
        }
        let new = State::of(value);
        let index = match self.entities.find_or_insert(scene, &mut self.budget, || new.cost(scene))
        {
            Ok(index) => index,
            Err(NoSlot::Dead) => return (Outcome::DeadEntity, false),
            Err(NoSlot::Limit(limit)) => return (Outcome::OverLimit { limit }, false),
        };
        let slot = self.entities.slot(index);
        let order = match slot.state {
            State::Live => {
                compare((timestamp, value.map(|v| &v[..])), (slot.timestamp, Some(&slot.bytes)))
            }
            State::Deleted => compare((timestamp, value.map(|v| &v[..])), (slot.timestamp, None)),
            State::Vacant | State::Unset => Ordering::Greater,
        };
        match order {
            Ordering::Greater => {
                let last = slot.state;
                if last != new
                    && let Err(limit) = self.budget.spend(&new.cost(scene).minus(last.cost(scene)))
                {
                    return (Outcome::OverLimit { limit }, false);
                }
                self.entities.write(index, timestamp, value);
                (Outcome::Accepted, false)
            }
            Ordering::Equal => (Outcome::Duplicate, false),
            Ordering::Less => {
                let is_corrected = round.note(&mut self.entities, index);
                (Outcome::Outdated { winner: self.entities.slot(index).message() }, is_corrected)
            }
        }
    }

    /// Merges a write of another component, or, without a value, its deletion.
    fn merge_raw(
        &mut self,
        key: Key,
        timestamp: u32,
        value: Option<&[u8]>,
        message: &Message<'_>,
    ) -> Outcome<'_> {
        match self.make_room(message, value.map_or(0, <[u8]>::len)) {
            Ok(()) => self.raw.merge(key, timestamp, value, &mut self.budget),
            Err(refused) => refused,
        }
    }

    /// Gives a slot to the entity of a message about another component than `Transform`, if there
    /// is room for both.
    fn make_room(&mut self, message: &Message<'_>, length: usize) -> Result<(), Outcome<'static>> {
        let over = |limit| Outcome::OverLimit { limit };
        self.budget.admits_key(length).map_err(over)?;
        let is_append = matches!(message, Message::AppendValue { .. });
        let is_tombstone = matches!(message, Message::DeleteComponent { .. });
        // A message may carry the network id 0; a dump does not.
        let spared = if matches!(
            message,
            Message::PutComponent { network: Some(0), .. }
                | Message::DeleteComponent { network: Some(0), .. }
        ) {
            4
        } else {
            0
        };
        let content = Cost {
            appended_values: isize::from(is_append),
            ..Cost::message(message.len() - spared, is_tombstone)
        };
        match self.entities.find_or_insert(message.scene_entity(), &mut self.budget, || content) {
            Ok(_) => Ok(()),
            Err(NoSlot::Dead) => Err(Outcome::DeadEntity),
            Err(NoSlot::Limit(limit)) => Err(over(limit)),
        }
    }

    /// Merges the deletion of an entity.
    fn merge_death(&mut self, scene: SceneEntity) -> Outcome<'_> {
        if scene.entity.is_reserved() {
            return Outcome::Reserved;
        }
        match self.entities.death(scene) {
            Some(version) if version > scene.entity.version() => return Outcome::DeadEntity,
            Some(version) if version == scene.entity.version() => return Outcome::Duplicate,
            _ => {}
        }
        let cost = self.entities.cost_of_kill(scene);
        if let Err(limit) = self.budget.admits(&cost)
            && let Err(_) = self.budget.admits(&cost.minus(self.cost_of_victims(scene)))
        {
            return Outcome::OverLimit { limit };
        }
        self.budget.charge(&cost);
        let Self { entities, raw, budget, .. } = self;
        entities.kill(scene, |dead, cost| {
            budget.charge(&Cost::default().minus(cost.plus(raw.purge(dead))))
        });
        Outcome::Accepted
    }

    /// The size that the death of an entity frees.
    fn cost_of_victims(&self, scene: SceneEntity) -> Cost {
        let costs = self.entities.victims(scene).map(|(dead, cost)| cost.plus(self.raw.cost(dead)));
        costs.fold(Cost::default(), Cost::plus)
    }
}
