//! What is known of one entity.

use std::collections::BTreeSet;

use crate::{
    kind::Kind,
    world::{
        program::{Name, Rows},
        value::{Type, Value},
    },
};

/// An entity: its parent, and which components it has.
#[derive(Clone, Debug)]
pub(super) struct Being {
    pub(super) parent: Option<Name>,
    types: BTreeSet<Type>,
    pub(super) is_tagged: bool,
}

impl Being {
    pub(super) fn new(parent: Option<Name>, kinds: &[Kind]) -> Self {
        let types = kinds.iter().copied().map(Type::Kind).collect();
        Self { parent, types, is_tagged: false }
    }

    /// One of those that `Step::Extend` spawns.
    pub(super) fn in_row(rows: &Rows) -> Self {
        let mut being = Self::new(rows.parent, &[Kind::LocalToWorld]);
        let is_child = rows.parent.is_some();
        let there = [
            (Kind::Translation, rows.place.is_some()),
            (Kind::LocalToParent, is_child),
            (Kind::Scale, !is_child && rows.scale.is_some()),
        ];
        for (kind, _) in there.into_iter().filter(|(_, is_there)| *is_there) {
            being.insert(Type::Kind(kind));
        }
        being
    }

    pub(super) fn has(&self, kind: Kind) -> bool {
        self.types.contains(&Type::Kind(kind))
    }

    pub(super) fn types(&self) -> &BTreeSet<Type> {
        &self.types
    }

    /// Whether the component is new.
    pub(super) fn insert(&mut self, what: Type) -> bool {
        self.types.insert(what)
    }

    /// Whether the component was there.
    pub(super) fn remove(&mut self, what: Type) -> bool {
        self.types.remove(&what)
    }

    pub(super) fn has_other_scale(&self, value: &Value) -> bool {
        match value {
            Value::Numbers(Kind::Scale, _) => self.has(Kind::NonUniformScale),
            Value::Numbers(Kind::NonUniformScale, _) => self.has(Kind::Scale),
            _ => false,
        }
    }
}
