//! Merges one message into the state, and returns the outcome.

use std::cmp::Ordering;

use super::{
    cell::written,
    corrections::Round,
    entities::NoSlot,
    last_writer::compare,
    limits::Cost,
    looks::Look,
    networks,
    number::version,
    outcome::Outcome,
    replica::Replica,
    role::{Role, Sender},
    slot::State,
};
use crate::wire::{Key, Message, SceneEntity, SceneTransform, TRANSFORM};

impl Replica {
    /// Merges a message from a program with this role.
    pub fn merge(&mut self, message: &Message<'_>, from: Role) -> Outcome<'_> {
        self.merge_in(message, from.into(), Round::None).0
    }

    /// Merges a message, in a round of corrections. Also returns whether the round has its key
    /// already.
    #[inline(always)] // so that neither message nor outcome are moved
    pub(super) fn merge_in(
        &mut self,
        message: &Message<'_>,
        from: Sender,
        round: Round,
    ) -> (Outcome<'_>, bool) {
        if from.has_authority {
            return (self.merge_with_authority(message, from.role), false);
        }
        let (timestamp, value) = match *message {
            Message::PutComponent { component: TRANSFORM, timestamp, data, .. } => {
                match data.try_into().ok() {
                    Some(value) => (timestamp, Some(value)),
                    None => return (Outcome::WrongLength { length: data.len() }, false),
                }
            }
            Message::DeleteComponent { component: TRANSFORM, timestamp, .. } => (timestamp, None),
            _ => return (self.merge_rare(message, from), false),
        };
        let scene = message.scene_entity();
        if !from.role.places(scene) {
            return (Outcome::HostPlaced, false);
        }
        self.merge_transform(scene, timestamp, value, false, round)
    }

    /// Merges a message that is not a plain write of a `Transform`.
    #[inline(never)] // so that those stay short
    fn merge_rare(&mut self, message: &Message<'_>, from: Sender) -> Outcome<'_> {
        match *message {
            Message::DeleteEntity { .. } => self.merge_death(message.scene_entity(), from.role),
            Message::AuthoritativePutComponent { .. } if !from.is_obeyed => Outcome::NotAuthorized,
            Message::AuthoritativePutComponent { entity, component, timestamp, data } => {
                let key = SceneEntity::local(entity).key(component);
                self.merge_with_authority(&written(key, timestamp, Some(data)), from.role)
            }
            _ => self.merge_other(message, from.role, false),
        }
    }

    /// Merges a message whose put or deletion of a component is taken whatever the timestamps.
    #[cold]
    pub(super) fn merge_with_authority(
        &mut self,
        message: &Message<'_>,
        from: Role,
    ) -> Outcome<'_> {
        let (component, timestamp, value) = match *message {
            Message::PutComponent { component, timestamp, data, .. } => {
                (component, timestamp, Some(data))
            }
            Message::DeleteComponent { component, timestamp, .. } => (component, timestamp, None),
            _ => {
                let sender = Sender { role: from, is_obeyed: false, has_authority: false };
                return self.merge_in(message, sender, Round::None).0;
            }
        };
        let scene = message.scene_entity();
        match value.map(TryInto::try_into).transpose() {
            _ if component != TRANSFORM => self.merge_other(message, from, true),
            _ if !from.places(scene) => Outcome::HostPlaced,
            Ok(value) => self.merge_transform(scene, timestamp, value, true, Round::None).0,
            Err(_) => Outcome::WrongLength { length: message.data().len() },
        }
    }

    /// Merges a message about another component than `Transform`.
    fn merge_other(
        &mut self,
        message: &Message<'_>,
        from: Role,
        has_authority: bool,
    ) -> Outcome<'_> {
        let Some(key) = message.key().filter(|key| self.keeps(key.component)) else {
            return Outcome::Dropped;
        };
        let may_count = from.may_count_to(key.scene_entity(), message.timestamp());
        if !may_count || !self.may_write(from, key) {
            return Outcome::HostPlaced;
        }
        if let Err(refused) = self.make_room(message) {
            return refused;
        }
        let Self { raw, budget, clock, .. } = self;
        let (timestamp, value) = match *message {
            Message::PutComponent { timestamp, data, .. } => (timestamp, Some(data)),
            Message::DeleteComponent { timestamp, .. } => (timestamp, None),
            Message::AppendValue { timestamp, data, .. } => {
                return raw.append(key, timestamp, data, budget, clock);
            }
            Message::AuthoritativePutComponent { .. } | Message::DeleteEntity { .. } => {
                return Outcome::Dropped;
            }
        };
        let order = match has_authority {
            true => raw.write(key, timestamp, value, budget, clock).map(|()| Ordering::Greater),
            false => raw.merge(key, timestamp, value, budget, clock),
        };
        match order {
            Ok(Ordering::Greater) => {
                if networks::is_tie(key.component) {
                    self.set_tie(key, value);
                }
                if has_authority {
                    self.note_authority(key);
                }
                Outcome::Accepted
            }
            Ok(Ordering::Less) => match self.raw.message(key) {
                Some(winner) => Outcome::Outdated { winner },
                None => Outcome::Duplicate,
            },
            Ok(Ordering::Equal) => Outcome::Duplicate,
            Err(limit) => Outcome::OverLimit { limit },
        }
    }

    /// Takes over the value of a component that ties entities.
    fn set_tie(&mut self, key: Key, value: Option<&[u8]>) {
        let Self { entities, networks, looks, clock, .. } = self;
        let slots = entities.slots().len();
        let changed = networks.set(key, value, |look| looks.push(look, clock, slots));
        for entity in changed.into_iter().flatten() {
            entities.set_tied(entity, networks.is_tied(entity));
        }
    }

    /// Whether a program with this role may write a component other than `Transform`.
    pub(super) fn may_write(&self, role: Role, key: Key) -> bool {
        role == Role::Host
            || !key.scene_entity().is_other_player()
            || !self.options.host_components.contains(&key.component)
    }

    /// Whether a component other than `Transform` is kept.
    pub(super) fn keeps(&self, component: u32) -> bool {
        self.options.keep_other_components || networks::is_tie(component)
    }

    /// Merges a write of a `Transform`, or, without a value, its deletion. One with authority
    /// wins over every other.
    #[inline(always)]
    fn merge_transform(
        &mut self,
        scene: SceneEntity,
        timestamp: u32,
        value: Option<&[u8; SceneTransform::LEN]>,
        has_authority: bool,
        round: Round,
    ) -> (Outcome<'_>, bool) {
        let new = State::of(value);
        let index = match self.entities.find_or_insert(scene, &mut self.budget, || new.cost(scene))
        {
            Ok(index) => index,
            Err(NoSlot::Dead) => return (Outcome::DeadEntity, false),
            Err(NoSlot::Limit(limit)) => return (Outcome::OverLimit { limit }, false),
        };
        let slot = self.entities.slot(index);
        // By state, not by `Slot::write`: that makes loading a scene 7 % slower.
        let order = match slot.state {
            State::Live => {
                compare((timestamp, value.map(|v| &v[..])), (slot.timestamp, Some(&slot.bytes)))
            }
            State::Deleted => compare((timestamp, value.map(|v| &v[..])), (slot.timestamp, None)),
            State::Vacant | State::Unset => Ordering::Greater,
        };
        match order {
            Ordering::Less if !has_authority => {
                let is_corrected = round.note(&mut self.entities, index);
                (Outcome::Outdated { winner: self.entities.slot(index).message() }, is_corrected)
            }
            Ordering::Equal if !has_authority => (Outcome::Duplicate, false),
            _ => {
                let last = slot.state;
                if last != new
                    && let Err(limit) = self.budget.spend(&new.cost(scene).minus(last.cost(scene)))
                {
                    return (Outcome::OverLimit { limit }, false);
                }
                self.entities.write(index, timestamp, value, &mut self.clock);
                if has_authority {
                    self.note_authority(scene.key(TRANSFORM));
                }
                (Outcome::Accepted, false)
            }
        }
    }

    /// Gives a slot to the entity of a message about another component than `Transform`, if there
    /// is room for both.
    fn make_room(&mut self, message: &Message<'_>) -> Result<(), Outcome<'static>> {
        let over = |limit| Outcome::OverLimit { limit };
        self.budget.admits_key(message.data().len()).map_err(over)?;
        let is_append = matches!(message, Message::AppendValue { .. });
        if is_append && self.budget.limits.values_per_key == 0 {
            return Err(Outcome::Dropped);
        }
        let is_tombstone = matches!(message, Message::DeleteComponent { .. });
        let content = Cost {
            appended_values: isize::from(is_append),
            ..Cost::message(message.len(), is_tombstone)
        };
        match self.entities.find_or_insert(message.scene_entity(), &mut self.budget, || content) {
            Ok(_) => Ok(()),
            Err(NoSlot::Dead) => Err(Outcome::DeadEntity),
            Err(NoSlot::Limit(limit)) => Err(over(limit)),
        }
    }

    /// Merges the deletion of an entity.
    #[inline(never)]
    pub(super) fn merge_death(&mut self, scene: SceneEntity, from: Role) -> Outcome<'_> {
        if scene.is_reserved() {
            if !from.rules(scene) {
                return Outcome::Reserved;
            }
            // No tombstone stays, so there is nothing to do if nobody is there. But a host keeps
            // which players were there, to give their numbers with the next version.
            let is_known = self.options.role != Role::Host
                || self.entities.last_death(scene).is_some_and(|last| last >= version(scene));
            let is_there = self.entities.victims(scene).next().is_some();
            if is_known && !is_there {
                return Outcome::Duplicate;
            }
            if !is_there {
                self.entities.departures.begin_earlier();
            }
        } else {
            match self.entities.last_death(scene) {
                Some(last) if last > version(scene) => return Outcome::DeadEntity,
                Some(last) if last == version(scene) => return Outcome::Duplicate,
                _ => {}
            }
        }
        let cost = self.entities.cost_of_kill(scene, self.options.role);
        if let Err(limit) = self.budget.admits(&cost)
            && let Err(_) = self.budget.admits(&cost.minus(self.cost_of_victims(scene)))
        {
            return Outcome::OverLimit { limit };
        }
        self.budget.charge(&cost);
        self.kill(scene);
        Outcome::Accepted
    }

    /// Kills an entity, and all with its number and a lower version; of players the entity alone.
    fn kill(&mut self, scene: SceneEntity) {
        let Self { entities, raw, budget, clock, networks, looks, authoritative, .. } = self;
        let slots = entities.slots().len();
        let last_write =
            |index| entities.slot(index).is_set().then(|| entities.slot(index).timestamp);
        let mut timestamp = entities.find(scene).and_then(last_write).unwrap_or(0);
        let (mut dead, mut untied) = (Vec::new(), Vec::new());
        entities.kill(scene, clock, |entity, cost, had_transform| {
            authoritative.forget(entity);
            let purged = raw.purge(entity, |key, last| {
                timestamp = timestamp.max(last);
                if networks::is_tie(key.component) {
                    untied.push(key);
                }
            });
            budget.charge(&Cost::default().minus(cost.plus(purged)));
            if had_transform {
                dead.push(Look::At(entity));
            }
        });
        // Plain entities that stand for a dead one of a network are dead, too.
        if networks.is_tied_to(scene) {
            dead.push(Look::AllTiedTo(scene));
        }
        dead.into_iter().for_each(|look| looks.push(look, clock, slots));
        if scene.is_reserved() {
            entities.departures.push(scene, timestamp, clock.stamp(), slots);
        }
        for key in untied {
            self.set_tie(key, None);
        }
    }

    /// The size that the death of an entity frees at least: a refused message looks at few of those
    /// that would die, and at few of their components.
    fn cost_of_victims(&self, scene: SceneEntity) -> Cost {
        const FEW: usize = 64;
        let victims = self.entities.victims(scene).take(FEW);
        let costs = victims.map(|(dead, cost)| cost.plus(self.raw.cost_of_components(dead, FEW)));
        costs.fold(Cost::default(), Cost::plus)
    }
}
