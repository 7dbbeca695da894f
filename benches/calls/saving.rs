//! Saving and loading in postcard, an entity: whole and inputs only, and loading by Legion alone.

use legion::{Registry, World, any, query::LayoutFilter, serialize::Canon};
use legion_transform::{WriteGroups, ecosystem::serde::*};
use postcard::de_flavors::Slice;
use serde::de::DeserializeSeed;

use super::rows::{Rows, timed};

type Bytes<'a> = postcard::Deserializer<'a, Slice<'a>>;
type Load = fn(&Registry<String>, &mut Bytes<'_>) -> postcard::Result<World>;

pub fn add(rows: &mut Rows) {
    let inputs = || derived_matrices(&WriteGroups::default());
    let by_us: Load = |registry, bytes| load(registry, &Canon::default(), bytes);
    saves(rows, "save", register_components, any);
    saves(rows, "save of inputs", register_inputs, inputs);
    loads(rows, "load", register_components, any, by_us);
    loads(rows, "load of inputs", register_inputs, inputs, by_us);
    loads(rows, "by hand: load by Legion", register_components, any, |registry, bytes| {
        registry.as_deserialize(&Canon::default()).deserialize(bytes)
    });
}

type Register = fn(&mut Registry<String>);

fn saves<F>(rows: &mut Rows, name: &str, register: Register, filter: fn() -> F)
where
    F: LayoutFilter + 'static,
{
    rows.add(name, move |it| {
        let (registry, filter) = (registry(register), filter());
        timed(it.len(), || save(&it.world, filter, &registry))
    });
}

fn loads<F>(rows: &mut Rows, name: &str, register: Register, filter: fn() -> F, load: Load)
where
    F: LayoutFilter + 'static,
{
    rows.add(name, move |it| {
        let registry = registry(register);
        let bytes = save(&it.world, filter(), &registry);
        let mut bytes = Bytes::from_bytes(&bytes);
        timed(it.len(), || load(&registry, &mut bytes).unwrap())
    });
}

fn registry(register: Register) -> Registry<String> {
    let mut registry = Registry::default();
    register(&mut registry);
    registry
}

fn save(world: &World, filter: impl LayoutFilter, registry: &Registry<String>) -> Vec<u8> {
    let names = Canon::default();
    postcard::to_stdvec(&world.as_serializable(filter, registry, &names)).unwrap()
}
