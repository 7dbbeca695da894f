//! The engine of a bundle: its options, and the steps that a bundle adds to a schedule. `look` and
//! `finish` are always there, the two others before users' systems. Each takes the world's state
//! (`state.rs`) out of its place beside the world (`worlds.rs`), and puts it back.
//!
//! ```text
//!  step         runs                                                       why
//!  look         tracker.look                                               commands hide writes
//!  hierarchy    the hierarchy                                              before_composition
//!  compose      the hierarchy again, local matrices                        before_propagation
//!  finish       the hierarchy again, frames, local matrices,               every bundle
//!               propagation, inverses, findings, the list of changes
//! ```

use std::sync::Arc;

use legion::{Entity, Resources, World};

use super::{
    changes::{TransformChanges, WorldChanges},
    diagnostics::Diagnostics,
    machine::Machine,
    options::{Choices, Options},
    state::WorldState,
    storage::{By, Damage},
    worlds::KnownWorlds,
};
use crate::{findings::Findings, stats::TransformStats};

/// The options of a bundle. The states of worlds live beside the worlds.
pub(crate) struct Engine {
    options: Options,
    /// The options that a world's state depends on.
    choices: Arc<Choices>,
}

impl Engine {
    pub fn new(options: Options) -> Self {
        let choices = Arc::new(Choices::of(&options));
        Self { options, choices }
    }

    /// Finds what systems have written, before their commands are flushed: an insertion hides the
    /// writes before it. Returns whether the world's last run was not with these resources.
    ///
    /// # Panics
    /// If a bundle with other options has run on this world with these resources.
    pub fn look(&self, world: &mut World, resources: &mut Resources) -> bool {
        let mut last = || resources.get_mut_or_default::<TransformChanges>().take(world.id());
        let list = self.options.tracks_changes.then(&mut last);
        let begun = self.with(world, resources, list, |state, world, machine| {
            state.look(world, By::Users, machine)?;
            Ok(state.is_elsewhere.then(|| state.diagnostics.asked.clone()))
        });
        if let Ok(Some(asked)) = &begun {
            resources.get_mut_or_default::<TransformChanges>().watch(world.id(), asked.clone());
        }
        !matches!(begun, Ok(None))
    }

    /// Brings the hierarchy up to date, for systems that run before composition.
    pub fn hierarchy(&self, world: &mut World, resources: &mut Resources) {
        // If the world is refused, `finish` reports it.
        let _ = self.with(world, resources, None, WorldState::hierarchy);
    }

    /// Brings hierarchy and local matrices up to date, for systems that run before propagation.
    pub fn compose(&self, world: &mut World, resources: &mut Resources) {
        let _ = self.with(world, resources, None, WorldState::compose);
    }

    /// Brings everything up to date, and puts findings, figures and changes into the resources.
    /// `origin`: the entity to which frames are relative.
    pub fn finish(&self, world: &mut World, resources: &mut Resources, origin: Option<Entity>) {
        let id = world.id();
        let finished = self.with(world, resources, None, |state, world, machine| {
            state.finish(world, machine, origin)
        });
        let finished = finished.unwrap_or_else(|damage| Diagnostics::damaged(world, damage).into());
        if let Some(changes) = finished.changes {
            resources.get_mut_or_default::<TransformChanges>().set(id, changes);
        }
        resources.get_mut_or_default::<TransformStats>().set(id, finished.stats);
        let mut told = resources.get_mut_or_default::<Findings>();
        if let Some(groups) = finished.findings {
            if !self.options.hides_findings {
                told.warn_of_new(id, &groups);
            }
            told.set(id, groups);
        }
        drop(told);
        KnownWorlds::forget_dropped(resources);
        self.options.machine.threads.end_run();
    }

    /// Runs a step with the world's state, which is out of its place meanwhile. It is dropped if
    /// the step panics or the world is refused. `last`: in the first step, the list of the last
    /// run. One that has not followed every look begins anew, also in the middle of a run: commands
    /// of a user's system may replace the world.
    fn with<R>(
        &self,
        world: &mut World,
        resources: &mut Resources,
        last: Option<WorldChanges>,
        run: impl FnOnce(&mut WorldState, &mut World, &Machine) -> Result<R, Damage>,
    ) -> Result<R, Damage> {
        let mut known = resources.get_mut_or_default::<KnownWorlds>();
        let known = known.of(world);
        let state = known.take(world, &self.choices);
        let mut state = state.unwrap_or_else(|| known.begin(world, &self.choices));
        state.is_elsewhere = state.run != known.run;
        if self.options.tracks_changes {
            let (is_first, before) = (last.is_some(), known.list.take());
            let list = last.or(before).filter(|list| list.stamps().1 == state.listed);
            let begins = is_first || list.is_none();
            state.changes = Some(list.unwrap_or_default());
            state.changes.iter_mut().filter(|_| begins).for_each(WorldChanges::begin);
        }
        let result = run(&mut state, world, &self.options.machine);
        if result.is_ok() {
            known.run = if state.is_elsewhere { known.run } else { state.run };
            if self.options.tracks_changes {
                known.list = state.changes.take();
            }
            known.put(world, state);
        }
        result
    }
}
