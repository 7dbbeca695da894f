//! `ParentScaleInverseSystem`: cancels the scale of the direct parent.
//!
//! ```text
//!  the parent has                            the child's ParentScaleInverse
//!  NonUniformScale(2, 4, 1)                  diagonal 1/2, 1/4, 1
//!  Scale(0)                                  diagonal 0, 0, 0: 1/0 is not finite
//!  CompositeScale without an inverse         the identity, and a finding
//!  no scale any more                         the identity, if the system wrote the last value
//!  no scale ever                             the user's value stays
//! ```
//!
//! A pass looks at all rows with `ParentScaleInverse`, if anything happened that can change one of
//! them: a look-up of the parent's scale each. Few archetypes have the component, so that nothing
//! finer is kept.

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
    /// The last values that the system computed, by child. When the parent loses its scale, such a
    /// value becomes the identity; a value that the user wrote stays. For example, the system wrote
    /// 1/2 below a parent of scale 2, and the parent's `Scale` is removed: 1/2 becomes 1. If a user
    /// wrote 1/3 in the same tick, 1/3 stays.
    written: HashMap<Entity, Matrix4<f32>, EntityHasher>,
    /// Children of an entity whose `CompositeScale` has no inverse, each with its parent.
    pub singular: Vec<(Entity, Option<Entity>)>,
}

impl ParentScales {
    /// Writes `ParentScaleInverse` where it differs. Returns the archetypes, ascending, and the rows
    /// where it did.
    pub fn run(
        &mut self,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        forest: &Forest,
    ) -> Vec<(u32, Vec<u32>)> {
        self.singular.clear();
        let mut written = Vec::new();
        let indices: Vec<u32> = tracker.having(Mask::PARENT_SCALE_INVERSE).collect();
        let mut rows = 0;
        for index in indices {
            if tracker[index].writes(Mask::PARENT_SCALE_INVERSE) {
                rows += columns.entities(index).len();
                let changed = self.archetype(index, columns, tracker, forest);
                if !changed.is_empty() {
                    written.push((index, changed));
                }
            }
        }
        // Entries of dead entities go when there are many: with 100 rows, at 265 entries.
        if self.written.len() > 2 * rows + 64 {
            self.written.retain(|&entity, _| columns.locate(entity).is_some());
        }
        written
    }

    /// Brings the rows of an archetype up to date. Collects the values that differ and writes them
    /// at the end, because the scales of parents are read meanwhile, perhaps from this archetype.
    fn archetype(
        &mut self,
        index: u32,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        forest: &Forest,
    ) -> Vec<u32> {
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
            // From here, each `continue` leaves the stored value as it is.
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
            updates.iter().for_each(|&(row, value)| column[row].0 = value);
            tracker.bump_input::<ParentScaleInverse>(columns, index);
        }
        updates.into_iter().map(|(row, _)| row as u32).collect()
    }

    /// Whether anything happened that can change a parent's scale, or the parent of an entity:
    /// links changed, an archetype with `ParentScaleInverse` was touched, or scales were written or
    /// entities came or went in an archetype with `Children`.
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
///
/// A `CompositeScale` that the bundle computes from a scale along the axes alone is inverted like
/// that scale: exactly, axis by axis, and also where an axis is 0.
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
