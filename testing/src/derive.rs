//! The derived components of one entity.

use crate::{
    bounded::Bounded,
    judges::{formulas as f, groups::Writer, inverse::inverse_of},
    kind::{Kind, PARENT_SCALES, POST_ROTATION_EULERS, ROTATION_EULERS},
    known::{Derived, Known},
    snapshot::{Row, Snapshot, same_bits},
};

/// One entity, while its values are computed. Its parent's are known.
pub(crate) struct Entry<'a> {
    pub(crate) known: &'a Known,
    pub(crate) all: &'a Snapshot,
    pub(crate) row: &'a Row,
}

impl Entry<'_> {
    /// The derived components that the entity has, inputs first.
    pub(crate) fn values(&self) -> Vec<(Kind, Derived)> {
        let mut values = Vec::new();
        if !self.row.has(Kind::LocalToWorld) {
            return values; // no transform
        }
        for (kind, writer) in [
            (Kind::Rotation, Writer::Rotation),
            (Kind::PostRotation, Writer::PostRotation),
            (Kind::CompositeRotation, Writer::CompositeRotation),
            (Kind::CompositeScale, Writer::CompositeScale),
            (Kind::ParentScaleInverse, Writer::ParentScaleInverse),
            (Kind::LocalToParent, Writer::LocalToParent),
        ] {
            let Some(&own) = self.row.get(kind) else { continue };
            let stopped = self.is_stopped(writer);
            let computed = if stopped { None } else { self.computed(kind) };
            values.push((kind, computed.unwrap_or(Derived::Kept(own))));
        }
        let own = *self.row.get(Kind::LocalToWorld).expect("checked");
        let world = self.world(&values).unwrap_or(Derived::Kept(own));
        values.push((Kind::LocalToWorld, world));
        if let Some(&own) = self.row.get(Kind::WorldToLocal) {
            let stopped = self.is_stopped(Writer::WorldToLocal);
            let computed = (!stopped).then(|| world.bounded()).flatten();
            let inverse = computed.map(|world| Derived::InverseOf(inverse_of(&world)));
            values.push((Kind::WorldToLocal, inverse.unwrap_or(Derived::Kept(own))));
        }
        values
    }

    fn is_stopped(&self, writer: Writer) -> bool {
        self.known.setup.groups.stopped(writer, self.all, self.row)
    }

    fn computed(&self, kind: Kind) -> Option<Derived> {
        match kind {
            Kind::Rotation => self.turned_by(&ROTATION_EULERS).map(Derived::Near),
            Kind::PostRotation => self.turned_by(&POST_ROTATION_EULERS).map(Derived::Near),
            Kind::CompositeRotation => self.composite_rotation().map(Derived::Near),
            Kind::CompositeScale => self.composite_scale().map(Derived::Near),
            Kind::ParentScaleInverse => self.parent_scale_inverse(),
            _ => self.local().map(Derived::Near),
        }
    }

    fn turned_by(&self, eulers: &[Kind; 6]) -> Option<Bounded> {
        let mut orders = eulers.iter().enumerate();
        orders.find_map(|(order, euler)| Some(f::euler(order, self.row.vector(*euler)?)))
    }

    /// R of a quaternion, which an Euler may write.
    fn rotation(&self, kind: Kind, writer: Writer, eulers: &[Kind; 6]) -> Option<Bounded> {
        let own = f::rotation(self.row.quaternion(kind)?);
        let derived = if self.is_stopped(writer) { None } else { self.turned_by(eulers) };
        Some(derived.unwrap_or(own))
    }

    fn composite_rotation(&self) -> Option<Bounded> {
        let row = self.row;
        let inputs = f::RotationInputs {
            rotation: self.rotation(Kind::Rotation, Writer::Rotation, &ROTATION_EULERS),
            post_rotation: self.rotation(
                Kind::PostRotation,
                Writer::PostRotation,
                &POST_ROTATION_EULERS,
            ),
            pivot: row.vector(Kind::RotationPivot),
            pivot_translation: row.vector(Kind::RotationPivotTranslation),
        };
        let value = f::composite_rotation(&inputs)?;
        // The product of two quaternions has the product of their matrices if both are units.
        let is_unit = |q: [f64; 4]| (q.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-5;
        let both = row.quaternion(Kind::Rotation).zip(row.quaternion(Kind::PostRotation));
        let multiply = both.is_none_or(|(one, other)| is_unit(one) && is_unit(other));
        Some(if multiply { value } else { Bounded::unknown() })
    }

    fn composite_scale(&self) -> Option<Bounded> {
        let row = self.row;
        f::composite_scale(&f::ScaleInputs {
            scale: plain_scale(row),
            pivot: row.vector(Kind::ScalePivot),
            pivot_translation: row.vector(Kind::ScalePivotTranslation),
            shear: row.vector(Kind::Shear),
        })
    }

    /// The entity's parent, if it has a scale.
    pub(crate) fn scale_source(&self) -> Option<&Row> {
        let parent = self.all.get(*self.known.links.linked.get(&self.row.entity)?)?;
        let has_scale = parent.has_any(&PARENT_SCALES);
        (!self.is_stopped(Writer::ParentScaleInverse) && has_scale).then_some(parent)
    }

    fn parent_scale_inverse(&self) -> Option<Derived> {
        let own = self.row.get(Kind::ParentScaleInverse)?;
        let Some(parent) = self.scale_source() else {
            let is_linked = self.known.links.linked.contains_key(&self.row.entity);
            let was_written =
                self.known.written.get(&self.row.entity).is_some_and(|was| same_bits(was, own));
            return (is_linked && was_written).then(|| Derived::Near(f::identity()));
        };
        let beyond = [Kind::ScalePivot, Kind::ScalePivotTranslation, Kind::Shear];
        match (self.known.value(parent.entity, Kind::CompositeScale), plain_scale(parent)) {
            (Some(Derived::Near(_)), Some(axes)) if !parent.has_any(&beyond) => {
                Some(Derived::Near(f::inverse_scaling(axes)))
            }
            (Some(composite), _) => Some(Derived::InverseOf(inverse_of(&composite.bounded()?))),
            (None, axes) => axes.map(f::inverse_scaling).map(Derived::Near),
        }
    }

    fn local(&self) -> Option<Bounded> {
        let row = self.row;
        let kept = |kind| row.matrix(kind).map(Bounded::exact);
        let part = |kind, writer, computed: Option<Bounded>| {
            kept(kind).map(|own| computed.filter(|_| !self.is_stopped(writer)).unwrap_or(own))
        };
        let rotation =
            part(Kind::CompositeRotation, Writer::CompositeRotation, self.composite_rotation());
        let scale = part(Kind::CompositeScale, Writer::CompositeScale, self.composite_scale());
        let linked = self.known.links.linked.contains_key(&row.entity);
        let inverse = || {
            let stopped = self.is_stopped(Writer::ParentScaleInverse);
            let computed = if stopped { None } else { self.parent_scale_inverse() };
            computed.and_then(|value| value.bounded()).or_else(|| kept(Kind::ParentScaleInverse))
        };
        f::local(&f::LocalInputs {
            translation: row.vector(Kind::Translation),
            parent_scale_inverse: linked.then(inverse).flatten(),
            rotation: rotation
                .or_else(|| self.rotation(Kind::Rotation, Writer::Rotation, &ROTATION_EULERS)),
            scale: scale.or_else(|| plain_scale(row).map(f::scaling)),
        })
    }

    fn world(&self, values: &[(Kind, Derived)]) -> Option<Derived> {
        let (row, links) = (self.row, &self.known.links);
        let local = values.iter().find(|(kind, _)| *kind == Kind::LocalToParent);
        let local = local.and_then(|(_, value)| value.bounded());
        if row.frame.is_some() {
            return None;
        }
        if let Some(parent) = links.linked.get(&row.entity) {
            let above = self.known.above(*parent, row);
            let stopped = self.is_stopped(Writer::LinkedWorld);
            return (!stopped).then_some(Derived::Near(above.then(&local?).matrix));
        }
        if links.is_held(row.entity) {
            let stopped = self.is_stopped(Writer::LinkedWorld);
            return local.filter(|_| !stopped).map(Derived::Near);
        }
        if local.is_some() && !links.repaired.contains_key(&row.entity) {
            return None;
        }
        let stopped = self.is_stopped(Writer::RootWorld);
        if stopped { None } else { self.local().map(Derived::Near) }
    }
}

/// `Scale` as a vector, else `NonUniformScale`.
fn plain_scale(row: &Row) -> Option<f::V> {
    row.scalar(Kind::Scale).map(f::uniform).or_else(|| row.vector(Kind::NonUniformScale))
}
