//! What is saved comes back in a world that is lived in, in parts, and with numbers that are not
//! finite. (Whole worlds in each format: `damaged_saves`; each component: `kept_saves`. All that
//! users do around a save: `tests/runs/model`.)

use std::collections::HashMap;

use harness::snapshot;
use legion::{
    Entity, EntityStore, IntoQuery, Registry, Resources, Schedule, World, any,
    serialize::{Canon, UnknownType},
};
use legion_transform::{
    components::*,
    ecosystem::serde::{load, register_components},
    findings::FindingKind,
    frames::Frame,
    prelude::*,
};
use legion_transform_testing::snapshot::bits;
use nalgebra::{Point3, UnitQuaternion, Vector3};
use serde::de::DeserializeSeed;

struct Saved {
    world: World,
    resources: Resources,
    schedule: Schedule,
    registry: Registry<String>,
}

/// To recognise entities by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
struct Name(u32);

/// A tree of three levels.
fn saved() -> Saved {
    let mut world = World::default();
    let root = world.push_transform((Name(0), Translation::new(0.1, 0.2, 0.3), Scale(1.7)));
    let arm = world.push_child(root, (Name(1), Rotation::from_euler_angles(0.1, 0.2, 0.3)));
    world.push_child(arm, (Name(2), Translation::new(3.0, 0.0, 0.0)));
    let mut resources = Resources::default();
    let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
    schedule.execute(&mut world, &mut resources);
    let mut registry = Registry::default();
    register_components(&mut registry);
    registry.register::<Name>("Name".to_owned());
    Saved { world, resources, schedule, registry }
}

/// World matrix, parent, previous parent and children.
type Seen = (LocalToWorld, Option<u32>, Option<u32>, Vec<u32>);

/// What is seen of every entity, by name: its matrices, and its relatives by their names.
fn seen(world: &World) -> HashMap<u32, Seen> {
    let name = |entity: Entity| world.entry_ref(entity).unwrap().get_component::<Name>().unwrap().0;
    let mut query = <(
        &Name,
        &LocalToWorld,
        Option<&Parent>,
        Option<&PreviousParent>,
        Option<&Children>,
    )>::query();
    let entities = query.iter(world).map(|(key, matrix, parent, previous, children)| {
        let children = children.map(|children| children.iter().map(|child| name(*child)).collect());
        let previous = previous.and_then(|previous| previous.parent()).map(name);
        (
            key.0,
            (*matrix, parent.map(|parent| name(parent.0)), previous, children.unwrap_or_default()),
        )
    });
    entities.collect()
}

#[test]
fn into_a_world_that_is_lived_in() {
    let mut saved = saved();
    let canon = Canon::default();
    let json = serde_json::to_string(&saved.world.as_serializable(any(), &saved.registry, &canon))
        .unwrap();
    let mut world = World::default();
    let resident = world.push((LocalToWorld::identity(), Translation::new(7.0, 0.0, 0.0)));
    let tenant =
        world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(resident)));
    saved.schedule.execute(&mut world, &mut saved.resources);
    let canon = Canon::default();
    let load = |saved: &Saved, world: &mut World| {
        let mut json = serde_json::Deserializer::from_str(&json);
        saved.registry.as_deserialize_into_world(world, &canon).deserialize(&mut json).unwrap();
    };
    load(&saved, &mut world);
    assert_eq!(world.len(), 5);
    saved.schedule.execute(&mut world, &mut saved.resources);
    assert_eq!(seen(&world), seen(&saved.world));
    let at = |entity| {
        world.entry_ref(entity).unwrap().get_component::<LocalToWorld>().unwrap().position().x
    };
    assert_eq!((at(resident), at(tenant)), (7.0, 7.0));

    // The same names again: the loaded entities replace the ones with these names.
    load(&saved, &mut world);
    saved.schedule.execute(&mut world, &mut saved.resources);
    assert_eq!((world.len(), seen(&world)), (5, seen(&saved.world)));
}

#[test]
fn a_part_without_its_parent_becomes_a_root() {
    let mut saved = saved();
    let canon = Canon::default();
    saved.registry.on_unknown(UnknownType::Ignore);
    // All but the root, which alone has no Parent.
    let json = serde_json::to_string(&saved.world.as_serializable(
        legion::component::<Parent>(),
        &saved.registry,
        &canon,
    ))
    .unwrap();
    let canon = Canon::default();
    let mut deserializer = serde_json::Deserializer::from_str(&json);
    let mut loaded: World =
        saved.registry.as_deserialize(&canon).deserialize(&mut deserializer).unwrap();
    saved.schedule.execute(&mut loaded, &mut saved.resources);
    let links = seen(&loaded)
        .into_iter()
        .map(|(name, (_, parent, ..))| (name, parent))
        .collect::<HashMap<_, _>>();
    assert_eq!(links, HashMap::from([(1, None), (2, Some(1))]));
    let repaired: Vec<FindingKind> = saved
        .resources
        .get::<Findings>()
        .unwrap()
        .of(&loaded)
        .map(|finding| finding.kind)
        .collect();
    assert!(repaired.contains(&FindingKind::DeadParent), "{repaired:?}");
}

/// A world of two parts, each with parents of the other, comes back in any order of the parts, with
/// runs between them or not.
#[test]
fn parts_that_are_loaded_one_by_one_are_linked_when_all_are_there() {
    #[derive(Clone, Copy)]
    struct Late;
    let mut saved = saved();
    saved.registry.on_unknown(UnknownType::Ignore);
    let at = |x| Translation::new(x, 0.0, 0.0);
    let root = saved.world.push_transform((Name(3), at(1.0), Late));
    let children = [4, 5, 6, 7].map(|name| {
        let child = saved.world.push_child(root, (Name(name), at(2.0)));
        if name == 5 {
            saved.world.entry(child).unwrap().add_component(Late);
        }
        saved.world.push_child(child, (Name(name + 10), at(3.0), Late));
        child
    });
    saved.schedule.execute(&mut saved.world, &mut saved.resources);
    saved.world.insert_child(root, 0, children[3]).unwrap();
    saved.schedule.execute(&mut saved.world, &mut saved.resources);

    let names = Canon::default();
    let (early, late) = (!legion::component::<Late>(), legion::component::<Late>());
    let early = saved.world.as_serializable(early, &saved.registry, &names);
    let late = saved.world.as_serializable(late, &saved.registry, &names);
    let texts = [serde_json::to_string(&early), serde_json::to_string(&late)].map(Result::unwrap);
    let binaries = [postcard::to_stdvec(&early), postcard::to_stdvec(&late)].map(Result::unwrap);
    for (is_text, runs) in [true, false].into_iter().flat_map(|it| (0..3).map(move |n| (it, n))) {
        let (mut world, names) = (World::default(), Canon::default());
        for (text, binary) in texts.iter().zip(&binaries) {
            let mut json = serde_json::Deserializer::from_str(text);
            let mut postcard = postcard::Deserializer::from_bytes(binary);
            let mut loaded = match is_text {
                true => load(&saved.registry, &names, &mut json).unwrap(),
                false => load(&saved.registry, &names, &mut postcard).unwrap(),
            };
            if runs == 2 {
                saved.schedule.execute(&mut loaded, &mut saved.resources);
            }
            world.move_from(&mut loaded, &any());
            (0..runs).for_each(|_| saved.schedule.execute(&mut world, &mut saved.resources));
            let findings = saved.resources.get_mut_or_default::<Findings>();
            assert!(findings.of(&world).all(|it| !it.kind.is_repaired()));
        }
        saved.schedule.execute(&mut world, &mut saved.resources);
        let (mut got, mut wanted) = (seen(&world), seen(&saved.world));
        if runs == 2 {
            // A parent that has run without its children gains them in any order.
            let all = got.values_mut().chain(wanted.values_mut());
            all.for_each(|(.., children)| children.sort_unstable());
        }
        assert_eq!(got, wanted, "{runs}");
    }
}

#[test]
fn a_transform_is_saved_as_its_three_fields() {
    let transform = Transform::from_translation(Vector3::new(1.0, 2.0, 3.0));
    let json = serde_json::to_string(&transform).unwrap();
    assert_eq!(
        json,
        r#"{"translation":[1.0,2.0,3.0],"rotation":[0.0,0.0,0.0,1.0],"scale":[1.0,1.0,1.0]}"#
    );
    assert_eq!(serde_json::from_str::<Transform>(&json).unwrap(), transform);
}

/// JSON has no word for these numbers: they are written by name, and load as they were.
#[test]
fn numbers_that_are_not_finite_are_saved() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let mut registry = Registry::<String>::default();
    register_components(&mut registry);
    registry.register::<Transform>("Transform".into());
    let mut world = World::default();
    let pose = Transform { scale: Vector3::new(inf, 1.0, nan), ..Transform::identity() };
    let lost = world.push((
        LocalToWorld(nalgebra::Matrix4::new_scaling(nan)),
        Translation::new(nan, inf, -inf),
        Rotation(UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(inf, 0.5, 0.0, nan))),
        Scale(-inf),
        RotationEulerXYZ::new(0.1, nan, 3.0),
        Frame::at(Point3::new(f64::NAN, 1e300, f64::NEG_INFINITY)),
        pose,
    ));
    let right = world.push((Translation::new(0.1, -0.0, 1e-40), Scale(f32::MAX)));
    let contents = |world: &World, entity: Entity| {
        let all = snapshot(world);
        let row = all.get(entity).unwrap();
        let pose = world.entry_ref(entity).unwrap().get_component::<Transform>().ok().copied();
        let place = row.frame.map(|frame| frame.position.coords.as_slice().to_vec());
        let numbers = row.numbers.iter().map(|(kind, it)| (*kind, it.map(bits)));
        (Vec::from_iter(numbers), format!("{pose:?} {place:?}"))
    };

    let names = Canon::default();
    let json = serde_json::to_string(&world.as_serializable(any(), &registry, &names)).unwrap();
    assert!(json.contains(r#"["NaN","inf","-inf"]"#), "{json}");
    let of_others = json.replace("\"NaN\"", "null");
    let named = [lost, right].map(|entity| names.get_name(entity).unwrap());
    for json in [json, of_others] {
        let names = Canon::default();
        let mut reader = serde_json::Deserializer::from_str(&json);
        let loaded = load(&registry, &names, &mut reader).unwrap();
        let ids = named.map(|name| names.get_id(&name).unwrap());
        assert_eq!(contents(&loaded, ids[0]), contents(&world, lost));
        assert_eq!(contents(&loaded, ids[1]), contents(&world, right));
        let told = Findings::check(&loaded);
        assert!(told.iter().any(|it| (it.kind, it.entity) == (FindingKind::NotFinite, ids[0])));
    }
    let names = Canon::default();
    let bytes = postcard::to_stdvec(&world.as_serializable(any(), &registry, &names)).unwrap();
    let named = names.get_name(lost).unwrap();
    let names = Canon::default();
    let mut reader = postcard::Deserializer::from_bytes(&bytes);
    let loaded = load(&registry, &names, &mut reader).unwrap();
    assert_eq!(contents(&loaded, names.get_id(&named).unwrap()), contents(&world, lost));

    let wrong = serde_json::from_str::<Scale>("\"much\"").unwrap_err().to_string();
    assert!(wrong.contains("a number"), "{wrong}");
    assert_eq!(serde_json::from_str::<Scale>("2").unwrap(), Scale(2.0));
    assert_eq!(serde_json::to_string(&Translation::new(1.5, 2.0, 0.1)).unwrap(), "[1.5,2.0,0.1]");
}
