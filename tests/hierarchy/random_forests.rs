//! Random forests, cycles among them, against the `f64` reference from scratch.

use harness::{CheckedWorld, Rng, TestWorld};
use legion::Entity;
use legion_transform::prelude::*;
use legion_transform_testing::Kind;
use proptest::prelude::*;

/// A node: its parent (any node, itself and later ones too), which inputs it has, and its
/// values.
#[derive(Clone, Debug)]
struct Node {
    parent: Option<usize>,
    inputs: u16,
    seed: u64,
}

/// Inputs of which every node has a random subset. Scales are moderate, and matrices without the
/// user's projections.
const INPUTS: [Kind; 12] = [
    Kind::Translation,
    Kind::Rotation,
    Kind::Scale,
    Kind::NonUniformScale,
    Kind::CompositeRotation,
    Kind::RotationPivot,
    Kind::RotationEulerYZX,
    Kind::PostRotation,
    Kind::PostRotationEulerZXY,
    Kind::ScalePivot,
    Kind::Shear,
    Kind::ParentScaleInverse,
];

fn forests() -> impl Strategy<Value = Vec<Node>> {
    (1usize..60).prop_flat_map(|nodes| {
        let node = (prop::option::weighted(0.8, 0..nodes), any::<u16>(), any::<u64>())
            .prop_map(|(parent, inputs, seed)| Node { parent, inputs, seed });
        prop::collection::vec(node, nodes)
    })
}

/// Without `ParentScaleInverse`, whose value depends on the past when its source goes away.
fn forests_without_compensation() -> impl Strategy<Value = Vec<Node>> {
    forests().prop_map(|mut nodes| {
        nodes.iter_mut().for_each(|node| node.inputs &= !(1 << 11));
        nodes
    })
}

fn spawn(test: &mut TestWorld, nodes: &[Node]) -> Vec<Entity> {
    let spawned: Vec<Entity> = nodes
        .iter()
        .map(|node| {
            let mut rng = Rng::new(node.seed);
            let mut kinds = vec![Kind::LocalToWorld];
            kinds.extend(
                INPUTS
                    .iter()
                    .enumerate()
                    .filter(|(bit, _)| node.inputs & 1 << bit != 0)
                    .map(|(_, kind)| *kind),
            );
            if node.parent.is_some() {
                kinds.push(Kind::LocalToParent);
            }
            let components: Vec<_> =
                kinds.into_iter().map(|kind| (kind, rng.numbers(kind))).collect();
            test.spawn(&components)
        })
        .collect();
    for (node, &entity) in nodes.iter().zip(&spawned) {
        if let Some(parent) = node.parent {
            test.put(entity, Parent(spawned[parent]));
        }
    }
    spawned
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_forest_is_right_after_one_run(nodes in forests()) {
        let mut it = CheckedWorld::default();
        spawn(&mut it, &nodes);
        it.run_from_scratch();
    }

    #[test]
    fn any_forest_becomes_any_other_in_one_run(
        nodes in forests_without_compensation(),
        others in forests(),
    ) {
        let mut it = CheckedWorld::default();
        let entities = spawn(&mut it, &nodes);
        it.run_from_scratch();
        for (i, &entity) in entities.iter().enumerate() {
            let other = &others[i % others.len()];
            match other.parent {
                Some(parent) => it.put(entity, Parent(entities[parent % entities.len()])),
                None if nodes[i].parent.is_some() => {
                    it.take::<Parent>(entity);
                    it.take::<LocalToParent>(entity);
                }
                None => {}
            }
            if other.parent.is_some() && nodes[i].parent.is_none() {
                it.put(entity, LocalToParent::identity());
            }
            if other.seed % 3 == 0 {
                it.put(entity, Translation::new(other.seed as u8 as f32, 1.0, 2.0));
            }
        }
        it.run_from_scratch();
        it.run_again();
    }

    #[test]
    fn any_part_of_a_forest_may_die(
        nodes in forests_without_compensation(),
        deaths in any::<u64>(),
    ) {
        let mut it = CheckedWorld::default();
        let entities = spawn(&mut it, &nodes);
        it.run_from_scratch();
        for (i, &entity) in entities.iter().enumerate() {
            if deaths >> i & 1 != 0 {
                it.world.remove(entity);
            }
        }
        it.run_from_scratch();
        it.run_again();
    }
}
