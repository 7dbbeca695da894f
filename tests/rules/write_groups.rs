//! Write groups: a user's component takes over what the bundle derives, or extends it.
//!
//! The tables of section 6 of Unity's document, over all sets of the components that they name; the
//! rules' closure; each derived component, taken over; and users' systems. In `tests/runs/model` users'
//! components of all groups come and go at random, and so do their systems' values.

use harness::{CheckedWorld, Rng, TestWorld, snapshot, user::*};
use legion::{Entity, IntoQuery, SystemBuilder, World, component, systems::ParallelRunnable};
use legion_transform::{
    WriteGroups, components::CompositeRotation, prelude::*, write_group::WriteGroupFilter,
};
use legion_transform_testing::Kind;
use nalgebra::{Matrix4, Vector3};

/// `UserComponent` and `UserComponent2` of the document.
struct User;
struct User2;

/// The numbers of the user's systems that wrote an entity's matrix, in order.
#[derive(Clone, Default)]
struct Writers(Vec<u8>);

/// A matrix that no composition in these tests comes to.
fn mark(number: u8) -> LocalToWorld {
    LocalToWorld(Matrix4::new_translation(&Vector3::new(number.into(), 1000.0, 0.0)))
}

/// A system with a number that writes its mark on all entities with these components that a filter
/// lets through.
macro_rules! system {
    ($number:literal, $filter:expr, $($component:ty),*) => {{
        let query = <(&mut LocalToWorld, &mut Writers, $(&$component),*)>::query();
        SystemBuilder::new(concat!("system ", $number)).with_query(query.filter($filter)).build(
            |_, world, _, query| {
                query.for_each_mut(world, |(matrix, writers, ..)| {
                    *matrix = mark($number);
                    writers.0.push($number);
                });
            },
        )
    }};
}

/// Both of the user's components are in the write group of `LocalToWorld`.
fn bundle() -> TransformSystemBundle {
    TransformSystemBundle::default()
        .write_group::<LocalToWorld, User>()
        .write_group::<LocalToWorld, User2>()
}

/// One entity for each set of the components that the tables name: who writes it, by how many of
/// `Translation`, `Rotation` and `Scale` it has, and which components of the user's.
fn check_sets(bundle: TransformSystemBundle, writers: impl Fn(u32, [bool; 2]) -> Vec<u8>) {
    let mut test = TestWorld::new(bundle);
    let spawn = |set: usize| {
        let entity = test.push((mark(0), Writers::default()));
        let has = |bit: usize| set & 1 << bit != 0;
        has(0).then(|| test.put(entity, Translation::new(1.0, 2.0, 3.0)));
        has(1).then(|| test.put(entity, Rotation::from_euler_angles(0.1, 0.2, 0.3)));
        has(2).then(|| test.put(entity, Scale(2.0)));
        has(3).then(|| test.put(entity, User));
        has(4).then(|| test.put(entity, User2));
        entity
    };
    let entities: Vec<Entity> = (0..32).map(spawn).collect();
    test.run();
    for (set, &entity) in entities.iter().enumerate() {
        let (inputs, users) = ((set & 7).count_ones(), [set & 8 != 0, set & 16 != 0]);
        let by = test.value::<Writers>(entity).0;
        assert_eq!(by, writers(inputs, users), "{set:05b}");
        let is_the_bundles = users == [false; 2] && inputs > 0;
        let last = mark(by.last().copied().unwrap_or(0));
        let is_marked = test.value::<LocalToWorld>(entity) == last;
        assert_eq!(is_marked, !is_the_bundles, "{set:05b}, last written by {by:?}");
        test.take::<User>(entity);
        test.take::<User2>(entity);
    }
    test.run();
    for (set, &entity) in entities.iter().enumerate().filter(|(set, _)| set & 7 != 0) {
        let plain = test.value::<LocalToWorld>(entities[set & 7]);
        assert_eq!(test.value::<LocalToWorld>(entity), plain, "{set:05b} is the bundle's again");
    }
}

#[test]
fn default_queries_override_the_bundle_and_each_other() {
    let systems = bundle()
        .before_propagation(system!(1, component::<User>(), User))
        .before_propagation(system!(2, component::<User2>(), User2));
    check_sets(systems, |_, [one, two]| {
        [one.then_some(1), two.then_some(2)].into_iter().flatten().collect()
    });
    check_sets(bundle(), |_, _| Vec::new());
}

/// `FilterWriteGroup` in both systems, `UserTransformExtensionSystem`, `UserTransformComboSystem`:
/// each entity is written by the one system that is made for it, by the bundle, or not at all.
#[test]
fn filtered_queries_side_by_side_match_at_most_once() {
    let groups = bundle().write_groups().clone();
    let filter = || groups.filter::<LocalToWorld>();
    let extension = filter().reads::<User>().reads::<Translation>().reads::<Rotation>();
    let systems = bundle()
        .before_propagation(system!(1, filter().reads::<User>(), User))
        .before_propagation(system!(2, filter().reads::<User2>(), User2))
        .before_propagation(system!(3, filter().reads::<User>().reads::<User2>(), User, User2))
        .before_propagation(system!(
            4,
            extension.reads::<Scale>(),
            User,
            Translation,
            Rotation,
            Scale
        ));
    check_sets(systems, |inputs, users| match (inputs, users) {
        (0, [true, false]) => vec![1],
        (0, [false, true]) => vec![2],
        (0, [true, true]) => vec![3],
        (3, [true, false]) => vec![4],
        _ => vec![],
    });
}

/// What a query reads accounts for the members of its group, and for those of their groups. The
/// target accounts for nothing.
#[test]
fn what_is_read_is_closed_over_and_the_target_is_not() {
    struct Tuning;
    let mut groups = WriteGroups::default();
    groups.register::<LocalToWorld, User>().register::<Rotation, User>();
    groups.register::<LocalToWorld, User2>();
    groups.register::<LocalToWorld, Tuning>().register::<User2, Tuning>();
    let mut world = World::default();
    let (it, turn) = (LocalToWorld::identity(), Rotation::identity());
    let entities = [
        world.push((it, turn, User)),
        world.push((it, turn, User2)),
        world.push((it, User2, Tuning)),
        world.push((it, CompositeRotation::identity(), turn, RotationEulerXYZ::default())),
    ];
    let matches = |filter: WriteGroupFilter| {
        let mut query = <(Entity, &LocalToWorld)>::query().filter(filter);
        let matched: Vec<Entity> = query.iter(&world).map(|(entity, _)| *entity).collect();
        entities.map(|entity| matched.contains(&entity))
    };
    let filter = || groups.filter::<LocalToWorld>();
    assert_eq!(matches(filter()), [false; 4]);
    assert_eq!(matches(filter().reads::<Rotation>()), [true, false, false, false]);
    assert_eq!(matches(filter().reads::<User2>()), [false, false, true, false]);
    let both = filter().reads::<User2>().reads::<Rotation>();
    assert_eq!(matches(both), [true, true, true, false]);
    assert_eq!(matches(filter().reads::<CompositeRotation>()), [true, false, false, true]);
}

/// Each derived component can be taken over: then the bundle neither writes it nor moves its
/// version, and all else follows. The last two are in the group of `LocalToWorld`, too, and what
/// writes that of a child accounts for them.
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
        (Kind::Rotation, Kind::own::<OwnWorldAndRotation>()),
        (Kind::LocalToParent, Kind::own::<OwnWorldAndLocal>()),
    ] {
        let mut rng = Rng::new(1);
        let mut it = CheckedWorld::with_everything();
        let parent = it.push((LocalToWorld::identity(), Scale(2.0), Translation::identity()));
        let everything = Kind::ALL.iter().chain([&own]);
        let components: Vec<_> = everything.map(|kind| (*kind, rng.numbers(*kind))).collect();
        let entity = it.spawn(&components);
        it.put(entity, Parent(parent));
        it.below(entity, 1.0);
        let value =
            |it: &CheckedWorld| snapshot(&it.world).get(entity).unwrap().get(derived).copied();
        let before = value(&it);
        it.run_twice();
        assert_eq!(value(&it), before, "{derived:?} is the user's");
        it.put(parent, Translation::new(2.0, 0.0, 0.0));
        derived.set(&mut it.world.entry(entity).unwrap(), &rng.numbers(derived));
        let before = value(&it);
        it.run_twice();
        assert_eq!(value(&it), before, "{derived:?} is the user's");
        own.remove(&mut it.world.entry(entity).unwrap());
        it.run_twice();
        assert_ne!(value(&it), before, "{derived:?} is the bundle's again");
    }
}

/// Overrides under overrides: each level is the user's where it is overridden and follows above
/// where it is not.
#[test]
fn nested_overrides() {
    let mut it = CheckedWorld::with_everything();
    let user = |x| Matrix4::new_translation(&Vector3::new(x, 0.0, 0.0));
    let root = it.at(1.0);
    let mut all = [root; 6];
    for level in 1..6 {
        all[level] = it.below(all[level - 1], 1.0);
    }
    for (level, x) in [(0, 1000.0), (2, 50.0), (4, 5.0)] {
        it.put(all[level], LocalToWorld(user(x)));
        it.put(all[level], OwnWorld(0.0));
    }
    for (level, x) in [(1, 100.0), (4, 10.0)] {
        it.put(all[level], LocalToParent(user(x)));
        it.put(all[level], OwnLocal(0.0));
    }
    it.run();
    assert_eq!(all.map(|entity| it.x(entity)), [1000.0, 1100.0, 50.0, 51.0, 5.0, 6.0]);
    it.take::<OwnWorld>(all[2]);
    it.run();
    assert_eq!(all.map(|entity| it.x(entity)), [1000.0, 1100.0, 1101.0, 1102.0, 5.0, 6.0]);
    it.take::<OwnWorld>(root);
    it.take::<OwnWorld>(all[4]);
    it.run();
    assert_eq!(all.map(|entity| it.x(entity)), [1.0, 101.0, 102.0, 103.0, 113.0, 114.0]);
}

/// Before composition the hierarchy is up to date; before propagation local matrices are.
#[test]
fn user_systems_find_the_hierarchy_and_the_local_matrices_up_to_date() {
    type Seen = Vec<(usize, f32)>;
    fn counting(name: &'static str) -> impl ParallelRunnable {
        let system = SystemBuilder::new(name).write_resource::<Seen>();
        let system = system.read_component::<Children>().read_component::<LocalToParent>();
        system.build(move |_, world, seen, ()| {
            let children = <&Children>::query().iter(world).map(|children| children.len()).sum();
            let local = <&LocalToParent>::query().iter(world).map(|local| local.0.m14).sum();
            seen.push((children, local));
        })
    }
    let bundle = TransformSystemBundle::default()
        .before_composition(counting("composition"))
        .before_propagation(counting("propagation"));
    let mut test = TestWorld::new(bundle);
    test.resources.insert(Seen::new());
    let root = test.at(1.0);
    [2.0, 3.0].into_iter().for_each(|x| _ = test.below(root, x));
    test.run();
    assert_eq!(*test.resources.get::<Seen>().unwrap(), [(2, 0.0), (2, 5.0)]);
}
