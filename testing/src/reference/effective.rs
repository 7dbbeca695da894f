//! Properties that children inherit, by their definition.

use std::{collections::HashMap, fmt::Debug, marker::PhantomData, sync::Arc};

use legion::{Entity, EntityStore, World};
use legion_transform::prelude::*;

use crate::{judge::mismatch::Mismatch, kind::Kind, reference::links::Links, snapshot::Snapshot};

/// A property of any type.
pub(crate) trait Property: Send + Sync {
    /// Whether every entity has its value.
    fn check(&self, world: &World, after: &Snapshot, links: &Links) -> Result<(), Box<Mismatch>>;
}

pub(crate) fn property<P: Inherited<Value: Debug>>() -> Arc<dyn Property> {
    Arc::new(Of::<P>(PhantomData))
}

struct Of<P>(PhantomData<P>);

impl<P: Inherited<Value: Debug>> Property for Of<P> {
    fn check(&self, world: &World, after: &Snapshot, links: &Links) -> Result<(), Box<Mismatch>> {
        let expected = effective::<P>(world, after, links);
        for entity in links.parents_first(after) {
            let Some(expected) = expected.get(&entity) else { continue };
            let entry = world.entry_ref(entity).expect("of the snapshot");
            let got = entry.get_component::<Effective<P>>().ok().map(|value| &value.0);
            if got != Some(expected) {
                let name = std::any::type_name::<Effective<P>>().to_owned();
                let texts = (format!("{expected:?}"), format!("{got:?}"));
                return Err(Mismatch::new(entity, name, texts.0, texts.1, links));
            }
        }
        Ok(())
    }
}

/// The value of a property on every entity with `LocalToWorld`, from nothing but components and
/// links.
#[must_use]
pub fn effective<P: Inherited>(
    world: &World,
    snapshot: &Snapshot,
    links: &Links,
) -> HashMap<Entity, P::Value> {
    let mut known: HashMap<Entity, P::Value> = HashMap::new();
    for entity in links.parents_first(snapshot) {
        if !snapshot.get(entity).is_some_and(|row| row.has(Kind::LocalToWorld)) {
            continue;
        }
        let parent = links.linked.get(&entity).map(|parent| &known[parent]);
        let entry = world.entry_ref(entity).expect("of the snapshot");
        let value = P::combine(parent, entry.get_component::<P>().ok());
        known.insert(entity, value);
    }
    known
}
