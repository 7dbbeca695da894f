//! Write groups: a user's component takes over what the bundle derives, or extends it.
//!
//! The archetype tables of section 6 of Unity's document, and the rules' closure, nested overrides
//! and user systems.

use harness::{CheckedWorld, Rng, TestWorld, snapshot, user::*};
use legion::{Entity, IntoQuery, SystemBuilder, World, systems::ParallelRunnable};
use legion_transform::{
    WriteGroups, components::CompositeRotation, prelude::*, write_group::WriteGroupFilter,
};
use legion_transform_testing::Kind;
use nalgebra::{Matrix4, Vector3};

/// `UserComponent` and `UserComponent2` of the document.
struct User;
struct User2;

fn user_groups() -> WriteGroups {
    let mut groups = WriteGroups::default();
    groups.register::<LocalToWorld, User>().register::<LocalToWorld, User2>();
    groups
}

type Trs = (LocalToWorld, Translation, Rotation, Scale);

fn trs() -> Trs {
    (
        LocalToWorld::identity(),
        Translation::new(1.0, 2.0, 3.0),
        Rotation::from_euler_angles(0.1, 0.2, 0.3),
        Scale(2.0),
    )
}

/// How many entities of the document's archetypes a query matches: `User`, `TRS + User`, `User +
/// User2`, `TRS + User + User2`, `User2`.
macro_rules! matches {
    ($query:expr) => {{
        let mut query = $query;
        let mut world = World::default();
        let (t, r, s) = (trs().1, trs().2, trs().3);
        let entities: [Entity; 5] = [
            world.push((LocalToWorld::identity(), User)),
            world.push((LocalToWorld::identity(), t, r, s, User)),
            world.push((LocalToWorld::identity(), User, User2)),
            world.push((LocalToWorld::identity(), t, r, s, User, User2)),
            world.push((LocalToWorld::identity(), User2)),
        ];
        let matched: Vec<Entity> = query.iter(&world).map(|(entity, ..)| *entity).collect();
        entities.map(|entity| matched.contains(&entity))
    }};
}

#[test]
fn an_override_stops_the_bundle_and_the_user_system_writes() {
    let system = SystemBuilder::new("user")
        .with_query(<(&User, &mut LocalToWorld)>::query())
        .build(|_, world, (), query| {
            for (_, matrix) in query.iter_mut(world) {
                *matrix = LocalToWorld(Matrix4::new_scaling(7.0));
            }
        });
    let bundle = TransformSystemBundle::default()
        .write_group::<LocalToWorld, User>()
        .before_propagation(system);
    let mut test = TestWorld::new(bundle);
    let (plain, user) = (test.push(trs()), test.push(trs()));
    test.put(user, User);
    let child =
        test.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(user), Scale(3.0)));
    test.run();
    assert_eq!(
        test.matrix(user),
        Matrix4::new_scaling(7.0),
        "the bundle does not run on this entity"
    );
    assert_eq!(test.matrix(plain).m14, 1.0);
    assert_eq!(test.matrix(child), Matrix4::new_scaling(21.0), "its child follows");
}

#[test]
fn without_a_filter_two_overrides_both_match() {
    let both = matches!(<(Entity, &LocalToWorld, &User)>::query());
    assert_eq!(both, [true, true, true, true, false]);
}

#[test]
fn an_extension_matches_only_what_it_mentions() {
    let filter = user_groups().filter::<LocalToWorld>().reads::<User>();
    assert_eq!(
        matches!(<(Entity, &LocalToWorld, &User)>::query().filter(filter)),
        [true, false, false, false, false]
    );
}

#[test]
fn an_extension_of_translation_rotation_and_scale() {
    let filter = user_groups()
        .filter::<LocalToWorld>()
        .reads::<User>()
        .reads::<Translation>()
        .reads::<Rotation>()
        .reads::<Scale>();
    let query =
        <(Entity, &LocalToWorld, &User, &Translation, &Rotation, &Scale)>::query().filter(filter);
    assert_eq!(matches!(query), [false, true, false, false, false]);
}

#[test]
fn a_combination_of_two_extensions() {
    let filter = user_groups().filter::<LocalToWorld>().reads::<User>().reads::<User2>();
    let query = <(Entity, &LocalToWorld, &User, &User2)>::query().filter(filter);
    assert_eq!(matches!(query), [false, false, true, false, false]);
}

#[test]
fn systems_for_each_and_for_both_match_each_entity_at_most_once() {
    let filter = || user_groups().filter::<LocalToWorld>();
    let one = matches!(<(Entity, &LocalToWorld, &User)>::query().filter(filter().reads::<User>()));
    let two =
        matches!(<(Entity, &LocalToWorld, &User2)>::query().filter(filter().reads::<User2>()));
    let both = filter().reads::<User>().reads::<User2>();
    let both = matches!(<(Entity, &LocalToWorld, &User, &User2)>::query().filter(both));
    let times: Vec<u8> =
        (0..5).map(|i| [one[i], two[i], both[i]].into_iter().map(u8::from).sum()).collect();
    assert_eq!(times, [1, 0, 1, 0, 1]);
}

#[test]
fn what_is_read_is_closed_over_and_the_target_is_not() {
    let mut groups = WriteGroups::default();
    groups
        .register::<LocalToWorld, User>()
        .register::<Rotation, User>()
        .register::<LocalToWorld, User2>();
    // User is behind Rotation, so what reads Rotation accounts for it; nothing accounts for User2.
    let filter =
        groups.filter::<LocalToWorld>().reads::<Translation>().reads::<Rotation>().reads::<Scale>();
    let query = <(Entity, &LocalToWorld, &Rotation)>::query().filter(filter);
    assert_eq!(matches!(query), [false, true, false, false, false]);
    let filter = groups.filter::<LocalToWorld>().reads::<Translation>().reads::<Scale>();
    let query = <(Entity, &LocalToWorld)>::query().filter(filter);
    assert_eq!(matches!(query), [false; 5]);
}

#[test]
fn a_deeper_closure_reaches_the_eulers_of_a_composite() {
    let filter = || WriteGroups::default().filter::<LocalToWorld>();
    let mut world = World::default();
    world.push((
        LocalToWorld::identity(),
        CompositeRotation::identity(),
        Rotation::identity(),
        RotationEulerXYZ::default(),
    ));
    let count = |filter: WriteGroupFilter| {
        <(Entity, &LocalToWorld)>::query().filter(filter).iter(&world).count()
    };
    assert_eq!(
        count(filter().reads::<CompositeRotation>()),
        1,
        "Rotation is in the group of CompositeRotation"
    );
    assert_eq!(count(filter().reads::<Rotation>()), 0);
}

/// Each derived component can be taken over: then the bundle neither writes it nor moves its
/// version, and all else follows.
#[test]
fn every_derived_component_can_be_overridden() {
    for (derived, own) in [
        (Kind::LocalToWorld, Kind::own::<OwnWorld>()),
        (Kind::LocalToParent, Kind::own::<OwnLocal>()),
        (Kind::Rotation, Kind::own::<OwnRotation>()),
        (Kind::PostRotation, Kind::own::<OwnPostRotation>()),
        (Kind::CompositeRotation, Kind::own::<OwnCompositeRotation>()),
        (Kind::CompositeScale, Kind::own::<OwnCompositeScale>()),
        (Kind::ParentScaleInverse, Kind::own::<OwnParentScaleInverse>()),
        (Kind::WorldToLocal, Kind::own::<OwnWorldToLocal>()),
    ] {
        let mut rng = Rng::new(1);
        let mut it = CheckedWorld::with_everything();
        let parent =
            it.push((LocalToWorld::identity(), Scale(2.0), Translation::new(1.0, 0.0, 0.0)));
        let everything = Kind::ALL.iter().copied().chain([own]);
        let components: Vec<_> = everything.map(|kind| (kind, rng.numbers(kind))).collect();
        let entity = it.spawn(&components);
        it.put(entity, Parent(parent));
        let child = it.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(entity)));
        let written = derived.get(&it.world.entry(entity).unwrap());
        it.run();
        let before = snapshot(&it.world);
        assert_eq!(
            before.get(entity).unwrap().get(derived).copied(),
            written,
            "{derived:?} is the user's"
        );

        it.put(parent, Translation::new(2.0, 0.0, 0.0));
        let new = rng.numbers(derived);
        derived.set(&mut it.world.entry(entity).unwrap(), &new);
        it.run();
        assert_eq!(it.oracle.last.get(entity).unwrap().get(derived), Some(&new));
        if derived != Kind::WorldToLocal {
            let moved = it.oracle.last.get(child).unwrap().get(Kind::LocalToWorld);
            assert_ne!(
                moved,
                before.get(child).unwrap().get(Kind::LocalToWorld),
                "descendants follow what the user wrote"
            );
        }

        own.remove(&mut it.world.entry(entity).unwrap());
        it.run();
        assert_ne!(
            it.oracle.last.get(entity).unwrap().get(derived),
            Some(&new),
            "{derived:?} is the bundle's again"
        );
    }
}

#[test]
fn an_override_of_the_world_holds_for_roots_for_children_and_on_cycles() {
    let mut it = CheckedWorld::with_everything();
    let own = LocalToWorld(Matrix4::new_translation(&Vector3::new(9.0, 0.0, 0.0)));
    let root = it.push((own, Translation::new(1.0, 0.0, 0.0), OwnWorld(0.0)));
    let child = it.push((
        own,
        LocalToParent::identity(),
        Parent(root),
        Translation::new(1.0, 0.0, 0.0),
        OwnWorld(0.0),
    ));
    let leaf =
        it.push((own, LocalToParent::identity(), Parent(child), Translation::new(1.0, 0.0, 0.0)));
    it.run();
    assert_eq!((it.matrix(root), it.matrix(child)), (own.0, own.0));
    assert_eq!(it.matrix(leaf).m14, 10.0);
    assert_eq!(
        it.get::<LocalToParent>(child).unwrap().0.m14,
        1.0,
        "LocalToParent is not overridden"
    );
    it.put(child, Parent(child));
    it.run();
    assert_eq!((it.matrix(child), it.matrix(leaf).m14), (own.0, 10.0));
}

/// Overrides under overrides: each level is the user's where it is overridden and follows above
/// where it is not.
#[test]
fn nested_overrides() {
    let mut it = CheckedWorld::with_everything();
    let at = |x| Translation::new(x, 0.0, 0.0);
    let user = |x| Matrix4::new_translation(&Vector3::new(x, 0.0, 0.0));
    let root = it.push((LocalToWorld(user(1000.0)), at(1.0), OwnWorld(0.0)));
    let a = it.push((
        LocalToWorld::identity(),
        LocalToParent(user(100.0)),
        Parent(root),
        at(1.0),
        OwnLocal(0.0),
    ));
    let b = it.push((
        LocalToWorld(user(50.0)),
        LocalToParent::identity(),
        Parent(a),
        at(1.0),
        OwnWorld(0.0),
    ));
    let c = it.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(b), at(1.0)));
    let d = it.push((
        LocalToWorld(user(5.0)),
        LocalToParent(user(10.0)),
        Parent(c),
        at(1.0),
        OwnWorld(0.0),
        OwnLocal(0.0),
    ));
    let e = it.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(d), at(1.0)));
    it.run();
    let xs = |it: &mut CheckedWorld| [root, a, b, c, d, e].map(|entity| it.matrix(entity).m14);
    assert_eq!(xs(&mut it), [1000.0, 1100.0, 50.0, 51.0, 5.0, 6.0]);
    it.take::<OwnWorld>(b);
    it.run();
    assert_eq!(xs(&mut it), [1000.0, 1100.0, 1101.0, 1102.0, 5.0, 6.0]);
    it.take::<OwnWorld>(root);
    it.take::<OwnWorld>(d);
    it.run();
    assert_eq!(xs(&mut it), [1.0, 101.0, 102.0, 103.0, 113.0, 114.0]);
}

/// A component in two groups is reached through the closure of what the outer one reads.
#[test]
fn a_component_in_the_group_of_an_input_does_not_stop_what_reads_the_input() {
    let mut rng = Rng::new(8);
    let mut it = CheckedWorld::with_everything();
    let mut spawn = |it: &mut CheckedWorld, kinds: &[Kind], parent: Option<Entity>| {
        let components: Vec<_> = kinds.iter().map(|kind| (*kind, rng.numbers(*kind))).collect();
        let entity = it.spawn(&components);
        if let Some(parent) = parent {
            it.put(entity, Parent(parent));
        }
        entity
    };
    use Kind::*;
    let rotated = spawn(
        &mut it,
        &[LocalToWorld, Rotation, RotationEulerXYZ, Kind::own::<OwnWorldAndRotation>()],
        None,
    );
    let root = spawn(&mut it, &[LocalToWorld, Translation, Kind::own::<OwnWorldAndLocal>()], None);
    let child = spawn(
        &mut it,
        &[LocalToWorld, LocalToParent, Translation, Kind::own::<OwnWorldAndLocal>()],
        Some(root),
    );
    let before = snapshot(&it.world);
    it.run();
    let kept = |it: &CheckedWorld, entity, kind| {
        it.oracle.last.get(entity).unwrap().get(kind) == before.get(entity).unwrap().get(kind)
    };
    assert!(kept(&it, rotated, Rotation), "in the group of Rotation");
    assert!(!kept(&it, rotated, LocalToWorld), "but what reads Rotation accounts for it");
    assert!(
        kept(&it, root, LocalToWorld),
        "what writes LocalToWorld from local inputs does not read LocalToParent"
    );
    assert!(kept(&it, child, LocalToParent));
    assert!(!kept(&it, child, LocalToWorld), "what propagates does");
}

#[test]
fn user_systems_run_in_their_places() {
    let mut it = CheckedWorld::with_everything();
    let root = it.push((LocalToWorld::identity(), Rotation::identity(), Spin(1.0)));
    let child =
        it.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(root), Lift(3.0)));
    let grandchild =
        it.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(child), Wave(2.0)));
    let leaf = it.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(grandchild)));
    for (spin, lift, wave) in [(1.0, 3.0, 2.0), (2.0, -1.0, 0.5)] {
        it.put(root, Spin(spin));
        it.put(child, Lift(lift));
        it.put(grandchild, Wave(wave));
        it.run();
        // Nalgebra's formula for a rotation's matrix rounds otherwise.
        assert!((it.matrix(root) - spun(spin).0.to_homogeneous()).norm() < 1e-6);
        assert!((it.matrix(child) - spun(spin).0.to_homogeneous() * lifted(lift).0).norm() < 1e-6);
        assert_eq!(it.matrix(grandchild), waved(wave).0);
        assert_eq!(it.matrix(leaf), waved(wave).0);
    }
}

/// Before composition the hierarchy is up to date; before propagation local matrices are.
#[test]
fn user_systems_find_the_hierarchy_and_the_local_matrices_up_to_date() {
    fn counting(name: &'static str) -> impl ParallelRunnable {
        SystemBuilder::new(name)
            .read_component::<Children>()
            .read_component::<LocalToParent>()
            .write_resource::<Vec<(&'static str, usize, f32)>>()
            .build(move |_, world, seen, ()| {
                let children =
                    <&Children>::query().iter(world).map(|children| children.len()).sum();
                let local = <&LocalToParent>::query().iter(world).map(|local| local.0.m14).sum();
                seen.push((name, children, local));
            })
    }
    let bundle = TransformSystemBundle::default()
        .before_composition(counting("composition"))
        .before_propagation(counting("propagation"));
    let mut test = TestWorld::new(bundle);
    test.resources.insert(Vec::<(&'static str, usize, f32)>::new());
    let root = test.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
    for x in [2.0, 3.0] {
        test.push((
            LocalToWorld::identity(),
            LocalToParent::identity(),
            Parent(root),
            Translation::new(x, 0.0, 0.0),
        ));
    }
    test.run();
    let seen = test.resources.get::<Vec<(&'static str, usize, f32)>>().unwrap().clone();
    assert_eq!(seen, [("composition", 2, 0.0), ("propagation", 2, 5.0)]);
}

#[test]
fn an_overridden_rotation_still_turns_the_entity() {
    let mut it = CheckedWorld::with_everything();
    let own = Rotation::from_euler_angles(0.0, 0.0, 1.0);
    let entity = it.push((
        LocalToWorld::identity(),
        own,
        RotationEulerXYZ::new(1.0, 0.0, 0.0),
        OwnRotation(0.0),
    ));
    it.run();
    assert_eq!(it.get::<Rotation>(entity), Some(own));
    assert_eq!(it.matrix(entity), own.0.to_homogeneous());
    it.take::<OwnRotation>(entity);
    it.run();
    assert_ne!(it.get::<Rotation>(entity), Some(own));
}
