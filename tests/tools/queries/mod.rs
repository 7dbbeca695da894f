//! Answers between two runs are those of the next run, and walks meet everyone once.

mod deep_and_wide;
mod fresh_answers;
mod inspector;
mod options_known;
mod readers;
mod walking;
