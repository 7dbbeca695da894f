//! Several bundles on one world, in one schedule or in several, and bundles that come and go: a
//! world has one state, which they share.

use harness::{Rng, at, below, schedule, x};
use legion::{Entity, Resources, Schedule, World, systems::SystemBuilder};
use legion_transform::{
    TransformChanges, TransformStats,
    components::{CompositeScale, PreviousParent, Visible},
    findings::FindingKind,
    prelude::*,
};
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
    pair.world.entry(orphan).unwrap().add_component(PreviousParent::from(Some(dead)));
    let both = pair.world.push(two_scales());
    let flat = pair.world.push((LocalToWorld::identity(), Scale(0.0), WorldToLocal::identity()));
    pair.world.remove(dead);
    let standing = [(FindingKind::TwoScales, both), (FindingKind::WorldWithoutInverse, flat)];
    assert_eq!(pair.run(0), standing, "what the first bundle mended, the second one finds right");
    assert!(pair.world.entry(orphan).unwrap().get_component::<Parent>().is_err());
    pair.world.remove(flat);
    assert_eq!(pair.run(0), standing[..1]);
    pair.world.entry(both).unwrap().remove_component::<Scale>();
    assert_eq!(pair.run(0), []);
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
fn findings_stay_when_a_schedule_is_dropped() {
    let mut pair = Pair::in_two_schedules();
    let both = pair.world.push(two_scales());
    assert_eq!(pair.run(0), [(FindingKind::TwoScales, both)]);
    pair.schedules.remove(0);
    let broken = |pair: &Pair| !pair.resources.get::<Findings>().unwrap().is_clean(&pair.world);
    assert!(broken(&pair), "the world is as broken as before");
    assert_eq!(pair.run(0), [(FindingKind::TwoScales, both)], "another schedule finds it, too");
    pair.world.entry(both).unwrap().remove_component::<Scale>();
    assert_eq!(pair.run(0), []);
}

#[test]
fn a_repaired_finding_stands_until_the_next_run_of_any_schedule() {
    let mut pair = Pair::in_two_schedules();
    let dead = pair.world.push(at(1.0));
    let orphan = pair.world.push(below(dead, 2.0));
    assert_eq!(pair.run(0), []);
    pair.world.remove(dead);
    assert_eq!(pair.run(0), [(FindingKind::DeadParent, orphan)]);
    let told = pair.resources.get::<Findings>().unwrap().of(&pair.world).count();
    assert_eq!(told, 1, "it stands between the runs");
    assert_eq!(pair.run(1), [], "and goes with the next run, though another schedule mended it");
    assert_eq!(pair.run(0), []);
}

/// A world has one state: whichever schedule runs knows what was written into
/// `ParentScaleInverse`.
#[test]
fn the_scale_inverse_of_a_lost_source_is_reset_by_whichever_schedule_runs() {
    let mut pair = Pair::in_two_schedules();
    let parent =
        pair.world.push((LocalToWorld::identity(), Translation::new(0.0, 0.0, 0.0), Scale(2.0)));
    let child = pair.world.push(below(parent, 3.0));
    pair.world.entry(child).unwrap().add_component(ParentScaleInverse::identity());
    pair.run(0);
    let entry = pair.world.entry(child).unwrap();
    let inverse = entry.get_component::<ParentScaleInverse>().unwrap().0;
    assert_eq!(inverse, Matrix4::new_scaling(0.5));
    pair.world.entry(parent).unwrap().remove_component::<Scale>();
    pair.run(1);
    let entry = pair.world.entry(child).unwrap();
    let inverse = entry.get_component::<ParentScaleInverse>().unwrap().0;
    assert_eq!(inverse, Matrix4::identity());
    let matrix = entry.get_component::<LocalToWorld>().unwrap().0;
    assert_eq!(matrix, Matrix4::new_translation(&Vector3::new(3.0, 0.0, 0.0)));
}

/// What the second run of a frame finds is what the first one has done: nothing is left to do.
#[test]
fn the_second_schedule_has_nothing_left_to_do() {
    let mut pair = Pair::in_two_schedules();
    let root = pair.world.push(at(1.0));
    let children: Vec<Entity> = (0..100).map(|i| pair.world.push(below(root, i as f32))).collect();
    pair.run(0);
    pair.run(1);
    pair.world.entry(root).unwrap().add_component(Translation::new(5.0, 0.0, 0.0));
    pair.world.remove(children[7]);
    pair.run(0);
    pair.run(1);
    let stats = pair.resources.get::<TransformStats>().unwrap().of(&pair.world);
    assert_eq!((stats.composed, stats.propagated, stats.relinked), (0, 0, 0));
}

/// The message of a run that panics.
#[cfg(panic = "unwind")]
fn refusal(first: TransformSystemBundle, second: TransformSystemBundle) -> String {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let entity = world.push(at(1.0));
    let bundles = [first, second].into_iter();
    let mut schedules: Vec<Schedule> =
        bundles.map(|bundle| Schedule::builder().add_transforms(bundle).build()).collect();
    schedules[0].execute(&mut world, &mut resources);
    let run = || schedules[1].execute(&mut world, &mut resources);
    let panic = harness::caught(run).expect_err("two bundles with different options");
    let message = panic.downcast::<String>().unwrap();
    world.entry(entity).unwrap().add_component(Translation::new(2.0, 0.0, 0.0));
    schedules[0].execute(&mut world, &mut resources);
    assert_eq!(x(&world, entity), 2.0, "the first bundle goes on as if nothing had been");
    drop(schedules.remove(0));
    world.entry(entity).unwrap().add_component(Translation::new(3.0, 0.0, 0.0));
    schedules[0].execute(&mut world, &mut resources);
    assert_eq!(x(&world, entity), 3.0, "and where it is gone, the second one takes over");
    *message
}

#[cfg(panic = "unwind")]
#[test]
fn bundles_with_different_options_are_refused_by_name() {
    let plain = TransformSystemBundle::default;
    assert!(refusal(plain(), plain().track_changes()).contains("track_changes()"));
    assert!(refusal(plain().insert_missing(), plain()).contains("insert_missing()"));
    let grouped = plain().write_group::<LocalToWorld, u8>();
    assert!(refusal(plain(), grouped).contains("write_group()"));
    assert!(refusal(plain(), plain().large_worlds()).contains("large_worlds()"));
    assert!(refusal(plain().inherit::<Visible>(), plain()).contains("inherit()"));
}

/// A page of settings: each time another bundle, with other options or the same.
#[test]
fn a_new_bundle_takes_a_living_world_over() {
    let plain = TransformSystemBundle::default;
    let bundle = |number| match number {
        0 => plain(),
        1 => plain().track_changes(),
        2 => plain().insert_missing().inherit::<Visible>(),
        3 => plain().large_worlds(),
        4 => plain().write_group::<LocalToWorld, u8>(),
        _ => plain().track_changes().large_worlds().insert_missing(),
    };
    let (mut world, mut resources) = (World::default(), Resources::default());
    let root = world.push(at(0.0));
    let child = world.push(below(root, 1.0));
    let own = world.push((LocalToWorld::identity(), Translation::new(4.0, 0.0, 0.0), 7_u8));
    let bare = world.push((Translation::new(5.0, 0.0, 0.0),));
    let mut rng = Rng::new(8);
    let mut last = None;
    for take in 1..100 {
        let number = rng.below(6);
        let is_other = last.replace(number) != Some(number);
        let mut schedule = Schedule::builder().add_transforms(bundle(number)).build();
        for run in 0..3 {
            let moved = (take * 10 + run) as f32;
            world.entry(root).unwrap().add_component(Translation::new(moved, 0.0, 0.0));
            world.entry(own).unwrap().add_component(LocalToWorld::identity());
            schedule.execute(&mut world, &mut resources);
            assert_eq!((x(&world, root), x(&world, child)), (moved, moved + 1.0));
            assert_eq!(x(&world, own), if number == 4 { 0.0 } else { 4.0 });
            let has_matrix = world.entry(bare).unwrap().get_component::<LocalToWorld>().is_ok();
            assert!(has_matrix || !matches!(number, 2 | 5));
            if matches!(number, 1 | 5) {
                let changes = resources.get::<TransformChanges>().unwrap();
                let begins = changes.of(&world).begins_anew();
                assert!(if run == 0 { begins || !is_other } else { !begins });
            }
        }
    }
}

#[test]
fn the_order_of_write_groups_is_no_difference() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let one = TransformSystemBundle::default()
        .write_group::<LocalToWorld, u8>()
        .write_group::<LocalToWorld, u16>();
    let other = TransformSystemBundle::default()
        .write_group::<LocalToWorld, u16>()
        .write_group::<LocalToWorld, u8>();
    for bundle in [one, other] {
        let mut schedule = Schedule::builder().add_transforms(bundle).build();
        schedule.execute(&mut world, &mut resources);
    }
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

/// Two `Resources` share the state of a world. What the second one has not got yet is reported
/// again, and nothing is computed again.
#[test]
fn a_world_that_comes_to_other_resources_computes_nothing_again() {
    let (mut world, mut resources) = (World::default(), [(); 2].map(|()| Resources::default()));
    let bundle = TransformSystemBundle::default().print_findings(false).track_changes();
    let mut schedule = Schedule::builder().add_transforms(bundle).build();
    let faulty = world.push(two_scales());
    let parent = world.push(at(1.0));
    world.push(below(parent, 2.0));
    let mut run = |world: &mut World, which: usize| {
        schedule.execute(world, &mut resources[which]);
        let composed = resources[which].get::<TransformStats>().unwrap().of(world).composed;
        let findings = resources[which].get::<Findings>().unwrap();
        assert!(findings.of(world).any(|it| it.entity == faulty), "it stands");
        let changes = resources[which].get::<TransformChanges>().unwrap();
        let changes = changes.of(world);
        (composed, changes.begins_anew(), changes.changed().count(), changes.removed().len())
    };
    assert_eq!(run(&mut world, 0), (3, true, 3, 0));
    assert_eq!(run(&mut world, 0), (0, false, 0, 0));
    assert_eq!(run(&mut world, 1), (0, true, 3, 0));
    world.remove(parent);
    let (_, begins_anew, _, removed) = run(&mut world, 0);
    assert!(begins_anew && removed == 0, "it has missed a run");
    assert_eq!(run(&mut world, 0), (0, false, 0, 0));
}

/// A user's system panics between two steps of a run with one of two `Resources`: the list of the
/// other has missed what that run has looked at, and begins anew.
#[cfg(panic = "unwind")]
#[test]
fn a_list_that_has_missed_a_run_that_panicked_begins_anew() {
    struct Bug;
    let system = || {
        let system = SystemBuilder::new("bug").read_resource::<Option<Bug>>();
        system.build(|_, _, bug, ()| assert!(bug.is_none(), "a user's bug"))
    };
    let bundle = || TransformSystemBundle::default().track_changes();
    for bundle in [bundle().before_composition(system()), bundle().before_propagation(system())] {
        let mut schedule = Schedule::builder().add_transforms(bundle).build();
        let (mut world, mut resources) = (World::default(), [(); 2].map(|()| Resources::default()));
        let all = world.extend([at(1.0), at(2.0), at(3.0)]).to_vec();
        let mut run = |world: &mut World, which: usize, bug: Option<Bug>| {
            resources[which].insert(bug);
            harness::caught(|| schedule.execute(world, &mut resources[which])).ok()?;
            let changes = resources[which].get::<TransformChanges>().unwrap();
            let changes = changes.of(world);
            Some((changes.begins_anew(), changes.changed().count()))
        };
        assert_eq!(run(&mut world, 0, None), Some((true, 3)));
        assert_eq!(run(&mut world, 1, None), Some((true, 3)));
        world.remove(all[0]);
        assert_eq!(run(&mut world, 0, Some(Bug)), None);
        world.remove(all[1]);
        assert_eq!(run(&mut world, 1, None), Some((true, 1)));
        assert_eq!(run(&mut world, 0, None), Some((true, 1)));
    }
}

/// When the `Resources` are gone, the next event frees the state, perhaps while an edit has it. The
/// options of the bundle stay known.
#[test]
fn options_are_known_when_the_resources_are_gone() {
    struct Mine;
    let bundle = || TransformSystemBundle::default().write_group::<LocalToWorld, Mine>();
    for (edits, runs) in [(false, 0), (true, 0), (false, 1), (true, 1), (true, 10)] {
        let (mut world, mut resources) = (World::default(), Resources::default());
        let mut schedule = Schedule::builder().add_transforms(bundle()).build();
        let scaled = LocalToWorld(Matrix4::new_scaling(3.0));
        let mine = world.push((Mine, Translation::new(5.0, 0.0, 0.0), scaled));
        let [root, other] = [(); 2].map(|()| world.push_transform((Translation::identity(),)));
        let child = world.push_child(root, (Translation::identity(),));
        schedule.execute(&mut world, &mut resources);
        drop(std::mem::take(&mut resources));
        if edits {
            world.set_parent(other, root).unwrap();
        } else {
            world.push((1_u8,));
        }
        (0..runs).for_each(|_| schedule.execute(&mut world, &mut resources));
        assert_eq!(TransformQuery::new(&world).local_to_world(mine), Ok(scaled));
        // Without `insert_missing`, `Parent` alone links nothing.
        world.entry(child).unwrap().remove_component::<LocalToWorld>();
        let below = Walk::fresh(&world).unwrap().descendants(root).any(|it| it == child);
        assert!(!below, "{edits} {runs}");
    }
}
