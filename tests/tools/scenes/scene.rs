//! Default conversion: which components each node gets, with which values, and that the first run
//! finds nothing to do.

mod errors;
mod lossy;

use std::{collections::HashSet, iter::successors};

use harness::{TestWorld, demand};
use legion::World;
use legion_transform::{
    prelude::*,
    scene::{NodeTransform, Scene, SceneNode, SpawnedScene},
};
use legion_transform_testing::{
    Kind, Snapshot, assert_nothing_rewritten, assert_up_to_date,
    snapshot::{Row, matrix32},
};
use nalgebra::{Matrix4, UnitQuaternion};
use proptest::{prelude::*, sample::Index};

fn trs(translation: [f32; 3], angles: [f32; 3], scale: [f32; 3]) -> NodeTransform {
    NodeTransform::Trs {
        translation: translation.into(),
        rotation: UnitQuaternion::from_euler_angles(angles[0], angles[1], angles[2]),
        scale: scale.into(),
    }
}

fn world_of(world: &World, spawned: &SpawnedScene, node: usize) -> Matrix4<f32> {
    LocalToWorld::of(world, spawned.entity(node).unwrap()).unwrap().0
}

type Drawn = (([f32; 3], [f32; 3], [f32; 3]), bool, bool, Index, Index);

fn forests() -> impl Strategy<Value = Scene> {
    let number = || prop_oneof![Just(0.0_f32), -2.0..2.0_f32];
    let scale = prop_oneof![
        6 => Just([1.0_f32; 3]),
        2 => prop::array::uniform3(-2.0..2.0_f32),
        2 => Just([2.0; 3]),
        2 => (0..3usize).prop_map(|axis| std::array::from_fn(|i| if i == axis { 2.0 } else { 1.0 })),
        2 => Just([-1.0, 1.0, 1.0]),
        1 => Just([1.0, 0.0, 2.0]),
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
    nodes.into_iter().collect()
}

/// A scene, and what became of all of it or of a part.
struct Judge<'a> {
    scene: &'a Scene,
    parents: Vec<Option<usize>>,
    spawned: &'a SpawnedScene,
}

impl<'a> Judge<'a> {
    fn new(scene: &'a Scene, spawned: &'a SpawnedScene) -> Self {
        let mut parents = vec![None; scene.nodes.len()];
        for (parent, node) in scene.nodes.iter().enumerate() {
            node.children.iter().for_each(|child| parents[*child] = Some(parent));
        }
        Self { scene, parents, spawned }
    }

    /// A node and all above it.
    fn up(&self, node: usize) -> impl Iterator<Item = usize> {
        successors(Some(node), |node| self.parents[*node])
    }

    fn is_static(&self, node: usize) -> bool {
        self.up(node).any(|it| self.scene.nodes[it].is_static)
    }

    /// The product of the matrices of a node and all above it.
    fn matrix(&self, node: usize) -> Matrix4<f64> {
        let matrix = |it: usize| self.scene.nodes[it].transform.to_matrix().cast::<f64>();
        self.up(node).map(matrix).fold(Matrix4::identity(), |product, above| above * product)
    }

    /// Each entity has the components of the table in the module's documentation, the relations of
    /// the description, and its matrix, unless that is sheared.
    fn check(&self, world: &World) {
        let snapshot = Snapshot::of(world);
        for (node, entity) in self.spawned.entities() {
            assert_eq!(self.spawned.entity(node), Some(entity));
            let row = snapshot.get(entity).unwrap();
            self.check_components(node, row, snapshot.layouts[row.archetype].len());
            let above = self.parents[node].filter(|above| self.spawned.entity(*above).is_some());
            let above = match above {
                Some(above) => world_of(world, self.spawned, above).cast(),
                None => self.parents[node].map_or(Matrix4::identity(), |above| self.matrix(above)),
            };
            let expected = above * self.scene.nodes[node].transform.to_matrix().cast::<f64>();
            let actual = matrix32(row.get(Kind::LocalToWorld).unwrap());
            assert!(actual.iter().all(|x| x.is_finite()), "{actual}");
            let (mut off, most) =
                (actual.cast::<f64>() - expected, 1e-5 * expected.amax().max(1.0));
            assert!(off.column(3).amax() <= most, "{node}: {actual} {expected}");
            if self.spawned.dropped_shear().iter().any(|dropped| dropped.node == node) {
                off.fill(0.0);
            }
            assert!(off.amax() <= most, "{node}: {actual} {expected}");
        }
    }

    fn check_components(&self, node: usize, row: &Row, count: usize) {
        let is_static = self.is_static(node);
        let link = self.parents[node].and_then(|above| self.spawned.entity(above));
        let link = link.filter(|_| !is_static);
        assert_eq!((row.parent, row.previous), (link, link.map(Some)));
        let children = self.scene.nodes[node].children.iter();
        let children = children.filter(|child| !self.is_static(**child));
        let children: Vec<_> = children.map(|it| self.spawned.entity(*it).unwrap()).collect();
        let children = Some(children).filter(|children| !children.is_empty());
        assert_eq!(row.children, children);
        let scale = match self.scene.nodes[node].transform {
            NodeTransform::Trs { scale, .. } if !is_static => Some(scale),
            _ => None,
        };
        // The top of a part has another scale, perhaps 1.
        let is_scaled = match link.is_none() && self.parents[node].is_some() {
            true => row.has(Kind::NonUniformScale),
            false => scale.is_some_and(|scale| scale.iter().any(|size| *size != 1.0)),
        };
        let mut kinds = HashSet::from([Kind::LocalToWorld]);
        kinds.extend(link.map(|_| Kind::LocalToParent));
        kinds.extend(scale.into_iter().flat_map(|_| [Kind::Translation, Kind::Rotation]));
        kinds.extend((scale.is_some() && is_scaled).then_some(Kind::NonUniformScale));
        assert_eq!(row.numbers.iter().map(|(kind, _)| *kind).collect::<HashSet<_>>(), kinds);
        let relations = 2 * usize::from(link.is_some()) + usize::from(children.is_some());
        assert_eq!(count, kinds.len() + relations, "nothing else");
    }

    /// Whether the axes of a node's matrix stand upright on each other; `None` if they nearly do, or
    /// if one has no length.
    fn is_upright(&self, node: usize) -> Option<bool> {
        let matrix = self.matrix(node);
        let axes = [0, 1, 2].map(|axis| matrix.fixed_view::<3, 1>(0, axis).into_owned());
        let [x, y, z] = axes.map(|axis| axis.try_normalize(1e-9));
        let (x, y, z) = (x?, y?, z?);
        let most = x.dot(&y).abs().max(y.dot(&z).abs()).max(z.dot(&x).abs());
        [(most < 1e-7, true), (most > 1e-3, false)].iter().find(|it| it.0).map(|it| it.1)
    }
}

/// The promise: everything is right already, so that the first run moves nothing and bumps nothing.
#[track_caller]
fn assert_first_run_is_idle(world: World) {
    let mut test = TestWorld { world, ..TestWorld::default() };
    assert_up_to_date(&test.world);
    let before = Snapshot::of(&test.world);
    for _ in 0..2 {
        test.run();
        assert_nothing_rewritten(&before, &Snapshot::of(&test.world));
        assert_eq!(test.findings(), []);
    }
}

proptest! {
    #![proptest_config(demand::cases(64))]

    /// Whole, twice in one world, beside others; and from one of its nodes down.
    #[test]
    fn any_forest_is_right_before_the_first_run(scene in forests(), pick in any::<Index>()) {
        let mut world = World::default();
        let bystander = world.push((LocalToWorld::identity(),));
        let spawned = [(); 2].map(|()| scene.spawn(&mut world).unwrap());
        let later = world.push((LocalToWorld::identity(),));
        let mut ids = HashSet::from([bystander, later]);
        for spawned in &spawned {
            ids.extend(spawned.entities().map(|(_, entity)| entity));
            prop_assert!(spawned.dropped_shear().is_empty());
            prop_assert_eq!(spawned.entities().count(), scene.nodes.len());
            prop_assert_eq!(spawned.entity(scene.nodes.len()), None);
            Judge::new(&scene, spawned).check(&world);
        }
        prop_assert_eq!([ids.len(), world.len()], [2 + 2 * scene.nodes.len(); 2], "all ids differ");
        assert_first_run_is_idle(world);
        // A static node and one of a matrix keep their shear.
        for top in 0..scene.nodes.len() {
            let spawned = scene.spawn_subtree(&mut World::default(), top).unwrap();
            let judge = Judge::new(&scene, &spawned);
            let is_trs = matches!(scene.nodes[top].transform, NodeTransform::Trs { .. });
            let keeps = !is_trs || judge.is_static(top);
            let dropped: Vec<usize> = spawned.dropped_shear().iter().map(|it| it.node).collect();
            match judge.is_upright(top) {
                Some(is_upright) if !keeps && !is_upright => prop_assert_eq!(dropped, [top]),
                Some(_) => prop_assert_eq!(dropped, [0; 0]),
                None => {}
            }
        }
        if scene.nodes.is_empty() {
            return Ok(());
        }

        let (top, mut part) = (pick.index(scene.nodes.len()), World::default());
        let spawned = scene.spawn_subtree(&mut part, top).unwrap();
        let judge = Judge::new(&scene, &spawned);
        let is_below = |node: &usize| judge.up(*node).any(|above| above == top);
        let nodes: Vec<usize> = spawned.entities().map(|(node, _)| node).collect();
        prop_assert_eq!(nodes, (0..scene.nodes.len()).filter(is_below).collect::<Vec<_>>());
        judge.check(&part);
        assert_first_run_is_idle(part);
    }
}
