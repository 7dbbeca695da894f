//! Makes of a file's nodes what the crate's description of a scene takes: a forest of finite
//! matrices. Each step takes out as little as it can, and says so.

use legion_transform::scene::{NodeTransform, Scene};
use nalgebra::Matrix4;

use super::names;

/// Past this, sums in `f32` may overflow on the way to a world matrix.
const LARGEST: f64 = 1e38;

/// Makes it so. What was taken out is added to `findings`.
pub fn mend(scene: &mut Scene, mut tell: impl FnMut(String)) {
    let parents = one_parent_each(scene, &mut tell);
    let order = parents_first(scene, parents, &mut tell);
    finite(scene, &order, &mut tell);
}

fn who(scene: &Scene, node: usize) -> String {
    names::described("node", node, scene.nodes[node].name.as_deref())
}

/// Of two nodes that name one as their child, the first keeps it.
fn one_parent_each(scene: &mut Scene, tell: &mut impl FnMut(String)) -> Vec<Option<usize>> {
    let mut parents = vec![None; scene.nodes.len()];
    for node in 0..scene.nodes.len() {
        let mut children = std::mem::take(&mut scene.nodes[node].children);
        children.retain(|&child| match parents[child] {
            None => {
                parents[child] = Some(node);
                true
            }
            Some(first) => {
                let [child, node, first] = [child, node, first].map(|node| who(scene, node));
                tell(if first == node {
                    format!("{node} names {child} as its child twice: it is shown once")
                } else {
                    format!(
                        "{child} is a child of both {first} and {node}: it is shown below the first"
                    )
                });
                false
            }
        });
        scene.nodes[node].children = children;
    }
    parents
}

/// All nodes, parents before their children. A node with a parent that is in nobody's order yet is
/// on a cycle or below one: the node of the lowest number on it becomes a root.
fn parents_first(
    scene: &mut Scene,
    mut parents: Vec<Option<usize>>,
    tell: &mut impl FnMut(String),
) -> Vec<usize> {
    let count = scene.nodes.len();
    let mut order: Vec<usize> = (0..count).filter(|&node| parents[node].is_none()).collect();
    let mut is_known = vec![false; count];
    let mut next = 0;
    let mut follow = |order: &mut Vec<usize>, scene: &Scene, is_known: &mut Vec<bool>| {
        while let Some(&node) = order.get(next) {
            is_known[node] = true;
            order.extend_from_slice(&scene.nodes[node].children);
            next += 1;
        }
    };
    follow(&mut order, scene, &mut is_known);
    for start in 0..count {
        // Each step goes up; a node that is met again is on the cycle.
        let (mut node, mut met) = (start, Vec::new());
        while !is_known[node] {
            is_known[node] = true;
            met.push(node);
            node = parents[node].unwrap_or(node);
        }
        let Some(first) = met.iter().position(|&other| other == node) else { continue };
        let cycle = &met[first..];
        let top = cycle.iter().copied().min().unwrap_or(node);
        let above = parents[top].take().unwrap_or(top);
        scene.nodes[above].children.retain(|&child| child != top);
        let (below, above) = (who(scene, top), who(scene, above));
        tell(format!("{below} is its own ancestor: it is taken out of the children of {above}"));
        order.push(top);
        follow(&mut order, scene, &mut is_known);
    }
    order
}

/// A node whose own or world matrix is not finite is put where its parent is.
fn finite(scene: &mut Scene, order: &[usize], tell: &mut impl FnMut(String)) {
    let mut above = vec![Matrix4::<f64>::identity(); scene.nodes.len()];
    for &node in order {
        let local = scene.nodes[node].transform.to_matrix().cast::<f64>();
        let is_finite = local.iter().all(|x| x.is_finite());
        let mut world = above[node] * local;
        if !world.iter().all(|x| x.abs() <= LARGEST) {
            let what = if is_finite { "is so large that it overflows" } else { "is not finite" };
            tell(format!(
                "the world matrix of {} {what}: the node is shown where its parent is",
                who(scene, node)
            ));
            scene.nodes[node].transform = NodeTransform::identity();
            world = above[node];
        }
        for &child in &scene.nodes[node].children {
            above[child] = world;
        }
    }
}

#[cfg(test)]
mod tests {
    use legion_transform::scene::SceneNode;

    use super::*;

    fn mended(children: &[&[usize]]) -> (Vec<Vec<usize>>, Vec<String>) {
        let mut scene = Scene::default();
        for list in children {
            scene.add(SceneNode::default().with_children(list.iter().copied()));
        }
        let mut findings = Vec::new();
        mend(&mut scene, |finding| findings.push(finding));
        assert_eq!(scene.check(), Ok(()), "{children:?}");
        (scene.nodes.into_iter().map(|node| node.children).collect(), findings)
    }

    #[test]
    fn a_forest_stays_as_it_is() {
        let forest: [&[usize]; 5] = [&[], &[0, 3], &[], &[2], &[]];
        let (children, findings) = mended(&forest);
        assert!(children == forest && findings.is_empty(), "{children:?} {findings:?}");
    }

    #[test]
    fn a_node_has_one_parent() {
        let (children, findings) = mended(&[&[2, 2], &[2], &[]]);
        assert_eq!(children, [vec![2], vec![], vec![]]);
        assert_eq!(
            findings,
            [
                "node 0 names node 2 as its child twice: it is shown once",
                "node 2 is a child of both node 0 and node 1: it is shown below the first",
            ]
        );
    }

    #[test]
    fn a_circle_is_cut_once() {
        // 3 > 1 > 2 > 3 with 0 below 2, and 4 below itself.
        let (children, findings) = mended(&[&[], &[2], &[3, 0], &[1], &[4]]);
        assert_eq!(children, [vec![], vec![2], vec![3, 0], vec![], vec![]]);
        assert_eq!(
            findings,
            [
                "node 1 is its own ancestor: it is taken out of the children of node 3",
                "node 4 is its own ancestor: it is taken out of the children of node 4",
            ]
        );
    }

    #[test]
    fn what_overflows_is_where_its_parent_is() {
        let mut scene = Scene::default();
        let huge = NodeTransform::Matrix(Matrix4::new_scaling(1e30));
        let leaf = scene.add(SceneNode::default().at(NodeTransform::from_translation(1.0, 0., 0.)));
        let inner = scene.add(SceneNode::default().at(huge).with_children([leaf]));
        let top = scene.add(SceneNode::default().at(huge).with_children([inner]));
        let nan =
            scene.add(SceneNode::default().at(NodeTransform::from_translation(f32::NAN, 0., 0.)));
        let mut findings = Vec::new();
        mend(&mut scene, |finding| findings.push(finding));
        let expected = |node, what| {
            format!("the world matrix of node {node} {what}: the node is shown where its parent is")
        };
        assert_eq!(
            findings,
            [expected(nan, "is not finite"), expected(inner, "is so large that it overflows")]
        );
        assert_eq!(scene.nodes[inner].transform, NodeTransform::identity());
        assert_eq!(scene.nodes[top].transform, huge);
        assert!(scene.spawn(&mut legion::World::default()).is_ok());
    }
}
