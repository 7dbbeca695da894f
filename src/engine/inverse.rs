//! `WorldToLocalSystem`: the inverses of world matrices, on entities with `WorldToLocal`. A world
//! without an inverse, for example of scale `(1, 0, 1)`, gets the identity, and the entity is a
//! finding.

use std::sync::atomic::{AtomicBool, Ordering};

use legion::Entity;
use nalgebra::Matrix4;

use crate::{
    components::{LocalToWorld, WorldToLocal},
    engine::{
        bits::{self, Bits},
        local::{Context, Rows},
        simd::{Formula, Simd},
        storage::{Mask, Wraps},
    },
    math::{affine_inverses, compose::inverse},
};

/// The state of `WorldToLocalSystem`.
#[derive(Default)]
pub(crate) struct Inverses {
    /// By archetype, the entities whose world has no finite inverse.
    pub singular: Vec<Vec<Entity>>,
}

impl Inverses {
    /// Brings `WorldToLocal` up to date where a world changed, or where users wrote a
    /// `WorldToLocal`.
    pub fn run(&mut self, mut context: Context<'_, '_>) {
        let (columns, tracker) = (&*context.columns, &*context.tracker);
        self.singular.resize_with(columns.archetypes().len(), Vec::new);
        let inverted = tracker.having(Mask::WORLD_TO_LOCAL);
        let inverted: Vec<u32> = inverted.filter(|&index| tracker[index].inverts()).collect();
        for index in inverted {
            let tracker = &*context.tracker;
            let due = tracker.world_changes(index);
            self.singular[index as usize].retain(|&entity| {
                let row = tracker.locate(entity).filter(|row| row.archetype == index);
                row.is_some_and(|row| !due.maybe_any() || !due.get(row.row))
            });
            if due.maybe_any() {
                self.archetype(index, &due, &mut context);
            }
        }
    }

    /// Inverts the rows that are due.
    fn archetype(&mut self, index: u32, due: &Bits, context: &mut Context<'_, '_>) {
        let Context { columns, tracker, machine, .. } = context;
        let (worlds, inverses) = columns.read_write::<LocalToWorld, WorldToLocal>(index);
        let (any_singular, matrices) = (AtomicBool::new(false), Wraps::inner_mut(inverses));
        let formula = Worlds { worlds: Wraps::inner(worlds), any_singular: &any_singular };
        let mut marks = due.words().to_vec();
        let mut rows = Rows { isa: machine.isa, formula, first: 0, matrices, marks: &mut marks };
        rows.update_due(false, machine.threads.paying(bits::count(due.words())));
        if marks.iter().any(|word| *word != 0) {
            tracker.bump::<WorldToLocal>(columns, index);
        }
        if any_singular.into_inner() {
            let (entities, worlds) = (columns.entities(index), columns.read::<LocalToWorld>(index));
            let singular = due.iter().filter(|&row| inverse(&worlds[row]).is_none());
            self.singular[index as usize].extend(singular.map(|row| entities[row]));
        }
    }
}

/// The inverses of these matrices.
#[derive(Clone, Copy)]
struct Worlds<'a> {
    worlds: &'a [Matrix4<f32>],
    /// Set where one has no inverse.
    any_singular: &'a AtomicBool,
}

impl Formula for Worlds<'_> {
    fn one(&self, row: usize) -> Matrix4<f32> {
        inverse(&self.worlds[row]).unwrap_or_else(|| {
            self.any_singular.store(true, Ordering::Relaxed);
            Matrix4::identity()
        })
    }

    #[inline(always)]
    fn four<S: Simd>(&self, simd: S, row: usize) -> [S::Matrix; 4] {
        let four = self.worlds[row..].first_chunk().expect("as many worlds as inverses");
        if let Some(inverses) = affine_inverses(four) {
            return simd.of_columns(inverses);
        }
        [0, 1, 2, 3].map(|i| simd.load(&self.one(row + i)))
    }
}
