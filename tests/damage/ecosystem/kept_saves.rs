//! Saves of released versions load for ever. Each folder of `tests/saved` was written by the
//! version of its name, and no later one writes there. What a version adds to the form of a save
//! goes into a folder of its own before that version is released:
//!
//! ```sh
//! SAVED=write cargo test --all-features --test ecosystem kept_saves -- --ignored
//! ```

use std::{cell::RefCell, f32::consts::*, fs, path::PathBuf};

use harness::TestWorld;
use legion::{Entity, Registry, World, any, serialize::Canon};
use legion_transform::{
    components::{Effective, Frame, RenderLayers, Visible},
    ecosystem::serde::*,
    prelude::*,
};
use legion_transform_testing::{Kind as K, snapshot::same_bits};
use nalgebra::{Matrix4, Vector3};
use serde::{Deserialize, Serialize};

/// The version that wrote the files below.
const VERSION: &str = "0.1";

const FORMATS: [&str; 3] = ["postcard", "msgpack", "json"];

/// Entities have numbers from 1 on. The names in the saves repeat them.
const ENTITIES: u8 = 20;

/// Has lost its `Parent` when the world is saved. The next run makes it a root.
const LEAVER: u8 = 19;

const PARENTS: [(u8, u8); 6] = [(2, 1), (3, 2), (4, 1), (15, 14), (17, 16), (LEAVER, 1)];

/// Children after a run, in their order: 4 was put before 2.
const CHILDREN: [(u8, &[u8]); 5] = [(1, &[4, 2]), (2, &[3]), (5, &[]), (14, &[15]), (16, &[17])];

/// Inputs, number by number: matrices column by column, quaternions as x, y, z, w.
const INPUTS: &[(u8, K, &[f32])] = &[
    (1, K::Translation, &[10.0, 0.0, 0.0]),
    (1, K::Rotation, &[0.0, 1.0, 0.0, 0.0]), // by half about y
    (2, K::Translation, &[1.0, 2.0, 3.0]),
    (2, K::Scale, &[2.0]),
    (3, K::Translation, &[0.0, 0.0, 1.0]),
    (4, K::Translation, &[0.0, 0.0, 5.0]),
    (4, K::Inherits, &[1.0, 0.0, 1.0]), // all but the rotation
    (5, K::Translation, &[0.0, 0.0, 7.0]),
    (5, K::Rotation, &[0.0, 0.0, 1.0, 0.0]),
    (5, K::PostRotation, &[1.0, 0.0, 0.0, 0.0]),
    (5, K::RotationPivot, &[1.0, 0.0, 0.0]),
    (5, K::RotationPivotTranslation, &[0.0, 10.0, 0.0]),
    (6, K::NonUniformScale, &[1.0, 2.0, 3.0]),
    (6, K::Shear, &[1.0, 0.0, 0.0]), // x grows by y
    (6, K::ScalePivot, &[1.0, 1.0, 1.0]),
    (6, K::ScalePivotTranslation, &[0.0, 0.0, 20.0]),
    (7, K::Translation, &[0.0, -4.0, 0.0]),
    // By half about x, then by quarters about x and y in each order.
    (8, K::RotationEulerXYZ, &[FRAC_PI_2, FRAC_PI_2, 0.0]),
    (8, K::PostRotationEulerXYZ, &[PI, 0.0, 0.0]),
    (9, K::RotationEulerXZY, &[FRAC_PI_2, FRAC_PI_2, 0.0]),
    (9, K::PostRotationEulerXZY, &[PI, 0.0, 0.0]),
    (10, K::RotationEulerYXZ, &[FRAC_PI_2, FRAC_PI_2, 0.0]),
    (10, K::PostRotationEulerYXZ, &[PI, 0.0, 0.0]),
    (11, K::RotationEulerYZX, &[FRAC_PI_2, FRAC_PI_2, 0.0]),
    (11, K::PostRotationEulerYZX, &[PI, 0.0, 0.0]),
    (12, K::RotationEulerZXY, &[FRAC_PI_2, FRAC_PI_2, 0.0]),
    (12, K::PostRotationEulerZXY, &[PI, 0.0, 0.0]),
    (13, K::RotationEulerZYX, &[FRAC_PI_2, FRAC_PI_2, 0.0]),
    (13, K::PostRotationEulerZYX, &[PI, 0.0, 0.0]),
    (15, K::Translation, &[0.0, 2.0, 0.0]), // in the `Frame` of 14
    (16, K::Translation, &[3.0, 0.0, 0.0]), // hidden, in the layer 0b10
    (17, K::Translation, &[0.0, 3.0, 0.0]),
    (18, K::LocalToWorld, &[3., 0., 0., 0., 0., 3., 0., 0., 0., 0., 3., 0., 1., 2., 3., 1.]),
    (LEAVER, K::Translation, &[0.0, 6.0, 0.0]),
    (20, K::Translation, &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]),
];

/// World matrices after a run, row by row, computed by hand.
const MATRICES: [(u8, [[f32; 4]; 3]); 14] = [
    (1, [[-1.0, 0.0, 0.0, 10.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0]]),
    (2, [[-2.0, 0.0, 0.0, 9.0], [0.0, 2.0, 0.0, 2.0], [0.0, 0.0, -2.0, -3.0]]),
    (3, [[-1.0, 0.0, 0.0, 9.0], [0.0, 1.0, 0.0, 2.0], [0.0, 0.0, -1.0, -5.0]]),
    (4, [[1.0, 0.0, 0.0, 10.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 5.0]]),
    (5, [[-1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 0.0, 10.0], [0.0, 0.0, -1.0, 7.0]]),
    (6, [[1.0, 2.0, 0.0, -2.0], [0.0, 2.0, 0.0, -1.0], [0.0, 0.0, 3.0, 18.0]]),
    (7, [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, -4.0], [0.0, 0.0, 1.0, 0.0]]),
    (8, [[0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 0.0]]),
    (13, [[0.0, 0.0, -1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0]]),
    (14, [[1.0, 0.0, 0.0, 1e9], [0.0, 1.0, 0.0, 0.5], [0.0, 0.0, 1.0, 0.0]]),
    (15, [[1.0, 0.0, 0.0, 1e9], [0.0, 1.0, 0.0, 2.5], [0.0, 0.0, 1.0, 0.0]]),
    (17, [[1.0, 0.0, 0.0, 3.0], [0.0, 1.0, 0.0, 3.0], [0.0, 0.0, 1.0, 0.0]]),
    (18, [[3.0, 0.0, 0.0, 1.0], [0.0, 3.0, 0.0, 2.0], [0.0, 0.0, 3.0, 3.0]]),
    (LEAVER, [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 6.0], [0.0, 0.0, 1.0, 0.0]]),
];

/// A component of the user's that names an entity: 2 has it, and it names 3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Aims(Entity);

/// A component of the user's that is a value of the crate's: 18 has it.
fn pose() -> Transform {
    Transform::from_xyz(1.0, 2.0, 3.0).with_scale([3.0; 3])
}

fn frame() -> Frame {
    Frame::from_xyz(1e9, 0.5, 0.0)
}

fn bundle() -> TransformSystemBundle {
    let bundle = TransformSystemBundle::default().print_findings(false).insert_missing();
    bundle.large_worlds().inherit::<Visible>().inherit::<RenderLayers>()
}

/// For saves of all components, and of inputs alone.
fn registries() -> [Registry<String>; 2] {
    let mut both = [Registry::default(), Registry::default()];
    register_components(&mut both[0]);
    register_inputs(&mut both[1]);
    for registry in &mut both {
        registry.register::<Transform>("Transform".to_owned());
        registry.register::<Aims>("Aims".to_owned());
    }
    both
}

fn id(names: &Canon, number: u8) -> Entity {
    names.get_id(&[number; 16]).expect("an entity of this number")
}

/// The world that is saved.
fn original() -> (World, Canon) {
    let (mut test, names) = (TestWorld::new(bundle()), Canon::default());
    for number in 1..=ENTITIES {
        names.canonize(test.push(()), [number; 16]).expect("a number of its own");
    }
    for (number, kind, value) in INPUTS {
        let numbers = std::array::from_fn(|at| value.get(at).copied().unwrap_or_default());
        kind.add(&mut test.world.entry(id(&names, *number)).expect("it lives"), &numbers);
    }
    for (child, parent) in PARENTS {
        test.put(id(&names, child), Parent(id(&names, parent)));
    }
    test.put(id(&names, 2), Aims(id(&names, 3)));
    test.put(id(&names, 3), ParentScaleInverse(Matrix4::identity()));
    test.put(id(&names, 7), WorldToLocal(Matrix4::identity()));
    test.put(id(&names, 14), frame());
    test.put(id(&names, 16), Visible(false));
    test.put(id(&names, 16), RenderLayers(0b10));
    test.put(id(&names, 18), pose());
    test.run();
    test.world.insert_child(id(&names, 1), 0, id(&names, 4)).expect("both live");
    test.run();
    test.take::<Parent>(id(&names, LEAVER));
    test.take::<LocalToParent>(id(&names, LEAVER));
    (test.world, names)
}

fn to_bytes(format: &str, save: impl Serialize) -> Vec<u8> {
    match format {
        "postcard" => postcard::to_stdvec(&save).expect("a save"),
        "msgpack" => rmp_serde::to_vec(&save).expect("a save"),
        _ => serde_json::to_vec(&save).expect("a save"),
    }
}

fn from_bytes(format: &str, registry: &Registry<String>, names: &Canon, save: &[u8]) -> World {
    match format {
        "postcard" => load(registry, names, &mut postcard::Deserializer::from_bytes(save)).unwrap(),
        "msgpack" => {
            load(registry, names, &mut rmp_serde::Deserializer::from_read_ref(save)).unwrap()
        }
        _ => load(registry, names, &mut serde_json::Deserializer::from_slice(save)).unwrap(),
    }
}

/// The saves of a world, by name: all of it, and in two parts.
fn saves(format: &str) -> [(&'static str, Vec<u8>); 3] {
    let ((world, names), [all, inputs]) = (original(), registries());
    let groups = bundle().write_groups().clone();
    let derived = world.as_serializable(derived_matrices(&groups), &inputs, &names);
    let own = world.as_serializable(own_matrices(&groups), &all, &names);
    [
        ("world", to_bytes(format, world.as_serializable(any(), &all, &names))),
        ("inputs", to_bytes(format, derived)),
        ("others", to_bytes(format, own)),
    ]
}

fn kept(name: &str, format: &str) -> Vec<u8> {
    fs::read(folder().join(format!("{name}.{format}"))).expect("a kept save")
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("saved").join(VERSION)
}

#[test]
#[ignore = "writes the files of a version, once: SAVED=write"]
fn the_saves_of_a_version_are_written() {
    if std::env::var_os("SAVED").is_none_or(|value| value != "write") {
        return;
    }
    fs::create_dir(folder()).expect("saves of a released version stay as they are");
    for (format, saves) in FORMATS.map(|format| (format, saves(format))) {
        for (name, bytes) in saves {
            fs::write(folder().join(format!("{name}.{format}")), bytes).expect("a file");
        }
    }
}

/// What is saved: the values of inputs, and the links.
fn check_inputs(test: &mut TestWorld, names: &Canon) {
    for (number, kind, value) in INPUTS {
        let found = kind.get(&test.world.entry(id(names, *number)).expect("it lives"));
        let found = found.unwrap_or_else(|| panic!("{number} has no {}", kind.name()));
        assert!(same_bits(&found[..value.len()], value), "{number}: {kind:?} is {found:?}");
    }
    for number in 1..=ENTITIES {
        let parent = PARENTS.iter().find(|(child, _)| *child == number && number != LEAVER);
        let parent = parent.map(|(_, parent)| Parent(id(names, *parent)));
        assert_eq!(test.get::<Parent>(id(names, number)), parent, "{number}");
    }
    assert_eq!(test.value::<Aims>(id(names, 2)), Aims(id(names, 3)));
    assert_eq!(test.value::<Frame>(id(names, 14)), frame());
    assert_eq!(test.value::<Visible>(id(names, 16)), Visible(false));
    assert_eq!(test.value::<RenderLayers>(id(names, 16)), RenderLayers(0b10));
    assert_eq!(test.value::<Transform>(id(names, 18)), pose());
}

/// What the bundle derives, but for the one that has lost its parent.
fn check_derived(test: &TestWorld, names: &Canon) {
    for (number, rows) in MATRICES.iter().filter(|(number, _)| *number != LEAVER) {
        check_matrix(test, names, *number, rows);
    }
    let inverse = test.value::<WorldToLocal>(id(names, 7)).0;
    assert!((inverse - Matrix4::new_translation(&Vector3::new(0.0, 4.0, 0.0))).amax() < 1e-6);
    let inverse = test.value::<ParentScaleInverse>(id(names, 3)).0;
    assert!((inverse - Matrix4::new_scaling(0.5)).amax() < 1e-6);
    assert!(!test.value::<Effective<Visible>>(id(names, 17)).0);
    assert_eq!(test.value::<Effective<RenderLayers>>(id(names, 17)).0, 0b10);
}

#[track_caller]
fn check_matrix(test: &TestWorld, names: &Canon, number: u8, rows: &[[f32; 4]; 3]) {
    let found = test.matrix(id(names, number));
    let is_near = |row: usize, column: usize| {
        let wanted = rows[row][column];
        (found[(row, column)] - wanted).abs() <= 1e-6 * wanted.abs().max(1.0)
    };
    let all_near = (0..12).all(|at| is_near(at / 4, at % 4));
    assert!(all_near && found.row(3) == Matrix4::identity().row(3), "{number}: {found}");
}

/// Runs the bundle, and checks that the hierarchy is right and works on.
fn check_runs(test: &mut TestWorld, names: &Canon) {
    test.run();
    check_inputs(test, names);
    check_derived(test, names);
    check_matrix(test, names, LEAVER, &MATRICES[MATRICES.len() - 1].1);
    for (parent, children) in CHILDREN {
        let children: Vec<Entity> = children.iter().map(|child| id(names, *child)).collect();
        assert_eq!(test.children(id(names, parent)), children, "{parent}");
    }
    test.set(id(names, 1), Translation::new(20.0, 0.0, 0.0));
    test.run();
    let positions = [1, 2, 3, 4].map(|it| test.value::<LocalToWorld>(id(names, it)).position().x);
    assert_eq!(positions, [20.0, 19.0, 19.0, 20.0]);
}

#[test]
fn whole_worlds_load() {
    let [all, _] = registries();
    for format in FORMATS {
        let [(_, of_today), ..] = saves(format);
        for save in [kept("world", format), of_today] {
            let (mut test, names) = (TestWorld::new(bundle()), Canon::default());
            test.world = from_bytes(format, &all, &names, &save);
            assert_eq!(test.world.len(), usize::from(ENTITIES), "{format}");
            // Right before the first run.
            check_inputs(&mut test, &names);
            check_derived(&test, &names);
            check_runs(&mut test, &names);
        }
    }
}

#[test]
fn inputs_load_and_the_first_run_derives_the_rest() {
    let [all, inputs] = registries();
    for format in FORMATS {
        let [_, (_, derived), (_, own)] = saves(format);
        for parts in [[kept("inputs", format), kept("others", format)], [derived, own]] {
            let (mut test, names) = (TestWorld::new(bundle()), Canon::default());
            for (save, registry) in parts.iter().zip([&inputs, &all]) {
                let mut loaded = from_bytes(format, registry, &names, save);
                assert!(loaded.len() > 2, "{format}");
                test.world.move_from(&mut loaded, &any());
            }
            assert_eq!(test.world.len(), usize::from(ENTITIES), "{format}");
            check_runs(&mut test, &names);
        }
    }
}

thread_local! {
    /// The names of registered components.
    static REGISTERED: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// A key that lists the names from which it is made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Listed(String);

impl From<&'static str> for Listed {
    fn from(name: &'static str) -> Self {
        REGISTERED.with_borrow_mut(|names| names.push(name));
        Self(name.to_owned())
    }
}

/// Fails when a component is registered that no kept save has.
#[test]
fn every_component_is_in_a_kept_save() {
    register_components(&mut Registry::<Listed>::default());
    let registered = REGISTERED.take();
    assert!(registered.len() > 36, "{registered:?}");
    let save = String::from_utf8(kept("world", "json")).expect("JSON");
    let missing = registered.iter().filter(|name| !save.contains(&format!("\"{name}\":")));
    assert_eq!(missing.collect::<Vec<_>>(), [&""; 0]);
}
