//! Mechanisms that only make a run faster, each with its switch.
//!
//! The *core* computes the results. An *accelerator* is one file or folder whose head begins
//! `//! Accelerator:` and says what it saves. What calls it asks its switch first. The files of
//! one mechanism share a switch:
//!
//! ```text
//!  if Accelerator::Lose.is_on() { lose(list, lost) } else { list.retain(..) }
//!     ^ the switch                ^ the accelerator         ^ the core: the same list, slower
//! ```
//!
//! The results have the same bits with any of them off: the tests of `tests/model` check it.
//! `cargo bench --bench transforms -- mechanisms` measures what each one gains.
//!
//! Each bundle has its own switches. They hold during its runs, on the thread that executes the
//! schedule.
//! `LEGION_TRANSFORM_WITHOUT=closing,inputs` switches some off for all bundles of a process.

use std::{cell::Cell, sync::OnceLock};

/// The environment variable that names the accelerators to do without, for tests and benches.
const VARIABLE: &str = "LEGION_TRANSFORM_WITHOUT";

macro_rules! accelerators {
    ($($(#[doc = $doc:literal])* $member:ident: $name:literal,)*) => {
        /// A mechanism that only makes a run faster.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Accelerator {
            $($(#[doc = $doc])* $member,)*
        }

        impl Accelerator {
            /// All of them, with their names.
            const NAMES: &[(&str, Self)] = &[$(($name, Self::$member)),*];
        }
    };
}

accelerators! {
    /// Insertions are told from writes (`storage/closing.rs`). Without it, every column of an
    /// archetype that entities came to counts as written.
    Closing: "closing",
    /// Whole archetypes get the components that they lack at once (`bulk/`). Without it, entities
    /// get them one by one. A bundle that inherits values never does without it.
    Bulk: "bulk",
    /// Links are compared eight rows at a time (`hierarchy/compare.rs`). Without it, the forest is
    /// asked about each row.
    Compare: "compare",
    /// Children that leave a long list are found by hashing (`hierarchy/publish/lose.rs`). Without
    /// it, each child of the list is compared with all that leave.
    Lose: "lose",
    /// Inputs are compared with a copy, to compose only the rows that differ (`local/inputs.rs`).
    /// Without it, all rows are composed.
    Inputs: "inputs",
    /// Nodes in consecutive rows of one archetype are computed in a loop of their own
    /// (`propagation/consecutive.rs`). Without it, they are computed one by one, like all others.
    Consecutive: "consecutive",
    /// Other threads help with large work (`parallel/`, `propagation/work_queue.rs`). Without it,
    /// one thread does all of it.
    Threads: "threads",
}

impl Accelerator {
    /// Whether the bundle that runs on this thread uses it: true unless it is in [`OFF`].
    pub fn is_on(self) -> bool {
        OFF.get().0 & 1 << self as u32 == 0
    }
}

/// The accelerators that a bundle does without, a bit each: `1 << Accelerator::Bulk` is `0b10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Without(u32);

thread_local! {
    /// The accelerators that the bundle on this thread does without.
    static OFF: Cell<Without> = const { Cell::new(Without(0)) };
}

impl Default for Without {
    /// The accelerators that the environment names. It is read once.
    fn default() -> Self {
        static DEFAULT: OnceLock<Without> = OnceLock::new();
        *DEFAULT.get_or_init(|| match std::env::var(VARIABLE) {
            Ok(names) => Self(0).and(&names),
            Err(_) => Self(0),
        })
    }
}

impl Without {
    /// The names of all accelerators.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Accelerator::NAMES.iter().map(|&(name, _)| name)
    }

    /// These and some more, by their names: `"closing,inputs"`, or `"all"`.
    ///
    /// # Panics
    /// If there is no accelerator of a name.
    pub fn and(mut self, names: &str) -> Self {
        for name in names.split(',').filter(|name| !name.is_empty()) {
            let is_named = |(known, _): &&(&str, Accelerator)| name == "all" || name == *known;
            let off = Accelerator::NAMES.iter().filter(is_named);
            let bits = off.fold(0, |bits, &(_, member)| bits | 1 << member as u32);
            let known: Vec<&str> = Self::names().collect();
            assert!(bits != 0, "no accelerator is named {name:?}, only all, {}", known.join(", "));
            self.0 |= bits;
        }
        self
    }

    /// Calls `run` with these accelerators off and all others on.
    pub fn during<R>(self, run: impl FnOnce() -> R) -> R {
        struct Restore(Without);
        impl Drop for Restore {
            fn drop(&mut self) {
                OFF.set(self.0);
            }
        }
        let _restore = Restore(OFF.replace(self));
        run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(panic = "unwind")]
    #[test]
    fn accelerators_are_off_during_a_call_alone() {
        let without = Without(0).and("inputs,lose");
        let seen =
            || [Accelerator::Inputs, Accelerator::Lose, Accelerator::Bulk].map(|it| it.is_on());
        assert_eq!(seen(), [true; 3]);
        assert_eq!(without.during(seen), [false, false, true]);
        assert_eq!(without.and("all").during(|| Without(0).during(seen)), [true; 3]);
        assert!(crate::caught(|| without.during(|| panic!("in a run"))).is_err());
        assert_eq!(seen(), [true; 3]);
    }

    #[test]
    #[should_panic = "no accelerator is named \"cash\""]
    fn a_wrong_name_is_told() {
        let _ = Without(0).and("cash");
    }
}
