//! The saves that `load` takes, and the error of each damage. Binary saves are written as JSON
//! here, with the keys of a binary save: some binary formats name fields, too.

use harness::{at, below, schedule, x};
use legion::{
    IntoQuery, Registry, Resources, World, any,
    serialize::{Canon, UnknownType},
};
use legion_transform::{
    ecosystem::serde::{load, register_components},
    prelude::*,
};

const ONE: &str = "00000000-0000-0000-0000-000000000001";
const TWO: &str = "00000000-0000-0000-0000-000000000002";

fn registry() -> Registry<String> {
    let mut registry = Registry::default();
    register_components(&mut registry);
    registry
}

fn read(registry: &Registry<String>, text: &str) -> Result<World, String> {
    let text = text.replace("ONE", &format!("\"{ONE}\"")).replace("TWO", &format!("\"{TWO}\""));
    load(registry, &Canon::default(), &mut serde_json::Deserializer::from_str(&text))
        .map_err(|error| error.to_string())
}

/// A binary save of one archetype.
fn archetype(layout: &str, entities: &str, columns: &str) -> String {
    let rows = format!(r#""entities":[{entities}],"components":{{{columns}}}"#);
    format!(r#"{{"packed":[{{"_layout":[{layout}],{rows}}}]}}"#)
}

#[test]
fn archetypes_are_read_column_by_column() {
    let save = archetype(
        r#""Scale","Parent""#,
        "ONE,TWO",
        r#""Parent":[TWO,ONE],"Scale":[2.0,3.0]"#, // in any order
    );
    let world = read(&registry(), &save).unwrap();
    let scales: Vec<f32> = <&Scale>::query().iter(&world).map(|scale| scale.0).collect();
    assert_eq!((world.len(), scales), (2, vec![2.0, 3.0]));

    let mut lenient = registry();
    lenient.on_unknown(UnknownType::Ignore);
    let save = archetype(r#""Hat","Scale""#, "ONE", r#""Hat":["red"],"Scale":[2.0]"#);
    assert_eq!(<&Scale>::query().iter(&read(&lenient, &save).unwrap()).count(), 1);
}

#[test]
fn each_damage_of_an_archetype_is_an_error_that_says_what_it_is() {
    let cases = [
        (archetype(r#""Scale""#, "ONE,TWO", r#""Scale":[2.0]"#), "a column is too short"),
        (archetype(r#""Scale""#, "ONE", r#""Scale":[2.0,3.0]"#), "a column is too long"),
        (archetype(r#""Scale""#, "", r#""Scale":[2.0]"#), "a column is too long"),
        (archetype(r#""Scale""#, "ONE", ""), "a column is missing"),
        (archetype("", "ONE", r#""Scale":[2.0]"#), "a column too many"),
        (archetype(r#""Scale""#, "ONE", r#""Scale":[2.0],"Scale":[2.0]"#), "a column too many"),
        (archetype(r#""Scale","Scale""#, "ONE", r#""Scale":[2.0]"#), "a component twice"),
        (archetype(r#""Scale""#, "ONE,ONE", r#""Scale":[2.0,3.0]"#), "an entity has two rows"),
        (archetype(r#""Hat""#, "ONE", r#""Hat":[2.0]"#), "unknown component type"),
        (archetype(r#""Scale""#, "ONE", r#""Hat":[2.0]"#), "unknown component type"),
        (archetype(r#""Scale""#, "ONE", r#""Scale":["big"]"#), "invalid value"),
        (archetype(r#""Scale""#, "2", r#""Scale":[2.0]"#), "UUID"),
        (r#"{"packed":[{"_layout":["Scale"]}]}"#.into(), "ends too early"),
        (r#"{"packed":[{"_layout":["Scale"],"entities":[ONE]}]}"#.into(), "ends too early"),
        (r#"{"packed":[{"entities":[ONE],"_layout":["Scale"]}]}"#.into(), "not in order"),
        ("{}".into(), "the save holds no world"),
        (r#"{"packed":[],"entities":{}}"#.into(), "the save holds more than one world"),
        (r#"{"zipped":[]}"#.into(), "unknown variant"),
    ];
    for (save, expected) in cases {
        let error = read(&registry(), &save).expect_err(&save);
        assert!(error.contains(expected), "{save}: {error}");
    }
}

#[test]
fn the_same_entity_in_two_archetypes_is_an_error() {
    let one = r#"{"_layout":["Scale"],"entities":[ONE,TWO],"components":{"Scale":[2.0,3.0]}}"#;
    let other = r#"{"_layout":[],"entities":[ONE,TWO],"components":{}}"#;
    let both = format!(r#"{{"packed":[{one},{other}]}}"#);
    assert!(read(&registry(), &both).unwrap_err().contains("an entity has two rows"), "{both}");
}

#[test]
fn a_component_that_an_entity_has_twice_is_an_error() {
    let save = r#"{"entities":{ONE:{"Scale":2.0,"Scale":3.0}}}"#;
    let error = read(&registry(), save).expect_err("it is refused");
    assert!(error.contains("an entity has a component twice"), "{error}");
    let save = r#"{"entities":{ONE:{"Scale":2.0},TWO:{"Scale":3.0}}}"#;
    assert_eq!(read(&registry(), save).unwrap().len(), 2);
}

/// Legion's reader reserves memory for the number of rows that a save says.
#[test]
fn a_length_that_no_save_can_have_is_an_error() {
    let mut world = World::default();
    world.push((LocalToWorld::identity(), Scale(2.0)));
    let names = Canon::default();
    let sound = postcard::to_stdvec(&world.as_serializable(any(), &registry(), &names)).unwrap();
    let length = postcard::to_stdvec(&(1_u64 << 58)).unwrap(); // matrices: 2^64 bytes
    let mut refused = 0;
    for at in 0..sound.len() {
        let save = [&sound[..at], &length, &sound[at + 1..]].concat();
        let mut bytes = postcard::Deserializer::from_bytes(&save);
        refused += usize::from(load(&registry(), &Canon::default(), &mut bytes).is_err());
    }
    assert!(refused > 60, "{refused}");
}

/// A save replaces what bears its names in a world that is lived in, wherever it is by now.
#[test]
fn a_save_is_moved_into_a_world_that_is_lived_in() {
    let (mut world, names) = (World::default(), Canon::default());
    let root = world.push(at(1.0));
    let children: Vec<_> = (0..3).map(|child| world.push(below(root, child as f32))).collect();
    let (mut schedule, mut resources) = (schedule(), Resources::default());
    schedule.execute(&mut world, &mut resources);
    let save = postcard::to_stdvec(&world.as_serializable(any(), &registry(), &names)).unwrap();

    let stranger = world.push(below(root, 5.0));
    for (number, child) in children.iter().enumerate() {
        let mut entry = world.entry(*child).unwrap();
        entry.add_component(Translation::new(70.0, 0.0, 0.0));
        entry.add_component(Scale(number as f32)); // to another archetype
    }
    schedule.execute(&mut world, &mut resources);
    let mut bytes = postcard::Deserializer::from_bytes(&save);
    let mut loaded = load(&registry(), &names, &mut bytes).unwrap();
    world.move_from(&mut loaded, &any());
    schedule.execute(&mut world, &mut resources);
    assert_eq!(children.iter().map(|child| x(&world, *child)).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
    assert_eq!((world.len(), x(&world, stranger)), (5, 6.0));
    assert_eq!(<&Scale>::query().iter(&world).count(), 0);
}
