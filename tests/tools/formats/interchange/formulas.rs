//! The formats' own formulas, in `f64` for column vectors. (Maya's documentation has row vectors,
//! and all factors in the opposite order.)

use legion::{Entity, World};
use legion_transform::interchange::{Detail, FbxTransform, MayaTransform};
use nalgebra::{Matrix4, Vector3};

/// The formats' names for their orders of rotation, 0 to 5.
pub const MAYAS: [&str; 6] = ["xyz", "yzx", "zxy", "xzy", "yxz", "zyx"];
pub const FBXS: [&str; 6] = ["xyz", "xzy", "yzx", "yxz", "zxy", "zyx"];

/// A node with its order of rotation.
#[derive(Clone, Debug)]
pub enum Node {
    Transform(MayaTransform, &'static str),
    Joint(MayaTransform, &'static str),
    Fbx(FbxTransform, &'static str),
}

/// Both formats have methods of the same names.
macro_rules! of {
    ($node:expr, $it:ident => $call:expr) => {
        match $node {
            Node::Transform($it, _) | Node::Joint($it, _) => $call,
            Node::Fbx($it, _) => $call,
        }
    };
}

fn translation(v: &Vector3<f32>) -> Matrix4<f64> {
    Matrix4::new_translation(&v.cast())
}

pub fn scaling(v: &Vector3<f32>) -> Matrix4<f64> {
    Matrix4::new_nonuniform_scaling(&v.cast())
}

/// About one axis, for column vectors.
fn axis(axis: char, degrees: f32) -> Matrix4<f64> {
    let (s, c) = f64::from(degrees).to_radians().sin_cos();
    let mut matrix = Matrix4::identity();
    let (i, j) = match axis {
        'x' => (1, 2),
        'y' => (2, 0),
        _ => (0, 1),
    };
    (matrix[(i, i)], matrix[(j, j)]) = (c, c);
    (matrix[(j, i)], matrix[(i, j)]) = (s, -s);
    matrix
}

/// `xyz` means Rz Ry Rx: on column vectors the last factor acts first.
fn rotation(order: &str, degrees: &Vector3<f32>) -> Matrix4<f64> {
    order.chars().fold(Matrix4::identity(), |product, name| {
        axis(name, degrees["xyz".find(name).unwrap()]) * product
    })
}

/// x grows with y by the first number, x with z by the second, y with z by the third.
fn shear(v: &Vector3<f32>) -> Matrix4<f64> {
    let mut matrix = Matrix4::identity();
    (matrix.m12, matrix.m13, matrix.m23) = (v.x.into(), v.y.into(), v.z.into());
    matrix
}

fn inverse(matrix: Matrix4<f64>) -> Matrix4<f64> {
    matrix.try_inverse().expect("these have inverses")
}

/// T RT RP R RA RP^-1 ST SP SH S SP^-1
pub fn transform_matrix(m: &MayaTransform, order: &str) -> Matrix4<f64> {
    translation(&m.translate)
        * translation(&m.rotate_pivot_translate)
        * translation(&m.rotate_pivot)
        * rotation(order, &m.rotate)
        * rotation("xyz", &m.rotate_axis)
        * translation(&-m.rotate_pivot)
        * translation(&m.scale_pivot_translate)
        * translation(&m.scale_pivot)
        * shear(&m.shear)
        * scaling(&m.scale)
        * translation(&-m.scale_pivot)
}

/// T IS JO R RO S
pub fn joint_matrix(m: &MayaTransform, order: &str, above: Option<&Node>) -> Matrix4<f64> {
    let inverse_scale = match above {
        Some(Node::Joint(above, _)) if m.segment_scale_compensate => inverse(scaling(&above.scale)),
        _ => Matrix4::identity(),
    };
    translation(&m.translate)
        * inverse_scale
        * rotation("xyz", &m.joint_orient)
        * rotation(order, &m.rotate)
        * rotation("xyz", &m.rotate_axis)
        * scaling(&m.scale)
}

/// Rpre R Rpost^-1, or R in the order XYZ where RotationActive is off.
pub fn fbx_rotations(p: &FbxTransform, order: &str) -> Matrix4<f64> {
    if !p.rotation_active {
        return rotation("xyz", &p.rotation);
    }
    rotation("xyz", &p.pre_rotation)
        * rotation(order, &p.rotation)
        * inverse(rotation("xyz", &p.post_rotation))
}

/// T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1
pub fn fbx_matrix(p: &FbxTransform, order: &str) -> Matrix4<f64> {
    translation(&p.translation)
        * translation(&p.rotation_offset)
        * translation(&p.rotation_pivot)
        * fbx_rotations(p, order)
        * translation(&-p.rotation_pivot)
        * translation(&p.scaling_offset)
        * translation(&p.scaling_pivot)
        * scaling(&p.scaling)
        * translation(&-p.scaling_pivot)
}

impl Node {
    /// The matrix by the format's formula, below a node of the same sort or none.
    pub fn formula(&self, above: Option<&Self>) -> Matrix4<f64> {
        match self {
            Self::Transform(it, order) => transform_matrix(it, order),
            Self::Joint(it, order) => joint_matrix(it, order, above),
            Self::Fbx(it, order) => fbx_matrix(it, order),
        }
    }

    pub fn local_matrix(&self, above: Option<&Self>) -> Matrix4<f32> {
        match (self, above) {
            (Self::Joint(it, _), Some(Self::Joint(above, _))) => it.local_matrix_below(above),
            (Self::Fbx(it, _), Some(Self::Fbx(above, _))) => it.local_matrix_below(above),
            _ => of!(self, it => it.local_matrix()),
        }
    }

    pub fn spawn(&self, world: &mut World, parent: Option<Entity>, detail: Detail) -> Entity {
        of!(self, it => it.spawn(world, parent, detail))
    }
}

pub(super) use of;
