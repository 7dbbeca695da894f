//! What a world must be after a run, from its inputs alone.

use std::{collections::HashMap, sync::Arc};

use legion::{Entity, World, storage::Component};
use legion_transform::prelude::*;

use crate::{
    bounded::{Bounded, World as WorldMatrix},
    derive::Entry,
    effective::{self, Property},
    formulas as f,
    groups::Groups,
    inherits::inherited,
    inverse::Inverse,
    kind::{Kind, Numbers},
    links::Links,
    snapshot::{Row, Snapshot, matrix64},
};

/// What a component must be after a run.
#[allow(clippy::large_enum_variant)] // most of them are the large one
#[derive(Clone, Copy, Debug)]
pub enum Derived {
    /// The user's: these very bits.
    Kept(Numbers),
    /// A matrix, or a quaternion whose rotation it is.
    Near(Bounded),
    /// The inverse of a 4x4; the identity where there is none.
    InverseOf(Inverse),
}

/// What the bundle was told: options for [`Reference::with`].
///
/// Write groups and inherited properties of yours are those of your
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

/// Every derived component of a world, computed from its inputs alone: in `f64` from end to end,
/// from the documented formulas, without a call into `legion_transform`.
///
/// Take it before a run, and it says what the run must make of the world. Take it after a run, and
/// it says what the world must be by then. With systems of yours in the schedule, which write
/// inputs during the run, take it afterwards.
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
/// use legion_transform_testing::Reference;
///
/// let mut world = World::default();
/// let arm = world.push_transform((Translation::new(1.0, 0.0, 0.0), Scale(2.0)));
/// let hand = world.push_child(arm, (Translation::new(3.0, 0.0, 0.0),));
///
/// // No run so far. It will be at 1 + 2 * 3.
/// let reference = Reference::of(&world);
/// assert_eq!(reference.world(hand).unwrap().value[(0, 3)], 7.0);
/// assert_eq!(reference.children(arm), [hand]);
/// assert!(reference.check(&world).is_err());
///
/// let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
/// schedule.execute(&mut world, &mut Resources::default());
/// assert!(reference.check(&world).is_ok());
/// ```
///
/// # How far off a matrix may be
///
/// Each element has a bound of its own: 24 roundings of an `f32` (2.9e-6) times its *magnitude*,
/// the sum of the products that it is made of, all taken as positive. With each link the error of
/// the parent is carried on, and the link's own is added. So it grows in proportion with the depth
/// and with how far entities are from the origin. In a chain of turned links, each a metre long, an
/// axis may be off by 8e-5 after 10 links, by 8e-4 after 100 and by 8e-3 after 1,000; a position,
/// to which each of these axes contributes, by 0.4 mm, 4 cm and 4 m.
/// Where an `f32` may overflow, or cannot tell whether a matrix has an inverse, nothing is
/// demanded.
///
/// # What is given
///
/// A component without inputs is its writer's and counts as given. So does the `LocalToWorld` of
/// an entity with a [`Frame`].
#[derive(Clone)]
pub struct Reference {
    pub(crate) snapshot: Snapshot,
    pub(crate) links: Links,
    pub(crate) setup: Setup,
    values: HashMap<Entity, Vec<(Kind, Derived)>>,
    worlds: HashMap<Entity, WorldMatrix>,
    /// `ParentScaleInverse` that the bundle wrote: the identity once it has no source.
    pub(crate) written: HashMap<Entity, Numbers>,
}

impl Reference {
    /// From the inputs of a world as they are now, with the built-in write groups.
    #[must_use]
    pub fn of(world: &World) -> Self {
        Self::with(world, &Setup::default())
    }

    /// From the inputs of a world as they are now.
    #[must_use]
    pub fn with(world: &World, setup: &Setup) -> Self {
        Self::next(Snapshot::without_versions(world, &[]), setup, HashMap::new())
    }

    /// `written`: each `ParentScaleInverse` that the last run left to an entity with a source.
    pub(crate) fn next(
        snapshot: Snapshot,
        setup: &Setup,
        written: HashMap<Entity, Numbers>,
    ) -> Self {
        let links = Links::of(&snapshot);
        let mut reference = Self {
            links,
            setup: setup.clone(),
            values: HashMap::new(),
            worlds: HashMap::new(),
            written,
            snapshot: Snapshot::default(),
        };
        for entity in reference.links.parents_first(&snapshot) {
            let row = snapshot.get(entity).expect("of the snapshot");
            let values = Entry { known: &reference, all: &snapshot, row }.values();
            let world = values.iter().find(|(kind, _)| *kind == Kind::LocalToWorld);
            if let Some((_, Derived::Kept(numbers))) = world {
                let kept = WorldMatrix::new(Bounded::exact(matrix64(numbers)));
                reference.worlds.insert(entity, kept);
            } else if let Some(world) = reference.computed_world(&snapshot, row, &values) {
                reference.worlds.insert(entity, world);
            }
            reference.values.insert(entity, values);
        }
        reference.snapshot = snapshot;
        reference
    }

    /// The world matrix of an entity, which need not be the one that it has.
    #[must_use]
    pub fn world(&self, entity: Entity) -> Option<&Bounded> {
        self.worlds.get(&entity).map(|world| &world.matrix)
    }

    /// What a component of an entity must be; `None` for an input, or where nothing is computed.
    #[must_use]
    pub fn value(&self, entity: Entity, kind: Kind) -> Option<&Derived> {
        self.values(entity).find(|(of, _)| *of == kind).map(|(_, value)| value)
    }

    pub(crate) fn values(&self, entity: Entity) -> impl Iterator<Item = &(Kind, Derived)> {
        self.values.get(&entity).into_iter().flatten()
    }

    /// The parent of an entity: `None` for a root, also for one that is made a root by a run and
    /// for one on a cycle.
    #[must_use]
    pub fn parent(&self, entity: Entity) -> Option<Entity> {
        self.links.linked.get(&entity).copied()
    }

    /// The children of an entity, in no particular order.
    #[must_use]
    pub fn children(&self, entity: Entity) -> &[Entity] {
        self.links.children.get(&entity).map_or(&[], Vec::as_slice)
    }

    /// The entities on cycles, each with its `Parent`.
    #[must_use]
    pub fn cycles(&self) -> &HashMap<Entity, Entity> {
        &self.links.cyclic
    }

    /// Each `ParentScaleInverse` that the bundle has written by now.
    pub(crate) fn scales_written(&self, after: &Snapshot) -> HashMap<Entity, Numbers> {
        let is_written = |row: &&Row| {
            let has_source = Entry { known: self, all: after, row }.scale_source().is_some();
            has_source || row.get(Kind::ParentScaleInverse) == self.written.get(&row.entity)
        };
        let rows = after.rows.iter().filter(is_written);
        rows.filter_map(|row| Some((row.entity, *row.get(Kind::ParentScaleInverse)?))).collect()
    }

    fn computed_world(
        &self,
        all: &Snapshot,
        row: &Row,
        values: &[(Kind, Derived)],
    ) -> Option<WorldMatrix> {
        let value =
            |of| values.iter().find(|(kind, _)| *kind == of).and_then(|(_, value)| value.bounded());
        row.get(Kind::LocalToWorld)?;
        let Some(parent) = self.links.linked.get(&row.entity) else {
            return Some(WorldMatrix::new(value(Kind::LocalToWorld)?));
        };
        all.get(*parent)?;
        let local = value(Kind::LocalToParent)?;
        Some(self.above(*parent, row).then(&local))
    }

    /// What an entity inherits of its parent's world.
    pub(crate) fn above(&self, parent: Entity, row: &Row) -> WorldMatrix {
        let above = self.worlds.get(&parent).copied();
        let above = above.unwrap_or_else(|| WorldMatrix::new(Bounded::unknown()));
        let parts = row.get(Kind::Inherits).map_or([true; 3], |it| [0, 1, 2].map(|i| it[i] == 1.0));
        if parts == [true; 3] {
            return above;
        }
        // To which elements of the parent's a NaN has spread depends on the order of operations.
        if above.matrix.value.iter().any(|x| !x.is_finite()) {
            return WorldMatrix::new(Bounded::unknown());
        }
        WorldMatrix::new(inherited(&above.matrix, parts))
    }
}

impl Derived {
    /// The matrix, as far as it can be told. (A kept quaternion is none.)
    #[must_use]
    pub fn bounded(&self) -> Option<Bounded> {
        match self {
            Self::Kept(numbers) => Some(Bounded::exact(matrix64(numbers))),
            Self::Near(bounded) | Self::InverseOf(Inverse::Finite(bounded)) => Some(*bounded),
            Self::InverseOf(Inverse::None) => Some(f::identity()),
            Self::InverseOf(Inverse::Unclear) => Some(Bounded::unknown()),
        }
    }
}
