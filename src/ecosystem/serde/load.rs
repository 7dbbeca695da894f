//! Loading a save that may be damaged.

use legion::{
    Entity, IntoQuery, Registry, World, component,
    serialize::{DeserializeIntoWorld, EntitySerializer, TypeKey, set_entity_serializer},
};
use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor,
        value::{MapAccessDeserializer, StrDeserializer},
    },
};

use super::{archetype::Archetypes, registered_once::RegisteredOnce};
use crate::components::{Parent, PreviousParent};

/// Loads a save into a new world, and refuses it if it is damaged.
///
/// Reads the output of `as_serializable` in every format, like Legion's `Registry::as_deserialize`.
/// Damage is an error, or a world that the bundle keeps right. A changed number is not noticed.
///
/// A child whose parent is not in the save [waits](crate::findings::FindingKind::WaitsForParent)
/// for it: it may be in another save, which is loaded with the same `names`, before or after a run.
/// (By `as_deserialize` the parent counts as dead, and the next run makes the child a root.)
///
/// Legion's `as_deserialize` and `as_deserialize_into_world` are for saves that you know to be
/// whole. With damaged ones in a binary format most of them panic. Some end the process, and no
/// `catch_unwind` helps: where an archetype has a column that is not its own, or has one twice
/// before a different one comes; or where a length was changed, as Legion reserves memory before it
/// reads a row. In release builds this can also overwrite foreign memory: 2^58 rows of 64 bytes are
/// 2^64 bytes, which count as 0. Some load as worlds whose columns differ in length; the bundle
/// refuses these with [`DamagedColumn`](crate::findings::FindingKind::DamagedColumn). In JSON, an
/// entity with a component twice panics.
///
/// # Errors
///
/// - Those of the format: the save ends too early, or a value is none.
/// - A component that the registry does not know, unless it ignores such
///   (`Registry::on_unknown`) and the format can skip a value (MessagePack and JSON can, postcard
///   cannot).
/// - In a binary save: two rows of one entity; a column that is missing, is there twice, or has
///   more or fewer rows than there are entities.
/// - In a readable save such as JSON: a component that an entity has twice.
pub fn load<'de, K: TypeKey, E: EntitySerializer, D: Deserializer<'de>>(
    registry: &Registry<K>,
    names: &E,
    save: D,
) -> Result<World, D::Error> {
    let mut world = World::default();
    set_entity_serializer(names, || {
        save.deserialize_map(Save { registry, names, world: &mut world })
    })?;
    forget_absent_parents(&mut world);
    Ok(world)
}

/// The record of a parent that is not in the world says that it has died. It has not come yet.
fn forget_absent_parents(world: &mut World) {
    let mut records = <(Entity, &PreviousParent)>::query().filter(component::<Parent>());
    let is_absent = |record: &PreviousParent| record.0.is_some_and(|it| !world.contains(it));
    let absent = records.iter(world).filter(|(_, record)| is_absent(record));
    let children: Vec<Entity> = absent.map(|(child, _)| *child).collect();
    let mut records = <&mut PreviousParent>::query();
    for child in children {
        records.get_mut(world, child).expect("it has just been read").0 = None;
    }
}

/// How Legion writes a world: by archetype in binary formats, by entity in readable ones.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    Packed,
    Entities,
}

/// A whole save.
struct Save<'a, K: TypeKey, E> {
    registry: &'a Registry<K>,
    names: &'a E,
    world: &'a mut World,
}

impl<'de, K: TypeKey, E: EntitySerializer> Visitor<'de> for Save<'_, K, E> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a saved world")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Self { registry, names, world } = self;
        let form = map.next_key()?.ok_or_else(|| M::Error::custom("the save holds no world"))?;
        match form {
            Form::Packed => map.next_value_seed(Archetypes { registry, world })?,
            Form::Entities => {
                let world_deserializer = &RegisteredOnce::new(registry);
                DeserializeIntoWorld { world, world_deserializer, entity_serializer: names }
                    .deserialize(MapAccessDeserializer::new(Entities(Some(&mut map))))?;
            }
        }
        match map.next_key::<Form>()? {
            None => Ok(()),
            Some(_) => Err(M::Error::custom("the save holds more than one world")),
        }
    }
}

/// A map with the one key `entities`, which was read from the real map already. Legion reads this
/// form safely, but only as a whole save.
struct Entities<'a, M>(Option<&'a mut M>);

impl<'de, M: MapAccess<'de>> MapAccess<'de> for Entities<'_, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        let key: StrDeserializer<'_, M::Error> = "entities".into_deserializer();
        self.0.is_some().then(|| seed.deserialize(key)).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.0.take().expect("a value follows a key").next_value_seed(seed)
    }
}
