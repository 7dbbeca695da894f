//! A tracker under test.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use legion::{Entity, World, storage::EntityLayout};

use crate::engine::storage::{
    By, ChangeTracker, Follow, Kept, NewLinks, WorldCell,
    columns::{Archetypes, Damage, Row},
    mask::Mask,
    sheet::Meaning,
};

/// A tracker that is held against Legion's own archetypes after every look.
pub(super) struct Account {
    /// Where there is one, events are recorded.
    pub cell: Arc<WorldCell>,
    pub tracker: ChangeTracker,
    pub links: NewLinks,
    /// Where every entity of an archetype with transform components was at the last `settle`.
    settled: HashMap<Entity, Row>,
    rebuilds: usize,
    kept: Numbers,
}

/// A number for each row, which its entity takes along.
#[derive(Default)]
struct Numbers {
    by_row: BTreeMap<Row, u32>,
    by_entity: HashMap<Entity, u32>,
    /// The last number that was given.
    last: u32,
}

impl Follow for Numbers {
    fn leave(&mut self, from: Row, last: u32) -> Kept {
        let slot = self.by_row.remove(&from).unwrap_or(0);
        if let Some(filler) = self.by_row.remove(&Row { row: last, ..from }) {
            self.by_row.insert(from, filler);
        }
        Kept { slot, scale: None }
    }

    fn come(&mut self, _: Entity, to: Row, _: Mask, kept: Option<Kept>, _: bool) {
        let number = kept.map_or(0, |kept| kept.slot);
        if number > 0 {
            assert!(self.by_row.insert(to, number).is_none(), "the row is free");
        }
    }

    fn come_bare(&mut self, _: &[Entity]) {}
}

impl Account {
    pub fn open(world: &mut World) -> Self {
        let derived = |layout: &EntityLayout| Mask::of(layout) & Mask::LOCAL_TO_WORLD;
        let meaning = move |layout: &_| Meaning { derived: derived(layout), ..Meaning::default() };
        let tracker = ChangeTracker::new(world, meaning);
        Self {
            cell: WorldCell::of(world),
            tracker,
            links: NewLinks::default(),
            settled: HashMap::new(),
            rebuilds: 0,
            kept: Numbers::default(),
        }
    }

    pub fn look(&mut self, world: &mut World) -> Result<usize, Damage> {
        let touched = self.tracker.look(world, &mut self.kept, By::Users, true);
        if touched.is_ok() {
            self.check_row_map(world);
            self.check_kept(world);
        }
        touched
    }

    /// A look at what the bundle has done.
    pub fn look_own(&mut self, world: &mut World) {
        self.tracker.look(world, &mut self.kept, By::Bundle, true).unwrap();
    }

    /// What is kept for an entity is in its row; entities that are new get a number.
    fn check_kept(&mut self, world: &World) {
        let places = places(&self.tracker, world);
        let Numbers { by_row, by_entity, last } = &mut self.kept;
        for (entity, row) in &places {
            if let Some(kept) = by_entity.get(entity) {
                assert_eq!(by_row.get(row), Some(kept), "of {entity:?}");
                continue;
            }
            *last += 1;
            by_row.insert(*row, *last);
            by_entity.insert(*entity, *last);
        }
        assert_eq!(by_row.len(), places.len(), "what is kept for others is gone");
    }

    pub fn settle(&mut self, world: &mut World) {
        self.settled = places(&self.tracker, world);
        for (entity, kept) in self.tracker.dead() {
            assert_eq!(self.kept.by_entity.remove(&entity).unwrap_or(0), kept);
        }
        self.tracker.end_pass(std::iter::empty());
        self.tracker.acknowledge(world);
        self.tracker.forget_late();
        // As often as it takes until nothing is left to scrub.
        while self.tracker.any_touched() {
            self.tracker.acknowledge(world);
        }
        self.links.restart(world, &mut self.tracker);
        self.rebuilds = self.tracker.rebuilds;
    }

    /// Takes everything up to here as known.
    pub fn know(&mut self, world: &mut World) {
        self.look(world).unwrap();
        self.settle(world);
    }

    /// Every row is as Legion has it, and all that has moved since the last `settle` is listed.
    pub fn check_row_map(&self, world: &World) {
        let places = places(&self.tracker, world);
        for (&entity, &row) in &places {
            assert_eq!(self.tracker.entity(row), Some(entity));
            assert_eq!(self.tracker.locate(entity), Some(row));
            let sheet = &self.tracker[row.archetype];
            let was = self.settled.get(&entity);
            let is_old = was.is_some_and(|was| was.archetype == row.archetype);
            assert!(is_old || sheet.recent.contains(row.row));
        }
        for (entity, was) in &self.settled {
            let is_there = places.get(entity) == Some(was);
            assert!(is_there || self.tracker[was.archetype].has_other_members());
            assert_eq!(self.tracker.locate(*entity), places.get(entity).copied());
        }
    }

    /// The columns that got rows and were not written.
    pub fn inserted(&self, archetype: u32) -> Mask {
        let sheet = &self.tracker[archetype];
        let all = if sheet.has_arrivals() { sheet.mask } else { Mask::NONE };
        all.without(self.written(archetype))
    }

    /// The columns that may have been written, those perhaps written among them.
    pub fn written(&self, archetype: u32) -> Mask {
        let sheet = &self.tracker[archetype];
        sheet.written | if sheet.has_due() { sheet.derived() } else { Mask::NONE }
    }

    pub fn touched(&self) -> Vec<u32> {
        let is_touched =
            |at: &u32| self.tracker[*at].has_other_members() || self.written(*at) != Mask::NONE;
        self.tracker.having(Mask::ALL).filter(is_touched).collect()
    }

    /// Whether the events have named all that came and went.
    pub fn is_complete(&self) -> bool {
        self.tracker.rebuilds == self.rebuilds
    }
}

/// Where every entity of an archetype with transform components is.
fn places(tracker: &ChangeTracker, world: &World) -> HashMap<Entity, Row> {
    let rows = |archetype: u32| {
        let entities = Archetypes::of(world).list[archetype as usize].entities();
        (0..).zip(entities).map(move |(row, &entity)| (entity, Row { archetype, row }))
    };
    tracker.having(Mask::ALL).flat_map(rows).collect()
}
