//! The options that a bundle was given.

use std::sync::Arc;

use legion::{Entity, storage::Component};
use legion_transform::prelude::*;

use crate::{
    kind::{Kind, Numbers},
    reference::{
        effective::{self, Property},
        groups::Groups,
    },
};

/// A system of yours, of which the judge of runs knows what it writes.
#[derive(Clone, Copy, Debug)]
pub struct OwnSystem {
    /// The component of yours that it reads.
    pub reads: Kind,
    /// The component that it writes, on all entities that have both.
    pub writes: Kind,
    /// What it makes of the one for the other.
    pub value: fn(&Numbers) -> Numbers,
}

/// The bundle's options for [`Reference::with`](crate::Reference::with).
///
/// Your own write groups and inherited properties are those of your
/// [`TransformSystemBundle`]; the crate's own are built in.
#[derive(Clone, Default)]
pub struct Setup {
    pub(crate) groups: Groups,
    pub(crate) properties: Vec<Arc<dyn Property>>,
    pub(crate) large_worlds: bool,
    pub(crate) origin: Option<Entity>,
    pub(crate) systems: Vec<OwnSystem>,
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

    /// As [`TransformSystemBundle::large_worlds`], seen from where this entity is, or else from the
    /// origin of the universe. Without it, matrices of frames count as given.
    ///
    /// ```
    /// use legion::*;
    /// use legion_transform::{frames::Frame, prelude::*};
    /// use legion_transform_testing::{Reference, Setup};
    ///
    /// let mut world = World::default();
    /// let station = world.push_transform((Frame::from_xyz(1e9, 0.0, 0.0),));
    /// let ship = world.push_child(station, (Frame::from_xyz(5.0, 0.0, 0.0),));
    /// let lamp = world.push_child(ship, (Translation::new(2.0, 0.0, 0.0),));
    ///
    /// let reference = Reference::with(&world, &Setup::default().large_worlds(Some(station)));
    /// assert_eq!(reference.world(ship).unwrap().value[(0, 3)], 5.0);
    /// assert_eq!(reference.world(lamp).unwrap().value[(0, 3)], 7.0);
    /// ```
    #[must_use]
    pub fn large_worlds(self, origin: Option<Entity>) -> Self {
        Self { large_worlds: true, origin, ..self }
    }

    /// Systems of yours in the bundle's two places.
    #[must_use]
    pub fn systems(mut self, systems: &[OwnSystem]) -> Self {
        self.systems.extend_from_slice(systems);
        self
    }
}
