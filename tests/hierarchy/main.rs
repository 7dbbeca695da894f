//! The hierarchy is right after one run, whatever was done to it.

mod all_below_follows;
#[cfg(feature = "parallel")]
mod any_number_of_threads;
mod many_edits_at_once;
mod many_siblings;
mod random_forests;
mod rules;
