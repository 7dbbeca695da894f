//! The interface of the last release stands in `surface-0.1.txt`, which no later change writes.
//! What differs from it stands in the change log, above that release.

use std::collections::BTreeSet;

/// All that a listing has, each with the heading of its item: `struct components::Scale`, `fn new`.
fn entries(listing: &str) -> BTreeSet<(&str, &str)> {
    let mut entries = BTreeSet::new();
    // The first line counts items.
    for block in listing.split("\n\n").skip(1) {
        let heading = block.lines().next().unwrap_or_default();
        for line in block.lines() {
            let Some(line) = line.strip_prefix("    ") else {
                // An item, or an implementation for a type of another crate.
                entries.insert((line, ""));
                continue;
            };
            match line.strip_prefix("impl ").or(line.strip_prefix("for ")) {
                // These lines are filled: a name that comes moves the others to other lines.
                Some(list) => entries.extend(list.split(", ").map(|name| (heading, name))),
                None => _ = entries.insert((heading, line)),
            }
        }
    }
    entries
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(move |letter| !is_word(letter)).filter(|word| !word.is_empty())
}

/// The words that the change log must have: the item's name and its member's, `Scale` and `new`.
fn needed<'a>((heading, entry): (&'a str, &'a str)) -> [&'a str; 2] {
    let item = match heading.strip_prefix("impl From<") {
        Some(from) => words(from).next(),
        None => heading.split([' ', ',']).nth(1).and_then(|path| path.rsplit("::").next()),
    };
    let mut member = words(entry).filter(|word| !["fn", "pub", "const", "type"].contains(word));
    let item = item.unwrap_or_default();
    [item, member.next().unwrap_or(item)]
}

/// The differences that the change log does not name.
pub fn not_in_the_log(released: &str, now: &str, log: &str) -> Vec<String> {
    let log: BTreeSet<&str> = words(log).collect();
    let (released, now) = (entries(released), entries(now));
    let differences = released.symmetric_difference(&now);
    let missing = differences.filter(|&&entry| !needed(entry).iter().all(|it| log.contains(it)));
    missing.map(|(heading, entry)| format!("{heading}: {entry}")).collect()
}

#[test]
fn each_difference_must_be_in_the_log() {
    let released = "1 items\n\nstruct a::Thing\n    fn old\n    impl Clone, Debug\n";
    let now = "2 items\n\nstruct a::Thing\n    fn new\n    impl Clone, Copy\n    impl Debug\n\n\
               fn b::free\n\nimpl From<Thing> for Vec3\n";
    let missing = |log: &str| not_in_the_log(released, now, log);
    let all = "`Thing::new` is `old`; it is `Copy`, and becomes `Vec3`; `free`";
    assert_eq!(missing(all), [""; 0]);
    assert_eq!(missing(&all.replace("free", "")), ["fn b::free: "]);
    assert_eq!(missing(&all.replace("old", "")), ["struct a::Thing: fn old"]);
    assert_eq!(missing(&all.replace("Thing", "")).len(), 4);
    assert_eq!(missing("").len(), 5);
}
