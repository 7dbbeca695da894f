//! The crate's public interface, as `tests/sources/surface/surface.txt` lists it: no name comes or goes by
//! chance. rustdoc's JSON says what is public, with all that macros make and without what is hidden
//! from the documentation.
//!
//! ```sh
//! cargo test --all-features --test surface -- --ignored                # compares
//! SURFACE=write cargo test --all-features --test surface -- --ignored  # writes the file anew
//! ```

mod freeze;
mod listing;

use std::{fs, path::Path, process::Command};

use listing::Listing;
use serde_json::Value;

/// The format that `listing` reads: rustdoc 1.95's.
const FORMAT: u64 = 57;

/// rustdoc's JSON of the crate with all features.
fn documentation() -> Value {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let status = Command::new(env!("CARGO"))
        .current_dir(root)
        .env("RUSTDOC", root.join(".ci/rustdoc-with-json"))
        .args(["rustdoc", "--lib", "--all-features", "--target-dir"])
        .arg(root.join("target"))
        .args(["--", "-Z", "unstable-options", "--output-format", "json"])
        .status();
    assert!(status.expect("cargo runs").success(), "rustdoc wrote no JSON");
    let json = fs::read(root.join("target/doc/legion_transform.json")).expect("what it wrote");
    let json: Value = serde_json::from_slice(&json).expect("JSON");
    let format = &json["format_version"];
    assert!(
        *format == FORMAT,
        "rustdoc's JSON is of format {format}, and the reader knows {FORMAT}"
    );
    json
}

#[test]
#[ignore = "runs rustdoc, with an unstable option: .ci/run runs it"]
fn the_interface_is_the_one_in_the_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("sources/surface/surface.txt");
    let now = Listing::of(&documentation()).to_string();
    if std::env::var_os("SURFACE").is_some_and(|value| value == "write") {
        return fs::write(path, now).expect("the file can be written");
    }
    let listed = fs::read_to_string(path).expect("the file");
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (now, listed) = (lines(&now), lines(&listed));
    let only = |these: &[String], those: &[String]| {
        these.iter().filter(|line| !those.contains(line)).cloned().collect::<Vec<_>>()
    };
    assert!(
        now == listed,
        "the interface is not the one of tests/sources/surface/surface.txt.\nNew: {:#?}\nGone: {:#?}\nIf \
         that is meant, write the file anew: SURFACE=write cargo test --all-features --test \
         surface -- --ignored",
        only(&now, &listed),
        only(&listed, &now),
    );
}

#[test]
fn what_differs_from_the_last_release_is_in_the_change_log() {
    let log = include_str!("../../../CHANGELOG.md");
    let (since, _) = log.split_once("## [0.1.0]").expect("the release's heading");
    let (released, now) = (include_str!("surface-0.1.txt"), include_str!("surface.txt"));
    let missing = freeze::not_in_the_log(released, now, since);
    assert!(missing.is_empty(), "not in the change log, above 0.1.0: {missing:#?}");
}

/// Fails if the listing misses what it is for: a method, a macro's trait, a field, a variant.
#[test]
fn the_file_lists_what_programs_name() {
    let listed = include_str!("surface.txt");
    let block = |item: &str| {
        let mut blocks = listed.split("\n\n").filter(|block| block.starts_with(item));
        blocks.next().unwrap_or_else(|| panic!("{item} is not in the file")).to_owned()
    };
    assert!(block("struct components::Translation").contains("\n    fn new\n"));
    assert!(block("struct components::ScalePivot").contains(", DerefMut"));
    assert!(block("struct transform::Transform").contains("\n    pub rotation\n"));
    assert!(block("enum findings::FindingKind").contains("\n    TwoScales\n"));
    assert!(block("trait components::Inherited").contains("\n    fn combine\n"));
    assert!(block("macro read_transforms").contains("in the prelude"));
}
