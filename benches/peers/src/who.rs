//! Who takes part, and the programs in which they do.

use std::{fmt, path::PathBuf, process::Command};

use crate::{
    between::{self, Between},
    bevy,
};

/// A competitor, with a number of threads. Bevy's two builds are two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The reference on flat arrays.
    Limit(usize),
    /// Bevy's serial systems.
    BevySerial,
    /// Bevy's parallel systems on a pool.
    BevyPool(usize),
    /// This crate.
    Ours(usize),
}

impl Who {
    /// All, in the order in which they take turns. Bevy's pool of one thread is what its own plugin
    /// starts on two cores.
    pub fn all(threads: usize) -> Vec<Who> {
        use Who::{BevyPool, BevySerial, Limit, Ours};
        let mut all =
            vec![Limit(threads), BevySerial, BevyPool(1), BevyPool(threads), Ours(threads)];
        all.dedup();
        all
    }

    /// The name of the competitor among the words of a worker.
    pub fn name(self) -> &'static str {
        match self {
            Who::Limit(_) => "limit",
            Who::BevySerial | Who::BevyPool(_) => "bevy",
            Who::Ours(_) => "ours",
        }
    }

    pub fn is_limit(self) -> bool {
        self.name() == "limit"
    }

    pub fn is_bevy(self) -> bool {
        self.name() == "bevy"
    }

    pub fn is_ours(self) -> bool {
        self.name() == "ours"
    }
}

/// What tables say.
impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Who::BevySerial => f.write_str("serial"),
            Who::BevyPool(threads) => write!(f, "pool of {threads}"),
            Who::Limit(_) | Who::Ours(_) => f.write_str(self.name()),
        }
    }
}

/// Where the program with Bevy's serial systems is built.
const SERIAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/serial");

/// The two programs, and how they are run.
pub struct Programs {
    this: PathBuf,
    serial: PathBuf,
    /// The level of instructions that ours is kept to.
    isa: Option<String>,
    /// What comes between two runs.
    pub between: Between,
}

impl Programs {
    pub fn new(isa: Option<String>, between: Between) -> Result<Self, String> {
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let serial = format!("{SERIAL}/release/peers{}", std::env::consts::EXE_SUFFIX);
        Ok(Self { this, serial: serial.into(), isa, between })
    }

    /// Builds the one with Bevy's serial systems.
    pub fn build(&self) -> Result<(), String> {
        if !bevy::PARALLEL {
            return Err("Bevy's parallel systems are missing: build with default features".into());
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["build", "--release", "--no-default-features", "--target-dir", SERIAL])
            .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
            .status();
        let is_built = built.is_ok_and(|status| status.success());
        if is_built { Ok(()) } else { Err("cannot build Bevy's serial systems".into()) }
    }

    /// The command that starts a competitor with a workload.
    pub fn command(&self, job: &str, who: Who, (workload, nodes): (&str, usize)) -> Command {
        let program = if who == Who::BevySerial { &self.serial } else { &self.this };
        let mut command = Command::new(program);
        command.args([job, who.name(), workload, &nodes.to_string()]);
        command.env(between::VARIABLE, format!("{:?}", self.between));
        match who {
            Who::Limit(threads) | Who::Ours(threads) => {
                command.env("RAYON_NUM_THREADS", threads.to_string());
            }
            Who::BevyPool(threads) => _ = command.env(bevy::POOL, threads.to_string()),
            Who::BevySerial => {}
        }
        if let (Who::Ours(_), Some(isa)) = (who, &self.isa) {
            command.env("LEGION_TRANSFORM_ISA", isa);
        }
        command
    }
}
