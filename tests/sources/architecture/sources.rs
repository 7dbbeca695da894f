//! The files of `src`, and what each imports.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// A path inside the crate, from its root: `["query", "walk", "Walk"]`.
pub type Names = Vec<String>;

/// All files of `src`, by module, without tests.
pub struct Sources(pub BTreeMap<Names, File>);

/// What a file says, without comments and tests.
pub struct File {
    pub code: String,
    pub imports: BTreeSet<Names>,
}

/// The repository's folder.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

impl Sources {
    pub fn read() -> Self {
        let sources = Self::of("src");
        assert!(sources.0.len() > 50, "the sources are where they are looked for");
        sources
    }

    /// The sources in a folder of the repository.
    pub fn of(folder: &str) -> Self {
        let mut files = BTreeMap::new();
        read_folder(&root().join(folder), &[], &mut files);
        assert!(files.len() > 10, "the sources are where they are looked for: {folder}");
        Self(files)
    }

    /// Made-up sources: each file's module and text.
    pub fn made_up(files: &[(&str, &str)]) -> Self {
        let file = |&(module, text): &(&str, &str)| {
            let names = module.split("::").filter(|name| !name.is_empty());
            let module: Names = names.map(str::to_owned).collect();
            let code = code(text);
            let imports = imports(&module, &code);
            (module, File { code, imports })
        };
        Self(files.iter().map(file).collect())
    }

    /// The module that a path leads to: `query::walk` for `query::walk::Walk`.
    pub fn module<'a>(&self, path: &'a [String]) -> &'a [String] {
        let is_module = |len: &usize| self.0.contains_key(&path[..*len]);
        &path[..(0..=path.len()).rev().find(is_module).unwrap_or(0)]
    }

    /// Whether a module is public in the module above it, or open to the crate.
    pub fn is_public(&self, module: &[String]) -> bool {
        let Some((name, above)) = module.split_last() else { return true };
        let is_open = |file: &File| {
            let open = ["pub", "pub(crate)"].map(|word| format!("\n{word} mod {name};"));
            open.iter().any(|line| file.code.contains(line))
        };
        self.0.get(above).is_none_or(is_open)
    }

    /// Each import, with the module of the file that has it.
    pub fn imports(&self) -> impl Iterator<Item = (&Names, &Names)> {
        self.0.iter().flat_map(|(module, file)| file.imports.iter().map(move |to| (module, to)))
    }
}

fn read_folder(folder: &Path, module: &[String], files: &mut BTreeMap<Names, File>) {
    let entries = fs::read_dir(folder).unwrap();
    let paths: BTreeSet<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let inner = [module, std::slice::from_ref(&name)].concat();
        if name == "tests" {
            continue;
        } else if path.is_dir() {
            read_folder(&path, &inner, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let module = if name == "mod" || name == "lib" { module.to_vec() } else { inner };
            let code = code(&fs::read_to_string(&path).unwrap());
            let imports = imports(&module, &code);
            files.insert(module, File { code, imports });
        }
    }
}

/// Where a file's own tests begin.
const OWN_TESTS: &str = "#[cfg(test)]\nmod tests {";

fn code(text: &str) -> String {
    without_comments(text.split(OWN_TESTS).next().unwrap())
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// How many lines the Rust files below a path of the repository have, but for what is built.
pub fn lines_below(path: &Path) -> usize {
    let at = root().join(path);
    if at.is_dir() && !path.ends_with("target") {
        let entries = fs::read_dir(at).unwrap().map(|entry| path.join(entry.unwrap().file_name()));
        return entries.map(|entry| lines_below(&entry)).sum();
    }
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    if is_rust { fs::read_to_string(at).unwrap().lines().count() } else { 0 }
}

/// The tests of the repository, by file, without comments.
pub fn tests() -> BTreeMap<PathBuf, String> {
    let mut tests = BTreeMap::new();
    let folders = ["src", "tests", "decentraland_scene/src", "decentraland_scene/tests"];
    let mut left = folders.map(PathBuf::from).to_vec();
    while let Some(path) = left.pop() {
        let at = root().join(&path);
        if at.is_dir() {
            let inner = fs::read_dir(at).unwrap();
            left.extend(inner.map(|entry| path.join(entry.unwrap().file_name())));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(at).unwrap();
            let are_tests = |part: &Path| part.file_stem().is_some_and(|stem| stem == "tests");
            let own = match text.split_once(OWN_TESTS) {
                _ if path.ancestors().any(are_tests) => &text,
                Some((_, own)) => own,
                None => continue,
            };
            tests.insert(path, without_comments(own));
        }
    }
    assert!(tests.len() > 100, "the tests are where they are looked for");
    tests
}

/// The paths inside the crate that a file names, in a `use` or anywhere else.
fn imports(module: &[String], code: &str) -> BTreeSet<Names> {
    let mut paths = BTreeSet::new();
    let mut rest = code;
    while let Some(at) = rest.find("crate::").into_iter().chain(rest.find("super::")).min() {
        let tail = &rest[at..];
        let is_part = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
        let mut end = tail.find(|letter| !is_part(letter)).unwrap_or(tail.len());
        // A list of imports ends with the statement.
        if tail[end..].starts_with('{') {
            end = tail.find(';').unwrap_or(tail.len());
        }
        expand(&tail[..end], "", &mut paths);
        rest = &tail[end..];
    }
    paths.iter().map(|path| absolute(module, path)).collect()
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
                let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
                expand(inner, &format!("{prefix}{head}"), all);
            }
            None => {
                all.insert(format!("{prefix}{part}"));
            }
        }
    }
}

/// A path from the root of the crate, for one that a file of this module names.
fn absolute(module: &[String], path: &str) -> Names {
    let mut names = path.split("::").map(|name| name.split_whitespace().next().unwrap_or(""));
    let mut base = module.to_vec();
    let mut rest = Vec::new();
    for name in names.by_ref() {
        match name {
            "crate" => base.clear(),
            "super" => drop(base.pop()),
            "self" | "" => {}
            _ => rest.push(name.to_owned()),
        }
    }
    [base, rest].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_imports_of_a_file_are_found() {
        let code = "use crate::{a, b::{c, d as e}};\nuse super::{f::{self, *}, g};\n\
                    fn h(x: crate::i::J) -> super::super::K { super::l(x) }\nuse std::fmt;";
        let module = ["m".to_owned(), "n".to_owned()];
        let found = imports(&module, code).into_iter().map(|path| path.join("::"));
        let found: Vec<String> = found.collect();
        assert_eq!(found, ["K", "a", "b::c", "b::d", "i::J", "m::f", "m::f::*", "m::g", "m::l"]);
    }
}
