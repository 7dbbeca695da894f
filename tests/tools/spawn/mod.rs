//! Spawned trees are right after one run, whichever way they are spawned.

mod spawning;
