//! NaN and infinity.

use legion::Entity;
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Quaternion, Unit, Vector3};
use proptest::prelude::*;

use crate::support::*;

#[test]
fn non_finite_angles_stay_with_the_entity_and_what_is_below_it() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut test = Test::new();
        let root = test.root(Translation::new(1.0, 0.0, 0.0));
        let spoilt = test.child(root, Rotation::identity());
        test.add(spoilt, RotationEulerXYZ::new(0.0, bad, 0.0));
        test.add(spoilt, WorldToLocal::default());
        let below = test.child(spoilt, Translation::new(1.0, 0.0, 0.0));
        let sibling = test.child(root, Translation::new(2.0, 0.0, 0.0));
        test.run();
        assert!(!is_finite(&test.matrix(spoilt)) && !is_finite(&test.matrix(below)));
        assert_eq!(test.matrix(root), Matrix4::new_translation(&Vector3::new(1.0, 0.0, 0.0)));
        assert_eq!(test.matrix(sibling), Matrix4::new_translation(&Vector3::new(3.0, 0.0, 0.0)));
        assert_eq!(test.get::<WorldToLocal>(spoilt).0, Matrix4::identity());
        assert_eq!(test.findings(), [(FindingKind::WorldWithoutInverse, spoilt, None)]);

        test.add(spoilt, RotationEulerXYZ::new(0.0, 0.0, 0.0));
        test.run();
        assert_eq!(test.matrix(below), Matrix4::new_translation(&Vector3::new(2.0, 0.0, 0.0)));
        assert_eq!(test.findings(), []);
    }
}

/// Ways to spoil an entity.
#[derive(Clone, Copy, Debug)]
enum Spoilt {
    Translation,
    Rotation,
    Euler,
    Scale,
    Composite,
}

fn spoil(test: &mut Test, entity: Entity, how: Spoilt, bad: f32) {
    match how {
        Spoilt::Translation => test.add(entity, Translation::new(bad, 0.0, 0.0)),
        Spoilt::Rotation => test.add(entity, Rotation(Unit::new_unchecked(Quaternion::new(1.0, bad, 0.0, 0.0)))),
        Spoilt::Euler => test.add(entity, RotationEulerYZX::new(bad, 0.0, 0.0)),
        Spoilt::Scale => test.add(entity, Scale(bad)),
        Spoilt::Composite => test.add(entity, CompositeScale(Matrix4::repeat(bad))),
    }
}

/// A node's parent (an earlier node, or none), and what is wrong with it (mostly nothing).
type Node = (Option<usize>, Option<(Spoilt, f32)>);

fn forest() -> impl Strategy<Value = Vec<Node>> {
    let how = prop_oneof![
        Just(Spoilt::Translation),
        Just(Spoilt::Rotation),
        Just(Spoilt::Euler),
        Just(Spoilt::Scale),
        Just(Spoilt::Composite)
    ];
    let bad = prop_oneof![Just(f32::NAN), Just(f32::INFINITY), Just(f32::NEG_INFINITY)];
    let spoilt = prop::option::weighted(0.15, (how, bad));
    let node = (prop::option::weighted(0.8, any::<prop::sample::Index>()), spoilt);
    prop::collection::vec(node, 1..30).prop_map(|nodes| {
        let parent = |(i, (parent, spoilt)): (usize, (Option<prop::sample::Index>, _))| {
            (parent.filter(|_| i > 0).map(|index| index.index(i)), spoilt)
        };
        nodes.into_iter().enumerate().map(parent).collect()
    })
}

fn plant(test: &mut Test, nodes: &[Node], spoilt: bool) -> Vec<Entity> {
    let mut entities: Vec<Entity> = Vec::new();
    for (index, (parent, bad)) in nodes.iter().enumerate() {
        let translation = Translation::new(index as f32, 1.0, 0.5);
        let rotation = Rotation::from_euler_angles(0.1 * index as f32, 0.2, 0.3);
        let entity = match parent {
            Some(parent) => test.world.push((
                LocalToWorld::identity(),
                LocalToParent::identity(),
                Parent(entities[*parent]),
                translation,
                rotation,
            )),
            None => test.world.push((LocalToWorld::identity(), translation, rotation)),
        };
        // Every third cancels its parent's scale: an inverse is no way for a NaN to get out sideways either.
        if index % 3 == 0 {
            test.add(entity, ParentScaleInverse::identity());
        }
        if let (true, Some((how, bad))) = (spoilt, bad) {
            spoil(test, entity, *how, *bad);
        }
        entities.push(entity);
    }
    entities
}

proptest! {
    /// Non-finite are exactly the spoilt entities and what is below them; all others have the very bits that they have in a
    /// world without bad input.
    #[test]
    fn non_finite_input_spreads_downwards_only(nodes in forest()) {
        let (mut spoilt, mut sound) = (Test::new(), Test::new());
        let entities = plant(&mut spoilt, &nodes, true);
        let twins = plant(&mut sound, &nodes, false);
        spoilt.run();
        sound.run();
        let mut bad = Vec::new();
        for (index, (parent, spoils)) in nodes.iter().enumerate() {
            bad.push(spoils.is_some() || parent.is_some_and(|parent| bad[parent]));
            let matrix = spoilt.matrix(entities[index]);
            if bad[index] {
                prop_assert!(!is_finite(&matrix), "node {} should be non-finite: {}", index, matrix);
            } else {
                prop_assert_eq!(matrix, sound.matrix(twins[index]), "node {}", index);
            }
        }
    }
}
