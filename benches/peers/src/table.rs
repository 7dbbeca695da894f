//! Tables of text.

/// Three digits that mean something.
pub fn significant(number: f64) -> String {
    let digits = (2.0 - number.abs().max(1e-6).log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{number:.digits$}")
}

/// Nanoseconds as microseconds.
pub fn micro(nanoseconds: f64) -> String {
    significant(nanoseconds / 1e3)
}

/// A Markdown table whose columns line up.
pub struct Table(Vec<Vec<String>>);

impl Table {
    /// With these headings.
    pub fn new<'a>(head: impl IntoIterator<Item = &'a str>) -> Self {
        Self(vec![head.into_iter().map(String::from).collect()])
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
        let rule = widths.iter().map(|width| "-".repeat(*width)).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let (head, body) = self.0.split_at(1);
        head.iter().chain([&rule]).chain(body).map(line).collect()
    }
}
