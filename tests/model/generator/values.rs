//! Edits of single components.

use legion_transform_testing::kind::{Kind, Numbers, POST_ROTATION_EULERS, ROTATION_EULERS, Shape};

use super::Generator;
use crate::edits::{Edit, Slot, Subject};

impl Generator {
    pub fn swap_scales(&mut self, subject: &mut Subject) -> Option<Vec<Edit>> {
        let scales = [Kind::Scale, Kind::NonUniformScale, Kind::CompositeScale];
        let from = *self.rng.pick(&scales);
        let to = *self.rng.pick(&scales);
        let slot = self.any_with(subject, from).filter(|_| from != to)?;
        Some(vec![Edit::Remove(slot, from), Edit::Add(slot, to, self.rng.numbers(to))])
    }

    /// Numbers at the edge of what numbers can be, or beyond.
    pub fn wild_value(&mut self, subject: &mut Subject) -> Option<Edit> {
        if !self.wild {
            return None;
        }
        let kinds = [
            Kind::Translation,
            Kind::Scale,
            Kind::NonUniformScale,
            ROTATION_EULERS[2],
            POST_ROTATION_EULERS[1],
        ];
        let kinds =
            [&kinds[..], &[Kind::CompositeScale, Kind::LocalToParent, Kind::LocalToWorld]].concat();
        let kind = *self.rng.pick(&kinds);
        let slot = self.any_with(subject, kind)?;
        let mut numbers: Numbers = self.rng.numbers(kind);
        let values = match kind.shape() {
            Shape::Matrix => 16,
            Shape::Scalar => 1,
            _ => 3,
        };
        numbers[self.rng.below(values)] =
            *self.rng.pick(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1e-40, 1e30]);
        if self.rng.one_in(4) {
            numbers = [0.0; 16];
        }
        Some(Edit::Set(slot, kind, numbers))
    }

    /// Adds, overwrites or removes one component.
    pub fn component(&mut self, subject: &mut Subject) -> Option<(String, Vec<Edit>)> {
        let (what, kind, edit) = match self.rng.below(5) {
            0 => {
                let kind = self.usual_kind();
                let slot = if self.rng.one_in(2) {
                    self.any()?
                } else {
                    self.any_where(|slot| !subject.has(slot, kind))?
                };
                // Over one that is there: Legion bumps the version, the entity stays where it is.
                let what = if subject.has(slot, kind) { "overwrite" } else { "add" };
                (what, kind, Edit::Add(slot, kind, self.rng.numbers(kind)))
            }
            1 => {
                let kind = *self.rng.pick(&self.kinds);
                ("remove", kind, Edit::Remove(self.any_with(subject, kind)?, kind))
            }
            2 => {
                let kind = *self.rng.pick(&self.kinds);
                let slot = self.any_with(subject, kind)?;
                ("overwrite", kind, self.write(subject, slot, kind)?)
            }
            _ => {
                let slot = self.any()?;
                let kinds: Vec<Kind> =
                    self.kinds.iter().copied().filter(|kind| subject.has(slot, *kind)).collect();
                let kind = (!kinds.is_empty()).then(|| *self.rng.pick(&kinds))?;
                ("overwrite", kind, self.write(subject, slot, kind)?)
            }
        };
        Some((format!("{what} {kind:?}"), vec![edit]))
    }

    /// Writes in place; now and then the value that is there already.
    fn write(&mut self, subject: &mut Subject, slot: Slot, kind: Kind) -> Option<Edit> {
        let numbers =
            if self.rng.one_in(8) { subject.get(slot, kind)? } else { self.rng.numbers(kind) };
        Some(Edit::Set(slot, kind, numbers))
    }
}
