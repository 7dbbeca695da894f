//! What a frame has to update.
//!
//! These iterators are not generic, and in debug builds their `next` is not inlined: so it has the
//! optimisations of this crate.

use legion::{Entity, storage::Component};

use super::{ArchetypeRow, Column, LastFrame, Smooth, motion::Motion};
use crate::{
    changes::{InstanceSlots, Slots},
    components::LocalToWorld,
};

/// An entity that a frame draws otherwise than the one before: see
/// [`Smooth::motions`](super::Smooth::motions).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Moved {
    /// The entity.
    pub entity: Entity,
    /// Its matrix in this frame.
    pub now: LocalToWorld,
    /// Its matrix in the frame that ended last: the other end of a motion vector. Without
    /// [`with_last_frames`](super::Smooth::with_last_frames) it is the same as `now`.
    pub before: LocalToWorld,
}

/// The rows that a frame has to update: what moves, what has settled, and what has rested for a
/// frame.
struct Due<'a> {
    smooth: &'a Smooth,
    /// The archetypes with motions that are left.
    moving: std::vec::IntoIter<u32>,
    archetype: u32,
    /// The motions in that archetype that are left.
    motions: std::slice::Iter<'a, Motion>,
    others: std::vec::IntoIter<ArchetypeRow>,
}

impl<'a> Due<'a> {
    /// The rows of the archetypes that `has` names.
    fn new(smooth: &'a Smooth, with_rested: bool, has: &dyn Fn(u32) -> bool) -> Self {
        let column = |archetype: u32| &smooth.columns[archetype as usize];
        let settled = smooth.settled.iter().map(|&it| (it, &column(it).settled));
        let last = smooth.last_frame.iter().filter(|_| with_rested);
        let rested = last.flat_map(|last| &last.rested).map(|&it| (it, &column(it).drawn.rested));
        let mut others = Vec::new();
        for (archetype, rows) in settled.chain(rested).filter(|(it, _)| has(*it)) {
            let rows = rows.rows(column(archetype).entities.len());
            others.extend(rows.map(|row| (archetype, row)));
        }
        let mut moving = smooth.moving.clone();
        moving.retain(|&archetype| has(archetype));
        let (moving, others) = (moving.into_iter(), others.into_iter());
        Self { smooth, moving, archetype: 0, motions: [].iter(), others }
    }

    /// The next row, with its column, and its motion if it has one.
    #[inline(always)]
    fn next(&mut self) -> Option<(ArchetypeRow, &'a Column, Option<&'a Motion>)> {
        loop {
            if let Some(motion) = self.motions.next() {
                let column = &self.smooth.columns[self.archetype as usize];
                return Some(((self.archetype, motion.row), column, Some(motion)));
            }
            let Some(archetype) = self.moving.next() else {
                let at = self.others.next()?;
                return Some((at, &self.smooth.columns[at.0 as usize], None));
            };
            self.archetype = archetype;
            self.motions = self.smooth.columns[archetype as usize].motions.iter();
        }
    }
}

/// Made by [`Smooth::updates`].
struct Updates<'a> {
    due: Due<'a>,
    alpha: f32,
}

impl Iterator for Updates<'_> {
    type Item = (Entity, LocalToWorld);

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    fn next(&mut self) -> Option<Self::Item> {
        let ((_, row), column, motion) = self.due.next()?;
        let row = row as usize;
        let matrix = column.at(&self.due.smooth.turns, row, motion, self.alpha);
        Some((column.entities[row], matrix))
    }
}

/// Made by [`Smooth::motions`].
struct Motions<'a> {
    due: Due<'a>,
    alpha: f32,
    last: Option<&'a LastFrame>,
}

impl<'a> Motions<'a> {
    fn new(smooth: &'a Smooth, alpha: f32, has: &dyn Fn(u32) -> bool) -> Self {
        Self { due: Due::new(smooth, true, has), alpha, last: smooth.last_frame.as_ref() }
    }

    #[inline(always)]
    fn moved(&self, row: u32, column: &Column, motion: Option<&Motion>) -> Moved {
        let (turns, row) = (&self.due.smooth.turns, row as usize);
        let now = column.at(turns, row, motion, self.alpha);
        let before = self.last.map_or(now, |last| column.drawn_at(turns, row, || motion, last));
        Moved { entity: column.entities[row], now, before }
    }
}

impl Iterator for Motions<'_> {
    type Item = Moved;

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    fn next(&mut self) -> Option<Moved> {
        let ((_, row), column, motion) = self.due.next()?;
        Some(self.moved(row, column, motion))
    }
}

/// Made by [`Smooth::instances`].
struct Instances<'a> {
    motions: Motions<'a>,
    slots: &'a mut Slots,
}

impl Iterator for Instances<'_> {
    type Item = (usize, Moved);

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let ((archetype, row), column, motion) = self.motions.due.next()?;
            if let Some(slot) = self.slots.mark(archetype, row, column.entities[row as usize]) {
                return Some((slot, self.motions.moved(row, column, motion)));
            }
        }
    }
}

impl Smooth {
    /// What a renderer has to update in a frame, with the matrices at `alpha`: the entities that
    /// move between the last two ticks, and those that came, jumped, came to rest, were carried or
    /// got or lost a component since the last [`end_frame`](Self::end_frame). Without `end_frame`
    /// the second list only grows.
    ///
    /// All is as of the last tick: what was despawned since then is listed until the next one. A
    /// ball that goes from 0 to 2, and rests, in a frame each tick:
    ///
    /// ```text
    ///  in the last tick it           A      B      drawn at alpha 0, 0.5, 1     listed
    ///  came                                 0      0     0     0                once: it is due
    ///  moves                         0      2      0     1     2                in each frame
    ///  rests, and moved before       2      2      2     2     2                once: it is due
    ///  rests                         2      2      2     2     2                no
    ///  jumps by 100                  2      102    102   102   102              once: it is due
    ///  rests, and is carried by 100  102    202    202   202   202              once: it is due
    /// ```
    pub fn updates(&self, alpha: f32) -> impl Iterator<Item = (Entity, LocalToWorld)> + '_ {
        Updates { due: Due::new(self, false, &|_| true), alpha }
    }

    /// The same as [`updates`](Self::updates), with the matrix that each entity had in the frame
    /// that ended last, for motion vectors. What has come to rest is listed in one more frame, with
    /// `before` the same as `now`. So a renderer that writes both matrices of all that is listed,
    /// and nothing else, has both of every entity right in each frame.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{prelude::*, smooth::Smooth};
    /// # let (mut world, mut resources) = (World::default(), Resources::default());
    /// # let bundle = TransformSystemBundle::default().track_changes();
    /// # let mut ticks = Schedule::builder().add_transforms(bundle).build();
    /// let mut smooth = Smooth::default().with_last_frames();
    /// # let ball = world.push_transform((Translation::identity(),));
    /// # let mut tick = |world: &mut World, smooth: &mut Smooth, x: f32| {
    /// #     world.entry(ball).unwrap().add_component(Translation::new(x, 0.0, 0.0));
    /// #     ticks.execute(world, &mut resources);
    /// #     smooth.tick(world, &resources.get::<TransformChanges>().unwrap())
    /// # };
    /// let mut frame = |smooth: &mut Smooth, alpha: f32| {
    ///     let x = |matrix: LocalToWorld| matrix.position().x;
    ///     let seen: Vec<_> = smooth.motions(alpha).map(|it| [x(it.before), x(it.now)]).collect();
    ///     smooth.end_frame(alpha);
    ///     seen
    /// };
    /// # tick(&mut world, &mut smooth, 0.0)?;
    /// # frame(&mut smooth, 1.0);
    /// # tick(&mut world, &mut smooth, 2.0)?;
    /// assert_eq!(frame(&mut smooth, 0.5), [[0.0, 1.0]]); // the ball goes from 0 to 2
    /// # tick(&mut world, &mut smooth, 2.0)?;
    /// assert_eq!(frame(&mut smooth, 0.25), [[1.0, 2.0]]); // a tick in which it rests
    /// assert_eq!(frame(&mut smooth, 0.75), [[2.0, 2.0]]); // once more
    /// assert_eq!(frame(&mut smooth, 1.0).len(), 0);
    /// # Ok::<(), legion_transform::changes::FollowError>(())
    /// ```
    pub fn motions(&self, alpha: f32) -> impl Iterator<Item = Moved> + '_ {
        Motions::new(self, alpha, &|_| true)
    }

    /// What [`motions`](Self::motions) lists of the entities that have slots, each with its slot;
    /// these slots count as changed for [`InstanceSlots::take_changed`]. Both must have followed
    /// the last run. Write all that [`came`](InstanceSlots::came) when it came, too: an entity that
    /// rests and gets its slot because the slots are those of another world now is not listed.
    pub fn instances<'a, M: Component>(
        &'a self,
        slots: &'a mut InstanceSlots<M>,
        alpha: f32,
    ) -> impl Iterator<Item = (usize, Moved)> + use<'a, M> {
        let slots = slots.of_rows();
        Instances { motions: Motions::new(self, alpha, &|it| slots.has(it)), slots }
    }
}
