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
        "Bevy's best, with or without its static optimisation: edit + tick = sum",
        "ours: edit + tick = sum",
        "tick of limit",
        "sum of Bevy",
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
        let aims = bounds.map(|bound| aim(bound, row, rows, figure));
        let (texts, met): (Vec<String>, Vec<Option<bool>>) = aims.unzip();
        table.row([
            row.workload.into(),
            row.nodes.to_string(),
            limit.as_ref().map_or_else(|| "-".into(), |limit| micro(limit.times.tick)),
            edit_and_tick(&bevy),
            edit_and_tick(&ours),
            ratio(|best| best.times.tick, &limit),
            ratio(|best| best.times.sum, &bevy),
            texts.join(", "),
            verdict(met).into(),
        ]);
    }
    table.text() + &row::wrong(rows)
}

fn edit_and_tick(best: &Option<Best>) -> String {
    let Some(Best { times, way }) = best else { return "-".into() };
    let way = if way.is_empty() { String::new() } else { format!(" ({way})") };
    format!("{} + {} = {}{way}", micro(times.edit), micro(times.tick), micro(times.sum))
}

fn verdict(met: Vec<Option<bool>>) -> &'static str {
    match met.into_iter().collect::<Option<Vec<bool>>>() {
        Some(met) if met.is_empty() => "",
        Some(met) if met.iter().all(|&met| met) => "yes",
        Some(_) => "NO",
        None => "?",
    }
}

/// What a bound allows with the ratio there is, and whether it is met. `None` if a time that it
/// needs was not measured.
fn aim(bound: &Bound, row: &Row, rows: &[Row], figure: Figure) -> (String, Option<bool>) {
    let tick: fn(Best) -> f64 = |best| best.times.tick;
    let sum: fn(Best) -> f64 = |best| best.times.sum;
    let another = |workload: &str, nodes: usize| {
        let another = rows.iter().find(|row| row.workload == workload && row.nodes == nodes);
        another.and_then(|row| row.ours(figure))
    };
    let (times, of, time, other, plus) = match *bound {
        Bound::Limit(times, more) => (times, "limit".into(), tick, row.limit(figure), more),
        Bound::Bevy(times) => (times, "Bevy".into(), sum, row.bevy(figure), 0.0),
        Bound::BevyTick(times) => (times, "Bevy's tick".into(), tick, row.bevy_tick(figure), 0.0),
        Bound::Tick(times, workload, nodes) => {
            let of = format!("tick of {workload} of {nodes}");
            (times, of, tick, another(workload, nodes), 0.0)
        }
        Bound::Sum(times, workload, nodes) => {
            (times, workload.into(), sum, another(workload, nodes), 0.0)
        }
    };
    let both = row.ours(figure).map(time).zip(other.map(time));
    let is = both.map_or_else(|| "?".into(), |(ours, other)| significant(ours / other));
    let more = if plus > 0.0 { format!(" + {plus} us") } else { String::new() };
    let met = both.map(|(ours, other)| ours <= other * times + plus * 1e3);
    (format!("{is} of {times} {of}{more}"), met)
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
