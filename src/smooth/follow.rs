//! Following the ticks.
//!
//! ```text
//!  end       the motions of the tick before: what does not move again is at rest
//!  leave     rows that got another entity: the matrix of the one before, by entity
//!  enter     rows that changed: a motion from the old matrix of the entity to the new one
//!  arrive    entities that came below a parent that moves: a motion along with it
//! ```

use std::collections::{HashMap, HashSet};

use legion::{
    Entity, EntityStore, Read,
    storage::{ArchetypeIndex, ComponentStorage},
    world::EntityHasher,
};

use super::{
    Column, LastFrame, Smooth,
    arrivals::Arrivals,
    error::SmoothError,
    motion::{Motion, Way, motion},
    origin::SeenAnew,
};
use crate::{
    changes::{ChangedRows, TransformChanges},
    components::{LocalToWorld, Parent},
    query::Walk,
};

type ByEntity<T> = HashMap<Entity, T, EntityHasher>;

/// The knowledge of an entity from the tick before, beside its matrix.
#[derive(Clone, Copy)]
struct Before {
    /// The turn, if the entity turned: it ended at the matrix.
    turn: Option<u32>,
    /// Whether it moved, or is settled: then a frame still has to draw it where it is now.
    is_due: bool,
}

impl Smooth {
    /// Follows a tick. Call it after each run of the bundle on the world, which must
    /// [`track_changes`](crate::TransformSystemBundle::track_changes). What systems have done since
    /// the run does no harm: entities that they have spawned come in the next tick. In a system, it
    /// needs read access to `LocalToWorld`, `Parent` and `Children`; with access to
    /// [`PreviousParent`](crate::components::PreviousParent), what came below a parent that moves
    /// comes along with it.
    ///
    /// # Errors
    /// [`SmoothError::NotTracked`] if no bundle with `track_changes` has run on the world;
    /// [`SmoothError::Query`] in a system that has not declared that access.
    pub fn tick<S: EntityStore>(
        &mut self,
        world: &S,
        changes: &TransformChanges,
    ) -> Result<(), SmoothError> {
        let changes = changes.tracked(world).ok_or(SmoothError::NotTracked)?;
        let walk = Walk::new(world)?;
        let teleported = self.teleported.drain(..);
        let still: HashSet<Entity, EntityHasher> = teleported
            .flat_map(|entity| std::iter::once(entity).chain(walk.descendants(entity)))
            .collect();
        if changes.begins_anew() {
            self.columns.clear();
            self.moving.clear();
            self.settled.clear();
            self.last_frame.iter_mut().for_each(|last| last.matrices.clear());
        }
        self.places.take();
        let mut settled = self.end_motions();
        let mut seen = self.old_in_new.take().map(|pose| SeenAnew::new(world, pose));
        if let Some((seen, last)) = seen.as_mut().zip(self.last_frame.as_mut()) {
            last.matrices.iter_mut().for_each(|(&entity, matrix)| _ = seen.see(entity, matrix));
        }
        let (mut left, mut arrivals) = (ByEntity::default(), Arrivals::default());
        for rows in changes.archetypes() {
            self.leave(&rows, &mut left);
        }
        for rows in changes.archetypes() {
            let now = MatricesNow::of(world, rows.archetype());
            let came = self.enter(&rows, &now, &left, &still, seen.as_mut());
            // `still` are drawn where they are.
            let follow = came.into_iter().filter(|(entity, _)| !still.contains(entity));
            arrivals.extend(follow.map(|(entity, row)| (entity, (rows.archetype().0, row))));
            settled.push(rows.archetype().0);
        }
        self.arrive(world, arrivals);
        self.turns.take_apart();
        settled.append(&mut self.settled);
        settled.sort();
        settled.dedup();
        settled.retain(|&archetype| {
            let Column { ended, settled, .. } = &mut self.columns[archetype as usize];
            ended.drain(..).for_each(|motion| _ = settled.insert(motion.row));
            settled.sort();
            !settled.is_unused()
        });
        self.settled = settled;
        for entity in still {
            let matrix = self.matrix(world, entity, 1.0);
            if let Some((last, matrix)) = self.last_frame.as_mut().zip(matrix) {
                last.matrices.insert(entity, matrix);
            }
        }
        if let Some(last) = &mut self.last_frame {
            changes.removed().iter().for_each(|entity| _ = last.matrices.remove(entity));
        }
        Ok(())
    }

    /// Ends the motions of the tick before. What they were in the last frame is kept. Returns the
    /// archetypes that had some.
    fn end_motions(&mut self) -> Vec<u32> {
        let archetypes = std::mem::take(&mut self.moving);
        for &archetype in &archetypes {
            let column = &mut self.columns[archetype as usize];
            std::mem::swap(&mut column.ended, &mut column.motions);
            let Some(LastFrame { alpha, matrices }) = &mut self.last_frame else { continue };
            for motion in &column.ended {
                let row = motion.row as usize;
                let matrix = || motion.at(&self.turns, &column.matrices[row], *alpha);
                matrices.entry(column.entities[row]).or_insert_with(matrix);
            }
        }
        self.turns.end();
        archetypes
    }

    /// Keeps the matrices of entities whose rows have another entity now, or are gone.
    fn leave(&mut self, rows: &ChangedRows<'_>, left: &mut ByEntity<(LocalToWorld, Before)>) {
        let index = rows.archetype().0 as usize;
        if self.columns.len() <= index {
            self.columns.resize_with(index + 1, Column::default);
        }
        let column = &mut self.columns[index];
        let gone = rows.len()..column.entities.len();
        for row in rows.rows().filter(|row| *row < rows.len()).chain(gone) {
            match column.entities.get(row) {
                Some(&entity) if rows.entities().get(row) != Some(&entity) => {
                    let before = column.before(row, motion(&column.ended, row));
                    left.insert(entity, (column.matrices[row], before));
                }
                _ => {}
            }
        }
    }

    /// Takes over the rows that changed. Returns the entities that came, if they can have parents,
    /// with their rows.
    fn enter<S: EntityStore>(
        &mut self,
        rows: &ChangedRows<'_>,
        matrices: &MatricesNow<'_, S>,
        left: &ByEntity<(LocalToWorld, Before)>,
        still: &HashSet<Entity, EntityHasher>,
        mut seen: Option<&mut SeenAnew<'_, S>>,
    ) -> Vec<(Entity, u32)> {
        let mut came = Vec::new();
        let index = rows.archetype().0;
        let column = &mut self.columns[index as usize];
        let known = column.resize(rows, matrices);
        let mut motions_before = std::mem::take(&mut column.ended);
        let mut ended = motions_before.iter().peekable();
        for row in rows.rows().take_while(|row| *row < rows.len()) {
            let (entity, at) = (rows.entities()[row], row as u32);
            // What moved before and is not among the changes rests.
            while let Some(motion) = ended.next_if(|motion| motion.row < at) {
                column.settled.insert(motion.row);
            }
            let motion = ended.next_if(|motion| motion.row == at);
            let before = match row < known && column.entities[row] == entity {
                true => Some(column.before(row, motion)),
                false => column.bring(row, left.get(&entity)),
            };
            column.entities[row] = entity;
            column.settled.remove(at);
            // Without one, it is dead or has no matrix any more: the old one is kept.
            let Some(new) = matrices.at(row, entity) else { continue };
            let old = &mut column.matrices[row];
            let Some(mut before) = before else {
                *old = *new;
                column.settled.insert(at);
                if matrices.have_parents {
                    came.push((entity, at));
                }
                continue;
            };
            if seen.as_mut().is_some_and(|seen| seen.see(entity, old)) {
                before.turn = None;
            }
            let Some(way) = Way::of(old, new, &mut self.turns, before.turn) else {
                *old = *new; // NaNs may differ
                // It has only come to another row: what was drawn of it is right.
                if before.is_due {
                    column.settled.insert(at);
                }
                continue;
            };
            if let Some(last) = &mut self.last_frame {
                last.matrices.entry(entity).or_insert(*old);
            }
            *old = *new;
            match still.contains(&entity) {
                true => _ = column.settled.insert(at),
                false => column.motions.push(Motion { row: at, way }),
            }
        }
        ended.for_each(|motion| _ = column.settled.insert(motion.row));
        motions_before.clear();
        column.ended = motions_before; // for its memory
        if !column.motions.is_empty() {
            self.moving.push(index);
        }
        came
    }
}

impl Column {
    /// What the tick before left of the entity at a row, which had this motion.
    #[inline]
    fn before(&self, row: usize, motion: Option<&Motion>) -> Before {
        let is_due = motion.is_some() || self.settled.contains(row as u32);
        let turn = motion.and_then(|motion| match motion.way {
            Way::Turn(turn) => Some(turn),
            Way::Shift(_) => None,
        });
        Before { turn, is_due }
    }

    /// An entity comes to a row, and brings its old matrix.
    fn bring(&mut self, row: usize, left: Option<&(LocalToWorld, Before)>) -> Option<Before> {
        let (matrix, before) = left?;
        self.matrices[row] = *matrix;
        Some(*before)
    }

    /// Takes over the number of rows. Returns how many of them were there before.
    fn resize<S: EntityStore>(
        &mut self,
        rows: &ChangedRows<'_>,
        matrices: &MatricesNow<'_, S>,
    ) -> usize {
        let len = rows.len();
        let known = self.entities.len().min(len);
        self.entities.truncate(known);
        self.entities.extend_from_slice(&rows.entities()[known..]);
        self.matrices.truncate(known);
        let added = (known..len).map(|row| matrices.at(row, rows.entities()[row]));
        self.matrices.extend(added.map(|matrix| matrix.copied().unwrap_or_default()));
        known
    }
}

/// The world matrices of an archetype as they are now. Rows may have moved since the run: a system
/// after the bundle has despawned an entity.
///
/// ```text
///  row        0     1     2
///  the run    rock  moon  ship
///  now        ship  moon                 rock is gone; ship is looked up
/// ```
struct MatricesNow<'w, S> {
    world: &'w S,
    entities: &'w [Entity],
    column: &'w [LocalToWorld],
    have_parents: bool,
}

impl<'w, S: EntityStore> MatricesNow<'w, S> {
    fn of(world: &'w S, archetype: ArchetypeIndex) -> Self {
        let mut all = Self { world, entities: &[], column: &[], have_parents: false };
        let Ok(storage) = world.get_component_storage::<Read<LocalToWorld>>() else { return all };
        let column = storage.components().get_downcast::<LocalToWorld>();
        if let Some(column) = column.and_then(|column| column.get(archetype)) {
            let archetype = &storage.archetypes()[archetype];
            all.entities = archetype.entities();
            all.have_parents = archetype.layout().has_component::<Parent>();
            all.column = column.into_slice();
        }
        all
    }

    /// The matrix of an entity that was in this row at the end of the run, if it still has one.
    #[inline]
    fn at(&self, row: usize, entity: Entity) -> Option<&'w LocalToWorld> {
        if self.entities.get(row) == Some(&entity) {
            return self.column.get(row);
        }
        self.world.entry_ref(entity).ok()?.into_component().ok()
    }
}
