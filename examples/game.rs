//! A small game: a robot with a skeleton walks round a field, picks up melons, and drops them on a
//! wagon; a camera follows it; a renderer keeps its buffers in step. The game is saved halfway,
//! loaded, and played on; mistakes and failed edits are shown. Each part asserts what came of it.
//!
//! ```sh
//! cargo run --example game --features serde
//! ```

use std::collections::HashMap;

use legion::{
    serialize::{Canon, EntityName},
    storage::ArchetypeIndex,
    systems::CommandBuffer,
    world::SubWorld,
    *,
};
use legion_transform::{
    ecosystem::serde::{load, register_components},
    edit::{EditError, FailedEdits},
    findings::FindingKind,
    prelude::*,
    query::QueryError,
};
use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize, de::Error as _};

/// Seconds a frame.
const STEP: f32 = 1.0 / 30.0;
/// Metres a second, and how near the hand must come.
const SPEED: f32 = 2.0;
const REACH: f32 = 0.9;
/// Of a melon.
const SIZE: f32 = 0.3;

/// What the robot does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Task {
    Fetch(Entity),
    Bring(Entity),
    Rest,
}

/// The robot: its hand, the wagon, and what it is to fetch.
#[derive(Clone, Serialize, Deserialize)]
struct Robot {
    hand: Entity,
    wagon: Entity,
    task: Task,
    /// The next ones, the last first.
    list: Vec<Entity>,
}

/// A bone that swings about its x axis while the robot walks.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Swing {
    angle: f32,
    phase: f32,
}

/// A camera looks at this entity from this place behind it.
#[derive(Clone, Serialize, Deserialize)]
struct Follow {
    target: Entity,
    from: Point3<f32>,
}

/// What is fetched.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Melon;

/// Everything with it is drawn.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Mesh;

/// Seconds since the beginning.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Clock(f32);

read_transforms! {
    /// Walks towards what the task names, takes it into the hand there, or drops it.
    #[system(for_each)]
    #[read_component(Melon)]
    fn work(
        body: &Entity,
        robot: &mut Robot,
        world: &SubWorld<'_>,
        commands: &mut CommandBuffer,
    ) {
        let query = TransformQuery::new(world);
        let goal = match robot.task {
            Task::Fetch(melon) => melon,
            Task::Bring(_) => robot.wagon,
            Task::Rest => return,
        };
        let (Ok(here), Ok(there)) = (query.position(*body), query.position(goal)) else {
            // A crow has eaten it: the next one.
            robot.task = robot.list.pop().map_or(Task::Rest, Task::Fetch);
            return;
        };
        let way = Vector3::new(there.x - here.x, 0.0, there.z - here.z);
        if way.norm() > REACH {
            commands.look_at(*body, Point3::new(there.x, here.y, there.z), Vector3::y());
            commands.translate(*body, way.normalize() * (SPEED * STEP).min(way.norm()));
            return;
        }
        robot.task = match robot.task {
            Task::Fetch(melon) => {
                commands.set_parent(melon, robot.hand);
                let in_hand = Transform::from_xyz(0.0, -0.2, 0.1).with_scale([SIZE; 3]);
                commands.set_transform(melon, in_hand);
                Task::Bring(melon)
            }
            Task::Bring(melon) => {
                // It stays where it was let go, and goes with the wagon from now on.
                commands.set_parent(melon, robot.wagon);
                robot.list.pop().map_or(Task::Rest, Task::Fetch)
            }
            Task::Rest => Task::Rest,
        };
    }
}

/// Arms and legs swing.
#[system(for_each)]
fn swing(rotation: &mut Rotation, swing: &Swing, #[resource] clock: &Clock) {
    let angle = swing.angle * (6.0 * clock.0 + swing.phase).sin();
    *rotation = Rotation::from_rotation_x(angle);
}

read_transforms! {
    /// The camera goes a tenth of its way each frame.
    #[system(for_each)]
    fn follow(camera: &Entity, follow: &Follow, world: &SubWorld<'_>, commands: &mut CommandBuffer) {
        let query = TransformQuery::new(world);
        let (Ok(target), Ok(here)) =
            (query.local_to_world(follow.target), query.position(*camera))
        else {
            return;
        };
        commands.translate(*camera, (target * follow.from - here) * 0.1);
        commands.look_at(*camera, target.position(), Vector3::y());
    }
}

/// A buffer for each archetype, as a renderer has them on the GPU.
#[derive(Default)]
struct Buffers {
    instances: HashMap<ArchetypeIndex, Vec<LocalToWorld>>,
    copied: usize,
}

/// Copies what changed, and nothing else.
#[system]
#[read_component(LocalToWorld)]
fn upload(
    world: &SubWorld<'_>,
    #[resource] changes: &TransformChanges,
    #[resource] buffers: &mut Buffers,
) {
    for chunk in <&LocalToWorld>::query().filter(component::<Mesh>()).iter_chunks(world) {
        let Some(rows) = changes.of(world).archetype(chunk.archetype().index()) else { continue };
        let buffer = buffers.instances.entry(rows.archetype()).or_default();
        buffers.copied += rows.copy(chunk.component_slice::<LocalToWorld>().unwrap(), buffer);
    }
}

/// What went wrong, for the screen: each mistake once, and each edit that failed.
#[derive(Default)]
struct Messages(Vec<String>);

#[system]
#[read_component(LocalToWorld)] // Legion wants one for a `SubWorld`
fn show(
    world: &SubWorld<'_>,
    #[resource] findings: &Findings,
    #[resource] failed: &mut FailedEdits,
    #[resource] messages: &mut Messages,
) {
    let new = findings.of(world).map(|finding| finding.to_string());
    for text in new.chain(failed.drain().map(|error| error.to_string())) {
        if !messages.0.contains(&text) {
            messages.0.push(text);
        }
    }
}

struct Game {
    world: World,
    resources: Resources,
    schedule: Schedule,
    robot: Entity,
}

impl Game {
    fn new(world: World, robot: Entity, clock: Clock) -> Self {
        let mut resources = Resources::default();
        resources.insert(clock);
        resources.insert(Messages::default());
        resources.insert(Buffers::default());
        let bundle = TransformSystemBundle::default().print_findings(false).track_changes();
        bundle.insert_resources(&mut resources);
        let schedule = Schedule::builder()
            .add_system(show_system())
            .add_system(work_system())
            .add_system(swing_system())
            .flush() // the robot has moved when the camera looks at it
            .add_system(follow_system())
            .add_transforms(bundle)
            .add_system(upload_system())
            .build();
        Self { world, resources, schedule, robot }
    }

    fn play(&mut self, seconds: f32) {
        for _ in 0..(seconds / STEP).round() as usize {
            self.resources.get_mut::<Clock>().unwrap().0 += STEP;
            self.schedule.execute(&mut self.world, &mut self.resources);
            self.check_buffers();
        }
    }

    /// The renderer has every matrix, bit for bit.
    fn check_buffers(&self) {
        let buffers = self.resources.get::<Buffers>().unwrap();
        for chunk in <&LocalToWorld>::query().filter(component::<Mesh>()).iter_chunks(&self.world) {
            let index = chunk.archetype().index();
            let buffer = buffers.instances.get(&index).map_or(&[][..], Vec::as_slice);
            assert_eq!(buffer, chunk.component_slice::<LocalToWorld>().unwrap());
        }
    }

    fn task(&self) -> Task {
        let robot = self.world.entry_ref(self.robot).unwrap();
        robot.get_component::<Robot>().unwrap().task.clone()
    }

    fn at(&self, entity: Entity) -> Result<Point3<f32>, QueryError> {
        Ok(LocalToWorld::of(&self.world, entity)?.position())
    }
}

/// A torso with two legs, and an arm of two bones with a hand.
fn build_robot(world: &mut World, wagon: Entity, mut list: Vec<Entity>) -> Entity {
    let mut hand = None;
    let task = list.pop().map_or(Task::Rest, Task::Fetch);
    let body = world.push_tree((Translation::new(0.0, 1.0, 0.0), Rotation::identity()), |body| {
        for (side, phase) in [(-0.2, 0.0), (0.2, std::f32::consts::PI)] {
            let thigh = (Translation::new(side, 0.0, 0.0), Rotation::identity());
            body.push_child_tree((thigh.0, thigh.1, Swing { angle: 0.5, phase }), |thigh| {
                thigh.push_child((Translation::new(0.0, -0.5, 0.0), Mesh));
            });
        }
        let shoulder = Translation::new(0.3, 0.5, 0.0);
        let swing = Swing { angle: 0.2, phase: 0.0 };
        body.push_child_tree((shoulder, Rotation::identity(), swing), |upper| {
            let elbow = Rotation::from_rotation_x(-1.2);
            upper.push_child_tree((Translation::new(0.0, -0.4, 0.0), elbow), |lower| {
                hand = Some(lower.push_child((Translation::new(0.0, -0.4, 0.0),)));
            });
        });
    });
    let robot = Robot { hand: hand.expect("it was pushed"), wagon, task, list };
    world.entry(body).unwrap().add_component(robot);
    body
}

#[derive(Serialize, Deserialize)]
struct Saved {
    robot: EntityName,
    clock: Clock,
    world: Vec<u8>,
}

fn registry() -> Registry<String> {
    let mut registry = Registry::default();
    register_components(&mut registry);
    registry.register::<Robot>("Robot".into());
    registry.register::<Swing>("Swing".into());
    registry.register::<Follow>("Follow".into());
    registry.register::<Melon>("Melon".into());
    registry.register::<Mesh>("Mesh".into());
    registry
}

fn save(game: &Game) -> postcard::Result<Vec<u8>> {
    let names = Canon::default();
    let world = postcard::to_stdvec(&game.world.as_serializable(any(), &registry(), &names))?;
    let robot = names.get_name(game.robot).expect("the robot is in the world");
    let clock = *game.resources.get::<Clock>().unwrap();
    postcard::to_stdvec(&Saved { robot, clock, world })
}

fn open(bytes: &[u8]) -> postcard::Result<Game> {
    let saved: Saved = postcard::from_bytes(bytes)?;
    let names = Canon::default();
    let mut world = postcard::Deserializer::from_bytes(&saved.world);
    let world = load(&registry(), &names, &mut world)?;
    let robot = names.get_id(&saved.robot).ok_or(postcard::Error::custom("of no robot"))?;
    Ok(Game::new(world, robot, saved.clock))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::default();
    let wagon = (Translation::new(0.0, 0.0, -4.0), Rotation::identity(), Mesh);
    let wagon = world.push_transform(wagon);
    let places = [(6.0, 0.0), (5.0, 5.0), (-5.0, 3.0)];
    let melon = |(x, z)| (Translation::new(x, 0.2, z), Scale(SIZE), Melon, Mesh);
    let melons = world.extend_transforms(places.map(melon));
    let robot = build_robot(&mut world, wagon, melons.iter().rev().copied().collect());
    let from = Point3::new(0.0, 3.0, -6.0);
    let eye = (Transform::from_xyz(0.0, 4.0, -9.0), Follow { target: robot, from });
    let camera = world.push_transform(eye);
    let mut game = Game::new(world, robot, Clock::default());

    // The robot goes to the first melon, and takes it.
    game.play(3.0);
    assert_eq!(game.task(), Task::Bring(melons[0]));
    let walk = Walk::new(&game.world)?;
    assert!(walk.ancestors(melons[0]).any(|entity| entity == robot), "it is in the hand");
    println!("the melon is at {:.2} in the hand", game.at(melons[0])?);

    // It drops it on the wagon, where it stays in place; the wagon takes it along.
    game.play(3.5);
    assert_eq!(game.task(), Task::Fetch(melons[1]));
    let (before, size) = (game.at(melons[0])?, LocalToWorld::of(&game.world, melons[0])?.scale());
    assert!((size.0 - Vector3::repeat(SIZE)).norm() < 1e-4, "it has kept its size: {size:?}");
    game.world.translate(wagon, Vector3::new(0.0, 0.0, -1.0))?;
    game.play(STEP);
    assert!((game.at(melons[0])? - before - Vector3::new(0.0, 0.0, -1.0)).norm() < 1e-4);

    // The camera looks at the robot.
    let eye = LocalToWorld::of(&game.world, camera)?;
    let towards = (game.at(robot)? - eye.position()).normalize();
    assert!((eye.forward() - towards).norm() < 1e-3, "{:?}", eye.forward());

    // A crow eats the second melon; the robot goes to the third. The game is saved then.
    assert_eq!(game.world.despawn_subtree(melons[1]), 1);
    assert_eq!(
        game.world.set_parent(robot, robot),
        Err(EditError::Cycle { child: robot, parent: robot })
    );
    game.play(1.0);
    assert_eq!(game.task(), Task::Fetch(melons[2]));
    let bytes = save(&game)?;
    println!("{} entities are saved in {} bytes", game.world.len(), bytes.len());

    // Loaded, it goes on as the first one does.
    let mut loaded = open(&bytes)?;
    game.play(12.0);
    loaded.play(12.0);
    assert_eq!((game.task(), loaded.task()), (Task::Rest, Task::Rest));
    assert_eq!(game.at(game.robot)?, loaded.at(loaded.robot)?);
    let on_wagon = Walk::new(&game.world)?.children(wagon).count();
    assert_eq!(on_wagon, 2, "the first and the third");
    let copied = loaded.resources.get::<Buffers>().unwrap().copied;
    println!("{copied} matrices were copied to the renderer in 360 frames");

    // Mistakes are shown with what to do, and so is an edit that failed.
    assert_eq!(game.resources.get::<Messages>().unwrap().0, [""; 0], "none so far");
    game.world.push((Translation::identity(),)); // by Legion's own `push`, without a matrix
    let mut commands = CommandBuffer::new(&game.world);
    commands.set_parent(melons[1], robot);
    commands.flush(&mut game.world, &mut game.resources);
    game.play(3.0 * STEP);
    let findings = game.resources.get::<Findings>().unwrap();
    assert!(findings.of(&game.world).any(|it| it.kind == FindingKind::MissingLocalToWorld));
    let messages = game.resources.get::<Messages>().unwrap();
    messages.0.iter().for_each(|message| println!("! {message}"));
    assert_eq!(messages.0.len(), 2);
    Ok(())
}
