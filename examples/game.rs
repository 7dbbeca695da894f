//! A small game without pictures: two heroes on a turntable pass a gun on, which fires 100 bullets
//! a frame; a camera rides along and aims at a moon; a renderer keeps buffers in step; a game is
//! saved, loaded, and played on.
//!
//! ```text
//! cargo run --release --features serde --example game
//! ```

use std::{collections::HashMap, error::Error};

use legion::{serialize::Canon, storage::ArchetypeIndex, systems::*, world::SubWorld, *};
use legion_transform::{
    ecosystem::serde::{load, register_components},
    prelude::*,
};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Bullets a frame, and the frames that one flies.
const BULLETS: usize = 100;
const LIFE: usize = 10;

/// Where a gun is in a hand.
const GRIP: Vector3<f32> = Vector3::new(0.0, 0.0, 0.3);

/// Everything with it is drawn.
#[derive(Serialize, Deserialize)]
struct Mesh;

/// Radians a frame, about y.
#[derive(Serialize, Deserialize)]
struct Turns(f32);

#[derive(Serialize, Deserialize)]
struct Camera {
    target: Entity,
}

#[derive(Serialize, Deserialize)]
struct Gun;

/// Where bullets come from.
#[derive(Serialize, Deserialize)]
struct Muzzle;

#[derive(Serialize, Deserialize)]
struct Bullet {
    velocity: Vector3<f32>,
    frames: usize,
}

#[system(for_each)]
fn turn(rotation: &mut Rotation, turns: &Turns) {
    *rotation *= Rotation::from_axis_angle(&Vector3::y_axis(), turns.0);
}

/// A gun slides into the hand that has it.
#[system(for_each)]
fn grip(translation: &mut Translation, _: &Gun) {
    *translation += (GRIP - translation.vector) * 0.2;
}

#[system(for_each)]
fn fly(
    entity: &Entity,
    translation: &mut Translation,
    bullet: &mut Bullet,
    commands: &mut CommandBuffer,
) {
    *translation += bullet.velocity;
    bullet.frames -= 1;
    if bullet.frames == 0 {
        commands.remove(*entity);
    }
}

/// Fires from where the muzzles are now, not from where they were in the last frame.
fn fire() -> impl ParallelRunnable {
    let muzzles = <Entity>::query().filter(component::<Muzzle>());
    SystemBuilder::new("fire").read_transforms().with_query(muzzles).build(
        |commands, world, _, muzzles| {
            for &muzzle in muzzles.iter(world) {
                let Ok(muzzle) = TransformQuery::new(world).local_to_world(muzzle) else {
                    continue;
                };
                commands.extend_transforms((0..BULLETS).map(|i| {
                    let velocity = muzzle.forward() + muzzle.right() * (i as f32 - 49.5) * 0.01;
                    (
                        Translation::from(muzzle.position().coords),
                        Bullet { velocity, frames: LIFE },
                        Mesh,
                    )
                }));
            }
        },
    )
}

/// Turns the cameras to where their targets are now.
fn aim() -> impl ParallelRunnable {
    let cameras = <(Entity, &Camera)>::query();
    SystemBuilder::new("aim").read_transforms().with_query(cameras).build(
        |commands, world, _, cameras| {
            for (&camera, Camera { target }) in cameras.iter(world) {
                let Ok(target) = TransformQuery::new(world).local_to_world(*target) else {
                    continue;
                };
                commands.look_at(camera, target.position(), Vector3::y());
            }
        },
    )
}

/// A buffer for each archetype, as a renderer has them on the GPU.
#[derive(Default)]
struct Buffers {
    instances: HashMap<ArchetypeIndex, Vec<LocalToWorld>>,
    copied: usize,
}

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

struct Game {
    world: World,
    resources: Resources,
    schedule: Schedule,
}

impl Game {
    fn new(world: World) -> Self {
        let mut resources = Resources::default();
        resources.insert(Buffers::default());
        let bundle = TransformSystemBundle::default().track_changes();
        bundle.insert_resources(&mut resources);
        let schedule = Schedule::builder()
            .add_system(turn_system())
            .add_system(grip_system())
            .add_system(fly_system())
            .flush() // what they wrote is read next
            .add_system(fire())
            .add_system(aim())
            .add_transforms(bundle)
            .add_system(upload_system())
            .build();
        Self { world, resources, schedule }
    }

    /// Plays some frames, and checks each.
    fn play(&mut self, frames: usize) {
        for _ in 0..frames {
            self.schedule.execute(&mut self.world, &mut self.resources);
            assert!(self.resources.get::<Findings>().unwrap().is_clean(&self.world));
            self.check_cameras();
            self.check_buffers();
        }
    }

    /// Every target is straight ahead: on the camera's z axis.
    fn check_cameras(&self) {
        for (camera, view) in <(&Camera, &WorldToLocal)>::query().iter(&self.world) {
            let target = view.transform_point(&self.matrix(camera.target).position());
            assert!(target.x.abs() < 1e-3 && target.y.abs() < 1e-3 && target.z > 0.0, "{target}");
        }
    }

    /// The renderer has every matrix, bit for bit, and no other.
    fn check_buffers(&self) {
        let buffers = self.resources.get::<Buffers>().unwrap();
        for chunk in <&LocalToWorld>::query().filter(component::<Mesh>()).iter_chunks(&self.world) {
            let buffer =
                buffers.instances.get(&chunk.archetype().index()).map_or(&[][..], Vec::as_slice);
            assert_eq!(buffer, chunk.component_slice::<LocalToWorld>().unwrap());
        }
        assert_eq!(buffers.instances.values().map(Vec::len).sum::<usize>(), self.picture().len());
    }

    fn matrix(&self, entity: Entity) -> LocalToWorld {
        *self.world.entry_ref(entity).unwrap().get_component().unwrap()
    }

    fn bullets(&self) -> usize {
        <&Bullet>::query().iter(&self.world).count()
    }

    /// All that is drawn, in an order that loading does not change.
    fn picture(&self) -> Vec<[[u32; 4]; 4]> {
        let mut drawn = <&LocalToWorld>::query().filter(component::<Mesh>());
        let mut picture: Vec<_> =
            drawn.iter(&self.world).map(|matrix| matrix.map(f32::to_bits).data.0).collect();
        picture.sort_unstable();
        picture
    }
}

fn registry() -> Registry<String> {
    let mut registry = Registry::default();
    register_components(&mut registry);
    registry.register::<Mesh>("Mesh".into());
    registry.register::<Turns>("Turns".into());
    registry.register::<Camera>("Camera".into());
    registry.register::<Gun>("Gun".into());
    registry.register::<Muzzle>("Muzzle".into());
    registry.register::<Bullet>("Bullet".into());
    registry
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut world = World::default();

    // A planet turns, and with it the moon on its orbit, which turns as well.
    let planet = world.push_transform((
        Translation::new(0.0, 30.0, 80.0),
        Rotation::identity(),
        Turns(0.02),
        Mesh,
    ));
    let moon = world.push_child(
        planet,
        (Translation::new(15.0, 0.0, 0.0), Rotation::identity(), Turns(0.1), Scale(0.3), Mesh),
    );

    // Two heroes ride on a turntable. One has a camera at the shoulder, that one and the other a
    // hand each.
    let table = world.push_transform((Rotation::identity(), Turns(0.01), Mesh));
    let heroes =
        world.extend_children(table, [-3.0, 3.0].map(|x| (Translation::new(x, 0.0, 0.0), Mesh)));
    let hands =
        [0, 1].map(|hero| world.push_child(heroes[hero], (Translation::new(0.5, 1.2, 0.0),)));
    let camera = (
        Translation::new(0.0, 2.0, -1.0),
        Rotation::identity(),
        WorldToLocal::identity(),
        Camera { target: moon },
    );
    world.push_child(heroes[0], camera);

    // The gun is in the first one's hand.
    let gun = world.push_child(hands[0], (Translation::from(GRIP), Gun, Mesh));
    world.push_child(gun, (Translation::new(0.0, 0.1, 0.8), Muzzle));

    let mut game = Game::new(world);
    game.play(60);
    assert_eq!(game.bullets(), LIFE * BULLETS, "as many come as go");

    // It changes hands, is seen where it was, and slides from there.
    let before = game.matrix(gun);
    game.world.set_parent(gun, hands[1])?;
    let after = TransformQuery::new(&game.world).local_to_world(gun)?;
    assert!((before.0 - after.0).amax() < 1e-5, "it did not jump");
    game.play(60);
    let in_hand = TransformQuery::new(&game.world).local_to_parent(gun)?.position();
    assert!((in_hand.coords - GRIP).norm() < 1e-3);

    // The game is saved, and loaded under other names. Both go on, and show the same, bit for bit.
    let save =
        serde_json::to_string(&game.world.as_serializable(any(), &registry(), &Canon::default()))?;
    let mut json = serde_json::Deserializer::from_str(&save);
    let mut loaded = Game::new(load(&registry(), &Canon::default(), &mut json)?);
    game.play(60);
    loaded.play(60);
    assert_eq!(game.picture(), loaded.picture());

    // Once the gun is gone, with the muzzle on it, so are the bullets before long.
    assert_eq!(game.world.despawn_subtree(gun), 2);
    game.play(10);
    assert_eq!((game.bullets(), game.picture().len()), (0, 5));

    let (copied, size) = (game.resources.get::<Buffers>().unwrap().copied, save.len() / 1000);
    println!("190 frames: 18,000 bullets fired, {copied} matrices copied to the renderer.");
    println!("The gun changed hands without a jump, the camera had the moon ahead in every frame,");
    println!(
        "and the game that was loaded from {size} kB of JSON went on like the one that was saved."
    );
    Ok(())
}
