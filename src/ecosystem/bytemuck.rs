//! Components as bytes (feature `bytemuck`).
//!
//! Every component that is plain numbers implements `Pod` and `Zeroable`: matrices are 16 `f32`
//! column by column, as shaders expect. A `Rotation` made from arbitrary bytes need not be of
//! length 1.
//!
//! ```
//! use legion::*;
//! use legion_transform::prelude::*;
//!
//! let mut world = World::default();
//! let at = |x: f32| LocalToWorld::from(Translation::new(x, 0.0, 0.0).to_homogeneous());
//! world.extend((0..3).map(|i| (at(i as f32),)));
//! let mut instances: Vec<u8> = Vec::new();
//! for chunk in <&LocalToWorld>::query().iter_chunks(&world) {
//!     let matrices = chunk.component_slice::<LocalToWorld>().unwrap();
//!     instances.extend_from_slice(bytemuck::cast_slice(matrices));
//! }
//! assert_eq!(instances.len(), 3 * 64);
//! assert_eq!(bytemuck::cast_slice::<u8, f32>(&instances[64 + 48..128]), [1.0, 0.0, 0.0, 1.0]);
//! ```
