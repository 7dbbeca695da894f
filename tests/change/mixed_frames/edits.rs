//! Random edits of a world, by everything a user has.

use std::collections::HashMap;

use harness::Rng;
use legion::{Entity, IntoQuery, World, query::Query};
use legion_transform::{components::PreviousParent, prelude::*};
use legion_transform_testing::{Kind, Numbers};

use super::species::{
    self, DERIVED, Health, Species, WAYS, Way, has, has_relations, is_derived, is_input, value,
};

/// A component that moves an entity to another archetype.
struct Mark;

/// A world's entities, and what is known of them.
pub struct Life {
    pub rng: Rng,
    pub all: Vec<Entity>,
    /// What the user last wrote into matrices of his own.
    pub owned: HashMap<(Entity, Kind), Numbers>,
    /// The entities whose derived components were overwritten, and after which run.
    pub overwritten: HashMap<Entity, usize>,
    /// How many runs there were.
    pub runs: usize,
    /// The most that is spawned at once.
    bulk: usize,
    /// The species that there is most of.
    favorite: Species,
    /// If there are more entities, half of them go.
    most: usize,
}

/// What the edits of a frame are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mood {
    /// Components are written, and nothing comes or goes.
    Writes,
    /// Entities come and go, and nothing is written.
    Spawns,
    /// Both, in any order.
    Mixed,
    /// Both, and derived components are overwritten.
    Overwrites,
}

/// The inputs of matrices that are written.
const INPUTS: [Kind; 8] = [
    Kind::Translation,
    Kind::Rotation,
    Kind::Scale,
    Kind::NonUniformScale,
    Kind::RotationPivot,
    Kind::ScalePivot,
    Kind::RotationEulerXYZ,
    Kind::ParentScaleInverse,
];

impl Life {
    /// In a world that begins with so many rows of each species.
    pub fn new(seed: u64, rows: usize) -> Self {
        let mut rng = Rng::new(seed);
        Self {
            bulk: rows,
            favorite: *rng.pick(species::ALL),
            most: rows * 30 + 100,
            rng,
            all: Vec::new(),
            owned: HashMap::new(),
            overwritten: HashMap::new(),
            runs: 0,
        }
    }

    /// Makes one edit.
    pub fn edit(&mut self, world: &mut World, mood: Mood) {
        self.all.retain(|&entity| world.contains(entity));
        if self.all.len() < 10 {
            return self.begin(world);
        }
        let sort = match mood {
            Mood::Writes => self.rng.below(8),
            Mood::Spawns => 8 + self.rng.below(6),
            Mood::Mixed => self.rng.below(18),
            Mood::Overwrites => self.rng.below(26),
        };
        match sort {
            0 => <&mut Health>::query().for_each_mut(world, |health| health.0 += 1),
            1 => self.hurt(world),
            2 => self.write_all(world),
            3..=6 => self.write(world),
            7 => self.write_owned(world),
            8..=10 => self.spawn(world),
            11 => self.spawn_tree(world),
            12 | 13 => self.despawn(world),
            14 => self.mark(world),
            15 => self.hang(world),
            16 => self.unhang(world),
            17 => self.write_again(world),
            18..=22 => self.overwrite(world),
            _ => self.overwrite_relations(world),
        }
        if sort >= 18 && self.rng.one_in(2) {
            self.spawn_each(world);
        }
    }

    pub fn any(&mut self) -> Entity {
        *self.rng.pick(&self.all)
    }

    /// An entity for which this holds, if one of a few picked at random is one.
    fn any_where(
        &mut self,
        world: &World,
        holds: impl Fn(&World, Entity) -> bool,
    ) -> Option<Entity> {
        (0..20).map(|_| self.any()).find(|&entity| holds(world, entity))
    }

    /// One, a few or many of all entities.
    fn some(&mut self) -> Vec<Entity> {
        let most = [1, 1, 1, 4, 40, 400][self.rng.below(6)];
        let (start, step) = (self.rng.below(self.all.len()), 1 + self.rng.below(7));
        let from = self.all.iter().skip(start).step_by(step);
        from.take(most).copied().collect()
    }

    fn hurt(&mut self, world: &mut World) {
        let hurt = self.any();
        if let Ok(health) = <&mut Health>::query().get_mut(world, hurt) {
            health.0 += 1;
        }
    }

    /// Writes all of one component by a query; few of the values, or half of them, differ.
    fn write_all(&mut self, world: &mut World) {
        let every = [2, 50, 1000][self.rng.below(3)];
        let rng = &mut self.rng;
        let mut shift = |numbers: &mut f32| {
            if rng.one_in(every) {
                *numbers = [0.5, 1.0, 2.0][rng.below(3)];
            }
        };
        match every % 3 {
            0 => <&mut RotationPivot>::query().for_each_mut(world, |it| shift(&mut it.0.x)),
            1 => <&mut Scale>::query().for_each_mut(world, |it| shift(&mut it.0)),
            _ => <&mut Translation>::query().for_each_mut(world, |it| shift(&mut it.0.vector.x)),
        }
    }

    fn write(&mut self, world: &mut World) {
        for entity in self.some() {
            let kind = *self.rng.pick(&INPUTS);
            let numbers = value(kind, &mut self.rng);
            if is_input(world, entity, kind) {
                kind.set(&mut world.entry(entity).expect("alive"), &numbers);
            }
        }
    }

    /// Adds a component over the one that is there.
    fn write_again(&mut self, world: &mut World) {
        let kind = *self.rng.pick(&INPUTS);
        let numbers = value(kind, &mut self.rng);
        let found = self.any_where(world, |world, entity| is_input(world, entity, kind));
        if let Some(mut entry) = found.and_then(|entity| world.entry(entity)) {
            kind.add(&mut entry, &numbers);
        }
    }

    /// Writes matrices that are the user's.
    fn write_owned(&mut self, world: &mut World) {
        for entity in self.some() {
            let kind = *self.rng.pick(&[Kind::LocalToWorld, Kind::LocalToParent]);
            if has(world, entity, kind) && !is_derived(world, entity, kind) {
                let numbers = value(kind, &mut self.rng);
                kind.set(&mut world.entry(entity).expect("alive"), &numbers);
                self.owned.insert((entity, kind), numbers);
            }
        }
    }

    /// Spawns entities in a random way: one of each species, or more of one.
    fn spawn(&mut self, world: &mut World) {
        if self.rng.one_in(3) {
            return self.spawn_each(world);
        }
        let way = *self.rng.pick(&WAYS);
        let species = if self.rng.one_in(4) { self.favorite } else { *self.rng.pick(species::ALL) };
        let n = [1, 3, self.bulk.min(20), self.bulk][self.rng.below(4)];
        self.spawn_some(world, (species, way, n));
    }

    fn spawn_each(&mut self, world: &mut World) {
        let way = *self.rng.pick(&WAYS);
        for &species in species::ALL {
            self.spawn_some(world, (species, way, 1));
        }
    }

    /// Spawns some of each species, and ten times as many of one.
    pub fn begin(&mut self, world: &mut World) {
        for &species in species::ALL {
            let n = if species == self.favorite { self.bulk * 10 } else { self.bulk };
            self.spawn_some(world, (species, Way::Extend, n));
        }
    }

    fn spawn_some(&mut self, world: &mut World, what: (Species, Way, usize)) {
        let is_parent = |world: &World, entity| has(world, entity, Kind::LocalToWorld);
        let parent = match self.all.is_empty() {
            true => None,
            false => self.any_where(world, is_parent),
        };
        let parent = parent
            .unwrap_or_else(|| world.push((LocalToWorld::identity(), Translation::identity())));
        let new = species::spawn(world, what, parent, &mut self.rng);
        self.all.extend(new);
    }

    /// Spawns a tree by the crate's helpers.
    fn spawn_tree(&mut self, world: &mut World) {
        let parent = self.any();
        let mut new = Vec::new();
        let root =
            world.push_child_tree(parent, (Translation::new(1.0, 0.0, 0.0), Health(7)), |tree| {
                new.push(tree.push_child((Translation::new(2.0, 0.0, 0.0), Scale(0.5))));
                new.extend(
                    tree.extend_children((0..5).map(|x| (Translation::new(x as f32, 1.0, 0.0),))),
                );
            });
        new.extend([root, world.push_child(root, (Scale(2.0),))]);
        self.all.append(&mut new);
    }

    /// One or a few; now and then half of a world that has become large.
    fn despawn(&mut self, world: &mut World) {
        let gone = match self.all.len() > self.most {
            true => self.all.iter().copied().step_by(2).collect(),
            false => self.some(),
        };
        gone.into_iter().for_each(|entity| assert!(world.remove(entity)));
        self.all.retain(|&entity| world.contains(entity));
    }

    fn mark(&mut self, world: &mut World) {
        let adds = self.rng.one_in(2);
        for entity in self.some() {
            let mut entry = world.entry(entity).expect("alive");
            match adds {
                true => entry.add_component(Mark),
                false => entry.remove_component::<Mark>(),
            }
        }
    }

    /// Gives children another parent.
    fn hang(&mut self, world: &mut World) {
        let parent = self.any();
        for entity in self.some() {
            let mut entry = world.entry(entity).expect("alive");
            if let Ok(link) = entry.get_component_mut::<Parent>() {
                *link = Parent(parent);
            }
        }
    }

    fn unhang(&mut self, world: &mut World) {
        let entity = self.any();
        let mut entry = world.entry(entity).expect("alive");
        entry.remove_component::<Parent>();
        if self.rng.one_in(2) {
            entry.remove_component::<LocalToParent>();
        }
    }

    /// Overwrites derived numbers.
    fn overwrite(&mut self, world: &mut World) {
        let kind = *self.rng.pick(&DERIVED);
        let one = self.any_where(world, |world, entity| is_derived(world, entity, kind));
        for entity in self.some().into_iter().chain(one) {
            if is_derived(world, entity, kind) {
                let numbers = value(kind, &mut self.rng);
                kind.set(&mut world.entry(entity).expect("alive"), &numbers);
                self.overwritten.insert(entity, self.runs);
            }
        }
    }

    /// Overwrites `PreviousParent` and `Children`.
    fn overwrite_relations(&mut self, world: &mut World) {
        let mut query: Query<(Option<&mut PreviousParent>, Option<&mut Children>)> = Query::new();
        let one = self.any_where(world, has_relations);
        for entity in self.some().into_iter().chain(one) {
            let (previous, many) = (self.any(), self.some());
            let Ok((record, children)) = query.get_mut(world, entity) else { continue };
            if let (Some(record), true) = (record, self.rng.one_in(2)) {
                record.0 = if self.rng.one_in(2) { Some(previous) } else { None };
                self.overwritten.insert(entity, self.runs);
            }
            if let (Some(children), true) = (children, self.rng.one_in(2)) {
                match self.rng.below(3) {
                    0 => *children = Children::new(),
                    1 => children.0.extend(many),
                    _ => children.0.reverse(),
                }
                self.overwritten.insert(entity, self.runs);
            }
        }
    }
}
