//! The reference: hand-written passes over flat arrays, which write world matrices and nothing
//! else. It knows in advance what an ECS has to find out (where everything is, and from its caller
//! what has changed), so it is the floor, not a design.

mod columns;
mod kernels;
mod plan;

use std::ops::Range;

use columns::{Columns, Pass, View};
use kernels::{KERNELS, Kernel};
use plan::{Order, Plan};
use rayon::prelude::*;

use crate::{
    competitor::Competitor,
    places::Places,
    worker,
    workloads::{Edit, Layout, Respawn, Scene, Shape, Workload},
};

/// Flat arrays, and all ways to compute them.
pub struct Limit {
    columns: Columns,
    plan: Plan,
    /// Everything is to be computed.
    everything: bool,
    /// Otherwise these nodes, and all below them.
    changed: Vec<u32>,
    kernel: Kernel,
    threads: usize,
}

impl Limit {
    /// Whether it can do this, and something is to be learnt of it.
    pub fn takes(workload: &Workload) -> bool {
        is_x86_feature_detected!("avx2")
            && matches!(workload.layout, Layout::Together | Layout::MoversApart)
            && workload.shape != Shape::Vehicles
            && !workload.is_scattered
            && workload.worlds == 1
    }

    fn set(&mut self, scene: &Scene, nodes: impl IntoIterator<Item = u32>) {
        nodes.into_iter().for_each(|node| self.columns.set(node as usize, &scene.trs(node)));
    }

    fn link(&mut self, scene: &Scene, nodes: &[u32]) {
        for &node in nodes {
            self.columns.parents[node as usize] = scene.parents[node as usize];
        }
    }

    /// Notes changed nodes, each once. In breadth-first order those without children come last;
    /// depth first, subtrees take along what is below their tops.
    fn mark(&mut self, nodes: &[u32]) {
        self.changed.extend(nodes);
        self.changed.sort_unstable();
        self.changed.dedup();
        match &self.plan.order {
            Order::Flat => {}
            Order::BreadthFirst { first_child } => {
                self.changed.sort_by_key(|&node| is_leaf(first_child, node));
            }
            Order::DepthFirst { ends } => {
                let mut end = 0;
                self.changed.retain(|&node| {
                    let is_top = node >= end;
                    end = if is_top { ends[node as usize] } else { end };
                    is_top
                });
            }
        }
    }
}

fn is_leaf(first_child: &[u32], node: u32) -> bool {
    first_child[node as usize] == first_child[node as usize + 1]
}

impl Competitor for Limit {
    const PLACES: Places = Places::InsteadOfCaller;

    fn new(scene: &Scene) -> Self {
        let (columns, changed) = (Columns::default(), Vec::new());
        let (plan, kernel) = (Plan::new(scene, worker::threads()), KERNELS[0]);
        Self { columns, plan, everything: true, changed, kernel, threads: 1 }
    }

    fn spawn(&mut self, scene: &Scene) {
        self.columns = Columns::new(scene);
    }

    fn edit(&mut self, scene: &Scene, edit: &Edit) {
        match edit {
            // It has no entities but nodes.
            Edit::Nothing | Edit::WriteUsers => {}
            Edit::Both(edits) => edits.iter().for_each(|edit| self.edit(scene, edit)),
            Edit::MoveAll => {
                self.set(scene, 0..scene.len() as u32);
                self.everything = true;
            }
            Edit::Move(nodes) => {
                self.set(scene, nodes.iter().copied());
                // Everything is below the one root there is.
                self.everything |= nodes == &[0] && self.plan.roots == 1;
                self.mark(nodes);
            }
            Edit::Respawn(Respawn { tops, below, .. }) => {
                self.set(scene, tops.iter().chain(below).copied());
                self.link(scene, tops);
                self.mark(tops);
            }
            Edit::Reparent(nodes) => {
                self.link(scene, nodes);
                self.mark(nodes);
            }
        }
    }

    fn run(&mut self) {
        let Self { plan, kernel, threads, .. } = self;
        let run = Run { view: self.columns.view(), plan, kernel, threads: *threads };
        if std::mem::take(&mut self.everything) {
            run.everything();
        } else {
            run.changed(&self.changed);
        }
        self.changed.clear();
    }

    fn matrix(&self, node: usize) -> [f32; 16] {
        self.columns.worlds[node].0
    }

    fn choose(&mut self, way: usize) -> Option<String> {
        // Each kernel on one thread, and then each on all.
        let mut counts = vec![1, worker::threads()];
        counts.dedup();
        self.threads = *counts.get(way / KERNELS.len())?;
        self.kernel = KERNELS[way % KERNELS.len()];
        Some(format!("{} x{}", self.kernel.name, self.threads))
    }
}

/// One tick's view of it all.
struct Run<'a> {
    view: View,
    plan: &'a Plan,
    kernel: &'a Kernel,
    threads: usize,
}

impl Run<'_> {
    /// On one thread or on all.
    fn each<T: Sync + ?Sized>(&self, pieces: &[&T], work: impl Fn(&T) + Sync) {
        if self.threads > 1 {
            pieces.par_iter().with_max_len(1).for_each(|piece| work(piece));
        } else {
            pieces.iter().for_each(|piece| work(piece));
        }
    }

    fn pass(&self, pass: Pass, nodes: Range<usize>) {
        // SAFETY: the columns are borrowed by the tick, ranges come from the plan, pieces that run
        // beside each other share no nodes, and parents outside a piece are of the head, which is
        // done.
        unsafe { pass(&self.view, nodes) };
    }

    /// Nodes that no other waits for.
    fn scattered(&self, nodes: &[u32]) {
        // SAFETY: as above; the parents of the nodes are computed already, or no nodes of this
        // tick.
        unsafe { (self.kernel.scattered)(&self.view, nodes) };
    }

    fn everything(&self) {
        self.pass(self.kernel.propagate, self.plan.head.clone());
        let pieces: Vec<&Range<usize>> = self.plan.pieces.iter().collect();
        self.each(&pieces, |piece| match &self.plan.order {
            Order::Flat => self.pass(self.kernel.compose, piece.clone()),
            Order::DepthFirst { .. } => self.pass(self.kernel.propagate, piece.clone()),
            Order::BreadthFirst { first_child } => self.with_all_below(first_child, piece.clone()),
        });
    }

    fn with_all_below(&self, first_child: &[u32], mut level: Range<usize>) {
        while !level.is_empty() {
            let below = first_child[level.start] as usize..first_child[level.end] as usize;
            let pass = if below.is_empty() { self.kernel.leaves } else { self.kernel.propagate };
            self.pass(pass, level);
            level = below;
        }
    }

    /// Computes these nodes and all below them.
    fn changed(&self, nodes: &[u32]) {
        let pieces: Vec<&[u32]> =
            nodes.chunks(nodes.len().div_ceil(self.threads * 4).max(16)).collect();
        match &self.plan.order {
            Order::Flat => self.each(&pieces, |nodes| self.scattered(nodes)),
            Order::DepthFirst { ends } => self.each(&pieces, |nodes| {
                for &node in nodes {
                    self.pass(self.kernel.propagate, node as usize..ends[node as usize] as usize);
                }
            }),
            // On one thread: a node may be below another one.
            Order::BreadthFirst { first_child } => {
                let leaves = nodes.partition_point(|&node| !is_leaf(first_child, node));
                for &node in &nodes[..leaves] {
                    self.with_all_below(first_child, node as usize..node as usize + 1);
                }
                self.scattered(&nodes[leaves..]);
            }
        }
    }
}
