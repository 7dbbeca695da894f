//! Following the ticks.
//!
//! ```text
//!  end       the motions of the tick before: what does not move again is at rest
//!  leave     rows that got another entity: what is known of the one before, by entity
//!  enter     rows that changed: a motion from the old matrix of the entity to the new one
//!            (carried through a portal, or relative to another frame: from the mapped one)
//!  carry     rows that did not change, and are carried: the same
//!  arrive    entities that came below a parent that moves: a motion along with it
//! ```

use std::{
    collections::{HashMap, HashSet},
    iter,
};

use legion::{
    Entity, EntityStore,
    world::{EntityAccessError, EntityHasher},
};
use nalgebra::Matrix4;

use super::{
    Column, Smooth, Turns,
    arrivals::Arrivals,
    motion::{Motion, Way, motion},
    origin::SeenAnew,
    seen,
};
use crate::{
    changes::{ChangedRows, FollowError, MatricesNow, TransformChanges, WorldChanges},
    components::LocalToWorld,
    engine::{Access, Mask, Store},
    query::Walk,
};

/// The entities that are not drawn on the way.
pub(super) type Still = HashSet<Entity, EntityHasher>;

/// The entities that go through portals, with the maps to the far sides.
pub(super) type Carried = HashMap<Entity, Matrix4<f64>, EntityHasher>;

/// What the tick before left of an entity.
#[derive(Clone, Copy)]
pub(super) struct Before {
    /// The turn, if the entity turned: it ended at the matrix.
    pub turn: Option<u32>,
    /// Whether it moved, is settled or rested, or is carried: then a frame still has to draw it
    /// where it is now.
    pub is_due: bool,
}

/// What an entity takes along from its row to another.
struct Taken {
    archetype: u32,
    matrix: LocalToWorld,
    before: Before,
    drawn: Option<LocalToWorld>,
}

type ByEntity<T> = HashMap<Entity, T, EntityHasher>;

/// One tick, as it is followed.
pub(super) struct Tick<'w, 'a> {
    pub world: &'w dyn Store<'a>,
    access: Access<'a>,
    pub still: &'w Still,
    pub carried: &'w Carried,
    pub seen: Option<SeenAnew<'w, 'a>>,
    /// Who left a row.
    taken: ByEntity<Taken>,
    /// Who was met among the changes, where anything is carried.
    pub met: HashSet<Entity, EntityHasher>,
    arrivals: Arrivals,
}

impl Smooth {
    /// Follows a tick. Call it after each run of the bundle on the world, which must
    /// [`track_changes`](crate::TransformSystemBundle::track_changes). Entities that systems have
    /// spawned since the run come in the next tick. In a system, it needs read access to
    /// `LocalToWorld`, `Parent`, `Children` and `PreviousParent`, on all entities.
    ///
    /// # Errors
    /// [`FollowError::NotTracked`] if no bundle with `track_changes` has run on the world;
    /// [`FollowError::Query`] in a system without that access: then nothing was followed.
    pub fn tick<S: EntityStore>(
        &mut self,
        world: &S,
        changes: &TransformChanges,
    ) -> Result<(), FollowError> {
        let changes = changes.tracked(world).ok_or(FollowError::NotTracked)?;
        let walk = Walk::new(world)?;
        let needed = Mask::LOCAL_TO_WORLD | Mask::PREVIOUS_PARENT;
        let access = Access::of(world, needed);
        access.check(needed, |_| false)?;
        let with_all_below = |entity| iter::once(entity).chain(walk.descendants(entity));
        let still: Still = self.teleported.drain(..).flat_map(with_all_below).collect();
        let mut carried = Carried::default();
        for (entity, map) in self.carried.drain(..) {
            let map: Matrix4<f64> = map.cast();
            for entity in with_all_below(entity) {
                carried.entry(entity).and_modify(|all| *all = map * *all).or_insert(map);
            }
        }
        self.follow((&world, access), changes, (&still, &carried));
        Ok(())
    }

    fn follow<'a>(
        &mut self,
        (world, access): (&dyn Store<'a>, Access<'a>),
        changes: &WorldChanges,
        (still, carried): (&Still, &Carried),
    ) {
        if changes.begins_anew() {
            self.forget_all();
        }
        self.places.take();
        let mut settled = self.end_motions();
        let mut seen = self.old_in_new.take().map(|pose| SeenAnew::new(world, pose));
        if let Some(seen) = &mut seen {
            self.see_drawn_anew(seen);
        }
        let (taken, met, arrivals) = Default::default();
        let mut tick = Tick { world, access, still, carried, seen, taken, met, arrivals };
        for rows in changes.archetypes() {
            self.leave(&rows, &mut tick);
        }
        for rows in changes.archetypes() {
            self.enter(&rows, &mut tick);
            settled.push(rows.archetype().0);
        }
        self.rest(&settled);
        if tick.carries() {
            settled.append(&mut self.carry(&mut tick));
        }
        self.arrive(world, tick.arrivals);
        self.turns.take_apart();
        for &entity in still {
            if let Some(at) = self.place(world, entity) {
                let now = self.columns[at.0 as usize].matrices[at.1 as usize];
                self.set_drawn(at, &now);
            }
        }
        self.list_settled(settled);
    }

    /// Begins again, with nothing.
    fn forget_all(&mut self) {
        self.columns.clear();
        self.moving.clear();
        self.settled.clear();
        self.last_frame.iter_mut().for_each(|last| last.rested.clear());
    }

    /// Ends the motions of the tick before. What was drawn of them in the last frame is kept.
    /// Returns the archetypes that had some.
    fn end_motions(&mut self) -> Vec<u32> {
        let archetypes = std::mem::take(&mut self.moving);
        for &archetype in &archetypes {
            let column = &mut self.columns[archetype as usize];
            std::mem::swap(&mut column.ended, &mut column.motions);
            let Some(last) = &mut self.last_frame else { continue };
            for motion in &column.ended {
                let to = &column.matrices[motion.row as usize];
                let matrix = || motion.at(&self.turns, to, last.alpha);
                column.drawn.set_first(motion.row, last.number, matrix);
            }
        }
        self.turns.end();
        archetypes
    }

    /// Keeps what is known of entities whose rows have another entity now, or are gone.
    fn leave(&mut self, rows: &ChangedRows<'_>, tick: &mut Tick<'_, '_>) {
        let archetype = rows.archetype().0;
        if self.columns.len() <= archetype as usize {
            self.columns.resize_with(archetype as usize + 1, Column::default);
        }
        let frame = self.last_frame.as_ref().map(|last| last.number);
        let column = &self.columns[archetype as usize];
        let gone = rows.len()..column.entities.len();
        for row in rows.rows().filter(|row| *row < rows.len()).chain(gone) {
            match column.entities.get(row) {
                Some(&entity) if rows.entities().get(row) != Some(&entity) => {
                    let before = column.before(row as u32, motion(&column.ended, row));
                    let drawn = column.drawn.at(row as u32, frame).copied();
                    let taken = Taken { archetype, matrix: column.matrices[row], before, drawn };
                    tick.taken.insert(entity, taken);
                }
                _ => {}
            }
        }
    }

    /// Takes over the rows that changed. Notes the entities that came, if they can have parents.
    fn enter(&mut self, rows: &ChangedRows<'_>, tick: &mut Tick<'_, '_>) {
        let (archetype, world) = (rows.archetype().0, tick.world);
        let matrices = MatricesNow::of(&tick.access, rows.archetype());
        let frame = self.last_frame.as_ref().map(|last| last.number);
        let (column, turns) = (&mut self.columns[archetype as usize], &mut self.turns);
        let known = column.resize(rows, &matrices, world, frame.is_some());
        let ended_motions = std::mem::take(&mut column.ended);
        let mut ended = ended_motions.iter().peekable();
        let has_marks = column.has_marks();
        let mut to = Rows { archetype, column, turns, frame, has_marks };
        // Most of what moves moves on in its row.
        let are_ordinary = tick.still.is_empty() && !tick.carries();
        for row in rows.rows().take_while(|row| *row < rows.len()) {
            let (entity, at) = (rows.entities()[row], row as u32);
            // What moved before and is not among the changes rests.
            while let Some(motion) = ended.next_if(|motion| motion.row < at) {
                to.column.settled.insert(motion.row);
            }
            let motion = ended.next_if(|motion| motion.row == at);
            let is_same = row < known && to.column.entities[row] == entity;
            match matrices.in_row(row, entity) {
                Some(new) if is_same && are_ordinary => {
                    to.go_on(at, to.before(at, motion), new);
                }
                _ => {
                    let before = is_same.then(|| to.column.before(at, motion));
                    to.enter(at, entity, before, &matrices, tick);
                }
            }
        }
        ended.for_each(|motion| _ = to.column.settled.insert(motion.row));
        if !to.column.motions.is_empty() {
            self.moving.push(archetype);
        }
        let column = &mut self.columns[archetype as usize];
        column.ended = ended_motions; // for its memory
        column.ended.clear();
    }

    /// Lists the archetypes in which something is settled: some of these, or of those before.
    fn list_settled(&mut self, mut archetypes: Vec<u32>) {
        archetypes.append(&mut self.settled);
        archetypes.sort_unstable();
        archetypes.dedup();
        archetypes.retain(|&archetype| !self.columns[archetype as usize].settled.is_unused());
        self.settled = archetypes;
    }

    /// What moved in these archetypes, and was not met since, rests.
    fn rest(&mut self, archetypes: &[u32]) {
        for &archetype in archetypes {
            let Column { ended, settled, .. } = &mut self.columns[archetype as usize];
            ended.drain(..).for_each(|motion| _ = settled.insert(motion.row));
        }
    }

    /// Sorts the motions of archetypes that got some in another order than that of their rows.
    pub(super) fn sort_motions(&mut self, archetypes: &[u32]) {
        for &archetype in archetypes {
            let motions = &mut self.columns[archetype as usize].motions;
            motions.sort_unstable_by_key(|motion| motion.row);
            if !motions.is_empty() {
                self.moving.push(archetype);
            }
        }
        self.moving.sort_unstable();
        self.moving.dedup();
    }
}

/// The rows of an archetype, as a tick takes them over.
pub(super) struct Rows<'a> {
    pub archetype: u32,
    pub column: &'a mut Column,
    pub turns: &'a mut Turns,
    /// The number of the last frame, if it is kept.
    pub frame: Option<u32>,
    /// Whether any row was settled or rested before the tick.
    pub has_marks: bool,
}

impl Rows<'_> {
    /// What the tick before left of the entity at a row, which had this motion.
    #[inline]
    fn before(&self, row: u32, motion: Option<&Motion>) -> Before {
        match self.has_marks {
            true => self.column.before(row, motion),
            false => Before { turn: turn(motion), is_due: motion.is_some() },
        }
    }

    /// The entity of a row has this matrix now. Returns whether it moves.
    #[inline]
    fn go_on(&mut self, row: u32, before: Before, new: &LocalToWorld) -> bool {
        let Self { column, turns, .. } = self;
        if self.has_marks {
            column.unmark(row);
        }
        let old = &mut column.matrices[row as usize];
        let way = Way::of(old, new, turns, before.turn);
        let old = std::mem::replace(old, *new); // NaNs may differ
        match way {
            Some(way) => {
                if let Some(frame) = self.frame {
                    column.drawn.set_first(row, frame, || old);
                }
                column.motions.push(Motion { row, way });
            }
            // It has only come to another row: what was drawn of it is right.
            None if before.is_due => _ = column.settled.insert(row),
            None => {}
        }
        way.is_some()
    }

    /// Any entity in a row: it came, jumps, is in another frame's space, or has died since the run.
    #[inline(never)]
    fn enter<'a>(
        &mut self,
        row: u32,
        entity: Entity,
        before: Option<Before>,
        matrices: &MatricesNow<'a>,
        tick: &mut Tick<'_, 'a>,
    ) {
        let is_still = tick.still.contains(&entity);
        let taken = tick.taken.get(&entity).filter(|_| before.is_none());
        let mut before = before.or_else(|| self.bring(row, taken));
        self.column.entities[row as usize] = entity;
        self.column.unmark(row);
        let Some(new) = matrices.at(row as usize, entity, tick.world) else {
            // A system behind the run has taken it: what is known stays. Or the entity is dead.
            let is_dead = seen::place(tick.world, entity) == Err(EntityAccessError::EntityNotFound);
            if before.is_some_and(|it| it.is_due) && !is_dead {
                self.column.settled.insert(row);
            }
            return;
        };
        if let Some(before) = &mut before {
            self.map(row, entity, before, tick);
        }
        if tick.carries() {
            tick.met.insert(entity);
        }
        let Some(before) = before else {
            self.column.matrices[row as usize] = *new;
            self.column.settled.insert(row);
            // What is still is drawn where it is.
            if matrices.have_parents && !is_still {
                tick.arrivals.insert(entity, (self.archetype, row));
            }
            return;
        };
        self.jump_or_go_on(row, before, new, is_still);
    }

    /// The entity of a row has this matrix now. A still one jumps there.
    pub fn jump_or_go_on(&mut self, row: u32, before: Before, new: &LocalToWorld, is_still: bool) {
        if self.go_on(row, before, new) && is_still {
            self.column.motions.pop();
            self.column.settled.insert(row);
        }
    }

    /// An entity comes to a row, and brings what was known of it. From another archetype it comes
    /// with other components, so a frame has to draw it.
    fn bring(&mut self, row: u32, taken: Option<&Taken>) -> Option<Before> {
        if let Some(frame) = self.frame {
            self.column.drawn.bring(row, frame, taken.and_then(|taken| taken.drawn.as_ref()));
        }
        let taken = taken?;
        self.column.matrices[row as usize] = taken.matrix;
        let is_due = taken.before.is_due || taken.archetype != self.archetype;
        Some(Before { is_due, ..taken.before })
    }
}

fn turn(motion: Option<&Motion>) -> Option<u32> {
    match motion?.way {
        Way::Turn(turn) => Some(turn),
        Way::Shift(_) => None,
    }
}

impl Column {
    /// What the tick before left of the entity at a row, which had this motion.
    pub(super) fn before(&self, row: u32, motion: Option<&Motion>) -> Before {
        let is_due =
            motion.is_some() || self.settled.contains(row) || self.drawn.rested.contains(row);
        Before { turn: turn(motion), is_due }
    }

    /// Whether any row is settled or rested.
    fn has_marks(&self) -> bool {
        !(self.settled.is_unused() && self.drawn.rested.is_unused())
    }

    /// A row is neither settled nor rested any more.
    fn unmark(&mut self, row: u32) {
        self.settled.remove(row);
        self.drawn.rested.remove(row);
    }

    /// Takes over the number of rows. Returns how many of them were there before.
    fn resize<'a>(
        &mut self,
        rows: &ChangedRows<'_>,
        matrices: &MatricesNow<'a>,
        world: &dyn Store<'a>,
        keeps_drawn: bool,
    ) -> usize {
        let len = rows.len();
        let known = self.entities.len().min(len);
        self.entities.truncate(known);
        self.entities.extend_from_slice(&rows.entities()[known..]);
        self.matrices.truncate(known);
        let added = (known..len).map(|row| matrices.at(row, rows.entities()[row], world));
        self.matrices.extend(added.map(|matrix| matrix.copied().unwrap_or_default()));
        if keeps_drawn {
            self.drawn.resize(len);
        }
        known
    }
}
