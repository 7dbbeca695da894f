//! What has to hold of a forest after every operation: it is as its model says, and can be split.

use super::model::{Above, Model};
use crate::engine::{
    forest::{PropagationView, SubtreeRange},
    storage::Row,
};

impl Model {
    /// Everything is as in the model.
    pub fn check(&self) {
        self.forest.validate();
        let alive = self.alive();
        assert_eq!(self.forest.len(), alive.len());
        let view = self.forest.propagation();
        let bit = |words: &[u64], slot: u32| words[slot as usize / 64] & 1 << (slot % 64) != 0;
        for entity in alive {
            let slot = self.slots[entity];
            let above = self.above[entity];
            let parent = if let Some(Above::Parent(parent)) = above {
                Some(self.slots[parent])
            } else {
                None
            };
            assert_eq!(self.forest.parent(slot), parent);
            assert_eq!(self.forest.is_held(slot), above == Some(Above::Held));
            let children: Vec<u32> =
                self.children[entity].iter().map(|&child| self.slots[child]).collect();
            assert_eq!(self.forest.children(slot).collect::<Vec<_>>(), children);
            assert_eq!(self.forest.row(slot), self.rows[entity].unwrap_or(Row::NOWHERE));
            assert_eq!(bit(view.dirty(), slot), self.dirty.contains(&entity));
            assert_eq!(bit(view.dirty_below(), slot), self.dirty_below.contains(&entity));
            assert_eq!(self.forest.subtree(slot).collect::<Vec<_>>(), self.subtree(entity));
        }
    }

    fn subtree(&self, top: usize) -> Vec<u32> {
        let (mut subtree, mut open) = (Vec::new(), vec![top]);
        while let Some(entity) = open.pop() {
            subtree.push(self.slots[entity]);
            open.extend(self.children[entity].iter().rev());
        }
        subtree
    }

    /// However segments are split, every node is in one part, and its parent in an earlier segment,
    /// in a stem above or before it in the part.
    pub fn check_splits(&self) {
        let view = self.forest.propagation();
        let mut done = vec![false; self.forest.slots_len()];
        for segment in 0..self.forest.segments() {
            let range = self.forest.segment(segment);
            let mut parts = Vec::new();
            check_range(view, range, &mut done.clone(), &mut parts);
            for slot in parts {
                assert!(
                    !std::mem::replace(&mut done[slot as usize], true),
                    "{slot} is in two parts"
                );
            }
            assert!(
                done[range.start() as usize..range.end() as usize].iter().all(|&done| done),
                "every slot is in a part"
            );
        }
    }
}

/// `done` are the slots that are computed before this range is.
fn check_range(
    view: PropagationView<'_>,
    range: SubtreeRange,
    done: &mut [bool],
    parts: &mut Vec<u32>,
) {
    let mut compute = |slots: std::ops::Range<u32>, done: &mut [bool]| {
        for slot in slots {
            let node = view.nodes()[slot as usize];
            assert!(
                !node.is_linked() || done[node.parent as usize],
                "{slot} is computed before its parent"
            );
            done[slot as usize] = true;
            parts.push(slot);
        }
    };
    if let Some((first, second)) = view.split(range) {
        assert!(first.len() > 0 && second.len() > 0);
        check_range(view, first, &mut done.to_vec(), parts);
        check_range(view, second, &mut done.to_vec(), parts);
    } else if range.len() > 0 {
        let rest = view.stem(range);
        assert!(rest.start() > range.start());
        compute(range.start()..rest.start(), done);
        check_range(view, rest, done, parts);
    }
}
