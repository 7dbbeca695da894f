//! The states of all worlds, kept between runs.

use std::collections::HashMap;

use legion::{Resources, world::WorldId};

use super::state::WorldState;
use crate::{
    engine::changes::TransformChanges, engine::storage::WorldLife, findings::Findings,
    stats::TransformStats,
};

/// One state a world: a resource, shared by all bundles that run with these resources.
///
/// ```text
///  World 1 ── Kept { state: Some, alive }     a run takes the state, and puts it back at its end
///  World 2 ── Kept { state: None, alive }     its last run panicked: the next one begins anew
///  World 3 ── Kept { state: Some, dropped }   freed at the end of the next run of any world
/// ```
#[derive(Default)]
pub(super) struct WorldStates {
    pub states: HashMap<WorldId, Kept>,
    /// How many worlds of the process had been dropped when states were last freed.
    dropped: u64,
}

/// The state of one world between runs.
pub(super) struct Kept {
    /// `None` after a run that panicked or was refused: the next one begins anew.
    pub state: Option<Box<WorldState>>,
    world: WorldLife,
}

impl From<WorldState> for Kept {
    fn from(state: WorldState) -> Self {
        Self { world: state.tracker.world(), state: Some(Box::new(state)) }
    }
}

impl WorldStates {
    /// Frees the states of dropped worlds, with their findings, figures and lists of changes.
    pub fn forget_dropped(resources: &mut Resources) {
        let mut worlds = resources.get_mut_or_default::<WorldStates>();
        let dropped = WorldLife::dropped();
        if std::mem::replace(&mut worlds.dropped, dropped) == dropped {
            return;
        }
        let gone: Vec<WorldId> =
            worlds.states.extract_if(|_, kept| !kept.world.is_alive()).map(|(id, _)| id).collect();
        drop(worlds);
        for id in gone {
            resources.get_mut_or_default::<Findings>().forget(id);
            resources.get_mut_or_default::<TransformStats>().forget(id);
            if let Some(mut changes) = resources.get_mut::<TransformChanges>() {
                changes.forget(id);
            }
        }
    }
}
