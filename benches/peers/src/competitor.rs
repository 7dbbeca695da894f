//! What a competitor has to be able to do to be measured.

use crate::{
    places::Places,
    workloads::{Edit, LegionWorld, Scene},
};

/// A transform system with a scene in it.
pub trait Competitor {
    /// Where its threads are.
    const PLACES: Places;

    /// All but the nodes.
    fn new(scene: &Scene) -> Self
    where
        Self: Sized;
    /// Puts the scene's nodes in; nothing has run yet.
    fn spawn(&mut self, scene: &Scene);
    /// Changes what the scene changed.
    fn edit(&mut self, scene: &Scene, edit: &Edit);
    /// Brings all world matrices up to date. This alone is timed.
    fn run(&mut self);
    /// What a frame ends with, and nobody times.
    fn end_frame(&mut self) {}
    /// A node's world matrix, column by column.
    fn matrix(&self, node: usize) -> [f32; 16];
    /// In how many ways it can do it.
    fn ways(&self) -> usize {
        1
    }
    /// Does it in that way from now on.
    fn choose(&mut self, _way: usize) {}
    /// What the chosen way is called.
    fn way(&self) -> String {
        String::new()
    }
}

impl Competitor for LegionWorld {
    const PLACES: Places = Places::BesideCaller;

    fn new(scene: &Scene) -> Self {
        Self::empty(scene)
    }

    fn spawn(&mut self, scene: &Scene) {
        self.spawn(scene);
    }

    fn edit(&mut self, scene: &Scene, edit: &Edit) {
        self.edit(scene, edit);
    }

    fn run(&mut self) {
        self.run();
    }

    fn matrix(&self, node: usize) -> [f32; 16] {
        self.matrix(node)
    }
}
