//! Random forests in which some entities are spoilt: entities that are not below them stay sound,
//! also through edits.

use harness::{TestWorld, demand};
use legion::Entity;
use legion_transform::{
    components::{CompositeScale, RotationEulerYZX},
    prelude::*,
};
use nalgebra::{Matrix4, Quaternion, Unit};
use proptest::{prelude::*, sample::Index};

use super::support::*;

/// Ways to spoil an entity.
#[derive(Clone, Copy, Debug)]
enum Spoilt {
    Translation,
    Rotation,
    Euler,
    Scale,
    Composite,
}

fn spoilt() -> impl Strategy<Value = (Spoilt, f32)> {
    use Spoilt::{Composite, Euler, Rotation, Scale, Translation};
    let how = prop::sample::select(vec![Translation, Rotation, Euler, Scale, Composite]);
    (how, prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY]))
}

/// A node of the forest.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Always an earlier node.
    parent: Option<usize>,
    /// What is wrong with it, mostly nothing.
    spoilt: Option<(Spoilt, f32)>,
}

fn forest() -> impl Strategy<Value = Vec<Node>> {
    let node =
        (prop::option::weighted(0.8, any::<Index>()), prop::option::weighted(0.15, spoilt()));
    prop::collection::vec(node, 1..30).prop_map(|nodes| {
        let node = |(i, (parent, spoilt)): (usize, (Option<Index>, _))| Node {
            parent: earlier(parent, i),
            spoilt,
        };
        nodes.into_iter().enumerate().map(node).collect()
    })
}

fn earlier(index: Option<Index>, i: usize) -> Option<usize> {
    index.filter(|_| i > 0).map(|index| index.index(i))
}

/// A world with the nodes, spoilt or all sound.
struct Forest {
    test: TestWorld,
    entities: Vec<Entity>,
    spoilt: bool,
}

impl Forest {
    fn plant(nodes: &[Node], spoilt: bool) -> Self {
        let mut forest = Self { test: TestWorld::default(), entities: Vec::new(), spoilt };
        for (index, node) in nodes.iter().enumerate() {
            let entity = forest.test.root(Translation::identity());
            // Every third cancels its parent's scale: an inverse is no way out for a NaN either.
            if index % 3 == 0 {
                forest.test.put(entity, ParentScaleInverse::identity());
            }
            forest.entities.push(entity);
            forest.link(index, node.parent);
            forest.set(index, node.spoilt);
        }
        forest.test.run();
        forest
    }

    fn link(&mut self, index: usize, parent: Option<usize>) {
        let entity = self.entities[index];
        match parent {
            Some(parent) => {
                self.test.put(entity, LocalToParent::identity());
                self.test.put(entity, Parent(self.entities[parent]));
            }
            None => {
                self.test.take::<LocalToParent>(entity);
                self.test.take::<Parent>(entity);
            }
        }
    }

    /// Gives a node its sound components, and spoils them if it is to be.
    fn set(&mut self, index: usize, spoilt: Option<(Spoilt, f32)>) {
        let (test, entity, number) = (&mut self.test, self.entities[index], index as f32);
        test.put(entity, Translation::new(number, 1.0, 0.5));
        test.put(entity, Rotation::from_euler_angles(0.1 * number, 0.2, 0.3));
        test.take::<RotationEulerYZX>(entity);
        test.take::<Scale>(entity);
        test.take::<CompositeScale>(entity);
        let Some((how, bad)) = spoilt.filter(|_| self.spoilt) else { return };
        match how {
            Spoilt::Translation => test.put(entity, Translation::new(bad, 0.0, 0.0)),
            Spoilt::Rotation => {
                test.put(entity, Rotation(Unit::new_unchecked(Quaternion::new(1.0, bad, 0.0, 0.0))))
            }
            Spoilt::Euler => test.put(entity, RotationEulerYZX::new(bad, 0.0, 0.0)),
            Spoilt::Scale => test.put(entity, Scale(bad)),
            Spoilt::Composite => test.put(entity, CompositeScale(Matrix4::repeat(bad))),
        }
    }
}

/// Exactly the spoilt entities and their descendants are not finite; all others have the same bits
/// as in the sound world.
fn check(nodes: &[Node], spoilt: &Forest, sound: &Forest) -> Result<(), TestCaseError> {
    let mut bad = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        bad.push(node.spoilt.is_some() || node.parent.is_some_and(|parent| bad[parent]));
        let matrix = spoilt.test.matrix(spoilt.entities[index]);
        if bad[index] {
            prop_assert!(!is_finite(&matrix), "node {} should be non-finite: {}", index, matrix);
        } else {
            prop_assert_eq!(matrix, sound.test.matrix(sound.entities[index]), "node {}", index);
        }
    }
    Ok(())
}

/// A change between two runs.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Spoil(Index, (Spoilt, f32)),
    Mend(Index),
    Link(Index, Option<Index>),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (any::<Index>(), spoilt()).prop_map(|(node, spoilt)| Edit::Spoil(node, spoilt)),
        any::<Index>().prop_map(Edit::Mend),
        (any::<Index>(), any::<Option<Index>>())
            .prop_map(|(node, parent)| Edit::Link(node, parent)),
    ]
}

proptest! {
    #![proptest_config(demand::cases(64))]

    #[test]
    fn non_finite_input_spreads_downwards_only(nodes in forest()) {
        check(&nodes, &Forest::plant(&nodes, true), &Forest::plant(&nodes, false))?;
    }

    /// Nor does anything stay behind when it is mended, or when its children move elsewhere.
    #[test]
    fn non_finite_input_leaves_with_its_cause(
        nodes in forest(),
        edits in prop::collection::vec((edit(), any::<bool>()), 1..30),
    ) {
        let mut nodes = nodes;
        let (mut spoilt, mut sound) = (Forest::plant(&nodes, true), Forest::plant(&nodes, false));
        for (edit, run) in edits {
            let index = match edit {
                Edit::Spoil(node, _) | Edit::Mend(node) | Edit::Link(node, _) => {
                    node.index(nodes.len())
                }
            };
            let node = &mut nodes[index];
            match edit {
                Edit::Spoil(_, how) => node.spoilt = Some(how),
                Edit::Mend(_) => node.spoilt = None,
                Edit::Link(_, parent) => node.parent = earlier(parent, index),
            }
            for forest in [&mut spoilt, &mut sound] {
                match edit {
                    Edit::Link(..) => forest.link(index, node.parent),
                    Edit::Spoil(..) | Edit::Mend(_) => forest.set(index, node.spoilt),
                }
                if run {
                    forest.test.run();
                }
            }
            if run {
                check(&nodes, &spoilt, &sound)?;
            }
        }
    }
}
