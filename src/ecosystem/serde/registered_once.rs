//! A registry that refuses an entity with a component twice, where Legion's registry panics.

use std::cell::Cell;

use legion::{
    Registry,
    serialize::{TypeKey, UnknownType, WorldDeserializer},
    storage::{ComponentTypeId, EntityLayout, UnknownComponentWriter},
};
use serde::{Deserializer, de::Error};

pub(super) struct RegisteredOnce<'a, K: TypeKey> {
    registry: &'a Registry<K>,
    /// Whether the component registered last was there before. Its value is read next.
    is_twice: Cell<bool>,
}

impl<'a, K: TypeKey> RegisteredOnce<'a, K> {
    pub fn new(registry: &'a Registry<K>) -> Self {
        Self { registry, is_twice: Cell::new(false) }
    }
}

impl<K: TypeKey> WorldDeserializer for RegisteredOnce<'_, K> {
    type TypeId = K;

    fn unmap_id(&self, key: &K) -> Result<ComponentTypeId, UnknownType> {
        self.registry.unmap_id(key)
    }

    fn register_component(&self, key: K, layout: &mut EntityLayout) {
        let is_there = |component| layout.has_component_by_id(component);
        if self.registry.unmap_id(&key).is_ok_and(is_there) {
            self.is_twice.set(true);
        } else {
            self.registry.register_component(key, layout);
        }
    }

    fn deserialize_component_slice<'de, D: Deserializer<'de>>(
        &self,
        component: ComponentTypeId,
        column: UnknownComponentWriter<'_>,
        values: D,
    ) -> Result<(), D::Error> {
        self.registry.deserialize_component_slice(component, column, values)
    }

    fn deserialize_component<'de, D: Deserializer<'de>>(
        &self,
        component: ComponentTypeId,
        value: D,
    ) -> Result<Box<[u8]>, D::Error> {
        if self.is_twice.take() {
            return Err(D::Error::custom("an entity has a component twice"));
        }
        self.registry.deserialize_component(component, value)
    }
}
