//! glam's types, which are SSE2 in the baseline build.

use glam::{Affine3A, Mat4, Quat, Vec3, Vec3A};

use crate::limit::columns::{Matrix, View};

super::passes!("glam");

#[inline]
unsafe fn local(view: &View, node: usize) -> Affine3A {
    // SAFETY: the caller keeps the view's contract.
    let (t, q, s) = unsafe {
        (*view.translations.add(node), *view.rotations.add(node), *view.scales.add(node))
    };
    Affine3A::from_scale_rotation_translation(Vec3::splat(s), Quat::from_array(q), Vec3::from(t))
}

#[inline]
fn below(parent: Affine3A, local: Affine3A) -> Affine3A {
    parent * local
}

#[inline]
unsafe fn below_stored(parent: *const Matrix, local: Affine3A) -> Affine3A {
    // SAFETY: the caller keeps the view's contract.
    below(unsafe { load(parent) }, local)
}

#[inline]
unsafe fn load(at: *const Matrix) -> Affine3A {
    // SAFETY: the caller keeps the view's contract; `Mat4` is sixteen numbers column by column, on
    // 16 bytes, as well.
    let m = unsafe { &*at.cast::<Mat4>() };
    Affine3A::from_cols(
        Vec3A::from_vec4(m.x_axis),
        Vec3A::from_vec4(m.y_axis),
        Vec3A::from_vec4(m.z_axis),
        Vec3A::from_vec4(m.w_axis),
    )
}

#[inline]
unsafe fn store(at: *mut Matrix, world: Affine3A) {
    // SAFETY: as in `load`.
    unsafe { *at.cast::<Mat4>() = Mat4::from(world) };
}
