//! The comparison: the times of all competitors, and whether the bounds are met.

use crate::{
    bounds::{self, Bound, FIELD},
    row::{Best, Figure, Row},
    table::{Table, significant},
};

/// The whole comparison as a Markdown table.
pub fn table(rows: &[Row], figure: Figure) -> String {
    let head = [
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
    ];
    let mut table = Table::new(&head);
    for row in rows {
        let (limit, bevy, ours) = (row.limit(figure), row.bevy(figure), row.ours(figure));
        let ratio = |part: fn(&Best) -> f64, other: &Option<Best>| match (&ours, other) {
            (Some(ours), Some(other)) => significant(part(ours) / part(other)),
            _ => "-".into(),
        };
        let aims: Vec<Aim> = bounds::of(row.workload, row.nodes)
            .iter()
            .map(|bound| aim(bound, row, rows, figure))
            .collect();
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
    table.text() + &wrong(rows)
}

fn edit_and_tick(best: &Option<Best>) -> String {
    let Some(Best { times, way }) = best else { return "-".into() };
    let way = if way.is_empty() {
        String::new()
    } else {
        format!(" ({})", way.split(',').next().unwrap_or(way))
    };
    format!("{} + {} = {}{way}", micro(times.edit), micro(times.tick), micro(times.sum))
}

fn micro(nanoseconds: f64) -> String {
    significant(nanoseconds / 1e3)
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

/// What a bound allows in this run, and whether it is met.
fn aim(bound: &Bound, row: &Row, rows: &[Row], figure: Figure) -> Aim {
    let ours = row.ours(figure).map(|ours| ours.times);
    let (tick, sum) = (ours.map(|times| times.tick), ours.map(|times| times.sum));
    let another = |workload: &str, nodes: usize| {
        rows.iter()
            .find(|row| row.workload == workload && row.nodes == nodes)?
            .ours(figure)
            .map(|ours| ours.times)
    };
    let (times, of, ours, other, plus) = match *bound {
        Bound::Limit(times, plus) => {
            let name = if plus > 0.0 { format!("limit + {plus} us") } else { "limit".into() };
            (times, name, tick, row.limit(figure).map(|limit| limit.times.tick), plus * 1e3)
        }
        Bound::Bevy(times) => {
            (times, "Bevy".into(), sum, row.bevy(figure).map(|bevy| bevy.times.sum), 0.0)
        }
        Bound::BevyWithout(times) => (
            times,
            "Bevy without".into(),
            sum,
            row.bevy_way(figure, false).map(|bevy| bevy.times.sum),
            0.0,
        ),
        Bound::BevyTick(times) => (times, "Bevy's tick".into(), tick, row.bevy_tick(figure), 0.0),
        Bound::Tick(times, workload, nodes) => (
            times,
            format!("tick of {nodes}"),
            tick,
            another(workload, nodes).map(|times| times.tick),
            0.0,
        ),
        Bound::Entity(times, workload, nodes) => {
            let tick_here =
                another(workload, nodes).map(|times| times.tick * row.nodes as f64 / nodes as f64);
            (times, format!("tick of {workload}"), tick, tick_here, 0.0)
        }
        Bound::Sum(times, workload, nodes) => {
            (times, workload.into(), sum, another(workload, nodes).map(|times| times.sum), 0.0)
        }
    };
    let both = ours.zip(other);
    let is = both.map_or_else(|| "?".into(), |(ours, other)| significant(ours / other));
    Aim {
        text: format!("{is} of {times} {of}"),
        met: both.map(|(ours, other)| ours <= other * times + plus),
    }
}

fn wrong(rows: &[Row]) -> String {
    let lines = rows.iter().flat_map(|row| row.wrong().map(move |wrong| (row, wrong)));
    lines.map(|(row, wrong)| format!("\n{} of {}: {wrong}\n", row.workload, row.nodes)).collect()
}

/// Whether the reference is as good as the one the bounds were set with.
pub fn reference(rows: &[Row], figure: Figure) -> String {
    let head = ["workload", "tick of limit / Bevy with, here", "then", "as good"];
    let mut table = Table::new(&head);
    for &(workload, nodes, limit, bevy) in FIELD {
        let Some(row) = rows.iter().find(|row| row.workload == workload && row.nodes == nodes)
        else {
            continue;
        };
        if let (Some(time), Some(of)) = (row.limit(figure), row.bevy_way(figure, true)) {
            let (here, then) = (time.times.tick / of.times.tick, limit / bevy);
            let good = if here <= then * 1.15 { "yes" } else { "NO" };
            table.row([workload.into(), significant(here), significant(then), good.into()]);
        }
    }
    table.text()
}

/// Every way of every competitor.
pub fn details(rows: &[Row]) -> String {
    let head = [
        "workload",
        "entities",
        "who",
        "way",
        "medians: edit + tick = sum, us",
        "fastest",
        "worst tick: of a round, of all",
    ];
    let mut table = Table::new(&head);
    for row in rows {
        for (who, measured) in row
            .cells
            .iter()
            .flat_map(|(who, ways)| ways.iter().flatten().map(move |way| (who, way)))
        {
            let times = |times| edit_and_tick(&Some(Best { times, way: String::new() }));
            let (median, fastest) = (times(measured.median), times(measured.fastest));
            let [worst, of_all] = measured.worst.map(micro);
            table.row([
                row.workload.into(),
                row.nodes.to_string(),
                who.name(),
                measured.way.clone(),
                median,
                fastest,
                format!("{worst}, {of_all}"),
            ]);
        }
    }
    table.text()
}
