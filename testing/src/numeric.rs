//! Components that are nothing but numbers, as up to sixteen of these.

use legion::storage::Component;

/// The numbers of one component. Matrices fill all sixteen, column by column; the others use the
/// first few, and the rest is 0.
pub type Numbers = [f32; 16];

/// What the numbers of a component mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Sixteen numbers, column by column.
    Matrix,
    /// x, y, z.
    Vector,
    /// x, y, z, w.
    Quaternion,
    /// One number.
    Scalar,
    /// Three numbers, each 0 or 1: what `Inherits` says of translation, rotation and scale.
    Parts,
}

/// A component that is nothing but numbers.
pub trait Numeric: Component {
    /// What they mean.
    const SHAPE: Shape;
    /// The component's numbers.
    fn numbers(&self) -> Numbers;
    /// The component that has these numbers.
    fn from_numbers(numbers: &Numbers) -> Self;
}

/// The first few numbers.
pub(crate) fn padded(slice: &[f32]) -> Numbers {
    let mut numbers = [0.0; 16];
    numbers[..slice.len()].copy_from_slice(slice);
    numbers
}

/// The name of a type without its path: `some::Effective<some::Tint>` is `Effective<some::Tint>`.
pub(crate) fn short(name: &str) -> &str {
    let path = &name[..name.find('<').unwrap_or(name.len())];
    &name[path.rfind("::").map_or(0, |end| end + 2)..]
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn types_are_named_without_their_path() {
        assert_eq!(short("Scale"), "Scale");
        assert_eq!(short("legion_transform::components::Scale"), "Scale");
        assert_eq!(short("game::Effective<game::Tint>"), "Effective<game::Tint>");
    }
}
