//! Edits keep entities in their places in the world, or return an error.

mod movements;

use harness::demand;
use legion::{Entity, World};
use legion_transform::{
    components::{PreviousParent, RotationEulerZXY},
    edit::EditError,
    math::decompose::DecomposeError,
    prelude::*,
};
use legion_transform_testing::{Forest, Trees, Values};
use nalgebra::{Isometry3, Matrix3, Matrix4, Similarity3, Vector3};
use proptest::{prelude::*, sample::Index};

use super::random_worlds::*;

/// The deviation that rounding may cause, relative to the terms of an element's sum.
const ROUNDING: f32 = 2e-5;

fn factor() -> impl Strategy<Value = f32> {
    (0.5f32..2.0, prop::bool::weighted(0.2))
        .prop_map(|(size, mirrored)| if mirrored { -size } else { size })
}

fn vector() -> impl Strategy<Value = Vector3<f32>> {
    prop::array::uniform3(-3.0f32..3.0).prop_map(Vector3::from)
}

/// A forest of translations, rotations and scales, and which of its nodes are turned by angles.
type Drawn = (Forest, Vec<bool>);

fn forest(size: usize) -> impl Strategy<Value = Drawn> {
    let trees = Trees::of(size).values(Values::default().reach(3).mirrors());
    let trees = trees.prop_filter("there are some", |forest| !forest.nodes.is_empty());
    (trees, prop::collection::vec(any::<bool>(), size))
}

fn walk(it: &RandomWorld) -> Walk<'_, World> {
    Walk::new(&it.world).unwrap()
}

fn plant(it: &mut RandomWorld, (forest, by_angles): &Drawn) {
    it.entities = forest.spawn(&mut it.world);
    for (entity, is_by_angles) in it.entities.clone().into_iter().zip(by_angles) {
        // One without any input has a matrix of the user's, which may be sheared.
        if !it.has::<Translation>(entity) {
            it.put(entity, Translation::identity());
        }
        if let Some(Rotation(turn)) = it.get(entity).filter(|_| *is_by_angles) {
            let (x, y, z) = turn.euler_angles();
            it.put(entity, RotationEulerZXY::new(x, y, z));
        }
    }
}

/// How far `now` is from `before`, relative to the size of the factors it is made of.
fn off(it: &RandomWorld, entity: Entity, before: &Matrix4<f32>) -> f32 {
    let fresh = it.fresh();
    let now = fresh.local_to_world(entity).unwrap().0;
    let base = match walk(it).parent(entity) {
        Some(parent) => fresh.local_to_world(parent).unwrap().0,
        None => Matrix4::identity(),
    };
    let local = fresh.local_to_parent(entity).unwrap().0;
    let size = base.abs() * local.abs();
    let bound = size.fixed_view::<3, 4>(0, 0).amax().max(before.amax());
    (now - before).amax() / bound
}

/// The shear that the entity's local matrix would have below `base`, worked out in `f64`.
fn shear_below(base: &Matrix4<f32>, pose: &Matrix4<f32>) -> f64 {
    let linear =
        |matrix: &Matrix4<f32>| -> Matrix3<f64> { matrix.fixed_view::<3, 3>(0, 0).map(f64::from) };
    let local = linear(base).try_inverse().unwrap() * linear(pose);
    let axes = [0, 1, 2].map(|i| local.column(i).normalize());
    axes[0].dot(&axes[1]).abs().max(axes[0].dot(&axes[2]).abs()).max(axes[1].dot(&axes[2]).abs())
}

/// Where the last run left an entity, if a parent above it died since.
fn seen(it: &RandomWorld, entity: Entity) -> Option<LocalToWorld> {
    let root = walk(it).root(entity)?;
    let parent = it.get::<Parent>(root).filter(|_| it.has::<LocalToParent>(root));
    let record = it.get::<PreviousParent>(root)?;
    let is_gone = |parent: &Parent| !it.has::<LocalToWorld>(parent.0);
    let is_lost = parent.is_some_and(|it| is_gone(&it) && record.parent() == Some(it.0));
    it.get::<LocalToWorld>(entity).filter(|_| is_lost)
}

fn worlds(it: &RandomWorld) -> Vec<Matrix4<f32>> {
    let fresh = it.fresh();
    it.entities.iter().map(|entity| fresh.local_to_world(*entity).unwrap().0).collect()
}

proptest! {
    #![proptest_config(demand::cases(64))]

    /// Re-parenting in place keeps every pose in the world; shear is an error exactly if there is
    /// some.
    #[test]
    fn re_parenting_keeps_poses(
        nodes in forest(11),
        edits in prop::collection::vec((any::<Index>(), prop::option::of(any::<Index>())), 1..6),
        run in any::<bool>(),
    ) {
        let mut it = RandomWorld::new();
        plant(&mut it, &nodes);
        if run {
            it.run();
        }
        for (child, parent) in edits {
            let child = child.index(it.entities.len());
            let parent = parent.map(|parent| parent.index(it.entities.len()));
            let before = worlds(&it);
            let entity = it.entities[child];
            let base = parent.map_or_else(Matrix4::identity, |parent| before[parent]);
            let shear = shear_below(&base, &before[child]);
            let result = match parent {
                Some(parent) => {
                    let parent = it.entities[parent];
                    let mut above = Some(parent);
                    while let Some(current) = above.filter(|current| *current != entity) {
                        above = walk(&it).parent(current);
                    }
                    if above == Some(entity) {
                        let expected = EditError::Cycle { child: entity, parent };
                        prop_assert_eq!(
                            it.world.set_parent(entity, parent),
                            Err(expected)
                        );
                        continue;
                    }
                    if walk(&it).parent(entity) == Some(parent) {
                        it.world.set_parent(entity, parent).unwrap();
                        prop_assert_eq!(worlds(&it), before);
                        continue;
                    }
                    it.world.set_parent(entity, parent)
                }
                None => it.world.remove_parent(entity),
            };
            match result {
                Ok(()) => {
                    prop_assert!(shear < 1e-3, "sheared by {shear}, but not reported");
                    for (entity, before) in it.entities.iter().zip(&before) {
                        prop_assert!(
                            off(&it, *entity, before) < ROUNDING,
                            "off by {}",
                            off(&it, *entity, before)
                        );
                    }
                    let linked = walk(&it).parent(entity);
                    prop_assert_eq!(linked, parent.map(|parent| it.entities[parent]));
                }
                Err(EditError::NoTransform {
                    entity: reported,
                    reason: DecomposeError::Sheared(_),
                }) => {
                    prop_assert_eq!(reported, entity);
                    prop_assert!(shear > 1e-6, "reported shear, but there is only {shear}");
                    prop_assert_eq!(worlds(&it), before, "an edit that fails must change nothing");
                }
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            }
        }
        let fresh = worlds(&it);
        it.run();
        for (entity, fresh) in it.entities.clone().into_iter().zip(fresh) {
            prop_assert!(same_bits(&it.world_matrix(entity).unwrap(), &fresh));
        }
    }

    /// With `WriteMatrix` no pose is refused, and shear is kept.
    #[test]
    fn matrices_hold_every_pose(
        nodes in forest(9),
        child in 1usize..9,
        parent in 0usize..9,
    ) {
        let mut it = RandomWorld::new();
        plant(&mut it, &nodes);
        let [child, parent] = [child, parent].map(|at| it.entities[at % it.entities.len()]);
        let before = it.fresh().local_to_world(child).unwrap();
        let edits = Edits::default().on_shear(OnShear::WriteMatrix);
        match edits.set_parent(&mut it.world, child, parent) {
            Ok(()) => prop_assert!(off(&it, child, &before) < ROUNDING),
            Err(error) => prop_assert_eq!(error, EditError::Cycle { child, parent }),
        }
        edits.remove_parent(&mut it.world, child).unwrap();
        prop_assert!(off(&it, child, &before) < 2.0 * ROUNDING);
    }

    /// For entities of all kinds (composites, pivots, overrides, matrices): a successful edit did
    /// its work, and a failed one changed nothing.
    #[test]
    fn no_edit_lies(
        setup in histories(50),
        which in (0usize..64, 0usize..64),
        place in (vector(), vector(), factor()),
        kind in 0..3,
        on_shear in prop_oneof![Just(OnShear::Fail), Just(OnShear::WriteMatrix)],
    ) {
        let mut it = RandomWorld::new();
        it.play(&setup);
        prop_assume!(!it.entities.is_empty());
        let (entity, other) =
            (it.entities[which.0 % it.entities.len()], it.entities[which.1 % it.entities.len()]);
        let edits = Edits::default().on_shear(on_shear);
        let Ok(before) = it.fresh().local_to_world(entity) else {
            let is_alive = it.world.contains(entity);
            // A living entity gets a place; whether it can be there is another question.
            let answer = edits.set_local_to_world(&mut it.world, entity, Isometry3::identity());
            prop_assert_eq!(answer.is_ok() && !is_alive, false);
            prop_assert_eq!(it.has::<LocalToWorld>(entity), answer.is_ok());
            prop_assert!(is_alive || edits.set_parent(&mut it.world, entity, other).is_err());
            prop_assert!(is_alive || edits.remove_parent(&mut it.world, entity).is_err());
            return Ok(());
        };
        let all: Vec<_> =
            it.entities.iter().map(|entity| it.fresh().local_to_world(*entity)).collect();
        let similarity = Similarity3::new(place.0, place.1, place.2);
        // With the parent that it has, nothing changes.
        let stays = kind == 0 && walk(&it).parent(entity) == Some(other);
        let before = seen(&it, entity).filter(|_| !stays).unwrap_or(before);
        let (result, wanted) = match kind {
            0 => (edits.set_parent(&mut it.world, entity, other), before),
            1 => (edits.remove_parent(&mut it.world, entity), before),
            _ => (
                edits.set_local_to_world(&mut it.world, entity, similarity),
                LocalToWorld(similarity.to_homogeneous()),
            ),
        };
        match result {
            Ok(()) => {
                let finite = wanted.iter().all(|x| x.is_finite());
                let well_conditioned = walk(&it).parent(entity).is_none_or(|parent| {
                    let base = it.fresh().local_to_world(parent).unwrap();
                    base.try_inverse().is_some_and(|inverse| inverse.amax() * base.amax() < 1e3)
                });
                if finite && well_conditioned {
                    prop_assert!(
                        off(&it, entity, &wanted) < 1e-3,
                        "off by {}",
                        off(&it, entity, &wanted)
                    );
                }
                let fresh = it.fresh().local_to_world(entity).unwrap();
                it.run();
                // But for ParentScaleInverse, whose source may be gone since the last run.
                if it.get::<ParentScaleInverse>(entity).is_none() {
                    let ancestors: Vec<Entity> =
                        Walk::new(&it.world).unwrap().ancestors(entity).collect();
                    if ancestors
                        .into_iter()
                        .all(|ancestor| it.get::<ParentScaleInverse>(ancestor).is_none())
                    {
                        prop_assert!(same_bits(&it.world_matrix(entity).unwrap(), &fresh));
                    }
                }
            }
            Err(error) => {
                let now: Vec<_> =
                    it.entities.iter().map(|entity| it.fresh().local_to_world(*entity)).collect();
                let same = all.iter().zip(&now).all(|pair| match pair {
                    (Ok(a), Ok(b)) => same_bits(a, b),
                    (a, b) => a == b,
                });
                prop_assert!(same, "{}, and yet the world has changed", error);
                // A user's own composite may be flat: then there is nothing to take apart.
                let is_flat = |reason| reason == DecomposeError::Singular;
                let matrix_refused = on_shear == OnShear::WriteMatrix
                    && matches!(error, EditError::NoTransform { reason, .. } if !is_flat(reason));
                prop_assert!(!matrix_refused, "{}", error);
            }
        }
    }
}
