//! Comparing a world with its reference.

use legion::World;

use crate::{
    judge::{mismatch::Mismatch, relations, values::check_value},
    kind::Kind,
    reference::{Reference, inverse::inverse, known::Derived},
    snapshot::{Row, Snapshot},
};

impl Reference {
    /// Compares every derived component, relation and property of the world after a run with what
    /// it must be.
    ///
    /// # Errors
    ///
    /// The first difference, parents before their children.
    pub fn check(&self, world: &World) -> Result<(), Box<Mismatch>> {
        self.check_after(world, &Snapshot::without_versions(world, &[]))
    }

    pub(crate) fn check_after(&self, world: &World, after: &Snapshot) -> Result<(), Box<Mismatch>> {
        let links = &self.known.links;
        for entity in links.parents_first(&self.snapshot) {
            let old = self.snapshot.get(entity).expect("of the snapshot");
            let Some(row) = after.get(entity) else {
                let (there, gone) = ("there".to_owned(), "gone".to_owned());
                return Err(Mismatch::new(entity, "the entity", there, gone, links));
            };
            relations::check(links, (old, row), false)?;
            self.check_values(old, row)?;
        }
        let properties = &self.known.setup.properties;
        properties.iter().try_for_each(|property| property.check(world, after, links))
    }

    fn check_values(&self, old: &Row, row: &Row) -> Result<(), Box<Mismatch>> {
        if !row.has(Kind::LocalToWorld) {
            return Ok(()); // no transform: whether it is derived is open
        }
        for (kind, now) in &row.numbers {
            let was = Derived::Kept(*old.get(*kind).expect("compared"));
            let value = self.value(row.entity, *kind).unwrap_or(&was);
            let value = match (kind, value) {
                // That of the matrix that is there: its own errors were looked at before.
                (Kind::WorldToLocal, Derived::InverseOf(_)) => {
                    let world = row.matrix(Kind::LocalToWorld).expect("checked");
                    Derived::InverseOf(inverse(&world))
                }
                _ => *value,
            };
            check_value(&self.known.links, row, *kind, &value, now)?;
        }
        Ok(())
    }
}

/// Panics if a derived component, a relation or a cycle of the world is not what the world's inputs
/// say: after a run nothing may be stale.
///
/// ```should_panic
/// use legion::*;
/// use legion_transform::prelude::*;
/// use legion_transform_testing::assert_up_to_date;
///
/// let mut world = World::default();
/// world.push_transform((Translation::new(1.0, 0.0, 0.0),)); // and no run
/// assert_up_to_date(&world);
/// ```
///
/// The message names the first entity that is off, parents before their children:
///
/// ```text
/// LocalToWorld of 0 is not what its inputs say
///   expected: [1 0 0 1 | 0 1 0 0 | 0 0 1 0 | 0 0 0 1]
///   got:      [1 0 0 0 | 0 1 0 0 | 0 0 1 0 | 0 0 0 1]
///   off by:   -1e0 (at most 2.86102294921875e-6 is rounding) units of length along x of the world
///   chain:    0 (root)
/// ```
///
/// # Panics
///
/// If something is not up to date. Your own write groups and properties need a [`Reference`] that
/// knows them: [`Reference::with`].
#[track_caller]
pub fn assert_up_to_date(world: &World) {
    if let Err(mismatch) = Reference::of(world).check(world) {
        panic!("{mismatch}");
    }
}
