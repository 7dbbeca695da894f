//! The names that programs write: in the prelude, in systems, in messages for debugging.

use legion::{systems::CommandBuffer, world::SubWorld, *};
use legion_transform::{TransformStats, findings::FindingKind, prelude::*};

/// All of a program's usual globs, without a collision of the names in the prelude that nalgebra
/// does not have, too.
mod globs {
    #![allow(unused_imports, dead_code)]
    use legion::{query::*, storage::*, systems::*, world::*, *};
    use legion_transform::prelude::*;
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
    let mut buffer = CommandBuffer::new(&world);
    let commands = Edits::default().commands(&mut buffer);
    assert!(format!("{commands:?}").contains("Edits"), "{commands:?}");
}
