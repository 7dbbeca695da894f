//! The names that programs write: in the prelude, in systems, in messages for debugging.

use std::collections::BTreeSet;

use harness::Rng;
use legion::{
    storage::ComponentTypeId,
    systems::{CommandBuffer, Runnable, SystemBuilder},
    world::SubWorld,
    *,
};
use legion_transform::{
    TransformStats, components::*, findings::FindingKind, prelude::*, query::QueryError,
};
use legion_transform_testing::Kind;

/// All of a program's usual globs, without a collision of the names in the prelude that nalgebra
/// does not have, too.
mod globs {
    #![allow(unused_imports, dead_code)]
    use legion::{query::*, storage::*, systems::*, world::*, *};
    use legion_transform::{
        components::{CompositeRotation, CompositeScale},
        prelude::*,
    };
    use nalgebra::*;

    pub type All<'a> =
        (Findings, TransformChanges, TransformQuery<'a, World>, Walk<'a, World>, Edits);
    pub type Components = (LocalToWorld, LocalToParent, WorldToLocal, Parent, Children);
    pub type Scales = (NonUniformScale, CompositeScale, ParentScaleInverse);
    pub const BUNDLE: fn() -> TransformSystemBundle = TransformSystemBundle::default;
}

/// What a system saw of the findings, counts and changes of the last run.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    findings: usize,
    is_clean: bool,
    composed: usize,
    changed: usize,
}

#[system]
#[read_component(LocalToWorld)]
fn look(
    world: &SubWorld<'_>,
    #[resource] findings: &Findings,
    #[resource] stats: &TransformStats,
    #[resource] changes: &TransformChanges,
    #[resource] seen: &mut Seen,
) {
    *seen = Seen {
        findings: findings.of(world).count(),
        is_clean: findings.is_clean(world),
        composed: stats.of(world).composed,
        changed: changes.of(world).changed().count(),
    };
}

#[test]
fn systems_read_what_a_run_found() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    resources.insert(Seen::default());
    let mut schedule = Schedule::builder()
        .add_transforms((globs::BUNDLE)().track_changes())
        .add_system(look_system())
        .build();
    let entity = world.push_transform(Transform::from_xyz(1.0, 0.0, 0.0));
    schedule.execute(&mut world, &mut resources);
    let clean = Seen { findings: 0, is_clean: true, composed: 1, changed: 1 };
    assert_eq!(*resources.get::<Seen>().unwrap(), clean);
    world.entry(entity).unwrap().add_component(Scale(2.0));
    schedule.execute(&mut world, &mut resources);
    assert_eq!(resources.get::<Seen>().unwrap().findings, 1);
    assert!(!resources.get::<Seen>().unwrap().is_clean);
    let findings = resources.get::<Findings>().unwrap();
    assert_eq!(findings.of(&world).next().unwrap().kind, FindingKind::TwoScales);
}

/// What a system by `read_transforms!` could not read.
#[derive(Default)]
pub(super) struct Denied(Vec<QueryError>);

read_transforms! {
    /// With a comment, a visibility, and parameters of every sort.
    #[system]
    #[read_component(Mesh)]
    pub(super) fn read_all(
        world: &SubWorld<'_>,
        commands: &mut CommandBuffer,
        #[state] runs: &mut usize,
        #[resource] denied: &mut Denied,
    ) {
        *runs += 1;
        let query = TransformQuery::new(world);
        let walk = match Walk::fresh(world) {
            Ok(walk) => walk,
            Err(error) => return denied.0.push(error),
        };
        for (&entity, _) in <(Entity, &Mesh)>::query().iter(world) {
            let answers = [
                query.local_to_world(entity).err(),
                query.local_to_parent(entity).err(),
                query.world_to_local(entity).err(),
                Transform::read(world, entity).err(),
                walk.root(entity).is_none().then_some(QueryError::Dead(entity)),
            ];
            denied.0.extend(answers.into_iter().flatten());
            commands.remove_component::<Mesh>(entity);
        }
    }
}

struct Mesh;

/// A system by the macro may read every component that there is, wherever it is.
#[test]
fn a_system_that_reads_transforms_is_denied_nothing() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    resources.insert(Denied::default());
    let root = world.push_transform((Mesh, Transform::from_xyz(1.0, 2.0, 3.0)));
    let mut rng = Rng::new(1);
    for &kind in Kind::ALL {
        // Inputs are read where the composite is that they are inputs of.
        let rotations = (CompositeRotation::identity(), Rotation::identity());
        let entity = world.push_child(root, (Mesh, rotations.0, rotations.1));
        world.entry(entity).unwrap().add_component(PostRotation::identity());
        world.entry(entity).unwrap().add_component(CompositeScale::identity());
        kind.add(&mut world.entry(entity).unwrap(), &rng.numbers(kind));
        world.push_child(entity, (Mesh, Scale(2.0), ParentScaleInverse::identity()));
    }
    let mut schedule = Schedule::builder().add_system(read_all_system(0)).build();
    schedule.execute(&mut world, &mut resources);
    let denied = &resources.get::<Denied>().unwrap().0;
    let is_denied = |error: &&QueryError| matches!(error, QueryError::MissingAccess { .. });
    assert_eq!(denied.iter().find(is_denied), None);
    assert_eq!(<&Mesh>::query().iter(&world).count(), 0, "all were read");
}

/// There is one list of components, whoever goes through it: the macro, the method, and the kit's
/// kinds with the four that are no numbers, or no `f32`.
#[test]
fn all_lists_of_components_are_one() {
    let by_macro = read_all_system(0);
    let by_method = SystemBuilder::new("all").read_transforms().build(|_, _, _, _| {});
    let sorted = |ids: &[ComponentTypeId]| {
        let ids = ids.iter().filter(|id| **id != ComponentTypeId::of::<Mesh>());
        ids.copied().collect::<BTreeSet<_>>()
    };
    let kinds: Vec<ComponentTypeId> = Kind::ALL.iter().map(|kind| kind.type_id()).collect();
    let others = [
        ComponentTypeId::of::<Parent>(),
        ComponentTypeId::of::<PreviousParent>(),
        ComponentTypeId::of::<Children>(),
        ComponentTypeId::of::<Frame>(),
    ];
    let all = sorted(&[kinds.as_slice(), &others].concat());
    assert_eq!(all.len(), Kind::ALL.len() + 4, "each once");
    assert_eq!(sorted(by_macro.reads().1), all);
    assert_eq!(sorted(by_method.reads().1), all);
}

/// What gets a frame in place of its inputs loses every one of them.
#[test]
fn all_inputs_go_where_a_frame_comes() {
    let mut world = World::default();
    let ship = world.push_transform((Frame::default(),));
    let kept = [Kind::LocalToWorld, Kind::WorldToLocal, Kind::Inherits];
    for &kind in Kind::ALL.iter().filter(|kind| **kind != Kind::LocalToParent) {
        let shuttle = world.push_child(ship, (Translation::new(1.0, 0.0, 0.0),));
        kind.add(&mut world.entry(shuttle).unwrap(), &kind.identity());
        world.remove_parent(shuttle).unwrap();
        let entry = world.entry(shuttle).unwrap();
        assert!(entry.get_component::<Frame>().is_ok());
        assert_eq!(kind.get(&entry).is_some(), kept.contains(&kind), "{}", kind.name());
    }
}

#[test]
fn everything_can_be_printed() {
    let mut world = World::default();
    let root = world.push_tree((Scale(2.0),), |tree| {
        assert!(format!("{tree:?}").contains(&format!("{:?}", tree.entity())));
    });
    let bundle = TransformSystemBundle::default().insert_missing();
    assert!(format!("{bundle:?}").contains("insert_missing: true"), "{bundle:?}");
    assert!(format!("{:?}", TransformQuery::new(&world)).contains("TransformQuery"));
    let walk = Walk::fresh(&world).unwrap();
    assert!(format!("{walk:?}").contains("Walk") && walk.root(root) == Some(root));
    let edits = Edits::default().on_shear(OnShear::WriteMatrix);
    assert!(format!("{edits:?}").contains("WriteMatrix"), "{edits:?}");
}
