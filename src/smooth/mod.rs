//! [Smooth ticks](crate::guide::smooth_ticks): a simulation at a fixed rate, and frames in between.
//!
//! ```
//! use legion::*;
//! use legion_transform::{prelude::*, smooth::Smooth};
//!
//! let (mut world, mut resources) = (World::default(), Resources::default());
//! let bundle = TransformSystemBundle::default().track_changes();
//! let mut ticks = Schedule::builder().add_transforms(bundle).build();
//! let mut smooth = Smooth::default();
//! let ball = world.push_transform((Translation::identity(),));
//!
//! for tick in 0..3 {
//!     world.entry(ball).unwrap().get_component_mut::<Translation>().unwrap().x = tick as f32;
//!     ticks.execute(&mut world, &mut resources);
//!     smooth.tick(&world, &resources.get_mut_or_default::<TransformChanges>())?;
//! }
//! for alpha in [0.0, 0.25, 1.0] {
//!     assert_eq!(smooth.matrix(&world, ball, alpha).unwrap().position().x, 1.0 + alpha);
//! }
//! # Ok::<(), legion_transform::changes::FollowError>(())
//! ```
//!
//! [`Smooth`] follows the ticks by the [list of changes](crate::TransformChanges). Let `A` be an
//! entity's matrix as of the tick before the last, and `B` as of the last, both taken apart into `T
//! R H S`, as by [`decompose`](crate::math::decompose::decompose). At alpha `a`, the translation,
//! the shear and the scale are `(1 - a) A + a B`, and the rotation is `R_A exp(a ln(R_A^-1 R_B))`:
//! the shorter way round.
//!
//! - `A` comes out at 0 and below, `B` at 1 and above, bit for bit.
//! - Where one of the two cannot be taken apart, or only one mirrors, all elements go straight: `(1
//!   - a) A + a B`.
//! - Where only the translation changes, all else keeps its bits.
//! - An entity that is removed and inserted under its id between two ticks is the same.

mod arrivals;
mod bundle;
mod carried;
mod drawn;
mod follow;
mod frame;
mod motion;
mod origin;
mod parts;
mod seen;
mod turns;

use std::{collections::HashMap, sync::OnceLock};

use legion::{
    Entity, EntityStore,
    storage::ArchetypeIndex,
    world::{EntityAccessError, EntityHasher},
};
use nalgebra::Matrix4;

use crate::{
    components::{Frame, LocalToWorld},
    engine::{RowSet, Store},
};
use drawn::{Drawn, LastFrame};
pub use frame::Moved;
use motion::{Motion, motion};
use turns::Turns;

/// The world matrices between the last two ticks of one world. See [the module](self).
///
/// Takes 72 bytes an entity, 48 more for one that moves, and 208 more if not only its translation
/// changes. With last frames 68 more an entity. The memory of a tick in which many moved is kept. A
/// tick costs in proportion to what changed, a frame in proportion to what moves.
#[derive(Debug, Default)]
pub struct Smooth {
    /// By archetype, the rows as of the last tick.
    columns: Vec<Column>,
    /// The archetypes in which something moves, ascending.
    moving: Vec<u32>,
    /// The archetypes in which something is [settled](Column::settled).
    settled: Vec<u32>,
    /// The ways of what does not only shift.
    turns: Turns,
    /// See [`teleport`](Self::teleport).
    teleported: Vec<Entity>,
    /// See [`teleport_by`](Self::teleport_by).
    carried: Vec<(Entity, Matrix4<f32>)>,
    /// See [`change_origin`](Self::change_origin).
    old_in_new: Option<Frame>,
    last_frame: Option<LastFrame>,
    /// Where each entity was in the last tick. It is made by the first question about an entity
    /// that has another row since then.
    places: OnceLock<HashMap<Entity, ArchetypeRow, EntityHasher>>,
}

/// An archetype and a row.
type ArchetypeRow = (u32, u32);

/// The rows of an archetype.
#[derive(Debug, Default)]
struct Column {
    entities: Vec<Entity>,
    matrices: Vec<LocalToWorld>,
    /// The rows that moved in the last tick, ascending.
    motions: Vec<Motion>,
    /// The motions of the tick before, during a tick.
    ended: Vec<Motion>,
    /// The rows that do not move, but have come, jumped or come to rest since the last frame. A
    /// row that is gone may be among them: if another entity comes to it, it is entered anew.
    settled: RowSet,
    drawn: Drawn,
}

impl Column {
    /// The motion of a row, if it moves.
    fn motion(&self, row: usize) -> Option<&Motion> {
        motion(&self.motions, row)
    }

    /// The matrix of a row, which has this motion.
    #[inline(always)]
    fn at(&self, turns: &Turns, row: usize, motion: Option<&Motion>, alpha: f32) -> LocalToWorld {
        let to = &self.matrices[row];
        motion.map_or(*to, |motion| motion.at(turns, to, alpha))
    }
}

impl Smooth {
    /// Keeps the matrices of the last frame as well, for motion vectors: see
    /// [`motions`](Self::motions).
    #[must_use]
    pub fn with_last_frames(self) -> Self {
        Self { last_frame: Some(LastFrame::default()), ..self }
    }

    /// The entity and all below it jump in the next tick: they are not drawn on the way.
    pub fn teleport(&mut self, entity: Entity) {
        self.teleported.push(entity);
    }

    /// The entity and all below it go through a portal in the next tick: they are drawn as if they
    /// had been on the far side of it in the tick before, so that they keep their pace.
    ///
    /// `map` takes a place on the near side to the same place on the far side, in the world: of two
    /// gates, `exit * entry^-1`. What was drawn in the [last frame](Self::last_frame) is taken
    /// along, so that motion vectors are those of the pace, too. After
    /// [`change_origin`](Self::change_origin) both sides are relative to the new frame. Of several
    /// calls for one entity before a tick each acts in turn; [`teleport`](Self::teleport) for it
    /// wins over them.
    ///
    /// A ball rolls 2 a tick, and at 4 through a portal 100 further on:
    ///
    /// ```text
    ///                      before    after    drawn at alpha 0.5
    ///  teleport_by         3         105      104, on the way from 103
    ///  teleport            3         105      105, at rest for a tick
    ///  neither             3         105      54, on the way from 3
    /// ```
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{prelude::*, smooth::Smooth};
    /// # let (mut world, mut smooth) = (World::default(), Smooth::default());
    /// # let ball = world.push_transform((Translation::new(3.0, 0.0, 0.0),));
    /// # let [entry, exit] = [4.0, 104.0].map(|x| {
    /// #     LocalToWorld(nalgebra::Translation3::new(x, 0.0, 0.0).to_homogeneous())
    /// # });
    /// if let Some(inverse) = entry.0.try_inverse() {
    ///     smooth.teleport_by(ball, exit.0 * inverse);
    /// }
    /// ```
    pub fn teleport_by(&mut self, entity: Entity, map: Matrix4<f32>) {
        self.carried.push((entity, map));
    }

    /// In the next tick the world is relative to another frame: call it where
    /// [`Origin`](crate::frames::Origin) becomes another entity, or its entity gets to another
    /// frame. `old_in_new`: the pose of the old frame in the new one, in `f64`, by
    /// [`Frame::between`](crate::frames::Frame::between) before frames move in that tick.
    ///
    /// The matrices of the tick before are then computed relative to the new frame, those of the
    /// [last frame](Self::last_frame) too. So all that is drawn is relative to one frame, and exact
    /// to the rounding of `f32`. Without it, half of the way is relative to the old frame: where
    /// one is turned by 0.5 radians, what is 20 m away is drawn 0.6 m off for that tick. Entities
    /// that stand in no frame go along with the viewer, and stay as they are.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{frames::{Frame, Origin}, prelude::*, smooth::Smooth};
    /// # let (mut world, mut resources) = (World::default(), Resources::default());
    /// # let mut smooth = Smooth::default();
    /// # let ship = world.push_transform((Frame::from_xyz(1e9, 0.0, 0.0),));
    /// # let station = world.push_transform((Frame::from_xyz(1e9, 50.0, 0.0),));
    /// resources.insert(Origin(station)); // so far it was the ship
    /// smooth.change_origin(Frame::between(&world, ship, station)?);
    /// # Ok::<(), legion_transform::query::QueryError>(())
    /// ```
    pub fn change_origin(&mut self, old_in_new: Frame) {
        let before = self.old_in_new.unwrap_or_default().to_isometry();
        self.old_in_new = Some((old_in_new.to_isometry() * before).into());
    }

    /// The entity's matrix at `alpha`, the time since the last tick in ticks, from 0 to 1. `None`
    /// for an entity that is dead, or had no `LocalToWorld` in the last tick. A system needs no
    /// access: the world is only asked whether the entity is alive.
    #[must_use]
    pub fn matrix<S: EntityStore>(
        &self,
        world: &S,
        entity: Entity,
        alpha: f32,
    ) -> Option<LocalToWorld> {
        self.seen_at(&world, entity, alpha)
    }

    fn seen_at(&self, world: &dyn Store<'_>, entity: Entity, alpha: f32) -> Option<LocalToWorld> {
        let (archetype, row) = self.place(world, entity)?;
        let (column, row) = (&self.columns[archetype as usize], row as usize);
        Some(column.at(&self.turns, row, column.motion(row), alpha))
    }

    /// Where an entity that is alive was in the last tick.
    fn place(&self, world: &dyn Store<'_>, entity: Entity) -> Option<ArchetypeRow> {
        match seen::place(world, entity) {
            Ok((archetype, row)) => {
                let column = self.columns.get(archetype as usize);
                if column.is_some_and(|it| it.entities.get(row as usize) == Some(&entity)) {
                    return Some((archetype, row));
                }
            }
            Err(EntityAccessError::EntityNotFound) => return None,
            Err(EntityAccessError::AccessDenied) => {}
        }
        self.places.get_or_init(|| self.places()).get(&entity).copied()
    }

    fn places(&self) -> HashMap<Entity, ArchetypeRow, EntityHasher> {
        let mut places = HashMap::default();
        for (archetype, column) in (0..).zip(&self.columns) {
            let rows = (0..).zip(&column.entities);
            places.extend(rows.map(|(row, &entity)| (entity, (archetype, row))));
        }
        places
    }

    /// The matrices of an archetype at `alpha`, by row as of the last tick: those of
    /// [`entities`](Self::entities).
    pub fn column(&self, archetype: ArchetypeIndex, alpha: f32, matrices: &mut Vec<LocalToWorld>) {
        matrices.clear();
        let Some(column) = self.columns.get(archetype.0 as usize) else { return };
        matrices.extend_from_slice(&column.matrices);
        for motion in &column.motions {
            let to = &mut matrices[motion.row as usize];
            *to = motion.at(&self.turns, to, alpha);
        }
    }

    /// The entities of an archetype, by row as of the last tick.
    #[must_use]
    pub fn entities(&self, archetype: ArchetypeIndex) -> &[Entity] {
        self.columns.get(archetype.0 as usize).map_or(&[], |column| &column.entities)
    }

    /// Ends a frame that was drawn at `alpha`: it is the last frame from now on. Call it after each
    /// frame.
    pub fn end_frame(&mut self, alpha: f32) {
        self.end_last_frame(alpha);
        for archetype in self.settled.drain(..) {
            self.columns[archetype as usize].settled.clear();
        }
    }

    /// The entity's matrix in the frame that ended last, whatever ticks there were since. For one
    /// that has come since then, and for all before the first [`end_frame`](Self::end_frame), the
    /// first that it had; for one that was teleported, the one after the jump. `None` as in
    /// [`matrix`](Self::matrix), and without [`with_last_frames`](Self::with_last_frames).
    #[must_use]
    pub fn last_frame<S: EntityStore>(&self, world: &S, entity: Entity) -> Option<LocalToWorld> {
        let last = self.last_frame.as_ref()?;
        let (archetype, row) = self.place(&world, entity)?;
        let (column, row) = (&self.columns[archetype as usize], row as usize);
        Some(column.drawn_at(&self.turns, row, || column.motion(row), last))
    }
}
