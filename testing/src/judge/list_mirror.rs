//! A copy of all world matrices, kept in step by the list of what changed and nothing else.

use std::collections::{HashMap, HashSet};

use legion::{Entity, IntoQuery, Resources, World};
use legion_transform::{TransformChanges, changes::WorldChanges, components::LocalToWorld};

use crate::snapshot;

/// The bits of a matrix.
type Bits = [u32; 16];

/// Copies of all world matrices that follow [`TransformChanges`] and nothing else: by archetype and
/// row, as a renderer's buffers are, and by entity. What the list leaves out, they lack.
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
/// use legion_transform_testing::ListMirror;
///
/// let (mut world, mut resources) = (World::default(), Resources::default());
/// let bundle = TransformSystemBundle::default().track_changes();
/// let mut schedule = Schedule::builder().add_transforms(bundle).build();
/// let mut mirror = ListMirror::default();
/// world.push_transform((Translation::new(1.0, 0.0, 0.0),));
/// schedule.execute(&mut world, &mut resources);
/// let in_vain = mirror.follow(&world, &resources);
/// assert!(in_vain.is_empty());
/// ```
#[derive(Default)]
pub struct ListMirror {
    buffers: HashMap<u32, Vec<Bits>>,
    /// The archetype and the bits of every entity after the last run.
    entities: HashMap<Entity, (u32, Bits)>,
}

fn bits(matrix: &LocalToWorld) -> Bits {
    let mut numbers = matrix.0.iter().map(|number| snapshot::bits(*number));
    std::array::from_fn(|_| numbers.next().expect("sixteen numbers"))
}

impl ListMirror {
    /// Follows the last run. Does nothing if the bundle does not track changes. Returns the
    /// entities that were listed without need.
    ///
    /// # Panics
    ///
    /// If a matrix is out of step, or if something that changed or is gone is not listed.
    #[track_caller]
    pub fn follow(&mut self, world: &World, resources: &Resources) -> Vec<Entity> {
        self.follow_in(world, resources, true)
    }

    /// [`follow`](Self::follow), where matrices may have been overwritten since the run: unless
    /// `is_right`, the copy follows without being compared.
    ///
    /// # Panics
    ///
    /// As `follow` does.
    #[track_caller]
    pub fn follow_in(
        &mut self,
        world: &World,
        resources: &Resources,
        is_right: bool,
    ) -> Vec<Entity> {
        let Some(changes) = resources.get::<TransformChanges>() else { return Vec::new() };
        let Some(changes) = changes.tracked(world) else { return Vec::new() };
        if changes.begins_anew() {
            *self = Self::default();
        }
        let mut query = <(Entity, &LocalToWorld)>::query();
        let mut now = HashMap::new();
        for chunk in query.iter_chunks(world) {
            let index = chunk.archetype().index();
            let (entities, worlds) = chunk.into_components();
            now.extend(
                entities
                    .iter()
                    .zip(worlds)
                    .map(|(&entity, world)| (entity, (index.0, bits(world)))),
            );
            let Some(rows) = changes.archetype(index) else { continue };
            assert_eq!(
                (rows.len(), rows.entities()),
                (entities.len(), entities),
                "rows are those of the run's end"
            );
            let is_marked = |row: &usize| rows.words()[row / 64] >> (row % 64) & 1 == 1;
            assert!(rows.rows().eq((0..rows.len()).filter(is_marked)), "rows are bits of words");
            let buffer = self.buffers.entry(index.0).or_default();
            buffer.resize(rows.len(), [0; 16]);
            rows.rows().for_each(|row| buffer[row] = bits(&worlds[row]));
        }
        for rows in changes.archetypes().filter(|rows| rows.is_empty()) {
            self.buffers.remove(&rows.archetype().0);
        }
        for chunk in query.iter_chunks(world).filter(|_| is_right) {
            let index = chunk.archetype().index().0;
            let (_, worlds) = chunk.into_components();
            let buffer = self.buffers.get(&index).map_or(&[][..], Vec::as_slice);
            assert!(
                buffer.iter().copied().eq(worlds.iter().map(bits)),
                "archetype {index} is out of step"
            );
        }
        let rows: usize = self.buffers.values().map(Vec::len).sum();
        assert_eq!(rows, now.len(), "archetypes that lost all rows are listed");
        self.compare_entities(changes, now, is_right)
    }

    /// Whether each entity that changed or is gone is listed.
    fn compare_entities(
        &mut self,
        changes: &WorldChanges,
        now: HashMap<Entity, (u32, Bits)>,
        is_right: bool,
    ) -> Vec<Entity> {
        let listed: HashSet<Entity> = changes.changed().collect();
        assert_eq!(listed.len(), changes.changed().count(), "each entity is listed once");
        let before = std::mem::replace(&mut self.entities, now);
        let changed = |(entity, now): &(&Entity, &(u32, Bits))| before.get(entity) != Some(now);
        let changed: HashSet<Entity> =
            self.entities.iter().filter(changed).map(|(&entity, _)| entity).collect();
        if is_right {
            assert_eq!(
                changed.difference(&listed).collect::<Vec<_>>(),
                Vec::<&Entity>::new(),
                "changed and not listed"
            );
        }
        let gone: HashSet<Entity> =
            before.into_keys().filter(|entity| !self.entities.contains_key(entity)).collect();
        let removed: HashSet<Entity> = changes.removed().iter().copied().collect();
        assert_eq!(gone, removed, "what is gone is listed");
        let lists_nothing = listed.is_empty() && removed.is_empty();
        assert!(lists_nothing || !changes.is_empty(), "a list with something in it is not empty");
        listed.difference(&changed).copied().collect()
    }
}
