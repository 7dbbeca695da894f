//! The reference: hand-written passes over flat arrays, which write world matrices and nothing
//! else. It knows in advance what an ECS has to find out (where everything is, and from its caller
//! what has changed), so it is the floor, not a design.

mod changes;
mod columns;
mod kernels;
mod plan;

use std::ops::Range;

use changes::{Changes, next_flag};
use columns::{Columns, Pass, View};
use kernels::Kernel;
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
    changes: Changes,
    ways: Vec<Way>,
    way: usize,
}

#[derive(Clone, Copy)]
struct Way {
    kernel: Kernel,
    parallel: bool,
}

impl Limit {
    /// Whether it can do this, and something is to be learnt of it.
    pub fn takes(workload: &Workload) -> bool {
        let layout = matches!(workload.layout, Layout::Together | Layout::MoversApart);
        layout
            && workload.shape != Shape::Vehicles
            && !workload.is_scattered
            && workload.worlds == 1
    }
}

impl Competitor for Limit {
    const PLACES: Places = Places::InsteadOfCaller;

    fn new(scene: &Scene) -> Self {
        let plan = Plan::new(scene, worker::threads());
        let changes = Changes::new(&plan, scene.len());
        let kernels = kernels::available();
        let parallel = if worker::threads() > 1 { [false, true].as_slice() } else { &[false] };
        let ways = parallel
            .iter()
            .flat_map(|&parallel| kernels.iter().map(move |&kernel| Way { kernel, parallel }))
            .collect();
        Self { columns: Columns::empty(), plan, changes, ways, way: 0 }
    }

    fn spawn(&mut self, scene: &Scene) {
        self.columns = Columns::new(scene);
        self.changes.everything = true;
    }

    fn edit(&mut self, scene: &Scene, edit: &Edit) {
        match edit {
            // It has no entities but nodes.
            Edit::Nothing | Edit::WriteUsers => {}
            Edit::Both(edits) => edits.iter().for_each(|edit| self.edit(scene, edit)),
            Edit::MoveAll => {
                (0..scene.len()).for_each(|node| self.columns.set(node, &scene.trs(node as u32)));
                self.changes.everything = true;
            }
            // The one root there is: everything is below it.
            Edit::Move(nodes) if nodes == &[0] && self.plan.roots == 1 => {
                self.columns.set(0, &scene.trs(0));
                self.changes.everything = true;
            }
            Edit::Move(nodes) => {
                for &node in nodes {
                    self.columns.set(node as usize, &scene.trs(node));
                    self.changes.mark(node as usize);
                }
            }
            Edit::Respawn(Respawn { tops, below, .. }) => {
                below.iter().for_each(|&node| self.columns.set(node as usize, &scene.trs(node)));
                for &node in tops {
                    self.columns.set(node as usize, &scene.trs(node));
                    self.columns.parents[node as usize] = scene.parents[node as usize];
                    self.changes.mark(node as usize); // and all below it
                }
            }
            Edit::Reparent(nodes) => {
                for &node in nodes {
                    self.columns.parents[node as usize] = scene.parents[node as usize];
                    self.changes.mark(node as usize);
                }
            }
        }
    }

    fn run(&mut self) {
        let Way { kernel, parallel } = self.ways[self.way];
        let run = Run { view: self.columns.view(), plan: &self.plan, kernel };
        if std::mem::take(&mut self.changes.everything) {
            run.everything(parallel);
        } else {
            run.changed(&mut self.changes, parallel);
        }
    }

    fn matrix(&self, node: usize) -> [f32; 16] {
        self.columns.worlds[node].0
    }

    fn ways(&self) -> usize {
        self.ways.len()
    }

    fn choose(&mut self, way: usize) {
        self.way = way;
    }

    fn way(&self) -> String {
        let Way { kernel, parallel } = self.ways[self.way];
        format!("{} x{}", kernel.name, if parallel { worker::threads() } else { 1 })
    }
}

/// One tick's view of it all.
struct Run<'a> {
    view: View,
    plan: &'a Plan,
    kernel: Kernel,
}

impl Run<'_> {
    fn pass(&self, pass: Pass, nodes: Range<usize>) {
        // SAFETY: the columns are borrowed by the tick, ranges come from the plan, pieces that run
        // beside each other share no nodes, and parents outside a piece are of the head, which is
        // done.
        unsafe { pass(&self.view, nodes) };
    }

    fn everything(&self, parallel: bool) {
        self.pass(self.kernel.propagate, self.plan.head.clone());
        if parallel {
            self.plan.pieces.par_iter().with_max_len(1).for_each(|piece| self.piece(piece.clone()));
        } else {
            self.plan.pieces.iter().for_each(|piece| self.piece(piece.clone()));
        }
    }

    fn piece(&self, piece: Range<usize>) {
        let groups = |piece: Range<usize>| {
            self.plan.groups[piece.start].start..self.plan.groups[piece.end - 1].end
        };
        match &self.plan.order {
            Order::Flat => self.pass(self.kernel.compose, groups(piece)),
            Order::DepthFirst { .. } => self.pass(self.kernel.propagate, groups(piece)),
            Order::BreadthFirst { first_child } => self.with_all_below(first_child, piece),
        }
    }

    fn with_all_below(&self, first_child: &[u32], mut level: Range<usize>) {
        while !level.is_empty() {
            let below = first_child[level.start] as usize..first_child[level.end] as usize;
            let pass = if below.is_empty() { self.kernel.leaves } else { self.kernel.propagate };
            self.pass(pass, level);
            level = below;
        }
    }

    fn changed(&self, changes: &mut Changes, parallel: bool) {
        let Changes { groups: group_flags, nodes: flags, .. } = changes;
        let cut = parallel && !matches!(self.plan.order, Order::BreadthFirst { .. });
        if !cut {
            return self.changed_groups(&self.plan.groups, group_flags, flags);
        }
        // A piece takes its own flags along.
        let (mut group_flags, mut flags) = (group_flags.as_mut_slice(), flags.as_mut_slice());
        let mut pieces = Vec::with_capacity(self.plan.pieces.len());
        for piece in &self.plan.pieces {
            let groups = &self.plan.groups[piece.clone()];
            let nodes = groups.iter().map(Range::len).sum();
            let (own_groups, own_nodes);
            (own_groups, group_flags) = group_flags.split_at_mut(groups.len());
            (own_nodes, flags) = flags.split_at_mut(nodes);
            pieces.push((groups, own_groups, own_nodes));
        }
        pieces.into_par_iter().with_max_len(1).for_each(|(groups, group_flags, flags)| {
            self.changed_groups(groups, group_flags, flags);
        });
    }

    /// Computes the flagged nodes and all below them, and clears the flags. Both kinds of flags
    /// begin with the first group.
    fn changed_groups(&self, groups: &[Range<usize>], group_flags: &mut [u8], flags: &mut [u8]) {
        let first = groups[0].start;
        let mut single = Scattered::new(self);
        let mut number = 0;
        while let Some(next) = next_flag(&group_flags[number..]) {
            number += next;
            group_flags[number] = 0;
            let group = &groups[number];
            let own = group.start - first..group.end - first;
            let mut node = own.start;
            while let Some(next) = next_flag(&flags[node..own.end]) {
                node = self.subtree(node + next + first, &mut single) - first;
            }
            flags[own].fill(0);
            number += 1;
        }
        single.compute();
    }

    /// Computes a node and all below it, those without children later, and says where to look on.
    fn subtree(&self, node: usize, single: &mut Scattered<'_>) -> usize {
        match &self.plan.order {
            Order::DepthFirst { ends } => {
                let end = ends[node] as usize;
                self.pass(self.kernel.propagate, node..end);
                return end;
            }
            Order::BreadthFirst { first_child } if first_child[node] < first_child[node + 1] => {
                self.with_all_below(first_child, node..node + 1);
            }
            Order::Flat | Order::BreadthFirst { .. } => single.add(node),
        }
        node + 1
    }
}

/// Nodes that no other waits for, collected so that their columns can be fetched ahead.
struct Scattered<'a> {
    run: &'a Run<'a>,
    nodes: [u32; 256],
    count: usize,
}

impl<'a> Scattered<'a> {
    fn new(run: &'a Run<'a>) -> Self {
        Self { run, nodes: [0; 256], count: 0 }
    }

    fn add(&mut self, node: usize) {
        self.nodes[self.count] = node as u32;
        self.count += 1;
        if self.count == self.nodes.len() {
            self.compute();
        }
    }

    fn compute(&mut self) {
        let nodes = &self.nodes[..std::mem::take(&mut self.count)];
        // SAFETY: as in `Run::pass`; the parents of the nodes are computed already, or no nodes of
        // this tick.
        unsafe { (self.run.kernel.scattered)(&self.run.view, nodes) };
    }
}
