//! The targets of spawning: a world now, or a command buffer until its flush.

use std::sync::{Mutex, PoisonError};

use legion::{Entity, World, systems::CommandBuffer};

use super::{
    rows::{Many, One},
    tree::Tree,
    tuple::ComponentTuple,
};

/// A place that takes new entities.
pub trait Target {
    fn insert<T: ComponentTuple>(&mut self, rows: Many<T>) -> Vec<Entity>;

    fn insert_one<T: ComponentTuple>(&mut self, row: One<T>) -> Entity;

    fn insert_tree(&mut self, tree: (Tree, Entity)) -> Entity;
}

impl Target for World {
    fn insert<T: ComponentTuple>(&mut self, rows: Many<T>) -> Vec<Entity> {
        rows.insert(self, |ids| Vec::from_iter(ids.iter().copied()))
    }

    fn insert_one<T: ComponentTuple>(&mut self, row: One<T>) -> Entity {
        row.insert(self, |ids| ids[0])
    }

    fn insert_tree(&mut self, (tree, root): (Tree, Entity)) -> Entity {
        tree.insert(self);
        root
    }
}

impl Target for CommandBuffer {
    fn insert<T: ComponentTuple>(&mut self, rows: Many<T>) -> Vec<Entity> {
        let rows = rows.with_new_ids();
        let entities = Vec::from_iter(rows.ids().iter().copied());
        record(self, rows, |rows, world| rows.insert(world, |_| ()));
        entities
    }

    fn insert_one<T: ComponentTuple>(&mut self, row: One<T>) -> Entity {
        let row = row.with_new_ids();
        let entity = row.ids()[0];
        record(self, row, |row, world| row.insert(world, |_| ()));
        entity
    }

    fn insert_tree(&mut self, (tree, root): (Tree, Entity)) -> Entity {
        record(self, tree, Tree::insert);
        root
    }
}

/// Calls `apply` with a value at the flush.
fn record<V: Send + 'static>(
    commands: &mut CommandBuffer,
    value: V,
    apply: impl Fn(V, &mut World) + Send + Sync + 'static,
) {
    // Legion keeps commands as functions that could be called again.
    let value = Mutex::new(Some(value));
    commands.exec_mut(move |world, _| {
        if let Some(value) = value.lock().unwrap_or_else(PoisonError::into_inner).take() {
            apply(value, world);
        }
    });
}
