//! What a competitor has to be able to do to be measured.

use crate::{
    places::Places,
    workloads::{Edit, LegionWorld, Means, Scene},
};

/// A transform system with a scene in it.
pub trait Competitor: Sized {
    /// Where its threads are.
    const PLACES: Places;

    /// All but the nodes.
    fn new(scene: &Scene) -> Self;
    /// Puts the scene's nodes in; nothing has run yet.
    fn spawn(&mut self, scene: &Scene);
    /// Gets ready for a change like this one, like a program that makes it every tick. Not timed.
    fn prepare(&mut self, _scene: &Scene, _edit: &Edit) {}
    /// Makes the scene's changes: timed as the edit.
    fn edit(&mut self, scene: &Scene, edit: &Edit);
    /// Brings all world matrices up to date: timed as the tick.
    fn run(&mut self);
    /// The same in several worlds.
    fn run_all(worlds: &mut [Self]) {
        worlds.iter_mut().for_each(Self::run);
    }
    /// What a frame ends with, and is not timed.
    fn end_frame(&mut self) {}
    /// A node's world matrix, column by column.
    fn matrix(&self, node: usize) -> [f32; 16];
    /// Does it in another way from now on. Returns what the way is called, if there are so many.
    fn choose(&mut self, way: usize) -> Option<String>;
}

impl Competitor for LegionWorld {
    const PLACES: Places = Places::BesideCaller;

    fn new(scene: &Scene) -> Self {
        Self::empty(scene)
    }

    fn spawn(&mut self, scene: &Scene) {
        self.spawn(scene);
    }

    fn prepare(&mut self, scene: &Scene, edit: &Edit) {
        self.prepare(scene, edit);
    }

    fn edit(&mut self, scene: &Scene, edit: &Edit) {
        self.edit(scene, edit);
    }

    fn run(&mut self) {
        self.run();
    }

    fn run_all(worlds: &mut [Self]) {
        Self::run_all(worlds);
    }

    fn matrix(&self, node: usize) -> [f32; 16] {
        self.matrix(node)
    }

    fn choose(&mut self, way: usize) -> Option<String> {
        self.means = *self.all_means().get(way)?;
        Some(match self.means {
            Means::Directly => String::new(),
            means => format!("{means:?}").to_lowercase(),
        })
    }
}
