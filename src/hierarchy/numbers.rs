//! Entities in four bytes each.

use std::{num::NonZeroU64, ops::Range};

use legion::Entity;

use super::compare::difference;
use crate::storage::{casts::entity, columns::captured};

/// A column of entities, of whose numbers the upper halves are kept once: Legion counts them up
/// from the start of the process, so that they are the same until 2^32 numbers are given out. From
/// the first entity on that has another one, each has its own.
#[derive(Default)]
pub(super) struct EntityNumbers {
    lower: Vec<u32>,
    /// Empty while all are [`common`](Self::common).
    upper: Vec<u32>,
    common: u32,
}

impl EntityNumbers {
    pub fn len(&self) -> usize {
        self.lower.len()
    }

    /// The entity at a row, if there are so many.
    pub fn get(&self, row: usize) -> Option<Entity> {
        let upper = self.upper.get(row).copied().unwrap_or(self.common);
        let number = number(upper, *self.lower.get(row)?);
        Some(entity(NonZeroU64::new(number).expect("what was an entity's number")))
    }

    /// The entities from a row on.
    pub fn iter_from(&self, row: usize) -> impl Iterator<Item = Entity> + '_ {
        (row..self.len()).filter_map(|row| self.get(row))
    }

    pub fn set(&mut self, row: usize, entity: Entity) {
        let upper = self.admit(entity);
        self.lower[row] = captured(&entity) as u32;
        if let Some(old) = self.upper.get_mut(row) {
            *old = upper;
        }
    }

    pub fn truncate(&mut self, len: usize) {
        self.lower.truncate(len);
        self.upper.truncate(len);
    }

    pub fn extend(&mut self, entities: impl ExactSizeIterator<Item = Entity>) {
        self.lower.reserve(entities.len());
        for entity in entities {
            let upper = self.admit(entity);
            self.lower.push(captured(&entity) as u32);
            if !self.upper.is_empty() || upper != self.common {
                self.upper.push(upper);
            }
        }
    }

    /// Sees to it that an entity can be kept. Returns the upper half of its number.
    fn admit(&mut self, entity: Entity) -> u32 {
        let upper = (captured(&entity) >> 32) as u32;
        if upper != self.common && self.upper.is_empty() {
            if self.lower.is_empty() {
                self.common = upper;
            } else {
                self.upper = vec![self.common; self.lower.len()];
            }
        }
        upper
    }

    /// The rows of at most 64 in which other entities stand, a bit each.
    pub fn difference<A>(&self, rows: Range<usize>, now: &[A], id: impl Fn(&A) -> &Entity) -> u64 {
        let lower = &self.lower[rows.clone()];
        let common = self.common;
        let lower_differ =
            difference(now, lower, |now| captured(id(now)), |&was| number(common, was));
        if self.upper.is_empty() {
            return lower_differ;
        }
        let pairs = now.iter().zip(lower.iter().zip(&self.upper[rows])).enumerate();
        pairs.fold(0, |bits, (row, (now, (&lower, &upper)))| {
            bits | u64::from(captured(id(now)) != number(upper, lower)) << row
        })
    }
}

fn number(upper: u32, lower: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(number: u64) -> Entity {
        entity(NonZeroU64::new(number).expect("not 0"))
    }

    #[test]
    fn entities_come_back_whatever_their_numbers() {
        let mut numbers = EntityNumbers::default();
        let mut plain: Vec<Entity> = Vec::new();
        for round in 0..4_u64 {
            // The last rounds bring other upper halves.
            let more: Vec<Entity> =
                (1..40).map(|k| of(k + (round / 2) * k % 3 * (1 << 32) + 100 * round)).collect();
            numbers.extend(more.iter().copied());
            plain.extend(more);
            numbers.set(3, of(7 + (round << 33)));
            plain[3] = of(7 + (round << 33));
            numbers.truncate(plain.len() - 5);
            plain.truncate(plain.len() - 5);
            assert_eq!(numbers.len(), plain.len());
            assert!(numbers.iter_from(0).eq(plain.iter().copied()));
            assert_eq!(numbers.difference(0..30, &plain[..30], |entity| entity), 0);
            let mut other = plain[..30].to_vec();
            other[29] = of(captured(&other[29]) + (1 << 32));
            assert_eq!(numbers.difference(0..30, &other, |entity| entity), 1 << 29);
        }
        assert_eq!(numbers.get(plain.len()), None);
    }
}
