//! How a history shrinks.

use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest_state_machine::strategy::SequentialValueTree;

use super::{history::History, model::Model, moves::Move};

type Tree<T> = <BoxedStrategy<T> as Strategy>::Tree;
type Inner = SequentialValueTree<Model, Move, Tree<Model>, Tree<Move>>;

/// A history that can be shrunk: the sequence of `proptest-state-machine`, whose edits are
/// replaced by what is left of them.
pub struct HistoryTree {
    inner: Inner,
    /// Counts the transitions that a test has taken, until the first one that fails.
    seen: RefCell<Option<Arc<AtomicUsize>>>,
}

impl HistoryTree {
    pub(super) fn new(inner: Inner) -> Self {
        Self { inner, seen: RefCell::new(None) }
    }
}

impl ValueTree for HistoryTree {
    type Value = History;

    fn current(&self) -> History {
        // The inner one wants to be asked before the test counts.
        let taken = self.seen.borrow().as_ref().map(|seen| seen.swap(0, Ordering::SeqCst));
        let (model, transitions, seen) = self.inner.current();
        if let (Some(seen), Some(taken)) = (&seen, taken) {
            seen.store(taken, Ordering::SeqCst);
        }
        self.seen.replace(seen.clone());
        History::new(model, &transitions, seen)
    }

    fn simplify(&mut self) -> bool {
        // A test that did not play the history has seen all of it.
        if let Some(seen) = self.seen.take()
            && seen.load(Ordering::SeqCst) == 0
        {
            seen.store(usize::MAX, Ordering::SeqCst);
        }
        self.inner.simplify()
    }

    fn complicate(&mut self) -> bool {
        self.inner.complicate()
    }
}
