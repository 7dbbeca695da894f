//! What is for users between runs and around them: edits, fresh answers, walking, scenes, other
//! formats, algebra.

mod algebra;
mod cloning;
mod deep_and_wide;
mod edits_case_by_case;
mod edits_keep_meaning;
mod errors;
mod first_guesses;
mod frames_anew;
mod fresh_answers;
mod inspector;
mod interchange;
mod large_worlds;
mod late_parents;
mod links_of_now;
mod many_transforms;
mod names;
mod normals_and_views;
mod options_known;
mod parts;
mod random_worlds;
mod readers;
mod renderer;
mod scene;
mod siblings;
mod smooth_carried;
mod smooth_ticks;
mod smooth_worst;
mod spawning;
mod too_far;
mod undo;
mod walking;
