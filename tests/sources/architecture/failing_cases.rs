//! A case in which each check fails: sources that are made up for it.

use super::{sources::Sources, *};

fn made_up(files: &[(&str, &str)]) -> Sources {
    Sources::made_up(files)
}

#[test]
fn an_import_that_runs_back_up_is_found() {
    let sources = made_up(&[("engine::bits", "use crate::engine::storage::Row;"), ("math", "")]);
    assert_eq!(imports_back_up(&sources), ["engine::bits imports engine::storage::Row"]);
    let sources = made_up(&[("engine::storage", "use crate::engine::bits::RowSet;")]);
    assert_none(imports_back_up(&sources));
}

#[test]
fn a_room_without_a_place_and_a_place_without_a_room_are_found() {
    let wrong = unlisted_rooms(&made_up(&[("engine::attic", ""), ("cellar", "")]));
    for fault in [
        "engine::attic is in no list of rooms",
        "cellar is in no list of rooms",
        "there is no room engine::bits",
        "there is no room prelude",
    ] {
        assert!(wrong.iter().any(|it| it == fault), "{fault}: {wrong:?}");
    }
}

#[test]
fn files_that_import_each_other_are_found() {
    let files = [
        ("kind", "use crate::table::Table;"),
        ("table", "use super::{kind::Kind, numeric::short};"),
        ("numeric", ""),
    ];
    assert_eq!(on_circles(&made_up(&files)), ["kind imports table", "table imports kind"]);
}

#[test]
fn entries_are_counted_once() {
    let sources = made_up(&[("", ""), ("edit", ""), ("edit::plan", ""), ("engine::bits", "")]);
    assert!(entries(&sources).into_iter().eq(["edit", "engine"]));
}

#[test]
fn a_dependency_on_a_crate_is_found() {
    let manifest = "[package]\nname = \"b\"\n\n[dependencies]\na = \"1\"\n\n[dev-dependencies]\n";
    let (tables, naming) = tables_with(manifest, "a = ");
    assert_eq!((tables.len(), naming.len()), (2, 1));
}

#[test]
fn a_component_that_the_prelude_lacks_is_found() {
    let components = "mod pivots;\npub use pivots::{ScalePivot, Shear};\n";
    let files = [("components", components), ("prelude", "pub use crate::components::Shear;")];
    let (components, missing) = missing_in_the_prelude(&made_up(&files));
    assert_eq!((components.len(), missing), (2, vec!["ScalePivot".to_owned()]));
}

#[test]
fn imports_behind_the_door_of_the_engine_are_found() {
    let text = "use crate::engine::{Row, storage::Mask};";
    let sources = made_up(&[("query", text), ("engine::storage", "")]);
    let (names, behind) = front_door(&sources);
    assert_eq!(names.len(), 2);
    assert_eq!(behind, ["query imports engine::storage::Mask"]);
}

#[test]
fn imports_behind_the_door_of_a_room_are_found() {
    let text = "use crate::scene::rows::Row; use crate::scene::open::Row;";
    let scene = ("scene", "mod rows;\npub mod open;\n");
    let files = [("edit", text), scene, ("scene::rows", ""), ("scene::open", "")];
    assert_eq!(imports_behind_doors(&made_up(&files)), ["edit imports scene::rows::Row"]);
}

#[test]
fn names_at_doors_and_lines_are_counted() {
    let own = "use super::{bits::{RowSet, Bits}, storage::Mask};\n\n// a comment\nfn f() {}\n";
    let files = [("engine::bits", ""), ("engine::storage", own), ("query", "fn f() {}\n")];
    let sources = made_up(&files);
    assert_eq!(names_at_doors(&sources).len(), 2, "what comes from the room itself is not counted");
    assert_eq!(lines(&sources).0, 2);
}

#[test]
fn files_with_a_sign_are_found() {
    let sources = made_up(&[
        ("engine::bits", "let set: Vec<u64> = vec![];"),
        ("engine::local::marks", "let set: Vec<u64> = vec![];"),
        ("query", "let set: Vec<u64> = vec![];"),
    ]);
    let having = having(&sources, &["Vec<u64>"], &["bits"]);
    assert!(having.into_iter().map(|module| module.join("::")).eq(["engine::local::marks"]));
    assert_eq!(files_with(&sources, "Vec<u64>").len(), 3);
}

#[test]
#[should_panic(expected = "`.look(` is nowhere any more")]
fn a_sign_that_is_nowhere_is_told() {
    let sources = made_up(&[("engine::local", ".version_and_len("), ("query", ".look(")]);
    having(&sources, &[".version_and_len(", ".look("], &[]);
}

#[test]
fn unsafe_code_outside_of_the_fences_is_found() {
    let sources = made_up(&[
        ("engine::simd", "#![allow(unsafe_code)]"),
        ("engine::simd::avx512", "unsafe { load() }"),
        ("engine::forest::rows", "unsafe { load() }"),
    ]);
    let outside = unsafe_outside(&sources, &["simd"]);
    assert!(outside.into_iter().map(|module| module.join("::")).eq(["engine::forest::rows"]));
}

#[test]
#[should_panic(expected = "forest needs no fence")]
fn a_fence_around_nothing_is_told() {
    let sources = made_up(&[("engine::simd", "#![allow(unsafe_code)] unsafe { load() }")]);
    unsafe_outside(&sources, &["simd", "forest"]);
}

#[test]
fn another_door_to_columns_is_found() {
    let all = ACCESSORS.join(" ");
    let of = |file: &str| format!("engine::storage::{file}");
    let files = [(&*of("access"), &*all), (&*of("columns"), &*all), ("changes::now", ACCESSORS[1])];
    assert_eq!(doors_to_columns(made_up(&files)), ["changes::now has `StorageAccessor`"]);
}

#[test]
fn a_file_that_catches_panics_is_found() {
    let sources = made_up(&[("engine::parallel::panics", CATCHES), ("edit", CATCHES)]);
    assert_eq!(files_that_catch(sources).len(), 1);
}

#[test]
fn a_test_that_catches_panics_is_found() {
    let files = ["tests/harness/panics.rs", "tests/tools/main.rs"];
    let tests = files.map(|path| (PathBuf::from(path), CATCHES.to_owned()));
    assert_eq!(tests_that_catch(tests.into()), ["tests/tools/main.rs: use `harness::caught`"]);
}

/// Each function, as a method and by its path.
#[test]
fn calls_that_the_platform_rounds_are_found() {
    for function in ROUNDED_BY_THE_PLATFORM {
        for call in [format!("x.{function}()"), format!("f32::{function}(x)")] {
            let wrong = rounded_calls(&made_up(&[("math", &call)]));
            assert!(!wrong.is_empty(), "{call}");
        }
    }
    for function in ROUNDED_BY_THE_PLATFORM_INSIDE {
        assert!(!rounded_calls(&made_up(&[("math", function)])).is_empty(), "{function}");
    }
}

#[test]
fn a_test_without_a_seed_is_found() {
    assert!(draws_others(&Config { rng_seed: RngSeed::Random, ..Config::default() }));
}
