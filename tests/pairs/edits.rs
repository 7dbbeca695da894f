//! Every edit that a game makes between two runs: the crate's own, and Legion's.

use std::collections::HashSet;

use legion::{
    Entity, IntoQuery, World, any,
    systems::CommandBuffer,
    world::{Allocate, Duplicate},
};
use legion_transform::{
    components::PreviousParent,
    ecosystem::merge::register_clones,
    prelude::*,
    spawn::{insert_with_ids, reserve_ids},
};
use legion_transform_testing::Reference;
use nalgebra::{Isometry3, Matrix4, Point3, Vector3};

use super::scene::{Hp, Marker, Scene};

pub struct Edit {
    pub name: &'static str,
    pub sort: Sort,
    pub run: fn(&mut Scene),
}

/// What a subscriber's panic in an edit does.
#[derive(Clone, Copy, PartialEq)]
pub enum Sort {
    /// The crate's own: every entity stays whole.
    Own,
    /// Legion's: the world may be damaged.
    Legion,
    /// Legion's, too: it ends the process.
    Merge,
}

const fn own(name: &'static str, run: fn(&mut Scene)) -> Edit {
    Edit { name, sort: Sort::Own, run }
}

const fn legion(name: &'static str, run: fn(&mut Scene)) -> Edit {
    Edit { name, sort: Sort::Legion, run }
}

const fn merge(name: &'static str, run: fn(&mut Scene)) -> Edit {
    Edit { name, sort: Sort::Merge, run }
}

/// All of them. An edit that finds nothing to edit does nothing; one that is refused (a cycle, an
/// entity without the components) is no mistake here.
pub const EDITS: &[Edit] = &[
    own("set_parent", |it| {
        with_two(it, |it, child, parent| {
            _ = Edits::default().set_parent(&mut it.test.world, child, parent);
        });
    }),
    own("insert_child", |it| {
        with_two(it, |it, child, parent| {
            let index = it.rng.below(3);
            _ = Edits::default().insert_child(&mut it.test.world, parent, index, child);
        });
    }),
    own("remove_parent", |it| {
        with_child(it, |it, child| {
            _ = Edits::default().remove_parent(&mut it.test.world, child);
        });
    }),
    own("detach_children", |it| {
        with_any(it, |it, parent| {
            let fresh = Walk::fresh(&it.test.world).unwrap();
            let mut all: Vec<Entity> = fresh.children(parent).collect();
            if let Ok(mut detached) = Edits::default().detach_children(&mut it.test.world, parent) {
                let key = |entity: &Entity| format!("{entity:?}");
                all.sort_by_key(key);
                detached.sort_by_key(key);
                assert_eq!(detached, all, "all children of now");
            }
        });
    }),
    own("give_up_waiting", |it| {
        let reference = Reference::of(&it.test.world);
        if let Ok(given_up) = Edits::default().give_up_waiting(&mut it.test.world) {
            let waiting: HashSet<Entity> = reference.waiting().keys().copied().collect();
            assert_eq!(given_up.into_iter().collect::<HashSet<_>>(), waiting, "all that wait");
        }
    }),
    own("set_world", |it| {
        with_any(it, |it, entity| {
            let pose = Isometry3::translation(it.rng.float(-5.0, 5.0), 2.0, 0.5);
            _ = Edits::default().set_world(&mut it.test.world, entity, pose);
        });
    }),
    own("translate", |it| {
        with_any(it, |it, entity| {
            _ = Edits::default().translate(&mut it.test.world, entity, Vector3::new(1.0, 0.0, 2.0));
        });
    }),
    own("look_at", |it| {
        with_any(it, |it, entity| {
            let (target, up) = (Point3::new(7.0, -3.0, 2.0), Vector3::y());
            _ = Edits::default().look_at(&mut it.test.world, entity, target, up);
        });
    }),
    own("set_local", |it| {
        with_any(it, |it, entity| {
            let transform = Transform::from_xyz(it.rng.float(-5.0, 5.0), 0.0, 0.0);
            _ = Edits::default().set_local(&mut it.test.world, entity, transform);
        });
    }),
    own("despawn_subtree", |it| {
        with_any(it, despawn_subtree);
    }),
    own("commands: set_parent, insert_child", |it| {
        with_two(it, |it, child, parent| {
            let other = it.any().unwrap_or(child);
            with_commands(it, |_, commands| {
                let edits = Edits::default().print_failed(false);
                edits.commands(commands).set_parent(child, parent).insert_child(parent, 0, other);
            });
        });
    }),
    own("push_transform", |it| {
        let root = (Translation::new(1.0, 2.0, 3.0), Children::new());
        it.test.world.push_transform(root);
    }),
    own("push_child", |it| {
        with_any(it, |it, parent| {
            it.test.world.push_child(parent, (Translation::new(4.0, 0.0, 0.0), Scale(2.0)));
        });
    }),
    own("extend_transforms", |it| {
        let rows = it.rows();
        it.test.world.extend_transforms(rows);
    }),
    own("extend_children", |it| {
        with_any(it, |it, parent| {
            let rows = it.rows();
            it.test.world.extend_children(parent, rows);
        });
    }),
    own("insert_with_ids", |it| {
        let rows = it.rows();
        // Too few ids, too many, or as many as there are rows.
        let ids = reserve_ids(1 + it.rng.below(4));
        _ = insert_with_ids(&mut it.test.world, &ids, rows);
    }),
    own("push_tree", |it| {
        let rows = it.rows();
        it.test.world.push_tree((Translation::new(0.0, 1.0, 0.0), Scale(2.0)), |tree| {
            tree.push_child_tree((Rotation::from_rotation_x(0.5),), |below| {
                below.push_child((Scale(0.5),));
            });
            tree.extend_children(rows);
        });
    }),
    own("commands: push_child, extend_children", |it| {
        with_any(it, |it, parent| {
            let rows = it.rows();
            with_commands(it, |_, commands| {
                let child = commands.push_child(parent, (Translation::new(3.0, 0.0, 0.0),));
                commands.extend_children(child, rows);
            });
        });
    }),
    own("commands: push_tree, set_parent", |it| {
        with_two(it, |it, child, parent| {
            let rows = it.rows();
            with_commands(it, |_, commands| {
                let root = commands.push_tree((Scale(1.5),), |tree| {
                    tree.extend_children(rows);
                });
                let edits = Edits::default().print_failed(false);
                edits.commands(commands).set_parent(root, parent).set_parent(child, root);
            });
        });
    }),
    own("a run", |it| it.test.run()),
    legion("push a parent", |it| {
        let row = (LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0), Children::new());
        it.test.world.push(row);
    }),
    legion("push a child", |it| {
        with_any(it, |it, parent| {
            it.test.world.push(child_row(parent));
        });
    }),
    legion("extend children", |it| {
        with_two(it, |it, a, b| {
            it.test.world.extend([a, b, a].map(child_row).to_vec());
        });
    }),
    legion("push with another's id", |it| {
        with_any(it, |it, entity| {
            let parent = it.parent();
            match parent.filter(|parent| *parent != entity) {
                Some(parent) => it.test.world.push_with_id(entity, child_row(parent)),
                None => it.test.world.push_with_id(entity, (LocalToWorld::identity(), Scale(3.0))),
            }
        });
    }),
    legion("push a child of a dead one", |it| {
        let dead = it.dead;
        it.test.world.push(child_row(dead));
    }),
    legion("remove a parent", |it| {
        with_parent(it, |it, entity| _ = it.test.world.remove(entity));
    }),
    legion("remove a child", |it| {
        with_child(it, |it, entity| _ = it.test.world.remove(entity));
    }),
    legion("an edit, a removal, a child, and another edit", |it| {
        with_two(it, |it, child, parent| {
            let beside = it.child();
            despawn_subtree(it, child);
            beside.map(|beside| it.test.world.remove(beside));
            it.test.world.push(child_row(parent));
            if it.test.world.contains(parent) {
                despawn_subtree(it, parent);
            }
        });
    }),
    legion("no parent, and again by its id", |it| {
        with_parent(it, |it, entity| {
            it.test.world.remove(entity);
            it.test.world.push_with_id(entity, (LocalToWorld::identity(), Scale(0.5)));
        });
    }),
    legion("add a marker", |it| with_any(it, |it, entity| it.test.put(entity, Marker))),
    legion("add and remove a marker", |it| {
        with_any(it, |it, entity| {
            it.test.put(entity, Marker);
            it.test.take::<Marker>(entity);
        });
    }),
    legion("write a translation", |it| {
        with_any(it, |it, entity| {
            let x = it.rng.float(-9.0, 9.0);
            it.test.put(entity, Translation::new(x, 0.0, 1.0));
        });
    }),
    legion("add a scale", |it| with_any(it, |it, entity| it.test.put(entity, Scale(0.75)))),
    legion("add a WorldToLocal", |it| {
        with_any(it, |it, entity| it.test.put(entity, WorldToLocal::identity()));
    }),
    legion("write a component of one's own", |it| {
        let user = *it.rng.pick(&it.users.clone());
        it.test.set(user, Hp(1.0));
    }),
    legion("another Parent", |it| {
        with_two(it, |it, child, parent| it.test.put(child, Parent(parent)));
    }),
    legion("another Parent and record", |it| {
        with_two(it, |it, child, parent| {
            it.test.put(child, Parent(parent));
            it.test.put(child, PreviousParent(Some(parent)));
        });
    }),
    legion("a dead Parent", |it| {
        with_any(it, |it, child| {
            let dead = it.dead;
            it.test.put(child, Parent(dead));
        });
    }),
    legion("a Parent in a cycle", |it| {
        with_child(it, |it, child| {
            let above = it.test.get::<Parent>(child).map_or(child, |parent| parent.0);
            if it.test.world.contains(above) {
                it.test.put(above, Parent(child));
                it.test.put(above, LocalToParent::identity());
            }
        });
    }),
    legion("no Parent", |it| with_child(it, |it, child| it.test.take::<Parent>(child))),
    legion("no Parent, and again", |it| {
        with_child(it, |it, child| {
            if let Some(parent) = it.test.get::<Parent>(child) {
                it.test.take::<Parent>(child);
                it.test.put(child, parent);
            }
        });
    }),
    legion("no LocalToParent", |it| {
        with_child(it, |it, child| it.test.take::<LocalToParent>(child));
    }),
    legion("no LocalToWorld", |it| {
        with_any(it, |it, entity| it.test.take::<LocalToWorld>(entity));
    }),
    legion("other Children", |it| {
        with_two(it, |it, child, parent| {
            let dead = it.dead;
            let mut list = it.test.children(parent);
            list.insert(0, child);
            let extra = [child, dead, parent];
            let count = it.rng.below(4);
            list.extend(extra.into_iter().take(count));
            it.test.put(parent, Children::from_iter(list));
        });
    }),
    legion("Children in another order", |it| {
        with_parent(it, |it, parent| {
            let mut list = it.test.children(parent);
            list.reverse();
            it.test.put(parent, Children::from_iter(list));
        });
    }),
    legion("no Children", |it| with_parent(it, |it, entity| it.test.take::<Children>(entity))),
    legion("no Children, and others", |it| {
        with_parent(it, |it, entity| {
            it.test.take::<Children>(entity);
            it.test.put(entity, Children::new());
        });
    }),
    legion("another record", |it| {
        with_two(it, |it, child, other| it.test.put(child, PreviousParent(Some(other))));
    }),
    legion("no record", |it| {
        with_child(it, |it, entity| it.test.take::<PreviousParent>(entity));
    }),
    legion("another matrix", |it| {
        with_any(it, |it, entity| {
            it.overwrites = true;
            if is_derived(it, entity) {
                it.test.put(entity, LocalToWorld(Matrix4::repeat(-7.0)));
            }
        });
    }),
    legion("take all translations", |it| {
        <&mut Translation>::query().for_each_mut(&mut it.test.world, |_| ());
    }),
    legion("take all Parents", |it| {
        <&mut Parent>::query().for_each_mut(&mut it.test.world, |_| ());
    }),
    legion("take all Children", |it| {
        <&mut Children>::query().for_each_mut(&mut it.test.world, |_| ());
    }),
    merge("merge a world", |it| {
        let (mut other, _) = other_world();
        it.test.world.move_from(&mut other, &any());
    }),
    merge("clone a world", |it| {
        let (other, _) = other_world();
        let mut merger = Duplicate::default();
        register_clones(&mut merger);
        it.test.world.clone_from(&other, &any(), &mut merger);
    }),
    legion("push with a new id", |it| {
        let id = Allocate::new().next().expect("ids do not run out");
        it.test.world.push_with_id(id, (LocalToWorld::identity(), Scale(2.0), Children::new()));
    }),
];

fn with_any(it: &mut Scene, edit: impl FnOnce(&mut Scene, Entity)) {
    if let Some(entity) = it.any() {
        edit(it, entity);
    }
}

fn with_parent(it: &mut Scene, edit: impl FnOnce(&mut Scene, Entity)) {
    if let Some(entity) = it.parent() {
        edit(it, entity);
    }
}

fn with_child(it: &mut Scene, edit: impl FnOnce(&mut Scene, Entity)) {
    if let Some(entity) = it.child() {
        edit(it, entity);
    }
}

/// With a child, or any other entity, and a parent that is another one.
fn with_two(it: &mut Scene, edit: impl FnOnce(&mut Scene, Entity, Entity)) {
    let child = if it.rng.one_in(3) { it.any() } else { it.child() };
    let parent = if it.rng.one_in(3) { it.any() } else { it.parent() };
    if let (Some(child), Some(parent)) = (child, parent)
        && child != parent
    {
        edit(it, child, parent);
    }
}

fn with_commands(it: &mut Scene, record: impl FnOnce(&mut Scene, &mut CommandBuffer)) {
    let mut commands = CommandBuffer::new(&it.test.world);
    record(it, &mut commands);
    commands.flush(&mut it.test.world, &mut it.test.resources);
}

/// Despawns an entity with all that hangs below it as of now.
fn despawn_subtree(it: &mut Scene, entity: Entity) {
    let below = Walk::fresh(&it.test.world).unwrap().descendants(entity).count();
    let despawned = Edits::default().despawn_subtree(&mut it.test.world, entity);
    assert_eq!(despawned, 1 + below, "{entity:?} goes with all that hangs below it now");
}

/// Whether the bundle computes the entity's `LocalToWorld`: a user's own stays.
fn is_derived(it: &Scene, entity: Entity) -> bool {
    it.test.has::<Translation>(entity) && !it.test.has::<LocalToParent>(entity)
}

type ChildRow = (LocalToWorld, LocalToParent, Translation, Parent);

fn child_row(parent: Entity) -> ChildRow {
    let at = Translation::new(0.5, 0.0, 0.0);
    (LocalToWorld::identity(), LocalToParent::identity(), at, Parent(parent))
}

/// Another world that has run, with a family and one whose parent is left behind.
fn other_world() -> (World, Entity) {
    let mut other = harness::TestWorld::default();
    let root = other.world.push_transform((Translation::new(5.0, 0.0, 0.0), Children::new()));
    let child = other.world.push_child(root, (Translation::new(1.0, 0.0, 0.0), Scale(1.25)));
    other.world.push_child(child, (Scale(3.0),));
    other.run();
    (other.world, root)
}
