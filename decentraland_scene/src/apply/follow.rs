//! From the merged state into the mirror's table of nodes.

use super::{
    batch::Batch,
    clean::Trs,
    cycles,
    findings::Cleaned,
    mirror::Mirror,
    nodes::{NONE, NodeIndex},
};
use crate::{
    merge::{EffectiveTransform, Replica, TransformState},
    wire::{EntityId, SceneEntity, SceneTransform, parent_of},
};

impl Mirror {
    /// Brings the node of one scene entity up to its merged state.
    pub(super) fn follow(
        &mut self,
        scene: SceneEntity,
        effective: EffectiveTransform<'_>,
        batch: &mut Batch,
    ) {
        let EffectiveTransform { state, parent, .. } = effective;
        let died = matches!(state, TransformState::Dead | TransformState::Unknown);
        if died && self.nodes.find(scene).is_none() {
            return;
        }
        let (target, cleaned) = self.shown(state);
        let index = self.nodes.find_or_insert(scene);
        let node = &mut self.nodes[index];
        (node.known, node.cleaned) = (!died, cleaned);
        node.named_parent = match state {
            TransformState::Live { bytes, .. } => parent_of(bytes),
            _ => EntityId::ROOT,
        };
        node.placed &= !died;
        let touched = batch.touch(&mut self.nodes, index);
        (touched.target, touched.died) = (target, died);
        let parent = self.nodes.parent(parent);
        self.relink(index, parent, batch);
    }

    /// What the world shows of a merged state: the values, and the mistakes in them.
    fn shown(&self, state: TransformState<'_>) -> (Trs, Cleaned) {
        let TransformState::Live { bytes, .. } = state else {
            return (Trs::IDENTITY, Cleaned::default());
        };
        let (trs, cleaned) = Trs::cleaned(&SceneTransform::from_bytes(bytes));
        (self.options.handedness.convert(trs), cleaned)
    }

    /// Looks at a node again, whose merged state need not have changed.
    pub(super) fn look_again(&mut self, index: NodeIndex, replica: &Replica, batch: &mut Batch) {
        let (target, _) = self.shown(replica.effective(self.nodes[index].scene).state);
        batch.touch(&mut self.nodes, index).target = target;
    }

    /// Makes a node the child of another.
    fn relink(&mut self, index: NodeIndex, parent: NodeIndex, batch: &mut Batch) {
        let old = self.nodes[index].parent;
        if old == parent {
            return;
        }
        if self.nodes[index].cyclic {
            cycles::open(&mut self.nodes, index, batch);
        }
        self.nodes[index].parent = parent;
        batch.relinked.push(index);
        if old != NONE {
            self.nodes[old].children -= 1;
            batch.touch(&mut self.nodes, old);
        }
        if parent != NONE {
            self.nodes[parent].children += 1;
            batch.touch(&mut self.nodes, parent);
        }
    }

    /// Treats the scene entities as dead that another replica knew and this one does not. Returns
    /// how many there are.
    pub(super) fn forget_unknown(&mut self, replica: &Replica, batch: &mut Batch) -> usize {
        let is_unknown = |scene| {
            let state = replica.effective(scene).state;
            matches!(state, TransformState::Unknown | TransformState::Dead)
        };
        let known = self.nodes.iter().filter(|(_, node)| node.known && is_unknown(node.scene));
        let gone: Vec<SceneEntity> = known.map(|(_, node)| node.scene).collect();
        gone.iter().for_each(|&scene| self.follow(scene, replica.effective(scene), batch));
        gone.len()
    }
}
