//! Edits of `Parent`, `PreviousParent` and `Children`.

use harness::oracle::Oracle;
use legion_transform_testing::Kind;

use super::Generator;
use crate::edits::{Edit, Slot, Subject};

impl Generator {
    pub fn links(
        &mut self,
        sort: &str,
        subject: &mut Subject,
        oracle: &Oracle,
    ) -> Option<Vec<Edit>> {
        Some(match sort {
            "add Parent" => {
                let slot = self.any().filter(|slot| subject.parent(*slot).is_none())?;
                let mut edits = vec![Edit::Parent(slot, self.any()?)];
                if !subject.has(slot, Kind::LocalToParent) && !self.rng.one_in(4) {
                    edits.push(Edit::Add(
                        slot,
                        Kind::LocalToParent,
                        self.rng.numbers(Kind::LocalToParent),
                    ));
                }
                edits
            }
            "change Parent" => vec![Edit::Parent(self.any_child(subject)?.0, self.any()?)],
            "remove Parent" => vec![Edit::RemoveParent(self.any_child(subject)?.0)],
            "remove Parent and add it again" => {
                let (slot, parent) = self.any_child(subject)?;
                let parent = if self.rng.one_in(2) { parent } else { self.any()? };
                vec![Edit::RemoveParent(slot), Edit::Parent(slot, parent)]
            }
            "re-parent several" => {
                let parent = self.any()?;
                let several = 2 + self.rng.below(5);
                (0..several)
                    .filter_map(|_| Some(Edit::Parent(self.any_child(subject)?.0, parent)))
                    .collect()
            }
            "swap a parent and its child" => {
                let (child, parent) = self.any_child(subject)?;
                let above = subject.parent(parent)?;
                vec![Edit::Parent(child, above), Edit::Parent(parent, child)]
            }
            "Parent to a dead entity" => {
                let dead = (!self.dead.is_empty()).then(|| *self.rng.pick(&self.dead))?;
                vec![Edit::Parent(self.any()?, dead)]
            }
            "Parent to one without LocalToWorld" => {
                let bare = self.any_where(|slot| !subject.has(slot, Kind::LocalToWorld))?;
                vec![Edit::Parent(self.any()?, bare)]
            }
            "Parent to itself" => {
                let slot = self.any()?;
                vec![Edit::Parent(slot, slot)]
            }
            "close a cycle" => {
                // Below itself: the parent of one of the ancestors becomes a descendant.
                let (slot, parent) = self.any_child(subject)?;
                let mut top = parent;
                for _ in 0..self.rng.below(6) {
                    top = subject
                        .parent(top)
                        .filter(|above| self.alive.contains(above))
                        .unwrap_or(top);
                }
                vec![Edit::Parent(top, slot)]
            }
            "open a cycle" => {
                let cyclic: Vec<Slot> =
                    oracle.links.cyclic.keys().map(|entity| subject.slots[entity]).collect();
                let mut cyclic: Vec<_> =
                    cyclic.into_iter().filter(|slot| self.alive.contains(slot)).collect();
                cyclic.sort_unstable();
                let slot = (!cyclic.is_empty()).then(|| *self.rng.pick(&cyclic))?;
                let parent = self.any()?;
                vec![if self.rng.one_in(2) {
                    Edit::RemoveParent(slot)
                } else {
                    Edit::Parent(slot, parent)
                }]
            }
            other => unreachable!("{other} has no edits"),
        })
    }

    pub fn relations(&mut self, sort: &str) -> Option<Edit> {
        let slot = self.any()?;
        Some(match sort {
            "garbage in PreviousParent" => {
                let all = [&self.alive[..], &self.dead].concat();
                let garbage = if self.rng.one_in(3) { None } else { Some(*self.rng.pick(&all)) };
                Edit::PreviousParent(slot, Some(garbage))
            }
            "remove PreviousParent" => Edit::PreviousParent(slot, None),
            "garbage in Children" => {
                let all = [&self.alive[..], &self.dead].concat();
                let garbage = (0..self.rng.below(4)).map(|_| *self.rng.pick(&all)).collect();
                Edit::Children(slot, Some(garbage))
            }
            _ => Edit::Children(slot, None),
        })
    }
}
