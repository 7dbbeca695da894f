//! How each derived value follows from the values it is made of: the table in `docs/unity.md`.

use legion::Entity;
use legion_transform_testing::{
    Bounded, Numeric, formulas as f,
    groups::{Groups, Writer},
    inherits,
    inverse::{Inverse, inverse},
    kind::{Kind, Numbers, POST_ROTATION_EULERS, ROTATION_EULERS},
    links::Links,
    snapshot::{Row, Snapshot, bits, matrix64, same_bits},
};

use super::{
    frames,
    user::{self, Lift, Spin, Wave},
};

/// What a value must be after a run.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// What it was before the run.
    Kept,
    /// These very bits.
    Exactly(Numbers),
    /// A matrix, or a quaternion whose rotation it is.
    Near(Bounded),
    /// The inverse of a 4x4, and the finding it makes where there is none.
    InverseOf(Inverse),
}

/// A rule that applies to a value: what it must be, and the bits it is made of. Same bits in, same
/// bits out.
#[derive(Clone, Debug)]
pub struct Rule {
    pub value: Value,
    pub key: Vec<u32>,
}

impl Rule {
    fn kept() -> Self {
        Self { value: Value::Kept, key: Vec::new() }
    }

    fn exactly(numbers: Numbers) -> Self {
        Self { value: Value::Exactly(numbers), key: Vec::new() }
    }

    /// `inputs` are the kinds of the value's inputs; kinds that the entity lacks do not count.
    fn near(target: Kind, value: Bounded, row: &Row, inputs: &[Kind]) -> Self {
        let mut key = vec![number(target)];
        for &kind in inputs {
            if let Some(numbers) = row.get(kind) {
                extend(&mut key, kind, numbers);
            }
        }
        Self { value: Value::Near(value), key }
    }

    pub fn is_kept(&self) -> bool {
        matches!(self.value, Value::Kept)
    }
}

fn extend(key: &mut Vec<u32>, kind: Kind, numbers: &Numbers) {
    key.push(u32::MAX - number(kind));
    key.extend(numbers.map(bits));
}

/// A number for each component of the crate.
fn number(kind: Kind) -> u32 {
    let number = Kind::ALL.iter().position(|of| *of == kind).expect("one of the crate's");
    u32::try_from(number).expect("a few")
}

/// The world after a run, in which every value must follow from the others.
pub struct Rules<'a> {
    pub groups: &'a Groups,
    pub links: &'a Links,
    pub after: &'a Snapshot,
    /// From where the world is seen.
    pub origin: Option<Entity>,
}

impl Rules<'_> {
    /// The rule for a component of an entity, `ParentScaleInverse` without a source excepted: that
    /// one depends on the past.
    pub fn rule(&self, row: &Row, kind: Kind) -> Rule {
        match kind {
            Kind::Rotation if row.has(Kind::own::<Spin>()) => Rule::exactly(
                user::spun(row.get(Kind::own::<Spin>()).expect("checked")[0]).numbers(),
            ),
            Kind::LocalToParent if row.has(Kind::own::<Lift>()) => Rule::exactly(
                user::lifted(row.get(Kind::own::<Lift>()).expect("checked")[0]).numbers(),
            ),
            Kind::LocalToWorld if self.is_framed(row) => self.seen(row.entity),
            Kind::LocalToWorld if row.has(Kind::own::<Wave>()) => Rule::exactly(
                user::waved(row.get(Kind::own::<Wave>()).expect("checked")[0]).numbers(),
            ),
            Kind::Rotation => self.turned_by_eulers(row, kind, Writer::Rotation, &ROTATION_EULERS),
            Kind::PostRotation => {
                self.turned_by_eulers(row, kind, Writer::PostRotation, &POST_ROTATION_EULERS)
            }
            Kind::CompositeRotation => self.composite_rotation(row),
            Kind::CompositeScale => self.composite_scale(row),
            Kind::ParentScaleInverse => self.parent_scale_inverse(row),
            Kind::LocalToParent => self.local(row, kind, Writer::LocalToParent),
            Kind::LocalToWorld => self.world(row),
            Kind::WorldToLocal => self.world_to_local(row),
            _ => Rule::kept(),
        }
    }

    fn stopped(&self, writer: Writer, row: &Row) -> bool {
        self.groups.stopped(writer, self.after, row)
    }

    fn turned_by_eulers(
        &self,
        row: &Row,
        target: Kind,
        writer: Writer,
        eulers: &[Kind; 6],
    ) -> Rule {
        let first = eulers
            .iter()
            .enumerate()
            .find_map(|(order, euler)| Some((order, *euler, row.vector(*euler)?)));
        match first {
            Some((order, euler, angles)) if !self.stopped(writer, row) => {
                Rule::near(target, f::euler(order, angles), row, &[euler])
            }
            _ => Rule::kept(),
        }
    }

    fn composite_rotation(&self, row: &Row) -> Rule {
        let inputs = f::RotationInputs {
            rotation: row.quaternion(Kind::Rotation).map(f::rotation),
            post_rotation: row.quaternion(Kind::PostRotation).map(f::rotation),
            pivot: row.vector(Kind::RotationPivot),
            pivot_translation: row.vector(Kind::RotationPivotTranslation),
        };
        match f::composite_rotation(&inputs) {
            Some(mut value) if !self.stopped(Writer::CompositeRotation, row) => {
                if !multiplies_as_matrices(row) {
                    value.magnitude.fill(f64::from(f32::MAX));
                }
                let kinds = [
                    Kind::Rotation,
                    Kind::PostRotation,
                    Kind::RotationPivot,
                    Kind::RotationPivotTranslation,
                ];
                Rule::near(Kind::CompositeRotation, value, row, &kinds)
            }
            _ => Rule::kept(),
        }
    }

    fn composite_scale(&self, row: &Row) -> Rule {
        let (kind, scale) = plain_scale(row);
        let inputs = f::ScaleInputs {
            scale,
            pivot: row.vector(Kind::ScalePivot),
            pivot_translation: row.vector(Kind::ScalePivotTranslation),
            shear: row.vector(Kind::Shear),
        };
        match f::composite_scale(&inputs) {
            Some(value) if !self.stopped(Writer::CompositeScale, row) => {
                let kinds = [kind, Kind::ScalePivot, Kind::ScalePivotTranslation, Kind::Shear];
                Rule::near(Kind::CompositeScale, value, row, &kinds)
            }
            _ => Rule::kept(),
        }
    }

    /// The component of an entity's parent that its `ParentScaleInverse` inverts.
    pub fn scale_source(&self, row: &Row) -> Option<(&Row, Kind)> {
        let parent = self.after.get(*self.links.linked.get(&row.entity)?)?;
        if self.stopped(Writer::ParentScaleInverse, row) {
            return None;
        }
        let kind = [Kind::CompositeScale, Kind::Scale, Kind::NonUniformScale]
            .into_iter()
            .find(|kind| parent.has(*kind))?;
        Some((parent, kind))
    }

    fn parent_scale_inverse(&self, row: &Row) -> Rule {
        let Some((parent, kind)) = self.scale_source(row) else { return Rule::kept() };
        let mut key = vec![number(Kind::ParentScaleInverse)];
        extend(&mut key, kind, parent.get(kind).expect("the source is there"));
        // Which of two formulas inverts a composite follows from the parent's components, and they
        // differ in signs of zeros.
        let along_axes = parent.has_any(&[Kind::Scale, Kind::NonUniformScale]);
        let beyond = parent.has_any(&[Kind::ScalePivot, Kind::ScalePivotTranslation, Kind::Shear]);
        let of_axes = along_axes && !beyond && !self.stopped(Writer::CompositeScale, parent);
        key.push(u32::from(of_axes));
        let value = match (kind, parent.matrix(kind)) {
            // One that is computed of axes alone is inverted as they are: also where one is 0.
            (Kind::CompositeScale, Some(matrix)) if !of_axes => Value::InverseOf(inverse(&matrix)),
            _ => {
                Value::Near(f::inverse_scaling(plain_scale(parent).1.expect("the source is there")))
            }
        };
        Rule { value, key }
    }

    fn local(&self, row: &Row, target: Kind, writer: Writer) -> Rule {
        let linked = self.links.linked.contains_key(&row.entity);
        let rotation =
            if row.has(Kind::CompositeRotation) { Kind::CompositeRotation } else { Kind::Rotation };
        let scale =
            if row.has(Kind::CompositeScale) { Kind::CompositeScale } else { plain_scale(row).0 };
        let inputs = f::LocalInputs {
            translation: row.vector(Kind::Translation),
            parent_scale_inverse: row
                .matrix(Kind::ParentScaleInverse)
                .filter(|_| linked)
                .map(Bounded::exact),
            rotation: match rotation {
                Kind::CompositeRotation => row.matrix(rotation).map(Bounded::exact),
                _ => row.quaternion(rotation).map(f::rotation),
            },
            scale: match scale {
                Kind::CompositeScale => row.matrix(scale).map(Bounded::exact),
                _ => plain_scale(row).1.map(f::scaling),
            },
        };
        match f::local(&inputs) {
            Some(value) if !self.stopped(writer, row) => {
                let mut kinds = vec![Kind::Translation, rotation, scale];
                if linked {
                    kinds.push(Kind::ParentScaleInverse);
                }
                // The local matrix is one formula, wherever it is written.
                Rule::near(
                    if target == Kind::LocalToWorld { Kind::LocalToParent } else { target },
                    value,
                    row,
                    &kinds,
                )
            }
            _ => Rule::kept(),
        }
    }

    fn world(&self, row: &Row) -> Rule {
        let local = row.get(Kind::LocalToParent);
        if let Some(parent) = self.links.linked.get(&row.entity) {
            if self.stopped(Writer::LinkedWorld, row) {
                return Rule::kept();
            }
            let parent = self
                .after
                .get(*parent)
                .and_then(|parent| parent.get(Kind::LocalToWorld))
                .expect("a link");
            let local = local.expect("a link");
            let inherits = row.get(Kind::Inherits);
            let parts = inherits.map_or([true; 3], |it| [0, 1, 2].map(|part| it[part] == 1.0));
            let inherited = inherits::inherited(&Bounded::exact(matrix64(parent)), parts);
            let local_matrix = Bounded::exact(matrix64(local));
            let mut key = vec![number(Kind::LocalToWorld)];
            extend(&mut key, Kind::LocalToWorld, parent);
            extend(&mut key, Kind::LocalToParent, local);
            key.extend(parts.map(u32::from));
            return Rule { value: Value::Near(inherited * local_matrix), key };
        }
        if self.links.is_held(row.entity) {
            let stopped = self.stopped(Writer::LinkedWorld, row);
            return if stopped { Rule::kept() } else { Rule::exactly(*local.expect("a link")) };
        }
        if local.is_some() {
            return Rule::kept();
        }
        self.local(row, Kind::LocalToWorld, Writer::RootWorld)
    }

    /// Whether an entity has a frame, and no component of the user's that writes its matrix.
    pub fn is_framed(&self, row: &Row) -> bool {
        let is_linked = row.has(Kind::LocalToParent);
        let writer = if is_linked { Writer::LinkedWorld } else { Writer::RootWorld };
        row.frame.is_some() && !self.stopped(writer, row)
    }

    /// A frame's, which is written after the systems of the user.
    fn seen(&self, frame: Entity) -> Rule {
        match frames::seen(self, frame) {
            Some(value) => Rule { value: Value::Near(value), key: Vec::new() },
            None => Rule::exactly(Kind::LocalToWorld.identity()),
        }
    }

    fn world_to_local(&self, row: &Row) -> Rule {
        match row.matrix(Kind::LocalToWorld) {
            Some(matrix) if !self.stopped(Writer::WorldToLocal, row) => {
                let mut key = vec![number(Kind::WorldToLocal)];
                extend(&mut key, Kind::LocalToWorld, row.get(Kind::LocalToWorld).expect("checked"));
                Rule { value: Value::InverseOf(inverse(&matrix)), key }
            }
            _ => Rule::kept(),
        }
    }
}

/// Whether the product of an entity's two quaternions has the product of their matrices. It has if
/// both are units.
fn multiplies_as_matrices(row: &Row) -> bool {
    let is_unit = |q: [f64; 4]| (q.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-5;
    let both = row.quaternion(Kind::Rotation).zip(row.quaternion(Kind::PostRotation));
    both.is_none_or(|(one, other)| is_unit(one) && is_unit(other))
}

/// `Scale` as a vector, else `NonUniformScale`.
fn plain_scale(row: &Row) -> (Kind, Option<f::V>) {
    match row.scalar(Kind::Scale) {
        Some(scale) => (Kind::Scale, Some(f::uniform(scale))),
        None => (Kind::NonUniformScale, row.vector(Kind::NonUniformScale)),
    }
}

/// Whether a value is the identity matrix.
pub fn is_identity(numbers: &Numbers) -> bool {
    same_bits(numbers, &Kind::LocalToWorld.identity())
}
