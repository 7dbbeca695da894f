//! From parents to children: world matrices (`worlds`), and properties of users' own (`values`).
//!
//! Walks the forest's preorder by slots. A world is computed if its node is *dirty* or if the
//! parent's world changed in this run. A result with the same bits as before ends the descent. A
//! node that is *moved* has its world already: the descent goes on below it. All other nodes are
//! skipped. With values it is the same. With the drawing of
//! [`forest`](crate::engine::forest), when mars was turned:
//!
//! ```text
//! slot      0     1      2      3      4      5      6
//! entity    sun   mars   moon   io     -      ship   crew
//! marked          dirty
//! visited         yes    yes    yes
//! ```
//!
//! The search for marks finds slot 1. Its world differs, so `below` becomes 4, the end of its
//! extent: slots 2 and 3 are visited without a search. At slot 4 the search goes on, and finds no
//! mark.
//!
//! A long range is split at subtrees, for threads (`work_queue`). A world depends on the parent's
//! world and the node's own local matrix only, so each split gives the same bits.
mod consecutive;
mod matrices;
mod nodes;
mod values;
#[cfg(feature = "parallel")]
mod work_queue;
mod worlds;

use nodes::Slots;

pub(crate) use self::{values::Property, worlds::propagate};
use crate::engine::{
    forest::{Forest, SubtreeRange},
    parallel,
};

/// What a propagation brings from parents to children.
trait Descent: Sync {
    /// Computes a thread's slots. Returns the new [`below`](Slots::below), which may lie behind the
    /// end: with `end` 3 in the drawing above, 4 is returned, and the next call starts with it.
    fn compute(&self, slots: Slots<'_>) -> u32;
}

/// One propagation, shared by all threads.
struct Propagation<'a, J> {
    forest: &'a mut Forest,
    #[cfg_attr(not(feature = "parallel"), expect(dead_code, reason = "no work is spread"))]
    threads: &'a parallel::Threads,
    job: J,
}

impl<'a, J: Descent> Propagation<'a, J> {
    /// Computes one segment after another. An extent that stands apart from its parent is in a
    /// later segment than the parent, so the parent's result is final when the extent is woken.
    /// Returns the job.
    fn run(forest: &'a mut Forest, threads: &'a parallel::Threads, job: J) -> J {
        forest.begin_propagation();
        let propagation = Self { forest, threads, job };
        for segment in 0..propagation.forest.segments() {
            if segment > 0 {
                propagation.forest.wake_segment(segment);
            }
            propagation.segment(propagation.forest.segment(segment));
        }
        propagation.job
    }

    fn segment(&self, range: SubtreeRange) {
        #[cfg(feature = "parallel")]
        if let Some(threads) = self.paying(range) {
            return self.spread(range, threads);
        }
        self.compute(range.start(), range.end(), range.start());
    }

    /// [`Descent::compute`] for the slots from `start` to `end`, which this thread alone computes.
    /// Those before `below` are below a changed node.
    fn compute(&self, start: u32, end: u32, below: u32) -> u32 {
        let last = start.wrapping_sub(1);
        self.job.compute(Slots { forest: self.forest.propagation(), last, end, below })
    }
}
