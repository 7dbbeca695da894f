//! The reference's data: the columns that Legion has, at the sizes it has them.

use std::ops::Range;

use crate::workloads::{Scene, Trs};

/// A world matrix, column by column, on a cache line of its own.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Matrix(pub [f32; 16]);

/// Structure of arrays, parents before their children.
#[derive(Default)]
pub struct Columns {
    translations: Vec<[f32; 3]>,
    rotations: Vec<[f32; 4]>,
    scales: Vec<f32>,
    /// Each node's parent, or [`NO_PARENT`](crate::workloads::NO_PARENT).
    pub parents: Vec<u32>,
    /// What is computed.
    pub worlds: Vec<Matrix>,
}

impl Columns {
    /// The scene's values; no matrix is right yet.
    pub fn new(scene: &Scene) -> Self {
        let nodes = || (0..scene.len() as u32).map(|node| scene.trs(node));
        // One translation more than there are nodes: kernels read them as four numbers.
        let translations = nodes().map(|trs| trs.translation).chain([[0.0; 3]]).collect();
        Self {
            translations,
            rotations: nodes().map(|trs| trs.rotation).collect(),
            scales: nodes().map(|trs| trs.scale).collect(),
            parents: scene.parents.clone(),
            worlds: vec![Matrix([0.0; 16]); scene.len()],
        }
    }

    /// Gives a node another pose.
    pub fn set(&mut self, node: usize, trs: &Trs) {
        self.translations[node] = trs.translation;
        self.rotations[node] = trs.rotation;
        self.scales[node] = trs.scale;
    }

    /// For the kernels.
    pub fn view(&mut self) -> View {
        View {
            translations: self.translations.as_ptr(),
            rotations: self.rotations.as_ptr(),
            scales: self.scales.as_ptr(),
            parents: self.parents.as_ptr(),
            worlds: self.worlds.as_mut_ptr(),
        }
    }
}

/// The columns without bounds checks and without a borrow, for kernels on several threads.
///
/// The caller who passes one to a kernel sees to it that the columns live and stay where they are,
/// that the nodes are in range, and that no other thread touches the matrices of these nodes, or
/// writes those of their parents, meanwhile.
#[derive(Clone, Copy)]
pub struct View {
    pub translations: *const [f32; 3],
    pub rotations: *const [f32; 4],
    pub scales: *const f32,
    pub parents: *const u32,
    pub worlds: *mut Matrix,
}

impl View {
    /// Has the node's columns brought into the cache.
    #[inline]
    pub fn prefetch(&self, node: usize) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let columns: [*const i8; 5] = [
            self.translations.wrapping_add(node).cast(),
            self.rotations.wrapping_add(node).cast(),
            self.scales.wrapping_add(node).cast(),
            self.parents.wrapping_add(node).cast(),
            self.worlds.wrapping_add(node).cast_const().cast(),
        ];
        // SAFETY: a hint, which may name any address.
        columns.iter().for_each(|&at| unsafe { _mm_prefetch::<_MM_HINT_T0>(at) });
    }
}

// SAFETY: plain pointers; the contract above is about their use.
unsafe impl Send for View {}
unsafe impl Sync for View {}

/// Computes the matrices of a range of nodes.
pub type Pass = unsafe fn(&View, Range<usize>);

/// Computes the matrices of some nodes.
pub type ScatteredPass = unsafe fn(&View, &[u32]);
