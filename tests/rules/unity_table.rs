//! `docs/unity.md` is complete, and names tests that exist.

use std::{fs, path::Path};

/// The number of lines `target <= factors` in the document.
const LINES: usize = 201;

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text of all tests but this file.
fn tests(folder: &Path) -> String {
    let entries = fs::read_dir(folder).expect("the folder of the tests");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let text = |path: std::path::PathBuf| match path.extension() {
        _ if path.is_dir() => tests(&path),
        Some(extension) if extension == "rs" && !path.ends_with("unity_table.rs") => read(&path),
        _ => String::new(),
    };
    paths.map(text).collect()
}

/// The names of tests among the words in backticks.
fn names(text: &str) -> Vec<&str> {
    let is_name = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|name| name.chars().all(|letter| is_name(letter) || letter == '_')).collect()
}

/// The lines `target <= factors` in the blocks of code of a text.
fn lines(text: &str) -> usize {
    let blocks = text.split("```").skip(1).step_by(2);
    blocks.flat_map(str::lines).filter(|line| line.contains(" <= ")).count()
}

#[test]
fn the_page_has_every_line_and_every_test_exists() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let page = read(&root.join("docs/unity.md"));
    let tests = tests(&root.join("tests"));
    let exists = |name: &str| {
        tests.contains(&format!("fn {name}(")) || tests.contains(&format!("    {name}:"))
    };
    let mut parts = page.split("Test:");
    assert_eq!(parts.next().map(lines), Some(0), "each line comes after its test");
    let mut found = 0;
    for part in parts {
        let names = names(part.split('.').next().unwrap());
        assert!(!names.is_empty() && names.iter().all(|name| exists(name)), "no test: {part}");
        assert!(lines(part) == 0 || names.len() == 1, "one test for its lines: {part}");
        found += lines(part);
    }
    assert_eq!(found, LINES);
    let tables = page.lines().filter(|line| line.starts_with('|'));
    for name in tables.filter_map(|row| row.rsplit(" | ").next()).flat_map(names) {
        assert!(exists(name), "no test is called {name}");
    }
}
