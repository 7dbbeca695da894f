//! All derived values of a world from scratch, in `f64` from end to end: nothing that the bundle
//! computed is read.
//!
//! The slower and blunter of the two checks (errors add up with depth); it knows no write groups.

use std::collections::HashMap;

use legion::Entity;

use super::{
    inverse::{Inverse, inverse},
    kinds::{Kind, POST_ROTATION_EULERS, ROTATION_EULERS},
    oracle::mismatch,
    reference::{self as f, Bounded, V},
    snapshot::{Row, Snapshot},
    structure::Structure,
};

/// A world before a run, and what its components describe.
pub struct Scratch<'a> {
    before: &'a Snapshot,
    structure: Structure,
    worlds: HashMap<Entity, Bounded>,
}

impl<'a> Scratch<'a> {
    pub fn new(before: &'a Snapshot) -> Self {
        Self { before, structure: Structure::of(before), worlds: HashMap::new() }
    }

    /// Compares every derived value of the world after the run.
    pub fn check(&mut self, after: &Snapshot) {
        for row in &after.rows {
            let before = self.before.get(row.entity).expect("a run does not spawn");
            for (kind, now) in &row.numbers {
                let Some(expected) = self.value(before, *kind) else { continue };
                if let Some(text) = mismatch(*kind, &expected, now) {
                    let has: Vec<_> = row.numbers.iter().map(|(kind, _)| kind).collect();
                    panic!("{kind:?} of {:?}, which has {has:?}: {text}", row.entity);
                }
            }
        }
    }

    /// What a component of an entity must be; nothing where it cannot be told in `f32`.
    pub fn value(&mut self, row: &Row, kind: Kind) -> Option<Bounded> {
        match kind {
            Kind::Rotation => rotation(row, kind, &ROTATION_EULERS),
            Kind::PostRotation => rotation(row, kind, &POST_ROTATION_EULERS),
            Kind::CompositeRotation => composite_rotation(row),
            Kind::CompositeScale => composite_scale(row),
            Kind::ParentScaleInverse => self.parent_scale_inverse(row),
            Kind::LocalToParent => {
                Some(self.local(row).unwrap_or(Bounded::exact(row.matrix(kind)?)))
            }
            Kind::LocalToWorld => Some(self.world(row)),
            Kind::WorldToLocal => {
                row.matrix(Kind::LocalToWorld)?;
                let world = self.world(row);
                inverted(&world)
            }
            _ => None,
        }
    }

    fn parent_scale_inverse(&self, row: &Row) -> Option<Bounded> {
        let own = row.matrix(Kind::ParentScaleInverse).map(Bounded::exact);
        let Some(parent) =
            self.structure.linked.get(&row.entity).and_then(|parent| self.before.get(*parent))
        else {
            return own;
        };
        match (composite_scale(parent), plain_scale(parent)) {
            (Some(composite), _) => inverted(&composite),
            (None, Some(scale)) => Some(f::inverse_scaling(scale)),
            (None, None) => own,
        }
    }

    fn local(&self, row: &Row) -> Option<Bounded> {
        let linked = self.structure.linked.contains_key(&row.entity);
        f::local(&f::LocalInputs {
            translation: row.vector(Kind::Translation),
            parent_scale_inverse: (linked && row.has(Kind::ParentScaleInverse))
                .then(|| self.parent_scale_inverse(row).expect("the tests keep scales invertible")),
            rotation: composite_rotation(row)
                .or_else(|| rotation(row, Kind::Rotation, &ROTATION_EULERS)),
            scale: composite_scale(row).or_else(|| plain_scale(row).map(f::scaling)),
        })
    }

    fn world(&mut self, row: &Row) -> Bounded {
        if let Some(known) = self.worlds.get(&row.entity) {
            return *known;
        }
        let kept =
            Bounded::exact(row.matrix(Kind::LocalToWorld).expect("an entity with a transform"));
        let own = || row.matrix(Kind::LocalToParent).map(Bounded::exact);
        let world = if let Some(parent) = self.structure.linked.get(&row.entity) {
            let parent = self.before.get(*parent).expect("a link");
            let local = self.local(row).or_else(own).expect("a link");
            let mut above = self.world(parent);
            if let Some(parts) = row.get(Kind::Inherits)
                && parts[..3] != [1.0; 3]
            {
                // The factors of a matrix that carries errors carry more of them, without a bound.
                above.magnitude.fill(f64::from(f32::MAX));
            }
            above * local
        } else if self.structure.cyclic.contains_key(&row.entity) {
            self.local(row).or_else(own).expect("a link")
        } else if row.has(Kind::LocalToParent) && !self.structure.repaired.contains_key(&row.entity)
        {
            kept
        } else {
            self.local(row).unwrap_or(kept)
        };
        self.worlds.insert(row.entity, world);
        world
    }
}

fn rotation(row: &Row, target: Kind, eulers: &[Kind; 6]) -> Option<Bounded> {
    let own = row.quaternion(target)?;
    let first = eulers
        .iter()
        .enumerate()
        .find_map(|(order, euler)| Some(f::euler(order, row.vector(*euler)?)));
    Some(first.unwrap_or_else(|| f::rotation(own)))
}

fn composite_rotation(row: &Row) -> Option<Bounded> {
    let own = row.matrix(Kind::CompositeRotation)?;
    let computed = f::composite_rotation(&f::RotationInputs {
        rotation: rotation(row, Kind::Rotation, &ROTATION_EULERS),
        post_rotation: rotation(row, Kind::PostRotation, &POST_ROTATION_EULERS),
        pivot: row.vector(Kind::RotationPivot),
        pivot_translation: row.vector(Kind::RotationPivotTranslation),
    });
    Some(computed.unwrap_or(Bounded::exact(own)))
}

fn composite_scale(row: &Row) -> Option<Bounded> {
    let own = row.matrix(Kind::CompositeScale)?;
    let computed = f::composite_scale(&f::ScaleInputs {
        scale: plain_scale(row),
        pivot: row.vector(Kind::ScalePivot),
        pivot_translation: row.vector(Kind::ScalePivotTranslation),
        shear: row.vector(Kind::Shear),
    });
    Some(computed.unwrap_or(Bounded::exact(own)))
}

fn plain_scale(row: &Row) -> Option<V> {
    row.scalar(Kind::Scale).map(f::uniform).or_else(|| row.vector(Kind::NonUniformScale))
}

/// The inverse of a matrix that itself carries errors.
fn inverted(matrix: &Bounded) -> Option<Bounded> {
    let Inverse::Finite(inverse) = inverse(&matrix.value) else { return None };
    let carried = inverse.value.abs() * matrix.magnitude * inverse.value.abs();
    Some(Bounded { value: inverse.value, magnitude: inverse.magnitude + carried })
}
