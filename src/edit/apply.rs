//! Plans, and carrying them out: only a dead entity fails. Below plans: the order of siblings, the
//! entities below one, and the `LocalToWorld` of new parents.

use std::collections::HashSet;

use legion::{
    Entity, EntityStore, World,
    storage::Component,
    world::{EntityHasher, Entry},
};
use nalgebra::{Matrix4, Translation3, Vector3};

use crate::{
    components::{with_rotation_euler, *},
    engine::{LocalInputs, Mask, OtherLinks, RowWriter, for_each_component, remove, rules},
    query::Walk,
};

/// All that an edit changes on one entity.
pub(super) struct Plan {
    pub entity: Entity,
    pub parent: ParentChange,
    /// `ParentScaleInverse` becomes the identity: the new parent has no scale, and the value
    /// cancelled the old parent's scale, or was ignored because there was no parent.
    pub reset: bool,
    /// Its frame goes, with the inputs beside it, which were ignored.
    pub gives_frame_up: bool,
    pub local: LocalChange,
}

pub(super) enum ParentChange {
    Keep,
    /// A different parent; or the same, to which the next run links it now.
    Set(Entity),
    Remove,
}

/// The inputs before and after.
pub(super) type Change = Box<(LocalInputs, LocalInputs)>;

pub(super) enum LocalChange {
    Keep,
    Inputs(Change),
    /// The pose of an entity with a frame, or one that gets a frame in place of its inputs.
    Frame(Frame),
    /// The stored matrix: `LocalToParent`, or `LocalToWorld` of a root. `strip` removes the inputs
    /// that would overwrite it.
    Matrix {
        matrix: Matrix4<f32>,
        is_local: bool,
        strip: bool,
    },
}

impl Plan {
    /// One that changes nothing but the place below the parent.
    pub fn local(entity: Entity, local: LocalChange) -> Self {
        let parent = ParentChange::Keep;
        Self { entity, parent, reset: false, gives_frame_up: false, local }
    }

    /// Writes all of it.
    pub fn apply(self, world: &mut World) {
        let Some(mut entry) = world.entry(self.entity) else { return };
        let entry = &mut entry;
        match self.parent {
            ParentChange::Keep => {}
            ParentChange::Set(parent) => {
                put(entry, Parent(parent));
                if !entry.archetype().layout().has_component::<LocalToParent>() {
                    entry.add_component(LocalToParent::identity());
                }
            }
            ParentChange::Remove => {
                entry.remove_component::<LocalToParent>();
                entry.remove_component::<Parent>();
            }
        }
        if self.gives_frame_up {
            strip_inputs(entry);
            entry.remove_component::<Frame>();
        }
        rewrite(entry, self.reset.then(ParentScaleInverse::identity));
        match self.local {
            LocalChange::Keep => {}
            LocalChange::Frame(frame) => {
                if entry.get_component::<Frame>().is_err() {
                    strip_inputs(entry);
                }
                _ = set_if_other(entry, frame);
            }
            LocalChange::Inputs(change) => write_inputs(world, self.entity, &change.0, &change.1),
            LocalChange::Matrix { matrix, is_local, strip } => {
                if strip {
                    strip_inputs(entry);
                }
                _ = match is_local {
                    true => set_if_other(entry, LocalToParent(matrix)),
                    false => set_if_other(entry, LocalToWorld(matrix)),
                };
            }
        }
        if let ParentChange::Set(_) = self.parent {
            OtherLinks::note_call(world, self.entity, false);
        }
    }
}

/// The parent of an entity that no run has linked to it.
pub(super) fn new_parent(world: &World, entity: Entity) -> Option<Entity> {
    let entry = world.entry_ref(entity).ok()?;
    let parent = entry.get_component::<Parent>().ok()?.0;
    let record = entry.get_component::<PreviousParent>().ok().and_then(|record| record.0);
    (record != Some(parent)).then_some(parent)
}

/// Takes an entity out of a list in which [`place`] may have put it. Costs O(siblings).
pub(super) fn take_out(world: &mut World, parent: Entity, child: Entity) {
    if let Some(mut parent) = world.entry(parent)
        && parent.get_component::<Children>().is_ok_and(|list| list.contains(&child))
        && let Ok(list) = parent.get_component_mut::<Children>()
    {
        list.0.retain(|it| *it != child);
    }
}

/// Writes a component, or adds it. (To add one that is there, Legion searches all archetypes.)
fn put<T: Component>(entry: &mut Entry<'_>, component: T) {
    match entry.get_component_mut::<T>() {
        Ok(stored) => *stored = component,
        Err(_) => entry.add_component(component),
    }
}

/// Writes a component only if it changes, so that no version is bumped without reason. Returns
/// whether it did.
fn set_if_other<T: Component + PartialEq>(entry: &mut Entry<'_>, component: T) -> bool {
    let is_other = entry.get_component::<T>() != Ok(&component);
    if is_other {
        put(entry, component);
    }
    is_other
}

/// Writes a component where the entity has one that differs. (`add_component` would have all of
/// Legion's code for columns of this type compiled here.)
fn rewrite<T: Component + PartialEq>(entry: &mut Entry<'_>, component: Option<T>) {
    if let Some(component) = component
        && entry.get_component::<T>().is_ok_and(|stored| *stored != component)
        && let Ok(stored) = entry.get_component_mut::<T>()
    {
        *stored = component;
    }
}

/// Calls a macro with the inputs that edits add, write and remove, each with its component.
macro_rules! with_inputs {
    ($with:ident) => {
        $with! {
            translation: translation,
            rotation.rotation: Rotation,
            scale.uniform: Scale,
            scale.axes: NonUniformScale,
            scale.shear: Shear,
            scale.composite: CompositeScale,
        }
    };
}

fn write_inputs(world: &mut World, entity: Entity, old: &LocalInputs, new: &LocalInputs) {
    let are_two = |it: &LocalInputs| it.scale.uniform.is_some() && it.scale.axes.is_some();
    debug_assert!(are_two(old) || !are_two(new), "an edit gives no entity two scales");
    let Some(at) = world.entry(entity).map(|entry| entry.location()) else { return };
    if RowWriter::edit(world, at, |row| rewrite_inputs(row, old, new)) {
        return;
    }
    // The other differences are components to add or remove.
    let Some(mut entry) = world.entry(entity) else { return };
    fn change<T: Component + PartialEq, V: PartialEq>(
        entry: &mut Entry<'_>,
        old: Option<V>,
        new: Option<V>,
        wrap: fn(V) -> T,
    ) {
        match new {
            _ if old == new => {}
            Some(value) => _ = set_if_other(entry, wrap(value)),
            None => entry.remove_component::<T>(),
        }
    }
    macro_rules! change {
        ($($($field:ident).+: $component:expr,)*) => {
            $(change(&mut entry, old.$($field).+, new.$($field).+, $component);)*
        };
    }
    with_inputs!(change);
}

fn translation(vector: Vector3<f32>) -> Translation {
    Translation(Translation3 { vector })
}

/// Writes the inputs that the entity has, where they change. Returns whether that is all: none has
/// to be added or removed.
fn rewrite_inputs(row: &mut RowWriter<'_>, old: &LocalInputs, new: &LocalInputs) -> bool {
    let mut is_all = true;
    macro_rules! rewrite {
        ($($($field:ident).+: $component:expr,)*) => {$(
            if old.$($field).+ != new.$($field).+ {
                is_all &= new.$($field).+.is_some_and(|value| row.rewrite($component(value)));
            }
        )*};
    }
    with_inputs!(rewrite);
    if let Some(composite) = new.rotation.composite {
        row.rewrite(CompositeRotation(composite));
    }
    if let (Some(order), Some(angles)) = (new.rotation.euler, new.rotation.angles) {
        macro_rules! rewrite_angles {
            ($euler:ident) => {
                _ = row.rewrite($euler(angles))
            };
        }
        with_rotation_euler!(order, rewrite_angles);
    }
    is_all
}

/// Removes all inputs that would overwrite a matrix, now or once another input is gone.
fn strip_inputs(entry: &mut Entry<'_>) {
    let inputs = rules::all_inputs_of_local_matrices();
    macro_rules! remove {
        ($($component:ident: $bit:ident,)*) => {
            $(if inputs.has(Mask::$bit) {
                entry.remove_component::<$component>();
            })*
        };
    }
    for_each_component!(remove);
}

/// Puts a child at an index of its parent's `Children`. The list then has all children, also those
/// linked since the last run. The next run keeps that order.
pub(super) fn place(
    world: &mut World,
    parent: Entity,
    index: usize,
    child: Entity,
    links: &mut OtherLinks<'_>,
) {
    let walk = Walk::with(world, links);
    let mut children: Children =
        walk.children(parent).filter(|sibling| *sibling != child).collect();
    let index = index.min(children.len());
    children.0.insert(index, child);
    arrange(world, parent, children, [child], links);
}

/// Writes the list of all children of a parent, some of which have come to stand elsewhere in it.
/// The next run keeps that order.
pub(crate) fn arrange(
    world: &mut World,
    parent: Entity,
    children: Children,
    moved: impl IntoIterator<Item = Entity>,
    links: &mut OtherLinks<'_>,
) {
    moved.into_iter().for_each(|child| links.add(parent, child));
    OtherLinks::note_call(world, parent, true);
    let Some(mut entry) = world.entry(parent) else { return };
    match entry.get_component::<Children>() {
        Ok(list) if *list == children => {}
        Ok(_) => {
            if let Ok(list) = entry.get_component_mut::<Children>() {
                *list = children;
            }
        }
        Err(_) => entry.add_component(children),
    }
}

/// Despawns the entities and all their descendants; returns the number of entities.
pub(super) fn despawn(world: &mut World, roots: impl IntoIterator<Item = Entity>) -> usize {
    let roots: Vec<Entity> = roots.into_iter().filter(|root| world.contains(*root)).collect();
    if roots.is_empty() {
        return 0;
    }
    OtherLinks::with(world, |world, links| {
        let walk = Walk::with(world, links);
        let mut order = Vec::new();
        if let [root] = roots[..] {
            order.push(root);
            order.extend(walk.descendants(root));
        } else {
            // A root may be below another, or named twice.
            let mut doomed: HashSet<Entity, EntityHasher> = HashSet::default();
            for root in roots {
                if doomed.insert(root) {
                    order.push(root);
                    order.extend(walk.descendants(root).filter(|entity| doomed.insert(*entity)));
                }
            }
        }
        order.into_iter().filter(|&entity| remove(world, entity)).count()
    })
}

/// Adds `LocalToWorld` to the living entities that lack it, and returns them.
pub(super) fn add_local_to_world(world: &mut World, entities: &[Entity]) -> Vec<Entity> {
    let mut added = Vec::new();
    for &entity in entities {
        let Some(mut entry) = world.entry(entity) else { continue };
        if !entry.archetype().layout().has_component::<LocalToWorld>() {
            entry.add_component(LocalToWorld::identity());
            added.push(entity);
        }
    }
    added
}

/// Takes `LocalToWorld` away again from the entities that were given one.
pub(super) fn remove_local_to_world(world: &mut World, entities: &[Entity]) {
    for &entity in entities {
        if let Some(mut entry) = world.entry(entity) {
            entry.remove_component::<LocalToWorld>();
        }
    }
}
