//! Calls about many entities are as many calls, one after the other.

use harness::{TestWorld, demand};
use legion::{Entity, systems::CommandBuffer};
use legion_transform::{
    edit::{EditError, FailedEdits},
    prelude::*,
    query::QueryError,
};
use legion_transform_testing::{History, Snapshot};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use crate::random_worlds::*;

/// How a transform is changed.
#[derive(Clone, Copy, Debug)]
enum Change {
    Leave,
    Move(f32),
    Turn(f32),
    /// A scale, which may be uniform.
    Scale(f32, f32),
    /// Not finite.
    Break,
}

impl Change {
    fn make(self, it: &mut Transform) {
        match self {
            Self::Leave => {}
            Self::Move(x) => it.translation.x += x,
            Self::Turn(angle) => it.rotation *= Rotation::from_rotation_y(angle).0,
            Self::Scale(x, y) => it.scale = Vector3::new(x, y, x),
            Self::Break => it.translation.y = f32::NAN,
        }
    }
}

fn changes() -> impl Strategy<Value = Vec<(usize, Change)>> {
    let change = prop_oneof![
        2 => Just(Change::Leave),
        4 => (-9.0f32..9.0).prop_map(Change::Move),
        2 => (-3.0f32..3.0).prop_map(Change::Turn),
        1 => (0.5f32..2.0).prop_map(|x| Change::Scale(x, x)),
        1 => (0.5f32..2.0).prop_map(|x| Change::Scale(x, 1.0)),
        1 => Just(Change::Break),
    ];
    prop::collection::vec((0..8usize, change), 1..24)
}

/// What one call of all of them answers.
type Many = fn(&mut RandomWorld, &[(Entity, Change)]) -> Result<(), Vec<EditError>>;

fn updated(it: &mut RandomWorld, all: &[(Entity, Change)]) -> Result<(), Vec<EditError>> {
    let mut changes = all.iter();
    // An entity that cannot be read is left out.
    let mut update = |entity: Entity, transform: &mut Transform| {
        let next = changes.find(|next| next.0 == entity);
        next.expect("in their order").1.make(transform);
    };
    let entities: Vec<Entity> = all.iter().map(|it| it.0).collect();
    it.world.update_transforms(entities, &mut update)
}

fn made(change: Change) -> Transform {
    let mut transform = Transform::from_xyz(1.0, 2.0, 3.0);
    change.make(&mut transform);
    transform
}

fn set(it: &mut RandomWorld, all: &[(Entity, Change)]) -> Result<(), Vec<EditError>> {
    it.world.set_transforms(all.iter().map(|&(entity, change)| (entity, made(change))))
}

/// A single call, as it is promised.
type One = fn(&mut RandomWorld, Entity, Change) -> Result<(), EditError>;

fn update_one(it: &mut RandomWorld, entity: Entity, change: Change) -> Result<(), EditError> {
    let was = Transform::read(&it.world, entity)?;
    let mut transform = was;
    change.make(&mut transform);
    let numbers = |it: &Transform| {
        let parts = [it.translation.as_slice(), it.rotation.coords.as_slice(), it.scale.as_slice()];
        parts.concat().iter().map(|x| x.to_bits()).collect::<Vec<u32>>()
    };
    if numbers(&was) == numbers(&transform) {
        return Ok(());
    }
    it.world.set_transform(entity, transform)
}

fn set_one(it: &mut RandomWorld, entity: Entity, change: Change) -> Result<(), EditError> {
    it.world.set_transform(entity, made(change))
}

fn snapshot(it: &RandomWorld) -> Snapshot {
    Snapshot::with(&it.world, &OWN)
}

/// Whether the same entities have the same numbers in both.
fn check(a: &RandomWorld, b: &RandomWorld) -> Result<(), TestCaseError> {
    let (ours, theirs) = (snapshot(a), snapshot(b));
    for (i, (mine, other)) in a.entities.iter().zip(&b.entities).enumerate() {
        let (mine, other) = (ours.get(*mine), theirs.get(*other));
        prop_assert_eq!(mine.is_some(), other.is_some());
        let (Some(mine), Some(other)) = (mine, other) else { continue };
        for &kind in &ours.kinds {
            let (x, y) = (mine.get(kind), other.get(kind));
            let same = match (x, y) {
                (Some(x), Some(y)) => legion_transform_testing::snapshot::same_bits(x, y),
                _ => x.is_none() && y.is_none(),
            };
            prop_assert!(same, "entity {}, {:?}: {:?}, one by one {:?}", i, kind, x, y);
        }
    }
    Ok(())
}

fn compare(
    history: &History,
    inserts: bool,
    picks: &[(usize, Change)],
    many: Many,
    one: One,
) -> Result<(), TestCaseError> {
    let world = || if inserts { RandomWorld::inserting() } else { RandomWorld::new() };
    let [mut a, mut b] = [world(), world()];
    [&mut a, &mut b].into_iter().for_each(|it| it.play(history));
    let of = |it: &RandomWorld| -> Vec<(Entity, Change)> {
        let all = it.entities.len().max(1);
        picks.iter().filter_map(|&(i, to)| Some((*it.entities.get(i * 7 % all)?, to))).collect()
    };
    let (ours, theirs) = (of(&a), of(&b));
    let errors = many(&mut a, &ours).err().unwrap_or_default();
    let singles = theirs.into_iter().filter_map(|(entity, to)| one(&mut b, entity, to).err());
    let names = |all: Vec<EditError>| -> Vec<String> {
        let name = |it| format!("{it:?}").chars().filter(|it| !it.is_ascii_digit()).collect();
        all.iter().map(name).collect()
    };
    prop_assert_eq!(names(errors), names(singles.collect()));
    check(&a, &b)?;
    [&mut a, &mut b].into_iter().for_each(|it| it.run());
    check(&a, &b)
}

proptest! {
    #![proptest_config(demand::cases(128))]

    #[test]
    fn as_one_after_the_other(
        history in histories(60),
        inserts: bool,
        picks in changes(),
    ) {
        compare(&history, inserts, &picks, updated, update_one)?;
        compare(&history, inserts, &picks, set, set_one)?;
    }

    /// Whatever the entities have, no version is bumped.
    #[test]
    fn what_is_left_as_it_is_is_not_written(history in histories(60)) {
        let mut it = RandomWorld::new();
        it.play(&history);
        let (before, entities) = (snapshot(&it), it.entities.clone());
        let (mut asked, count) = (0, entities.len());
        let errors = it.world.update_transforms(entities, |_, _| asked += 1);
        let errors = errors.err().unwrap_or_default();
        prop_assert_eq!(asked + errors.len(), count);
        prop_assert_eq!(snapshot(&it).moved_since(&before), []);
    }
}

/// To and fro between 32 archetypes.
#[test]
fn each_of_many_archetypes_has_its_own_rows() {
    struct Bit<const N: usize>;
    fn mark<const N: usize>(test: &mut TestWorld, of: usize, entity: Entity) {
        if of >> N & 1 == 1 {
            test.put(entity, Bit::<N>);
        }
    }
    let mut test = TestWorld::default();
    let marks = [mark::<0>, mark::<1>, mark::<2>, mark::<3>, mark::<4>];
    let entities: Vec<Entity> = (0..128).map(|i| test.at(i as f32)).collect();
    for (i, &entity) in entities.iter().enumerate() {
        marks.iter().for_each(|mark| mark(&mut test, i % 32, entity));
    }
    let there_and_back = (0..128).chain((0..128).rev());
    let picks = there_and_back.map(|i: usize| entities[i]);
    test.world.update_transforms(picks, |_, it| it.translation.y += it.translation.x).unwrap();
    test.run();
    for (i, &entity) in entities.iter().enumerate() {
        let x = i as f32;
        assert_eq!(test.value::<LocalToWorld>(entity).position(), Point3::new(x, 2.0 * x, 0.0));
    }
}

/// At a flush all errors are kept, and the others are written; so is one that needs a component,
/// and one behind it.
#[test]
fn commands_keep_all_errors() {
    let mut test = TestWorld::default();
    let [a, b, c, dead] = [1.0, 2.0, 3.0, 4.0].map(|x| test.at(x));
    test.world.remove(dead);
    test.run();
    let to = |x: f32| Transform::from_xyz(x, 0.0, 0.0);
    let turn = Rotation::from_rotation_z(1.0).0;
    let mut commands = CommandBuffer::new(&test.world);
    let all = [(dead, to(1.0)), (a, to(5.0)), (b, to(6.0).with_rotation(turn))];
    commands.set_transforms(all.into_iter().chain([(b, to(f32::NAN)), (c, to(7.0)), (a, to(8.0))]));
    commands.flush(&mut test.world, &mut test.resources);
    let mut failed = test.resources.get_mut::<FailedEdits>().unwrap();
    let failed: Vec<EditError> = failed.drain().collect();
    assert_eq!(failed[0], QueryError::Dead(dead).into());
    assert!(matches!(failed[1..], [EditError::NotFinite { entity, .. }] if entity == b));
    let x = |it| Transform::read(&test.world, it).unwrap().translation.x;
    assert_eq!([a, b, c].map(x), [8.0, 6.0, 7.0]);
    assert_eq!(test.value::<Rotation>(b).0, turn);
}
