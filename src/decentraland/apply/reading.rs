//! What the components of an entity say.

use legion::{Entity, query::TryRead, world::EntryRef};

use super::{
    clean::Trs,
    nodes::{Form, Node},
};
use crate::components::{NonUniformScale, Parent, Rotation, Scale, Translation};

/// The components that make a `Transform`, as a query reads them.
pub(super) type Parts = (TryRead<Translation>, TryRead<Rotation>, TryRead<Scale>, TryRead<NonUniformScale>, TryRead<Parent>);

/// Likewise, as it gives them.
type Read<'a> =
    (Option<&'a Translation>, Option<&'a Rotation>, Option<&'a Scale>, Option<&'a NonUniformScale>, Option<&'a Parent>);

/// An entity's `Transform` as its components say it.
pub(super) struct Now {
    pub trs: Trs,
    pub parent: Option<Entity>,
    bare: bool,
}

impl Now {
    pub fn of((translation, rotation, scale, non_uniform, parent): Read<'_>) -> Self {
        let has_values = translation.is_some() || rotation.is_some() || scale.is_some() || non_uniform.is_some();
        let identity = Trs::IDENTITY;
        let trs = Trs {
            position: translation.map_or(identity.position, |translation| translation.0.vector.into()),
            rotation: rotation.map_or(identity.rotation, |rotation| rotation.0.coords.into()),
            // As the bundle has it: the uniform one wins.
            scale: match (scale, non_uniform) {
                (Some(scale), _) => [scale.0; 3],
                (None, Some(scale)) => scale.0.into(),
                (None, None) => identity.scale,
            },
        };
        Self { trs, parent: parent.map(|parent| parent.0), bare: !has_values && parent.is_none() }
    }

    pub fn of_entry(entry: &EntryRef<'_>) -> Self {
        Self::of((
            entry.get_component().ok(),
            entry.get_component().ok(),
            entry.get_component().ok(),
            entry.get_component().ok(),
            entry.get_component().ok(),
        ))
    }

    /// Whether there is nothing of a `Transform`.
    pub fn is_bare(&self) -> bool {
        self.bare
    }

    pub fn form(&self) -> Form {
        self.parent.map_or(Form::Root, Form::Linked)
    }

    /// False for nearly all entities, and then nothing was edited.
    pub fn may_differ_from(&self, node: &Node) -> bool {
        self.bare || !self.trs.is_same(&node.written) || self.form() != node.form
    }
}
