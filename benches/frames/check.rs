//! The right matrices by a plain computation, from what the program wrote.

use std::collections::HashMap;

use legion::{Entity, EntityStore, IntoQuery, World};
use legion_transform::{
    components::{CompositeRotation, CompositeScale, PreviousParent, RotationPivot, ScalePivot},
    prelude::*,
};
use nalgebra::{Matrix4, Vector3};

use crate::game::Game;

/// Compares every `LocalToWorld`, `WorldToLocal` and `Children` of a game without findings.
pub fn check(game: &mut Game) {
    let found = game.resources.get::<Findings>().and_then(|found| found.of(&game.world).next());
    assert_eq!(found, None);
    check_matrices(&game.world, true);
    check_children(&game.world);
    game.others.iter().for_each(|world| check_matrices(world, true));
}

/// What a child's matrix depends on.
struct Above {
    world: Matrix4<f32>,
    scale: f32,
}

/// Compares all matrices. A parent's matrix counts as right here, as it is compared itself.
pub fn check_matrices(world: &World, has_parents: bool) {
    let mut parents = <(Entity, &LocalToWorld, Option<&Scale>, &Children)>::query();
    let above: HashMap<Entity, Above> = parents
        .iter(world)
        .map(|(&entity, matrix, scale, _)| {
            (entity, Above { world: matrix.0, scale: scale.map_or(1.0, |scale| scale.0) })
        })
        .collect();
    let mut rows = <(Entity, &LocalToWorld, &Translation, &Rotation, &Scale)>::query();
    let mut count = 0;
    for (&entity, matrix, translation, rotation, scale) in rows.iter(world) {
        let entry = world.entry_ref(entity).expect("alive");
        let layout = entry.archetype().layout();
        let parent = entry.get_component::<Parent>().ok().filter(|_| has_parents);
        let above = parent.map(|parent| &above[&parent.0]);
        let pivot = |point: Vector3<f32>, matrix: Matrix4<f32>| {
            Matrix4::new_translation(&point) * matrix * Matrix4::new_translation(&-point)
        };
        let mut turn = rotation.0.to_homogeneous();
        if layout.has_component::<CompositeRotation>() {
            turn = pivot(entry.get_component::<RotationPivot>().expect("has it").0, turn);
        }
        let mut size = Matrix4::new_scaling(scale.0);
        if layout.has_component::<CompositeScale>() {
            size = pivot(entry.get_component::<ScalePivot>().expect("has it").0, size);
        }
        let mut local = translation.0.to_homogeneous();
        if layout.has_component::<ParentScaleInverse>() {
            local *= Matrix4::new_scaling(1.0 / above.expect("a parent").scale);
        }
        local = local * turn * size;
        let above = above.map_or(Matrix4::identity(), |above| above.world);
        let tolerance = 1e-5 * (above.amax() * local.amax()).max(1.0);
        assert_close(entity, &matrix.0, &(above * local), tolerance);
        if let Ok(inverse) = entry.get_component::<WorldToLocal>() {
            let tolerance = 1e-4 * matrix.0.amax() * inverse.0.amax();
            assert_close(entity, &(matrix.0 * inverse.0), &Matrix4::identity(), tolerance);
        }
        count += 1;
    }
    assert!(count > 0);
}

fn assert_close(entity: Entity, got: &Matrix4<f32>, right: &Matrix4<f32>, tolerance: f32) {
    let difference = (got - right).amax();
    assert!(difference <= tolerance, "{entity:?}: got {got}, should be {right}");
}

/// Compares `Children` with `Parent`, in any order.
fn check_children(world: &World) {
    let mut listed: HashMap<Entity, Entity> = HashMap::new();
    for (&parent, children) in <(Entity, &Children)>::query().iter(world) {
        for &child in children {
            assert_eq!(listed.insert(child, parent), None, "{child:?} is listed twice");
        }
    }
    let mut count = 0;
    for (child, parent, previous) in <(Entity, &Parent, &PreviousParent)>::query().iter(world) {
        assert_eq!(listed.get(child), Some(&parent.0));
        assert_eq!(previous.parent(), Some(parent.0));
        count += 1;
    }
    assert_eq!(count, listed.len());
}
