//! Random forests, cycles among them, against the `f64` reference from scratch.

use harness::{Kind, Rng, Snapshot, TestWorld, oracle::Oracle, scratch::Scratch};
use legion::Entity;
use legion_transform::prelude::*;
use proptest::prelude::*;

/// A node: whom it hangs off (any node, itself and later ones too), which inputs it has, and its values.
#[derive(Clone, Debug)]
struct Node {
    parent: Option<usize>,
    inputs: u16,
    seed: u64,
}

/// Inputs of which every node has a random subset. Scales are moderate, and matrices without the user's projections.
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

fn spawn(rig: &mut TestWorld, nodes: &[Node]) -> Vec<Entity> {
    let spawned: Vec<Entity> = nodes
        .iter()
        .map(|node| {
            let mut rng = Rng::new(node.seed);
            let mut kinds = vec![Kind::LocalToWorld];
            kinds.extend(INPUTS.iter().enumerate().filter(|(bit, _)| node.inputs & 1 << bit != 0).map(|(_, kind)| *kind));
            if node.parent.is_some() {
                kinds.push(Kind::LocalToParent);
            }
            let components: Vec<_> = kinds.into_iter().map(|kind| (kind, kind.random(&mut rng))).collect();
            rig.spawn(&components)
        })
        .collect();
    for (node, &entity) in nodes.iter().zip(&spawned) {
        if let Some(parent) = node.parent {
            rig.put(entity, Parent(spawned[parent]));
        }
    }
    spawned
}

fn check(rig: &mut TestWorld, oracle: &mut Oracle) {
    let before = Snapshot::of(&rig.world);
    oracle.run(rig);
    Scratch::new(&before).check(&oracle.last);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_forest_is_right_after_one_run(nodes in forests()) {
        let mut rig = TestWorld::default();
        spawn(&mut rig, &nodes);
        check(&mut rig, &mut Oracle::default());
    }

    #[test]
    fn any_forest_becomes_any_other_in_one_run(nodes in forests_without_compensation(), others in forests()) {
        let mut rig = TestWorld::default();
        let mut oracle = Oracle::default();
        let entities = spawn(&mut rig, &nodes);
        check(&mut rig, &mut oracle);
        for (i, &entity) in entities.iter().enumerate() {
            let other = &others[i % others.len()];
            match other.parent {
                Some(parent) => rig.put(entity, Parent(entities[parent % entities.len()])),
                None if nodes[i].parent.is_some() => {
                    rig.take::<Parent>(entity);
                    rig.take::<LocalToParent>(entity);
                }
                None => {}
            }
            if other.parent.is_some() && nodes[i].parent.is_none() {
                rig.put(entity, LocalToParent::identity());
            }
            if other.seed % 3 == 0 {
                rig.put(entity, Translation::new(other.seed as u8 as f32, 1.0, 2.0));
            }
        }
        check(&mut rig, &mut oracle);
        oracle.run_again(&mut rig);
    }

    #[test]
    fn any_part_of_a_forest_may_die(nodes in forests_without_compensation(), deaths in any::<u64>()) {
        let mut rig = TestWorld::default();
        let mut oracle = Oracle::default();
        let entities = spawn(&mut rig, &nodes);
        check(&mut rig, &mut oracle);
        for (i, &entity) in entities.iter().enumerate() {
            if deaths >> i & 1 != 0 {
                rig.world.remove(entity);
            }
        }
        check(&mut rig, &mut oracle);
        oracle.run_again(&mut rig);
    }
}
