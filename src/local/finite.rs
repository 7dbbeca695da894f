//! Where infinities and NaNs enter: local matrices that are not finite.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicBool, Ordering},
};

use legion::Entity;
use nalgebra::Matrix4;

use crate::{
    components::{LocalToParent, LocalToWorld},
    math::bits::is_finite,
    rules,
    storage::{ArchetypeSheet, ChangeTracker, casts::inner, columns::Columns, mask::Mask},
};

/// Lowered by whatever composes something that is not finite.
pub(crate) struct AllFinite(AtomicBool);

impl AllFinite {
    pub fn new() -> Self {
        Self(AtomicBool::new(true))
    }

    pub fn note(&self, finite: bool) {
        if !finite {
            self.0.store(false, Ordering::Relaxed);
        }
    }

    pub fn holds(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The entities whose local matrix is not finite.
#[derive(Default)]
pub(crate) struct NotFinite {
    pub entities: BTreeMap<u32, Vec<Entity>>,
    /// Archetypes that have to be looked at in this run.
    suspects: BTreeSet<u32>,
    /// Archetypes of which some rows were written and not checked.
    unchecked: BTreeSet<u32>,
}

impl NotFinite {
    /// Something that was composed in an archetype may not be finite.
    pub fn suspect(&mut self, index: u32) {
        self.suspects.insert(index);
    }

    /// Some rows of an archetype were written and not checked in this run. The first run that
    /// leaves none unchecked there checks all of its rows.
    pub fn leave_unchecked(&mut self, index: u32) {
        self.unchecked.insert(index);
    }

    /// Whether anything has to be checked although nothing was touched.
    pub fn has_unchecked(&self) -> bool {
        !self.unchecked.is_empty()
    }

    /// The archetypes that were left unchecked up to now.
    pub fn take_unchecked(&mut self) -> BTreeSet<u32> {
        std::mem::take(&mut self.unchecked)
    }

    /// Looks at the matrices that users write themselves, as far as they may have been written.
    pub fn look_at_own(
        &mut self,
        index: u32,
        arrivals: Option<&[u32]>,
        columns: &Columns<'_>,
        archetype: &ArchetypeSheet,
    ) {
        for component in own_matrices(archetype) {
            let matrices = matrices(columns, index, component);
            let finite = match arrivals.filter(|_| !archetype.is_written(component)) {
                Some(rows) => rows.iter().all(|&row| is_finite(&matrices[row as usize])),
                None => matrices.iter().all(is_finite),
            };
            if !finite {
                self.suspect(index);
            }
        }
    }

    /// Looks again at the touched archetypes in which something was found, at the suspects, and at
    /// the `unchecked` archetypes, which the last run left so, unless this run did, too.
    pub fn find(
        &mut self,
        touched: &[u32],
        unchecked: BTreeSet<u32>,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
    ) {
        let mut suspects = std::mem::take(&mut self.suspects);
        suspects.extend(unchecked.difference(&self.unchecked));
        suspects.extend(touched.iter().filter(|index| self.entities.contains_key(index)));
        for index in suspects {
            let archetype = &tracker[index];
            let target = rules::local_matrix(archetype.mask).target & archetype.mask;
            let components = own_matrices(archetype).fold(target, Mask::union);
            let found = |row: &usize| {
                components
                    .iter()
                    .any(|component| !is_finite(&matrices(columns, index, component)[*row]))
            };
            let entities = columns.entities(index);
            let found: Vec<Entity> =
                (0..entities.len()).filter(found).map(|row| entities[row]).collect();
            if found.is_empty() {
                self.entities.remove(&index);
            } else {
                self.entities.insert(index, found);
            }
        }
    }
}

/// The matrices of an archetype that are inputs: nothing derives them.
fn own_matrices(archetype: &ArchetypeSheet) -> impl Iterator<Item = Mask> {
    let mask = archetype.mask;
    let rules::Rule { target, inputs, .. } = rules::local_matrix(mask);
    let local = mask.has(target) && (!archetype.writes(target) || !mask.has_any(inputs));
    let world = mask.has(Mask::LOCAL_TO_WORLD)
        && target != Mask::LOCAL_TO_WORLD
        && !archetype.writes(Mask::LOCAL_TO_WORLD);
    [(target, local), (Mask::LOCAL_TO_WORLD, world)]
        .into_iter()
        .filter_map(|(component, own)| own.then_some(component))
}

fn matrices<'a>(columns: &'a Columns<'_>, index: u32, component: Mask) -> &'a [Matrix4<f32>] {
    if component == Mask::LOCAL_TO_PARENT {
        inner(columns.read::<LocalToParent>(index))
    } else {
        inner(columns.read::<LocalToWorld>(index))
    }
}
