//! Large worlds: frames of this crate and cells of big_space.
//!
//! 100,000 entities in one frame (one grid), each with a child in half of the rows. An edit with
//! its tick, on the threads that each takes by itself; and where a buoy is seen that is a
//! millimetre beside the origin.

use std::time::Duration;

use bevy_app::{App, PostUpdate, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_math::{DVec3, Vec3};
use bevy_transform::prelude::{GlobalTransform, Transform};
use big_space::{plugin::BigSpaceMinimalPlugins, prelude::*};
use legion::systems::Resources;
use legion_transform::{
    TransformBuilderExt, TransformSystemBundle,
    components::{LocalToWorld, Translation},
    frames::{self, Frame},
    spawn::SpawnTransforms,
};
use nalgebra::Point3;

use super::{Side, Times};
use crate::bench::timed;

const ENTITIES: usize = 100_000;

/// What happens in a frame.
#[derive(Clone, Copy)]
enum Edit {
    Nothing,
    /// The origin flies 2.5 km, into another cell.
    Origin,
    One,
    All,
    /// A shot, which has other components than the 100,000.
    Comes,
    Goes,
    /// With another frame on it, or as a grid with something in it.
    Ship,
}

/// Each with the number of entities that are seen elsewhere.
const EDITS: [(&str, Edit, usize); 7] = [
    ("nothing moves", Edit::Nothing, 0),
    ("the origin moves", Edit::Origin, ENTITIES),
    ("one entity moves", Edit::One, 1),
    ("all entities move", Edit::All, ENTITIES),
    ("a shot comes", Edit::Comes, 1),
    ("a shot goes", Edit::Goes, 1),
    ("a ship with a shuttle moves", Edit::Ship, 2),
];

/// Where entity `i` is.
fn place(i: usize) -> [f64; 3] {
    let i = i as f64;
    [(i * 7_919.0) % 1e6, (i * 104_729.0) % 1e6, (i * 1_299_709.0) % 1e6]
}

trait World {
    fn new(children: bool) -> Self;
    fn edit(&mut self, edit: Edit, tick: usize);
    fn tick(&mut self);
    /// The distance of the buoy from the origin, which is a millimetre.
    fn buoy(&mut self, distance: f64) -> f64;
}

struct Ours {
    world: legion::World,
    resources: Resources,
    schedule: legion::Schedule,
    system: legion::Entity,
    entities: Vec<legion::Entity>,
    shots: Vec<legion::Entity>,
    ship: legion::Entity,
    origin: legion::Entity,
}

impl World for Ours {
    fn new(children: bool) -> Self {
        let (mut world, mut resources) = (legion::World::default(), Resources::default());
        let bundle = TransformSystemBundle::default().large_worlds();
        let schedule = legion::Schedule::builder().add_transforms(bundle).build();
        let system = world.push_transform((Frame::default(),));
        let frame = |i| Frame::at(Point3::from(place(i)));
        let entities = world.extend_children(system, (0..ENTITIES).map(|i| (frame(i), 0_u8)));
        for &entity in entities.iter().filter(|_| children) {
            world.push_child(entity, (Translation::new(1.0, 0.0, 0.0),));
        }
        let ship = world.push_child(system, (frame(7),));
        world.push_child(ship, (frame(8), 0_u8));
        let origin = world.push_child(system, (Frame::default(),));
        resources.insert(frames::Origin(origin));
        Self { world, resources, schedule, system, entities, shots: Vec::new(), ship, origin }
    }

    fn edit(&mut self, edit: Edit, tick: usize) {
        let mut set = |entity: legion::Entity, x: f64| {
            let mut entry = self.world.entry(entity).unwrap();
            entry.get_component_mut::<Frame>().unwrap().position.x = x;
        };
        match edit {
            Edit::Nothing => {}
            Edit::Origin => set(self.origin, (tick + 1) as f64 * 2_500.0),
            Edit::One => set(self.entities[77], tick as f64),
            Edit::All => {
                use legion::IntoQuery;
                let mut all = <(&u8, &mut Frame)>::query();
                all.iter_mut(&mut self.world).for_each(|(_, frame)| frame.position.y += 1.0);
            }
            Edit::Comes => {
                let shot = (Frame::at(Point3::from(place(tick))), 0_u16);
                self.shots.push(self.world.push_child(self.system, shot));
            }
            Edit::Goes => _ = self.world.remove(self.shots.pop().unwrap()),
            Edit::Ship => set(self.ship, tick as f64),
        }
    }

    fn tick(&mut self) {
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    fn buoy(&mut self, distance: f64) -> f64 {
        // The frame that they are in is far away.
        let at = |x| Frame::at(Point3::new(x, 0.0, 0.0));
        self.world.entry(self.system).unwrap().add_component(at(distance));
        let at = |x| at(1_234.567 + x);
        self.world.entry(self.origin).unwrap().add_component(at(0.0));
        let buoy = self.world.push_child(self.system, (at(0.001),));
        self.tick();
        let matrix = self.world.entry(buoy).unwrap().into_component::<LocalToWorld>().unwrap();
        f64::from(matrix.position().x)
    }
}

struct BigSpace {
    app: App,
    grid: Entity,
    entities: Vec<Entity>,
    shots: Vec<Entity>,
    ship: Entity,
    origin: Entity,
}

/// Gives shots an archetype of their own.
#[derive(Component)]
struct Shot;

fn cell(grid: &Grid, at: [f64; 3]) -> (CellCoord, Transform) {
    let (cell, translation) = grid.translation_to_grid(DVec3::from_array(at));
    (cell, Transform::from_translation(translation))
}

impl World for BigSpace {
    fn new(children: bool) -> Self {
        let mut app = App::new();
        app.add_plugins((TaskPoolPlugin::default(), BigSpaceMinimalPlugins));
        let space = Grid::new(10_000.0, 0.0);
        let (mut entities, mut origin, mut grid, mut ship) = (Vec::new(), None, None, None);
        let world = app.world_mut();
        world.commands().spawn_big_space(space.clone(), |root| {
            grid = Some(root.id());
            for i in 0..ENTITIES {
                let entity = root.spawn_spatial(cell(&space, place(i))).id();
                if children {
                    let child = (Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(entity));
                    root.commands().spawn(child);
                }
                entities.push(entity);
            }
            root.with_grid(space.clone(), |it| {
                it.insert(cell(&space, place(7)));
                it.spawn_spatial(cell(&space, place(8)));
                ship = Some(it.id());
            });
            origin = Some(root.spawn_spatial((cell(&space, [0.0; 3]), FloatingOrigin)).id());
        });
        world.flush();
        app.finish();
        let [grid, ship, origin] = [grid, ship, origin].map(Option::unwrap);
        Self { app, grid, entities, shots: Vec::new(), ship, origin }
    }

    fn edit(&mut self, edit: Edit, tick: usize) {
        let world = self.app.world_mut();
        let mut nudge = |entity| world.get_mut::<Transform>(entity).unwrap().translation.x += 1.0;
        match edit {
            Edit::Nothing => {}
            Edit::One => nudge(self.entities[77]),
            Edit::Ship => nudge(self.ship),
            Edit::Origin => {
                let at =
                    cell(world.get(self.grid).unwrap(), [(tick + 1) as f64 * 2_500.0, 0.0, 0.0]);
                world.entity_mut(self.origin).insert(at);
            }
            Edit::All => {
                let mut all = world.query_filtered::<&mut Transform, With<CellCoord>>();
                all.iter_mut(world).for_each(|mut transform| transform.translation.y += 0.01);
            }
            Edit::Comes => {
                let at = cell(world.get(self.grid).unwrap(), place(tick));
                let shot = (at, GlobalTransform::default(), ChildOf(self.grid), Shot);
                self.shots.push(world.spawn(shot).id());
            }
            Edit::Goes => _ = world.despawn(self.shots.pop().unwrap()),
        }
    }

    fn tick(&mut self) {
        self.app.world_mut().run_schedule(PostUpdate);
        self.app.world_mut().clear_trackers();
    }

    fn buoy(&mut self, distance: f64) -> f64 {
        let world = self.app.world_mut();
        let at = |x: f64| {
            // The cell is a whole number; the place in it is an f32.
            let cells = (distance / 10_000.0).round();
            let cell = CellCoord::new(cells as GridPrecision, 0, 0);
            let rest = distance - cells * 10_000.0 + 1_234.567 + x;
            (cell, Transform::from_translation(Vec3::new(rest as f32, 0.0, 0.0)))
        };
        world.entity_mut(self.origin).insert(at(0.0));
        let buoy = world.spawn((at(0.001), GlobalTransform::default(), ChildOf(self.grid))).id();
        self.tick();
        let world = self.app.world();
        let seen = |entity| world.get::<GlobalTransform>(entity).unwrap().translation();
        f64::from((seen(buoy) - seen(self.origin)).x)
    }
}

pub fn print() {
    let mut table = Times::new(&format!("{ENTITIES} entities"), "seen anew", "big_space");
    for children in [false, true] {
        let (mut theirs, mut ours) = (BigSpace::new(children), Ours::new(children));
        for _ in 0..3 {
            theirs.tick();
            ours.tick();
        }
        for (name, edit, count) in EDITS {
            let name = format!("{name}{}", if children { ", each with a child" } else { "" });
            table.row((&name, edit, count), (&mut theirs, &mut ours));
        }
    }
    println!("{}\na millimetre beside the origin, in millimetres:", table.0.text());
    for distance in [1e7, 1e11] {
        let (theirs, ours) = (BigSpace::new(false).buoy(distance), Ours::new(false).buoy(distance));
        println!("  {distance:e} m: big_space {:.6}, ours {:.6}", theirs * 1e3, ours * 1e3);
    }
}

impl<W: World> Side<Edit> for W {
    fn step(&mut self, edit: Edit, number: usize) -> Duration {
        timed(|| {
            self.edit(edit, number);
            self.tick();
        })
    }
}
