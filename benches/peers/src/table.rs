//! The table: who took how long, and whether the bounds are met.

use crate::{
    bounds::{self, Bound, FIELD},
    driver::{Measured, Who},
};

/// One workload at one size.
pub struct Row {
    /// The workload's name.
    pub workload: &'static str,
    /// How many nodes its scene has.
    pub nodes: usize,
    /// What was measured.
    pub cells: Vec<(Who, Result<Measured, String>)>,
}

/// Which of the figures to compare: medians, or fastest ticks, which a busy machine disturbs less.
pub type Figure = fn(&Measured) -> f64;

impl Row {
    fn of(&self, who: Who) -> Option<&Measured> {
        self.cells.iter().find(|cell| cell.0 == who).and_then(|cell| cell.1.as_ref().ok())
    }

    fn time(&self, who: Who, figure: Figure) -> Option<f64> {
        self.of(who).map(figure)
    }

    /// The better of Bevy's builds.
    fn bevy(&self, figure: Figure) -> Option<(f64, &'static str)> {
        let builds = [Who::BevySerial, Who::BevyParallel];
        let times = builds.iter().filter_map(|&who| Some((self.time(who, figure)?, &who.name()[5..])));
        times.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn per_entity(&self, nanoseconds: Option<f64>) -> String {
        nanoseconds.map_or_else(|| "-".into(), |time| significant(time / self.nodes as f64))
    }
}

/// The whole comparison as a Markdown table.
pub fn comparison(rows: &[Row], figure: Figure) -> String {
    let head = [
        "workload",
        "entities",
        "limit",
        "limit's way",
        "Bevy",
        "its build",
        "ours",
        "of limit",
        "of Bevy",
        "bounds",
        "met",
    ];
    let mut table = Table::new(&head);
    for row in rows {
        let (limit, ours, bevy) = (row.time(Who::Limit, figure), row.time(Who::Ours, figure), row.bevy(figure));
        let ratio =
            |other: Option<f64>| ours.zip(other).map_or_else(|| "-".into(), |(ours, other)| significant(ours / other));
        let allowed: Vec<(String, Option<f64>)> =
            bounds::of(row.workload, row.nodes).iter().map(|bound| allowance(bound, row, rows, figure)).collect();
        table.row([
            row.workload.into(),
            row.nodes.to_string(),
            row.per_entity(limit),
            row.of(Who::Limit).map_or_else(String::new, |measured| measured.way.clone()),
            row.per_entity(bevy.map(|bevy| bevy.0)),
            bevy.map_or("", |bevy| bevy.1).into(),
            row.per_entity(ours),
            ratio(limit),
            ratio(bevy.map(|bevy| bevy.0)),
            allowed
                .iter()
                .map(|(text, allowed)| format!("{text} = {}", row.per_entity(*allowed)))
                .collect::<Vec<_>>()
                .join(", "),
            verdict(ours, &allowed),
        ]);
    }
    table.text() + &wrong(rows)
}

fn verdict(ours: Option<f64>, allowed: &[(String, Option<f64>)]) -> String {
    let met = |(_, allowed): &(String, Option<f64>)| Some(ours? <= (*allowed)?);
    match allowed.iter().map(met).collect::<Option<Vec<bool>>>() {
        Some(met) if met.is_empty() => "",
        Some(met) if met.iter().all(|&met| met) => "yes",
        Some(_) => "NO",
        None => "?",
    }
    .into()
}

/// What a bound allows a tick to take in this run.
fn allowance(bound: &Bound, row: &Row, rows: &[Row], figure: Figure) -> (String, Option<f64>) {
    let other = |workload: &str, nodes: usize| rows.iter().find(|row| row.workload == workload && row.nodes == nodes);
    match *bound {
        Bound::Limit(times, 0.0) => (format!("{times} limit"), row.time(Who::Limit, figure).map(|time| time * times)),
        Bound::Limit(times, plus) => {
            (format!("{times} limit + {plus} us"), row.time(Who::Limit, figure).map(|time| time * times + plus * 1e3))
        }
        Bound::Bevy(part) if part < 1.0 => (format!("{} Bevy", 1.0 / part), row.bevy(figure).map(|(time, _)| time / part)),
        Bound::Bevy(part) => (format!("Bevy / {part}"), row.bevy(figure).map(|(time, _)| time / part)),
        Bound::Tick(times, workload, nodes) => {
            let tick = other(workload, nodes).and_then(|row| row.time(Who::Ours, figure));
            (format!("{times} tick of {nodes}"), tick.map(|time| time * times))
        }
        Bound::Entity(times, workload, nodes) => {
            let tick = other(workload, nodes).and_then(|row| row.time(Who::Ours, figure));
            (format!("{times} {workload}"), tick.map(|time| time * times * row.nodes as f64 / nodes as f64))
        }
    }
}

fn wrong(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        for wrong in row.cells.iter().filter_map(|cell| cell.1.as_ref().err()) {
            text += &format!("\n{} of {}: {wrong}\n", row.workload, row.nodes);
        }
    }
    text
}

/// Whether the reference is as good as the one the bounds were set with.
pub fn reference(rows: &[Row], figure: Figure) -> String {
    let head = ["workload", "limit / Bevy here", "then", "as good", "limit here", "with then's ratio it would be"];
    let mut table = Table::new(&head);
    for &(workload, nodes, limit, bevy) in FIELD {
        let Some(row) = rows.iter().find(|row| row.workload == workload && row.nodes == nodes) else { continue };
        if let (Some(time), Some((of, _))) = (row.time(Who::Limit, figure), row.bevy(figure)) {
            let (here, then) = (time / of, limit / bevy);
            let good = if here <= then * 1.15 { "yes" } else { "NO" };
            let (is, would_be) = (row.per_entity(Some(time)), row.per_entity(Some(of * then)));
            table.row([workload.into(), significant(here), significant(then), good.into(), is, would_be]);
        }
    }
    table.text()
}

/// Everybody's whole ticks, and what the change before them cost: what the table leaves out.
pub fn details(rows: &[Row]) -> String {
    let mut table = Table::new(&["workload", "entities", "who", "median us", "fastest us", "edit before it, us"]);
    for row in rows {
        for (who, measured) in &row.cells {
            let Ok(measured) = measured else { continue };
            let micro = |time: f64| significant(time / 1e3);
            table.row([
                row.workload.into(),
                row.nodes.to_string(),
                who.name().into(),
                micro(measured.median),
                micro(measured.fastest),
                micro(measured.edit),
            ]);
        }
    }
    table.text()
}

/// Three digits that mean something.
pub fn significant(number: f64) -> String {
    let digits = (2.0 - number.abs().max(1e-6).log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{number:.digits$}")
}

/// A Markdown table whose columns line up.
pub struct Table(Vec<Vec<String>>);

impl Table {
    /// With these headings.
    pub fn new(head: &[&str]) -> Self {
        Self(vec![head.iter().map(|&word| word.into()).collect()])
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.push(cells.into_iter().collect());
    }

    /// The text.
    pub fn text(&self) -> String {
        let widths: Vec<usize> =
            (0..self.0[0].len()).map(|column| self.0.iter().map(|row| row[column].len()).max().unwrap_or(0)).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = format!("|{}|\n", widths.iter().map(|width| "-".repeat(width + 2)).collect::<Vec<_>>().join("|"));
        let body: String = self.0[1..].iter().map(line).collect();
        line(&self.0[0]) + &rule + &body
    }
}
