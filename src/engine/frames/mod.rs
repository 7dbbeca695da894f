//! The stage: computes the frames that may be seen otherwise than before, and writes the ones that
//! differ.
//!
//! ```text
//!  stamps     versions of the columns, by archetype      all as in the last run: done
//!  spaces     of the origin, and of all parents of frames; those of the last run, if no frame with
//!             children was written, and nothing was linked
//!  compute    the frames of archetypes that were written, and those in spaces that are seen anew
//!  publish    the rows that differ: what is below them follows when worlds are propagated
//! ```

mod spaces;

use std::mem;

use legion::{Entity, storage::Archetype};

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

/// What the last run saw of its world; before the first, nothing.
#[derive(Default)]
struct Seen {
    /// The entity of the origin, if it is alive, and its archetype.
    origin: Option<(Entity, u32)>,
    stamps: Vec<Stamp>,
    /// The parents of frames, each once.
    parents: Vec<Entity>,
    spaces: Spaces,
}

/// The frames of an archetype, with the version of their column.
trait Frames<'w>: Fn(u32) -> Option<(&'w [Frame], u64)> {}
impl<'w, F: Fn(u32) -> Option<(&'w [Frame], u64)>> Frames<'w> for F {}

/// How many rows an archetype had, and the versions of its columns; zero where they do not matter.
/// Equal if nothing was written, and no entity has come, or has gone from above others.
///
/// ```text
///  an archetype with                       its stamp         if it differs
///  Frame, and Children or the origin       rows, versions    all spaces may be seen anew
///  Frame                                   versions          its frames may be
///  Parent, and Children or the origin      rows, version     frames may be in other spaces
///  nothing of that: shots, walls, wheels   0                 -
/// ```
#[derive(Clone, Copy, Default, PartialEq)]
struct Stamp {
    /// An entity that dies or loses its frame bumps no version: the archetype has one row fewer.
    rows: usize,
    frame: u64,
    parent: u64,
    matrix: u64,
}

fn stamps<'w>(
    columns: &Columns<'w>,
    frames: &impl Frames<'w>,
    origin: Option<(Entity, u32)>,
) -> Vec<Stamp> {
    let stamp = |archetype: &Archetype| {
        let index = archetype.index().0;
        let frames = frames(index);
        if frames.is_none() && !has_spaces(archetype, origin) {
            return Stamp::default();
        }
        let parent = columns.version_and_len(Mask::PREVIOUS_PARENT, index).0;
        let matrix = || columns.version_and_len(Mask::LOCAL_TO_WORLD, index).0;
        let (frame, matrix) = frames.map_or((0, 0), |(_, version)| (version, matrix()));
        // Roots without frames count for nothing.
        let counts = parent | frame != 0 && has_spaces(archetype, origin);
        let rows = if counts { archetype.entities().len() } else { 0 };
        Stamp { rows, frame, parent, matrix }
    };
    columns.archetypes().iter().map(stamp).collect()
}

/// Whether entities of an archetype can be above a frame, or above the origin, or are the origin.
fn has_spaces(archetype: &Archetype, origin: Option<(Entity, u32)>) -> bool {
    archetype.layout().has_component::<Children>()
        || origin.is_some_and(|(_, at)| at == archetype.index().0)
}

impl FrameSystem {
    /// The entity from which frames were seen in the last run.
    pub fn viewer(&self) -> Option<Entity> {
        self.0.origin.map(|(entity, _)| entity)
    }

    /// One run. The world is seen from the entity `wanted`, if that is alive. Returns it, if it is
    /// not and there are frames to be seen: a finding.
    pub fn run(&mut self, mut context: Context<'_, '_>, wanted: Option<Entity>) -> Option<Entity> {
        let (columns, tracker) = (&*context.columns, &*context.tracker);
        let origin = wanted.and_then(|it| Some((it, columns.locate(it)?.archetype)));
        let counts = |it: &Archetype| tracker[it.index().0].meaning.has_frame;
        let counts: Vec<bool> = columns.archetypes().iter().map(counts).collect();
        let frames = columns.others::<Frame>();
        // A matrix that a user's component writes is not a frame.
        let frames = |index| frames(index).filter(|_| counts[index as usize]);
        let found = stamps(columns, &frames, origin);
        // One resource may be the origin of one of several worlds. Only one that has, or had,
        // frames needs it.
        let dead_origin = wanted.filter(|_| origin.is_none() && counts.contains(&true));
        if self.0.origin == origin && self.0.stamps == found {
            return dead_origin;
        }
        let (links, before) = (Links { columns, tracker, frames: &frames }, mem::take(&mut self.0));
        let (is_relinked, is_anew) = before.differs(columns.archetypes(), &found, origin);
        let parents = if is_relinked { links.parents() } else { before.parents };
        // The spaces, if they may be others than those of the last run.
        let others = is_anew.then(|| links.spaces(origin, &parents));
        let is_same = others.as_ref().is_none_or(|it| it.same_for(&before.spaces, &parents));
        let spaces = others.as_ref().unwrap_or(&before.spaces);
        for (index, stamp) in (0..).zip(&found) {
            // Rows that are gone leave nothing to compute.
            let versions = |it: &Stamp| [it.frame, it.parent, it.matrix];
            let known = before.stamps.get(index as usize).map(versions);
            let is_written = known != Some(versions(stamp));
            if (is_written || !is_same)
                && let Some((frames, _)) = frames(index)
            {
                let last = Some(&before.spaces).filter(|_| !is_written);
                let threads = &context.machine.threads;
                let changed = compute(context.columns, threads, index, frames, (spaces, last));
                context.worlds_written(index, changed.words());
            }
        }
        let stamps = stamps(context.columns, &frames, origin);
        let spaces = others.unwrap_or(before.spaces);
        self.0 = Seen { origin, stamps, parents, spaces };
        dead_origin
    }
}

impl Seen {
    /// Whether frames may have other parents than in this run, and whether spaces may be seen anew.
    fn differs(
        &self,
        archetypes: &[Archetype],
        found: &[Stamp],
        origin: Option<(Entity, u32)>,
    ) -> (bool, bool) {
        let known = |i: usize| self.stamps.get(i).copied().unwrap_or_default();
        let is_relinked = (0..).zip(found).any(|(i, it)| {
            it.parent != 0 && (it.rows, it.parent) != (known(i).rows, known(i).parent)
        });
        // The first version of a process is 0, so it is no sign that there are no links.
        let is_relinked = is_relinked || self.stamps.is_empty();
        let is_reframed = (0..).zip(found).zip(archetypes).any(|((i, it), archetype)| {
            has_spaces(archetype, origin) && (it.rows, it.frame) != (known(i).rows, known(i).frame)
        });
        (is_relinked, is_relinked || is_reframed || origin != self.origin)
    }
}

/// The links as the hierarchy has published them.
struct Links<'a, 'w, F> {
    columns: &'a Columns<'w>,
    tracker: &'a ChangeTracker,
    frames: &'a F,
}

impl<'w, F: Frames<'w>> Links<'_, 'w, F> {
    /// The spaces of the origin, and of all parents of frames.
    fn spaces(&self, origin: Option<(Entity, u32)>, parents: &[Entity]) -> Spaces {
        let mut spaces = Spaces::seen_from(self, origin.map(|(origin, _)| origin));
        parents.iter().for_each(|&parent| spaces.add(self, parent));
        spaces
    }

    /// The parents of frames, each once.
    fn parents(&self) -> Vec<Entity> {
        let archetypes = 0..self.columns.archetypes().len() as u32;
        let with_frames = archetypes.filter(|&index| (self.frames)(index).is_some());
        let previous = with_frames.flat_map(|index| self.columns.read::<PreviousParent>(index));
        let mut parents: Vec<Entity> = previous.filter_map(|previous| previous.0).collect();
        parents.dedup(); // siblings often follow one another
        parents.sort_unstable_by_key(captured);
        parents.dedup();
        parents
    }
}

impl<'w, F: Frames<'w>> Tree for Links<'_, 'w, F> {
    fn parent(&self, entity: Entity) -> Option<Entity> {
        let row = self.tracker.locate(entity)?;
        self.columns.read::<PreviousParent>(row.archetype).get(row.row as usize)?.0
    }

    fn frame(&self, entity: Entity) -> Option<Frame> {
        let row = self.tracker.locate(entity)?;
        (self.frames)(row.archetype)?.0.get(row.row as usize).copied()
    }
}

/// Computes the matrices of an archetype's frames, and writes the ones that differ. Returns their
/// rows. `last`: the spaces of the last run, if the frames are those of that run.
fn compute(
    columns: &mut Columns<'_>,
    threads: &parallel::Threads,
    index: u32,
    frames: &[Frame],
    (spaces, last): (&Spaces, Option<&Spaces>),
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
