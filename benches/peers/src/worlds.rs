//! As many worlds as the workload says, each with the same nodes.

use crate::{
    competitor::Competitor,
    workloads::{Edit, Scene},
};

/// A competitor's worlds.
pub struct Worlds<C>(Vec<C>);

impl<C: Competitor> Worlds<C> {
    /// All but the nodes.
    pub fn new(scene: &Scene) -> Self {
        Self((0..scene.workload.worlds).map(|_| C::new(scene)).collect())
    }

    pub fn spawn(&mut self, scene: &Scene) {
        self.0.iter_mut().for_each(|world| world.spawn(scene));
    }

    pub fn prepare(&mut self, scene: &Scene, edit: &Edit) {
        self.0.iter_mut().for_each(|world| world.prepare(scene, edit));
    }

    pub fn edit(&mut self, scene: &Scene, edit: &Edit) {
        self.0.iter_mut().for_each(|world| world.edit(scene, edit));
    }

    pub fn run(&mut self) {
        C::run_all(&mut self.0);
    }

    pub fn end_frame(&mut self) {
        self.0.iter_mut().for_each(C::end_frame);
    }

    /// A node's world matrix; no number, if the worlds do not agree.
    pub fn matrix(&self, node: usize) -> [f32; 16] {
        let matrix = self.0[0].matrix(node);
        if self.0.iter().all(|world| world.matrix(node) == matrix) {
            matrix
        } else {
            [f32::NAN; 16]
        }
    }

    pub fn ways(&self) -> usize {
        self.0[0].ways()
    }

    pub fn choose(&mut self, way: usize) {
        self.0.iter_mut().for_each(|world| world.choose(way));
    }

    pub fn way(&self) -> String {
        self.0[0].way()
    }
}
