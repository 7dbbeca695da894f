//! Entities so far out that they or their children lose digits of `f32`.
//!
//! ```text
//!  site      LocalToWorld at 6,378,137, where an f32 has steps of 0.5
//!  └ bolt    0.2 beside it: at 6,378,137.2, and drawn at 6,378,137.0
//!
//!  sun       a frame
//!  └ house   at 150,000,000,000, where an f32 has steps of 16,384
//! ```

use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow::{Break, Continue},
};

use legion::{
    Entity, EntityStore, World,
    storage::{Archetype, ArchetypeIndex, Component, ComponentStorage},
    world::EntityHasher,
};
use nalgebra::{Matrix4, Vector3};

use super::{FindingGroup, FindingKind};
use crate::{
    components::{LocalToParent, LocalToWorld, Parent},
    engine::Meaning,
    math::{NEAR, SAME_PLACE, linear_part, origin},
};

/// A child loses too much if it loses more than this part of its translation,
const SHARE: f64 = 1e-3;

/// and more than this. So a translation that is as good as 0 is not a mistake: an exporter's 1e-9.
const LEAST: f64 = 1e-4;

impl FindingGroup {
    /// The entities whose children lose too much, each with the first child that does; and the
    /// topmost ones that stand so far below a frame that edits refuse such a place.
    pub(crate) fn far_away(world: &World, archetypes: &[Archetype]) -> Option<Self> {
        let mut places = Places { world, known: HashMap::default() };
        let mut found: HashSet<Entity, EntityHasher> = HashSet::default();
        let (mut entities, mut beyond) = (Vec::new(), Vec::new());
        for archetype in archetypes {
            let at = archetype.index();
            let (parents, locals) =
                (column::<Parent>(world, at), column::<LocalToParent>(world, at));
            let children = archetype.entities().iter().zip(parents).zip(locals);
            for ((&child, &Parent(parent)), local) in children {
                let by = origin(&local.0.cast());
                let frame = places.in_frame(parent);
                let place = frame.or_else(|| places.seen(parent));
                let is_far = place.is_some_and(|place| loses(&place, &by));
                if is_far && found.insert(parent) {
                    entities.push((parent, Some(child)));
                }
                if let Some(frame) = frame
                    && is_beyond(&(frame * local.0.cast()))
                    && !is_beyond(&frame)
                    && places.in_frame(child).is_some_and(|place| is_beyond(&place))
                {
                    beyond.push((child, None));
                }
            }
        }
        entities.extend(beyond.into_iter().filter(|(child, _)| found.insert(*child)));
        let kind = FindingKind::FarAway;
        (!entities.is_empty()).then(|| Self { kind, entities: entities.into() })
    }
}

/// The column of a component, empty if the archetype does not have it.
fn column<T: Component>(world: &World, at: ArchetypeIndex) -> &[T] {
    let column = world.components().get_downcast::<T>().and_then(|it| it.get(at));
    column.map_or(&[], |column| column.into_slice())
}

/// Whether a child loses too much of its translation at a place.
fn loses(place: &Matrix4<f64>, by: &Vector3<f64>) -> bool {
    let step = linear_part(place) * by;
    let there = origin(place) + step;
    let lost = (there.map(|x| f64::from(x as f32)) - there).norm();
    lost > LEAST && lost > SHARE * step.norm()
}

/// Whether `f32` rounds a place by more than an edit may be off.
fn is_beyond(place: &Matrix4<f64>) -> bool {
    origin(place).amax() * SAME_PLACE > NEAR
}

/// Where entities are: in the nearest frame at or above them, which a viewer may come near to; in
/// the world, if there is none.
struct Places<'a> {
    world: &'a World,
    /// What is at and below a frame, by the entities that were met. `None`: it is in no frame.
    known: HashMap<Entity, Option<Matrix4<f64>>, EntityHasher>,
}

impl Places<'_> {
    fn seen(&self, entity: Entity) -> Option<Matrix4<f64>> {
        Some(self.get::<LocalToWorld>(entity)?.0.cast())
    }

    fn in_frame(&mut self, entity: Entity) -> Option<Matrix4<f64>> {
        let mut way = Vec::new();
        let mut next = Some(entity);
        let mut place = None;
        while let Some(at) = next {
            if let Some(known) = self.known.get(&at) {
                place = *known;
                break;
            }
            // On a cycle, it will be met again, and is in no frame.
            self.known.insert(at, None);
            next = match Meaning::space_of(&self.world, at) {
                Continue(parent) => Some(parent),
                Break(false) => None,
                Break(true) => {
                    place = Some(Matrix4::identity());
                    self.known.insert(at, place);
                    break;
                }
            };
            let local = self.get::<LocalToParent>(at);
            way.push((at, local.map_or_else(Matrix4::identity, |local| local.0.cast())));
        }
        for (at, local) in way.into_iter().rev() {
            place = place.map(|above| above * local);
            self.known.insert(at, place);
        }
        place
    }

    fn get<T: Component + Clone>(&self, entity: Entity) -> Option<T> {
        self.world.entry_ref(entity).ok()?.into_component::<T>().ok().cloned()
    }
}
