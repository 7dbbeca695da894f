//! What the pages promise to have, they have: links lead somewhere, and every finding has its place
//! in the troubleshooting.

mod names;
mod questions;
mod repository;

use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn pages() -> Vec<PathBuf> {
    let of = |folder: &Path| {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let folders = [".", "docs", "decentraland_scene", "decentraland_scene/docs", "testing"];
    let mut pages = folders.map(|folder| of(&root().join(folder))).concat();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    assert!(pages.len() > 10, "{pages:?}");
    pages
}

/// A page without its programs.
fn prose(page: &Path) -> String {
    let text = fs::read_to_string(page).unwrap();
    text.split("```").step_by(2).collect()
}

/// The targets of `[text](target)`, `src="target"`, `href="target"` and, on a line of its own,
/// `[name]: target`.
fn links(text: &str) -> Vec<&str> {
    let after = |open: &str, close: char| {
        let parts: Vec<&str> =
            text.split(open).skip(1).map(|rest| rest.split(close).next().unwrap()).collect();
        parts
    };
    let defined = text
        .lines()
        .filter_map(|line| line.strip_prefix('[')?.split_once("]: "))
        .map(|(_, target)| target);
    [after("](", ')'), after("src=\"", '"'), after("href=\"", '"'), defined.collect()].concat()
}

/// A heading's anchor, as hosts of repositories and rustdoc make it.
fn anchors(page: &Path) -> Vec<String> {
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        title
            .chars()
            .filter(|&letter| letter.is_alphanumeric() || letter == '-' || letter == '_')
            .collect()
    };
    prose(page).lines().filter(|line| line.starts_with('#')).map(anchor).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut followed = 0;
    for page in pages() {
        let text = prose(&page);
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            assert!(target.exists(), "{}: {link} does not exist", page.display());
            let is_there =
                anchor.is_empty() || anchors(&target).iter().any(|known| known == anchor);
            assert!(is_there, "{}: {link} names no heading", page.display());
            followed += 1;
        }
    }
    assert!(followed > 40, "{followed}");
}

#[test]
fn every_finding_has_its_fix() {
    let source = fs::read_to_string(root().join("src/findings.rs")).unwrap();
    let kinds = source.split("pub enum FindingKind {").nth(1).unwrap().split("\n}").next().unwrap();
    let kinds = kinds
        .lines()
        .filter(|line| line.starts_with("    ") && line.as_bytes()[4].is_ascii_uppercase());
    let kinds: Vec<&str> =
        kinds.map(|line| line.trim().trim_end_matches([',', '{', ' '])).collect();
    assert!(kinds.len() > 10, "{kinds:?}");
    let page = fs::read_to_string(root().join("docs/troubleshooting.md")).unwrap();
    let table = page.split("## By finding").nth(1).unwrap().split("\n## ").next().unwrap();
    for kind in kinds {
        assert!(table.contains(&format!("`{kind}`")), "{kind} is not in the table of findings");
    }
}
