//! How each value follows from those that it is made of, as they stand after a run. The rules are
//! those of the kit ([`derived_step`]): the table in `docs/unity.md`. Here stand the systems of the
//! user's, frames, and what a value is made of.

use legion::Entity;
use legion_transform_testing::{
    Derived, Numeric, derived_step,
    groups::{Groups, LOCAL, ROTATIONS, SCALES, Writer},
    kind::{Kind, Numbers, POST_ROTATION_EULERS, ROTATION_EULERS},
    links::Links,
    snapshot::{Row, Snapshot, bits, same_bits},
};

use super::{
    frames,
    user::{self, Lift, Spin, Wave},
};

/// What a value must be, and the bits it is made of. Same bits in, same bits out.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `None` is what it was before the run.
    pub value: Option<Derived>,
    pub key: Vec<u32>,
}

impl Rule {
    fn exactly(numbers: Numbers) -> Self {
        Self { value: Some(Derived::Kept(numbers)), key: Vec::new() }
    }
}

fn extend(key: &mut Vec<u32>, row: &Row, kinds: &[Kind]) {
    for &kind in kinds {
        if let Some(numbers) = row.get(kind) {
            key.push(u32::MAX - number(kind));
            key.extend(numbers.map(bits));
        }
    }
}

/// A number for each component of the crate.
fn number(kind: Kind) -> u32 {
    let number = Kind::ALL.iter().position(|of| *of == kind).expect("one of the crate's");
    u32::try_from(number).expect("a few")
}

/// What a value is made of, of the entity's own. Of two that exclude each other, the one that
/// counts.
fn inputs(row: &Row, kind: Kind, is_linked: bool) -> Vec<Kind> {
    let first = |all: &[Kind]| all.iter().copied().filter(|kind| row.has(*kind)).take(1).collect();
    let is_scale = kind == Kind::CompositeScale;
    let all = match kind {
        Kind::Rotation => return first(&ROTATION_EULERS),
        Kind::PostRotation => return first(&POST_ROTATION_EULERS),
        Kind::CompositeRotation => return ROTATIONS.to_vec(),
        Kind::WorldToLocal => return vec![Kind::LocalToWorld],
        Kind::CompositeScale => SCALES.to_vec(),
        _ => [&LOCAL[..], &[Kind::ParentScaleInverse]].concat(),
    };
    let counts = |it: &Kind| match it {
        Kind::Rotation => !row.has(Kind::CompositeRotation),
        Kind::Scale => is_scale || !row.has(Kind::CompositeScale),
        Kind::NonUniformScale if row.has(Kind::Scale) => false,
        Kind::NonUniformScale => is_scale || !row.has(Kind::CompositeScale),
        Kind::ParentScaleInverse => is_linked,
        _ => true,
    };
    all.into_iter().filter(counts).collect()
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
        let own = |kind| row.get(kind).map(|numbers| numbers[0]);
        let [spin, lift, wave] =
            [Kind::own::<Spin>(), Kind::own::<Lift>(), Kind::own::<Wave>()].map(own);
        match (kind, spin, lift, wave) {
            (Kind::Rotation, Some(spin), ..) => Rule::exactly(user::spun(spin).numbers()),
            (Kind::LocalToParent, _, Some(lift), _) => Rule::exactly(user::lifted(lift).numbers()),
            (Kind::LocalToWorld, ..) if self.is_framed(row) => self.seen(row.entity),
            (Kind::LocalToWorld, .., Some(wave)) => Rule::exactly(user::waved(wave).numbers()),
            _ => {
                let value = derived_step((self.groups, self.links), self.after, row, kind);
                let key = match &value {
                    None | Some(Derived::Kept(_)) => Vec::new(),
                    Some(value) => self.key(row, kind, matches!(value, Derived::InverseOf(_))),
                };
                Rule { value, key }
            }
        }
    }

    /// The bits that a value is made of.
    fn key(&self, row: &Row, kind: Kind, is_inverse: bool) -> Vec<u32> {
        let parent = self.links.linked.get(&row.entity).and_then(|parent| self.after.get(*parent));
        let mut key = vec![number(kind)];
        match (kind, parent) {
            (Kind::LocalToWorld, Some(parent)) => {
                extend(&mut key, parent, &[Kind::LocalToWorld]);
                extend(&mut key, row, &[Kind::LocalToParent]);
                let parts = row.get(Kind::Inherits).map_or([1.0; 3], |it| [it[0], it[1], it[2]]);
                key.extend(parts.map(bits));
            }
            (Kind::ParentScaleInverse, Some(parent)) => {
                let sources = [Kind::CompositeScale, Kind::Scale, Kind::NonUniformScale];
                let source = sources.into_iter().find(|kind| parent.has(*kind));
                extend(&mut key, parent, &source.into_iter().collect::<Vec<_>>());
                // Two formulas invert a composite, which differ in signs of zeros.
                key.push(u32::from(is_inverse));
            }
            _ => {
                // The local matrix is one formula, wherever it is written.
                if kind == Kind::LocalToWorld {
                    key[0] = number(Kind::LocalToParent);
                }
                extend(&mut key, row, &inputs(row, kind, parent.is_some()));
            }
        }
        key
    }

    /// Whether an entity has a frame, and no component of the user's that writes its matrix.
    pub fn is_framed(&self, row: &Row) -> bool {
        let is_linked = row.has(Kind::LocalToParent);
        let writer = if is_linked { Writer::LinkedWorld } else { Writer::RootWorld };
        row.frame.is_some() && !self.groups.stopped(writer, self.after, row)
    }

    /// A frame's, which is written after the systems of the user.
    fn seen(&self, frame: Entity) -> Rule {
        match frames::seen(self, frame) {
            Some(value) => Rule { value: Some(Derived::Near(value)), key: Vec::new() },
            None => Rule::exactly(Kind::LocalToWorld.identity()),
        }
    }
}

/// Whether a value is the identity matrix.
pub fn is_identity(numbers: &Numbers) -> bool {
    same_bits(numbers, &Kind::LocalToWorld.identity())
}
