//! What a world must be after a run, from its inputs alone.

pub(crate) mod algebra;
pub(crate) mod bounded;
pub(crate) mod derive;
pub(crate) mod effective;
pub mod formulas;
pub mod frames;
pub mod groups;
pub mod inherits;
pub mod inverse;
pub(crate) mod known;
pub mod links;
pub mod motion;
pub(crate) mod setup;

use std::collections::HashMap;

use legion::{Entity, World};
#[cfg(doc)]
use legion_transform::prelude::*;

use crate::{
    kind::{Kind, Numbers},
    reference::{
        bounded::{Bounded, World as WorldMatrix},
        derive::Entry,
        known::{Derived, Known},
        links::Links,
        setup::Setup,
    },
    snapshot::{Row, Snapshot, matrix64},
};

/// Every derived component of a world, computed from its inputs alone: in `f64` from end to end,
/// from the documented formulas, without a call into `legion_transform`.
///
/// Take it before a run, and it says what the run must make of the world. Take it after a run, and
/// it says what the world must be by then. With your own systems in the schedule, which write
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
/// an entity with a [`Frame`](legion_transform::frames::Frame).
#[derive(Clone)]
pub struct Reference {
    pub(crate) snapshot: Snapshot,
    pub(crate) known: Known,
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
        let mut known = Known {
            links: Links::of(&snapshot),
            setup: setup.clone(),
            values: HashMap::new(),
            worlds: HashMap::new(),
            written,
        };
        for entity in known.links.parents_first(&snapshot) {
            let row = snapshot.get(entity).expect("of the snapshot");
            let values = Entry::new(&known, &snapshot, row).values();
            let world = values.iter().find(|(kind, _)| *kind == Kind::LocalToWorld);
            if let Some((_, Derived::Kept(numbers))) = world {
                let kept = WorldMatrix::new(Bounded::exact(matrix64(numbers)));
                known.worlds.insert(entity, kept);
            } else if let Some(world) = computed_world(&known, &snapshot, row, &values) {
                known.worlds.insert(entity, world);
            }
            known.values.insert(entity, values);
        }
        Self { snapshot, known }
    }

    /// The world matrix of an entity, which need not be the one that it has.
    #[must_use]
    pub fn world(&self, entity: Entity) -> Option<&Bounded> {
        self.known.worlds.get(&entity).map(|world| &world.matrix)
    }

    /// What a component of an entity must be; `None` for an input, or where nothing is computed.
    #[must_use]
    pub fn value(&self, entity: Entity, kind: Kind) -> Option<&Derived> {
        self.known.value(entity, kind)
    }

    /// The parent of an entity: `None` for a root, also for one that is made a root by a run, for
    /// one that waits and for one on a cycle.
    #[must_use]
    pub fn parent(&self, entity: Entity) -> Option<Entity> {
        self.known.links.linked.get(&entity).copied()
    }

    /// The children of an entity, in no particular order.
    #[must_use]
    pub fn children(&self, entity: Entity) -> &[Entity] {
        self.known.links.children.get(&entity).map_or(&[], Vec::as_slice)
    }

    /// The entities on cycles, each with its `Parent`.
    #[must_use]
    pub fn cycles(&self) -> &HashMap<Entity, Entity> {
        &self.known.links.cyclic
    }

    /// The entities that wait for their `Parent`, each with it.
    #[must_use]
    pub fn waiting(&self) -> &HashMap<Entity, Entity> {
        &self.known.links.waiting
    }
}

fn computed_world(
    known: &Known,
    all: &Snapshot,
    row: &Row,
    values: &[(Kind, Derived)],
) -> Option<WorldMatrix> {
    let value =
        |of| values.iter().find(|(kind, _)| *kind == of).and_then(|(_, value)| value.bounded());
    row.get(Kind::LocalToWorld)?;
    // What has a frame does not follow the matrix of its parent.
    let parent = known.links.linked.get(&row.entity).filter(|_| row.frame.is_none());
    let Some(parent) = parent else {
        return Some(WorldMatrix::new(value(Kind::LocalToWorld)?));
    };
    all.get(*parent)?;
    let local = value(Kind::LocalToParent)?;
    Some(known.above(*parent, row).then(&local))
}
