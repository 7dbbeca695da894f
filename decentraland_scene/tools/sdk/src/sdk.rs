//! The process that runs scenes of the SDK.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

pub struct Sdk {
    _process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Sdk {
    /// Starts it, after installing what it needs the first time.
    pub fn start() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        if !folder.join("node_modules").exists() {
            let install = ["ci", "--no-audit", "--no-fund", "--silent"];
            let status = Command::new("npm").args(install).current_dir(folder).status();
            assert!(status.is_ok_and(|status| status.success()), "npm ci; npm is needed");
        }
        let mut command = Command::new("node");
        command.arg("sdk.js").current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("node is needed");
        let (to, from) = (process.stdin.take(), process.stdout.take());
        let (to, from) = (to.expect("a pipe"), BufReader::new(from.expect("a pipe")));
        Self { _process: process, to, from }
    }

    /// Says a line, and returns the answer.
    pub fn say(&mut self, line: &str) -> String {
        writeln!(self.to, "{line}").expect("node runs");
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("node runs");
        assert!(answer.ends_with('\n'), "node ended at: {line}");
        if std::env::var_os("SDK_LOG").is_some() {
            eprintln!("{line} => {answer}");
        }
        answer.trim_end_matches('\n').to_owned()
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn unhex(text: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(byte).collect()
}
