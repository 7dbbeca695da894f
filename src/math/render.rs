//! What a renderer computes from a world matrix: normals, winding, the view of a camera.
//!
//! ```
//! use legion_transform::{math::render::depth_from_0_to_1, prelude::*};
//! use nalgebra::{Perspective3, Point3};
//!
//! // A camera at z = -10 that looks along +z, as `look_at` and `forward` have it.
//! let camera = LocalToWorld(Transform::from_xyz(0.0, 0.0, -10.0).to_matrix());
//! let view = camera.view_matrix().unwrap();
//! assert_eq!(view.transform_point(&Point3::origin()), Point3::new(0.0, 0.0, -10.0));
//!
//! // nalgebra's depths go from -1 to 1, those of Vulkan, Metal, Direct3D and WebGPU from 0 to 1.
//! let projection = Perspective3::new(16.0 / 9.0, 1.2, 1.0, 19.0).to_homogeneous();
//! let seen = depth_from_0_to_1() * projection * view;
//! let depth = |z| seen.transform_point(&Point3::new(0.0, 0.0, z)).z;
//! assert!(depth(-9.0).abs() < 1e-6 && (depth(9.0) - 1.0).abs() < 1e-6);
//! ```

use nalgebra::{Matrix3, Matrix4, Vector3};

use super::{decompose::linear, handedness};
use crate::components::LocalToWorld;

impl LocalToWorld {
    /// The matrix by which normals go from the entity's space to the world: the transpose of the
    /// inverse, times a positive factor with which its longest column has length 1. (The result is
    /// brought to length 1 in any case.)
    ///
    /// A surface that one axis flattens still has a normal. Where two axes are flattened, or an
    /// element is not finite, the matrix is zero.
    ///
    /// ```
    /// # use legion_transform::prelude::*;
    /// # use nalgebra::Vector3;
    /// let wide = LocalToWorld(Transform::default().with_scale([4.0, 1.0, 1.0]).to_matrix());
    /// // A slope of one half, drawn four times as wide: an eighth.
    /// let normal = wide.normal_matrix() * Vector3::new(-1.0, 2.0, 0.0);
    /// assert_eq!(normal / normal.y, Vector3::new(-0.125, 1.0, 0.0));
    /// ```
    #[must_use]
    pub fn normal_matrix(&self) -> Matrix3<f32> {
        let axes = linear(&self.0);
        let [a, b, c] = [0, 1, 2].map(|i| axes.column(i).into_owned());
        // Those of the inverse's transpose, times the determinant.
        let normals = Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)]);
        let longest = normals.column_iter().map(|it| it.norm()).fold(0.0, f64::max);
        let is_usable = longest > 0.0 && normals.iter().all(|it| it.is_finite());
        if !is_usable {
            return Matrix3::zeros();
        }
        let sign = if axes.determinant() < 0.0 { -1.0 } else { 1.0 };
        (normals * (sign / longest)).cast()
    }

    /// Whether the matrix mirrors: front faces then wind the other way round, and a renderer draws
    /// the entity with its culling turned about.
    ///
    /// ```
    /// # use legion_transform::prelude::*;
    /// let scaled = |by: [f32; 3]| LocalToWorld(Transform::default().with_scale(by).to_matrix());
    /// assert!(scaled([-1.0, 1.0, 1.0]).is_mirrored());
    /// assert!(!scaled([-1.0, -1.0, 1.0]).is_mirrored()); // half a turn about z
    /// ```
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        handedness::is_mirrored(&self.0)
    }

    /// The view matrix of a camera: from the world to a space where x is to the right, y up, and
    /// the camera looks along -z, as nalgebra's projections have it. The entity looks along its own
    /// +z, its [`forward`](Self::forward), with +y up. Scale, shear and mirrors do not count.
    /// `None` if these two axes are flattened, parallel or not finite.
    ///
    /// (A camera of a glTF file looks along its own -z: its view matrix is
    /// [`WorldToLocal`](crate::components::WorldToLocal).)
    #[must_use]
    pub fn view_matrix(&self) -> Option<Matrix4<f32>> {
        let axes = linear(&self.0);
        let unit = |it: Vector3<f64>| it.try_normalize(0.0).filter(|it| it.norm().is_finite());
        let back = -unit(axes.column(2).into_owned())?;
        let right = unit(axes.column(1).cross(&back))?;
        let up = back.cross(&right);
        let rows = Matrix3::from_rows(&[right.transpose(), up.transpose(), back.transpose()]);
        let at = -(rows * self.translation().cast::<f64>());
        let mut view = rows.to_homogeneous();
        view.fixed_view_mut::<3, 1>(0, 3).copy_from(&at);
        at.iter().all(|it| it.is_finite()).then(|| view.cast())
    }
}

/// The matrix that makes depths from 0 to 1 of those from -1 to 1: multiply a projection by it from
/// the left.
#[must_use]
pub fn depth_from_0_to_1() -> Matrix4<f32> {
    let mut matrix = Matrix4::identity();
    (matrix.m33, matrix.m34) = (0.5, 0.5);
    matrix
}
