//! Meshes as the graphics card takes them. A primitive that is broken is left out, with a finding.

use std::collections::HashMap;

use gltf::{
    Accessor, Primitive, Semantic,
    accessor::{DataType, Dimensions},
};
use serde_json::{Value, json};

use super::{
    accessors::{check, read},
    blob::Blob,
    document::Document,
    findings::{Findings, Flaw},
    materials::Materials,
    sound,
    words::counted,
};

const FLOATS: &[DataType] = &[DataType::F32];
const FRACTIONS: &[DataType] = &[DataType::F32, DataType::U8, DataType::U16];
const WHOLES: &[DataType] = &[DataType::U8, DataType::U16];

/// What more than one primitive refers to.
pub struct Geometry<'a> {
    document: &'a Document,
    blob: Blob,
    /// Where an accessor's numbers are: many primitives share theirs.
    known: HashMap<usize, usize>,
    /// Likewise indices, by whether they are wide.
    known_indices: HashMap<(usize, bool), usize>,
    materials: Materials<'a>,
    /// By the file's number; the largest joint that each needs.
    meshes: HashMap<usize, (usize, u16)>,
    made: Vec<Value>,
}

impl<'a> Geometry<'a> {
    pub fn new(document: &'a Document) -> Self {
        Self {
            document,
            blob: Blob::default(),
            known: HashMap::new(),
            known_indices: HashMap::new(),
            materials: Materials::new(document),
            meshes: HashMap::new(),
            made: Vec::new(),
        }
    }

    /// The page's number of a mesh, and the largest joint that it needs.
    pub fn mesh(&mut self, mesh: &gltf::Mesh<'a>, findings: &mut Findings) -> (usize, u16) {
        if let Some(&known) = self.meshes.get(&mesh.index()) {
            return known;
        }
        let (mut primitives, mut most) = (Vec::new(), 0);
        for primitive in mesh.primitives() {
            match self.primitive(mesh.index(), &primitive, findings) {
                Ok((value, joint)) => {
                    primitives.push(value);
                    most = most.max(joint);
                }
                Err(flaw) => {
                    let name = format!("primitive {} of mesh {}", primitive.index(), mesh.index());
                    findings.leave_out("primitive", &name, flaw);
                }
            }
        }
        let made = (self.made.len(), most);
        self.made.push(primitives.into());
        self.meshes.insert(mesh.index(), made);
        made
    }

    /// Inverse bind matrices, as the page has its matrices.
    pub fn inverse_binds(&mut self, matrices: &[[f32; 12]]) -> usize {
        self.blob.floats(matrices.iter().flatten())
    }

    pub fn data(self, skins: Vec<Value>) -> Value {
        let (materials, images) = self.materials.data();
        json!({
            "meshes": self.made,
            "materials": materials,
            "images": images,
            "skins": skins,
            "data": self.blob.text(),
        })
    }

    fn primitive(
        &mut self,
        mesh: usize,
        primitive: &Primitive<'a>,
        findings: &mut Findings,
    ) -> Result<(Value, u16), Flaw> {
        sound::primitive(self.document, mesh, primitive.index())?;
        let positions = primitive.get(&Semantic::Positions).ok_or("it has no positions")?;
        let vertices = positions.count();
        let mut value = json!({
            "mode": primitive.mode().as_gl_enum(),
            "vertices": vertices,
            "position": self.triples(positions, vertices)?,
        });
        if let Some(normals) = primitive.get(&Semantic::Normals) {
            value["normal"] = self.triples(normals, vertices)?.into();
        }
        let (material, uv_set) = self.materials.material(&primitive.material(), findings);
        value["material"] = material.into();
        if let (Some(set), Some(coordinates)) =
            (uv_set, uv_set.and_then(|set| primitive.get(&Semantic::TexCoords(set))))
        {
            check(self.document, &coordinates, Dimensions::Vec2, FRACTIONS)?;
            expect(vertices, coordinates.count(), "texture coordinate")?;
            let reader = primitive.reader(|buffer| self.document.bytes(buffer.index()));
            let numbers =
                reader.read_tex_coords(set).ok_or("its texture coordinates cannot be read")?;
            let numbers: Vec<f32> = numbers.into_f32().flatten().collect();
            value["uv"] = self.blob.floats(&numbers).into();
        }
        self.colors(primitive, vertices, &mut value)?;
        let joint = self.joints(primitive, vertices, &mut value)?;
        self.indices(primitive, vertices, &mut value)?;
        self.targets(primitive, vertices, &mut value)?;
        Ok((value, joint))
    }

    fn triples(&mut self, accessor: Accessor<'_>, vertices: usize) -> Result<usize, Flaw> {
        let index = accessor.index();
        expect(vertices, accessor.count(), "element")
            .map_err(|flaw| flaw.of(&format!("accessor {index}")))?;
        if let Some(&known) = self.known.get(&index) {
            return Ok(known);
        }
        let numbers: Vec<[f32; 3]> = read(self.document, accessor, Dimensions::Vec3, FLOATS)?;
        if !numbers.iter().flatten().all(|x| x.is_finite()) {
            return Err(format!("accessor {index} holds an infinity or NaN").into());
        }
        let at = self.blob.floats(numbers.iter().flatten());
        self.known.insert(index, at);
        Ok(at)
    }

    fn colors(
        &mut self,
        primitive: &Primitive<'_>,
        vertices: usize,
        value: &mut Value,
    ) -> Result<(), Flaw> {
        let Some(accessor) = primitive.get(&Semantic::Colors(0)) else { return Ok(()) };
        sound::accessor(self.document, accessor.index())?;
        let dimensions = if accessor.dimensions() == Dimensions::Vec3 {
            Dimensions::Vec3
        } else {
            Dimensions::Vec4
        };
        check(self.document, &accessor, dimensions, FRACTIONS)?;
        expect(vertices, accessor.count(), "colour")?;
        let reader = primitive.reader(|buffer| self.document.bytes(buffer.index()));
        let colors = reader.read_colors(0).ok_or("its colours cannot be read")?;
        value["color"] = self.blob.put(colors.into_rgba_u8().flatten()).into();
        Ok(())
    }

    /// Four joints a vertex; returns the largest.
    fn joints(
        &mut self,
        primitive: &Primitive<'_>,
        vertices: usize,
        value: &mut Value,
    ) -> Result<u16, Flaw> {
        let accessors = (primitive.get(&Semantic::Joints(0)), primitive.get(&Semantic::Weights(0)));
        let (Some(joints), Some(weights)) = accessors else { return Ok(0) };
        check(self.document, &joints, Dimensions::Vec4, WHOLES)?;
        check(self.document, &weights, Dimensions::Vec4, FRACTIONS)?;
        expect(vertices, joints.count(), "joint")?;
        expect(vertices, weights.count(), "weight")?;
        let reader = primitive.reader(|buffer| self.document.bytes(buffer.index()));
        let weights = reader.read_weights(0).ok_or("its weights cannot be read")?;
        let weights: Vec<[f32; 4]> = weights.into_f32().map(whole).collect();
        let joints = reader.read_joints(0).ok_or("its joints cannot be read")?;
        // A joint without weight may be any number.
        let used = |(joint, weight): (u16, f32)| if weight > 0.0 { joint } else { 0 };
        let joints = joints
            .into_u16()
            .zip(&weights)
            .flat_map(|(j, w)| [0, 1, 2, 3].map(|i| used((j[i], w[i]))));
        let joints: Vec<u16> = joints.collect();
        let most = joints.iter().copied().max().unwrap_or(0);
        value["joints"] = self.blob.shorts(joints).into();
        value["weights"] = self.blob.floats(weights.iter().flatten()).into();
        Ok(most)
    }

    fn indices(
        &mut self,
        primitive: &Primitive<'_>,
        vertices: usize,
        value: &mut Value,
    ) -> Result<(), Flaw> {
        let Some(accessor) = primitive.indices() else { return Ok(()) };
        check(
            self.document,
            &accessor,
            Dimensions::Scalar,
            &[DataType::U8, DataType::U16, DataType::U32],
        )?;
        let reader = primitive.reader(|buffer| self.document.bytes(buffer.index()));
        let indices: Vec<u32> =
            reader.read_indices().ok_or("its indices cannot be read")?.into_u32().collect();
        if let Some(index) = indices.iter().find(|&&index| index as usize >= vertices) {
            return Err(
                format!("index {index} is beyond its {}", counted(vertices, "vertex")).into()
            );
        }
        value["count"] = indices.len().into();
        // The page takes them for wide by the same rule.
        let key = (accessor.index(), vertices > usize::from(u16::MAX));
        let at = self.known_indices.get(&key).copied().unwrap_or_else(|| match key.1 {
            false => self.blob.shorts(indices.iter().map(|&index| index as u16)),
            true => self.blob.longs(indices),
        });
        self.known_indices.insert(key, at);
        value["indices"] = at.into();
        Ok(())
    }

    fn targets(
        &mut self,
        primitive: &Primitive<'_>,
        vertices: usize,
        value: &mut Value,
    ) -> Result<(), Flaw> {
        let mut targets = Vec::new();
        for target in primitive.morph_targets() {
            let mut place = |accessor: Option<Accessor<'_>>| {
                accessor.map(|a| self.triples(a, vertices)).transpose()
            };
            targets.push(json!([place(target.positions())?, place(target.normals())?]));
        }
        if !targets.is_empty() {
            value["targets"] = targets.into();
        }
        Ok(())
    }
}

fn expect(vertices: usize, given: usize, what: &str) -> Result<(), Flaw> {
    if given == vertices {
        Ok(())
    } else {
        let (given, vertices) = (counted(given, what), counted(vertices, "vertex"));
        Err(format!("it has {given} for {vertices}").into())
    }
}

/// Weights that add up to one.
fn whole(weights: [f32; 4]) -> [f32; 4] {
    let weights = weights.map(|weight| if weight.is_finite() { weight.max(0.0) } else { 0.0 });
    let sum: f32 = weights.iter().sum();
    if sum > 0.0 { weights.map(|weight| weight / sum) } else { [1.0, 0.0, 0.0, 0.0] }
}
