//! The derived components of one entity.

use legion::Entity;

use crate::{
    kind::{Kind, PARENT_SCALES, POST_ROTATION_EULERS, ROTATION_EULERS},
    reference::{
        bounded::{Bounded, World as WorldMatrix},
        formulas as f,
        groups::Writer,
        inverse::inverse_of,
        known::{Derived, Known, Standing, inherited_by},
    },
    snapshot::{Row, Snapshot, matrix64, same_bits},
};

/// One entity, while its values are computed.
pub(crate) struct Entry<'a> {
    world: Standing<'a>,
    /// The values that others are made of, where they are computed, too: its parent's are known.
    /// Without it, each value is made of those that stand in the world.
    known: Option<&'a Known>,
    row: &'a Row,
}

/// What a derived component must be, step by step: made of the values that stand in the world after
/// a run. `None` where the user's stays, and where a `ParentScaleInverse` has no source.
pub(crate) fn derived_step(world: Standing<'_>, row: &Row, kind: Kind) -> Option<Derived> {
    let entry = Entry { world, known: None, row };
    match kind {
        Kind::LocalToWorld => entry.world(row.matrix(Kind::LocalToParent).map(Bounded::exact)),
        Kind::WorldToLocal => entry.inverse(&Bounded::exact(row.matrix(Kind::LocalToWorld)?)),
        _ => {
            let (_, writer) = BEFORE_WORLD.into_iter().find(|(of, _)| *of == kind)?;
            entry.computed(kind).filter(|_| !entry.is_stopped(writer))
        }
    }
}

/// The derived components that a world matrix may be made of, inputs first.
const BEFORE_WORLD: [(Kind, Writer); 6] = [
    (Kind::Rotation, Writer::Rotation),
    (Kind::PostRotation, Writer::PostRotation),
    (Kind::CompositeRotation, Writer::CompositeRotation),
    (Kind::CompositeScale, Writer::CompositeScale),
    (Kind::ParentScaleInverse, Writer::ParentScaleInverse),
    (Kind::LocalToParent, Writer::LocalToParent),
];

impl<'a> Entry<'a> {
    /// One whose values are computed of inputs alone.
    pub(crate) fn new(known: &'a Known, all: &'a Snapshot, row: &'a Row) -> Self {
        let world = Standing { setup: &known.setup, links: &known.links, all };
        Self { world, known: Some(known), row }
    }

    /// The derived components that the entity has, inputs first.
    pub(crate) fn values(&self) -> Vec<(Kind, Derived)> {
        let mut values = Vec::new();
        if !self.row.has(Kind::LocalToWorld) {
            return values; // no transform
        }
        for (kind, writer) in BEFORE_WORLD {
            let Some(&own) = self.row.get(kind) else { continue };
            let stopped = self.is_stopped(writer);
            let computed = if stopped { None } else { self.computed(kind) };
            values.push((kind, computed.unwrap_or(Derived::Kept(own))));
        }
        let own = *self.row.get(Kind::LocalToWorld).expect("checked");
        let local = values.iter().find(|(kind, _)| *kind == Kind::LocalToParent);
        let local = local.and_then(|(_, value)| value.bounded());
        let world = self.world(local).unwrap_or(Derived::Kept(own));
        values.push((Kind::LocalToWorld, world));
        if let Some(&own) = self.row.get(Kind::WorldToLocal) {
            let inverse = world.bounded().and_then(|world| self.inverse(&world));
            values.push((Kind::WorldToLocal, inverse.unwrap_or(Derived::Kept(own))));
        }
        values
    }

    fn is_stopped(&self, writer: Writer) -> bool {
        self.world.setup.groups.stopped(writer, self.world.all, self.row)
    }

    fn inverse(&self, world: &Bounded) -> Option<Derived> {
        let stopped = self.is_stopped(Writer::WorldToLocal);
        (!stopped).then(|| Derived::InverseOf(inverse_of(world)))
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
        Some(self.made(writer, self.turned_by(eulers)).unwrap_or(own))
    }

    /// What is computed of a value that another is made of, unless that one stands in the world.
    fn made<T>(&self, writer: Writer, computed: Option<T>) -> Option<T> {
        computed.filter(|_| self.known.is_some() && !self.is_stopped(writer))
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
        let parent = self.world.all.get(*self.world.links.linked.get(&self.row.entity)?)?;
        let has_scale = parent.has_any(&PARENT_SCALES);
        (!self.is_stopped(Writer::ParentScaleInverse) && has_scale).then_some(parent)
    }

    fn parent_scale_inverse(&self) -> Option<Derived> {
        let own = self.row.get(Kind::ParentScaleInverse)?;
        let Some(parent) = self.scale_source() else {
            let is_linked = self.world.links.linked.contains_key(&self.row.entity);
            let was = self.known.and_then(|known| known.written.get(&self.row.entity));
            let was_written = was.is_some_and(|was| same_bits(was, own));
            return (is_linked && was_written).then(|| Derived::Near(f::identity()));
        };
        let beyond = [Kind::ScalePivot, Kind::ScalePivotTranslation, Kind::Shear];
        match (self.composite_scale_of(parent), plain_scale(parent)) {
            (Some(Derived::Near(_)), Some(axes)) if !parent.has_any(&beyond) => {
                Some(Derived::Near(f::inverse_scaling(axes)))
            }
            (Some(composite), _) => Some(Derived::InverseOf(inverse_of(&composite.bounded()?))),
            (None, axes) => axes.map(f::inverse_scaling).map(Derived::Near),
        }
    }

    /// What the parent's `CompositeScale` is, and whether it is computed.
    fn composite_scale_of(&self, parent: &Row) -> Option<Derived> {
        let Some(known) = self.known else {
            let own = parent.get(Kind::CompositeScale)?;
            let above = Entry { row: parent, ..*self };
            let is_computed = above.composite_scale().is_some();
            return Some(match is_computed && !above.is_stopped(Writer::CompositeScale) {
                true => Derived::Near(Bounded::exact(matrix64(own))),
                false => Derived::Kept(*own),
            });
        };
        known.value(parent.entity, Kind::CompositeScale).copied()
    }

    fn local(&self) -> Option<Bounded> {
        let row = self.row;
        let kept = |kind| row.matrix(kind).map(Bounded::exact);
        let part = |kind, writer, computed: Option<Bounded>| {
            kept(kind).map(|own| self.made(writer, computed).unwrap_or(own))
        };
        let rotation =
            part(Kind::CompositeRotation, Writer::CompositeRotation, self.composite_rotation());
        let scale = part(Kind::CompositeScale, Writer::CompositeScale, self.composite_scale());
        let linked = self.world.links.linked.contains_key(&row.entity);
        let inverse = || {
            let computed = self.made(Writer::ParentScaleInverse, self.parent_scale_inverse());
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

    fn world(&self, local: Option<Bounded>) -> Option<Derived> {
        let (row, links) = (self.row, self.world.links);
        if row.frame.is_some() {
            let seen = || match self.world.seen(row.entity) {
                Some(value) => Derived::Near(value),
                None => Derived::Kept(Kind::LocalToWorld.identity()),
            };
            return self.world.is_framed(row).then(seen);
        }
        if let Some(parent) = links.linked.get(&row.entity) {
            let above = match self.known {
                Some(known) => known.above(*parent, row),
                None => inherited_by(row, self.world_of(*parent)?),
            };
            let stopped = self.is_stopped(Writer::LinkedWorld);
            return (!stopped).then_some(Derived::Near(above.then(&local?).matrix));
        }
        if links.is_held(row.entity) {
            let stopped = self.is_stopped(Writer::LinkedWorld);
            // It is copied: bit for bit, where it stands in the world.
            let value = match (self.known, row.get(Kind::LocalToParent)) {
                (None, Some(own)) => Some(Derived::Kept(*own)),
                _ => local.map(Derived::Near),
            };
            return value.filter(|_| !stopped);
        }
        if local.is_some() && !links.repaired.contains_key(&row.entity) {
            return None;
        }
        let stopped = self.is_stopped(Writer::RootWorld);
        if stopped { None } else { self.local().map(Derived::Near) }
    }

    /// The world matrix of an entity, as it stands there.
    fn world_of(&self, entity: Entity) -> Option<WorldMatrix> {
        let matrix = self.world.all.get(entity)?.matrix(Kind::LocalToWorld)?;
        Some(WorldMatrix::new(Bounded::exact(matrix)))
    }
}

/// `Scale` as a vector, else `NonUniformScale`.
fn plain_scale(row: &Row) -> Option<f::V> {
    row.scalar(Kind::Scale).map(f::uniform).or_else(|| row.vector(Kind::NonUniformScale))
}
