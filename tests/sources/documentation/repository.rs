//! What the pages about the repository, and the heads of its modules, name is there: files,
//! folders, functions and types.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use super::{
    names::{is_name, spans, words},
    root,
};

/// The pages that name files, functions and types of the repository.
const PAGES: [&str; 4] =
    ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/performance.md", "docs/unity.md"];

/// What they name of others.
const OF_OTHERS: &str = "
    PropagateOver PropagateStop
    CompositeRotationSystem CompositeScaleSystem LocalToParentSystem ParentScaleInverseSystem
    PostRotationEulerSystem RotationEulerSystem WorldToLocalSystem
    in_place_scope to_scale_rotation_translation
";

/// The folders with code.
const CODE: [&str; 7] =
    ["src", "tests", "testing", "benches", "decentraland_scene", "examples", "tools"];

/// All files of a folder, and the folders in it, but for what is built.
fn all(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_str().unwrap();
        if ["target", ".git", "proptest-regressions"].contains(&name) {
            continue;
        }
        if entry.is_dir() {
            all(&entry, found);
        }
        found.push(entry);
    }
}

/// The files and folders of the repository, each with a slash before it.
fn paths() -> Vec<String> {
    let mut found = Vec::new();
    all(root(), &mut found);
    let relative = |path: &PathBuf| path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
    found.iter().map(|path| format!("/{}", relative(path))).collect()
}

/// All code, without comments.
fn code(paths: &[String]) -> String {
    let is_code = |path: &&String| {
        path.ends_with(".rs") && CODE.iter().any(|it| path.starts_with(&format!("/{it}/")))
    };
    let read = |path: &String| fs::read_to_string(root().join(&path[1..])).unwrap();
    let lines = |text: String| {
        let lines = text.lines().map(|line| line.split("//").next().unwrap().to_owned());
        lines.collect::<Vec<_>>().join("\n")
    };
    paths.iter().filter(is_code).map(read).map(lines).collect()
}

/// The head of a module.
fn head(text: &str) -> String {
    let lines = text.lines().filter_map(|line| line.strip_prefix("//!"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The words of a text, spans and drawings, that look like paths.
fn named_paths(text: &str) -> Vec<String> {
    let is_end = |it: char| ",;:().`*[]'\"|".contains(it);
    let words = text.split_whitespace().map(|word| word.trim_matches(is_end));
    let is_path = |word: &&str| {
        let plain = word.chars().all(|it| it.is_ascii_alphanumeric() || "_-./".contains(it));
        let is_folder = word.ends_with('/') && word.contains(char::is_alphanumeric);
        let is_file = word.ends_with(".rs") || word.ends_with(".md");
        plain && !word.starts_with('.') && *word != "docs.rs" && (is_file || is_folder)
    };
    words.filter(is_path).map(str::to_owned).collect()
}

/// What a text names and the repository does not have.
fn missing(text: &str, paths: &[String], known: &HashSet<&str>) -> (Vec<String>, usize) {
    let (mut missing, mut looked_up) = (Vec::new(), 0);
    for path in named_paths(text) {
        let end = format!("/{}", path.trim_end_matches('/'));
        looked_up += 1;
        if !paths.iter().any(|it| it.ends_with(&end)) {
            missing.push(path);
        }
    }
    for span in spans("", text).iter().filter(|span| !span.contains(['/', '"', ' '])) {
        let names = words(span).filter(|&(at, word)| is_name(span, at, word));
        for (_, word) in names.filter(|(_, word)| !word.ends_with('_')) {
            looked_up += 1;
            if !known.contains(word) {
                missing.push(format!("{word} in `{span}`"));
            }
        }
    }
    (missing, looked_up)
}

#[test]
fn what_pages_and_heads_name_is_there() {
    let paths = paths();
    let code = code(&paths);
    // A test binary has the name of its folder.
    let names = paths.iter().flat_map(|path| words(path));
    let known = words(&code).chain(words(OF_OTHERS)).chain(names).map(|it| it.1);
    let known: HashSet<&str> = known.collect();
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let pages = PAGES.iter().map(|page| ((*page).to_owned(), read(page)));
    let sources = paths.iter().filter(|it| it.starts_with("/src/") && it.ends_with(".rs"));
    let heads = sources.map(|path| (path.clone(), head(&read(&path[1..]))));
    let (mut all, mut looked_up) = (Vec::new(), 0);
    for (name, text) in pages.chain(heads) {
        let (missing, count) = missing(&text, &paths, &known);
        all.extend(missing.into_iter().map(|it| format!("{name}: {it}")));
        looked_up += count;
    }
    assert!(all.is_empty(), "not in the repository: {all:#?}");
    assert!(looked_up > 500, "{looked_up}");
}

#[test]
fn a_file_and_a_function_that_are_gone_are_found() {
    let paths = ["/src/engine/state.rs".to_owned(), "/src/engine/bulk".to_owned()];
    let known = HashSet::from(["guard", "Meaning", "of"]);
    let text =
        "in `state.rs`, `bulk/`, `bulk/missing.rs` (`guard()`, `lacking_values`, `Meaning::of`)";
    let (missing, looked_up) = missing(text, &paths, &known);
    assert_eq!(missing, ["bulk/missing.rs", "lacking_values in `lacking_values`"]);
    assert_eq!(looked_up, 7);
}

/// A file is a concept, and a concept fits into so many lines.
const LINES: usize = 420;

#[test]
fn no_file_of_the_crate_is_too_long() {
    let paths = paths();
    let sources = paths.iter().filter(|it| it.starts_with("/src/") && it.ends_with(".rs"));
    let long = sources.filter_map(|path| {
        let lines = fs::read_to_string(root().join(&path[1..])).unwrap().lines().count();
        (lines > LINES).then(|| format!("{path}: {lines} lines"))
    });
    assert_eq!(long.collect::<Vec<_>>(), [""; 0], "more than {LINES} lines");
}
