//! What was measured of a workload, and the best of it.

use crate::{
    driver::Cells,
    figures::{Measured, Times},
    who::Who,
};

/// One workload at one size.
pub struct Row {
    /// The workload's name.
    pub workload: &'static str,
    /// How many nodes its scene has.
    pub nodes: usize,
    /// What was measured.
    pub cells: Cells,
}

/// Which of the figures to compare: medians, or the fastest, which a busy machine disturbs less.
pub type Figure = fn(&Measured) -> Times;

/// The best of some ways.
#[derive(Clone, Debug)]
pub struct Best {
    /// Its times.
    pub times: Times,
    /// Which it is.
    pub way: String,
}

impl Row {
    /// All ways of all competitors.
    pub fn ways(&self) -> impl Iterator<Item = (Who, &Measured)> {
        self.cells.iter().flat_map(|(who, ways)| ways.iter().flatten().map(move |way| (*who, way)))
    }

    /// The best of the wanted ones, by the sum or another time.
    pub fn best(
        &self,
        figure: Figure,
        by: fn(&Times) -> f64,
        wanted: impl Fn(Who) -> bool,
    ) -> Option<Best> {
        let wanted = self.ways().filter(|(who, _)| wanted(*who));
        let best = wanted.map(|(who, measured)| (who, figure(measured), &measured.way));
        let (who, times, way) = best.min_by(|a, b| by(&a.1).total_cmp(&by(&b.1)))?;
        let way = if who.is_bevy() { format!("{who}, {way}") } else { way.clone() };
        Some(Best { times, way })
    }

    /// The reference.
    pub fn limit(&self, figure: Figure) -> Option<Best> {
        self.best(figure, |times| times.tick, Who::is_limit)
    }

    /// This crate.
    pub fn ours(&self, figure: Figure) -> Option<Best> {
        self.best(figure, |times| times.sum, Who::is_ours)
    }

    /// The best of all that Bevy has.
    pub fn bevy(&self, figure: Figure) -> Option<Best> {
        self.best(figure, |times| times.sum, Who::is_bevy)
    }

    /// The one with the best tick.
    pub fn bevy_tick(&self, figure: Figure) -> Option<Best> {
        self.best(figure, |times| times.tick, Who::is_bevy)
    }
}

/// What went wrong in some rows.
pub fn wrong(rows: &[Row]) -> String {
    let cells = rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)));
    let wrong = cells.filter_map(|(row, (_, ways))| Some((row, ways.as_ref().err()?)));
    wrong.map(|(row, wrong)| format!("\n{} of {}: {wrong}\n", row.workload, row.nodes)).collect()
}
