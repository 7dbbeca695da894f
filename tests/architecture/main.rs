//! The order of the rooms: imports run one way and go through doors, no files import each other in
//! a circle, and `unsafe` stays inside its fences.

mod circles;
mod sources;

use std::{collections::BTreeSet, path::Path};

use sources::{File, Sources};

/// What users hold: data and formulas. The engine fills it, and it knows nothing of the engine.
const DATA: [&str; 6] = ["components", "math", "transform", "findings", "stats", "write_group"];

/// The rooms of `engine/`. Each may know those before it, and the data.
const ENGINE: [&str; 23] = [
    "bits",
    "trace",
    "accelerators",
    "simd",
    "parallel",
    "storage",
    "rules",
    "check",
    "bulk",
    "overrides",
    "fresh",
    "changes",
    "forest",
    "hierarchy",
    "local",
    "frames",
    "propagation",
    "inverse",
    "diagnostics",
    "options",
    "state",
    "worlds",
    "steps",
];

/// The users' rooms. Each may know those before it, the data, and the engine through its door.
const USERS: [&str; 11] = [
    "changes",
    "bundle",
    "query",
    "frames",
    "edit",
    "spawn",
    "smooth",
    "scene",
    "interchange",
    "ecosystem",
    "prelude",
];

/// How many names the engine's rooms take from one another at most. It may only shrink.
const NAMES_AT_DOORS: usize = 67;

/// How many names the rest of the crate takes from the engine at most. It may only shrink. `Mask`,
/// with a constant for each component, is left out.
const NAMES_AT_THE_FRONT_DOOR: usize = 29;

/// How many lines of code `engine/` has at most, without comments, blank lines and tests. A change
/// that needs more says in its commit what it removed instead.
const LINES_OF_THE_ENGINE: usize = 11_465;

/// How many rooms of the engine take side data along when an entity moves to another row: they ask
/// who departed. A new one needs a reason.
const FOLLOWERS: usize = 3;

/// How many files of the engine compare versions of columns, to find writes: the crate's
/// components, the versions that the bundle bumps itself, users' components, links for edits,
/// frames.
const DETECTORS: usize = 5;

/// How many files of the engine have sets of rows of their own, beside those of `bits/`: the marks
/// of `local/work.rs`, which begin at any row.
const OTHER_SETS: usize = 1;

/// How many entries `src` has at most: files and folders, where `edit.rs` and `edit/` are one.
const ENTRIES: usize = 20;

/// Where `unsafe` is allowed.
const FENCES: [&str; 5] = ["simd", "parallel", "storage", "forest", "propagation"];

/// Methods of the standard library that the platform's C library rounds in its own way, and with
/// them nalgebra's functions that call them. The crate has sines of its own
/// (`components/sines.rs`), and takes the others from the crate `libm`.
const ROUNDED_BY_THE_PLATFORM: [&str; 23] = [
    "sin", "cos", "tan", "sin_cos", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
    "hypot", "cbrt", "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf",
    "powi",
];

/// Those of nalgebra that call them.
const ROUNDED_BY_THE_PLATFORM_INSIDE: [&str; 7] = [
    "UnitQuaternion::from_axis_angle",
    "UnitQuaternion::from_euler_angles",
    "UnitQuaternion::new(",
    ".slerp(",
    "try_slerp(",
    "ComplexField::",
    "RealField::",
];

/// A room's place in the order.
fn rank(path: &[String]) -> Option<usize> {
    let room = path.first()?;
    let at = |rooms: &[&str], name: &String| rooms.iter().position(|known| known == name);
    let inner = || at(&ENGINE, path.get(1)?);
    let first_user = DATA.len() + ENGINE.len();
    match room.as_str() {
        "engine" => inner().map(|at| DATA.len() + at),
        _ => at(&DATA, room).or_else(|| Some(first_user + at(&USERS, room)?)),
    }
}

/// Whether a path leads into the engine.
fn is_inside(path: &[String]) -> bool {
    path.first().is_some_and(|room| room == "engine")
}

#[test]
fn no_import_runs_back_up() {
    let sources = Sources::read();
    let mut back = Vec::new();
    for (from, import) in sources.imports() {
        if rank(import).is_some() && rank(from).is_some() && rank(import) > rank(from) {
            back.push(format!("{} imports {}", from.join("::"), import.join("::")));
        }
    }
    assert!(back.is_empty(), "{}", back.join("\n"));
}

#[test]
fn every_room_has_its_place() {
    let sources = Sources::read();
    let is_room = |module: &&Vec<String>| module.len() == 1 + usize::from(is_inside(module));
    for module in sources.0.keys().filter(is_room) {
        assert!(
            rank(module).is_some() || module == &["guide"],
            "{module:?} is in no list of rooms"
        );
    }
    let entries: BTreeSet<&String> = sources.0.keys().filter_map(|module| module.first()).collect();
    // `lib.rs` is the module without a name.
    assert!(entries.len() < ENTRIES, "{entries:?}");
}

/// The engine's rooms know its rooms; all others know its door.
#[test]
fn the_engine_is_known_by_its_door() {
    let sources = Sources::read();
    let mut names = BTreeSet::new();
    for (from, import) in sources.imports() {
        if is_inside(import) && !is_inside(from) {
            let name = import.get(1).expect("a name at the door");
            let is_behind = import.len() > 2 && name != "rules";
            let (from, to) = (from.join("::"), import.join("::"));
            assert!(!is_behind, "{from} imports {to}, which is behind the engine's door");
            names.insert(name);
        }
    }
    names.remove(&"Mask".to_owned());
    assert!(names.len() <= NAMES_AT_THE_FRONT_DOOR, "{}: {names:#?}", names.len());
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let mut circles = circles::circles(circles::graph(&Sources::read()));
    circles.extend(circles::circles(circles::graph(&Sources::of("decentraland_scene/src"))));
    let lines = circles.iter().map(|(file, imports)| {
        let imports: Vec<String> = imports.iter().map(|import| import.join("::")).collect();
        format!("{} imports {}", file.join("::"), imports.join(", "))
    });
    assert!(circles.is_empty(), "on circles:\n{}", lines.collect::<Vec<_>>().join("\n"));
}

/// `decentraland_scene` stands on this crate, so this one must not know it.
#[test]
fn the_crate_does_not_know_the_one_that_stands_on_it() {
    let crate_of_scenes = "decentraland_scene";
    for (module, File { code, .. }) in &Sources::read().0 {
        assert!(!code.contains(crate_of_scenes), "{} names it", module.join("::"));
    }
    let manifest = include_str!("../../Cargo.toml");
    let dependencies = manifest.split("\n[").filter(|table| table.contains("dependencies]\n"));
    let mut tables = 0;
    for table in dependencies {
        assert!(!table.contains(crate_of_scenes), "{table}");
        tables += 1;
    }
    assert_eq!(tables, 3, "dependencies of the library, of its tests, and of those of a platform");
}

/// A room is a module with others in it. Its door are its re-exports and its public modules.
#[test]
fn imports_go_through_doors() {
    let sources = Sources::read();
    let mut behind = BTreeSet::new();
    for (from, import) in sources.imports() {
        let module = sources.module(import);
        let is_behind = (1..module.len()).any(|len| {
            let (room, inner) = (&module[..len], &module[..=len]);
            import.len() > len + 1 && !from.starts_with(room) && !sources.is_public(inner)
        });
        if is_behind {
            behind.insert(format!("{} imports {}", from.join("::"), import.join("::")));
        }
    }
    assert!(behind.is_empty(), "{behind:#?}");
}

#[test]
fn few_names_stand_at_the_doors_of_the_engine() {
    let sources = Sources::read();
    let mut names = BTreeSet::new();
    for (from, import) in sources.imports() {
        let is_room = is_inside(from) && from.len() > 1;
        if is_room && is_inside(import) && from[1] != import[1] {
            let module = sources.module(import).len();
            names.insert((&import[1], import.get(module).unwrap_or(&import[module - 1])));
        }
    }
    assert!(names.len() <= NAMES_AT_DOORS, "{}: {names:#?}", names.len());
}

#[test]
fn the_engine_does_not_grow() {
    let sources = Sources::read();
    let inside = || sources.0.iter().filter(|(module, _)| is_inside(module));
    let lines = |file: &File| file.code.lines().filter(|line| !line.trim().is_empty()).count();
    let all: usize = inside().map(|(_, file)| lines(file)).sum();
    assert!(all <= LINES_OF_THE_ENGINE, "{all} lines");
}

#[test]
fn concepts_of_the_engine_do_not_multiply() {
    let sources = Sources::read();
    let having = |signs: &[&str], but: &[&str]| -> BTreeSet<Vec<String>> {
        let all = sources.0.iter().filter(|(module, _)| is_inside(module));
        let having = all.filter(|(_, file)| signs.iter().any(|sign| file.code.contains(sign)));
        having
            .filter(|(module, _)| !module.iter().any(|name| but.contains(&name.as_str())))
            .map(|(module, _)| module.clone())
            .collect()
    };
    let followers = having(&[".carry(", ".take_departures("], &[]);
    let rooms: BTreeSet<&String> = followers.iter().filter_map(|module| module.get(1)).collect();
    assert!(rooms.len() <= FOLLOWERS, "{rooms:?}");
    let detectors = having(&["columns.look(", "storage.look("], &["columns"]);
    assert!(detectors.len() <= DETECTORS, "{detectors:?}");
    let sets = having(&["Vec<u64>", "Vec<[u64;", "vec![0_u64"], &["bits"]);
    assert!(sets.len() <= OTHER_SETS, "{sets:?}");
}

/// `PreviousParent` is the bundle's own record, which programs need not name.
#[test]
fn the_prelude_has_all_components_but_the_record_of_links() {
    let sources = Sources::read();
    let code = |room: &str| sources.0[&[room.to_owned()][..]].code.as_str();
    let reexports = code("components").split(';').filter(|item| item.contains("pub use"));
    let names = |text: &str| -> BTreeSet<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        words.filter(|word| word.starts_with(char::is_uppercase)).map(str::to_owned).collect()
    };
    let components = names(&reexports.collect::<String>());
    let missing: Vec<_> = components.difference(&names(code("prelude"))).cloned().collect();
    assert_eq!(missing, ["PreviousParent"]);
    assert!(components.len() > 30, "{components:?}");
}

#[test]
fn unsafe_code_stays_inside_its_fences() {
    for (module, File { code, .. }) in &Sources::read().0 {
        let room = module.get(1).filter(|_| is_inside(module));
        let fenced = room.is_some_and(|room| FENCES.contains(&room.as_str()));
        let is_unsafe = code.contains("unsafe ") && code.contains("allow(unsafe_code)");
        assert!(fenced || !is_unsafe, "{} is outside of {FENCES:?}", module.join("::"));
    }
}

/// A test that catches a panic ends all tests where a panic ends the process. `harness::caught` is
/// not there then, so no such test is forgotten. (Tests that should panic are left out by Rust.)
#[test]
fn tests_catch_panics_by_the_harness_alone() {
    let catches = concat!("catch", "_unwind(");
    let mut all = sources::tests();
    let caught = all.remove(Path::new("tests/harness/panics.rs"));
    assert!(caught.is_some_and(|code| code.contains(catches)), "this is what to look for");
    for (path, code) in all {
        assert!(!code.contains(catches), "{}: use `harness::caught`", path.display());
    }
}

/// A payload may panic when it is dropped, and end the process: one type sees to it.
#[test]
fn the_crate_catches_panics_by_one_type() {
    let catches = concat!("catch", "_unwind(");
    let mut files = Sources::read().0;
    let one = files.remove(&["engine", "parallel", "panics"].map(str::to_owned)[..]);
    assert!(one.is_some_and(|file| file.code.contains(catches)), "this is what to look for");
    // `lib.rs`, the module without a name, has a function for tests alone.
    for (module, file) in files.into_iter().filter(|(module, _)| !module.is_empty()) {
        assert!(!file.code.contains(catches), "{}: use `Panics`", module.join("::"));
    }
}

#[test]
fn no_file_calls_what_the_platform_rounds() {
    for (module, file) in Sources::read().0 {
        for function in ROUNDED_BY_THE_PLATFORM {
            let [method, f32s, f64s] =
                [format!(".{function}("), format!("f32::{function}"), format!("f64::{function}")];
            let calls = [method, f32s, f64s].iter().any(|call| file.code.contains(call.as_str()));
            assert!(!calls, "{} calls {function}", module.join("::"));
        }
        for function in ROUNDED_BY_THE_PLATFORM_INSIDE {
            assert!(!file.code.contains(function), "{} calls {function}", module.join("::"));
        }
    }
}
