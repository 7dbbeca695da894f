//! The archetypes of a binary save, read so that damage is an error.
//!
//! Legion's `ArchetypeWriter` panics when it is dropped before all columns are claimed. This reader
//! claims all columns first, and hands over the entities only when every column has a row for each.

use std::{collections::HashSet, fmt};

use legion::{
    Entity, Registry, World,
    serialize::{TypeKey, WorldDeserializer},
    storage::{ArchetypeWriter, EntityLayout},
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};

use super::columns::{Columns, type_of};
use crate::engine::RowSource;

/// All archetypes of a save.
pub(super) struct Archetypes<'a, K: TypeKey> {
    pub registry: &'a Registry<K>,
    pub world: &'a mut World,
}

impl<'de, K: TypeKey> DeserializeSeed<'de> for Archetypes<'_, K> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, archetypes: D) -> Result<(), D::Error> {
        archetypes.deserialize_seq(self)
    }
}

impl<'de, K: TypeKey> Visitor<'de> for Archetypes<'_, K> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("archetypes")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut archetypes: S) -> Result<(), S::Error> {
        let Self { registry, world } = self;
        let seen = &mut HashSet::new();
        while archetypes.next_element_seed(OneArchetype { registry, world, seen })?.is_some() {}
        Ok(())
    }
}

/// One archetype: the keys of its components, its entities, and a column for each key.
struct OneArchetype<'a, K: TypeKey> {
    registry: &'a Registry<K>,
    world: &'a mut World,
    /// The entities of the archetypes before it.
    seen: &'a mut HashSet<Entity>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Field {
    #[serde(rename = "_layout")]
    Layout,
    Entities,
    Components,
}

const FIELDS: [Field; 3] = [Field::Layout, Field::Entities, Field::Components];

impl<'de, K: TypeKey> DeserializeSeed<'de> for OneArchetype<'_, K> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, archetype: D) -> Result<(), D::Error> {
        archetype.deserialize_struct("Archetype", &["_layout", "entities", "components"], self)
    }
}

impl<'de, K: TypeKey> Visitor<'de> for OneArchetype<'_, K> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an archetype")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut fields: S) -> Result<(), S::Error> {
        let Self { registry, world, seen } = self;
        let missing = || S::Error::custom("an archetype ends too early");
        let keys: Vec<K> = fields.next_element()?.ok_or_else(missing)?;
        let layout = layout(registry, keys)?;
        let entities: Vec<Entity> = fields.next_element()?.ok_or_else(missing)?;
        if !entities.iter().all(|&entity| seen.insert(entity)) {
            return Err(S::Error::custom("an entity has two rows"));
        }
        let mut result = None;
        world.extend(RowSource::of(&layout, |writer: &mut ArchetypeWriter<'_>| {
            let components = layout.component_types().iter();
            let columns = components.map(|&id| (id, writer.claim_components_unknown(id))).collect();
            let seed = Columns { registry, columns, rows: entities.len() };
            result = fields.next_element_seed(seed).transpose();
            if let Some(Ok(())) = result {
                entities.iter().for_each(|&entity| writer.push(entity));
            }
        }));
        result.unwrap_or_else(|| Err(missing()))
    }

    /// Some binary formats name the fields.
    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<(), M::Error> {
        self.visit_seq(Fields { map, left: FIELDS.iter() })
    }
}

/// The values of named fields, which stand in the order in which they are saved.
struct Fields<M> {
    map: M,
    left: std::slice::Iter<'static, Field>,
}

impl<'de, M: MapAccess<'de>> SeqAccess<'de> for Fields<M> {
    type Error = M::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, M::Error> {
        let Some(name) = self.map.next_key::<Field>()? else { return Ok(None) };
        if self.left.next() != Some(&name) {
            return Err(M::Error::custom("the fields of an archetype are not in order"));
        }
        self.map.next_value_seed(seed).map(Some)
    }
}

/// The layout of an archetype with these components.
fn layout<K: TypeKey, E: Error>(registry: &Registry<K>, keys: Vec<K>) -> Result<EntityLayout, E> {
    let mut layout = EntityLayout::new();
    for key in keys {
        let Some(component) = type_of(registry, &key)? else { continue };
        if layout.has_component_by_id(component) {
            return Err(E::custom("an archetype has a component twice"));
        }
        registry.register_component(key, &mut layout);
    }
    Ok(layout)
}
