//! The edits, by name.

use std::{collections::HashSet, sync::Arc};

use legion::{
    IntoQuery, World, any,
    world::{Allocate, Duplicate},
};
use legion_transform::{
    cloning::EntityCloner,
    components::PreviousParent,
    ecosystem::merge::register_clones,
    prelude::*,
    spawn::{insert_with_ids, reserve_ids},
};
use nalgebra::{Isometry3, Matrix4, Point3, UnitQuaternion, Vector3};

use super::{
    place::{Edit, Place, Sort, identity},
    rows::{below, noted, other_world, replace},
};
use crate::{
    kind::Kind,
    reference::Reference,
    world::{edits::Step, value::Value},
};

const fn own(name: &'static str, make: fn(&mut Place<'_>) -> Option<()>) -> Edit {
    Edit { name, sort: Sort::Own, make }
}

const fn legion(name: &'static str, make: fn(&mut Place<'_>) -> Option<()>) -> Edit {
    Edit { name, sort: Sort::Legion, make }
}

const fn of_sort(sort: Sort, name: &'static str, make: fn(&mut Place<'_>) -> Option<()>) -> Edit {
    Edit { name, sort, make }
}

fn edits() -> Edits {
    Edits::default().print_failed(false)
}

/// Made, whatever came of it.
fn done<T>(_: T) -> Option<()> {
    Some(())
}

/// All edits.
pub const EDITS: &[Edit] = &[
    own("set_parent", |it| {
        let [child, parent] = it.two()?;
        edits().set_parent(it.world, child, parent).ok()
    }),
    own("insert_child", |it| {
        let [child, parent] = it.two()?;
        let index = it.below(4);
        it.insert_child(parent, index, child)
    }),
    own("remove_parent", |it| {
        let child = it.child()?;
        edits().remove_parent(it.world, child).ok()
    }),
    own("detach_children", |it| {
        let parent = it.any()?;
        let all = it.children(parent);
        let detached = edits().detach_children(it.world, parent).ok()?;
        assert_eq!(detached, all, "all children of now");
        Some(())
    }),
    own("give_up_waiting", |it| {
        let reference = Reference::of(it.world);
        let given_up = edits().give_up_waiting(it.world).ok()?;
        let waiting: HashSet<_> = reference.waiting().keys().copied().collect();
        let given_up: HashSet<_> = given_up.into_iter().collect();
        // Before the first run `Parent` alone links.
        let has_run = it.resources.contains::<Findings>();
        assert!(!has_run || given_up == waiting, "{given_up:?}, not all that wait: {waiting:?}");
        Some(())
    }),
    own("set_local_to_world", |it| {
        let pose = Isometry3::translation(it.float(5), 2.0, 0.5);
        let entity = it.any()?;
        edits().set_local_to_world(it.world, entity, pose).ok()
    }),
    own("set_local_to_parent", |it| {
        let matrix = Matrix4::new_translation(&Vector3::new(it.float(5), 2.0, 0.5));
        let entity = it.any()?;
        edits().set_local_to_parent(it.world, entity, matrix).ok()
    }),
    own("scale_around", |it| {
        let factors = [[2.0; 3], [-1.0, 1.0, 1.0], [1.0, 1.0, 0.0]][it.below(3)];
        let entity = it.any()?;
        edits().scale_around(it.world, entity, Point3::new(1.0, 0.0, 2.0), factors.into()).ok()
    }),
    own("translate", |it| {
        let entity = it.any()?;
        edits().translate(it.world, entity, Vector3::new(1.0, 0.0, 2.0)).ok()
    }),
    own("rotate, rotate_around", |it| {
        let (entity, turn) = (it.any()?, UnitQuaternion::from_euler_angles(0.0, 0.5, 0.0));
        edits().rotate(it.world, entity, turn).ok()?;
        edits().rotate_around(it.world, entity, Point3::new(1.0, 0.0, 0.0), turn).ok()
    }),
    own("look_at", |it| {
        let entity = it.any()?;
        edits().look_at(it.world, entity, Point3::new(7.0, -3.0, 2.0), Vector3::y()).ok()
    }),
    own("set_transform", |it| {
        let transform = Transform::from_xyz(it.float(5), 0.0, 0.0);
        let entity = it.any()?;
        edits().set_transform(it.world, entity, transform).ok()
    }),
    own("set_transforms", |it| {
        let to = |x| Transform::from_xyz(x, 1.0, 0.0);
        let ([a, b], x) = (it.two()?, it.float(5));
        edits().set_transforms(it.world, [(a, to(x)), (b, to(2.0)), (a, to(3.0))]).ok()
    }),
    own("update_transforms", |it| {
        let ([a, b], x) = (it.two()?, it.float(5));
        edits().update_transforms(it.world, [a, b, a], |_, it| it.translation.z += x).ok()
    }),
    own("despawn_subtree", |it| {
        let root = it.any()?;
        it.despawn(root, false)
    }),
    own("despawn_subtree by commands", |it| {
        let root = it.any()?;
        it.despawn(root, true)
    }),
    own("set_parent, insert_child by commands", |it| {
        let [child, parent] = it.two()?;
        let other = it.any().unwrap_or(child);
        it.commands(|commands| {
            edits().set_parent(commands, child, parent);
            edits().insert_child(commands, parent, 0, other);
        })
    }),
    own("duplicate, duplicate_below", |it| {
        let root = it.any()?;
        let parent = it.any().filter(|_| !it.one_in(3));
        let cloner = EntityCloner::default().leave_out_unregistered();
        let all = Walk::fresh(&*it.world).expect("a world").subtree(root).count();
        let copies = cloner.duplicate(it.world, root).ok()?;
        assert_eq!(copies.len(), all, "all below it, and itself");
        done(cloner.duplicate_below(it.world, copies[&root], parent))
    }),
    own("clone_to", |it| {
        let (root, parent) = (it.any()?, it.any()?);
        let (cloner, mut prefab) =
            (EntityCloner::default().leave_out_unregistered(), World::default());
        let copies = cloner.clone_to(it.world, root, &mut prefab, None).ok()?;
        done(cloner.clone_to(&prefab, copies[&root], it.world, Some(parent)))
    }),
    own("push_transform", |it| {
        done(it.world.push_transform((Translation::new(1.0, 2.0, 3.0), Children::new())))
    }),
    own("push_child", |it| {
        let parent = it.any()?;
        done(it.world.push_child(parent, (Translation::new(4.0, 0.0, 0.0), Scale(2.0))))
    }),
    own("extend_transforms", |it| {
        let rows = it.rows();
        done(it.world.extend_transforms(rows))
    }),
    own("extend_children", |it| {
        let (parent, rows) = (it.any()?, it.rows());
        done(it.world.extend_children(parent, rows))
    }),
    own("insert_with_ids", |it| {
        let rows = it.rows();
        // Too few ids, too many, or as many as there are rows.
        let ids = reserve_ids(1 + it.below(4));
        insert_with_ids(it.world, &ids, rows).ok()
    }),
    own("push_tree", |it| {
        let rows = it.rows();
        it.world.push_tree((Translation::new(0.0, 1.0, 0.0), Scale(2.0)), |tree| {
            tree.push_child_tree((Rotation::from_rotation_x(0.5),), |below| {
                below.push_child((Scale(0.5),));
            });
            tree.extend_children(rows);
        });
        Some(())
    }),
    own("push_child, extend_children by commands", |it| {
        let (parent, rows) = (it.any()?, it.rows());
        it.commands(|commands| {
            let child = commands.push_child(parent, (Translation::new(3.0, 0.0, 0.0),));
            commands.extend_children(child, rows);
        })
    }),
    own("push_tree, set_parent by commands", |it| {
        let ([child, parent], rows) = (it.two()?, it.rows());
        it.commands(|commands| {
            let root = commands.push_tree((Scale(1.5),), |tree| {
                tree.extend_children(rows);
            });
            edits().set_parent(commands, root, parent);
            edits().set_parent(commands, child, root);
        })
    }),
    legion("push a parent", |it| {
        let row = (LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0), Children::new());
        done(it.world.push(row))
    }),
    legion("push a child", |it| {
        let parent = it.any()?;
        done(it.world.push(below(parent)))
    }),
    legion("push a child with a record", |it| {
        let parent = it.any()?;
        let record = it.one_in(2).then_some(parent);
        done(it.world.push(noted(parent, record)))
    }),
    legion("push what lacks a matrix", |it| {
        let (parent, [world, local]) = (Parent(it.any()?), [it.one_in(2), it.one_in(2)]);
        match (world, local) {
            (true, true) => it.world.push((LocalToWorld::identity(), LocalToParent::identity())),
            (true, false) => it.world.push((LocalToWorld::identity(), parent, Children::new())),
            (false, true) => it.world.push((LocalToParent::identity(), Scale(2.0), parent)),
            (false, false) => it.world.push((Scale(2.0), parent)),
        };
        Some(())
    }),
    legion("extend children", |it| {
        let [a, b] = it.two()?;
        done(it.world.extend([a, b, a].map(below).to_vec()))
    }),
    legion("push with another's id", |it| {
        let (entity, parent) = (it.any()?, it.parent());
        replace(it.world, entity, parent, false)
    }),
    legion("extend with another's id", |it| {
        let (entity, parent) = (it.any()?, it.parent());
        replace(it.world, entity, parent, true)
    }),
    legion("push with a dead one's id", |it| {
        let (dead, parent) = (it.dead(), it.any());
        let parent = parent.filter(|_| it.one_in(2));
        match parent {
            Some(parent) => it.world.push_with_id(dead, below(parent)),
            None => {
                let list: Children = it.any().into_iter().chain(it.child()).collect();
                it.world.push_with_id(dead, (LocalToWorld::identity(), Scale(2.0), list));
            }
        }
        let name = it.cast.number(dead);
        if it.one_in(3) {
            it.play([Step::Remove(name, identity(Kind::LocalToWorld))])?;
        }
        Some(())
    }),
    legion("push a child of a dead one", |it| {
        let dead = it.dead();
        done(it.world.push(below(dead)))
    }),
    legion("push with a new id", |it| {
        let id = Allocate::new().next().expect("ids do not run out");
        it.world.push_with_id(id, (LocalToWorld::identity(), Scale(2.0), Children::new()));
        Some(())
    }),
    legion("remove a parent", |it| it.of(Place::parent, |it| [Step::Despawn(it)])),
    legion("remove a child", |it| it.of(Place::child, |it| [Step::Despawn(it)])),
    legion("an edit, a removal, a child, and another edit", |it| {
        let [child, parent] = it.two()?;
        let beside = it.beside(child);
        it.despawn(child, false);
        beside.map(|beside| it.world.remove(beside));
        it.world.push(below(parent));
        if it.world.contains(parent) { it.despawn(parent, false) } else { None }
    }),
    legion("no parent, and again by its id", |it| {
        let entity = it.parent()?;
        it.world.remove(entity);
        replace(it.world, entity, None, false)
    }),
    legion("add a marker", |it| it.of(Place::any, |it| [Step::Tag(it)])),
    legion("remove a marker", |it| it.of(Place::any, |it| [Step::Untag(it)])),
    legion("add and remove a marker", |it| {
        it.of(Place::any, |it| [Step::Tag(it), Step::Untag(it)])
    }),
    legion("write a translation", |it| {
        let x = it.float(9);
        let at = std::array::from_fn(|index| [x, 0.0, 1.0].get(index).copied().unwrap_or(0.0));
        it.of(Place::any, |it| [Step::Put(it, Value::Numbers(Kind::Translation, at))])
    }),
    legion("add a scale", |it| {
        it.of(Place::any, |it| [Step::Put(it, Value::Numbers(Kind::Scale, [0.75; 16]))])
    }),
    legion("write a component of one's own", |it| {
        it.of(Place::marked, |it| [Step::Write(it, Value::Own(Arc::new(1_u8)))])
    }),
    legion("add a WorldToLocal", |it| {
        it.of(Place::any, |it| [Step::Put(it, identity(Kind::WorldToLocal))])
    }),
    legion("add a LocalToParent", |it| {
        it.of(Place::any, |it| [Step::Put(it, identity(Kind::LocalToParent))])
    }),
    legion("another Parent", |it| it.of_two(|child, parent| [Step::Link(child, parent)])),
    legion("another Parent, in place", |it| {
        let [child, parent] = it.two()?;
        let child = it.cast.number(child);
        it.play([Step::Write(child, Value::Own(Arc::new(Parent(parent))))])
    }),
    legion("another Parent and record", |it| {
        it.of_two(|child, parent| {
            [Step::Link(child, parent), Step::Record(child, Some(Some(parent)))]
        })
    }),
    legion("a dead Parent", |it| {
        let dead = it.dead();
        let dead = it.cast.number(dead);
        it.of(Place::any, |it| [Step::Link(it, dead)])
    }),
    legion("a Parent in a cycle", |it| {
        let child = it.child()?;
        let above = it.get::<Parent>(child).map_or(child, |parent| parent.0);
        let [child, above] = [child, above].map(|entity| it.cast.number(entity));
        it.play([Step::Link(above, child), Step::Put(above, identity(Kind::LocalToParent))])
    }),
    legion("no Parent", |it| it.of(Place::child, |it| [Step::Unlink(it)])),
    legion("no Parent, and again", |it| {
        let child = it.child()?;
        let [child, parent] =
            [child, it.get::<Parent>(child)?.0].map(|entity| it.cast.number(entity));
        it.play([Step::Unlink(child), Step::Link(child, parent)])
    }),
    legion("no LocalToParent", |it| {
        it.of(Place::child, |it| [Step::Remove(it, identity(Kind::LocalToParent))])
    }),
    legion("no LocalToWorld", |it| {
        it.of(Place::any, |it| [Step::Remove(it, identity(Kind::LocalToWorld))])
    }),
    legion("other Children", |it| {
        let [child, parent] = it.two()?;
        let extra = [child, it.dead(), parent].map(|entity| it.cast.number(entity));
        let mut list = it.listed(parent);
        list.insert(0, extra[0]);
        let count = it.below(4);
        list.extend(extra.into_iter().take(count));
        it.play([Step::List(extra[2], Some(list))])
    }),
    legion("Children in another order", |it| {
        let parent = it.parent()?;
        let mut list = it.listed(parent);
        list.reverse();
        let parent = it.cast.number(parent);
        it.play([Step::List(parent, Some(list))])
    }),
    legion("a child less in Children, in place", |it| {
        let parent = it.parent()?;
        let list = it.get::<Children>(parent)?;
        let list = list
            .split_last()
            .map_or_else(Children::new, |(_, rest)| rest.iter().copied().collect());
        let parent = it.cast.number(parent);
        it.play([Step::Write(parent, Value::Own(Arc::new(list)))])
    }),
    legion("no Children", |it| it.of(Place::parent, |it| [Step::List(it, None)])),
    legion("no Children, and others", |it| {
        it.of(Place::parent, |it| [Step::List(it, None), Step::List(it, Some(Vec::new()))])
    }),
    legion("another record", |it| {
        it.of_two(|child, parent| [Step::Record(child, Some(Some(parent)))])
    }),
    legion("another record, in place", |it| {
        let [child, parent] = it.two()?;
        let child = it.cast.number(child);
        let record = PreviousParent::from(Some(parent));
        it.play([Step::Write(child, Value::Own(Arc::new(record)))])
    }),
    legion("no record", |it| it.of(Place::child, |it| [Step::Record(it, None)])),
    of_sort(Sort::Overwrites, "another matrix", |it| {
        let matrix = Value::Numbers(Kind::LocalToWorld, [-7.0; 16]);
        let entity = it.any()?;
        // A user's own matrix stays.
        it.get::<Translation>(entity)?;
        let name = it.cast.number(entity);
        if it.get::<LocalToParent>(entity).is_some() {
            return None;
        }
        it.play([Step::Put(name, matrix)])
    }),
    legion("take all translations", |it| {
        <&mut Translation>::query().for_each_mut(it.world, |_| ());
        Some(())
    }),
    legion("take all Parents", |it| {
        <&mut Parent>::query().for_each_mut(it.world, |_| ());
        Some(())
    }),
    legion("take all Children", |it| {
        <&mut Children>::query().for_each_mut(it.world, |_| ());
        Some(())
    }),
    of_sort(Sort::Merge, "merge a world", |it| {
        it.world.move_from(&mut other_world(), &any());
        Some(())
    }),
    of_sort(Sort::Merge, "clone a world", |it| {
        let mut merger = Duplicate::default();
        register_clones(&mut merger);
        done(it.world.clone_from(&other_world(), &any(), &mut merger))
    }),
];
