//! The hierarchy: from the `Parent`s that users write to the [forest](super::forest),
//! `PreviousParent` and `Children`.
//!
//! A *link* is an entity's relation to its parent. A pass has four phases:
//!
//! ```text
//! diff       who came, who left, and whose `Parent` is different from before         Diff
//! resolve    whose link changes, and which of them are on a cycle                    LinkChanges
//! apply      subtrees of the forest get other slots, are inserted and removed
//! publish    `Children` and `PreviousParent` are written in place                    Commands
//! ```
//!
//! It costs O(n) for n rows that changed, their subtrees, and their ancestors, which the search for
//! cycles walks.
//!
//! # One pass, with numbers
//!
//! A user writes `Parent(venus)` into `mars`. `1:0` is row 0 of archetype 1.
//!
//! ```text
//!  before           after                entity   components          row    slot
//!   sun              sun                 sun      Children            0:0    0
//!   ├─ mars          └─ venus            mars     Parent, Children    1:0    1
//!   │  ├─ moon          └─ mars          moon     Parent              2:0    2
//!   │  └─ io               ├─ moon       io       Parent              2:1    3
//!   └─ venus               └─ io         venus    Parent              2:2    4
//!
//!  diff       1:0 is re-parented: `Parent` is venus, `PreviousParent` is sun
//!  resolve    1:0 becomes a child of 2:2; the link of sun and mars is cut; no cycle
//!  apply      slots 1, 2 and 3 are freed; mars, moon and io get slots 5, 6 and 7
//!  publish    sun's `Children` lose mars; mars' `PreviousParent` is venus;
//!             a command gives `Children` to venus
//! ```
//!
//! A command migrates an entity to a different archetype: here venus comes to row 1:1, and the next
//! look gives this row to slot 4. It needs no second pass. Debug builds make one, and assert that
//! no link changes in it.

mod apply;
mod change;
mod compare;
mod cycles;
mod diff;
mod publish;
mod resolve;
mod waiting;

use std::sync::Arc;

use legion::{Entity, World};

pub(crate) use self::publish::Commands;
use self::{
    change::{LinkChange, Read, RowIndex},
    diff::DeadNode,
    waiting::Waiting,
};
use crate::{
    engine::{
        forest::{Forest, NONE},
        machine::Machine,
        meaning::WorldOptions,
        storage::{ChangeTracker, Columns, Mask},
    },
    findings::Finding,
};

/// Slots up to which debug builds validate the forest after every pass.
#[cfg(debug_assertions)]
const VALIDATED: usize = 4096;

/// The hierarchy of a world, and the state that a pass keeps for the next one.
#[derive(Default)]
pub(crate) struct Hierarchy {
    /// Whether no pass has ended yet.
    is_new: bool,
    options: Arc<WorldOptions>,
    pub forest: Forest,
    /// The entities on cycles, in the order of their ids.
    pub cyclic: Vec<Entity>,
    /// Children whose parents have not come, or have no `LocalToWorld` yet.
    pub waiting: Waiting,
    /// The entities that came since the last pass with none of the crate's components, if children
    /// wait that one of them may be the parent of.
    pub came_bare: Vec<Entity>,
    /// Entities that migrate unseen, or as a whole archetype, with the slots of their nodes.
    lifted: Vec<(Entity, u32)>,
    /// The mistakes that were repaired since they were last taken.
    pub repaired: Vec<Finding>,
    /// The number of links made or cut since it was last taken.
    pub relinked: usize,
    /// The entities whose links changed since they were last taken, if there are properties: their
    /// values follow the links.
    pub changed_links: Vec<Entity>,
    /// From rows to indices. Looking for cycles enters the changes of the pass, and `apply` adds
    /// the nodes that go with them.
    index_by_row: RowIndex,
}

impl Hierarchy {
    pub fn new(options: Arc<WorldOptions>) -> Self {
        Self { is_new: true, options, ..Self::default() }
    }

    /// Whether a pass may find anything, besides dead nodes: a relation was written, entities came
    /// to or left archetypes with relations, or some wait. A turned `Rotation` needs no
    /// pass.
    fn is_concerned(&self, tracker: &ChangeTracker) -> bool {
        let mut related = tracker.having(Mask::RELATIONS);
        related.any(|index| tracker[index].is_changed(Mask::RELATIONS)) || !self.waiting.is_empty()
    }

    /// Follows the last look: one pass, unless nothing concerns it. Returns the commands that
    /// follow.
    ///
    /// The phases read each other's results and nothing later: `resolve` sees the forest before
    /// the pass, `publish` sees it after.
    pub fn pass(
        &mut self,
        world: &mut World,
        tracker: &mut ChangeTracker,
        machine: &Machine,
    ) -> Commands {
        let mut columns = Columns::new(world);
        let dead = tracker.dead().filter(|&(_, slot)| slot != NONE);
        let dead: Vec<_> = dead.map(|(entity, slot)| DeadNode { entity, slot }).collect();
        let (mut changes, mut commands) = (Vec::new(), Commands::default());
        if !dead.is_empty() || self.is_concerned(tracker) {
            (changes, commands) = self.run_pass(&mut columns, tracker, machine, dead);
        }
        tracker.end_pass(changes.iter().map(|change| change.row));
        self.came_bare.clear();
        self.is_new = false;
        commands
    }

    /// After the commands of a pass and a look, a second pass changes no link.
    #[cfg(debug_assertions)]
    pub fn assert_settled(
        &mut self,
        world: &mut World,
        tracker: &mut ChangeTracker,
        machine: &Machine,
    ) {
        if self.forest.slots_len() <= VALIDATED {
            let (relinked, links) = (self.relinked, self.forest.pairs());
            _ = std::mem::take(&mut tracker.calls);
            _ = self.pass(world, tracker, machine);
            assert_eq!(links, self.forest.pairs(), "one pass leaves no link to change");
            self.relinked = relinked;
        }
    }

    fn run_pass(
        &mut self,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        machine: &Machine,
        dead: Vec<DeadNode>,
    ) -> (Vec<LinkChange>, Commands) {
        let read = Read { columns, tracker };
        let diff = self.diff(read, machine, dead);
        let mut changes = self.resolve(read, &diff);
        if !tracker.calls.is_empty() {
            let place = |change: &LinkChange| tracker.calls.place(columns.entity(change.row));
            changes.list.sort_by_cached_key(place);
        }
        // A dead child counts as one cut link. The changes of its children are in the list.
        self.relinked += changes.list.len()
            + diff.dead.iter().filter(|dead| self.forest.has_link(dead.slot)).count();
        self.close_cycles(columns, &mut changes);
        if !self.options.effective.is_empty() {
            let rows = changes.list.iter().map(|change| change.row);
            self.changed_links.extend(rows.filter_map(|row| tracker.entity(row)));
        }
        self.apply(columns, &changes, &diff);
        let commands = self.publish(columns, tracker, machine, &changes, &diff);
        self.remove_unneeded(&changes);
        self.index_by_row.end_pass();
        if self.forest.is_fragmented() {
            self.forest.rebuild();
        }
        #[cfg(debug_assertions)]
        if self.forest.slots_len() <= VALIDATED {
            self.forest.validate();
        }
        (changes.list, commands)
    }
}
