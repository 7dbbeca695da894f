//! Scenes that are described and spawned are right before the first run.

mod scene;
