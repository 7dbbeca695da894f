//! Several bundles on one world, in one schedule or in several, and bundles that come and go.

use harness::{at, below, schedule, x};
use legion::{Entity, Resources, Schedule, World};
use legion_transform::{Findings, findings::FindingKind, prelude::*};
use nalgebra::{Matrix4, Vector3};

/// Two bundles on one world, in one schedule or in two.
struct Pair {
    world: World,
    resources: Resources,
    schedules: Vec<Schedule>,
}

impl Pair {
    fn in_one_schedule() -> Self {
        let both = Schedule::builder()
            .add_transforms(TransformSystemBundle::default())
            .add_transforms(TransformSystemBundle::default())
            .build();
        Self { world: World::default(), resources: Resources::default(), schedules: vec![both] }
    }

    fn in_two_schedules() -> Self {
        Self {
            world: World::default(),
            resources: Resources::default(),
            schedules: vec![schedule(), schedule()],
        }
    }

    fn run(&mut self, schedule: usize) -> Vec<(FindingKind, Entity)> {
        self.schedules[schedule].execute(&mut self.world, &mut self.resources);
        let findings = self.resources.get::<Findings>().unwrap();
        findings.of(&self.world).map(|finding| (finding.kind, finding.entity)).collect()
    }
}

fn two_scales() -> (LocalToWorld, Scale, NonUniformScale) {
    (LocalToWorld::identity(), Scale(2.0), NonUniformScale::new(1.0, 2.0, 3.0))
}

#[test]
fn findings_of_two_bundles_in_one_schedule_are_told_once_each() {
    let mut pair = Pair::in_one_schedule();
    let dead = pair.world.push(at(1.0));
    let orphan = pair.world.push(below(dead, 2.0));
    let both = pair.world.push(two_scales());
    let flat = pair.world.push((LocalToWorld::identity(), Scale(0.0), WorldToLocal::identity()));
    pair.world.remove(dead);
    let standing = [(FindingKind::TwoScales, both), (FindingKind::WorldWithoutInverse, flat)];
    assert_eq!(pair.run(0), [standing[0], standing[1], (FindingKind::DeadParent, orphan)]);
    assert_eq!(
        pair.run(0),
        standing,
        "what was mended stands for one run, what is wrong still stands"
    );
    pair.world.remove(flat);
    assert_eq!(pair.run(0), standing[..1]);
    pair.world.entry(both).unwrap().remove_component::<Scale>();
    assert_eq!(pair.run(0), []);
}

#[test]
fn a_finding_that_was_resolved_is_not_told_by_the_other_schedule() {
    let mut pair = Pair::in_two_schedules();
    let both = pair.world.push(two_scales());
    assert_eq!(pair.run(0), [(FindingKind::TwoScales, both)]);
    pair.world.entry(both).unwrap().remove_component::<Scale>();
    assert_eq!(pair.run(1), []);
}

#[test]
fn findings_of_every_kind_are_shared_by_two_schedules() {
    let mut pair = Pair::in_two_schedules();
    let both = pair.world.push(two_scales());
    let flat = pair.world.push((LocalToWorld::identity(), Scale(0.0), WorldToLocal::identity()));
    let source = pair.world.push((LocalToWorld::identity(), CompositeScale(Matrix4::zeros())));
    let child = pair.world.push(below(source, 1.0));
    pair.world.entry(child).unwrap().add_component(ParentScaleInverse::identity());
    let cyclic = pair.world.push(at(1.0));
    pair.world.entry(cyclic).unwrap().add_component(LocalToParent::identity());
    pair.world.entry(cyclic).unwrap().add_component(Parent(cyclic));
    let all = [
        (FindingKind::Cycle, cyclic),
        (FindingKind::TwoScales, both),
        (FindingKind::ScaleWithoutInverse, child),
        (FindingKind::WorldWithoutInverse, flat),
    ];
    assert_eq!(pair.run(0), all);
    pair.world.entry(both).unwrap().remove_component::<Scale>();
    pair.world.entry(flat).unwrap().add_component(Scale(1.0));
    assert_eq!(
        pair.run(1),
        [all[0], all[2]],
        "the second schedule sees what the first has found mended"
    );
    pair.world.entry(source).unwrap().add_component(CompositeScale::identity());
    assert_eq!(pair.run(1), [all[0]]);
    pair.world.entry(cyclic).unwrap().remove_component::<Parent>();
    pair.world.entry(cyclic).unwrap().remove_component::<LocalToParent>();
    assert_eq!(pair.run(1), []);
    assert_eq!(pair.run(0), []);
}

#[test]
fn findings_of_a_dropped_bundle_go_with_it() {
    let mut pair = Pair::in_two_schedules();
    let both = pair.world.push(two_scales());
    assert_eq!(pair.run(0), [(FindingKind::TwoScales, both)]);
    pair.schedules.remove(0);
    let findings = pair.resources.get::<Findings>().unwrap();
    assert!(findings.is_clean(&pair.world), "no bundle is left that finds it");
}

/// Each bundle remembers what it wrote itself; what another one wrote is to it like a value of the
/// user's.
#[test]
fn the_scale_inverse_of_a_lost_source_is_reset_by_the_bundle_that_wrote_it() {
    let mut pair = Pair::in_two_schedules();
    let parent =
        pair.world.push((LocalToWorld::identity(), Translation::new(0.0, 0.0, 0.0), Scale(2.0)));
    let child = pair.world.push(below(parent, 3.0));
    pair.world.entry(child).unwrap().add_component(ParentScaleInverse::identity());
    let inverse = |pair: &mut Pair| {
        pair.world.entry(child).unwrap().get_component::<ParentScaleInverse>().unwrap().0
    };
    let half = Matrix4::new_scaling(0.5);
    pair.run(0);
    assert_eq!(inverse(&mut pair), half);
    pair.world.entry(parent).unwrap().remove_component::<Scale>();
    pair.run(1);
    assert_eq!(inverse(&mut pair), half, "the second bundle has not written it");
    assert_eq!(
        pair.world.entry(child).unwrap().get_component::<LocalToWorld>().unwrap().0.m11,
        0.5,
        "and follows it"
    );
    pair.run(0);
    assert_eq!(inverse(&mut pair), Matrix4::identity(), "the first one has");
    pair.run(1);
    let translated = Matrix4::new_translation(&Vector3::new(3.0, 0.0, 0.0));
    assert_eq!(
        pair.world.entry(child).unwrap().get_component::<LocalToWorld>().unwrap().0,
        translated
    );
}

#[test]
fn schedules_that_come_and_go_leave_nothing_behind_in_a_living_world() {
    let mut world = World::default();
    let mut resources = Resources::default();
    let parent = world.push(at(1.0));
    // Legion shows how many subscribers a world has in its debug output only.
    let subscribers = |world: &World| {
        format!("{world:?}").rsplit("Subscribers { len: ").next().unwrap().to_owned()
    };
    let mut seen = Vec::new();
    for round in 0..50 {
        let mut schedule = schedule();
        let child = world.push(below(parent, round as f32));
        schedule.execute(&mut world, &mut resources);
        assert_eq!(x(&world, child), 1.0 + round as f32);
        seen.push(subscribers(&world));
    }
    assert_eq!(seen[0], seen[49], "as many subscribers after fifty schedules as after one");
}
