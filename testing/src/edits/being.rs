//! What is known of one entity.

use std::collections::BTreeSet;

use crate::{kind::Kind, program::Name, value::Value};

/// An entity: its parent, and which components it has.
#[derive(Clone, Debug)]
pub(super) struct Being {
    pub(super) parent: Option<Name>,
    pub(super) kinds: BTreeSet<Kind>,
    pub(super) own: BTreeSet<&'static str>,
    pub(super) is_tagged: bool,
}

impl Being {
    /// One of those that `Step::Extend` spawns.
    pub(super) fn in_row(parent: Option<Name>) -> Self {
        let kinds = match parent {
            None => [Kind::LocalToWorld, Kind::Translation, Kind::Scale],
            Some(_) => [Kind::LocalToWorld, Kind::Translation, Kind::LocalToParent],
        };
        Self { parent, kinds: kinds.into(), own: BTreeSet::new(), is_tagged: false }
    }

    /// Whether the component is new.
    pub(super) fn insert(&mut self, value: &Value) -> bool {
        match value {
            Value::Numbers(kind, _) => self.kinds.insert(*kind),
            Value::Own(own) => self.own.insert((**own).type_name()),
        }
    }

    /// Whether the component was there.
    pub(super) fn remove(&mut self, value: &Value) -> bool {
        match value {
            Value::Numbers(kind, _) => self.kinds.remove(kind),
            Value::Own(own) => self.own.remove((**own).type_name()),
        }
    }

    pub(super) fn has_other_scale(&self, value: &Value) -> bool {
        match value {
            Value::Numbers(Kind::Scale, _) => self.kinds.contains(&Kind::NonUniformScale),
            Value::Numbers(Kind::NonUniformScale, _) => self.kinds.contains(&Kind::Scale),
            _ => false,
        }
    }
}
