//! The tables of docs/performance.md and README.md, as Markdown.

use std::{fs, path::Path};

use crate::{
    figures::Measured,
    options::{Options, machine},
    row::{self, Best, Row},
    table::micro,
};

/// The rows, each with its number of nodes, and with its words in README.md if it stands there.
pub const ROWS: [(&str, usize, &str); 28] = [
    ("forest_1024", 63_696, "Bevy's own benchmark, 1,024 move"),
    ("forest_1024/calls", 63_696, ""),
    ("forest_4096", 63_696, "... 4,096 move"),
    ("forest_4096/calls", 63_696, ""),
    ("forest_roots", 63_696, ""),
    ("forest_static", 63_696, ""),
    ("reparent/two", 16_002, ""),
    ("flat_all", 100_000, ""),
    ("flat_all", 1_000_000, ""),
    ("flat_all/archetypes", 100_000, ""),
    ("flat_static", 1_000_000, ""),
    ("flat_few", 1_000_000, ""),
    ("flat_few/apart", 1_000_000, ""),
    ("hum_all", 268_000, "4,000 skeletons, all bones move"),
    ("hum_static", 268_000, "4,000 skeletons, nothing moves"),
    ("hum_10", 268_000, ""),
    ("chain_all", 10_000, ""),
    ("tree_all", 262_143, ""),
    ("tree_root", 262_143, ""),
    ("wide_root", 250_001, ""),
    ("reparent", 101_000, "1 % of 100,000 children get another parent"),
    ("respawn", 101_000, ""),
    ("respawn_leaves", 101_000, ""),
    ("bullets", 101_000, "10 bullets come and 10 go below others"),
    ("churn_wide", 100_001, ""),
    ("spawn_flat", 1_000_000, ""),
    ("spawn_hum", 999_975, ""),
    ("spawn_hum/unlinked", 268_000, ""),
];

/// The name's end where ours is edited by calls.
const CALLS: &str = "/calls";

/// The marks of what is replaced.
const MARKS: [&str; 2] = ["<!-- figures -->\n", "<!-- /figures -->"];

/// Prints both tables, or writes them into the files.
pub fn print(rows: &[Row], options: &Options) -> Result<(), String> {
    let wrong = row::wrong(rows);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let cargo = "cargo run --release --manifest-path benches/peers/Cargo.toml --";
    let head = format!("{}:\n`{cargo} {}`\n", machine(), words.join(" "));
    for (page, table) in [("docs/performance.md", table(rows)), ("README.md", choice(rows))] {
        let text = format!("\n{head}\n{table}\n");
        if options.write { write(page, &text)? } else { println!("{page}:\n{text}") }
    }
    Ok(())
}

fn table(rows: &[Row]) -> String {
    let head = "| row | entities | limit | Bevy | ours |\n| --- | ---: | ---: | ---: | ---: |\n";
    let line = |row: &Row| {
        let name = if row.workload.ends_with(CALLS) { "... by calls" } else { row.workload };
        let limit = row.limit(fastest).map_or_else(|| "-".into(), |it| time(it.times.tick));
        let [bevy, ours] = [row.bevy(fastest), row.ours(fastest)].map(edit_and_tick);
        format!("| {name} | {} | {limit} | {bevy} | {ours} |\n", grouped(&row.nodes.to_string()))
    };
    head.to_owned() + &rows.iter().map(line).collect::<String>()
}

/// The rows of README.md.
fn choice(rows: &[Row]) -> String {
    let head = "| what happens in a frame | entities | Bevy, its best | ours: edit + tick |\n\
                | --- | ---: | ---: | ---: |\n";
    let sum = |best: Option<Best>| best.map_or_else(|| "-".into(), |it| time(it.times.sum));
    let line = |(name, nodes, words): &(&str, usize, &str)| {
        let found = |name: &str| rows.iter().find(|it| it.workload == name && it.nodes == *nodes);
        let row = found(name).filter(|_| !words.is_empty())?;
        let calls = found(&format!("{name}{CALLS}")).map(|row| sum(row.ours(fastest)));
        let calls = calls.map_or_else(String::new, |sum| format!(", by calls {sum}"));
        let (entities, bevy) = (grouped(&nodes.to_string()), sum(row.bevy(fastest)));
        let (parts, ours) = (edit_and_tick(row.ours(fastest)), sum(row.ours(fastest)));
        Some(format!("| {words} | {entities} | {bevy} | {parts} = **{ours}**{calls} |\n"))
    };
    head.to_owned() + &ROWS.iter().filter_map(line).collect::<String>()
}

fn fastest(measured: &Measured) -> crate::figures::Times {
    measured.fastest
}

fn edit_and_tick(best: Option<Best>) -> String {
    let Some(Best { times, .. }) = best else { return "-".into() };
    format!("{} + {}", time(times.edit), time(times.tick))
}

fn time(nanoseconds: f64) -> String {
    grouped(&micro(nanoseconds))
}

/// A number with a comma behind each thousand.
fn grouped(number: &str) -> String {
    let digits = number.find('.').unwrap_or(number.len());
    let comma = |at: usize| at > 0 && at < digits && (digits - at).is_multiple_of(3);
    let digit = |(at, digit)| if comma(at) { vec![',', digit] } else { vec![digit] };
    number.chars().enumerate().flat_map(digit).collect()
}

/// Replaces what stands between the marks of a page.
fn write(page: &str, text: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let old = fs::read_to_string(&path).map_err(|error| format!("{page}: {error}"))?;
    let parts = old.split_once(MARKS[0]).and_then(|(before, rest)| {
        rest.split_once(MARKS[1]).map(|(_, after)| [before, MARKS[0], text, MARKS[1], after])
    });
    let new = parts.ok_or_else(|| format!("{page} has no marks"))?.concat();
    fs::write(&path, new).map_err(|error| format!("{page}: {error}"))
}
