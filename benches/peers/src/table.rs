//! Tables of text.

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
        let widths: Vec<usize> = (0..self.0[0].len())
            .map(|column| self.0.iter().map(|row| row[column].len()).max().unwrap_or(0))
            .collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = format!(
            "|{}|\n",
            widths.iter().map(|width| "-".repeat(width + 2)).collect::<Vec<_>>().join("|")
        );
        let body: String = self.0[1..].iter().map(line).collect();
        line(&self.0[0]) + &rule + &body
    }
}
