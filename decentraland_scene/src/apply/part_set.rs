//! A set of the components that a mirror keeps, a bit each.

/// Some of the components that a mirror keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PartSet(u8);

impl PartSet {
    pub const NONE: Self = Self(0);
    pub const TRANSLATION: Self = Self(1);
    pub const ROTATION: Self = Self(2);
    /// One of the two scales.
    pub const SCALE: Self = Self(4);
    pub const WORLD: Self = Self(8);
    pub const PARENT: Self = Self(16);
    /// `LocalToParent` where there is a `Parent`, none where there is none.
    pub const LOCAL: Self = Self(32);
    /// What shows a `Transform`: all but `LocalToWorld`.
    pub const PARTS: Self = Self(1 | 2 | 4 | 16 | 32);
    /// All of them, to be written even where they are there.
    pub const ALL: Self = Self(0xff);

    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// This set if a condition holds, else none.
    #[must_use]
    pub fn when(self, condition: bool) -> Self {
        if condition { self } else { Self::NONE }
    }
}
