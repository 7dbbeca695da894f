//! The command: loads a file, plays it, packs what it shows, writes the page.

use std::{ffi::OsString, fmt, fs, time::Duration};

mod options;
mod play;
pub mod stage;

use serde_json::json;

use crate::{ViewerError, describe::describe, document, model::Model, template, words::counted};

/// The scene that is played without an argument.
const WALKER: &[u8] = include_bytes!("../../scenes/walker.gltf");

/// What was done, for the terminal.
#[derive(Debug)]
pub enum Report {
    /// The help text was asked for.
    Help,
    /// The page is written.
    Page(Box<Summary>),
}

/// Figures of a page.
#[derive(Debug)]
pub struct Summary {
    pub title: String,
    pub output: std::path::PathBuf,
    pub page_bytes: usize,
    pub nodes: usize,
    pub depth: usize,
    pub animations: usize,
    pub frames: usize,
    /// What the transform systems took for the first run, which makes their tables.
    pub first: Duration,
    /// Likewise for a frame after it, on average.
    pub each: Duration,
    /// What is wrong with the file or the world, and was left out or mended.
    pub findings: Vec<String>,
}

/// Does what the command line says.
pub fn run(arguments: impl Iterator<Item = OsString>) -> Result<Report, ViewerError> {
    let Some(options) = options::parse(arguments)? else { return Ok(Report::Help) };
    let document = match &options.input {
        Some(path) => document::read(path)?,
        None => document::parse(WALKER, "walker.gltf", document::alone())?,
    };
    let mut model = Model::new(&document, options.scene)?;
    let played = play::play(&model, options.frames_per_second)?;
    model.findings.extend(played.findings.iter().cloned());

    let mut data = describe(&model);
    (data["clips"], data["findings"]) = (played.clips.into(), json!(model.findings));
    let page = template::fill(&model.title, &data);
    fs::write(&options.output, &page)
        .map_err(|error| ViewerError::Write { path: options.output.clone(), error })?;
    Ok(Report::Page(Box::new(Summary {
        output: options.output,
        page_bytes: page.len(),
        nodes: model.scene.nodes.len(),
        depth: model.depth(),
        animations: model.animations.len(),
        frames: played.frames,
        first: played.first,
        each: played.each,
        title: model.title,
        findings: model.findings,
    })))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Page(summary) = self else { return f.write_str(options::HELP) };
        let Summary { title, output, findings, depth, .. } = summary.as_ref();
        let [nodes, animations, frames, found] = [
            (summary.nodes, "node"),
            (summary.animations, "animation"),
            (summary.frames, "frame"),
            (findings.len(), "finding"),
        ]
        .map(|(count, noun)| counted(count, noun));
        writeln!(f, "{title}: {nodes}, depth {depth}, {animations}")?;
        let build = if cfg!(debug_assertions) { " (debug build)" } else { "" };
        let what = if summary.frames > 1 { "a frame" } else { "a run in which nothing moves" };
        writeln!(
            f,
            "  {frames} through the transform systems: the first run {:.1?}, then {:.1?} \
             {what}{build}",
            summary.first, summary.each
        )?;
        writeln!(
            f,
            "  {} ({} kB): open it in a browser",
            output.display(),
            summary.page_bytes.div_ceil(1000)
        )?;
        if !findings.is_empty() {
            writeln!(f, "  {found}:")?;
            findings.iter().try_for_each(|finding| writeln!(f, "  - {finding}"))?;
        }
        Ok(())
    }
}
