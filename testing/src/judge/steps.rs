//! How each value follows from those that it is made of, as they stand after a run, and what these
//! are. The rules are those of the table in `docs/unity.md`.

use crate::{
    kind::{Kind, POST_ROTATION_EULERS, ROTATION_EULERS},
    reference::{
        derive::derived_step,
        groups::{LOCAL, ROTATIONS, SCALES},
        known::{Derived, Standing},
    },
    snapshot::{Row, bits},
};

/// What a value must be, and the bits it is made of. Same bits in, same bits out.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// `None` is what it was before the run.
    pub value: Option<Derived>,
    pub key: Vec<u32>,
}

impl Standing<'_> {
    /// The rule for a component of an entity, `ParentScaleInverse` without a source excepted: that
    /// one depends on the past.
    pub fn rule(&self, row: &Row, kind: Kind) -> Rule {
        let value = derived_step(*self, row, kind);
        // A frame is written after the systems of the user.
        if kind == Kind::LocalToWorld && self.is_framed(row) {
            return Rule { value, key: Vec::new() };
        }
        let mut systems = self.setup.systems.iter();
        let own = systems.find(|system| system.writes == kind && row.has(system.reads));
        let own = own.and_then(|system| Some((system.value)(row.get(system.reads)?)));
        let value = own.map(Derived::Kept).or(value);
        let key = match &value {
            None | Some(Derived::Kept(_)) => Vec::new(),
            Some(value) => self.key(row, kind, matches!(value, Derived::InverseOf(_))),
        };
        Rule { value, key }
    }

    /// The bits that a value is made of.
    fn key(&self, row: &Row, kind: Kind, is_inverse: bool) -> Vec<u32> {
        let parent = self.links.linked.get(&row.entity);
        let parent = parent.and_then(|parent| self.all.get(*parent));
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
