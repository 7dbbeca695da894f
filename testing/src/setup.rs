//! The options that a bundle was given.

use std::sync::Arc;

use legion::storage::Component;
use legion_transform::prelude::*;

use crate::{
    effective::{self, Property},
    judges::groups::Groups,
};

/// The bundle's options for [`Reference::with`](crate::Reference::with).
///
/// Your own write groups and inherited properties are those of your
/// [`TransformSystemBundle`]; the crate's own are built in.
#[derive(Clone, Default)]
pub struct Setup {
    pub(crate) groups: Groups,
    pub(crate) properties: Vec<Arc<dyn Property>>,
}

impl Setup {
    /// As [`TransformSystemBundle::write_group`].
    #[must_use]
    pub fn write_group<Target: Component, Member: Component>(mut self) -> Self {
        self.groups.register::<Target, Member>();
        self
    }

    /// As [`TransformSystemBundle::inherit`].
    #[must_use]
    pub fn inherit<P: Inherited<Value: std::fmt::Debug>>(mut self) -> Self {
        self.properties.push(effective::property::<P>());
        self
    }
}
