//! What the worlds are made of, and every way to spawn it.

use harness::Rng;
use legion::{
    Entity, EntityStore, IntoQuery, Resources, World, any, storage::IntoSoa,
    systems::CommandBuffer, world::Duplicate,
};
use legion_transform::{components::PreviousParent, ecosystem::merge::register_clones, prelude::*};
use legion_transform_testing::{Kind, Numbers, Numeric};

/// A component of a user's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Health(pub u32);

macro_rules! species {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What entities are: each species has an archetype of its own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Species { $($(#[$doc])* $name,)* }

        use Species::*;

        pub const ALL: &[Species] = &[$($name),*];
    };
}

species! {
    /// Without a transform.
    Bare,
    Root,
    Pivots,
    Angles,
    Inverse,
    /// A matrix of the user's.
    Owned,
    OwnedInverse,
    Child,
    /// A child that has children.
    Middle,
    Unscaled,
    AngledChild,
    ChildInverse,
    /// A child with a local matrix of the user's.
    OwnedChild,
}

/// How entities come into a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Push,
    Extend,
    Columns,
    /// Over entities that are there: they lose what they had.
    Id,
    Commands,
    Helper,
    Clone,
    Move,
}

pub const WAYS: [Way; 8] = [
    Way::Push,
    Way::Extend,
    Way::Columns,
    Way::Id,
    Way::Commands,
    Way::Helper,
    Way::Clone,
    Way::Move,
];

/// Spawns `n` rows of these components.
macro_rules! insert {
    ($world:expr, $way:expr, $n:expr, $($component:expr),+ $(,)?) => {{
        let (world, n): (&mut World, usize) = ($world, $n);
        let column = 0..n;
        match $way {
            Way::Push => column.map(|_| world.push(($($component,)+))).collect(),
            Way::Columns => {
                let columns = ($(column.clone().map(|_| $component).collect::<Vec<_>>(),)+);
                world.extend(columns.into_soa()).to_vec()
            }
            Way::Id => {
                let ids: Vec<Entity> = column.map(|_| world.push((Health(0),))).collect();
                ids.iter().for_each(|&id| world.push_with_id(id, ($($component,)+)));
                ids
            }
            Way::Commands => {
                let mut commands = CommandBuffer::new(world);
                let rows: Vec<_> = column.map(|_| ($($component,)+)).collect();
                let entities = commands.extend(rows).to_vec();
                commands.flush(world, &mut Resources::default());
                entities
            }
            Way::Helper => world.extend_transforms(column.map(|_| ($($component,)+))),
            _ => world.extend(column.map(|_| ($($component,)+)).collect::<Vec<_>>()).to_vec(),
        }
    }};
}

/// One of four values of a component. There are no more, so that an entity often gets the value of
/// one that stood in its row, or that it had before.
pub fn value(kind: Kind, rng: &mut Rng) -> Numbers {
    Rng::new(rng.below(4) as u64).numbers(kind)
}

/// Spawns `n` entities of a species; children are children of `parent`.
pub fn spawn(
    world: &mut World,
    (species, way, n): (Species, Way, usize),
    parent: Entity,
    rng: &mut Rng,
) -> Vec<Entity> {
    if matches!(way, Way::Clone | Way::Move) {
        return merge(world, (species, way, n), parent, rng);
    }
    macro_rules! value {
        ($component:ident) => {
            $component::from_numbers(&value(Kind::$component, rng))
        };
    }
    macro_rules! root {
        ($($more:expr),*) => {
            insert!(world, way, n, LocalToWorld::identity(), $($more),*)
        };
    }
    macro_rules! child {
        ($($more:expr),*) => {
            insert!(
                world, way, n,
                LocalToWorld::identity(), Parent(parent), PreviousParent::default(), $($more),*
            )
        };
    }
    let local = LocalToParent::identity;
    match species {
        Bare => insert!(world, way, n, Health(1)),
        Root => root!(value!(Translation), value!(Scale), Health(2)),
        Pivots => root!(
            value!(Translation),
            value!(Rotation),
            value!(RotationPivot),
            CompositeRotation::identity(),
            value!(NonUniformScale),
            value!(ScalePivot),
            CompositeScale::identity()
        ),
        Angles => root!(value!(Translation), value!(RotationEulerXYZ), Rotation::identity()),
        Inverse => root!(value!(Translation), WorldToLocal::identity()),
        Owned => insert!(world, way, n, value!(LocalToWorld)),
        OwnedInverse => insert!(world, way, n, value!(LocalToWorld), WorldToLocal::identity()),
        Child => child!(local(), value!(Translation), Health(3)),
        Middle => child!(local(), value!(Translation), value!(Rotation), Children::new()),
        Unscaled => child!(local(), value!(Translation), value!(ParentScaleInverse)),
        AngledChild => {
            child!(local(), value!(Translation), value!(RotationEulerXYZ), Rotation::identity())
        }
        ChildInverse => child!(local(), value!(Scale), WorldToLocal::identity()),
        OwnedChild => child!(value!(LocalToParent)),
    }
}

/// Spawns them in another world, below a root there, and merges that world into this one. Returns
/// the entities and the root.
fn merge(
    world: &mut World,
    (species, way, n): (Species, Way, usize),
    parent: Entity,
    rng: &mut Rng,
) -> Vec<Entity> {
    let mut other = World::default();
    let root = spawn(&mut other, (Root, Way::Push, 1), parent, rng)[0];
    spawn(&mut other, (species, Way::Extend, n), root, rng);
    if way == Way::Move {
        let all = <Entity>::query().iter(&other).copied().collect();
        world.move_from(&mut other, &any());
        return all;
    }
    let mut merger = Duplicate::default();
    register_clones(&mut merger);
    merger.register_copy::<Health>();
    world.clone_from(&other, &any(), &mut merger).into_values().collect()
}

/// What may be derived.
pub const DERIVED: [Kind; 6] = [
    Kind::LocalToWorld,
    Kind::LocalToParent,
    Kind::WorldToLocal,
    Kind::CompositeRotation,
    Kind::CompositeScale,
    Kind::Rotation,
];

pub fn has(world: &World, entity: Entity, kind: Kind) -> bool {
    let Ok(entry) = world.entry_ref(entity) else { return false };
    let layout = entry.archetype().layout();
    layout.component_types().contains(&kind.type_id())
}

pub fn has_relations(world: &World, entity: Entity) -> bool {
    let entry = world.entry_ref(entity);
    entry.is_ok_and(|entry| {
        let layout = entry.archetype().layout();
        layout.has_component::<PreviousParent>() || layout.has_component::<Children>()
    })
}

/// Whether the bundle derives a component that an entity has.
pub fn is_derived(world: &World, entity: Entity, kind: Kind) -> bool {
    let has = |kind| has(world, entity, kind);
    let inputs = [
        Kind::Translation,
        Kind::Rotation,
        Kind::Scale,
        Kind::NonUniformScale,
        Kind::CompositeRotation,
        Kind::CompositeScale,
        Kind::ParentScaleInverse,
    ];
    let has_input = || inputs.into_iter().any(has);
    has(kind)
        && match kind {
            Kind::LocalToWorld => has(Kind::LocalToParent) || has_input(),
            Kind::LocalToParent => has_input(),
            Kind::Rotation => has(Kind::RotationEulerXYZ),
            _ => DERIVED.contains(&kind),
        }
}

pub fn is_input(world: &World, entity: Entity, kind: Kind) -> bool {
    has(world, entity, kind) && !is_derived(world, entity, kind)
}
