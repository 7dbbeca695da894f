//! What is wrong with a file and was left out or mended. A missing buffer is told once, whatever
//! needs it.

use std::collections::BTreeMap;

use super::{document::Document, words::counted};

/// Why a part of the file is left out.
pub enum Flaw {
    MissingBuffer(usize),
    Because(String),
}

impl Flaw {
    /// Says in front what is flawed.
    pub fn of(self, what: &str) -> Self {
        match self {
            Self::Because(why) => Self::Because(format!("{what}: {why}")),
            missing => missing,
        }
    }
}

impl From<String> for Flaw {
    fn from(why: String) -> Self {
        Self::Because(why)
    }
}

impl From<&str> for Flaw {
    fn from(why: &str) -> Self {
        Self::Because(why.into())
    }
}

#[derive(Default)]
pub struct Findings {
    told: Vec<String>,
    /// What was left out for want of a buffer: how many, by buffer and kind.
    missing: BTreeMap<usize, BTreeMap<&'static str, usize>>,
}

impl Findings {
    pub fn tell(&mut self, finding: String) {
        self.told.push(finding);
    }

    /// `name` is one of those of this kind.
    pub fn leave_out(&mut self, kind: &'static str, name: &str, flaw: Flaw) {
        match flaw {
            Flaw::MissingBuffer(buffer) => {
                *self.missing.entry(buffer).or_default().entry(kind).or_default() += 1;
            }
            Flaw::Because(why) => self.told.push(format!("{name} is left out: {why}")),
        }
    }

    /// Buffers first.
    pub fn all(self, document: &Document) -> Vec<String> {
        let missing = self.missing.into_iter().map(|(buffer, kinds)| {
            let why = document.buffers.get(buffer).and_then(|bytes| bytes.as_ref().err());
            let why = why.map_or("there is no such buffer", String::as_str);
            let counts: Vec<_> = kinds.iter().map(|(kind, &count)| counted(count, kind)).collect();
            format!("buffer {buffer} is missing ({why}), and with it {}", counts.join(", "))
        });
        missing.chain(self.told).collect()
    }
}
