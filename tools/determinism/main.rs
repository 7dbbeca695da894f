//! Whether two platforms compute the same bits: run this on both, and compare what it prints.
//!
//! ```text
//! cargo run --release --example determinism
//! cargo run --release --example determinism -- --entities 3000 --seed 1 --without-angles
//! ```
//!
//! A random scene lives through 50 ticks of random edits; after every tenth there is a line with a
//! hash of all matrices: the same lines on every platform.
//! `--isa portable` computes without AVX-512, and changes nothing.

mod random;
mod scene;

use legion_transform::prelude::*;
use scene::{Inputs, RandomScene};

struct Options {
    entities: usize,
    seed: u64,
    inputs: Inputs,
    bundle: TransformSystemBundle,
}

fn options() -> Result<Options, lexopt::Error> {
    use lexopt::prelude::*;
    let bundle = TransformSystemBundle::default();
    let mut options = Options { entities: 3_000, seed: 1, inputs: Inputs::All, bundle };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("entities") => options.entities = parser.value()?.parse()?,
            Long("seed") => options.seed = parser.value()?.parse()?,
            Long("without-angles") => options.inputs = Inputs::WithoutAngles,
            Long("isa") => {
                let isa = parser.value()?.string()?;
                options.bundle = options.bundle.instruction_set(&isa);
            }
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(options)
}

fn main() -> Result<(), lexopt::Error> {
    let Options { entities, seed, inputs, bundle } = options()?;
    let mut scene = RandomScene::new(bundle, entities, seed, inputs);
    println!("{entities} entities, seed {seed}, inputs: {inputs:?}");
    for tick in 1..=50 {
        scene.tick();
        if tick % 10 == 0 {
            scene.rest();
            let (matrices, hash) = scene.hash();
            println!("tick {tick}: {matrices} matrices, hash {hash:016x}");
        }
    }
    Ok(())
}
