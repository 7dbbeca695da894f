//! What a renderer has on the GPU is right in each frame, whatever happens in ticks and between
//! them: by slots, with `Smooth` and without. It uploads what is listed, and nothing else.

use std::collections::{HashMap, HashSet};

use harness::{Rng, demand};
use legion::*;
use legion_transform::{
    changes::{FollowError, InstanceSlots},
    frames::Frame,
    prelude::*,
    smooth::Smooth,
    spawn::insert_with_ids,
};
use nalgebra::{Matrix4, Vector3};

/// The component by which entities are drawn.
struct Mesh;

struct Tag;

/// Both matrices of an instance, now and in the last frame.
type Pair = [LocalToWorld; 2];

/// A matrix of zeros draws nothing.
fn nothing() -> Pair {
    [LocalToWorld(nalgebra::zero()); 2]
}

/// A world with what follows it.
struct Life {
    world: World,
    resources: Resources,
    smooth: Smooth,
    entities: Vec<Entity>,
    /// What was drawn of each entity in the last frame, in this world.
    drawn: HashMap<Entity, LocalToWorld>,
    /// Whether something is teleported or carried in the next tick.
    jumps: bool,
    /// Whether numbers are round, so that what is carried may come to have the bits that it had.
    is_round: bool,
}

impl Life {
    fn new(is_round: bool) -> Self {
        let smooth = Smooth::default().with_last_frames();
        let (world, resources, entities, drawn) = Default::default();
        Self { world, resources, smooth, entities, drawn, jumps: false, is_round }
    }

    fn has<T: storage::Component>(&self, entity: Entity) -> bool {
        self.world.entry_ref(entity).is_ok_and(|it| it.get_component::<T>().is_ok())
    }

    /// Something that happens to a world.
    fn edit(&mut self, rng: &mut Rng) {
        let at = rng.vector(9.0);
        let at = Translation::from(if self.is_round { at.map(f32::round) } else { at });
        let pick = (!self.entities.is_empty()).then(|| *rng.pick(&self.entities));
        let Some(it) = pick.filter(|it| self.world.contains(*it)) else {
            let new = match rng.below(3) {
                0 => self.world.push_transform((at,)),
                1 => self.world.push_transform((at, Mesh)),
                _ => self.world.push_transform((at, Rotation(rng.quaternion()), Mesh)),
            };
            self.entities.push(new);
            return;
        };
        let (other, has_matrix) = (*rng.pick(&self.entities), self.matrix(it).is_some());
        let mut entry = self.world.entry(it).unwrap();
        match rng.below(20) {
            0 => self.entities.push(self.world.push_child(it, (at, Mesh))),
            1 => self.entities.push(self.world.push_transform((at, Mesh, Tag))),
            2 => _ = self.world.remove(it),
            3 if rng.one_in(3) => _ = self.world.despawn_subtree(it),
            4 => entry.add_component(Mesh),
            5 => entry.remove_component::<Mesh>(),
            6 => entry.add_component(Tag),
            7 => entry.remove_component::<Tag>(),
            8 => entry.remove_component::<LocalToWorld>(),
            9 if !has_matrix => entry.add_component(LocalToWorld::identity()),
            10 => entry.add_component(Rotation(rng.quaternion())),
            11 => _ = self.world.set_parent(it, other),
            12 => {
                self.smooth.teleport(it);
                self.jumps = true;
            }
            13 if self.is_round => self.carry(it, rng),
            _ => entry.add_component(at),
        }
    }

    /// It goes through a portal, and perhaps moves back by as much; or the origin is another; or
    /// there is one more frame.
    fn carry(&mut self, entity: Entity, rng: &mut Rng) {
        let by = *rng.pick(&[-1.0, 0.0, 1.0, 2.0]);
        self.jumps = true;
        match rng.below(5) {
            0 => self.smooth.change_origin(Frame::from_xyz(by.into(), 0.0, 0.0)),
            1 => {
                let frame = (Frame::from_xyz(by.into(), 0.0, 0.0), Mesh);
                self.entities.push(self.world.push_transform(frame));
            }
            way => {
                self.smooth
                    .teleport_by(entity, Matrix4::new_translation(&Vector3::new(by, 0.0, 0.0)));
                let mut entry = self.world.entry(entity).unwrap();
                if let (2, Ok(at)) = (way, entry.get_component_mut::<Translation>()) {
                    at.x += by;
                }
            }
        }
    }

    fn edits(&mut self, rng: &mut Rng, most: usize) {
        (0..rng.below(most + 1)).for_each(|_| self.edit(rng));
    }

    fn matrix(&self, entity: Entity) -> Option<LocalToWorld> {
        self.world.entry_ref(entity).ok()?.into_component::<LocalToWorld>().ok().copied()
    }

    /// Those that have a slot, as of now, and their matrices.
    fn drawable(&self) -> HashMap<Entity, LocalToWorld> {
        let meshes = self.entities.iter().filter(|it| self.has::<Mesh>(**it));
        meshes.filter_map(|it| Some((*it, self.matrix(*it)?))).collect()
    }
}

/// The renderer: what it knows, and what the GPU has.
#[derive(Default)]
struct Renderer {
    slots: InstanceSlots<Mesh>,
    instances: Vec<Pair>,
    gpu: Vec<Pair>,
    /// Who should have slots, and which they have.
    judge: HashMap<Entity, usize>,
    compared: u64,
}

impl Renderer {
    /// Follows a run, and judges who came and went.
    fn follow(&mut self, life: &Life, should: &HashMap<Entity, LocalToWorld>) {
        let should: HashSet<Entity> = should.keys().copied().collect();
        let changes = life.resources.get::<TransformChanges>().unwrap();
        self.slots.follow(&life.world, &changes).unwrap();
        let had: HashSet<Entity> = self.judge.keys().copied().collect();
        let went: HashSet<Entity> = self.slots.went().iter().map(|it| it.entity).collect();
        let came: HashSet<Entity> = self.slots.came().iter().map(|it| it.entity).collect();
        assert_eq!(went, had.difference(&should).copied().collect(), "who went");
        assert_eq!(came, should.difference(&had).copied().collect(), "who came");
        assert_eq!((went.len(), came.len()), (self.slots.went().len(), self.slots.came().len()));
        self.instances.resize(self.slots.len(), nothing());
        self.gpu.resize(self.slots.len(), nothing());
        for it in self.slots.went() {
            assert_eq!(self.judge.remove(&it.entity), Some(it.slot));
            self.instances[it.slot] = nothing();
        }
        let mut used: HashSet<usize> = self.judge.values().copied().collect();
        for it in self.slots.came() {
            assert!(used.insert(it.slot), "slot {} is taken", it.slot);
            self.judge.insert(it.entity, it.slot);
        }
        for (&entity, &slot) in &self.judge {
            assert_eq!(self.slots.slot(entity), Some(slot), "{entity:?} keeps its slot");
            assert_eq!(self.slots.entity(slot), Some(entity));
        }
        assert_eq!(
            (0..self.slots.len()).filter_map(|it| self.slots.entity(it)).count(),
            used.len()
        );
    }

    fn upload(&mut self) {
        for range in self.slots.take_changed() {
            self.gpu[range.clone()].copy_from_slice(&self.instances[range]);
        }
    }

    /// Compares what the GPU has of each slot.
    fn compare(&mut self, should: impl Fn(Entity) -> Option<Pair>) {
        for slot in 0..self.gpu.len() {
            let right = match self.slots.entity(slot) {
                Some(entity) => should(entity),
                None => Some(nothing()),
            };
            if let Some(right) = right {
                assert_eq!(self.gpu[slot], right, "{:?} in {slot}", self.slots.entity(slot));
                self.compared += 1;
            }
        }
    }

    /// Draws right after a run, without `Smooth`. Entities may have died since then, or users may
    /// have written their matrices.
    fn draw_run(&mut self, life: &Life, should: &HashMap<Entity, LocalToWorld>) {
        for (it, matrix) in self.slots.updates(&life.world).unwrap() {
            self.instances[it.slot] = [matrix; 2];
        }
        self.upload();
        self.compare(|entity| {
            let now = life.matrix(entity).filter(|now| *now == should[&entity]);
            now.map(|matrix| [matrix; 2])
        });
    }

    /// Draws between two ticks.
    fn draw(&mut self, life: &mut Life, alpha: f32) {
        let Life { world, smooth, drawn, .. } = life;
        for (slot, it) in smooth.instances(&mut self.slots, alpha) {
            self.instances[slot] = [it.now, it.before];
        }
        self.upload();
        self.compare(|entity| {
            let now = smooth.matrix(world, entity, alpha)?;
            let before = smooth.last_frame(world, entity)?;
            let was = drawn.get(&entity);
            assert!(was.is_none_or(|was| *was == before), "{entity:?}: {was:?} {before:?}");
            Some([now, before])
        });
        *drawn = self
            .judge
            .keys()
            .filter_map(|&it| Some((it, smooth.matrix(world, it, alpha)?)))
            .collect();
        smooth.end_frame(alpha);
    }
}

/// Two worlds that live on in turn, and a renderer that shows the one or the other.
fn live(seed: u64, with_smooth: bool) -> u64 {
    let _repeats = demand::Repeats(seed);
    let rng = &mut Rng::new(seed);
    let bundle = TransformSystemBundle::default().track_changes().print_findings(false);
    let mut schedule = Schedule::builder().add_transforms(bundle.large_worlds()).build();
    let (mut lives, mut shown) = ([false, true].map(Life::new), 0);
    let mut renderer = Renderer::default();
    for _ in 0..60 {
        if rng.one_in(20) {
            shown = 1 - shown;
            // No frame of that world came right before.
            lives[shown].drawn.clear();
        }
        let life = &mut lives[shown];
        life.edits(rng, 9);
        let is_anew = rng.one_in(25);
        if is_anew {
            life.resources = Resources::default();
            life.drawn.clear();
        }
        schedule.execute(&mut life.world, &mut life.resources);
        if !with_smooth && rng.one_in(5) {
            continue; // a run that nothing follows
        }
        let should = life.drawable();
        life.entities.retain(|it| life.world.contains(*it));
        // Rows move behind the run. (Nothing is known of what loses its matrix behind the first.)
        if !is_anew && rng.one_in(2) {
            life.edits(rng, 3);
        }
        renderer.follow(life, &should);
        // What comes again has no last frame.
        renderer.slots.went().iter().for_each(|it| _ = life.drawn.remove(&it.entity));
        if !with_smooth {
            renderer.draw_run(life, &should);
            continue;
        }
        let changes = life.resources.get::<TransformChanges>().unwrap();
        life.smooth.tick(&life.world, &changes).unwrap();
        drop(changes);
        if std::mem::take(&mut life.jumps) {
            life.drawn.clear();
        }
        for it in renderer.slots.came() {
            // One that has died since the run is drawn nowhere.
            let now = life.smooth.matrix(&life.world, it.entity, 1.0);
            renderer.instances[it.slot] = now.map_or(nothing(), |now| [now; 2]);
        }
        for _ in 0..rng.below(4) {
            renderer.draw(life, *rng.pick(&[0.0, 0.25, 0.3, 0.5, 0.9, 1.0]));
            if rng.one_in(3) {
                life.edits(rng, 2);
            }
        }
    }
    renderer.compared
}

#[test]
fn the_gpu_has_each_instance_right() {
    for with_smooth in [false, true] {
        let (mut compared, wanted) = (0, demand::soak(4_000) as u64);
        let mut seeds = demand::first_seed(0)..;
        while compared < wanted {
            compared += seeds.next().map_or(0, |seed| live(seed, with_smooth));
        }
        println!("{compared} comparisons");
    }
}

/// Another world may have entities of the same ids: as a level that is loaded again.
#[test]
fn the_same_id_in_another_world_is_another_instance() {
    let [mut old, mut new] = [World::default(), World::default()];
    let id = old.push_transform((Translation::new(3.0, 0.0, 0.0), Mesh));
    let tuple = (Translation::new(5.0, 0.0, 0.0), Mesh);
    insert_with_ids(&mut new, &[id], [tuple]).unwrap();
    let bundle = TransformSystemBundle::default().track_changes();
    let mut schedule = Schedule::builder().add_transforms(bundle).build();
    let (mut slots, mut resources) = (InstanceSlots::<Mesh>::default(), Resources::default());
    for world in [&mut old, &mut new] {
        schedule.execute(world, &mut resources);
        slots.follow(world, &resources.get::<TransformChanges>().unwrap()).unwrap();
    }
    let both = [slots.went(), slots.came()].map(|it| it.iter().map(|it| (it.slot, it.entity)));
    assert_eq!(both.map(Vec::from_iter), [[(0, id)], [(1, id)]]);
}

/// A mesh that is taken off leaves its slot, and one that is put on a thing at rest is drawn.
#[test]
fn what_gets_or_loses_a_component_is_drawn_anew() {
    let mut life = Life::new(false);
    let bundle = TransformSystemBundle::default().track_changes();
    let mut schedule = Schedule::builder().add_transforms(bundle).build();
    let thing = life.world.push_transform((Translation::new(3.0, 0.0, 0.0),));
    let mut tick = |life: &mut Life| {
        schedule.execute(&mut life.world, &mut life.resources);
        let changes = life.resources.get::<TransformChanges>().unwrap();
        life.smooth.tick(&life.world, &changes).unwrap();
        let updates = life.smooth.updates(0.5).map(|(it, matrix)| (it, matrix.position().x));
        let updates: Vec<_> = updates.collect();
        let moved = life.smooth.motions(0.5).map(|it| (it.entity, it.before.position().x));
        assert_eq!(moved.collect::<Vec<_>>(), updates, "it was where it is");
        life.smooth.end_frame(0.5);
        updates
    };
    assert_eq!(tick(&mut life), [(thing, 3.0)], "it comes");
    assert_eq!(tick(&mut life), []);
    life.world.entry(thing).unwrap().add_component(Mesh);
    assert_eq!(tick(&mut life), [(thing, 3.0)], "it gets a mesh");
    assert_eq!(tick(&mut life), []);
    life.world.entry(thing).unwrap().remove_component::<Mesh>();
    assert_eq!(tick(&mut life), [(thing, 3.0)], "it loses it");
    assert_eq!(tick(&mut life), []);
}

/// Slots go by the component, and ask for what they need.
#[test]
fn slots_need_a_list_of_changes() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let entity = world.push_transform((Translation::from(Vector3::x()), Mesh));
    let mut slots = InstanceSlots::<Mesh>::default();
    assert!(slots.is_empty());
    let bundle = TransformSystemBundle::default().track_changes();
    let mut schedule = Schedule::builder().add_transforms(bundle).build();
    let none = slots.follow(&world, &TransformChanges::default());
    assert_eq!(none, Err(FollowError::NotTracked));
    schedule.execute(&mut world, &mut resources);
    let changes = resources.get::<TransformChanges>().unwrap();
    for came in [1, 0] {
        slots.follow(&world, &changes).unwrap();
        assert_eq!((slots.came().len(), slots.went().len()), (came, 0), "followed twice");
        assert_eq!((slots.slot(entity), slots.entity(0)), (Some(0), Some(entity)));
    }
    let (blind, _) = world.split::<Read<Translation>>();
    slots.follow(&blind, &changes).unwrap();
    let error = slots.updates(&blind).err().unwrap().to_string();
    assert!(error.contains("LocalToWorld"), "{error}");
}
