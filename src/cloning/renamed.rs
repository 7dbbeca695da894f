//! Clones in which entities have other names.
//!
//! Legion renames entities in `Entity::clone`, by a map that is known only while a world is cloned.
//! So a world of one row is cloned, and the work is done in that moment:
//!
//! ```text
//!  clone_from_single             the map is known     e1 => e7
//!      merge_archetype           the work             Parent(e1).clone() is Parent(e7)
//!                                the map is empty again
//! ```

use std::{collections::HashMap, mem, ops::Range, sync::LazyLock};

use legion::{
    Entity, World,
    storage::{Archetype, ArchetypeWriter, Components, EntityLayout},
    world::{EntityHasher, EntityRewrite, Merger},
};

use crate::engine::Panics;

/// Which entity became which.
pub(super) type EntityMap = HashMap<Entity, Entity, EntityHasher>;

/// Does the work while clones of entities are renamed by this map. If it panics, names are as
/// before when the panic goes on.
pub(super) fn renamed<R>(map: EntityMap, work: impl FnOnce() -> R) -> R {
    static ONE: LazyLock<(World, Entity)> = LazyLock::new(|| {
        let mut world = World::default();
        let entity = world.push(());
        (world, entity)
    });
    let (mut work, mut result) = (Some(work), None);
    let mut moment = Moment {
        map,
        work: &mut || result = work.take().map(|work| work()),
        panics: Panics::default(),
    };
    World::default().clone_from_single(&ONE.0, ONE.1, &mut moment);
    moment.panics.go_on();
    result.expect("it has been done")
}

struct Moment<'w> {
    map: EntityMap,
    work: &'w mut dyn FnMut(),
    panics: Panics,
}

impl Merger for Moment<'_> {
    fn entity_map(&mut self) -> EntityRewrite {
        EntityRewrite::Explicit(mem::take(&mut self.map))
    }

    fn convert_layout(&mut self, _: EntityLayout) -> EntityLayout {
        EntityLayout::new()
    }

    fn merge_archetype(
        &mut self,
        _: Range<usize>,
        _: &Archetype,
        _: &Components,
        _: &mut ArchetypeWriter<'_>,
    ) {
        self.panics.catch(&mut *self.work);
    }
}
