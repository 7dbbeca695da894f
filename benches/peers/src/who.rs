//! Who takes part, and the programs in which they do.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::bevy;

/// A competitor. Bevy's two builds are two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The reference on flat arrays.
    Limit,
    /// Bevy's serial systems.
    BevySerial,
    /// Bevy's parallel systems on a pool of this number of threads.
    BevyPool(usize),
    /// This crate.
    Ours,
}

impl Who {
    /// All, in the order in which they take turns. Bevy's pool of one thread is what its own plugin
    /// starts on two cores.
    pub fn all(threads: usize) -> Vec<Who> {
        let mut all =
            vec![Who::Limit, Who::BevySerial, Who::BevyPool(1), Who::BevyPool(threads), Who::Ours];
        all.dedup();
        all
    }

    /// What tables say.
    pub fn name(self) -> String {
        match self {
            Who::Limit => "limit".into(),
            Who::BevySerial => "serial".into(),
            Who::BevyPool(threads) => format!("pool of {threads}"),
            Who::Ours => "ours".into(),
        }
    }

    pub fn is_bevy(self) -> bool {
        matches!(self, Who::BevySerial | Who::BevyPool(_))
    }

    /// The word for a worker.
    fn word(self) -> &'static str {
        match self {
            Who::Limit => "limit",
            Who::BevySerial | Who::BevyPool(_) => "bevy",
            Who::Ours => "ours",
        }
    }
}

/// The two programs, and how they are run.
pub struct Programs {
    this: PathBuf,
    serial: PathBuf,
    isa: Option<String>,
    cold: bool,
}

/// Says whether everything has left the cache before each tick.
pub const COLD: &str = "PEERS_COLD";

impl Programs {
    /// Builds the other one. With a level of instructions, ours is kept to it.
    pub fn build(isa: Option<String>, cold: bool) -> Result<Self, String> {
        let home = Path::new(env!("CARGO_MANIFEST_DIR"));
        let target = home.join("target/serial");
        let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--release", "--no-default-features", "--manifest-path"])
            .arg(home.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&target)
            .status();
        if !built.is_ok_and(|status| status.success()) {
            return Err("cannot build Bevy's serial systems".into());
        }
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let serial = target.join("release").join(format!("peers{}", std::env::consts::EXE_SUFFIX));
        Ok(Self { this, serial, isa, cold })
    }

    /// The command that starts a competitor with a workload, on a number of threads.
    pub fn command(
        &self,
        job: &str,
        who: Who,
        (workload, nodes): (&str, usize),
        threads: usize,
    ) -> Command {
        let mut command =
            Command::new(if who == Who::BevySerial { &self.serial } else { &self.this });
        command
            .args([job, who.word(), workload, &nodes.to_string()])
            .env("RAYON_NUM_THREADS", threads.to_string());
        if self.cold {
            command.env(COLD, "1");
        }
        match (who, &self.isa) {
            (Who::BevyPool(threads), _) => command.env(bevy::POOL, threads.to_string()),
            (Who::Ours, Some(isa)) => command.env("LEGION_TRANSFORM_ISA", isa),
            _ => &mut command,
        };
        command
    }
}
