//! What must hold in every tick and in every frame. It panics where it does not.

use std::fmt;

use legion_transform::{components::Visible, prelude::*};
use legion_transform_testing::{Reference, Setup};
use nalgebra::{Matrix3, Matrix4, Vector3};

use crate::{
    scene::{Cast, Power},
    stage::Stage,
    story,
};

#[derive(Default)]
pub struct Checks {
    /// Relative to the viewer, in the last tick, by the order of the cast.
    truth: Vec<Vector3<f64>>,
    rebased: Picture,
    one_chain: Picture,
    ticks: u32,
    frames: u32,
    /// How far the ship is from its way, docked or not.
    strayed: f64,
    powers: usize,
}

/// What is seen of one of the two worlds, by the order of the cast.
#[derive(Default)]
struct Picture {
    last: Vec<Matrix4<f32>>,
    /// How far from its place something was seen.
    error: f64,
    /// How far something moved from one frame to the next.
    step: f32,
}

impl Checks {
    /// After a tick. All matrices and what is inherited are compared with the kit's reference, in
    /// `f64` and seen from the frame that the viewer stands in.
    pub fn tick(&mut self, stage: &Stage, time: f64) {
        self.ticks += 1;
        let Cast { all, viewer, ship, .. } = &stage.cast;
        let setup = Setup::default().inherit::<Power>().inherit::<Visible>();
        let from_viewer = setup.clone().large_worlds(Some(*viewer));
        let from_viewer = Reference::with(&stage.world, &from_viewer);
        from_viewer
            .check(&stage.world)
            .unwrap_or_else(|mismatch| panic!("at {time} s: {mismatch}"));
        let place = |reference: &Reference, entity| -> Vector3<f64> {
            let matrix = reference.world(entity).expect("all of the cast have matrices").value;
            matrix.column(3).xyz()
        };
        let viewer = place(&from_viewer, *viewer);
        self.truth = all.iter().map(|&(_, it)| place(&from_viewer, it) - viewer).collect();
        // As seen from the universe: other parents do not move the ship.
        let universe = Reference::with(&stage.world, &setup.large_worlds(None));
        let off = (place(&universe, *ship) - story::ship(time).translation.vector).norm();
        assert!(off < 1e-6, "the ship is {off} m from its way");
        self.strayed = self.strayed.max(off);
        label(stage);
        let changes = stage.resources.get::<TransformChanges>();
        let changes = changes.as_ref().expect("the bundle tracks changes").of(&stage.world);
        if !changes.begins_anew() {
            self.powers += changes.effective::<Power>().len();
        }
    }

    /// What is drawn. `is_tick` if the frame shows a tick, so that it is known where everything is.
    pub fn pictures(&mut self, pictures: [&[Matrix4<f32>]; 2], is_tick: bool) {
        self.frames += 1;
        for (picture, seen) in [&mut self.rebased, &mut self.one_chain].into_iter().zip(pictures) {
            // The sun is too far to be drawn.
            for (i, matrix) in seen.iter().enumerate().skip(1) {
                let place = matrix.column(3).xyz();
                if let Some(last) = picture.last.get(i) {
                    picture.step = picture.step.max((place - last.column(3).xyz()).norm());
                }
                if is_tick {
                    let error = (place.cast::<f64>() - self.truth[i]).norm();
                    picture.error = picture.error.max(error);
                }
            }
            picture.last = seen.to_vec();
        }
    }

    /// Nothing trembles or jumps in the one picture, and everything does in the other.
    pub fn finish(&self) {
        assert!(self.rebased.error < 1e-3 && self.rebased.step < 8.0, "{self}");
        assert!(self.one_chain.error > 30.0 && self.one_chain.step > 30.0, "{self}");
    }
}

/// The label stands upright over the mast, as far as ever, however the hull rolls.
fn label(stage: &Stage) {
    let [label, mast] = [stage.cast.label, stage.cast.mast]
        .map(|it| LocalToWorld::of(&stage.world, it).expect("both are in the cast"));
    assert_eq!(label.fixed_view::<3, 3>(0, 0), Matrix3::identity());
    let over = label.position() - mast.position();
    assert!((over - Vector3::new(0.0, 26.0, 0.0)).norm() <= 1e-3, "{over}");
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ticks, and {} frames between them", self.ticks, self.frames)?;
        for (name, picture) in
            [("frames in f64   ", &self.rebased), ("one chain of f32", &self.one_chain)]
        {
            writeln!(
                f,
                "{name}  off by {:.6} m at most; a part moves by {:.2} m a frame at most",
                picture.error, picture.step
            )?;
        }
        writeln!(f, "the ship is {:.7} m from its way at most, docked or not", self.strayed)?;
        writeln!(f, "{} values of power have changed", self.powers)
    }
}
