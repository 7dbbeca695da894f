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
//! A row is *due* if its entity came, got a different parent, or has a parent whose scale was
//! written; and where its `ParentScaleInverse` may have been written.

use legion::Entity;
use nalgebra::{Matrix4, Vector3};

use super::work::Work;
use crate::{
    components::{CompositeScale, NonUniformScale, ParentScaleInverse, Scale},
    engine::{
        forest::{Forest, NONE},
        rules,
        storage::{ChangeTracker, Columns, Mask, Row},
    },
    math::{self, SameBits, compose},
};

/// The state of `ParentScaleInverseSystem`.
#[derive(Default)]
pub(crate) struct ParentScales {
    /// By archetype and row, the values that the system computed last. When the parent loses its
    /// scale, such a value becomes the identity; a value that the user wrote stays. For example,
    /// the system wrote 1/2 below a parent of scale 2, and the parent's `Scale` is removed: 1/2
    /// becomes 1. If a user wrote 1/3 in the same tick, 1/3 stays.
    written: Vec<Vec<Option<Matrix4<f32>>>>,
    /// Children of an entity whose `CompositeScale` has no inverse, each with its parent.
    pub singular: Vec<(Entity, Option<Entity>)>,
}

impl ParentScales {
    /// Writes `ParentScaleInverse` where it differs. `works`: the rows due in touched archetypes.
    /// Returns the archetypes, ascending, and the rows where it differed.
    pub(super) fn run(
        &mut self,
        works: &[Work],
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        forest: &Forest,
    ) -> Vec<(u32, Vec<u32>)> {
        let due = due(works, columns, tracker, forest);
        self.singular.retain(|&(child, _)| {
            let row = tracker.locate(child).filter(|row| is_compensated(tracker, row.archetype));
            row.is_some_and(|row| due.binary_search(&row).is_err())
        });
        let archetypes = due.chunk_by(|a, b| a.archetype == b.archetype);
        archetypes
            .map(|rows| (rows[0].archetype, self.archetype(rows, columns, tracker, forest)))
            .filter(|(_, changed)| !changed.is_empty())
            .collect()
    }

    /// The entity of a row goes, and the one of row `last` takes its place. Returns its value.
    pub fn leave(&mut self, from: Row, last: u32) -> Option<Box<Matrix4<f32>>> {
        let values = self.written.get_mut(from.archetype as usize)?;
        if last as usize >= values.len() {
            return None;
        }
        values.swap_remove(from.row as usize).map(Box::new)
    }

    /// An entity with `ParentScaleInverse` comes to a row, with its value.
    pub fn come(&mut self, to: Row, value: Option<Box<Matrix4<f32>>>) {
        let index = to.archetype as usize;
        if self.written.len() <= index {
            self.written.resize_with(index + 1, Vec::new);
        }
        self.written[index].truncate(to.row as usize);
        self.written[index].push(value.map(|value| *value));
    }

    /// Brings these rows of one archetype up to date. First the scales of the parents are inverted,
    /// which may be in this archetype, too; then `ParentScaleInverse` is written. Returns the rows
    /// where it differed.
    fn archetype(
        &mut self,
        rows: &[Row],
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        forest: &Forest,
    ) -> Vec<u32> {
        let index = rows[0].archetype;
        let parent_of = |row: &Row| {
            let slot = Some(forest.slot(*row)).filter(|&slot| slot != NONE);
            slot.and_then(|slot| forest.parent(slot))
        };
        // Siblings often follow one another: the parent's scale is inverted once.
        let mut families: Vec<(&[Row], Option<Matrix4<f32>>)> = Vec::new();
        let mut rest = rows;
        while let [first, others @ ..] = rest {
            let parent = parent_of(first);
            let siblings = others.iter().take_while(|row| parent_of(row) == parent).count();
            let rows = rest.split_off(..siblings + 1).expect("as many were counted");
            let Some(parent) = parent.map(|slot| forest.row(slot)) else { continue };
            let inverse = scale_inverse(columns, tracker, parent);
            if inverse == Some(None) {
                let entity = |row: &Row| (columns.entity(*row), Some(columns.entity(parent)));
                self.singular.extend(rows.iter().map(entity));
            }
            families.push((rows, inverse.map(|it| it.unwrap_or_else(Matrix4::identity))));
        }
        let (column, mut changed) = (columns.write::<ParentScaleInverse>(index), Vec::new());
        for (rows, inverse) in families {
            for row in rows.iter().map(|row| row.row) {
                let stored = &mut column[row as usize].0;
                let written = &mut self.written[index as usize][row as usize];
                let value = match (inverse, written.take()) {
                    (Some(inverse), _) => {
                        *written = Some(inverse);
                        inverse
                    }
                    // The parent has no scale any more.
                    (None, Some(last)) if last.same_bits(stored) => Matrix4::identity(),
                    (None, _) => continue,
                };
                if !value.same_bits(stored) {
                    *stored = value;
                    changed.push(row);
                }
            }
        }
        if !changed.is_empty() {
            tracker.bump::<ParentScaleInverse>(columns, index);
        }
        changed
    }
}

/// Whether the bundle writes `ParentScaleInverse` in an archetype.
fn is_compensated(tracker: &ChangeTracker, archetype: u32) -> bool {
    tracker[archetype].writes(Mask::PARENT_SCALE_INVERSE)
}

/// The rows that have to be looked at, in order.
///
/// ```text
///  archetype      what happened             due
///  2, children    row 5 came                2:5
///  2              row 7 got a new parent    2:7
///  0, parents     Scale, of row 3           2:30 to 2:39, its children
/// ```
fn due(
    works: &[Work],
    columns: &Columns<'_>,
    tracker: &ChangeTracker,
    forest: &Forest,
) -> Vec<Row> {
    let mut due = Vec::new();
    let any = tracker.having(Mask::PARENT_SCALE_INVERSE).next().is_some();
    for archetype in tracker.touched().filter(|_| any) {
        let (sheet, len) = (&tracker[archetype], columns.entities(archetype).len());
        let at = |row: u32| Row { archetype, row };
        if is_compensated(tracker, archetype) {
            match sheet.is_written(Mask::PARENT_SCALE_INVERSE) {
                true => due.extend((0..len as u32).map(at)),
                false => due.extend(sheet.arrivals_and_due(len).map(at)),
            }
        }
        let mut add_children = |row: u32| {
            let slot = forest.slot(at(row));
            if slot != NONE {
                let children = forest.children(slot).map(|child| forest.row(child));
                due.extend(children.filter(|row| is_compensated(tracker, row.archetype)));
            }
        };
        if sheet.mask.has(Mask::CHILDREN) && sheet.is_written(rules::any_of(rules::SCALINGS)) {
            // The scales are among the inputs of the local matrices that are due.
            match works.binary_search_by_key(&archetype, |work| work.index) {
                Ok(work) => works[work].for_each_due(add_children),
                Err(_) => (0..len as u32).for_each(add_children),
            }
        } else if sheet.mask.has(Mask::CHILDREN) {
            sheet.arrivals_and_due(len).for_each(&mut add_children);
        }
    }
    due.sort_unstable();
    due.dedup();
    due
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
    let source = match of_axes {
        true => rules::source(archetype.mask, rules::AXES).map(rules::ScaleSource::Axes),
        false => rules::source(archetype.mask, rules::SCALINGS),
    };
    Some(match source? {
        rules::ScaleSource::Composite => {
            compose::inverse(&columns.read::<CompositeScale>(at.archetype)[row])
        }
        rules::ScaleSource::Axes(rules::AxesSource::Uniform) => {
            let scale = columns.read::<Scale>(at.archetype)[row].0;
            Some(math::scale_inverse(&Vector3::repeat(scale)))
        }
        rules::ScaleSource::Axes(rules::AxesSource::NonUniform) => {
            Some(math::scale_inverse(&columns.read::<NonUniformScale>(at.archetype)[row]))
        }
    })
}
