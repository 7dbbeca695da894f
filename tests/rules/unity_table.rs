//! The table in `docs/unity.md` is complete, and names tests that exist.

use std::{fs, path::Path};

/// How many lines `target <= factors` the document has.
const LINES: usize = 201;

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text of all tests, but for this file.
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

/// What stands in backticks in the last cell of a table's row.
fn tests_of_row(row: &str) -> Vec<&str> {
    let last = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap_or_default();
    let quoted = last.split('`').skip(1).step_by(2);
    quoted
        .filter(|name| {
            name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        })
        .collect()
}

#[test]
fn the_table_has_every_line_and_every_test_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = read(&root.join("docs/unity.md"));
    let tests = tests(&root.join("tests"));
    let lines: Vec<_> =
        table.lines().filter(|line| line.starts_with('|') && line.contains(" <= ")).collect();
    assert_eq!(lines.len(), LINES);
    for line in &lines {
        assert_eq!(tests_of_row(line).len(), 1, "one test: {line}");
    }
    let sections = table.split("\n## ").skip(1);
    for name in
        sections.flat_map(str::lines).filter(|line| line.starts_with('|')).flat_map(tests_of_row)
    {
        let (function, in_macro) = (format!("fn {name}("), format!("    {name}:"));
        assert!(tests.contains(&function) || tests.contains(&in_macro), "no test is called {name}");
    }
}
