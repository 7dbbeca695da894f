//! Trees as descriptions, which shrink to small trees.

use std::fmt;

use legion::{Entity, World};
use proptest::{
    collection::vec, prelude::*, sample::Index, strategy::NewTree, test_runner::TestRunner,
};

use super::Values;
use crate::{
    kind::{Kind, Numbers},
    world::program::{self, Program},
};

/// An entity of a [`Forest`].
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The node that it hangs off, one before it in the list; `None` for a root.
    pub parent: Option<usize>,
    /// Its components beside `LocalToWorld` (and `LocalToParent` if it has a parent).
    pub components: Vec<(Kind, Numbers)>,
}

/// A description of entities with parents. It shrinks node by node, each to nothing but a root.
///
/// `Debug` prints a program that spawns it.
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
/// use legion_transform_testing::{Forest, Reference};
/// use proptest::prelude::*;
///
/// proptest!(|(forest: Forest)| {
///     let mut world = World::default();
///     let entities = forest.spawn(&mut world);
///     let mut schedule =
///         Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
///     schedule.execute(&mut world, &mut Resources::default());
///     let reference = Reference::of(&world);
///     for (entity, node) in entities.iter().zip(&forest.nodes) {
///         prop_assert_eq!(reference.parent(*entity), node.parent.map(|parent| entities[parent]));
///     }
/// });
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Forest {
    /// Its entities, parents before their children.
    pub nodes: Vec<Node>,
}

impl Forest {
    /// Spawns the entities. They come in the order of the nodes.
    pub fn spawn(&self, world: &mut World) -> Vec<Entity> {
        let mut entities: Vec<Entity> = Vec::new();
        for node in &self.nodes {
            let parent = node.parent.map(|parent| entities[parent]);
            entities.push(program::spawn(world, &node.components, parent));
        }
        entities
    }
}

impl fmt::Debug for Forest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut program = Program::default();
        for (name, node) in self.nodes.iter().enumerate() {
            program.spawn(name, &node.components, node.parent);
        }
        write!(f, "{program}")
    }
}

/// Which trees: how many entities, how deep, how wide. A strategy for [`Forest`].
///
/// ```
/// use legion_transform_testing::Trees;
/// use proptest::prelude::*;
///
/// proptest!(|(forest in Trees::of(20).roots(1).depth(2).width(3))| {
///     prop_assert!((1..=1 + 3 + 9).contains(&forest.nodes.len()));
/// });
/// ```
#[derive(Clone, Debug)]
pub struct Trees {
    size: usize,
    roots: usize,
    depth: usize,
    width: usize,
    values: Values,
}

impl Trees {
    /// Trees of any shape, of up to `size` entities together.
    #[must_use]
    pub fn of(size: usize) -> Self {
        let any = usize::MAX;
        Self { size, roots: any, depth: any, width: any, values: Values::default() }
    }

    /// At most so many trees.
    #[must_use]
    pub fn roots(self, roots: usize) -> Self {
        Self { roots, ..self }
    }

    /// At most so many links from an entity to its root.
    #[must_use]
    pub fn depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// At most so many children of an entity.
    #[must_use]
    pub fn width(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// The numbers of the components.
    #[must_use]
    pub fn values(self, values: Values) -> Self {
        Self { values, ..self }
    }

    /// The components of an entity: translation, rotation and one scale, and which of them it has.
    fn components(&self) -> BoxedStrategy<Components> {
        let numbers = |kind| self.values.numbers(kind).prop_map(move |numbers| (kind, numbers));
        let scale = prop_oneof![numbers(Kind::Scale), numbers(Kind::NonUniformScale)];
        let all = (numbers(Kind::Translation), numbers(Kind::Rotation), scale);
        (all.prop_map(|(place, turn, scale)| [place, turn, scale]), any::<[bool; 3]>()).boxed()
    }

    /// Gives each entity a parent among those before it that may have one more child, or none.
    fn grown(&self, nodes: Vec<(Index, Components)>, alike: bool) -> Forest {
        let first = nodes.first().map(|(_, (_, has))| *has).filter(|_| alike);
        let mut forest = Forest::default();
        let (mut roots, mut depths, mut widths) = (0, Vec::new(), Vec::new());
        for (index, (components, has)) in nodes {
            let has = first.unwrap_or(has).into_iter();
            let components = components.into_iter().zip(has).filter(|(_, has)| *has);
            let components = components.map(|(component, _)| component).collect();
            let fits = |node: &usize| depths[*node] < self.depth && widths[*node] < self.width;
            let open: Vec<usize> = (0..forest.nodes.len()).filter(fits).collect();
            // One in four is a root, as far as roots are allowed.
            let as_root = if roots < self.roots { open.len() / 3 + 1 } else { 0 };
            let places = as_root + open.len();
            if places == 0 {
                break;
            }
            // An index shrinks to 0: to a root.
            let parent = index.index(places).checked_sub(as_root).map(|place| open[place]);
            roots += usize::from(parent.is_none());
            depths.push(parent.map_or(0, |parent| depths[parent] + 1));
            parent.into_iter().for_each(|parent| widths[parent] += 1);
            widths.push(0);
            forest.nodes.push(Node { parent, components });
        }
        forest
    }
}

type Components = ([(Kind, Numbers); 3], [bool; 3]);
type Nodes = (Vec<(Index, Components)>, bool);
type Grow = Box<dyn Fn(Nodes) -> Forest>;

impl Strategy for Trees {
    type Tree = <proptest::strategy::Map<BoxedStrategy<Nodes>, Grow> as Strategy>::Tree;
    type Value = Forest;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let least = usize::from(self.roots == 1);
        let nodes = vec((any::<Index>(), self.components()), least..=self.size);
        let trees = self.clone();
        let grow: Grow = Box::new(move |(nodes, alike)| trees.grown(nodes, alike));
        // In half of the forests all entities have the same components, as they have in a crowd.
        (nodes, any::<bool>()).boxed().prop_map(grow).new_tree(runner)
    }
}

/// A chain of up to `depth` links below its root.
#[must_use]
pub fn chain(depth: usize) -> Trees {
    Trees::of(depth + 1).roots(1).width(1)
}

/// A root with up to `width` children.
#[must_use]
pub fn wide(width: usize) -> Trees {
    Trees::of(width + 1).roots(1).depth(1)
}

impl Arbitrary for Forest {
    type Parameters = ();
    type Strategy = Trees;

    fn arbitrary_with((): ()) -> Self::Strategy {
        Trees::of(12)
    }
}
