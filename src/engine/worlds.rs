//! The worlds that bundles have run on, for `Resources`.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use legion::{Resources, World, world::WorldId};

use super::{options::Choices, state::WorldState};
use crate::{
    engine::{
        changes::{TransformChanges, WorldChanges},
        storage::WorldCell,
    },
    findings::Findings,
    stats::TransformStats,
};

/// The worlds that bundles have run on with these resources: a resource. The state of a world lives
/// beside the world, whatever resources it runs with.
///
/// ```text
///  resources 1 ── Known { World 1, run 7 } ──┐
///  resources 2 ── Known { World 1, run 5 } ──┴► WorldCell { WorldState: run 7 }
///
///  resources 2 run next: 5 is not 7, so findings are reported anew, and the list begins anew
/// ```
#[derive(Default)]
pub(super) struct KnownWorlds {
    worlds: HashMap<WorldId, Known>,
    /// How many worlds of the process had been dropped when others were last forgotten.
    dropped: u64,
}

/// A world that bundles have run on with some resources.
pub(super) struct Known {
    cell: Arc<WorldCell>,
    /// The number of the world's last run with these resources.
    pub run: u64,
    /// The list of changed matrices, between the steps of a run.
    pub list: Option<WorldChanges>,
    /// The bundles that have run on it, all with the same choices. Some may be dropped by now.
    bundles: Vec<Weak<Choices>>,
}

impl Known {
    /// Takes the world's state out, for a step; `None` if there is none, or if it is of other
    /// choices: with other resources, or of bundles that have been dropped.
    ///
    /// # Panics
    /// If a bundle with other choices has run on this world with these resources, and lives.
    pub fn take(&mut self, world: &mut World, choices: &Arc<Choices>) -> Option<Box<WorldState>> {
        if !self.bundles.iter().any(|it| Weak::as_ptr(it) == Arc::as_ptr(choices)) {
            self.bundles.retain(|it| it.strong_count() > 0);
            let others = self.bundles.iter().filter_map(Weak::upgrade);
            others.for_each(|it| it.assert_same(choices));
            self.bundles.push(Arc::downgrade(choices));
        }
        let state = &mut self.cell.standing(world).state;
        let kept: &WorldState = state.as_ref()?.downcast_ref()?;
        if kept.choices.difference(choices).is_some() {
            return None;
        }
        state.take()?.downcast().ok()
    }

    /// A new state of the world, in place of any other. From now on queries and edits know what
    /// runs will do.
    pub fn begin(&self, world: &mut World, choices: &Arc<Choices>) -> Box<WorldState> {
        self.cell.begin(world, choices.options.clone());
        Box::new(WorldState::new(choices, world))
    }

    /// Puts the world's state back.
    pub fn put(&self, world: &mut World, state: Box<WorldState>) {
        self.cell.standing(world).state = Some(state);
    }
}

impl KnownWorlds {
    /// What is known of a world.
    pub fn of(&mut self, world: &mut World) -> &mut Known {
        let known = self.worlds.entry(world.id());
        known.or_insert_with(|| Known {
            cell: WorldCell::of(world),
            run: 0,
            list: None,
            bundles: Vec::new(),
        })
    }

    /// Forgets dropped worlds, with their findings, figures and lists of changes.
    pub fn forget_dropped(resources: &mut Resources) {
        let mut known = resources.get_mut_or_default::<KnownWorlds>();
        let dropped = WorldCell::dropped();
        if std::mem::replace(&mut known.dropped, dropped) == dropped {
            return;
        }
        let gone = known.worlds.extract_if(|_, known| !known.cell.is_alive());
        let gone: Vec<WorldId> = gone.map(|(id, _)| id).collect();
        drop(known);
        for id in gone {
            resources.get_mut_or_default::<Findings>().forget(id);
            resources.get_mut_or_default::<TransformStats>().forget(id);
            resources.get_mut_or_default::<TransformChanges>().forget(id);
        }
    }
}
