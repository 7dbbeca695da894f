//! What a tuple says by itself, and what a parent lacks.

use legion::systems::CommandBuffer;
use legion_transform::findings::FindingKind;

use super::*;

#[test]
fn a_tuple_has_up_to_sixteen_components_or_none() {
    struct A;
    let mut test = TestWorld::default();
    let parent = test.world.push_transform((at(1.0),));
    let numbers = (0_u8, 0_u16, 0_u32, 0_u64, 0_u128, 0_i8, 0_i16, 0_i32, 0_i64, 0_i128, 0_usize);
    let (a, b, c, d, e, f, g, h, i, j, k) = numbers;
    let (scale, inverse) = (Scale(2.0), WorldToLocal::identity());
    let sixteen = test
        .world
        .push_child(parent, (a, b, c, d, e, f, g, h, i, j, k, A, 'l', at(3.0), scale, inverse));
    let count = test.world.entry(sixteen).unwrap().archetype().layout().component_types().len();
    assert_eq!((count, test.has::<A>(sixteen)), (20, true));
    let empty = test.world.push_child(parent, ());
    run_in_place(&mut test, &[parent, sixteen, empty]);
    assert_eq!((test.x(sixteen), test.matrix(sixteen).m11, test.x(empty)), (4.0, 2.0, 1.0));
    // Nothing comes of no rows.
    assert_eq!(test.world.extend_children(empty, std::iter::empty::<(Mesh,)>()), []);
    assert!(!test.has::<Children>(empty), "no children, no parent");
    let childless = test.world.push_tree((), |it| assert_eq!(it.extend_children([(); 0]), []));
    run_in_place(&mut test, &[empty, childless]);
}

#[test]
fn what_the_tuple_has_itself_is_taken_from_it() {
    let mut test = TestWorld::default();
    let matrix = LocalToWorld(at(7.0).to_homogeneous());
    let fixed = test.world.push_transform((matrix,));
    let parent = test.world.push_transform((at(1.0), Children::new()));
    let linked = test.world.push_transform((at(1.0), Parent(parent), Mesh::new(0)));
    let local = LocalToParent(at(3.0).to_homogeneous());
    let posed = test.world.push_child(parent, (local, PreviousParent::default()));
    run_in_place(&mut test, &[fixed, parent, linked, posed]);
    assert_eq!(test.value::<LocalToWorld>(fixed), matrix);
    assert_eq!(test.children(parent), [linked, posed]);
    assert_eq!((test.x(linked), test.x(posed)), (2.0, 4.0));
}

#[test]
fn a_child_without_its_parent_waits_and_is_a_finding() {
    let mut test = TestWorld::default();
    let dead = test.world.push(());
    let mut commands = CommandBuffer::new(&test.world);
    let later = commands.push_child(dead, (at(2.0),));
    test.world.remove(dead);
    let child = test.world.push_child(dead, (at(1.0),));
    commands.flush(&mut test.world, &mut test.resources);
    test.run();
    for (entity, x) in [(child, 1.0), (later, 2.0)] {
        assert_eq!((test.value::<Parent>(entity), test.x(entity)), (Parent(dead), x));
        assert!(test.told().contains(&(FindingKind::WaitsForParent, entity, Some(dead))));
    }
}

/// Also if there is an archetype with the same number of components and all of its types.
#[cfg(panic = "unwind")]
#[test]
fn a_component_that_comes_twice_panics_and_inserts_nothing() {
    let mut test = TestWorld::default();
    let three = || (at(1.0), Rotation::identity(), Scale(2.0));
    test.world.push_transform(three());
    test.world.push_transform(transform(0));
    let twice: [fn(&mut World); 4] = [
        |world| _ = world.push_transform((at(1.0), at(2.0), Scale(2.0))),
        |world| _ = world.push_transform((transform(0), at(1.0))),
        |world| _ = world.push_transform((Rotation::identity(), transform(0))),
        |world| _ = world.push_transform((transform(0), Mesh::new(0), transform(1))),
    ];
    for spawn in twice {
        assert!(harness::caught(|| spawn(&mut test.world)).is_err());
    }
    assert_eq!(test.world.len(), 2);
    let three = test.world.push_transform(three());
    run_in_place(&mut test, &[three]);
}
