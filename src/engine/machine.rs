//! What a run computes with: an instruction set, threads, and accelerators.
//!
//! The *core* computes the results. An *accelerator* is one file or folder whose head begins `//!
//! Accelerator:` and says what it saves. The files of one mechanism share a switch:
//!
//! ```text
//!  if machine.uses(Accelerator::Lose) { lose(list, lost) } else { list.retain(..) }
//!     ^ the switch                ^ the accelerator         ^ the core: the same list, slower
//! ```
//!
//! The bits are the same with any of them off: `tests/runs/model` checks it.

use super::{parallel, simd::Isa};

/// A mechanism that only makes a run faster.
#[derive(Clone, Copy)]
pub(crate) enum Accelerator {
    /// Insertions and edits in place are distinguished from writes (`storage/closing.rs`,
    /// `storage/tracker/edits.rs`). Without it, every column of an archetype that entities came to
    /// or that an edit wrote counts as written.
    Closing,
    /// Whole archetypes get the components that they lack at once (`bulk/`). Without it, entities
    /// get them one by one. A bundle that inherits values never does without it.
    Bulk,
    /// Links are compared eight rows at a time (`hierarchy/compare.rs`). Without it, the forest is
    /// asked about each row.
    Compare,
    /// Children that leave a long list are found by hashing (`hierarchy/publish/lose.rs`). Without
    /// it, each child of the list is compared with all that leave.
    Lose,
    /// Inputs are compared with a copy, to compose only the rows that differ (`local/inputs.rs`).
    /// Without it, all rows are composed.
    Inputs,
    /// Nodes in consecutive rows of one archetype are computed in a loop of their own
    /// (`propagation/consecutive.rs`). Without it, they are computed one by one, like all others.
    Consecutive,
    /// Other threads help with large work (`parallel/`, `propagation/work_queue.rs`). Without it,
    /// one thread does all of it.
    Threads,
}

impl Accelerator {
    /// All of them, with their names.
    const NAMES: &[(&str, Self)] = &[
        ("closing", Self::Closing),
        ("bulk", Self::Bulk),
        ("compare", Self::Compare),
        ("lose", Self::Lose),
        ("inputs", Self::Inputs),
        ("consecutive", Self::Consecutive),
        ("threads", Self::Threads),
    ];
}

/// What a bundle computes with.
#[derive(Default)]
pub(crate) struct Machine {
    /// The instruction set of the kernels.
    pub isa: Isa,
    /// The threads that help.
    pub threads: parallel::Threads,
    /// The accelerators that are off, a bit each: `1 << Accelerator::Bulk` is `0b10`.
    off: u32,
}

impl Machine {
    /// Whether an accelerator is on: all are, but for tests and benches.
    pub fn uses(&self, accelerator: Accelerator) -> bool {
        self.off & 1 << accelerator as u32 == 0
    }

    /// The kernels of this name, or the best ones.
    pub fn set_instruction_set(&mut self, name: &str) {
        self.isa = Isa::of_name(name);
    }

    /// The names of the instruction sets, the best last.
    pub fn instruction_sets(&self) -> Vec<&'static str> {
        Isa::available().map(Isa::name).collect()
    }

    /// The names of all accelerators.
    pub fn accelerators(&self) -> Vec<&'static str> {
        Accelerator::NAMES.iter().map(|&(name, _)| name).collect()
    }

    /// Switches accelerators off, by their names: `"closing,inputs"`, or `"all"`.
    ///
    /// # Panics
    /// If there is no accelerator of a name.
    pub fn do_without(&mut self, names: &str) {
        for name in names.split(',').filter(|name| !name.is_empty()) {
            let is_named = |(known, _): &&(&str, Accelerator)| name == "all" || name == *known;
            let off = Accelerator::NAMES.iter().filter(is_named);
            let bits = off.fold(0, |bits, &(_, member)| bits | 1 << member as u32);
            let known = self.accelerators().join(", ");
            assert!(bits != 0, "no accelerator is named {name:?}, only all, {known}");
            self.off |= bits;
        }
        if !self.uses(Accelerator::Threads) {
            self.threads = parallel::Threads::none();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accelerators_are_switched_off_by_their_names() {
        let mut machine = Machine::default();
        let seen = |it: &Machine| {
            [Accelerator::Inputs, Accelerator::Lose, Accelerator::Bulk].map(|one| it.uses(one))
        };
        machine.do_without("inputs,lose");
        assert_eq!(seen(&machine), [false, false, true]);
        machine.do_without("all");
        assert_eq!(seen(&machine), [false; 3]);
    }

    #[test]
    #[should_panic = "no accelerator is named \"cash\""]
    fn a_wrong_name_is_told() {
        Machine::default().do_without("cash");
    }
}
