//! The system: computes the frames that may be seen otherwise than before, and writes those that
//! are.
//!
//! ```text
//!  stamps     versions of the columns, by archetype      nothing moved: done
//!  spaces     of the origin, and of all parents of frames
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
    components::{LocalToWorld, PreviousParent},
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
/// frames in each run, and writes only those that differ.
struct Seen {
    world: WorldId,
    origin: Option<Entity>,
    stamps: Vec<Stamp>,
    /// The parents of frames, each once.
    parents: Vec<Entity>,
    spaces: Spaces,
}

/// How many rows an archetype had, and the versions of its columns; zero for those that do not
/// matter. Equal if nothing was written and nothing has come or gone.
#[derive(Clone, Copy, PartialEq)]
struct Stamp {
    rows: usize,
    frame: u64,
    parent: u64,
    matrix: u64,
}

impl Stamp {
    fn of(columns: &Columns<'_>, archetype: &Archetype) -> Self {
        let index = archetype.index().0;
        let look = |component| columns.look(component, index).0;
        let (frame, matrix) = match has_frames(archetype) {
            true => (columns.other::<Frame>(index), look(Mask::LOCAL_TO_WORLD)),
            false => (None, 0),
        };
        let (rows, parent) = (archetype.entities().len(), look(Mask::PREVIOUS_PARENT));
        Self { rows, frame: frame.map_or(0, |(_, version)| version), parent, matrix }
    }

    /// Whether entities may have another parent, or have come or gone.
    fn is_relinked(&self, before: Option<&Self>) -> bool {
        let links = |stamp: &Self| (stamp.rows, stamp.parent);
        self.parent != 0 && before.map(links) != Some(links(self))
    }
}

fn stamps(columns: &Columns<'_>) -> Vec<Stamp> {
    columns.archetypes().iter().map(|archetype| Stamp::of(columns, archetype)).collect()
}

fn has_frames(archetype: &Archetype) -> bool {
    archetype.layout().has_component::<Frame>()
}

/// One run of the system.
fn run(seen: &mut Option<Seen>, world: &mut World, resources: &mut Resources) {
    let before = seen.take().filter(|before| before.world == world.id());
    let origin = resources.get::<Origin>().map(|origin| origin.0);
    let mut columns = Columns::new(world);
    let found = stamps(&columns);
    if before.as_ref().is_some_and(|it| it.origin == origin && it.stamps == found) {
        *seen = before;
        return;
    }
    let known = |index: usize| before.as_ref().and_then(|before| before.stamps.get(index));
    let is_relinked = found.iter().enumerate().any(|(i, stamp)| stamp.is_relinked(known(i)));
    let parents = match &before {
        Some(before) if !is_relinked => before.parents.clone(),
        _ => parents(&columns),
    };
    let Ok(walk) = Walk::new(columns.world()) else { return };
    let mut spaces = Spaces::seen_from(columns.world(), &walk, origin);
    parents.iter().for_each(|&parent| _ = spaces.at(columns.world(), &walk, parent));
    let is_same = |it: &Seen| it.spaces.universe == spaces.universe;
    let is_universe_same = before.as_ref().is_some_and(is_same);
    let are_same = |it: &Seen| spaces.same_for(&it.spaces, &parents);
    let are_spaces_same = !is_relinked && before.as_ref().is_some_and(are_same);
    for (i, archetype) in columns.archetypes().iter().enumerate() {
        let is_same = is_universe_same && (found[i].parent == 0 || are_spaces_same);
        if has_frames(archetype) && !(is_same && known(i) == Some(&found[i])) {
            compute(&mut columns, archetype, &spaces);
        }
    }
    let (world, stamps) = (columns.world().id(), stamps(&columns));
    *seen = Some(Seen { world, origin, stamps, parents, spaces });
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

/// Computes the matrices of an archetype's frames, and writes those that differ.
fn compute(columns: &mut Columns<'_>, archetype: &Archetype, spaces: &Spaces) {
    let index = archetype.index().0;
    let Some((frames, _)) = columns.other::<Frame>(index) else { return };
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
