//! The columns of an archetype of a binary save.

use std::fmt;

use legion::{
    Registry,
    serialize::{TypeKey, UnknownType, WorldDeserializer},
    storage::{ComponentTypeId, UnknownComponentWriter},
};
use serde::{
    Deserializer,
    de::{
        DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
        value::SeqAccessDeserializer,
    },
};

/// The type of a component by its key. `None` if the registry does not know and ignores it.
pub(super) fn type_of<K: TypeKey, E: Error>(
    registry: &Registry<K>,
    key: &K,
) -> Result<Option<ComponentTypeId>, E> {
    match registry.unmap_id(key) {
        Ok(found) => Ok(Some(found)),
        Err(UnknownType::Ignore) => Ok(None),
        Err(UnknownType::Error) => Err(E::custom("unknown component type")),
    }
}

/// The columns of an archetype that have not been read.
pub(super) struct Columns<'a, 'w, K: TypeKey> {
    pub registry: &'a Registry<K>,
    pub columns: Vec<(ComponentTypeId, UnknownComponentWriter<'w>)>,
    /// The number of rows that each must have.
    pub rows: usize,
}

impl<'de, K: TypeKey> DeserializeSeed<'de> for Columns<'_, '_, K> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, columns: D) -> Result<(), D::Error> {
        columns.deserialize_map(self)
    }
}

impl<'de, K: TypeKey> Visitor<'de> for Columns<'_, '_, K> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the columns of an archetype")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Self { registry, mut columns, rows } = self;
        while let Some(key) = map.next_key::<K>()? {
            let Some(component) = type_of(registry, &key)? else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let Some(at) = columns.iter().position(|(id, _)| *id == component) else {
                return Err(M::Error::custom("an archetype has a column too many"));
            };
            let (_, column) = columns.swap_remove(at);
            map.next_value_seed(Column { registry, component, column, rows })?;
        }
        if columns.is_empty() { Ok(()) } else { Err(M::Error::custom("a column is missing")) }
    }
}

/// One column.
struct Column<'a, 'w, K: TypeKey> {
    registry: &'a Registry<K>,
    component: ComponentTypeId,
    column: UnknownComponentWriter<'w>,
    rows: usize,
}

impl<'de, K: TypeKey> DeserializeSeed<'de> for Column<'_, '_, K> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, values: D) -> Result<(), D::Error> {
        values.deserialize_seq(self)
    }
}

impl<'de, K: TypeKey> Visitor<'de> for Column<'_, '_, K> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a column")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, values: S) -> Result<(), S::Error> {
        let Self { registry, component, column, rows } = self;
        let mut missing = rows;
        let values = Values { values, missing: &mut missing };
        let values = SeqAccessDeserializer::new(values);
        registry.deserialize_component_slice(component, column, values)?;
        if missing == 0 { Ok(()) } else { Err(S::Error::custom("a column is too short")) }
    }
}

/// Counts values. As the expected number it gives the number of entities, not the save's own
/// number, which may be damaged: Legion reserves memory for the expected number first.
struct Values<'a, S> {
    values: S,
    missing: &'a mut usize,
}

impl<'de, S: SeqAccess<'de>> SeqAccess<'de> for Values<'_, S> {
    type Error = S::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, S::Error> {
        let Some(value) = self.values.next_element_seed(seed)? else { return Ok(None) };
        let too_long = || S::Error::custom("a column is too long");
        *self.missing = self.missing.checked_sub(1).ok_or_else(too_long)?;
        Ok(Some(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(*self.missing)
    }
}
