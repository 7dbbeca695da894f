//! Skins: the joints of the scene that move a mesh, and where each was when the mesh was bound to
//! it.

use std::collections::HashMap;

use gltf::accessor::{DataType, Dimensions};
use serde_json::{Value, json};

use super::{
    accessors::read, document::Document, findings::Flaw, geometry::Geometry, sound, words::counted,
};

/// The page's skins, by the file's number as soon as a node needs one: the page's number, and how
/// many joints each has.
#[derive(Default)]
pub struct Skins {
    known: HashMap<usize, (usize, usize)>,
    made: Vec<Value>,
}

impl Skins {
    /// The page's number of a skin. `most` is the largest joint that its mesh needs.
    pub fn skin(
        &mut self,
        document: &Document,
        skin: &gltf::Skin<'_>,
        most: u16,
        new_index: &[Option<usize>],
        geometry: &mut Geometry<'_>,
    ) -> Result<usize, Flaw> {
        let (made, count) = match self.known.get(&skin.index()) {
            Some(&known) => known,
            None => {
                let (value, count) = make(document, skin, new_index, geometry)?;
                self.made.push(value);
                self.known.insert(skin.index(), (self.made.len() - 1, count));
                (self.made.len() - 1, count)
            }
        };
        if usize::from(most) >= count {
            return Err(format!(
                "joint {most} is beyond the {} of skin {}",
                counted(count, "joint"),
                skin.index()
            )
            .into());
        }
        Ok(made)
    }

    pub fn data(self) -> Vec<Value> {
        self.made
    }
}

fn make(
    document: &Document,
    skin: &gltf::Skin<'_>,
    new_index: &[Option<usize>],
    geometry: &mut Geometry<'_>,
) -> Result<(Value, usize), Flaw> {
    let index = skin.index();
    sound::skin(document, index)?;
    let mut joints = Vec::new();
    for joint in skin.joints() {
        let shown = new_index[joint.index()]
            .ok_or_else(|| format!("joint {} of skin {index} is not shown", joint.index()))?;
        joints.push(shown);
    }
    let matrices: Vec<[[f32; 4]; 4]> = match skin.inverse_bind_matrices() {
        Some(accessor) => read(document, accessor, Dimensions::Mat4, &[DataType::F32])?,
        None => vec![nalgebra::Matrix4::identity().into(); joints.len()],
    };
    if matrices.len() < joints.len() {
        return Err(format!(
            "skin {index} has {} and {}",
            counted(joints.len(), "joint"),
            counted(matrices.len(), "matrix")
        )
        .into());
    }
    if !matrices.iter().flatten().flatten().all(|x| x.is_finite()) {
        return Err(format!("a matrix of skin {index} holds an infinity or NaN").into());
    }
    let affine: Vec<[f32; 12]> = matrices
        .iter()
        .take(joints.len())
        .map(|m| std::array::from_fn(|i| m[i / 3][i % 3]))
        .collect();
    let count = joints.len();
    Ok((json!({ "joints": joints, "inverse": geometry.inverse_binds(&affine) }), count))
}
