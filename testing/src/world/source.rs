//! The Rust that makes a component.

use legion_transform::prelude::*;

use crate::kind::{Kind, Numbers, Numeric, Shape};

/// The Rust of a number.
pub(crate) fn number(number: f32) -> String {
    match number {
        _ if number.is_nan() => "f32::NAN".into(),
        f32::INFINITY => "f32::INFINITY".into(),
        f32::NEG_INFINITY => "f32::NEG_INFINITY".into(),
        _ => format!("{number:?}"),
    }
}

/// The Rust that makes a component of these numbers.
pub(crate) fn source(kind: Kind, numbers: &Numbers) -> String {
    let list = |numbers: &[f32]| numbers.iter().map(|n| number(*n)).collect::<Vec<_>>().join(", ");
    let name = kind.name();
    match kind.shape() {
        Shape::Matrix | Shape::Quaternion if *numbers == kind.identity() => {
            format!("{name}::identity()")
        }
        Shape::Vector => format!("{name}::new({})", list(&numbers[..3])),
        Shape::Scalar => format!("{name}({})", list(&numbers[..1])),
        Shape::Quaternion => {
            let [x, y, z, w] = [numbers[0], numbers[1], numbers[2], numbers[3]];
            let quaternion = list(&[w, x, y, z]);
            format!("{name}(UnitQuaternion::new_unchecked(Quaternion::new({quaternion})))")
        }
        Shape::Matrix => {
            let rows: [f32; 16] = std::array::from_fn(|i| numbers[i % 4 * 4 + i / 4]);
            format!("{name}(Matrix4::new({}))", list(&rows))
        }
        Shape::Parts => {
            let Inherits { translation, rotation, scale } = Inherits::from_numbers(numbers);
            format!(
                "Inherits {{ translation: {translation}, rotation: {rotation}, scale: {scale} }}"
            )
        }
    }
}
