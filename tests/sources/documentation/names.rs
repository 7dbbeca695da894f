//! Names in the pages are names of the interface: of `tests/sources/surface/surface.txt`, of a
//! program in the pages (which compile), or of others, as listed here.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::PathBuf,
};

use super::{links, pages, root};

/// Pages that speak of tests, benches and the engine's insides.
const OF_THE_REPOSITORY: [&str; 2] = ["performance.md", "unity.md"];

/// What the pages name of Rust, Legion, nalgebra, other crates and engines, or as an example.
const OF_OTHERS: &str = "
    Cargo Drop Send Sync size_hint ambiguous_glob_imports exec_mut
    Duplicate IntoComponentSource Merger Runnable SerdeDeCustom SerdeSerCustom UnknownType
    as_deserialize clone_from maybe_changed move_from on_unknown with_query
    Similarity3 new_normalize rotation_between try_normalize xy
    register_custom_getrandom set_next_kinematic_translation tracing_subscriber
    Isometry3d Sprite flip_x is_finite propagate_to_children rotate_x top_level
    assert_up_to_date check_system legion_transform_testing
    decentraland_scene scene_viewer space_station
    Burning Hover Moving OnRail Selected Yours
    RotationEuler PostRotationEuler
";

/// The words of a text that can be names, each with the byte at which it begins.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(move |letter| !is_name(letter))
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// The members of each item of the interface, by the item's name.
fn items(surface: &str) -> HashMap<&str, HashSet<&str>> {
    let blocks = surface.split("\n\n").filter_map(|block| {
        let (head, members) = block.trim_start().split_once('\n')?;
        let name = head.split([' ', ',']).nth(1)?.rsplit("::").next()?;
        Some((name, words(members).map(|(_, word)| word).collect()))
    });
    blocks.collect()
}

/// A page's spans of code outside of programs. On pages for those who come from elsewhere, the
/// other's names stand to the left of an arrow, or in the first column of the table of guesses.
pub fn spans(page: &str, text: &str) -> Vec<String> {
    let mut prose = text.split("```").step_by(2).collect::<String>().replace("\n  ", " ");
    if page == "migration.md" {
        let ours = |line: &str| match line.strip_prefix("| ") {
            Some(row) => row.split_once("| ").map_or("", |(_, ours)| ours).to_owned(),
            None if line.contains('→') => {
                let parts = line.split('→').skip(1);
                let others = parts.clone().count() - 1;
                let cut = |(i, part): (usize, &str)| match part.rsplit_once("; ") {
                    Some((ours, _)) if i < others => ours.to_owned(),
                    _ => part.to_owned(),
                };
                parts.enumerate().map(cut).collect()
            }
            None => line.to_owned(),
        };
        prose = prose.lines().map(ours).collect::<Vec<_>>().join("\n");
    }
    prose.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether a word of a span is a type's name, or a function's.
pub fn is_name(span: &str, at: usize, word: &str) -> bool {
    let after = &span[at + word.len()..];
    let is_part = span[..at].ends_with(['-', '$']) || after.starts_with('-');
    let is_type = word.starts_with(|it: char| it.is_ascii_uppercase())
        && word.contains(|it: char| it.is_ascii_lowercase());
    let is_function = word.starts_with(|it: char| it.is_ascii_lowercase())
        && (word.contains('_') || after.starts_with('(') || span[..at].ends_with("::"));
    (is_function || is_type) && !is_part
}

#[test]
fn names_in_the_pages_are_names_of_the_interface() {
    let surface = fs::read_to_string(root().join("tests/sources/surface/surface.txt")).unwrap();
    let items = items(&surface);
    let is_read = |path: &PathBuf| {
        path.parent() == Some(&root().join("docs")) || *path == root().join("README.md")
    };
    let texts: Vec<(String, String)> = pages()
        .into_iter()
        .filter(is_read)
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    let programs = texts.iter().flat_map(|(_, text)| text.split("```").skip(1).step_by(2));
    let programs: String =
        programs.filter(|program| program.starts_with(['\n', 'r'])).collect::<Vec<_>>().concat();
    let known: HashSet<&str> = [surface.as_str(), &programs, OF_OTHERS]
        .into_iter()
        .flat_map(words)
        .map(|it| it.1)
        .collect();
    // A member of the interface's items is in their lists; others' types have members of their own.
    let is_known = |span: &str, at: usize, word: &str| {
        let of = span[..at].strip_suffix("::").and_then(|of| words(of).last());
        match (of.and_then(|(_, of)| items.get(of)), word) {
            (Some(members), "default") => members.contains("Default"),
            (Some(members), "from") => members.contains("From"),
            (Some(members), "try_from") => members.contains("TryFrom"),
            (Some(members), _) => members.contains(word),
            (None, _) => of.is_some() || known.contains(word),
        }
    };
    let (mut unknown, mut looked_up) = (Vec::new(), 0);
    for (page, text) in texts.iter().filter(|it| !OF_THE_REPOSITORY.contains(&it.0.as_str())) {
        for span in spans(page, text).iter().filter(|span| !span.contains(['/', '"'])) {
            for (at, word) in words(span).filter(|&(at, word)| is_name(span, at, word)) {
                if !is_known(span, at, word) {
                    unknown.push(format!("{page}: {word} in `{span}`"));
                }
                looked_up += 1;
            }
        }
    }
    assert!(unknown.is_empty(), "no such name in the interface, nor in OF_OTHERS: {unknown:#?}");
    assert!(looked_up > 900, "{looked_up}");
    let unused = words(OF_OTHERS).filter(|(_, other)| !texts.iter().any(|it| it.1.contains(other)));
    assert_eq!(unused.map(|it| it.1).collect::<Vec<_>>(), [""; 0], "in no page any more");
}

/// Where docs.rs has the crate's pages.
const RENDERED: &str = "https://docs.rs/legion_transform/latest/legion_transform/";

/// Whether there is such a page: `edit/struct.Edits.html#method.on_shear` is "struct edit::Edits"
/// of the list, with its "    fn on_shear"; `edit/index.html` is a module that items are in.
fn is_page(surface: &str, link: &str) -> bool {
    let (path, member) = link.split_once('#').unwrap_or((link, ""));
    let path = path.trim_end_matches(".html");
    let (module, file) = path.rsplit_once('/').unwrap_or(("", path));
    let module = module.replace('/', "::");
    let Some((kind, name)) = file.split_once('.') else {
        return surface.contains(&format!(" {module}::"));
    };
    let head = format!("{kind} {module}::{name}").replace(" ::", " ");
    let is_of = |block: &&str| block.lines().next().unwrap().split(',').next() == Some(&head);
    let mut blocks = surface.split("\n\n").map(str::trim_start).filter(|block| !block.is_empty());
    let member = member.strip_prefix("method.").map(|it| format!("    fn {it}"));
    let has = |block: &str| member.is_none_or(|member| block.lines().any(|it| it == member));
    blocks.find(is_of).is_some_and(has)
}

#[test]
fn links_to_the_interface_lead_to_its_pages() {
    let surface = fs::read_to_string(root().join("tests/sources/surface/surface.txt")).unwrap();
    let (mut followed, mut wrong) = (0, Vec::new());
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let is_right = match link.strip_prefix(RENDERED) {
                Some(path) => is_page(&surface, path),
                None => !link.trim_start_matches("../").starts_with("src/"), // to source
            };
            wrong.extend((!is_right).then(|| format!("{}: {link}", page.display())));
            followed += usize::from(link.starts_with(RENDERED));
        }
    }
    assert!(wrong.is_empty(), "no page of the interface: {wrong:#?}");
    assert!(followed > 25, "{followed}");
}

/// docs.rs has no `.md` files: there a page's link is the definition of its label in `links.txt`.
#[test]
fn links_of_the_guide_have_targets_on_its_rendered_pages() {
    let read = |file: &str| fs::read_to_string(root().join(file)).unwrap();
    let rendered = read("docs/links.txt");
    let (guide, mut followed) = (read("src/guide.rs"), 0);
    for page in guide.split('"').map(|text| text.trim_start_matches("../docs/")) {
        if !page.ends_with(".md") {
            continue;
        }
        let text = read(&format!("docs/{page}"));
        let inline = text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap());
        let inline: Vec<&str> = inline.filter(|link| link.contains(".md")).collect();
        assert!(inline.is_empty(), "{page}: {inline:?}, write [text][label]");
        let defined = text.lines().filter(|line| line.starts_with('[') && line.contains("]: "));
        for label in defined.map(|line| line.split_inclusive("]: ").next().unwrap()) {
            let is_there = rendered.lines().any(|line| line.starts_with(label));
            assert!(is_there || label == "[serde]: ", "{page}: {label} is not in links.txt");
            followed += 1;
        }
    }
    assert!(followed > 80, "{followed}");
}
