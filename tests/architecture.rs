//! The order of the engine's rooms: imports run one way, no two files import each other, and
//! `unsafe` stays inside its fences.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// A room may know those before it. (`findings`, `stats` and `trace` are data that every stage may
/// fill.)
const ROOMS: [&str; 24] = [
    "components",
    "math",
    "bits",
    "findings",
    "stats",
    "trace",
    "simd",
    "parallel",
    "storage",
    "rules",
    "bulk",
    "write_group",
    "overrides",
    "changes",
    "forest",
    "hierarchy",
    "local",
    "propagation",
    "inverse",
    "diagnostics",
    "engine",
    "bundle",
    "query",
    "edit",
];

/// The rooms whose files must not import each other.
const ENGINE: std::ops::Range<usize> = 0..22;

/// Where `unsafe` is allowed.
const FENCES: [&str; 5] = ["simd", "parallel", "storage", "forest", "propagation"];

/// A module's file: its path in the crate (`["forest", "insert"]`), and what it says outside of its
/// tests.
struct File {
    module: Vec<String>,
    code: String,
}

fn files(folder: &Path, module: &[String], all: &mut Vec<File>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let inner = [module, std::slice::from_ref(&name)].concat();
        if path.is_dir() && name == "tests" {
            continue;
        } else if path.is_dir() {
            files(&path, &inner, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests" {
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let code = text
                .lines()
                .map(|line| line.split("//").next().unwrap())
                .collect::<Vec<_>>()
                .join("\n");
            let module = if name == "mod" || name == "lib" { module.to_vec() } else { inner };
            all.push(File { module, code });
        }
    }
}

/// All paths of a tree of imports: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(tree: &str, prefix: &str, all: &mut BTreeSet<String>) {
    let (mut depth, mut start) = (0, 0);
    let mut parts = Vec::new();
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('{') {
            Some((head, inner)) => {
                expand(inner.trim_end().trim_end_matches('}'), &format!("{prefix}{head}"), all)
            }
            None => {
                all.insert(format!("{prefix}{part}"));
            }
        }
    }
}

/// The paths inside the crate that a file names, from its root.
fn imports(file: &File) -> BTreeSet<Vec<String>> {
    let mut paths = BTreeSet::new();
    let mut rest = file.code.as_str();
    while let Some(at) = rest.find("crate::").into_iter().chain(rest.find("super::")).min() {
        let tail = &rest[at..];
        let end = if tail["crate::".len()..].starts_with('{')
            || tail.starts_with("super::super::{")
            || tail[..].starts_with("super::{")
        {
            tail.find(';').unwrap_or(tail.len())
        } else {
            tail.find(|letter: char| !(letter.is_alphanumeric() || "_:".contains(letter)))
                .unwrap_or(tail.len())
        };
        // A path that ends in a list of imports goes on to the end of the statement.
        let end =
            if tail[end..].starts_with('{') { tail.find(';').unwrap_or(tail.len()) } else { end };
        expand(&tail[..end], "", &mut paths);
        rest = &tail[end..];
    }
    let absolute = |path: String| {
        let mut base: Vec<String> = file.module.clone();
        let mut names = path
            .split("::")
            .map(|name| name.split_whitespace().next().unwrap_or("").to_owned())
            .peekable();
        while let Some(name) =
            names.next_if(|name| name == "super" || name == "crate" || name == "self")
        {
            match name.as_str() {
                "crate" => base.clear(),
                "super" => drop(base.pop()),
                _ => {}
            }
        }
        base.extend(names);
        base
    };
    paths.into_iter().map(absolute).collect()
}

fn crate_files() -> Vec<File> {
    let mut all = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &[], &mut all);
    assert!(all.len() > 50, "the sources are where they are looked for");
    all
}

fn rank(room: &str) -> Option<usize> {
    ROOMS.iter().position(|known| *known == room)
}

#[test]
fn no_import_runs_back_up() {
    let mut back = Vec::new();
    for file in crate_files() {
        let Some(from) = file.module.first().and_then(|room| rank(room)) else { continue };
        for import in imports(&file) {
            let to = import.first().and_then(|room| rank(room));
            if to.is_some_and(|to| to > from) {
                back.push(format!("{} imports {}", file.module.join("::"), import.join("::")));
            }
        }
    }
    assert!(back.is_empty(), "{}", back.join("\n"));
}

#[test]
fn no_two_files_of_the_engine_import_each_other() {
    let all = crate_files();
    let engine = |file: &&File| {
        file.module.first().and_then(|room| rank(room)).is_some_and(|rank| ENGINE.contains(&rank))
    };
    let modules: BTreeSet<Vec<String>> =
        all.iter().filter(engine).map(|file| file.module.clone()).collect();
    let of_file = |file: &File| -> BTreeSet<Vec<String>> {
        let module = |import: &Vec<String>| {
            (1..=import.len())
                .rev()
                .map(|len| import[..len].to_vec())
                .find(|it| modules.contains(it))
        };
        imports(file).iter().filter_map(module).filter(|module| *module != file.module).collect()
    };
    let mut graph: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> =
        all.iter().filter(engine).map(|file| (file.module.clone(), of_file(file))).collect();
    // What imports nothing that is left is on no circle.
    loop {
        let done: Vec<Vec<String>> = graph
            .iter()
            .filter(|(_, to)| to.is_empty())
            .map(|(module, _)| module.clone())
            .collect();
        if done.is_empty() {
            break;
        }
        for module in &done {
            graph.remove(module);
            graph.values_mut().for_each(|to| {
                to.remove(module);
            });
        }
    }
    let name = |(from, to): (&Vec<String>, &BTreeSet<Vec<String>>)| {
        format!(
            "{} -> {}",
            from.join("::"),
            to.iter().map(|to| to.join("::")).collect::<Vec<_>>().join(", ")
        )
    };
    let left: Vec<String> = graph.iter().map(name).collect();
    assert!(left.is_empty(), "on or above a circle:\n{}", left.join("\n"));
}

#[test]
fn unsafe_code_stays_inside_its_fences() {
    for file in crate_files() {
        let fenced = file.module.first().is_some_and(|room| FENCES.contains(&room.as_str()));
        let is_unsafe = file.code.contains("unsafe ") && file.code.contains("allow(unsafe_code)");
        assert!(fenced || !is_unsafe, "{} is outside of {FENCES:?}", file.module.join("::"));
    }
}
