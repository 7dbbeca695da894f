//! A world, the schedule of its ticks, and the frames between them.

use std::error::Error;

use legion::{Resources, Schedule, World};
use legion_transform::{components::Visible, frames::Origin, prelude::*, smooth::Smooth};
use nalgebra::Matrix4;

use crate::{
    scene::{self, Cast, Numbers, Power},
    story,
};

pub struct Stage {
    numbers: Numbers,
    pub world: World,
    pub cast: Cast,
    pub resources: Resources,
    smooth: Smooth,
    schedule: Schedule,
}

impl Stage {
    pub fn new(numbers: Numbers) -> Self {
        let (mut world, mut resources) = (World::default(), Resources::default());
        let mut bundle = TransformSystemBundle::default()
            .inherit::<Power>()
            .inherit::<Visible>()
            .track_changes();
        if numbers == Numbers::Frames {
            bundle = bundle.large_worlds();
        }
        bundle.insert_resources(&mut resources);
        let schedule = Schedule::builder().add_transforms(bundle).build();
        let cast = scene::build(&mut world, numbers);
        // Of the frame that he stands in: the station's, later the ship's.
        resources.insert(Origin(cast.viewer));
        Self { numbers, world, cast, resources, smooth: Smooth::default(), schedule }
    }

    /// A tick: what moves by itself; power, visibility, other parents; then all matrices.
    pub fn tick(&mut self, time: f64) -> Result<(), Box<dyn Error>> {
        let Self { world, cast, resources, .. } = self;
        story::go(world, cast, self.numbers, time);
        story::act(world, cast, time)?;
        self.schedule.execute(world, resources);
        let changes = resources.get_mut_or_default::<TransformChanges>();
        Ok(self.smooth.tick(world, &changes)?)
    }

    /// What is seen in a frame: all matrices relative to the viewer, by the order of the cast.
    ///
    /// All matrices of a frame come from `Smooth` at one alpha. In the tick in which the origin
    /// becomes another frame, everybody is moved by the same way, the viewer too: nothing is seen
    /// of it. (The two frames are parallel then, as the ship has docked.)
    pub fn seen(&self, alpha: f32) -> Vec<Matrix4<f32>> {
        let matrix = |entity| self.smooth.matrix(&self.world, entity, alpha).unwrap_or_default();
        let viewer = matrix(self.cast.viewer);
        let back = viewer.rotation().inverse().to_homogeneous();
        let seen = |&(_, entity)| {
            let mut matrix = matrix(entity).0;
            // First the difference of the places: both are large in one chain of `f32`.
            for row in 0..3 {
                matrix[(row, 3)] -= viewer[(row, 3)];
            }
            back * matrix
        };
        self.cast.all.iter().map(seen).collect()
    }
}
