//! Three systems with the tests that a user would write, and what these print where the system has
//! a bug. Each test runs twice: as it should be, and with the bug.

macro_rules! example {
    ($(#[$doc:meta])* $name:ident, $file:literal) => {
        $(#[$doc])*
        ///
        /// What the test prints with the bug:
        ///
        #[doc = concat!("```text\n", include_str!(concat!("../tests/systems/", $file, ".txt")), "```")]
        ///
        /// The system and its test:
        ///
        #[doc = concat!(
            "```rust,ignore\n",
            include_str!(concat!("../tests/systems/", $file, ".rs")),
            "```"
        )]
        pub mod $name {}
    };
}

example! {
    /// A turret aims at a place in the world, whatever it is mounted on. The bug is to take the
    /// target for a place in the space of the parent. It is found with a turret below a parent that
    /// is scaled. (A first version without any planted bug failed, too: with a turret on a turret,
    /// which aimed with its parent's matrix of the tick before. So the system goes by depth.)
    turret, "turret"
}

example! {
    /// An importer reads nodes that name their children. The bug is to return the entities in the
    /// order of the walk, and not of the file. It is found with three roots and a child of the
    /// first one, which the walk reaches before the other two.
    importer, "importer"
}

example! {
    /// A second world follows the list of changes. The bug is to forget what was removed. It is
    /// found with one entity that comes and goes.
    replication, "replication"
}
