//! Random forests of every kind of node.

use harness::demand;
use legion::World;
use legion_transform::scene::{NodeTransform, Scene, SceneNode};
use nalgebra::Matrix4;
use proptest::{prelude::*, sample::Index};

use super::support::*;

type Drawn = (([f32; 3], [f32; 3], [f32; 3]), bool, bool, Index, Index);

fn forests() -> impl Strategy<Value = Scene> {
    let number = || prop_oneof![Just(0.0_f32), -2.0..2.0_f32];
    let scale = prop_oneof![
        3 => Just([1.0_f32; 3]),
        1 => prop::array::uniform3(-2.0..2.0_f32),
        1 => Just([2.0; 3]),
        1 => (0..3usize).prop_map(|axis| std::array::from_fn(|i| if i == axis { 2.0 } else { 1.0 })),
    ];
    let place = (prop::array::uniform3(number()), prop::array::uniform3(number()), scale);
    let is_matrix = prop::bool::weighted(0.15);
    let is_static = prop::bool::weighted(0.1);
    let node = (place, is_matrix, is_static, any::<Index>(), any::<Index>());
    prop::collection::vec(node, 0..60).prop_map(|drawn| assemble(&drawn))
}

/// The parent of node i was drawn before it, or there is none; indices are shuffled, so that
/// children may stand first.
fn assemble(drawn: &[Drawn]) -> Scene {
    let mut indices: Vec<usize> = (0..drawn.len()).collect();
    for (i, (.., swap)) in drawn.iter().enumerate() {
        indices.swap(i, swap.index(drawn.len()));
    }
    let mut nodes = vec![SceneNode::default(); drawn.len()];
    for (i, ((t, r, s), is_matrix, is_static, parent, _)) in drawn.iter().enumerate() {
        let place = trs(*t, *r, *s);
        let node = &mut nodes[indices[i]];
        node.transform = if *is_matrix { NodeTransform::Matrix(place.to_matrix()) } else { place };
        node.is_static = *is_static;
        let parent = parent.index(i + 1);
        if parent < i {
            nodes[indices[parent]].children.push(indices[i]);
        }
    }
    Scene { nodes }
}

proptest! {
    #![proptest_config(demand::cases(64))]

    #[test]
    fn any_forest_is_right_before_the_first_run(scene in forests(), pick in any::<Index>()) {
        let mut world = World::default();
        let spawned = scene.spawn(&mut world).unwrap();
        prop_assert!(spawned.dropped_shear().is_empty());
        prop_assert_eq!(spawned.entities().count(), scene.nodes.len());
        for (node, _) in spawned.entities() {
            let parent = scene.nodes.iter().position(|other| other.children.contains(&node));
            let above =
                parent.map_or(Matrix4::identity(), |parent| world_of(&world, &spawned, parent));
            let expected =
                above.cast::<f64>() * scene.nodes[node].transform.to_matrix().cast::<f64>();
            let actual = world_of(&world, &spawned, node).cast::<f64>();
            prop_assert!((actual - expected).amax() <= 1e-5 * expected.amax().max(1.0));
        }
        assert_first_run_is_idle(&mut world, &spawned);
        if scene.nodes.is_empty() {
            return Ok(());
        }

        let mut part = World::default();
        let in_part = scene.spawn_subtree(&mut part, pick.index(scene.nodes.len())).unwrap();
        for (node, entity) in in_part.entities() {
            let in_whole = components(&world, spawned.entity(node).unwrap());
            let is_placed = components(&part, entity).contains("Translation");
            prop_assert_eq!(is_placed, in_whole.contains("Translation"));
        }
        if in_part.dropped_shear().is_empty() {
            for (node, _) in in_part.entities() {
                let expected = world_of(&world, &spawned, node);
                let error = (world_of(&part, &in_part, node) - expected).amax();
                prop_assert!(error <= 1e-4 * expected.amax().max(1.0), "{}", error);
            }
        }
        assert_first_run_is_idle(&mut part, &in_part);
    }
}
