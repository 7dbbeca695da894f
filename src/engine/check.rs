//! Mistakes in values. Runs of debug builds look for them where something happened,
//! [`Findings::check`] in any build.

use legion::{
    Entity, EntityStore, World,
    storage::{Archetype, Component, ComponentStorage, EntityLayout},
};
use nalgebra::{Isometry3, Similarity3, Translation3, UnitQuaternion};

use crate::{
    components::{Frame, LocalToParent, LocalToWorld, Parent, PostRotation, Rotation},
    engine::{
        rules,
        storage::{Archetypes, Mask},
    },
    findings::{Finding, FindingGroup, FindingKind, Findings},
    math::is_finite,
    transform::Transform,
};

/// The greatest difference of a rotation's length from 1.
const LENGTH_TOLERANCE: f32 = 1e-3;

impl Findings {
    /// Looks through a whole world for mistakes in values: [`NotFinite`](FindingKind::NotFinite),
    /// [`RotationNotUnit`](FindingKind::RotationNotUnit),
    /// [`UnreadTransform`](FindingKind::UnreadTransform),
    /// [`FrameBelowNone`](FindingKind::FrameBelowNone) and
    /// [`FarAway`](FindingKind::FarAway), ordered by kind.
    ///
    /// Runs of debug builds look for all but the last two themselves. Runs of release builds do
    /// not, so call this where you want to know: in a test, or when a user reports that nothing is
    /// drawn. It reads all matrices as the last run left them, and all rotations.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{findings::FindingKind, prelude::*};
    /// # use nalgebra::{Quaternion, Unit};
    /// # let mut world = World::default();
    /// let twice = Unit::new_unchecked(Quaternion::new(2.0, 0.0, 0.0, 0.0));
    /// let entity = world.push_transform((Rotation(twice),));
    /// let found = Findings::check(&world);
    /// let kind = FindingKind::RotationNotUnit { component: "Rotation" };
    /// assert_eq!((found.len(), found[0].kind, found[0].entity), (1, kind, entity));
    /// ```
    #[must_use]
    pub fn check(world: &World) -> Vec<Finding> {
        let mut found: Vec<FindingGroup> = Vec::new();
        for archetype in all(world) {
            let rows = Rows { world, archetype };
            found.extend(rows.check());
            found.extend(rows.frames_below_none());
        }
        found.extend(FindingGroup::far_away(world, all(world)));
        FindingGroup::sort(&mut found);
        found.iter().flat_map(FindingGroup::iter).collect()
    }
}

fn all(world: &World) -> &[Archetype] {
    Archetypes::of(world).list
}

/// The mistakes that runs of debug builds have found so far. Runs of release builds leave it empty.
#[derive(Default)]
pub(crate) struct DebugChecks {
    /// By archetype, for all that have been checked and searched for other components.
    archetypes: Vec<Checked>,
    /// Archetypes with components that the bundle does not read. It cannot see when these are
    /// written, so each run checks them.
    unread: Vec<u32>,
}

/// An archetype that has been checked.
#[derive(Default)]
struct Checked {
    found: Vec<FindingGroup>,
    /// Whether something happened in it since.
    is_touched: bool,
}

impl DebugChecks {
    /// Whether a run has to check, even if nothing happened to the crate's components.
    pub fn is_due(&self, world: &World) -> bool {
        cfg!(debug_assertions)
            && (!self.unread.is_empty() || self.archetypes.len() < all(world).len())
    }

    /// Call with the archetypes in which something happened.
    pub fn note(&mut self, touched: impl Iterator<Item = u32>) {
        for index in touched {
            // Archetypes that have never been checked will be.
            if let Some(archetype) = self.archetypes.get_mut(index as usize) {
                archetype.is_touched = true;
            }
        }
    }

    /// Checks the archetypes in which something happened or was found. Returns all findings.
    pub fn run(&mut self, world: &World) -> impl Iterator<Item = FindingGroup> + '_ {
        if cfg!(debug_assertions) {
            self.check(world);
        }
        self.archetypes.iter().flat_map(|archetype| archetype.found.iter().cloned())
    }

    fn check(&mut self, world: &World) {
        let all = all(world);
        let rows = |index: usize| Rows { world, archetype: &all[index] };
        for index in self.archetypes.len()..all.len() {
            self.unread.extend(rows(index).has_unread().then_some(index as u32));
            self.archetypes.push(Checked { is_touched: true, ..Checked::default() });
        }
        for &index in &self.unread {
            self.archetypes[index as usize].is_touched = true;
        }
        for (index, checked) in self.archetypes.iter_mut().enumerate() {
            if checked.is_touched || !checked.found.is_empty() {
                *checked = Checked { found: rows(index).check(), is_touched: false };
            }
        }
    }
}

/// The rows of one archetype.
struct Rows<'a> {
    world: &'a World,
    archetype: &'a Archetype,
}

impl<'a> Rows<'a> {
    /// The findings in these rows, by kind.
    fn check(&self) -> Vec<FindingGroup> {
        let mut found = Vec::new();
        self.find_not_finite(&mut found);
        let not_unit = |component| FindingKind::RotationNotUnit { component };
        let rows = rows_with(self.column(), |PostRotation(rotation)| is_not_unit(rotation));
        self.find(&mut found, not_unit("PostRotation"), rows);
        let rows = rows_with(self.column(), |Rotation(rotation)| is_not_unit(rotation));
        self.find(&mut found, not_unit("Rotation"), rows);
        let is_wrong = |frame: &Frame| is_not_unit(&frame.rotation.cast());
        self.find(&mut found, not_unit("Frame"), rows_with(self.column(), is_wrong));
        self.find_unread(&mut found);
        found
    }

    /// Adds a finding of these rows, if there are any.
    fn find(
        &self,
        found: &mut Vec<FindingGroup>,
        kind: FindingKind,
        rows: impl Iterator<Item = usize>,
    ) {
        let all = self.archetype.entities();
        // The column of a damaged world may be longer.
        let entities: Vec<_> = rows.filter_map(|row| Some((*all.get(row)?, None))).collect();
        if !entities.is_empty() {
            found.push(FindingGroup { kind, entities: entities.into() });
        }
    }

    /// The entities with a `Frame` whose parents have a place in the world and no `Frame`.
    fn frames_below_none(&self) -> Option<FindingGroup> {
        let (frames, parents): (&[Frame], &[Parent]) = (self.column(), self.column());
        let has_none = |parent: &Entity| {
            let layout = self.world.entry_ref(*parent).ok();
            layout.is_some_and(|it| {
                let layout = it.archetype().layout();
                layout.has_component::<LocalToWorld>() && !layout.has_component::<Frame>()
            })
        };
        let rows = frames.iter().zip(parents).zip(self.archetype.entities());
        let below = rows.filter(|((_, parent), _)| has_none(&parent.0));
        let entities: Vec<_> =
            below.map(|((_, parent), entity)| (*entity, Some(parent.0))).collect();
        let kind = FindingKind::FrameBelowNone;
        (!entities.is_empty()).then(|| FindingGroup { kind, entities: entities.into() })
    }

    /// The column of a component, empty if the archetype does not have it.
    fn column<T: Component>(&self) -> &'a [T] {
        let index = self.archetype.index();
        let column = self.world.components().get_downcast::<T>().and_then(|it| it.get(index));
        column.map_or(&[], |column| column.into_slice())
    }

    /// Finds the entities where an infinity or a NaN begins: the local matrix has one, or the world
    /// matrix has one and the parent's has none.
    fn find_not_finite(&self, found: &mut Vec<FindingGroup>) {
        let (locals, worlds): (&[LocalToParent], &[LocalToWorld]) = (self.column(), self.column());
        let parents: &[Parent] = if locals.is_empty() { &[] } else { self.column() };
        let is_own = |row: usize| locals.get(row).is_some_and(|local| !is_finite(&local.0));
        let is_in_world = |row: usize| worlds.get(row).is_some_and(|world| !is_finite(&world.0));
        let inherits = |row: usize| parents.get(row).is_some_and(|it| is_spoilt(self.world, it.0));
        let rows = 0..self.archetype.entities().len();
        let rows = rows.filter(|&row| is_own(row) || (is_in_world(row) && !inherits(row)));
        self.find(found, FindingKind::NotFinite, rows);
    }

    /// Finds components that look like transforms, where the entity has none of the components
    /// that the bundle reads instead.
    ///
    /// ```text
    ///  Translation3, Scale              finding: nothing moves the entity
    ///  UnitQuaternion, Translation      finding: nothing turns it
    ///  UnitQuaternion, Rotation         no finding: the bundle reads the Rotation
    /// ```
    fn find_unread(&self, found: &mut Vec<FindingGroup>) {
        let mask = Mask::of(self.archetype.layout());
        let has_inputs = mask.has_any(rules::all_inputs_of_local_matrices());
        let (locals, worlds): (&[LocalToParent], &[LocalToWorld]) = (self.column(), self.column());
        // Without inputs, a user's own systems may compute the matrix from any of these. Then the
        // matrix is the identity only where the component is.
        let counts = |row: usize| match (locals.get(row), worlds.get(row)) {
            _ if has_inputs => true,
            (Some(local), _) => *local == LocalToParent::identity(),
            (None, Some(world)) => *world == LocalToWorld::identity(),
            (None, None) => true,
        };
        let (translations, rotations) = (Mask::TRANSLATION, rules::any_of(rules::ROTATIONS));
        let both = translations | rotations;
        macro_rules! find {
            ($($component:ident<$scalar:ident> $name:literal: $read:ident,)*) => {$(
                let column: &[$component<$scalar>] = self.column();
                if !mask.has_any($read) {
                    let identity = $component::identity();
                    let rows = rows_with(column, |it| *it != identity).filter(|&row| counts(row));
                    self.find(found, unread($name), rows);
                }
            )*};
        }
        if mask != Mask::NONE {
            find! {
                Isometry3<f32> "Isometry3": both,
                Isometry3<f64> "Isometry3<f64>": both,
                Similarity3<f32> "Similarity3": both,
                Similarity3<f64> "Similarity3<f64>": both,
                Translation3<f32> "Translation3": translations,
                Translation3<f64> "Translation3<f64>": translations,
                UnitQuaternion<f32> "UnitQuaternion": rotations,
                UnitQuaternion<f64> "UnitQuaternion<f64>": rotations,
            }
        }
        let scales = rules::any_of(rules::SCALINGS);
        if [translations, rotations, scales].iter().all(|parts| mask.has_any(*parts)) {
            return;
        }
        let transforms: &[Transform] = self.column();
        self.find(found, unread("Transform"), (0..transforms.len()).filter(|&row| counts(row)));
    }

    /// Whether the archetype has any component that looks like a transform.
    fn has_unread(&self) -> bool {
        fn has<A: Component, B: Component>(layout: &EntityLayout) -> bool {
            layout.has_component::<A>() || layout.has_component::<B>()
        }
        let layout = self.archetype.layout();
        layout.has_component::<Transform>()
            || has::<Isometry3<f32>, Isometry3<f64>>(layout)
            || has::<Similarity3<f32>, Similarity3<f64>>(layout)
            || has::<Translation3<f32>, Translation3<f64>>(layout)
            || has::<UnitQuaternion<f32>, UnitQuaternion<f64>>(layout)
    }
}

/// Whether the world matrix of an entity is not finite.
fn is_spoilt(world: &World, entity: Entity) -> bool {
    let entry = world.entry_ref(entity);
    entry.is_ok_and(|it| it.get_component::<LocalToWorld>().is_ok_and(|it| !is_finite(&it.0)))
}

/// The rows of a column whose value is so. No rows if there is no column.
fn rows_with<T>(column: &[T], is_so: impl Fn(&T) -> bool) -> impl Iterator<Item = usize> {
    column.iter().enumerate().filter(move |(_, value)| is_so(value)).map(|(row, _)| row)
}

/// Whether a rotation has another length than 1. One that is not finite is found in the matrix.
fn is_not_unit(rotation: &UnitQuaternion<f32>) -> bool {
    let coords = &rotation.coords;
    // Where the square is as near to 1 as the length may be, the length is nearer: no root.
    if (coords.norm_squared() - 1.0).abs() < LENGTH_TOLERANCE {
        return false;
    }
    coords.iter().all(|it| it.is_finite()) && (coords.norm() - 1.0).abs() > LENGTH_TOLERANCE
}

fn unread(component: &'static str) -> FindingKind {
    FindingKind::UnreadTransform { component }
}
