//! Pages, in the order of reading:
//!
//! 1. [Installing](install), features, debug builds, WebAssembly, the state of Legion.
//! 2. [First steps](first_steps) in six small programs.
//! 3. [Cookbook](cookbook): a program for each common task.
//! 4. [Troubleshooting](troubleshooting): from a symptom to the fix.
//! 5. [Where is it now](where_is_it_now).
//! 6. [Inheriting](inheriting): parts of a parent's world, and properties.
//! 7. [Drawing](drawing): the list of changes.
//! 8. [Smooth ticks](smooth_ticks): frames between ticks.
//! 9. [Large worlds](large_worlds) in `f64`. [Two dimensions](two_dimensions).
//! 10. [Saving and loading](saving). [Editors and tools](editors).
//! 11. [Writing fast worlds](fast_worlds), and [performance].
//! 12. [Coming from](migration) Bevy, Unity, Godot, Amethyst or the original; [Unity's
//!     document](unity), line by line.

// Each page defines the targets of its links at its end, for readers of the file. Here
// `docs/links.txt` stands before the page, and the first definition counts.

/// A page with its links.
macro_rules! page {
    ($(#[$doc:meta])* $name:ident, $file:literal) => {
        $(#[$doc])*
        #[doc = concat!(
            "\n\n", include_str!("../docs/links.txt"), "\n",
            include_str!(concat!("../docs/", $file))
        )]
        pub mod $name {}
    };
}

page! {
    /// First steps: an entity, a child, moving, reading, another parent, saving, speed.
    first_steps, "first-steps.md"
}

page! {
    /// Cookbook: a short program for each of the common tasks, from attaching to a bone to tests.
    cookbook, "cookbook.md"
}

page! {
    /// Troubleshooting: from a symptom to the mistake, its finding, and the fix.
    troubleshooting, "troubleshooting.md"
}

/// Saving and loading: a world to bytes and back, ids of entities, damaged saves. (Its program is
/// here if the documentation is built with the feature `serde`.)
#[cfg_attr(
    feature = "serde",
    doc = concat!(
        "\n\n[serde]: crate::ecosystem::serde\n",
        include_str!("../docs/links.txt"),
        "\n",
        include_str!("../docs/saving.md")
    )
)]
pub mod saving {}

/// Editors and tools: order, selection, gizmos, undo, copies, play mode, files. (Its program is
/// here if the documentation is built with the feature `serde`.)
#[cfg_attr(
    feature = "serde",
    doc = concat!(
        "\n\n", include_str!("../docs/links.txt"), "\n", include_str!("../docs/editors.md")
    )
)]
pub mod editors {}

/// Two dimensions: layers, mirrored sprites, a camera, parallax.
#[doc = include_str!("../docs/two-dimensions.md")]
pub mod two_dimensions {}

page! {
    /// Installing it: versions that belong together, names that collide, WebAssembly, Legion's
    /// state, and what a version number promises.
    install, "install.md"
}

page! {
    /// Large worlds: frames in `f64`, drawn relative to the viewer.
    large_worlds, "large-worlds.md"
}

page! {
    /// Where is it now: what each question answers, and as of when.
    where_is_it_now, "where-is-it-now.md"
}

page! {
    /// Inheriting: parts of the parent's world, and properties like visibility.
    inheriting, "inheriting.md"
}

page! {
    /// Smooth ticks: a simulation at a fixed rate, and frames in between.
    smooth_ticks, "smooth-ticks.md"
}

page! {
    /// Writing fast worlds: costs, and how to pay less.
    fast_worlds, "fast-worlds.md"
}

page! {
    /// Drawing: which matrices changed, slots, a whole renderer, threads.
    drawing, "drawing.md"
}

page! {
    /// Coming from the original legion_transform, Bevy, Amethyst, Unity or Godot: tables of names.
    migration, "migration.md"
}

/// Unity's document on its transform system, line by line, each with its rule and its test.
#[doc = include_str!("../docs/unity.md")]
pub mod unity {}

page! {
    /// Performance: beside bevy_transform and other crates, what each mechanism of the engine
    /// gains, threads, debug builds, memory, platforms, and the commands that measure them.
    performance, "performance.md"
}
