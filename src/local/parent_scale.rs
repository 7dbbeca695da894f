//! `ParentScaleInverseSystem`: cancels the scale of the direct parent.

use std::collections::HashMap;

use legion::{Entity, world::EntityHasher};
use nalgebra::{Matrix4, Vector3};

use crate::{
    components::{CompositeScale, NonUniformScale, ParentScaleInverse, Scale},
    forest::{Forest, NONE},
    math::{SameBits, compose},
    rules,
    storage::{ChangeTracker, Columns, Mask, Row},
};

/// The state of `ParentScaleInverseSystem`.
#[derive(Default)]
pub(crate) struct ParentScales {
    /// The last values that the system wrote, by child. When the parent loses its scale, such a
    /// value becomes the identity; a value that the user wrote stays.
    written: HashMap<Entity, Matrix4<f32>, EntityHasher>,
    /// Children of an entity whose `CompositeScale` has no inverse, each with its parent.
    pub singular: Vec<(Entity, Option<Entity>)>,
}

impl ParentScales {
    /// Writes `ParentScaleInverse` where it differs, and marks these archetypes as written.
    pub fn run(&mut self, columns: &mut Columns<'_>, tracker: &mut ChangeTracker, forest: &Forest) {
        self.singular.clear();
        let indices: Vec<u32> = tracker.having(Mask::PARENT_SCALE_INVERSE).collect();
        let mut rows = 0;
        for index in indices {
            if tracker[index].writes(Mask::PARENT_SCALE_INVERSE) {
                rows += columns.entities(index).len();
                self.archetype(index, columns, tracker, forest);
            }
        }
        if self.written.len() > 2 * rows + 64 {
            self.written.retain(|&entity, _| columns.locate(entity).is_some());
        }
    }

    fn archetype(
        &mut self,
        index: u32,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        forest: &Forest,
    ) {
        let mut updates = Vec::new();
        let stored = columns.read::<ParentScaleInverse>(index);
        for (row, (&entity, &slot)) in
            columns.entities(index).iter().zip(forest.slots(index)).enumerate()
        {
            let Some(parent) =
                Some(slot).filter(|&slot| slot != NONE).and_then(|slot| forest.parent(slot))
            else {
                continue;
            };
            let parent = forest.row(parent);
            let value = match scale_inverse(columns, tracker, parent) {
                Some(inverse) => {
                    let value = inverse.unwrap_or_else(|| {
                        let parent = columns.entities(parent.archetype)[parent.row as usize];
                        self.singular.push((entity, Some(parent)));
                        Matrix4::identity()
                    });
                    self.written.insert(entity, value);
                    value
                }
                // The parent has no scale (any more).
                None => match self.written.remove(&entity) {
                    Some(written) if written.same_bits(&stored[row].0) => Matrix4::identity(),
                    _ => continue,
                },
            };
            if !value.same_bits(&stored[row].0) {
                updates.push((row, value));
            }
        }
        if !updates.is_empty() {
            let column = columns.write::<ParentScaleInverse>(index);
            updates.into_iter().for_each(|(row, value)| column[row].0 = value);
            tracker.bump_input::<ParentScaleInverse>(columns, index);
        }
    }

    /// Whether anything happened that can change a parent's scale, or the parent of an entity.
    pub fn is_concerned(tracker: &ChangeTracker, relinked: bool) -> bool {
        let mut any = false;
        for index in tracker.having(Mask::PARENT_SCALE_INVERSE) {
            any = true;
            if relinked || tracker[index].is_touched() {
                return true;
            }
        }
        let sources = rules::PARENT_SCALE_INVERSE.group;
        any && tracker.having(Mask::CHILDREN).any(|index| tracker[index].is_changed(sources))
    }
}

/// The inverse of an entity's scale: `None` without a scale, `Some(None)` where it has no inverse.
fn scale_inverse(
    columns: &Columns<'_>,
    tracker: &ChangeTracker,
    at: Row,
) -> Option<Option<Matrix4<f32>>> {
    let archetype = &tracker[at.archetype];
    let row = at.row as usize;
    let of_axes =
        archetype.writes(Mask::COMPOSITE_SCALE) && rules::is_scale_along_axes(archetype.mask);
    let list = if of_axes { rules::AXES } else { rules::SCALINGS };
    match rules::first(archetype.mask, list) {
        Mask::COMPOSITE_SCALE => {
            Some(compose::inverse(&columns.read::<CompositeScale>(at.archetype)[row].0))
        }
        Mask::SCALE => Some(Some(compose::scale_inverse(&Vector3::repeat(
            columns.read::<Scale>(at.archetype)[row].0,
        )))),
        Mask::NON_UNIFORM_SCALE => Some(Some(compose::scale_inverse(
            &columns.read::<NonUniformScale>(at.archetype)[row].0,
        ))),
        _ => None,
    }
}
