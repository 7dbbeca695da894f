//! Writes that tell where they wrote.

use legion::{Entity, IntoQuery, World, component};

use super::layouts::{Mark, r, t, w};
use crate::{
    components::{LocalToWorld, Rotation, Scale, Translation},
    engine::storage::{columns::Archetypes, mask::Mask},
};

/// The columns that were written: archetype and component.
pub(super) type Writes = Vec<(u32, Mask)>;

/// Writes one column of an entity, if it has it, and says where.
pub(super) fn write_one(world: &mut World, entity: Entity, which: usize) -> Option<(u32, Mask)> {
    let mut entry = world.entry(entity)?;
    let archetype = entry.location().archetype().0;
    let mask = match which % 4 {
        0 => entry
            .get_component_mut::<Translation>()
            .ok()
            .map(|now| *now = t())
            .map(|()| Mask::TRANSLATION),
        1 => entry
            .get_component_mut::<Rotation>()
            .ok()
            .map(|now| *now = r())
            .map(|()| Mask::ROTATION),
        2 => entry
            .get_component::<Scale>()
            .is_ok()
            .then(|| entry.add_component(Scale(4.0)))
            .map(|()| Mask::SCALE),
        _ => entry
            .get_component_mut::<LocalToWorld>()
            .ok()
            .map(|now| *now = w())
            .map(|()| Mask::LOCAL_TO_WORLD),
    };
    mask.map(|mask| (archetype, mask))
}

/// Writes all of a column, through one query or another.
pub(super) fn write_all(world: &mut World, which: usize) -> Writes {
    let mask = match which % 4 {
        0 => Mask::TRANSLATION,
        1 => Mask::SCALE,
        2 => Mask::ROTATION,
        _ => Mask::TRANSLATION | Mask::LOCAL_TO_WORLD,
    };
    let has = |(_, archetype): &(usize, &legion::storage::Archetype)| {
        let marked = which % 4 != 2 || archetype.layout().has_component::<Mark>();
        marked && Mask::of(archetype.layout()).has(mask) && !archetype.entities().is_empty()
    };
    let written = Archetypes::of(world).list.iter().enumerate().filter(has);
    let written = written
        .flat_map(|(index, _)| mask.iter().map(move |component| (index as u32, component)))
        .collect();
    match which % 4 {
        0 => <&mut Translation>::query().for_each_mut(world, |now| *now = t()),
        1 => <&mut Scale>::query().iter_mut(world).for_each(|now| now.0 += 1.0),
        2 => <&mut Rotation>::query().filter(component::<Mark>()).for_each_chunk_mut(world, |_| ()),
        _ => <(&mut Translation, &mut LocalToWorld)>::query()
            .for_each_mut(world, |(now, _)| *now = t()),
    }
    written
}
