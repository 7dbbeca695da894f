//! Writing a local transform, and turning towards a point.

use std::ops::ControlFlow::{self, Break, Continue};

use legion::{Entity, EntityStore, World, storage::ArchetypeIndex};
use nalgebra::{Matrix4, Point3, Translation3, UnitQuaternion, Vector3};
use smallvec::SmallVec;

use super::{
    EditError,
    apply::{LocalChange, Plan},
    error::{GIVEN, OWN, Result, finite},
    options::Options,
    parts::{Parts, set_axes},
    planner::Planner,
    solve,
    solve::given_matrix,
    standing::Here,
};
use crate::{
    components::{NonUniformScale, Rotation, Scale, Translation},
    engine::{FreshRows, LocalInputs, Mask, Meaning, RowWriter, rules},
    math::{
        Base, EXACT, Factors, Linear, ROUNDING, Target, decompose::DecomposeError, facing, filled,
        frame, linear_part, origin, times, turning, without_zeros,
    },
    transform::Transform,
};

// A place for each of these is looked for below, and in `parts::set_axes`.
const _: () = assert!(rules::AXES.len() == 2);

type ManyResult = std::result::Result<(), Vec<EditError>>;

/// An entity, and its transform, if that is known before the one of now is read.
type Item = (Entity, Option<Transform>);

/// The rows of so many entities are looked for before the first of them is written: a program that
/// moves many waits for memory most of the time.
const AHEAD: usize = 16;

impl Options {
    pub fn set_transform(&self, world: &mut World, entity: Entity, to: Transform) -> Result<()> {
        finite(entity, GIVEN, numbers(&to))?;
        if write_in_place(world, entity, &to) {
            return Ok(());
        }
        self.edit(world, &[entity], |planner| planner.set_local(entity, &to))
    }

    pub fn set_transforms(&self, world: &mut World, all: Vec<(Entity, Transform)>) -> ManyResult {
        self.write_all(world, all.into_iter().map(|(entity, to)| (entity, Some(to))), |_, _| ())
    }

    pub fn update_transforms(
        &self,
        world: &mut World,
        entities: impl IntoIterator<Item = Entity>,
        update: impl FnMut(Entity, &mut Transform),
    ) -> ManyResult {
        self.write_all(world, entities.into_iter().map(|entity| (entity, None)), update)
    }

    /// Writes rows in place as long as these can hold the transforms, and sets the others alone.
    fn write_all(
        &self,
        world: &mut World,
        mut items: impl Iterator<Item = Item>,
        mut update: impl FnMut(Entity, &mut Transform),
    ) -> ManyResult {
        let (mut errors, mut next, mut at) = (Vec::new(), SmallVec::<[Item; AHEAD]>::new(), 0);
        // One behind an entity that is set alone: that one may be followed by more of its kind.
        let mut ahead = AHEAD;
        loop {
            let mut writer = RowWriter::of_many(world, simple);
            let left = loop {
                if at == next.len() {
                    next.clear();
                    next.extend(items.by_ref().take(AHEAD));
                    at = 0;
                }
                // All are found before the first is written, which moves none.
                let rows = next[at..].iter().take(ahead).map(|(entity, _)| writer.find(*entity));
                let rows: SmallVec<[_; AHEAD]> = rows.collect();
                ahead = AHEAD;
                let left = rows.iter().find_map(|row| {
                    let item = next[at];
                    at += 1;
                    let Some((mask, row)) = *row else { return Some(Ok(item)) };
                    let read = || {
                        let (translation, rotation) = (writer.read(row), writer.read(row));
                        let (uniform, axes) = (writer.read(row), writer.read(row));
                        FreshRows::transform_of(translation, rotation, uniform, axes)
                    };
                    match wanted(item, mask, read, &mut update) {
                        Break(left) => return Some(left),
                        Continue(None) => {}
                        Continue(Some(Transform { translation, rotation, scale })) => {
                            writer.rewrite(row, Translation(translation.into()));
                            writer.rewrite(row, Rotation(rotation));
                            writer.rewrite(row, NonUniformScale(scale));
                            writer.rewrite(row, Scale(scale.x));
                        }
                    }
                    None
                });
                if left.is_some() || rows.is_empty() {
                    break left;
                }
            };
            let written = writer.finish();
            RowWriter::note(world, written);
            let Some(left) = left else { break };
            ahead = 1;
            errors.extend(left.and_then(|item| self.set_alone(world, item, &mut update)).err());
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Sets the transform of one entity, after its update if that is not done yet.
    fn set_alone(
        &self,
        world: &mut World,
        (entity, to): Item,
        update: &mut impl FnMut(Entity, &mut Transform),
    ) -> Result<()> {
        let to = match to {
            Some(to) => Some(to),
            None => updated(entity, Transform::read(world, entity)?, update),
        };
        to.map_or(Ok(()), |to| self.set_transform(world, entity, to))
    }
}

/// The transform that a row with these components is to hold, if it changes. Or what is left to do
/// of an entity whose row cannot hold it, or why it is refused.
#[inline]
fn wanted(
    (entity, mut to): Item,
    mask: Mask,
    read: impl FnOnce() -> Option<Transform>,
    update: &mut impl FnMut(Entity, &mut Transform),
) -> ControlFlow<Result<Item>, Option<Transform>> {
    if to.is_none() {
        let Some(was) = read() else { return Break(Ok((entity, None))) };
        to = updated(entity, was, update);
    }
    let Some(wanted) = to else { return Continue(None) };
    match finite(entity, GIVEN, numbers(&wanted)) {
        Err(error) => Break(Err(error)),
        Ok(()) if can_hold(mask, &wanted) => Continue(to),
        Ok(()) => Break(Ok((entity, to))),
    }
}

/// The components of an archetype whose entities' local transforms are their translations,
/// rotations and scales.
fn simple(world: &World, at: ArchetypeIndex) -> Option<Mask> {
    let meaning = Meaning::met(&world, at);
    meaning.is_simple().then_some(meaning.mask)
}

/// The transform after an update; `None` if the bits are those of before.
#[inline]
fn updated(
    entity: Entity,
    was: Transform,
    update: &mut impl FnMut(Entity, &mut Transform),
) -> Option<Transform> {
    let mut to = was;
    update(entity, &mut to);
    let pairs = numbers(&was).into_iter().zip(numbers(&to));
    let mut pairs = pairs.flat_map(|(a, b)| a.iter().zip(b));
    pairs.any(|(a, b)| a.to_bits() != b.to_bits()).then_some(to)
}

fn numbers(Transform { translation, rotation, scale }: &Transform) -> [&[f32]; 3] {
    [translation.as_slice(), rotation.coords.as_slice(), scale.as_slice()]
}

/// Whether an entity of an archetype with these components, whose local transform is its
/// translation, rotation and scale, can hold a transform as it is. Most can.
#[inline]
fn can_hold(mask: Mask, Transform { rotation, scale, .. }: &Transform) -> bool {
    let is_uniform = scale.x == scale.y && scale.y == scale.z;
    let (one, axes) = (mask.has(Mask::SCALE), mask.has(Mask::NON_UNIFORM_SCALE));
    let fits = if axes { !one } else { is_uniform && (one || scale.x == 1.0) };
    let turns = mask.has(Mask::ROTATION) || *rotation == UnitQuaternion::identity();
    mask.has(Mask::TRANSLATION) && turns && fits
}

/// Writes the transform of an entity whose components can hold it as they are. No other entity is
/// asked, and none is moved. Returns whether it could.
fn write_in_place(world: &mut World, entity: Entity, transform: &Transform) -> bool {
    let Ok(entry) = world.entry_ref(entity) else { return false };
    let at = entry.location();
    let mask = simple(world, at.archetype()).filter(|mask| can_hold(*mask, transform));
    let Some(mask) = mask else { return false };
    let Transform { translation, rotation, scale } = *transform;
    RowWriter::edit(world, at, |row| {
        row.rewrite(Translation(Translation3 { vector: translation }));
        if mask.has(Mask::ROTATION) {
            row.rewrite(Rotation(rotation));
        }
        if mask.has(Mask::SCALE) {
            row.rewrite(Scale(scale.x));
        }
        if mask.has(Mask::NON_UNIFORM_SCALE) {
            row.rewrite(NonUniformScale(scale));
        }
    });
    true
}

impl Planner<'_> {
    pub fn set_local(&self, entity: Entity, transform: &Transform) -> Result<Plan> {
        self.local(entity, |Here { standing, .. }, mut change| {
            let (matrix, base) = (transform.to_matrix(), Base::new(&Matrix4::identity()));
            if standing.is_own || standing.is_stored(&change.0) && !change.0.is_empty() {
                return standing.stored(matrix, false, (&base, &transform.translation.cast()));
            }
            let mut local = matrix.cast();
            let inputs = &mut change.0;
            let was_empty = inputs.is_empty();
            if was_empty {
                inputs.translation = Some(Vector3::zeros());
                change.1 = *inputs;
            }
            let (sizes, zeros) = without_zeros(&transform.scale.cast());
            let linear = turning(&transform.rotation) * Linear::from_diagonal(&sizes);
            local.fixed_view_mut::<3, 3>(0, 0).copy_from(&linear);
            let mut to = Target::new(&base, local, origin(&local), Some(zeros))
                .made_of(&Linear::identity(), &linear);
            (to.signs, to.same_turn) = (Some(sizes), EXACT);
            let mut change = self.reach(standing, change, &to)?;
            if let LocalChange::Inputs(change) = &mut change
                && !change.0.is_composed()
            {
                as_given(&mut change.1, transform);
                change.0.translation = change.0.translation.filter(|_| !was_empty);
            }
            Ok(change)
        })
    }
}

impl Planner<'_> {
    /// The same by a matrix: the parts are those that come nearest to the old ones.
    pub fn set_local_matrix(&self, entity: Entity, matrix: &Matrix4<f32>) -> Result<Plan> {
        let matrix = given_matrix(entity, matrix)?;
        self.local(entity, |Here { standing, .. }, change| {
            let base = Base::new(&Matrix4::identity());
            let target =
                Target::given(&base, &matrix.cast()).ok_or_else(|| standing.flat(&base))?;
            let mut target = target.exact();
            target.same_turn = ROUNDING;
            self.reach(standing, change, &target)
        })
    }
}

/// Writes the very numbers of a transform, where the parts are no more than its own.
fn as_given(inputs: &mut LocalInputs, transform: &Transform) {
    let Transform { translation, rotation, scale } = *transform;
    if inputs.translation.is_some() || translation != Vector3::zeros() {
        inputs.translation = Some(translation);
    }
    let slot = &mut inputs.rotation;
    if slot.euler.is_none() && (slot.rotation.is_some() || rotation != UnitQuaternion::identity()) {
        slot.rotation = Some(rotation);
    }
    set_axes(inputs, &scale);
}

impl Planner<'_> {
    /// Only the turn changes. It carries the filled axes, so one that is flat looks, too.
    pub fn look_at(&self, entity: Entity, target: &Point3<f32>, up: &Vector3<f32>) -> Result<Plan> {
        finite(entity, GIVEN, [target.coords.as_slice(), up.as_slice()])?;
        self.local(entity, |here, mut change| {
            let Here { standing, base, local, .. } = here;
            let given = self.given(here)?;
            finite(entity, OWN, [local.as_slice()])?;
            let (place, mut local) = (here.place(), local.cast::<f64>());
            let inverse = base.inverse().ok_or_else(|| standing.flat(base))?;
            let towards = given.point(&target.coords) - origin(&times(&base.matrix, &local));
            let up = given.step(&up.cast());
            let singular = EditError::NoTransform { entity, reason: DecomposeError::Singular };
            // The turn by which axes look there, in the space into which the world is mapped.
            let looking = |axes: &Linear, into: &Linear| -> Result<Linear> {
                let to = facing(into, &towards, &up).ok_or(EditError::NoDirection(entity))?;
                let current = frame(&axes.column(2).into(), &axes.column(1).into());
                Ok((to * current.ok_or(singular)?.inverse()).into_inner())
            };
            // A stored matrix is turned as it is. Of the others, `K H S` is.
            if standing.is_stored(&change.0) {
                let old = linear_part(&local);
                let turn = looking(&filled(&old, Linear::identity).0, &linear_part(inverse))?;
                local.fixed_view_mut::<3, 3>(0, 0).copy_from(&(turn * old));
                return standing.stored(local.map(|x| x as f32), false, (base, &place));
            }
            let parts = Parts::of(&change.0).ok_or(singular)?;
            let psi = parts.psi.map_or(Some(Linear::identity()), |psi| psi.try_inverse());
            let into = psi.ok_or(singular)? * linear_part(inverse);
            let unturned = Factors { turn: Linear::identity(), ..parts.own.clone() };
            let turn = looking(&unturned.product(), &into)?;
            let written = parts.set_turn(&mut change.1, &turn, EXACT);
            written.map_err(|component| EditError::Overridden { entity, component })?;
            let stays = Target::new(base, local, place, Some(parts.zeros)).exact();
            solve::place(standing, &mut change.1, &stays)?;
            Ok(LocalChange::Inputs(change))
        })
    }
}
