//! A program that plays a story, says what came of it, and writes a page that plays it, if one is
//! asked for. `examples/physics` has this file, too.

use std::{error::Error, fmt::Display, fmt::Write as _, fs, path::PathBuf, process::ExitCode};

use crate::page::{self, Film};

pub struct Program {
    pub name: &'static str,
    pub help: &'static str,
    /// Of the page.
    pub title: &'static str,
    /// How many are run unless the command line says another number; 0 if it cannot say one.
    pub ticks: u32,
}

impl Program {
    /// `play` gets the number of ticks, and whether a film is wanted.
    pub fn run<Report: Display>(
        mut self,
        play: impl FnOnce(u32, bool) -> Result<(Report, Option<Film>), Box<dyn Error>>,
    ) -> ExitCode {
        let output = match self.parse() {
            Ok(Some(output)) => output,
            Ok(None) => {
                print!("{}", self.help);
                return ExitCode::SUCCESS;
            }
            Err(error) => return self.fail(&error),
        };
        let played = play(self.ticks, output.is_some());
        match played.and_then(|(report, film)| self.tell(&report, film.zip(output))) {
            Ok(text) => {
                print!("{text}");
                ExitCode::SUCCESS
            }
            Err(error) => self.fail(&*error),
        }
    }

    /// The page to write, if any; `None` if the help text was asked for.
    fn parse(&mut self) -> Result<Option<Option<PathBuf>>, lexopt::Error> {
        use lexopt::prelude::*;
        let mut output = None;
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Short('h') | Long("help") => return Ok(None),
                Short('o') | Long("output") => output = Some(parser.value()?.into()),
                Long("ticks") if self.ticks > 0 => {
                    self.ticks = parser.value()?.parse()?;
                    if !(1..=100_000).contains(&self.ticks) {
                        return Err("--ticks takes a number from 1 to 100000".into());
                    }
                }
                other => return Err(other.unexpected()),
            }
        }
        Ok(Some(output))
    }

    fn tell(
        &self,
        report: &impl Display,
        page: Option<(Film, PathBuf)>,
    ) -> Result<String, Box<dyn Error>> {
        let mut text = report.to_string();
        if let Some((film, output)) = page {
            let page = page::render(self.title, &film);
            fs::write(&output, &page).map_err(|error| format!("{}: {error}", output.display()))?;
            let kilobytes = page.len().div_ceil(1000);
            writeln!(text, "{} ({kilobytes} kB): open it in a browser", output.display())?;
        }
        Ok(text)
    }

    fn fail(&self, error: &dyn Display) -> ExitCode {
        eprintln!("{}: {error}", self.name);
        ExitCode::FAILURE
    }
}
