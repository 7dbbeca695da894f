//! Switches for tests and benches: hidden from the documentation, and so no part of the interface
//! that versions promise (docs/install.md).

use super::TransformSystemBundle;
use crate::engine::Options;

impl TransformSystemBundle {
    /// Computes by the kernels of this instruction set, for tests and benches; by the best ones if
    /// the machine does not have it.
    #[doc(hidden)]
    #[must_use]
    pub fn instruction_set(mut self, name: &str) -> Self {
        self.options.machine.set_instruction_set(name);
        self
    }

    /// The instruction sets that there are kernels for and that this machine has.
    #[doc(hidden)]
    #[must_use]
    pub fn instruction_sets() -> Vec<&'static str> {
        Options::default().machine.instruction_sets()
    }

    /// Does without mechanisms that only make a run faster, for tests and benches:
    /// `"closing,inputs"`, or `"all"`.
    ///
    /// # Panics
    /// If one of them is not among the [accelerators](Self::accelerators).
    #[doc(hidden)]
    #[must_use]
    pub fn without(mut self, accelerators: &str) -> Self {
        self.options.machine.do_without(accelerators);
        self
    }

    /// The names of the mechanisms that a bundle can do [without](Self::without).
    #[doc(hidden)]
    #[must_use]
    pub fn accelerators() -> Vec<&'static str> {
        Options::default().machine.accelerators()
    }
}
