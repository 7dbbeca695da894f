//! Saves that are cut off or changed. However damaged, each ends in an error, or in a world that is
//! right or refused by a finding; and Legion's own reader, which panics and ends processes, never
//! makes a world of which the bundle makes a wrong one.
//!
//! Inputs are run in processes of their own, many in each until one of them panics.
//! `-- --nocapture damaged_saves` shows what came of them.

mod bytes;
mod corpus;
mod judge;
mod packed;
mod processes;
mod tree;

use harness::{Rng, caught};
use legion::{World, serialize::Canon};
use legion_transform::ecosystem::serde::load;
use processes::{Counts, Ends, say};
use serde::{Deserializer, de::DeserializeSeed};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Postcard,
    MessagePack,
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
    let sound = corpus::save(format, rng);
    loop {
        let mut save = sound.clone();
        let what = match (format, rng.below(5)) {
            (Format::Postcard, 0 | 1) => packed::damage(&mut save, rng),
            (Format::Postcard, 2) => packed::damage_length(&mut save, rng),
            (Format::Json, 0..=2) => tree::damage(&mut save, rng),
            _ => bytes::damage(&mut save, rng),
        };
        if save != sound {
            return (save, what);
        }
    }
}

fn read(format: Format, reader: Reader, names: &Canon, save: &[u8]) -> Result<World, String> {
    match format {
        Format::Postcard => from(reader, names, &mut postcard::Deserializer::from_bytes(save)),
        Format::MessagePack => {
            from(reader, names, &mut rmp_serde::Deserializer::from_read_ref(save))
        }
        Format::Json => from(reader, names, &mut serde_json::Deserializer::from_slice(save)),
    }
}

fn from<'de, D>(reader: Reader, names: &Canon, save: D) -> Result<World, String>
where
    D: Deserializer<'de>,
{
    let registry = corpus::registry();
    match reader {
        Reader::Load => load(&registry, names, save),
        Reader::Legion => registry.as_deserialize(names).deserialize(save),
    }
    .map_err(|error| error.to_string())
}

/// Makes, reads and judges the input of a seed, and says what became of it.
fn one(format: Format, reader: Reader, seed: u64) -> Result<(), ()> {
    let mut rng = Rng::new(seed);
    let (save, what) = damaged(format, &mut rng);
    say("damaged", what);
    let loaded = match caught(|| read(format, reader, &Canon::default(), &save)) {
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

fn soak(format: Format, reader: Reader, inputs: usize) -> Counts {
    let counts = processes::run(format, reader, inputs);
    println!("{format:?}, read by {reader:?}: {counts}");
    counts
}

#[test]
fn a_save_that_is_not_damaged_is_loaded_whole() {
    for seed in 0..100 {
        for format in [Format::Postcard, Format::MessagePack, Format::Json] {
            let save = corpus::save(format, &mut Rng::new(seed));
            let names = Canon::default();
            let world = read(format, Reader::Load, &names, &save).unwrap();
            assert!(corpus::write(format, &world, &names) == save, "{format:?}, seed {seed}");
        }
    }
}

#[test]
fn damaged_postcard_is_an_error_or_a_right_world() {
    let counts = soak(Format::Postcard, Reader::Load, 300);
    assert_eq!(counts.of(Ends::Panic) + counts.of(Ends::Abort) + counts.of(Ends::Refused), 0);
}

#[test]
fn damaged_messagepack_is_an_error_or_a_right_world() {
    let counts = soak(Format::MessagePack, Reader::Load, 300);
    assert_eq!(counts.of(Ends::Panic) + counts.of(Ends::Abort) + counts.of(Ends::Refused), 0);
}

#[test]
fn damaged_json_is_an_error_or_a_right_world() {
    let counts = soak(Format::Json, Reader::Load, 300);
    assert_eq!(counts.of(Ends::Panic) + counts.of(Ends::Abort) + counts.of(Ends::Refused), 0);
}

#[test]
fn what_legion_loads_of_damaged_postcard_is_right_or_refused() {
    soak(Format::Postcard, Reader::Legion, 100);
}

#[test]
fn what_legion_loads_of_damaged_messagepack_is_right_or_refused() {
    soak(Format::MessagePack, Reader::Legion, 100);
}

#[test]
fn what_legion_loads_of_damaged_json_is_right() {
    let counts = soak(Format::Json, Reader::Legion, 100);
    assert_eq!(counts.of(Ends::Abort) + counts.of(Ends::Refused), 0);
}
