//! What is for users between runs and around them: edits, fresh answers, walking, scenes, other
//! formats, algebra.

mod edits;
mod first_guesses;
mod formats;
mod frames;
mod names;
mod queries;
mod random_worlds;
mod scenes;
mod smooth;
mod spawn;
