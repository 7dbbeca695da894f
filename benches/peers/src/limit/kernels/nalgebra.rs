//! nalgebra's types, as a user would write it.

use nalgebra::{Matrix3, Matrix4, Quaternion, UnitQuaternion, Vector3};

use crate::limit::columns::{Matrix, View};

super::passes!("nalgebra");

#[derive(Clone, Copy)]
struct World {
    linear: Matrix3<f32>,
    translation: Vector3<f32>,
}

#[inline]
unsafe fn local(view: &View, node: usize) -> World {
    // SAFETY: the caller keeps the view's contract.
    let (t, [x, y, z, w], s) = unsafe {
        (*view.translations.add(node), *view.rotations.add(node), *view.scales.add(node))
    };
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
    World { linear: rotation.to_rotation_matrix().into_inner() * s, translation: t.into() }
}

#[inline]
fn below(parent: World, local: World) -> World {
    World {
        linear: parent.linear * local.linear,
        translation: parent.linear * local.translation + parent.translation,
    }
}

#[inline]
unsafe fn below_stored(parent: *const Matrix, local: World) -> World {
    // SAFETY: the caller keeps the view's contract.
    below(unsafe { load(parent) }, local)
}

#[inline]
unsafe fn load(at: *const Matrix) -> World {
    // SAFETY: the caller keeps the view's contract; `Matrix4` is sixteen numbers column by column
    // as well.
    let m = unsafe { &*at.cast::<Matrix4<f32>>() };
    World {
        linear: m.fixed_view::<3, 3>(0, 0).into_owned(),
        translation: m.fixed_view::<3, 1>(0, 3).into_owned(),
    }
}

#[inline]
unsafe fn store(at: *mut Matrix, world: World) {
    let (l, t) = (&world.linear, &world.translation);
    #[rustfmt::skip]
    let m = Matrix4::new(
        l.m11, l.m12, l.m13, t.x,
        l.m21, l.m22, l.m23, t.y,
        l.m31, l.m32, l.m33, t.z,
        0.0, 0.0, 0.0, 1.0,
    );
    // SAFETY: as in `load`.
    unsafe { *at.cast::<Matrix4<f32>>() = m };
}
