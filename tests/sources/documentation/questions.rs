//! What users ask has its place: `questions.txt` has a question a line, with the page and the
//! heading that answer it.

use std::{collections::HashSet, fs};

use super::{prose, root};

/// A question, the page that answers it, and the heading there.
fn parts(line: &str) -> [&str; 3] {
    let parts: Vec<&str> = line.split(" | ").collect();
    parts.try_into().unwrap_or_else(|_| panic!("not `question | page | heading`: {line}"))
}

#[test]
fn every_question_has_a_page_and_a_heading_that_answer_it() {
    let list =
        fs::read_to_string(root().join("tests/sources/documentation/questions.txt")).unwrap();
    let (mut asked, mut wrong) = (HashSet::new(), Vec::new());
    for [question, page, heading] in list.lines().map(parts) {
        assert!(asked.insert(question), "it stands twice: {question}");
        let path = root().join(page);
        let is_heading =
            |line: &str| line.starts_with('#') && line.trim_start_matches('#').trim() == heading;
        if !path.exists() {
            wrong.push(format!("{question} {page} does not exist"));
        } else if !prose(&path).lines().any(is_heading) {
            wrong.push(format!("{question} {page} has no heading {heading:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(asked.len() >= 60, "{}", asked.len());
}
