//! How a scene changes from tick to tick.

use super::{
    kind::batches,
    scene::{Edit, Respawn, Scene},
    shape::NO_PARENT,
    skeleton::BONES,
    workload::{BULLET_TICKS, Change, Shape},
};

impl Scene {
    /// Changes the scene as its workload says.
    pub fn advance(&mut self) -> Edit {
        self.tick += 1;
        let edit = self.change();
        match self.workload.after_write {
            true => Edit::Both(Box::new([Edit::WriteUsers, edit])),
            false => edit,
        }
    }

    fn change(&mut self) -> Edit {
        match self.workload.change {
            Change::Nothing | Change::Spawn => Edit::Nothing,
            Change::Everything => {
                self.posed.fill(self.tick as u32);
                Edit::MoveAll
            }
            Change::Reparent => self.reparent((self.len() - self.roots()) / 100),
            Change::ReparentSome(count) => self.reparent(count),
            Change::Respawn => {
                let (roots, count) = (self.roots(), self.roots().div_ceil(100));
                let first = self.tick * count;
                let tops = (first..first + count).map(|root| (root % roots) as u32);
                self.respawn_families(tops.collect())
            }
            Change::RespawnSpread => {
                let roots = self.roots();
                let tops = self.random.distinct(roots.div_ceil(100), 0..roots);
                self.respawn_families(tops)
            }
            Change::RespawnLeaves => {
                let roots = self.roots();
                let leaves = if roots < self.len() { roots..self.len() } else { 0..roots };
                let tops = self.random.distinct(leaves.len() / 100, leaves);
                self.respawn(tops, Vec::new())
            }
            Change::Bullets(each) => self.shoot(each),
            // Of all others the movers are known, in sets that take turns.
            _ => {
                let movers = self.movers[self.tick % self.movers.len()].clone();
                self.pose(&movers);
                Edit::Move(movers)
            }
        }
    }

    fn pose(&mut self, nodes: &[u32]) {
        nodes.iter().for_each(|&node| self.posed[node as usize] = self.tick as u32);
    }

    /// Children of roots get other roots.
    fn reparent(&mut self, count: usize) -> Edit {
        let roots = self.roots();
        let each = if self.workload.shape == Shape::Vehicles { BONES } else { 1 };
        let of = (self.len() - roots) / each;
        let children: Vec<u32> =
            (0..count).map(|_| (roots + self.random.below(of) * each) as u32).collect();
        for &child in &children {
            let old = self.parents[child as usize] as usize;
            self.parents[child as usize] =
                ((old + 1 + self.random.below(roots - 1)) % roots) as u32;
        }
        Edit::Reparent(children)
    }

    fn respawn_families(&mut self, tops: Vec<u32>) -> Edit {
        let roots = self.roots();
        let size = (self.len() - roots) / roots;
        let first = |root: u32| (roots + root as usize * size) as u32;
        let below = tops.iter().flat_map(|&root| first(root)..first(root) + size as u32).collect();
        self.respawn(tops, below)
    }

    /// The oldest bullets end, and new ones begin.
    fn shoot(&mut self, each: usize) -> Edit {
        let first = self.workload.passing(self.len()).start + self.tick % BULLET_TICKS * each;
        let roots = self.roots();
        for node in first..first + each {
            if self.parents[node] != NO_PARENT {
                self.parents[node] = self.random.below(roots) as u32;
            }
        }
        self.respawn((first as u32..(first + each) as u32).collect(), Vec::new())
    }

    fn respawn(&mut self, tops: Vec<u32>, below: Vec<u32>) -> Edit {
        self.pose(&tops);
        self.pose(&below);
        let of = |nodes: &[u32]| batches(&self.kinds, nodes.iter().copied());
        let batches = [of(&tops), of(&below)].concat();
        Edit::Respawn(Respawn { tops, below, batches })
    }
}
