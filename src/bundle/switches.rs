//! Switches for tests and benches.

use super::TransformSystemBundle;
use crate::{accelerators::Without, simd::Isa};

impl TransformSystemBundle {
    /// Computes by the kernels of this instruction set, for tests and benches; by the best ones if
    /// the machine does not have it.
    #[doc(hidden)]
    #[must_use]
    pub fn instruction_set(mut self, name: &str) -> Self {
        self.options.isa = Isa::of_name(Some(name));
        self
    }

    /// The instruction sets that there are kernels for and that this machine has.
    #[doc(hidden)]
    #[must_use]
    pub fn instruction_sets() -> Vec<&'static str> {
        Isa::available().map(Isa::name).collect()
    }

    /// Does without mechanisms that only make a run faster, for tests and benches:
    /// `"account,cache"`, or `"all"`.
    ///
    /// # Panics
    /// If one of them is not among the [accelerators](Self::accelerators).
    #[doc(hidden)]
    #[must_use]
    pub fn without(mut self, accelerators: &str) -> Self {
        self.options.without = self.options.without.and(accelerators);
        self
    }

    /// The names of the mechanisms that a bundle can do [without](Self::without).
    #[doc(hidden)]
    #[must_use]
    pub fn accelerators() -> Vec<&'static str> {
        Without::names().collect()
    }
}
