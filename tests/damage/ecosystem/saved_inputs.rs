//! A world that is saved without the matrices that the bundle derives comes back the same.

use std::collections::HashMap;

use legion::{
    Entity, EntityStore, IntoQuery, Registry, Resources, Schedule, World, any, component,
    serialize::Canon,
    storage::ComponentTypeId,
    world::{Duplicate, Entry},
};
use legion_transform::{
    WriteGroups,
    cloning::EntityCloner,
    components::{Effective, Frame, PreviousParent, RenderLayers, Visible},
    ecosystem::{merge::register_clones, serde::*},
    prelude::*,
};
use legion_transform_testing::Kind;
use nalgebra::Matrix4;
use serde::de::DeserializeSeed;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
struct Name(u32);

/// Takes `LocalToWorld` over.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
struct OwnWorld;

/// Takes `LocalToParent` over.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
struct OwnLocal;

fn bundle() -> TransformSystemBundle {
    TransformSystemBundle::default()
        .write_group::<LocalToWorld, OwnWorld>()
        .write_group::<LocalToParent, OwnLocal>()
}

fn run(world: &mut World) {
    Schedule::builder().add_transforms(bundle()).build().execute(world, &mut Resources::default());
}

fn at(x: f32) -> Translation {
    Translation::new(x, 0.0, 0.0)
}

/// Each way to have a matrix, derived or not, as roots and as children of each other.
fn world() -> World {
    let mut world = World::default();
    let matrix =
        Matrix4::new_scaling(3.0).append_translation(&nalgebra::Vector3::new(1.0, 2.0, 3.0));
    let root = world.push_transform((Name(0), at(1.0), Scale(2.0), WorldToLocal::identity()));
    let still = world.push_transform((Name(1), LocalToWorld(matrix)));
    let first = world.push_child(root, (Name(2), at(1.0)));
    let posed = world.push_child(root, (Name(3), LocalToParent(matrix)));
    let last = world.push_child(
        root,
        (Name(4), RotationEulerXYZ::new(0.1, 0.2, 0.3), Rotation::identity(), at(5.0)),
    );
    world.push_child(still, (Name(5), NonUniformScale::new(1.0, 2.0, 3.0)));
    world.push_child(posed, (Name(6), at(2.0)));
    let taken = world.push_child(first, (Name(7), OwnWorld, LocalToWorld(matrix), at(9.0)));
    world.push_child(taken, (Name(8), at(2.0)));
    world.push_child(first, (Name(13), OwnLocal, LocalToParent(matrix), at(9.0)));
    world.push((Name(9), LocalToWorld(matrix), LocalToParent(matrix), at(1.0)));
    world.push((Name(10), LocalToWorld(matrix), Parent(root), at(4.0)));
    world.push((Name(11),));
    world.push((Name(12), at(4.0)));
    run(&mut world);
    world.insert_child(root, 0, last).unwrap();
    run(&mut world);
    world
}

/// Matrices, the parent and the children of each entity, by name.
fn seen(world: &World) -> HashMap<u32, String> {
    let name =
        |entity: &Entity| world.entry_ref(*entity).unwrap().get_component::<Name>().unwrap().0;
    let mut query = <(Entity, &Name)>::query();
    let described = query.iter(world).map(|(entity, key)| {
        let entry = world.entry_ref(*entity).unwrap();
        let matrices = (
            entry.get_component::<LocalToWorld>().ok(),
            entry.get_component::<LocalToParent>().ok(),
        );
        let inverse = entry.get_component::<WorldToLocal>().ok();
        let parent = entry.get_component::<Parent>().ok().map(|parent| name(&parent.0));
        let previous = entry
            .get_component::<PreviousParent>()
            .ok()
            .map(|previous| previous.parent().as_ref().map(name));
        let children: Option<Vec<u32>> = entry
            .get_component::<Children>()
            .ok()
            .map(|children| children.iter().map(name).collect());
        (key.0, format!("{matrices:?} {inverse:?} {parent:?} {previous:?} {children:?}"))
    });
    described.collect()
}

fn registries() -> [Registry<String>; 2] {
    let mut both = [Registry::default(), Registry::default()];
    register_inputs(&mut both[0]);
    register_components(&mut both[1]);
    for registry in &mut both {
        registry.register::<Name>("Name".to_owned());
        registry.register::<OwnWorld>("OwnWorld".to_owned());
        registry.register::<OwnLocal>("OwnLocal".to_owned());
    }
    both
}

#[test]
fn every_way_to_have_a_matrix_comes_back() {
    let mut original = world();
    let mut loaded = in_two_parts(&original);
    let names = |world: &World| Vec::from_iter(seen(world).into_keys());
    let own = <&LocalToWorld>::query().iter(&loaded).count();
    assert!(own < names(&loaded).len() / 2, "matrices are there where they are of the user's");
    // What is missing in both is added to both.
    let mut schedule = Schedule::builder().add_transforms(bundle().insert_missing()).build();
    for world in [&mut loaded, &mut original] {
        schedule.execute(world, &mut Resources::default());
    }
    assert_eq!(seen(&loaded), seen(&original));
}

/// An entity with one component alone: whether a save of all has it, one of inputs, and a clone.
fn kept(add: impl Fn(&mut Entry<'_>), id: ComponentTypeId) -> [bool; 3] {
    let (mut world, registries, names) = (World::default(), registries(), Canon::default());
    let entity = world.push((Name(0),));
    add(&mut world.entry(entity).unwrap());
    let saved = registries.map(|registry| {
        let text = serde_json::to_string(&world.as_serializable(any(), &registry, &names)).unwrap();
        let (mut loaded, mut json) = (World::default(), serde_json::Deserializer::from_str(&text));
        let names = Canon::default();
        registry.as_deserialize_into_world(&mut loaded, &names).deserialize(&mut json).unwrap();
        loaded
    });
    let (mut merger, mut clones) = (Duplicate::default(), World::default());
    register_clones(&mut merger);
    merger.register_clone::<Name>();
    clones.clone_from(&world, &any(), &mut merger);
    let [inputs, all] = saved;
    [all, inputs, clones].map(|world| {
        let entity = *Entity::query().iter(&world).next().unwrap();
        world.entry_ref(entity).unwrap().archetype().layout().component_types().contains(&id)
    })
}

#[test]
fn every_component_is_saved_loaded_and_cloned() {
    let left_out = [Kind::LocalToWorld, Kind::LocalToParent];
    for &kind in Kind::ALL {
        let add = |entry: &mut Entry<'_>| kind.add(entry, &kind.identity());
        let is_input = !left_out.contains(&kind);
        assert_eq!(kept(add, kind.type_id()), [true, is_input, true], "{}", kind.name());
    }
    let other = World::default().push(());
    macro_rules! kept {
        ($($type:ty: $value:expr, $is_input:expr;)*) => {$(
            let found = kept(|it| it.add_component($value), ComponentTypeId::of::<$type>());
            assert_eq!(found, [true, $is_input, true], stringify!($type));
        )*};
    }
    kept! {
        Parent: Parent(other), true;
        PreviousParent: PreviousParent::default(), false;
        Children: Children::new(), true;
        Frame: Frame::default(), true;
        Visible: Visible(false), true;
        RenderLayers: RenderLayers(1), true;
        Effective<Visible>: Effective::<Visible>::default(), false;
        Effective<RenderLayers>: Effective::<RenderLayers>::default(), false;
    }
}

/// Saves a world in two parts and loads them again.
fn in_two_parts(world: &World) -> World {
    let (registries, names) = (registries(), Canon::default());
    let groups = bundle().write_groups().clone();
    let filters = [derived_matrices(&groups), own_matrices(&groups)];
    let parts = filters.into_iter().zip(&registries).map(|(filter, registry)| {
        serde_json::to_string(&world.as_serializable(filter, registry, &names)).unwrap()
    });
    let (mut loaded, names) = (World::default(), Canon::default());
    for (part, registry) in parts.collect::<Vec<_>>().iter().zip(&registries) {
        let mut json = serde_json::Deserializer::from_str(part);
        loaded.move_from(&mut load(registry, &names, &mut json).unwrap(), &any());
    }
    loaded
}

/// On a cycle a `ParentScaleInverse` is not read, so that the matrix beside it is the user's.
#[test]
fn matrices_on_a_cycle_come_back() {
    let mut world = World::default();
    let matrix = LocalToParent(Matrix4::new_scaling(3.0));
    let inverse = ParentScaleInverse(Matrix4::identity());
    let [a, b] = [0, 1].map(|i| world.push_transform((Name(i), matrix, inverse)));
    for (child, parent) in [(a, b), (b, a)] {
        world.entry(child).unwrap().add_component(Parent(parent));
    }
    run(&mut world);
    check_scale(&world);
    let mut loaded = in_two_parts(&world);
    let mut schedule = Schedule::builder().add_transforms(bundle().insert_missing()).build();
    schedule.execute(&mut loaded, &mut Resources::default());
    check_scale(&loaded);
}

fn check_scale(world: &World) {
    let worlds: Vec<f32> = <&LocalToWorld>::query().iter(world).map(|it| it.m11).collect();
    assert_eq!(worlds, [3.0; 2]);
}

/// A part of a world, by a component, and of it the inputs.
#[test]
fn a_filter_selects_a_part_of_the_inputs() {
    #[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
    struct Saved;
    let mut world = World::default();
    world.push_transform((Name(0), at(1.0)));
    world.push_transform((Name(1), at(1.0), Saved));
    world.push_transform((Name(2), LocalToWorld::identity(), Saved));
    let groups = bundle().write_groups().clone();
    let [mut inputs, mut whole] = registries();
    for registry in [&mut inputs, &mut whole] {
        registry.register::<Saved>("Saved".to_owned());
    }
    let names = Canon::default();
    let saved = component::<Saved>();
    let parts = [
        serde_json::to_value(world.as_serializable(
            saved.clone() & derived_matrices(&groups),
            &inputs,
            &names,
        )),
        serde_json::to_value(world.as_serializable(saved & own_matrices(&groups), &whole, &names)),
    ];
    for (part, (registry, name)) in parts.into_iter().zip([(&inputs, 1), (&whole, 2)]) {
        let loaded = load(registry, &Canon::default(), part.unwrap()).unwrap();
        let found: Vec<u32> = <&Name>::query().iter(&loaded).map(|name| name.0).collect();
        assert_eq!(found, [name]);
    }
}

#[test]
fn inputs_take_less_than_half_the_space() {
    let mut world = World::default();
    let root = world.push_transform((at(1.0),));
    world.extend_children(
        root,
        (0..1_000).map(|i| {
            let turn = Rotation::from_euler_angles(i as f32 * 0.37, 0.2, i as f32 * 0.011);
            (at(i as f32 * 0.731), turn, Scale(1.0 + i as f32 * 0.0013))
        }),
    );
    run(&mut world);
    let (registries, groups, names) = (registries(), WriteGroups::default(), Canon::default());
    let size = |bytes: postcard::Result<Vec<u8>>| bytes.unwrap().len();
    let all = world.as_serializable(any(), &registries[1], &names);
    let derived = world.as_serializable(derived_matrices(&groups), &registries[0], &names);
    let (whole, inputs) = (size(postcard::to_stdvec(&all)), size(postcard::to_stdvec(&derived)));
    assert!(inputs * 2 < whole, "{inputs} of {whole} bytes");
}

/// What is below an entity is saved without matrices, and loaded below a parent.
#[test]
fn a_part_of_a_world_comes_back_below_a_parent() {
    let mut cloner = EntityCloner::default();
    cloner.register::<Name>();
    cloner.register_by::<OwnWorld>(|_, _| true).register_by::<OwnLocal>(|_, _| true);
    let original = world();
    let named = |world: &World, name: u32| {
        <(Entity, &Name)>::query().iter(world).find(|it| it.1.0 == name).map(|it| *it.0).unwrap()
    };
    let mut part = World::default();
    cloner.clone_to(&original, named(&original, 0), &mut part, None).unwrap();
    let loaded = in_two_parts(&part);
    let mut target = World::default();
    let room = target.push_transform((Translation::identity(),));
    let root = named(&loaded, 0);
    let copies = cloner.clone_to(&loaded, root, &mut target, Some(room)).unwrap();
    let mut schedule = Schedule::builder().add_transforms(bundle().insert_missing()).build();
    schedule.execute(&mut target, &mut Resources::default());
    assert_eq!((copies.len(), target.len()), (8, 9));
    let walk = Walk::new(&target).unwrap();
    let old = Walk::new(&original).unwrap();
    let name = |world: &World, entity: Entity| {
        world.entry_ref(entity).unwrap().get_component::<Name>().unwrap().0
    };
    for name_of in [0, 2, 3, 4, 6, 7, 8, 13] {
        let [was, is] = [named(&original, name_of), named(&target, name_of)];
        let [before, after] = [(&original, was), (&target, is)].map(|(world, entity)| {
            *world.entry_ref(entity).unwrap().get_component::<LocalToWorld>().unwrap()
        });
        assert_eq!(before, after, "{name_of}");
        let names: Vec<u32> = old.children(was).map(|it| name(&original, it)).collect();
        assert!(walk.children(is).map(|it| name(&target, it)).eq(names), "{name_of}");
    }
    assert_eq!(walk.parent(copies[&root]), Some(room));
}
