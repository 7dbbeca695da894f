//! The system: computes the frames that may be seen otherwise than before, and writes the ones that
//! differ.
//!
//! ```text
//!  stamps     versions of the columns, by archetype      nothing moved: done
//!  spaces     of the origin, and of all parents of frames; those of the last run, if no frame with
//!             children has moved, and nothing was linked
//!  compute    archetypes that were written, or whose frames stand in a space that is seen anew
//! ```

use std::sync::atomic::{AtomicBool, Ordering};

use legion::{Entity, Resources, World, storage::Archetype, world::WorldId};

use super::{
    Frame, Origin,
    spaces::{Space, Spaces},
};
use crate::{
    bundle::TransformSystemBundle,
    components::{Children, LocalToWorld, PreviousParent},
    math::SameBits,
    parallel,
    query::Walk,
    storage::{Columns, Mask, captured},
};

impl TransformSystemBundle {
    /// Computes [`LocalToWorld`] of entities with a [`Frame`], which is `f64`, as it is seen from
    /// [`Origin`]. See [`frames`](crate::frames).
    #[must_use]
    pub fn large_worlds(self) -> Self {
        let mut seen = None;
        self.write_group::<LocalToWorld, Frame>()
            .before_propagation_with(move |world, resources| run(&mut seen, world, resources))
    }
}

/// What the last run saw of a world. Of one world: a schedule that serves several computes all
/// frames in each run, and writes only the ones that differ.
struct Seen {
    world: WorldId,
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
/// Equal if nothing was written and nothing has come or gone.
///
/// ```text
///  an archetype with                       its stamp         if it differs
///  Frame, and Children or the origin       rows, versions    all spaces may be seen anew
///  Frame                                   rows, versions    its frames may be
///  Parent, and Children or the origin      rows, version     frames may be in other spaces
///  nothing of that: shots, walls, wheels   0                 -
/// ```
#[derive(Clone, Copy, Default, PartialEq)]
struct Stamp {
    rows: usize,
    frame: u64,
    parent: u64,
    matrix: u64,
}

impl Stamp {
    fn of<'w>(
        columns: &Columns<'w>,
        frames: &impl Frames<'w>,
        archetype: &Archetype,
        origin: Option<(Entity, u32)>,
    ) -> Self {
        if !has_frames(archetype) && !has_spaces(archetype, origin) {
            return Self::default();
        }
        let index = archetype.index().0;
        let parent = columns.look(Mask::PREVIOUS_PARENT, index).0;
        let (frame, matrix) = match frames(index) {
            Some((_, version)) => (version, columns.look(Mask::LOCAL_TO_WORLD, index).0),
            None => (0, 0),
        };
        // Roots without frames count for nothing.
        let rows = if parent | frame == 0 { 0 } else { archetype.entities().len() };
        Self { rows, frame, parent, matrix }
    }

    /// Whether entities may have another parent, or have come or gone.
    fn is_relinked(&self, before: &Self) -> bool {
        self.parent != 0 && (self.rows, self.parent) != (before.rows, before.parent)
    }

    /// Whether frames may be others.
    fn is_reframed(&self, before: &Self) -> bool {
        (self.rows, self.frame) != (before.rows, before.frame)
    }
}

fn stamps<'w>(
    columns: &Columns<'w>,
    frames: &impl Frames<'w>,
    origin: Option<(Entity, u32)>,
) -> Vec<Stamp> {
    let archetypes = columns.archetypes().iter();
    archetypes.map(|archetype| Stamp::of(columns, frames, archetype, origin)).collect()
}

/// Whether entities of an archetype can be above a frame, or above the origin, or are the origin.
fn has_spaces(archetype: &Archetype, origin: Option<(Entity, u32)>) -> bool {
    archetype.layout().has_component::<Children>()
        || origin.is_some_and(|(_, at)| at == archetype.index().0)
}

fn has_frames(archetype: &Archetype) -> bool {
    archetype.layout().has_component::<Frame>()
}

/// One run of the system.
fn run(seen: &mut Option<Seen>, world: &mut World, resources: &mut Resources) {
    let before = seen.take().filter(|before| before.world == world.id());
    let mut columns = Columns::new(world);
    let origin = resources.get::<Origin>().map(|origin| origin.0);
    let origin = origin.and_then(|it| Some((it, columns.locate(it)?.archetype)));
    let frames = columns.others::<Frame>();
    let found = stamps(&columns, &frames, origin);
    if before.as_ref().is_some_and(|it| it.origin == origin && it.stamps == found) {
        *seen = before;
        return;
    }
    let Some(news) = News::of(&columns, &found, before, origin) else { return };
    let archetypes = columns.archetypes().iter().zip(&found);
    for (archetype, stamp) in archetypes.filter(|(archetype, _)| has_frames(archetype)) {
        let is_same = news.is_universe_same && (stamp.parent == 0 || news.are_spaces_same);
        let index = archetype.index().0;
        if !(is_same && news.stamps.get(index as usize) == Some(stamp))
            && let Some((frames, _)) = frames(index)
        {
            compute(&mut columns, index, frames, &news.spaces);
        }
    }
    let (world, stamps) = (columns.world().id(), stamps(&columns, &frames, origin));
    let News { parents, spaces, .. } = news;
    *seen = Some(Seen { world, origin, stamps, parents, spaces });
}

/// Parents and spaces, and what of them differs from the last run.
struct News {
    parents: Vec<Entity>,
    spaces: Spaces,
    /// The stamps of the last run.
    stamps: Vec<Stamp>,
    is_universe_same: bool,
    /// Whether frames have the same parents, whose frames are seen as before.
    are_spaces_same: bool,
}

impl News {
    /// `None` if the world cannot be read.
    fn of(
        columns: &Columns<'_>,
        found: &[Stamp],
        before: Option<Seen>,
        origin: Option<(Entity, u32)>,
    ) -> Option<Self> {
        let Some(before) = before else {
            let parents = parents(columns);
            let (spaces, stamps) = (spaces(columns, origin, &parents)?, Vec::new());
            let (is_universe_same, are_spaces_same) = (false, false);
            return Some(Self { parents, spaces, stamps, is_universe_same, are_spaces_same });
        };
        let Seen { origin: last_origin, stamps, parents: last_parents, spaces: last, .. } = before;
        let known = |i: usize| stamps.get(i).copied().unwrap_or_default();
        let is_relinked = (0..).zip(found).any(|(i, stamp)| stamp.is_relinked(&known(i)));
        let is_reframed =
            columns.archetypes().iter().enumerate().any(|(i, archetype)| {
                has_spaces(archetype, origin) && found[i].is_reframed(&known(i))
            });
        if !is_relinked && !is_reframed && origin == last_origin {
            let (parents, spaces) = (last_parents, last);
            let (is_universe_same, are_spaces_same) = (true, true);
            return Some(Self { parents, spaces, stamps, is_universe_same, are_spaces_same });
        }
        let parents = if is_relinked { parents(columns) } else { last_parents };
        let spaces = spaces(columns, origin, &parents)?;
        let is_universe_same = spaces.universe == last.universe;
        let are_spaces_same = !is_relinked && spaces.same_for(&last, &parents);
        Some(Self { parents, spaces, stamps, is_universe_same, are_spaces_same })
    }
}

/// The spaces of the origin, and of all parents of frames.
fn spaces(
    columns: &Columns<'_>,
    origin: Option<(Entity, u32)>,
    parents: &[Entity],
) -> Option<Spaces> {
    let world = columns.world();
    let walk = Walk::new(world).ok()?;
    let mut spaces = Spaces::seen_from(world, &walk, origin.map(|(origin, _)| origin));
    spaces.add(world, &walk, parents);
    Some(spaces)
}

/// The parents of frames, each once.
fn parents(columns: &Columns<'_>) -> Vec<Entity> {
    let with_frames = columns.archetypes().iter().filter(|archetype| has_frames(archetype));
    let previous = with_frames.flat_map(|it| columns.read::<PreviousParent>(it.index().0));
    let mut parents: Vec<Entity> = previous.filter_map(|previous| previous.0).collect();
    parents.sort_unstable_by_key(captured);
    parents.dedup();
    parents
}

/// Computes the matrices of an archetype's frames, and writes the ones that differ.
fn compute(columns: &mut Columns<'_>, index: u32, frames: &[Frame], spaces: &Spaces) {
    let (previous, matrices) = columns.read_write::<PreviousParent, LocalToWorld>(index);
    let any = AtomicBool::new(false);
    let blocks = matrices.chunks_mut(parallel::BLOCK).zip(frames.chunks(parallel::BLOCK));
    parallel::for_each(blocks.enumerate(), parallel::pays(frames.len()), &|(block, (to, from))| {
        let first = block * parallel::BLOCK;
        // Siblings often follow one another.
        let mut last: (Option<Entity>, Space) = (None, spaces.universe);
        let mut has_changed = false;
        for (row, (matrix, frame)) in to.iter_mut().zip(from).enumerate() {
            let parent = previous.get(first + row).and_then(|previous| previous.0);
            if parent != last.0 {
                last = (parent, spaces.below(parent));
            }
            let new = last.1.matrix(frame);
            if !new.same_bits(&matrix.0) {
                (matrix.0, has_changed) = (new, true);
            }
        }
        if has_changed {
            any.store(true, Ordering::Relaxed);
        }
    });
    if any.into_inner() {
        columns.bump::<LocalToWorld>(index);
    }
}
