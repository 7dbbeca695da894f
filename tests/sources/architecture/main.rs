//! The order of the rooms: imports run one way and go through doors, no files import each other in
//! a circle, and `unsafe` stays inside its fences.
//!
//! Each check returns what is wrong with some sources, so that `failing_cases.rs` can show that it
//! fails. What a check looks for, its *signs*, must be found somewhere: a sign that was renamed
//! would guard nothing.

mod circles;
mod failing_cases;
mod sources;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use proptest::test_runner::{Config, RngSeed};
use sources::{File, Names, Sources, lines_below};

/// What users hold: data and formulas. The engine fills it, and it knows nothing of the engine.
const DATA: [&str; 6] = ["components", "math", "transform", "findings", "stats", "write_group"];

/// The rooms of `engine/`. Each may know those before it, and the data.
const ENGINE: [&str; 24] = [
    "bits",
    "trace",
    "simd",
    "parallel",
    "machine",
    "storage",
    "rules",
    "check",
    "bulk",
    "meaning",
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
    "other_links",
    "worlds",
    "steps",
];

/// The users' rooms. Each may know those before it, the data, and the engine through its door.
const USERS: [&str; 12] = [
    "changes",
    "query",
    "edit",
    "bundle",
    "frames",
    "spawn",
    "cloning",
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
const NAMES_AT_THE_FRONT_DOOR: usize = 28;

/// How many lines of code `engine/` has at most, without comments, blank lines and tests. A change
/// that needs more says in its commit what it removed instead.
const LINES_OF_THE_ENGINE: usize = 11_688;

/// How many lines of code the rest of `src` has at most: what users call. A change that needs more
/// says in its commit what a user gets.
const LINES_FOR_USERS: usize = 10_940;

/// How many lines the Rust files of these folders have at most, without what builds leave there. A
/// change that needs more says in its commit what a user gets.
const LINES_OF_FOLDERS: [(&str, usize); 4] =
    [("tests", 24_368), ("testing", 10_506), ("benches", 8_343), ("examples", 8_508)];

/// How many implementations there are of the trait by which all that is kept by row follows the
/// entities. A second one would follow on its own. (`InputCopies::follow` moves nothing: a copy
/// gets what is read when a row that came is composed.)
const FOLLOWERS: usize = 1;

/// How many files of the engine compare versions of columns, to find writes: the crate's
/// components, the versions that the bundle bumps itself, components without a bit, links for
/// edits; and the writer of edits in place, which says what it has bumped.
const DETECTORS: usize = 5;

/// How many files of the engine have sets of rows of their own, beside those of `bits/`: the marks
/// of `local/work.rs`, which begin at any row.
const OTHER_SETS: usize = 1;

/// How many entries `src` has at most: files and folders, where `edit.rs` and `edit/` are one.
const ENTRIES: usize = 21;

/// Signs of a file that takes side data along, of a file that compares versions, and of a file that
/// has sets of rows.
const SIGNS_OF_FOLLOWERS: [&str; 1] = ["impl Follow for"];
const SIGNS_OF_DETECTORS: [&str; 1] = [".version_and_len("];
const SIGNS_OF_SETS: [&str; 2] = ["Vec<u64>", "Vec<[u64;"];

/// Signs of `unsafe` code.
const SIGNS_OF_UNSAFE: [&str; 2] = ["unsafe ", "allow(unsafe_code)"];

/// Where `unsafe` is allowed.
const FENCES: [&str; 4] = ["simd", "parallel", "storage", "propagation"];

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

/// Imports that run against the order of the rooms.
fn imports_back_up(sources: &Sources) -> Vec<String> {
    let is_back = |from: &Names, import: &Names| {
        rank(import).is_some() && rank(from).is_some() && rank(import) > rank(from)
    };
    let back = sources.imports().filter(|(from, import)| is_back(from, import));
    back.map(imports).collect()
}

/// `a::b imports c::d`.
fn imports((from, import): (&Names, &Names)) -> String {
    format!("{} imports {}", from.join("::"), import.join("::"))
}

#[test]
fn no_import_runs_back_up() {
    assert_none(imports_back_up(&Sources::read()));
}

/// Rooms that are in no list, and names in the lists that are no rooms any more.
fn unlisted_rooms(sources: &Sources) -> Vec<String> {
    let is_room = |module: &&Names| module.len() == 1 + usize::from(is_inside(module));
    let unlisted = sources.0.keys().filter(is_room).filter(|module| {
        let is_guide = module.len() == 1 && module[0] == "guide";
        rank(module).is_none() && !is_guide
    });
    let unlisted = unlisted.map(|module| format!("{} is in no list of rooms", module.join("::")));
    let inner = ENGINE.map(|room| vec!["engine".to_owned(), room.to_owned()]);
    let rooms = [&DATA[..], &USERS[..]].concat().into_iter().map(|room| vec![room.to_owned()]);
    let gone = inner.into_iter().chain(rooms).filter(|room| !sources.0.contains_key(room));
    unlisted.chain(gone.map(|room| format!("there is no room {}", room.join("::")))).collect()
}

/// The files and folders of `src`, but for `lib.rs`, which is the module without a name.
fn entries(sources: &Sources) -> BTreeSet<&String> {
    sources.0.keys().filter_map(|module| module.first()).collect()
}

#[test]
fn every_room_has_its_place() {
    let sources = Sources::read();
    assert_none(unlisted_rooms(&sources));
    let entries = entries(&sources);
    assert!(entries.len() < ENTRIES, "{entries:?}");
}

/// The names that the rest of the crate takes from the engine, and imports of what is behind its
/// door. The engine's rooms know its rooms; all others know its door.
fn front_door(sources: &Sources) -> (BTreeSet<&String>, Vec<String>) {
    let (mut names, mut behind) = (BTreeSet::new(), Vec::new());
    for (from, import) in sources.imports() {
        if is_inside(import) && !is_inside(from) {
            let name = import.get(1).expect("a name at the door");
            if import.len() > 2 && name != "rules" {
                behind.push(imports((from, import)));
            }
            names.insert(name);
        }
    }
    (names, behind)
}

#[test]
fn the_engine_is_known_by_its_door() {
    let sources = Sources::read();
    let (mut names, behind) = front_door(&sources);
    assert_none(behind);
    assert!(names.remove(&"Mask".to_owned()));
    assert!(names.len() <= NAMES_AT_THE_FRONT_DOOR, "{}: {names:#?}", names.len());
}

/// Files that import each other in a circle, with what they import of it.
fn on_circles(sources: &Sources) -> Vec<String> {
    let circles = circles::circles(circles::graph(sources)).into_iter();
    let line = |(file, imports): (Names, BTreeSet<Names>)| {
        let imports: Vec<String> = imports.iter().map(|import| import.join("::")).collect();
        format!("{} imports {}", file.join("::"), imports.join(", "))
    };
    circles.map(line).collect()
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    assert_none(on_circles(&Sources::read()));
    for folder in ["decentraland_scene/src", "testing/src"] {
        assert_none(on_circles(&Sources::of(folder)));
    }
}

/// Files that have a string.
fn files_with(sources: &Sources, sign: &str) -> Vec<String> {
    let having = sources.0.iter().filter(|(_, file)| file.code.contains(sign));
    having.map(|(module, _)| format!("{} has `{sign}`", module.join("::"))).collect()
}

/// The tables of dependencies of a manifest, and those among them that name a crate.
fn tables_with<'a>(manifest: &'a str, name: &str) -> (Vec<&'a str>, Vec<String>) {
    let tables = manifest.split("\n[").filter(|table| table.contains("dependencies]\n"));
    let tables: Vec<&str> = tables.collect();
    let naming = tables.iter().filter(|table| table.contains(name)).map(|table| table.to_string());
    let naming = naming.collect();
    (tables, naming)
}

/// `decentraland_scene` stands on this crate, so this one must not know it.
#[test]
fn the_crate_does_not_know_the_one_that_stands_on_it() {
    let crate_of_scenes = "decentraland_scene";
    let its_manifest = include_str!("../../../decentraland_scene/Cargo.toml");
    assert!(its_manifest.contains(&format!("name = \"{crate_of_scenes}\"")), "its name");
    assert_none(files_with(&Sources::read(), crate_of_scenes));
    let (tables, naming) = tables_with(include_str!("../../../Cargo.toml"), crate_of_scenes);
    assert_eq!(tables.len(), 2, "dependencies of the library, and of its tests");
    assert_none(naming);
}

/// Imports of what is behind a door. A room is a module with others in it. Its door are its
/// re-exports and its public modules.
fn imports_behind_doors(sources: &Sources) -> Vec<String> {
    let is_behind = |from: &Names, import: &Names| {
        let module = sources.module(import);
        (1..module.len()).any(|len| {
            let (room, inner) = (&module[..len], &module[..=len]);
            import.len() > len + 1 && !from.starts_with(room) && !sources.is_public(inner)
        })
    };
    let behind = sources.imports().filter(|(from, import)| is_behind(from, import));
    behind.map(imports).collect()
}

#[test]
fn imports_go_through_doors() {
    assert_none(imports_behind_doors(&Sources::read()));
}

/// The names that rooms of the engine take from one another.
fn names_at_doors(sources: &Sources) -> BTreeSet<(&String, &String)> {
    let mut names = BTreeSet::new();
    for (from, import) in sources.imports() {
        let is_room = is_inside(from) && from.len() > 1;
        if is_room && is_inside(import) && from[1] != import[1] {
            let module = sources.module(import).len();
            names.insert((&import[1], import.get(module).unwrap_or(&import[module - 1])));
        }
    }
    names
}

#[test]
fn few_names_stand_at_the_doors_of_the_engine() {
    let sources = Sources::read();
    let names = names_at_doors(&sources);
    assert!(names.len() <= NAMES_AT_DOORS, "{}: {names:#?}", names.len());
}

/// The lines of code of the engine, and of the rest.
fn lines(sources: &Sources) -> (usize, usize) {
    let lines = |file: &File| file.code.lines().filter(|line| !line.trim().is_empty()).count();
    sources.0.iter().fold((0, 0), |(engine, rest), (module, file)| match is_inside(module) {
        true => (engine + lines(file), rest),
        false => (engine, rest + lines(file)),
    })
}

#[test]
fn the_crate_does_not_grow() {
    let (engine, rest) = lines(&Sources::read());
    assert!(engine <= LINES_OF_THE_ENGINE, "{engine} lines of the engine");
    assert!(rest <= LINES_FOR_USERS, "{rest} lines for users");
}

#[test]
fn tests_benches_and_examples_do_not_grow() {
    for (folder, most) in LINES_OF_FOLDERS {
        let lines = lines_below(Path::new(folder));
        assert!(lines <= most, "{lines} lines in {folder}");
    }
}

/// The files of the engine with one of these signs, but for files and rooms of these names.
///
/// # Panics
/// If a sign is nowhere in the engine.
fn having<'a>(sources: &'a Sources, signs: &[&str], but: &[&str]) -> BTreeSet<&'a Names> {
    let mut all = BTreeSet::new();
    for sign in signs {
        let inside = sources.0.iter().filter(|(module, _)| is_inside(module));
        let with: Vec<&Names> =
            inside.filter(|(_, file)| file.code.contains(sign)).map(|(module, _)| module).collect();
        assert!(!with.is_empty(), "`{sign}` is nowhere any more, so that it guards nothing");
        all.extend(with);
    }
    all.retain(|module| !module.iter().any(|name| but.contains(&name.as_str())));
    all
}

#[test]
fn concepts_of_the_engine_do_not_multiply() {
    let sources = Sources::read();
    let followers = having(&sources, &SIGNS_OF_FOLLOWERS, &[]);
    assert!(followers.len() <= FOLLOWERS, "{followers:?}");
    let detectors = having(&sources, &SIGNS_OF_DETECTORS, &["columns"]);
    assert!(detectors.len() <= DETECTORS, "{detectors:?}");
    let sets = having(&sources, &SIGNS_OF_SETS, &["bits"]);
    assert!(sets.len() <= OTHER_SETS, "{sets:?}");
}

/// The components, and those that the prelude has not.
fn missing_in_the_prelude(sources: &Sources) -> (BTreeSet<String>, Vec<String>) {
    let code = |room: &str| sources.0[&[room.to_owned()][..]].code.as_str();
    let reexports = code("components").split(';').filter(|item| item.contains("pub use"));
    let names = |text: &str| -> BTreeSet<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        words.filter(|word| word.starts_with(char::is_uppercase)).map(str::to_owned).collect()
    };
    let components = names(&reexports.collect::<String>());
    let missing = components.difference(&names(code("prelude"))).cloned().collect();
    (components, missing)
}

/// Components that few programs name: the bundle's own record, what is drawn, frames, pivots and
/// the composites that they belong to, and other orders of angles than XYZ.
const OUT_OF_THE_PRELUDE: [&str; 21] = [
    "CompositeRotation",
    "CompositeScale",
    "Frame",
    "PostRotationEulerXZY",
    "PostRotationEulerYXZ",
    "PostRotationEulerYZX",
    "PostRotationEulerZXY",
    "PostRotationEulerZYX",
    "PreviousParent",
    "RenderLayers",
    "RotationEulerXZY",
    "RotationEulerYXZ",
    "RotationEulerYZX",
    "RotationEulerZXY",
    "RotationEulerZYX",
    "RotationPivot",
    "RotationPivotTranslation",
    "ScalePivot",
    "ScalePivotTranslation",
    "Shear",
    "Visible",
];

#[test]
fn the_prelude_has_all_components_but_those_that_few_programs_name() {
    let (components, missing) = missing_in_the_prelude(&Sources::read());
    assert_eq!(missing, OUT_OF_THE_PRELUDE);
    assert!(components.len() > 30, "{components:?}");
}

/// Files with `unsafe` code outside of the fences.
///
/// # Panics
/// If there is none inside of a fence, or a sign of it is nowhere.
fn unsafe_outside<'a>(sources: &'a Sources, fences: &[&str]) -> BTreeSet<&'a Names> {
    let all = having(sources, &SIGNS_OF_UNSAFE, &[]);
    let is_in = |module: &Names, fence: &str| module.get(1).is_some_and(|room| room == fence);
    for fence in fences {
        let is_needed = all.iter().any(|module| is_in(module, fence));
        assert!(is_needed, "{fence} needs no fence: no `unsafe` is there");
    }
    all.into_iter().filter(|it| !fences.iter().any(|fence| is_in(it, fence))).collect()
}

#[test]
fn unsafe_code_stays_inside_its_fences() {
    let sources = Sources::read();
    let outside = unsafe_outside(&sources, &FENCES);
    assert!(outside.is_empty(), "{outside:?} are outside of {FENCES:?}");
    for sign in SIGNS_OF_UNSAFE {
        let users = files_with(&sources, sign).into_iter();
        assert_none(users.filter(|file| !file.starts_with("engine::")).collect());
    }
}

/// What gets columns out of a user's world, whatever may be read of it.
const ACCESSORS: [&str; 2] = ["get_component_storage", "StorageAccessor"];

/// Files that get columns out of a user's world in another way than by `Access`, in its own file,
/// or by `Archetypes`, which is given a whole `World`, beside it.
///
/// # Panics
/// If `Access` does not.
fn doors_to_columns(mut sources: Sources) -> Vec<String> {
    let mut take =
        |file: &str| sources.0.remove(&["engine", "storage", file].map(str::to_owned)[..]);
    let door = take("access").map(|file| file.code);
    assert!(ACCESSORS.iter().all(|sign| door.as_ref().is_some_and(|door| door.contains(sign))));
    take("columns");
    ACCESSORS.iter().flat_map(|sign| files_with(&sources, sign)).collect()
}

/// Legion's accessor checks components, and not archetypes: one type sees to both.
#[test]
fn columns_of_users_worlds_come_through_one_door() {
    assert_none(doors_to_columns(Sources::read()));
}

/// What catches a panic.
const CATCHES: &str = concat!("catch", "_unwind(");

/// Tests that catch panics in another way than by the harness.
///
/// # Panics
/// If the harness does not catch panics.
fn tests_that_catch(mut tests: BTreeMap<PathBuf, String>) -> Vec<String> {
    let caught = tests.remove(Path::new("tests/harness/panics.rs"));
    assert!(caught.is_some_and(|code| code.contains(CATCHES)), "this is what to look for");
    tests.retain(|_, code| code.contains(CATCHES));
    tests.keys().map(|path| format!("{}: use `harness::caught`", path.display())).collect()
}

/// A test that catches a panic ends all tests where a panic ends the process. `harness::caught` is
/// not there then, so no such test is forgotten. (Tests that should panic are left out by Rust.)
#[test]
fn tests_catch_panics_by_the_harness_alone() {
    assert_none(tests_that_catch(sources::tests()));
}

/// Files that catch panics in another way than by `Panics`, in its own file.
///
/// # Panics
/// If that file does not catch panics.
fn files_that_catch(mut sources: Sources) -> Vec<String> {
    let one = sources.0.remove(&["engine", "parallel", "panics"].map(str::to_owned)[..]);
    assert!(one.is_some_and(|file| file.code.contains(CATCHES)), "this is what to look for");
    // `lib.rs`, the module without a name, has a function for tests alone.
    sources.0.remove(&[][..]);
    files_with(&sources, CATCHES)
}

/// A payload may panic when it is dropped, and end the process: one type sees to it.
#[test]
fn the_crate_catches_panics_by_one_type() {
    assert_none(files_that_catch(Sources::read()));
}

/// Calls of functions that the platform's library rounds.
fn rounded_calls(sources: &Sources) -> Vec<String> {
    let methods = ROUNDED_BY_THE_PLATFORM.iter().flat_map(|function| {
        [format!(".{function}("), format!("f32::{function}"), format!("f64::{function}")]
    });
    let inside = ROUNDED_BY_THE_PLATFORM_INSIDE.iter().map(|function| (*function).to_owned());
    methods.chain(inside).flat_map(|call| files_with(sources, &call)).collect()
}

#[test]
fn no_file_calls_what_the_platform_rounds() {
    assert_none(rounded_calls(&Sources::read()));
}

/// Whether each run of a test by `proptest!` draws other cases.
fn draws_others(config: &Config) -> bool {
    config.rng_seed == RngSeed::Random
}

/// By `.cargo/config.toml`. Any test that fails fails again.
#[test]
fn random_tests_draw_the_same_cases_in_each_run() {
    assert!(!draws_others(&Config::default()));
}

/// Nothing is wrong.
#[track_caller]
fn assert_none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
