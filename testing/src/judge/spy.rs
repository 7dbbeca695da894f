//! Looks at the world between the steps of a schedule: did a system write what does not count?

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use legion::{Entity, Schedule, World, systems::Step};

use crate::{
    judge::{
        meaning::{effective, is_input},
        values::wrong_value,
    },
    kind::{Kind, Numbers, POST_ROTATION_EULERS, ROTATION_EULERS},
    reference::{Reference, setup::Setup},
    snapshot::{Row, Snapshot, same_bits},
};

/// The first mistake that was seen, and what is needed to see one.
#[derive(Default)]
struct Spy {
    setup: Setup,
    last: Snapshot,
    /// Which components have an effect, by those that an entity has and whether it has a parent.
    counting: HashMap<(Vec<Kind>, bool), Vec<Kind>>,
    mistake: Option<String>,
}

/// What the spies in a schedule have seen.
#[derive(Clone, Default)]
pub(crate) struct Spies(Arc<Mutex<Spy>>);

impl Spies {
    /// The schedule with a look at the world before the first step and after each.
    pub fn between(&self, schedule: Schedule, setup: &Setup) -> Schedule {
        self.lock().setup = setup.clone();
        let look = |is_first: bool| {
            let spies = self.clone();
            Step::ThreadLocalFn(Box::new(move |world, _| spies.lock().look(world, is_first)))
        };
        let steps = schedule.into_vec().into_iter().flat_map(|step| [step, look(false)]);
        let steps: Vec<Step> = std::iter::once(look(true)).chain(steps).collect();
        steps.into()
    }

    /// The first mistake so far.
    pub fn mistake(&self) -> Option<String> {
        self.lock().mistake.take()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Spy> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Spy {
    fn look(&mut self, world: &World, is_first: bool) {
        let now = Snapshot::without_versions(world, &[]);
        let before = std::mem::replace(&mut self.last, now);
        if is_first || self.mistake.is_some() {
            return;
        }
        let now = std::mem::take(&mut self.last);
        self.mistake = now.rows.iter().find_map(|row| {
            let old = before.get(row.entity)?;
            self.written_in_vain(old, row, &now)
        });
        self.last = now;
    }

    /// What a step wrote on this entity though it does not count there.
    fn written_in_vain(&mut self, old: &Row, row: &Row, now: &Snapshot) -> Option<String> {
        let is_written = |kind: Kind, numbers: &Numbers| {
            let is_other = old.get(kind).is_some_and(|old| !same_bits(old, numbers));
            is_other && is_input(kind) && is_read(kind, row)
        };
        let written = row.numbers.iter().filter(|(kind, numbers)| is_written(*kind, numbers));
        let mut written = written.map(|(kind, _)| *kind).peekable();
        written.peek()?;
        let counting = self.counting(row, now);
        let mut written = written.filter(|kind| !counting.contains(kind));
        let in_vain = written.find(|kind| self.is_wrong(row, *kind, now))?;
        let others: Vec<String> = row.numbers.iter().map(|(kind, _)| format!("{kind:?}")).collect();
        Some(format!(
            "a system wrote {in_vain:?} of {:?}, which does not count there: the entity has {}. \
             Leave such entities out of the system's query, or write what counts",
            row.entity,
            others.join(", ")
        ))
    }

    /// Whether the bundle would write another value. (Its own steps write the right one.)
    fn is_wrong(&self, row: &Row, kind: Kind, now: &Snapshot) -> bool {
        let reference = Reference::next(family(row, now), &self.setup, [].into());
        let numbers = row.get(kind).expect("it was written");
        reference.value(row.entity, kind).is_none_or(|value| wrong_value(kind, value, numbers))
    }

    fn counting(&mut self, row: &Row, now: &Snapshot) -> Vec<Kind> {
        let kinds: Vec<Kind> = row.numbers.iter().map(|(kind, _)| *kind).collect();
        let key = (kinds.clone(), row.parent.is_some());
        let setup = &self.setup;
        let find = || {
            let family = family(row, now);
            let row = family.get(row.entity).expect("it is there");
            effective(&family, row, setup).unwrap_or(kinds)
        };
        self.counting.entry(key).or_insert_with(find).clone()
    }
}

/// Whether an entity has what reads a component. If it does not, a finding says so, and the mistake
/// is that of whoever made the entity.
fn is_read(kind: Kind, row: &Row) -> bool {
    let reader = match kind {
        _ if ROTATION_EULERS.contains(&kind) => Kind::Rotation,
        _ if POST_ROTATION_EULERS.contains(&kind) => Kind::PostRotation,
        Kind::PostRotation | Kind::RotationPivot | Kind::RotationPivotTranslation => {
            Kind::CompositeRotation
        }
        Kind::Shear | Kind::ScalePivot | Kind::ScalePivotTranslation => Kind::CompositeScale,
        _ => Kind::LocalToWorld,
    };
    row.has(reader) && row.has(Kind::LocalToWorld)
}

/// An entity and those above it.
fn family(row: &Row, all: &Snapshot) -> Snapshot {
    let mut family =
        Snapshot { layouts: all.layouts.clone(), kinds: all.kinds.clone(), ..Snapshot::default() };
    let mut next = Some(row);
    while let Some(row) = next.filter(|row| !family.index.contains_key(&row.entity)) {
        family.index.insert(row.entity, family.rows.len());
        family.rows.push(row.clone());
        next = row.parent.and_then(|parent: Entity| all.get(parent));
    }
    family
}
