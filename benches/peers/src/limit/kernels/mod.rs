//! The arithmetic, in several dialects. None fuses multiplications and additions but those that say so.

mod avx2;
mod avx512;
mod glam;
mod nalgebra;
mod scalar;

use super::columns::Pass;

/// One way to compute matrices.
#[derive(Clone, Copy)]
pub struct Kernel {
    /// What it is called.
    pub name: &'static str,
    /// For nodes without parents.
    pub compose: Pass,
    /// For nodes with and without.
    pub propagate: Pass,
}

/// The kernels that this machine can run.
pub fn available() -> Vec<Kernel> {
    let mut kernels = vec![scalar::KERNEL, nalgebra::KERNEL, glam::KERNEL];
    if is_x86_feature_detected!("avx2") {
        kernels.push(avx2::KERNEL);
    }
    if is_x86_feature_detected!("avx512f") {
        kernels.push(avx512::KERNEL);
    }
    kernels
}

/// The two passes over a range, from a dialect's `local`, `below`, `load` and `store`: a macro, since only functions with
/// the same target features are inlined into each other.
macro_rules! passes {
    ($name:literal $(, $feature:literal)?) => {
        pub const KERNEL: super::Kernel = super::Kernel { name: $name, compose, propagate };

        $(#[target_feature(enable = $feature)])?
        unsafe fn compose(view: &crate::limit::columns::View, nodes: std::ops::Range<usize>) {
            for node in nodes {
                // SAFETY: the caller keeps the view's contract.
                unsafe { store(view.worlds.add(node), local(view, node)) };
            }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn propagate(view: &crate::limit::columns::View, nodes: std::ops::Range<usize>) {
            // SAFETY: the caller keeps the view's contract, for parents too.
            unsafe {
                let mut last = None;
                for node in nodes {
                    let (parent, own) = (*view.parents.add(node) as usize, local(view, node));
                    let world = match last {
                        _ if parent == crate::workloads::NO_PARENT as usize => own,
                        // Still in registers: what chains live on.
                        Some(above) if parent + 1 == node => below(above, own),
                        _ => below(load(view.worlds.add(parent)), own),
                    };
                    store(view.worlds.add(node), world);
                    last = Some(world);
                }
            }
        }
    };
}
use passes;
