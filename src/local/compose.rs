//! The order of the local systems, and what they tell propagation.

use super::{composite, euler, parent_scale::ParentScales, trs, update::Marks};
use crate::{
    archetypes::{Archetype, Archetypes},
    components::*,
    hierarchy::{forest::NONE, parent_system::ParentSystem},
    layout::{Mask, TransformComponent},
    raw::{kernel::Level, slices::Columns},
};

/// What the local systems remember of a world.
#[derive(Default)]
pub(crate) struct LocalSystems {
    pub parent_scales: ParentScales,
    marks: Marks,
    /// Archetypes that somebody else wrote into, or in which nearly all local matrices changed.
    whole: Vec<Whole>,
    level: Level,
    /// How many entities were composed and how many came out different.
    pub composed: usize,
    pub changed: usize,
}

impl LocalSystems {
    /// Brings `Rotation`, `PostRotation`, the composites, `ParentScaleInverse` and local matrices up to date wherever
    /// anything was touched, and marks in the forest whose world has to follow.
    pub fn run(
        &mut self,
        columns: &mut Columns<'_>,
        archetypes: &mut Archetypes,
        parents: &mut ParentSystem,
        relinked: bool,
    ) {
        let touched: Vec<u32> = archetypes.touched().collect();
        for &index in &touched {
            self.compose_inputs(index, columns, archetypes);
        }
        if ParentScales::is_concerned(archetypes, relinked) {
            self.parent_scales.run(columns, archetypes, parents);
        }
        let touched: Vec<u32> = archetypes.touched().collect();
        for index in touched {
            self.compose_matrices(index, columns, archetypes, parents);
        }
        self.tell_of_whole(parents);
    }

    /// Eulers and composites: they depend on nothing but the entity's own components.
    fn compose_inputs(&mut self, index: u32, columns: &mut Columns<'_>, archetypes: &mut Archetypes) {
        // Asked anew for each, as a composite has to follow a rotation that was written just before it.
        let due = |archetype: &Archetype, target: Mask, inputs: Mask| {
            archetype.writes(target) && archetype.mask.has_any(inputs) && archetype.is_changed(inputs | target)
        };
        let mask = archetypes[index].mask;
        let marks = &mut self.marks;
        if due(&archetypes[index], Mask::ROTATION, Mask::ROTATION_EULERS) && euler::rotation(columns, index, mask, marks) {
            publish::<Rotation>(columns, archetypes, index);
        }
        if due(&archetypes[index], Mask::POST_ROTATION, Mask::POST_ROTATION_EULERS)
            && euler::post_rotation(columns, index, mask, marks)
        {
            publish::<PostRotation>(columns, archetypes, index);
        }
        if due(&archetypes[index], Mask::COMPOSITE_ROTATION, Mask::COMPOSITE_ROTATION_INPUTS)
            && composite::rotation(columns.local(index), marks)
        {
            publish::<CompositeRotation>(columns, archetypes, index);
        }
        if due(&archetypes[index], Mask::COMPOSITE_SCALE, Mask::COMPOSITE_SCALE_INPUTS)
            && composite::scale(columns.local(index), marks)
        {
            publish::<CompositeScale>(columns, archetypes, index);
        }
    }

    /// The local matrices of one archetype.
    fn compose_matrices(
        &mut self,
        index: u32,
        columns: &mut Columns<'_>,
        archetypes: &mut Archetypes,
        parents: &mut ParentSystem,
    ) {
        let archetype = &archetypes[index];
        let mask = archetype.mask;
        let target = if mask.has(Mask::LOCAL_TO_PARENT) { Mask::LOCAL_TO_PARENT } else { Mask::LOCAL_TO_WORLD };
        let inputs = mask & inputs_of(target);
        let composes = archetype.writes(target) && inputs != Mask::NONE;
        self.marks.reset(0);
        if composes && archetype.is_changed(inputs | target) {
            self.write_matrices(index, target, columns, archetypes, parents);
            if self.marks.any() {
                match target {
                    Mask::LOCAL_TO_PARENT => archetypes.bump::<LocalToParent>(columns, index),
                    _ => archetypes.bump::<LocalToWorld>(columns, index),
                }
                archetypes[index].world_changed |= target == Mask::LOCAL_TO_WORLD;
            }
            self.composed += columns.entities(index).len();
            self.changed += self.marks.count();
        }
        if mask.has(Mask::LOCAL_TO_WORLD) {
            self.tell_forest(index, &archetypes[index], parents);
        }
    }

    /// Composes what has to be, by the cheapest way that is exact.
    fn write_matrices(
        &mut self,
        index: u32,
        target: Mask,
        columns: &mut Columns<'_>,
        archetypes: &mut Archetypes,
        parents: &ParentSystem,
    ) {
        let archetype = &mut archetypes[index];
        let mask = archetype.mask;
        let marks = &mut self.marks;
        if !trs::is_plain(mask) {
            let (forest, positions) = (&parents.forest, parents.rows.positions(index));
            let linked = |row| positions.get(row).is_some_and(|&position| position != NONE && forest.is_linked(position));
            trs::local(columns.local(index), mask, marks, linked);
            return;
        }
        let (trs, matrices) = trs::plain(columns.local(index), mask);
        marks.reset(matrices.len());
        // Whoever enters an archetype moves the versions of all its components, the matrices' included; whoever leaves shows in
        // the length. So where neither moved, every row is the entity it was, with the matrix that the copy led to.
        let undisturbed = !archetype.is_changed(target);
        if undisturbed && archetype.inputs.has(&trs, matrices.len()) {
            archetype.inputs.compose_changed(self.level, trs, matrices, marks);
        } else {
            archetype.inputs.compose_all(self.level, trs, matrices, marks, undisturbed);
        }
    }

    /// Marks the entities whose world matrix has to be computed, or has changed already.
    fn tell_forest(&mut self, index: u32, archetype: &Archetype, parents: &mut ParentSystem) {
        let ParentSystem { forest, rows, .. } = parents;
        let positions = rows.positions(index);
        if positions.is_empty() {
            return;
        }
        let is_member = archetype.mask.has(Mask::LOCAL_TO_PARENT);
        // What somebody else wrote may even be what is right now: then nothing will differ here, but below it will.
        let moved = archetype.is_changed(Mask::LOCAL_TO_WORLD);
        let touched = moved || (is_member && archetype.is_changed(Mask::LOCAL_TO_PARENT));
        if touched || (is_member && self.marks.count() * 8 >= positions.len() * 7) {
            let dirty = is_member && archetype.writes(Mask::LOCAL_TO_WORLD);
            self.whole.push(Whole { index, rows: positions.len(), dirty, moved });
            return;
        }
        for row in self.marks.iter() {
            match positions[row] {
                NONE => {}
                position if is_member => forest.dirty.set(position),
                position => forest.moved.set(position),
            }
        }
    }

    /// Marks all entities of the archetypes that are marked whole; if these are nearly all there are, then simply all.
    fn tell_of_whole(&mut self, parents: &mut ParentSystem) {
        let ParentSystem { forest, rows, .. } = parents;
        let count: usize = self.whole.iter().map(|whole| whole.rows).sum();
        if count > 0 && count * 8 >= forest.population() * 7 {
            forest.dirty.set_all();
            if self.whole.iter().any(|whole| whole.moved) {
                forest.moved.set_all();
            }
            self.whole.clear();
        }
        for whole in self.whole.drain(..) {
            for &position in rows.positions(whole.index).iter().filter(|&&position| position != NONE) {
                if whole.dirty {
                    forest.dirty.set(position);
                }
                if whole.moved {
                    forest.moved.set(position);
                }
            }
        }
    }
}

/// An archetype of which all entities are marked.
struct Whole {
    index: u32,
    rows: usize,
    dirty: bool,
    moved: bool,
}

/// What a local matrix is computed from.
fn inputs_of(target: Mask) -> Mask {
    if target == Mask::LOCAL_TO_PARENT { Mask::LOCAL_INPUTS | Mask::PARENT_SCALE_INVERSE } else { Mask::LOCAL_INPUTS }
}

/// Moves the version of a component that was written, and lets those that are computed from it know.
pub(super) fn publish<T: TransformComponent>(columns: &mut Columns<'_>, archetypes: &mut Archetypes, index: u32) {
    archetypes.bump::<T>(columns, index);
    archetypes[index].changed |= T::MASK;
}
