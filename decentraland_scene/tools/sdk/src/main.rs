//! Random programs of the SDK's scenes and of this crate's replicas side by side: where all has
//! arrived, each pair that talks has the same. Needs node and npm.
//!
//! ```text
//! cargo run --release --manifest-path decentraland_scene/tools/sdk/Cargo.toml \
//!     [-- PROGRAMS [FIRST_SEED [VERSION...]]]
//! ```
//!
//! Without arguments, 6,000 programs of each version of @dcl/ecs in `package.json`. Five programs
//! run in each:
//!
//! ```text
//!  renderer 0 <---> scene 0 <---\           renderers and the peer: replicas of this crate
//!  (ours)           (SDK)        network    scenes: @dcl/ecs, as `sdk.js` runs it
//!  renderer 1 <---> scene 1 <---/   \
//!  (ours)           (SDK)            \---> peer (ours)
//! ```
//!
//! Every packet comes late, and packets of one direction in their order. A program writes plain and
//! synced entities on all sides, ties parents in the network, deletes components and entities, and
//! moves players who come and go.

mod compare;
mod program;
mod sdk;

use program::Program;
use sdk::Sdk;

const VERSIONS: [&str; 2] = ["7.28", "7.4"];
const PROGRAMS: u64 = 6_000;

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |default| args.next().map_or(default, |arg| arg.parse().expect("a number"));
    let (programs, first) = (number(PROGRAMS), number(1));
    let mut versions: Vec<String> = args.collect();
    if versions.is_empty() {
        versions = VERSIONS.map(str::to_owned).to_vec();
    }
    let mut sdk = Sdk::start();
    let mut differ = 0;
    for version in &versions {
        let (mut agree, mut compared) = (0, 0);
        for seed in first..first + programs {
            match Program::run(&mut sdk, version, seed) {
                Ok(values) => {
                    agree += 1;
                    compared += values;
                }
                Err(difference) => {
                    println!("{version}, seed {seed}: {difference}");
                    differ += 1;
                }
            }
        }
        println!("@dcl/ecs {version}: {agree} of {programs} agree, {compared} values compared");
    }
    assert_eq!(differ, 0, "programs differ");
}
