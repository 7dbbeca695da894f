//! Saves that are cut off or changed. However damaged, each ends in an error, or in a world that is
//! right or refused by a finding; and Legion's own reader, which panics and ends processes, never
//! makes a world of which the bundle makes a wrong one.
//!
//! Inputs are run in processes of their own, many in each until one of them panics. By default
//! there are a few hundred; `LEGION_TRANSFORM_SOAK=<inputs>` runs more of each format and reader,
//! and `LEGION_TRANSFORM_SEED=<seed>` repeats one. `-- --nocapture damaged_saves` shows what came
//! of them.

mod bytes;
mod corpus;
mod judge;
mod packed;
mod processes;
mod tree;

use bincode::Options;
use harness::{Rng, caught};
use legion::{World, any, serialize::Canon};
use legion_transform::ecosystem::serde::load;
use processes::{Counts, Ends, say};
use serde::de::DeserializeSeed;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Bincode,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// This crate's `load`.
    Load,
    /// Legion's `Registry::as_deserialize`.
    Legion,
}

/// A damaged save, and what was done to it.
fn damaged(format: Format, rng: &mut Rng) -> (Vec<u8>, &'static str) {
    let sound = match format {
        Format::Bincode => corpus::binary(rng),
        Format::Json => corpus::json(rng),
    };
    loop {
        let mut save = sound.clone();
        let what = match (format, rng.below(5)) {
            (Format::Bincode, 0 | 1) => packed::damage(&mut save, rng),
            (Format::Bincode, 2) => packed::damage_length(&mut save, rng),
            (Format::Json, 0..=2) => tree::damage(&mut save, rng),
            _ => bytes::damage(&mut save, rng),
        };
        if save != sound {
            return (save, what);
        }
    }
}

fn read(format: Format, reader: Reader, save: &[u8]) -> Result<World, String> {
    let (registry, names) = (corpus::registry(), Canon::default());
    match format {
        Format::Bincode => {
            let mut bytes = bincode::Deserializer::from_slice(save, corpus::format());
            match reader {
                Reader::Load => load(&registry, &names, &mut bytes),
                Reader::Legion => registry.as_deserialize(&names).deserialize(&mut bytes),
            }
            .map_err(|error| error.to_string())
        }
        Format::Json => {
            let mut text = serde_json::Deserializer::from_slice(save);
            match reader {
                Reader::Load => load(&registry, &names, &mut text),
                Reader::Legion => registry.as_deserialize(&names).deserialize(&mut text),
            }
            .map_err(|error| error.to_string())
        }
    }
}

/// Makes, reads and judges the input of a seed, and says what became of it.
fn one(format: Format, reader: Reader, seed: u64) -> Result<(), ()> {
    let mut rng = Rng::new(seed);
    let (save, what) = damaged(format, &mut rng);
    say("damaged", what);
    let loaded = match caught(|| read(format, reader, &save)) {
        Ok(Ok(world)) => world,
        Ok(Err(_)) => {
            say("error", "");
            return Ok(());
        }
        Err(_) => {
            say("panicked", "");
            return Err(());
        }
    };
    say("loaded", "");
    let ending = caught(|| judge::judge(loaded, &mut rng));
    match ending {
        Ok(ending) => say("ended", &format!("{ending:?}")),
        Err(_) => say("wrong", ""),
    }
    ending.map(drop).map_err(drop)
}

/// What runs in a process of its own: the inputs that the environment names.
#[test]
#[ignore = "started by the other tests"]
fn worker() {
    processes::work(one);
}

/// Runs this number of inputs, or the environment's.
fn soak(format: Format, reader: Reader, inputs: u64) -> Counts {
    let counts = processes::run(format, reader, inputs);
    println!("{format:?}, read by {reader:?}: {counts}");
    counts
}

#[test]
fn a_save_that_is_not_damaged_is_loaded_whole() {
    for seed in 0..100 {
        let binary = corpus::binary(&mut Rng::new(seed));
        let (registry, names) = (corpus::registry(), Canon::default());
        let mut bytes = bincode::Deserializer::from_slice(&binary, corpus::format());
        let world = load(&registry, &names, &mut bytes).unwrap();
        let again = corpus::format().serialize(&world.as_serializable(any(), &registry, &names));
        assert!(again.unwrap() == binary, "seed {seed}");

        let json = corpus::json(&mut Rng::new(seed));
        let mut text = serde_json::Deserializer::from_slice(&json);
        let world = load(&registry, &names, &mut text).unwrap();
        let again = serde_json::to_vec(&world.as_serializable(any(), &registry, &names));
        assert!(again.unwrap() == json, "seed {seed}");
    }
}

#[test]
fn damaged_bincode_is_an_error_or_a_right_world() {
    let counts = soak(Format::Bincode, Reader::Load, 1_000);
    assert_eq!(counts.of(Ends::Panic) + counts.of(Ends::Abort) + counts.of(Ends::Refused), 0);
}

#[test]
fn damaged_json_is_an_error_or_a_right_world() {
    let counts = soak(Format::Json, Reader::Load, 1_000);
    assert_eq!(counts.of(Ends::Panic) + counts.of(Ends::Abort) + counts.of(Ends::Refused), 0);
}

#[test]
fn what_legion_loads_of_damaged_bincode_is_right_or_refused() {
    soak(Format::Bincode, Reader::Legion, 100);
}

#[test]
fn what_legion_loads_of_damaged_json_is_right() {
    let counts = soak(Format::Json, Reader::Legion, 100);
    assert_eq!(counts.of(Ends::Abort) + counts.of(Ends::Refused), 0);
}
