//! The stage: computes the frames whose place relative to the origin may have changed, and writes
//! the ones that differ.
//!
//! ```text
//!  news       where frames, matrices and records were written, and entities came and went
//!  spaces     of the origin, and of all parents of frames; those of the last run, if no frame with
//!             children was written, and nothing was linked
//!  compute    the frames of archetypes that were written, and those in spaces that have changed
//!  publish    the rows that differ: what is below them follows when worlds are propagated
//! ```

mod spaces;

use std::mem;

use legion::{Entity, World};

pub(crate) use spaces::Spaces;
use spaces::Tree;

use crate::{
    components::{Children, Frame, LocalToWorld, PreviousParent},
    engine::{
        bits::{self, Bits},
        local::Context,
        parallel,
        storage::{ChangeTracker, Columns, Mask, captured},
    },
    math::SameBits,
};

/// The stage, with what it saw in its last run.
#[derive(Default)]
pub(crate) struct FrameSystem(Seen);

/// What the last run found in its world; before the first, nothing.
#[derive(Default)]
struct Seen {
    /// To which entity it was to be relative.
    wanted: Option<Entity>,
    /// The entity of the origin, if it is alive, and its archetype.
    origin: Option<(Entity, u32)>,
    /// The parents of frames, each once.
    parents: Vec<Entity>,
    spaces: Spaces,
    /// Whether there was a run.
    is_begun: bool,
}

impl FrameSystem {
    /// The entity of the origin in the last run.
    pub fn viewer(&self) -> Option<Entity> {
        self.0.origin.map(|(entity, _)| entity)
    }

    /// Whether the origin is another entity now, or its entity has come or gone.
    pub fn is_seen_anew(&self, world: &World, wanted: Option<Entity>) -> bool {
        let is_alive = wanted.is_some_and(|wanted| world.contains(wanted));
        !self.0.is_begun || wanted != self.0.wanted || is_alive != self.0.origin.is_some()
    }

    /// One run. The world is relative to the entity `wanted`, if that is alive. `written`: where
    /// users wrote frames. Returns `wanted`, if it is not alive and there are frames: a finding.
    ///
    /// ```text
    ///  an archetype with              what happened             then
    ///  frames                         frames, matrices or       they are computed
    ///                                 records were written,
    ///                                 or entities came
    ///  frames, and Children or        frames were written, or   all spaces may have moved
    ///  the origin                     entities came or went
    ///  records, and frames, Children  records were written, or  frames may be in other spaces
    ///  or the origin                  entities came or went
    ///  nothing of that: shots, walls                            -
    /// ```
    pub fn run(
        &mut self,
        mut context: Context<'_, '_>,
        wanted: Option<Entity>,
        written: &[u32],
    ) -> Option<Entity> {
        let (columns, tracker) = (&*context.columns, &*context.tracker);
        let origin = wanted.and_then(|it| Some((it, columns.locate(it)?.archetype)));
        // A matrix that a user's component writes is not a frame.
        let (all, archetypes) = (columns.others::<Frame>(), 0..columns.archetypes().len() as u32);
        let counting = |index| all(index).filter(|_| tracker[index].meaning.has_frame);
        let frames: Vec<Option<&[Frame]>> = archetypes.map(counting).collect();
        let published = Published { columns, tracker, frames: &frames };
        let before = mem::take(&mut self.0);
        let (is_relinked, is_reframed) = match before.is_begun {
            true => published.changes(origin, written),
            false => (true, true),
        };
        let parents = if is_relinked { published.parents() } else { before.parents };
        // The spaces, if they may be others than those of the last run.
        let is_anew = is_relinked || is_reframed || origin != before.origin;
        let others = is_anew.then(|| published.spaces(origin, &parents));
        let is_same = others.as_ref().is_none_or(|it| it.same_for(&before.spaces, &parents));
        let spaces = others.as_ref().unwrap_or(&before.spaces);
        for (index, frames) in (0..).zip(&frames).filter_map(|(i, it)| Some((i, (*it)?))) {
            let sheet = &context.tracker[index];
            let inputs = Mask::LOCAL_TO_WORLD | Mask::PREVIOUS_PARENT;
            let is_written =
                sheet.has_come() || sheet.was_written(inputs) || written.contains(&index);
            if is_written || !is_same {
                let last = Some(&before.spaces).filter(|_| !is_written);
                let threads = &context.machine.threads;
                let changed = compute(context.columns, threads, index, frames, spaces, last);
                context.worlds_written(index, changed.words());
            }
        }
        let spaces = others.unwrap_or(before.spaces);
        self.0 = Seen { wanted, origin, parents, spaces, is_begun: true };
        // One resource may be the origin of one of several worlds. Only one that has, or had,
        // frames needs it.
        wanted.filter(|_| origin.is_none() && frames.iter().any(Option::is_some))
    }
}

/// The links as the hierarchy has published them.
struct Published<'a, 'w> {
    columns: &'a Columns<'w>,
    tracker: &'a ChangeTracker,
    /// The frames that count, by archetype.
    frames: &'a [Option<&'w [Frame]>],
}

impl Published<'_, '_> {
    /// Whether frames may have other parents than in the last run, and whether spaces may have
    /// moved.
    fn changes(&self, origin: Option<(Entity, u32)>, written: &[u32]) -> (bool, bool) {
        let (mut is_relinked, mut is_reframed) = (false, false);
        for archetype in self.columns.archetypes() {
            let index = archetype.index().0;
            let sheet = &self.tracker[index];
            let (is_framed, has_moved) = (self.frames[index as usize].is_some(), sheet.has_moved());
            // Whether its entities can be above a frame, or above the origin, or are the origin.
            let has_spaces = archetype.layout().has_component::<Children>()
                || origin.is_some_and(|(_, at)| at == index);
            let has_records = sheet.mask.has(Mask::PREVIOUS_PARENT);
            is_relinked |= has_records
                && (is_framed || has_spaces)
                && (has_moved || sheet.was_written(Mask::PREVIOUS_PARENT));
            is_reframed |= has_spaces && is_framed && (has_moved || written.contains(&index));
        }
        (is_relinked, is_reframed)
    }

    /// The spaces of the origin, and of all parents of frames.
    fn spaces(&self, origin: Option<(Entity, u32)>, parents: &[Entity]) -> Spaces {
        let mut spaces = Spaces::seen_from(self, origin.map(|(origin, _)| origin));
        parents.iter().for_each(|&parent| spaces.add(self, parent));
        spaces
    }

    /// The parents of frames, each once.
    fn parents(&self) -> Vec<Entity> {
        let with_frames = (0..).zip(self.frames).filter(|(_, frames)| frames.is_some());
        let previous = with_frames.flat_map(|(i, _)| self.columns.read::<PreviousParent>(i));
        let mut parents: Vec<Entity> = previous.filter_map(|previous| previous.0).collect();
        parents.dedup(); // siblings often follow one another
        parents.sort_unstable_by_key(captured);
        parents.dedup();
        parents
    }
}

impl Tree for Published<'_, '_> {
    fn parent(&self, entity: Entity) -> Option<Entity> {
        let row = self.tracker.locate(entity)?;
        self.columns.read::<PreviousParent>(row.archetype).get(row.row as usize)?.0
    }

    fn frame(&self, entity: Entity) -> Option<Frame> {
        let row = self.tracker.locate(entity)?;
        self.frames[row.archetype as usize]?.get(row.row as usize).copied()
    }
}

/// Computes the matrices of an archetype's frames, and writes the ones that differ. Returns their
/// rows. `last`: the spaces of the last run, if the frames are those of that run.
fn compute(
    columns: &mut Columns<'_>,
    threads: &parallel::Threads,
    index: u32,
    frames: &[Frame],
    spaces: &Spaces,
    last: Option<&Spaces>,
) -> Bits {
    let (previous, matrices) = columns.read_write::<PreviousParent, LocalToWorld>(index);
    parallel::mark_each_block(threads, matrices, &|first, matrices, changed| {
        let below = |parent| {
            let space = spaces.below(parent);
            (parent, space, last.is_some_and(|last| space == last.below(parent)))
        };
        // Siblings often follow one another.
        let mut above = below(None);
        for (row, (matrix, frame)) in matrices.iter_mut().zip(&frames[first..]).enumerate() {
            let parent = previous.get(first + row).and_then(|previous| previous.0);
            if parent != above.0 {
                above = below(parent);
            }
            let (_, space, is_same) = above;
            if is_same {
                continue;
            }
            let new = space.matrix(frame);
            if !new.same_bits(&matrix.0) {
                matrix.0 = new;
                bits::set(changed, row);
            }
        }
    })
}
