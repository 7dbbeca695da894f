//! The options of edits.

#[cfg(doc)]
use super::{EditError, FailedEdits};
#[cfg(doc)]
use crate::query::TransformQuery;

/// The choice for a result that is no translation, rotation and scale, because it is sheared or
/// projective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnShear {
    /// Changes nothing and returns [`EditError::NoTransform`].
    #[default]
    Fail,
    /// Writes the shear: the entity gets [`Shear`](crate::components::Shear), and the matrix
    /// [`CompositeScale`](crate::components::CompositeScale) to which it belongs. Its other
    /// components still count; where an edit leaves no shear, `Shear` becomes 0.
    ///
    /// What no components can hold goes into the matrix itself: a projection, or axes that are less
    /// than 7 degrees apart. All local inputs of the entity are removed, and `LocalToParent` (or
    /// `LocalToWorld`, for a root) holds the result. [`Edits::set_local`] of a
    /// [`Transform`](crate::Transform) gives it components again.
    WriteMatrix,
}

/// The edits, and their options.
#[derive(Clone, Debug)]
pub struct Edits {
    pub(super) on_shear: OnShear,
    pub(super) prints_failed: bool,
}

impl Default for Edits {
    fn default() -> Self {
        Self { on_shear: OnShear::default(), prints_failed: true }
    }
}

impl Edits {
    /// What to do with a sheared result. The default is to fail.
    #[must_use]
    pub fn on_shear(self, on_shear: OnShear) -> Self {
        Self { on_shear, ..self }
    }

    /// Whether an edit of a command buffer that fails is printed at the flush, as new
    /// [findings](crate::findings) are: as an event of `tracing` with that feature; without it, in
    /// debug builds only, as a line of standard error. The same error is printed once, until
    /// [`FailedEdits`] are drained; that an entity has died before the flush, once at all. On by
    /// default.
    #[must_use]
    pub fn print_failed(self, prints: bool) -> Self {
        Self { prints_failed: prints, ..self }
    }
}
