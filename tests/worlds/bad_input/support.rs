//! What a matrix is compared with.

use nalgebra::Matrix4;

pub fn is_finite(matrix: &Matrix4<f32>) -> bool {
    matrix.iter().all(|x| x.is_finite())
}

pub fn assert_close(a: &Matrix4<f32>, b: &Matrix4<f32>) {
    assert!((a - b).amax() < 1e-5, "{a} is not {b}");
}
