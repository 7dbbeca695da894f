//! Edits keep what components mean, whatever comes between two runs.

mod cloning;
mod edits_case_by_case;
mod edits_keep_meaning;
mod errors;
mod late_parents;
mod links_of_now;
mod many_transforms;
mod siblings;
mod too_far;
mod undo;
