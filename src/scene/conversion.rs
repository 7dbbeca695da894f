//! From nodes to rows of components, parents first, by the rules of
//! [`Scene::spawn`](super::Scene::spawn).

use legion::Entity;
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::{
    ancestry::Ancestry,
    description::{NodeTransform, SceneNode},
    error::SceneError,
    lossy::WorldTrs,
    spawned::DroppedShear,
};
use crate::{
    math::compose::{product, translation_rotation_scale},
    spawn::take_ids,
};

/// The components of one new entity.
pub(super) struct Row {
    pub node: usize,
    pub world: Matrix4<f32>,
    pub kind: RowKind,
    /// The link to a converted parent; its row and the local matrix.
    pub link: Option<Link>,
    /// The linked children.
    pub children: Vec<Entity>,
}

pub(super) enum RowKind {
    Static,
    Matrix,
    Trs { translation: Vector3<f32>, rotation: UnitQuaternion<f32>, scale: Option<Vector3<f32>> },
}

#[derive(Clone, Copy)]
pub(super) struct Link {
    pub parent: Entity,
    pub local: Matrix4<f32>,
}

/// The rows, parents first, and their entities.
pub(super) struct Conversion {
    pub rows: Vec<Row>,
    /// The entity of each row.
    pub ids: Vec<Entity>,
    /// The entity of each node.
    pub entities: Vec<Option<Entity>>,
    pub dropped_shear: Vec<DroppedShear>,
}

/// Converts the nodes of `order`: whole subtrees, parents first.
pub(super) fn convert(
    nodes: &[SceneNode],
    ancestry: &Ancestry,
    order: Vec<usize>,
) -> Result<Conversion, SceneError> {
    let mut conversion = Conversion {
        rows: Vec::with_capacity(order.len()),
        ids: take_ids(order.len()),
        entities: vec![None; nodes.len()],
        dropped_shear: Vec::new(),
    };
    let mut row_of = vec![usize::MAX; nodes.len()];
    for node in order {
        let parent =
            ancestry.parent(node).map(|parent| row_of[parent]).filter(|&row| row != usize::MAX);
        let row = match parent {
            Some(parent) => conversion.below(parent, node, &nodes[node]),
            None => conversion.topmost(node, nodes, ancestry),
        };
        if !row.world.iter().all(|x| x.is_finite()) {
            return Err(SceneError::WorldNotFinite { node });
        }
        row_of[node] = conversion.rows.len();
        conversion.add(row, parent);
    }
    Ok(conversion)
}

impl Conversion {
    fn add(&mut self, row: Row, parent: Option<usize>) {
        let entity = self.ids[self.rows.len()];
        self.entities[row.node] = Some(entity);
        if let (Some(parent), Some(_)) = (parent, row.link) {
            self.rows[parent].children.push(entity);
        }
        self.rows.push(row);
    }

    /// A node whose parent is converted too.
    fn below(&self, parent: usize, node: usize, description: &SceneNode) -> Row {
        let (above, parent) = (&self.rows[parent], self.ids[parent]);
        let is_static = description.is_static || matches!(above.kind, RowKind::Static);
        let kind = RowKind::new(is_static, &description.transform);
        let local = kind.local().unwrap_or_else(|| description.transform.to_matrix());
        let world = product(&above.world, &local);
        Row {
            node,
            world,
            kind,
            link: (!is_static).then_some(Link { parent, local }),
            children: Vec::new(),
        }
    }

    /// A root, or the top of the part that is converted.
    fn topmost(&mut self, node: usize, nodes: &[SceneNode], ancestry: &Ancestry) -> Row {
        let chain = ancestry.chain(node);
        let is_static = chain.iter().any(|&node| nodes[node].is_static);
        let transforms = || chain.iter().map(|&node| &nodes[node].transform);
        let mut kind = RowKind::new(is_static, &nodes[node].transform);
        if chain.len() > 1 && matches!(kind, RowKind::Trs { .. }) {
            let lossy = WorldTrs::new(transforms());
            kind = RowKind::trs(&lossy.translation, &lossy.rotation, &lossy.scale);
            if let Some(amount) = lossy.dropped {
                let kept = kind.local().unwrap_or(lossy.matrix);
                let entity = self.ids[self.rows.len()];
                self.dropped_shear.push(DroppedShear {
                    node,
                    entity,
                    amount,
                    described: lossy.matrix,
                    kept,
                });
            }
        }
        let world = kind.local().unwrap_or_else(|| {
            let local = transforms().map(NodeTransform::to_matrix);
            local.reduce(|above, local| product(&above, &local)).unwrap_or_else(Matrix4::identity)
        });
        Row { node, world, kind, link: None, children: Vec::new() }
    }
}

impl RowKind {
    fn new(is_static: bool, transform: &NodeTransform) -> Self {
        match transform {
            _ if is_static => Self::Static,
            NodeTransform::Matrix(_) => Self::Matrix,
            NodeTransform::Trs { translation, rotation, scale } => {
                Self::trs(translation, rotation, scale)
            }
        }
    }

    fn trs(
        translation: &Vector3<f32>,
        rotation: &UnitQuaternion<f32>,
        scale: &Vector3<f32>,
    ) -> Self {
        let scale = (*scale != Vector3::repeat(1.0)).then_some(*scale);
        Self::Trs { translation: *translation, rotation: *rotation, scale }
    }

    /// The local matrix that the bundle computes from the components.
    fn local(&self) -> Option<Matrix4<f32>> {
        let Self::Trs { translation, rotation, scale } = self else { return None };
        Some(translation_rotation_scale(
            translation,
            rotation,
            &scale.unwrap_or_else(|| Vector3::repeat(1.0)),
        ))
    }
}
