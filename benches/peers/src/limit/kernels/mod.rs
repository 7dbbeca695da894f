//! The arithmetic, in two dialects. Neither fuses multiplications and additions.

mod avx2;
mod scalar;

use super::columns::{Pass, ScatteredPass};

/// One way to compute matrices.
#[derive(Clone, Copy)]
pub struct Kernel {
    /// What it is called.
    pub name: &'static str,
    /// For a range of nodes without parents.
    pub compose: Pass,
    /// For a range of nodes with and without.
    pub propagate: Pass,
    /// For a range of nodes of which no child will be computed in this tick.
    pub leaves: Pass,
    /// For nodes here and there, with and without parents, in any order.
    pub scattered: ScatteredPass,
}

/// The kernels that this machine can run.
pub fn available() -> Vec<Kernel> {
    if is_x86_feature_detected!("avx2") {
        vec![scalar::KERNEL, avx2::KERNEL, avx2::STREAMING]
    } else {
        vec![scalar::KERNEL]
    }
}

/// The passes, from a dialect's `local`, `below`, `below_stored` and `store`: a macro, since only
/// functions with the same target features are inlined into each other. With a name and a `stream`
/// there are also passes that store around the cache. This saves reading the overwritten matrices,
/// where they are not needed soon.
macro_rules! passes {
    ($name:literal $(, $feature:literal, $streaming:literal)?) => {
        pub const KERNEL: super::Kernel =
            super::Kernel { name: $name, compose, propagate, leaves: propagate, scattered };

        $(
            pub const STREAMING: super::Kernel = super::Kernel {
                name: $streaming,
                compose: compose_streaming,
                propagate,
                leaves: propagate_streaming,
                scattered,
            };
            super::passes!(@ranges compose_streaming, propagate_streaming, stream, $feature);
        )?
        super::passes!(@ranges compose, propagate, store $(, $feature)?);

        $(#[target_feature(enable = $feature)])?
        unsafe fn scattered(view: &crate::limit::columns::View, nodes: &[u32]) {
            for (number, &node) in nodes.iter().enumerate() {
                if let Some(&soon) = nodes.get(number + 12) {
                    view.prefetch(soon as usize);
                }
                // SAFETY: the caller keeps the view's contract, for parents too.
                unsafe {
                    let node = node as usize;
                    let (parent, own) = (*view.parents.add(node), local(view, node));
                    let root = parent == crate::workloads::NO_PARENT;
                    let world = match root {
                        true => own,
                        false => below_stored(view.worlds.add(parent as usize), own),
                    };
                    store(view.worlds.add(node), world);
                }
            }
        }
    };
    (@ranges $compose:ident, $propagate:ident, $store:ident $(, $feature:literal)?) => {
        $(#[target_feature(enable = $feature)])?
        unsafe fn $compose(view: &crate::limit::columns::View, nodes: std::ops::Range<usize>) {
            for node in nodes {
                // SAFETY: the caller keeps the view's contract.
                unsafe { $store(view.worlds.add(node), local(view, node)) };
            }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn $propagate(view: &crate::limit::columns::View, nodes: std::ops::Range<usize>) {
            // SAFETY: the caller keeps the view's contract, for parents too.
            unsafe {
                let mut last = None;
                for node in nodes {
                    let (parent, own) = (*view.parents.add(node) as usize, local(view, node));
                    let world = match last {
                        _ if parent == crate::workloads::NO_PARENT as usize => own,
                        // Still in registers: what chains live on.
                        Some(above) if parent + 1 == node => below(above, own),
                        _ => below_stored(view.worlds.add(parent), own),
                    };
                    $store(view.worlds.add(node), world);
                    last = Some(world);
                }
            }
        }
    };
}
use passes;
