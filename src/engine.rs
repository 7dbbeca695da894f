//! What the bundle's systems share: one state a world.

use legion::{Resources, World};

use crate::{findings::Findings, write_group::WriteGroups};

pub(crate) struct Engine {
    _groups: WriteGroups,
}

impl Engine {
    pub fn new(groups: WriteGroups) -> Self {
        Self { _groups: groups }
    }

    #[cfg(feature = "parallel")]
    pub fn on_pool(self, _pool: Option<std::sync::Arc<rayon::ThreadPool>>) -> Self {
        self
    }

    pub fn hierarchy(&mut self, _world: &mut World) {}

    pub fn compose(&mut self, _world: &mut World) {}

    pub fn finish(&mut self, world: &mut World, resources: &mut Resources) {
        let mut findings = resources.get_mut_or_default::<Findings>();
        findings.set(world.id(), Vec::new());
        findings.forget(world.id());
    }
}
