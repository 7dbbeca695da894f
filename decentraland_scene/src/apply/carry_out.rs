//! Carries out a batch: from the mirror's table of nodes into the world.

use hashbrown::HashSet;
use legion_transform::{
    components::{LocalToWorld, Parent},
    legion::{Entity, World},
};

use super::{
    batch::Batch,
    mirror::{ApplyReport, Mirror},
    nodes::{Form, NONE, NodeIndex},
    spawn::Spawn,
    update,
};

impl Mirror {
    /// Carries out a batch in the world.
    pub(super) fn carry_out(&mut self, batch: Batch, world: &mut World) -> ApplyReport {
        let mut report = ApplyReport::default();
        let mut spawn = Spawn::default();
        let mut came_back = HashSet::new();
        for touched in batch.touched {
            let node = &mut self.nodes[touched.index];
            node.mark = NONE;
            if !node.is_needed() {
                report.despawned += usize::from(world.remove(node.entity));
                self.overridden.remove(&touched.index);
                self.nodes.remove(touched.index);
                continue;
            }
            let link = self.link(touched.index);
            let node = &mut self.nodes[touched.index];
            let is_there = node.form != Form::Unspawned;
            // While an entity was despawned, or without a matrix, the bundle may have made its
            // children roots.
            let mut had_matrix = true;
            if is_there && touched.died {
                had_matrix = update::strip(node, touched.index, world);
                self.overridden.remove(&touched.index);
            }
            if is_there && let Some(entry) = world.entry(node.entity) {
                if self.overridden.contains(&touched.index) {
                    update::pretend(node, &touched.target, link);
                    continue;
                }
                if node.is_rewritten {
                    had_matrix &= entry.get_component::<LocalToWorld>().is_ok();
                }
                if !had_matrix {
                    came_back.insert(node.entity);
                }
                report.written += usize::from(update::update(node, entry, &touched.target, link));
            } else {
                report.spawned += 1;
                if node.spawned {
                    came_back.insert(node.entity);
                }
                spawn.add(node, touched.index, touched.target, link);
            }
        }
        spawn.into_world(world);
        self.link_again(&came_back, world);
        report
    }

    /// Links the children of parents that were despawned by the user, or had no matrix, and are
    /// there again: if the bundle ran in between, it removed the children's `Parent`.
    fn link_again(&self, parents: &HashSet<Entity>, world: &mut World) {
        if parents.is_empty() {
            return;
        }
        for (index, node) in self.nodes.iter() {
            if let Form::Linked(parent) = node.form
                && parents.contains(&parent)
                && !self.overridden.contains(&index)
                && let Some(mut entry) = world.entry(node.entity)
                && entry.get_component::<Parent>().is_err()
            {
                update::set_parent(&mut entry, parent);
            }
        }
    }

    /// The entity that becomes a node's parent.
    fn link(&self, index: NodeIndex) -> Option<Entity> {
        let node = &self.nodes[index];
        if node.parent == NONE || node.cyclic {
            self.options.root
        } else {
            Some(self.nodes[node.parent].entity)
        }
    }
}
