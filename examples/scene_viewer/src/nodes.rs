//! The nodes of a file as a scene description: where each is, and what is wrong with that.

use gltf::scene::Transform;
use legion_transform::scene::{NodeTransform, Scene, SceneNode};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};

use super::{document::Document, findings::Findings, forest, names};

/// All nodes of the file, as a forest.
pub fn describe(document: &Document, findings: &mut Findings) -> Scene {
    let mut scene = Scene::default();
    for node in document.gltf.nodes() {
        let who = || names::described("node", node.index(), node.name());
        one_place(&document.json().nodes[node.index()], &who, findings);
        let transform = match node.transform() {
            Transform::Matrix { matrix } => {
                NodeTransform::Matrix(affine(Matrix4::from(matrix), &who, findings))
            }
            Transform::Decomposed { translation, rotation, scale } => {
                let length = Quaternion::from(rotation).norm();
                if length.is_finite() && (length - 1.0).abs() > 1e-3 {
                    findings
                        .tell(format!("{} has a rotation of length {length}: normalised", who()));
                }
                trs(translation, rotation, scale)
            }
        };
        let name = names::name(node.name(), "node", node.index());
        let children = node.children().map(|child| child.index());
        scene.add(SceneNode::new(name).at(transform).with_children(children));
    }
    forest::mend(&mut scene, |finding| findings.tell(finding));
    scene
}

/// A matrix and its parts beside it contradict each other, if only one day.
fn one_place(node: &gltf::json::scene::Node, who: &dyn Fn() -> String, findings: &mut Findings) {
    let parts = [
        node.translation.map(|_| "translation"),
        node.rotation.map(|_| "rotation"),
        node.scale.map(|_| "scale"),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if node.matrix.is_some() && !parts.is_empty() {
        let parts = parts.join(", ");
        findings.tell(format!(
            "{} has a matrix and {parts}: the matrix counts; write one or the other",
            who()
        ));
    }
}

/// The matrix with 0 0 0 1 as its last row.
fn affine(
    mut matrix: Matrix4<f32>,
    who: &dyn Fn() -> String,
    findings: &mut Findings,
) -> Matrix4<f32> {
    let last = matrix.row(3).into_owned();
    let expected = Matrix4::identity().row(3).into_owned();
    if last != expected {
        let [x, y, z, w]: [f32; 4] = last.into();
        findings.tell(format!(
            "{} has a matrix with the last row {x} {y} {z} {w}: taken as 0 0 0 1; write matrices \
             column by column, and without projection",
            who()
        ));
        matrix.set_row(3, &expected);
    }
    matrix
}

pub fn trs(translation: [f32; 3], rotation: [f32; 4], scale: [f32; 3]) -> NodeTransform {
    NodeTransform::Trs {
        translation: translation.into(),
        rotation: unit(rotation),
        scale: Vector3::from(scale),
    }
}

/// A quaternion of length one. What is not finite stays so, for the checks to find; zero turns
/// nothing.
pub fn unit(xyzw: [f32; 4]) -> UnitQuaternion<f32> {
    let quaternion = Quaternion::from(xyzw);
    if !quaternion.coords.iter().all(|x| x.is_finite()) {
        return UnitQuaternion::new_unchecked(quaternion);
    }
    UnitQuaternion::try_new(quaternion, f32::MIN_POSITIVE).unwrap_or_default()
}
