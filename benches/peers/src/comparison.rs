//! The comparison: the times of all competitors, and whether the bounds are met.

use crate::{
    bounds::{self, Bound},
    row::{self, Best, Figure, Row},
    table::{Table, micro, significant},
};

/// The whole comparison as a Markdown table.
pub fn table(rows: &[Row], figure: Figure) -> String {
    let mut table = Table::new([
        "workload",
        "entities",
        "limit, its tick",
        "Bevy with its static optimisation: edit + tick = sum",
        "without",
        "ours: edit + tick = sum",
        "tick of limit",
        "sum of Bevy's best",
        "which is",
        "aims",
        "met",
    ]);
    for row in rows {
        let (limit, bevy, ours) = (row.limit(figure), row.bevy(figure), row.ours(figure));
        let ratio = |part: fn(&Best) -> f64, other: &Option<Best>| match (&ours, other) {
            (Some(ours), Some(other)) => significant(part(ours) / part(other)),
            _ => "-".into(),
        };
        let bounds = bounds::of(row.workload, row.nodes).iter();
        let aims: Vec<Aim> = bounds.map(|bound| Aim::of(bound, row, rows, figure)).collect();
        table.row([
            row.workload.into(),
            row.nodes.to_string(),
            limit.as_ref().map_or_else(|| "-".into(), |limit| micro(limit.times.tick)),
            edit_and_tick(&row.bevy_way(figure, true)),
            edit_and_tick(&row.bevy_way(figure, false)),
            edit_and_tick(&ours),
            ratio(|best| best.times.tick, &limit),
            ratio(|best| best.times.sum, &bevy),
            bevy.map_or_else(|| "-".into(), |bevy| bevy.way),
            aims.iter().map(|aim| aim.text.clone()).collect::<Vec<_>>().join(", "),
            verdict(&aims),
        ]);
    }
    table.text() + &row::wrong(rows)
}

fn edit_and_tick(best: &Option<Best>) -> String {
    let Some(Best { times, way }) = best else { return "-".into() };
    let way = match way.split(',').next() {
        None | Some("") => String::new(),
        Some(way) => format!(" ({way})"),
    };
    format!("{} + {} = {}{way}", micro(times.edit), micro(times.tick), micro(times.sum))
}

/// A bound in this run.
struct Aim {
    /// What it allows, and the ratio there is.
    text: String,
    /// Whether it is met. `None` if a time that it needs was not measured.
    met: Option<bool>,
}

fn verdict(aims: &[Aim]) -> String {
    match aims.iter().map(|aim| aim.met).collect::<Option<Vec<bool>>>() {
        Some(met) if met.is_empty() => "",
        Some(met) if met.iter().all(|&met| met) => "yes",
        Some(_) => "NO",
        None => "?",
    }
    .into()
}

impl Aim {
    fn of(bound: &Bound, row: &Row, rows: &[Row], figure: Figure) -> Self {
        let tick = |best: Option<Best>| best.map(|best| best.times.tick);
        let sum = |best: Option<Best>| best.map(|best| best.times.sum);
        let another = |workload: &str, nodes: usize| {
            let another = rows.iter().find(|row| row.workload == workload && row.nodes == nodes);
            another.and_then(|row| row.ours(figure))
        };
        let ours = row.ours(figure);
        let mut plus = 0.0;
        let (times, of, ours, other) = match *bound {
            Bound::Limit(times, more) => {
                plus = more * 1e3;
                let of = if more > 0.0 { format!("limit + {more} us") } else { "limit".into() };
                (times, of, tick(ours), tick(row.limit(figure)))
            }
            Bound::Bevy(times) => (times, "Bevy".into(), sum(ours), sum(row.bevy(figure))),
            Bound::BevyWithout(times) => {
                (times, "Bevy without".into(), sum(ours), sum(row.bevy_way(figure, false)))
            }
            Bound::BevyTick(times) => {
                (times, "Bevy's tick".into(), tick(ours), tick(row.bevy_tick(figure)))
            }
            Bound::Tick(times, workload, nodes) => {
                (times, format!("tick of {nodes}"), tick(ours), tick(another(workload, nodes)))
            }
            Bound::Entity(times, workload, nodes) => {
                let entities = row.nodes as f64 / nodes as f64;
                let there = tick(another(workload, nodes)).map(|tick| tick * entities);
                (times, format!("tick of {workload}"), tick(ours), there)
            }
            Bound::Sum(times, workload, nodes) => {
                (times, workload.into(), sum(ours), sum(another(workload, nodes)))
            }
        };
        let both = ours.zip(other);
        let is = both.map_or_else(|| "?".into(), |(ours, other)| significant(ours / other));
        Self {
            text: format!("{is} of {times} {of}"),
            met: both.map(|(ours, other)| ours <= other * times + plus),
        }
    }
}

/// Every way of every competitor.
pub fn details(rows: &[Row]) -> String {
    let mut table = Table::new([
        "workload",
        "entities",
        "who",
        "way",
        "medians: edit + tick = sum, us",
        "fastest",
        "worst tick: of a round, of all",
    ]);
    for row in rows {
        for (who, measured) in row.ways() {
            let times = |times| edit_and_tick(&Some(Best { times, way: String::new() }));
            table.row([
                row.workload.into(),
                row.nodes.to_string(),
                who.to_string(),
                measured.way.clone(),
                times(measured.median),
                times(measured.fastest),
                measured.worst.map(micro).join(", "),
            ]);
        }
    }
    table.text()
}
