//! Reading a `Transform` from the components of an entity.

use legion_transform::{
    components::{
        LocalToParent, LocalToWorld, NonUniformScale, Parent, Rotation, Scale, Translation,
    },
    legion::{Entity, query::TryRead, world::EntryRef},
};

use super::{
    clean::Trs,
    nodes::{Form, Node},
    part_set::PartSet,
};

/// The query for the components that a mirror keeps.
pub(super) type Parts = (
    TryRead<Translation>,
    TryRead<Rotation>,
    TryRead<Scale>,
    TryRead<NonUniformScale>,
    TryRead<Parent>,
    TryRead<LocalToWorld>,
    TryRead<LocalToParent>,
);

/// The item of that query.
type Read<'a> = (
    Option<&'a Translation>,
    Option<&'a Rotation>,
    Option<&'a Scale>,
    Option<&'a NonUniformScale>,
    Option<&'a Parent>,
    Option<&'a LocalToWorld>,
    Option<&'a LocalToParent>,
);

/// An entity's `Transform`, read from its components.
pub(super) struct Now {
    pub trs: Trs,
    pub parent: Option<Entity>,
    pub two_scales: bool,
    /// The mirror's components that are missing. A missing `Parent` does not count: it may be an
    /// edit.
    pub lacking: PartSet,
}

impl Now {
    pub fn of((translation, rotation, scale, non_uniform, parent, world, local): Read<'_>) -> Self {
        let identity = Trs::IDENTITY;
        let trs = Trs {
            position: translation
                .map_or(identity.position, |translation| translation.0.vector.into()),
            rotation: rotation.map_or(identity.rotation, |rotation| rotation.0.coords.into()),
            // The uniform one wins, like in the bundle.
            scale: match (scale, non_uniform) {
                (Some(scale), _) => [scale.0; 3],
                (None, Some(scale)) => scale.0.into(),
                (None, None) => identity.scale,
            },
        };
        let lacking = PartSet::TRANSLATION
            .when(translation.is_none())
            .with(PartSet::ROTATION.when(rotation.is_none()))
            .with(PartSet::SCALE.when(scale.is_none() && non_uniform.is_none()))
            .with(PartSet::WORLD.when(world.is_none()))
            .with(PartSet::LOCAL.when(parent.is_some() != local.is_some()));
        let two_scales = scale.is_some() && non_uniform.is_some();
        Self { trs, parent: parent.map(|parent| parent.0), two_scales, lacking }
    }

    pub fn of_entry(entry: &EntryRef<'_>) -> Self {
        Self::of((
            entry.get_component().ok(),
            entry.get_component().ok(),
            entry.get_component().ok(),
            entry.get_component().ok(),
            entry.get_component().ok(),
            entry.get_component().ok(),
            entry.get_component().ok(),
        ))
    }

    /// Whether no part of a `Transform` is there.
    pub fn is_bare(&self) -> bool {
        self.parent.is_none()
            && self.lacking.has(PartSet::TRANSLATION.with(PartSet::ROTATION).with(PartSet::SCALE))
    }

    pub fn form(&self) -> Form {
        self.parent.map_or(Form::Root, Form::Linked)
    }

    /// Whether anything may have been edited. False for nearly all entities.
    pub fn may_differ_from(&self, node: &Node) -> bool {
        self.lacking != PartSet::NONE
            || !self.is_as_written(node)
            || self.two_scales != node.cleaned.two_scales
    }

    /// Whether values and parent are what the mirror wrote.
    pub fn is_as_written(&self, node: &Node) -> bool {
        self.trs.is_same(&node.written) && self.form() == node.form
    }
}
