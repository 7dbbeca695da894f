//! Inputs in processes of their own: this test binary runs itself, so that an input that ends its
//! process ends no test, and none is judged in a process that an earlier one has damaged.

use std::{
    collections::BTreeMap,
    fmt,
    io::Write,
    process::{Command, Output},
};

use harness::demand;

use super::{Format, Reader, judge::Ending};

/// What a worker is to run: format, reader, the first seed, and the one after the last.
const WORK: &str = "LEGION_TRANSFORM_DAMAGED_SAVES";

/// How an input ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ends {
    Error,
    Found,
    Right,
    Refused,
    Panic,
    Abort,
}

/// How many inputs ended how: by the damage, and by the message where they panicked.
#[derive(Default)]
pub struct Counts(BTreeMap<(Ends, String, String), Vec<u64>>);

impl Counts {
    pub fn of(&self, ends: Ends) -> usize {
        self.0.iter().filter(|(key, _)| key.0 == ends).map(|(_, seeds)| seeds.len()).sum()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ends in [Ends::Error, Ends::Found, Ends::Right, Ends::Refused, Ends::Panic, Ends::Abort]
        {
            write!(f, "{} {ends:?}, ", self.of(ends))?;
        }
        for ((ends, message, damage), seeds) in &self.0 {
            let (count, first) = (seeds.len(), seeds[0]);
            write!(f, "\n    {ends:?} {message}: {damage}: {count}, first {first}")?;
        }
        Ok(())
    }
}

/// A worker: runs the inputs that the environment names, as long as none of them panics.
pub fn work(one: fn(Format, Reader, u64) -> Result<(), ()>) {
    let Ok(work) = std::env::var(WORK) else { return };
    let words: Vec<&str> = work.split(' ').collect();
    let [format, reader, first, end] = words[..] else { panic!("{work}") };
    let format = match format {
        "Postcard" => Format::Postcard,
        "MessagePack" => Format::MessagePack,
        _ => Format::Json,
    };
    let reader = if reader == "Load" { Reader::Load } else { Reader::Legion };
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string(); // the place, then the message
        let place = panic.location().map_or("", |place| place.file());
        let (_, file) = place.rsplit_once('/').unwrap_or_default();
        say("panic", &format!("{} [{file}]", text.lines().nth(1).unwrap_or_default()));
    }));
    println!();
    let seed = |text: &str| text.parse::<u64>().expect("a seed");
    for seed in seed(first)..seed(end) {
        say("seed", &seed.to_string());
        if one(format, reader, seed).is_err() {
            std::process::exit(0);
        }
    }
}

/// Tells the process that started this one.
pub fn say(word: &str, text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "|{word}|{text}").and_then(|()| out.flush()).expect("there is a reader");
}

/// What a worker said of one input.
#[derive(Default)]
struct Story {
    damage: String,
    panics: Vec<String>,
    /// Whether it got as far as a world.
    is_loaded: bool,
    /// The word and the text that it ended with, if it said so.
    end: Option<(String, String)>,
}

impl Story {
    fn note(&mut self, word: &str, text: &str) {
        match word {
            "damaged" => self.damage = text.to_owned(),
            "panic" => self.panics.push(text.to_owned()),
            "loaded" => self.is_loaded = true,
            _ => self.end = Some((word.to_owned(), text.to_owned())),
        }
    }

    fn ends(&self) -> Option<Ends> {
        let Some((word, text)) = &self.end else {
            return (!self.is_loaded).then_some(Ends::Abort);
        };
        let is = |ending: Ending| *text == format!("{ending:?}");
        match word.as_str() {
            "error" => Some(Ends::Error),
            "panicked" => Some(Ends::Panic),
            "ended" if is(Ending::Found) => Some(Ends::Found),
            "ended" if is(Ending::Right) => Some(Ends::Right),
            "ended" if is(Ending::Refused) => Some(Ends::Refused),
            _ => None,
        }
    }
}

/// Runs inputs, and panics at the first world that is wrong.
pub fn run(format: Format, reader: Reader, inputs: usize) -> Counts {
    let mut seed = demand::first_seed(0);
    let end = seed + demand::soak(inputs) as u64;
    let mut counts = Counts::default();
    while seed < end {
        let stories = process(&format!("{format:?} {reader:?} {seed} {end}"));
        assert!(!stories.is_empty(), "the worker for seed {seed} runs");
        for story in stories {
            let ends = story.ends().unwrap_or_else(|| {
                panic!(
                    "{format:?} read by {reader:?}, {}: a wrong world, {:?}; \
                     LEGION_TRANSFORM_SOAK=0 LEGION_TRANSFORM_SEED={seed} repeats it",
                    story.damage, story.panics
                )
            });
            let message = story.panics.first().cloned().unwrap_or_default();
            counts.0.entry((ends, message, story.damage)).or_default().push(seed);
            seed += 1;
        }
    }
    counts
}

/// What a worker says of its inputs, until it ends.
fn process(work: &str) -> Vec<Story> {
    let worker = ["damaged_saves::worker", "--exact", "--ignored", "--nocapture"];
    let mut command = Command::new(std::env::current_exe().expect("this binary"));
    let command = command.args(worker).env(WORK, work).env("RUST_BACKTRACE", "0");
    let Output { stdout: said, stderr, .. } = command.output().expect("this binary runs");
    let mut stories: Vec<Story> = Vec::new();
    for line in String::from_utf8_lossy(&said).lines() {
        let Some((word, text)) = line.strip_prefix('|').and_then(|line| line.split_once('|'))
        else {
            continue;
        };
        match stories.last_mut() {
            _ if word == "seed" => stories.push(Story::default()),
            Some(story) => story.note(word, text),
            None => {}
        }
    }
    // Where memory runs out, there is no panic.
    if let (Some(last), true) = (stories.last_mut(), stderr.starts_with(b"memory allocation")) {
        last.panics.push("out of memory".into());
    }
    stories
}
