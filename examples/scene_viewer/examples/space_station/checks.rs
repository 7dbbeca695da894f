//! What must hold in every tick and in every frame. It panics where it does not.

use std::fmt;

use legion::{Entity, EntityStore};
use legion_transform::{components::Visible, prelude::*};
use legion_transform_testing::{Reference, Setup, motion::mismatch};
use nalgebra::{Matrix3, Matrix4, Vector3};

use crate::{
    scene::{Cast, Power},
    stage::Stage,
    story,
};

/// What a place at this distance from the viewer's frame may be off by: a millionth of a metre, and
/// eight roundings to `f32` on the way down from there: 0.1 mm at 200 m.
fn tolerance(distance: f64) -> f64 {
    1e-6 + 8.0 * 2.0_f64.powi(-24) * distance
}

/// Likewise for an axis, which is 2 long at most.
const AXIS: f64 = 1e-6;

/// Of a tick, by the order of the cast.
#[derive(Default)]
struct Tick {
    matrices: Vec<LocalToWorld>,
    powers: Vec<f32>,
    visible: Vec<bool>,
}

#[derive(Default)]
pub struct Checks {
    last: Tick,
    now: Tick,
    /// Relative to the viewer, in the last tick.
    truth: Vec<Vector3<f64>>,
    /// In the universe, before something is done in a tick.
    before: Vec<Matrix4<f64>>,
    rebased: Picture,
    one_chain: Picture,
    ticks: u32,
    frames: u32,
    /// How far the ship is moved by docking and leaving.
    relinked: f64,
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
    /// Between what moves by itself and what is done in a tick.
    pub fn before(&mut self, stage: &Stage) {
        self.before = places(stage, &reference(stage, None));
    }

    /// What is done moves nobody: who gets another parent stays in place.
    pub fn after(&mut self, stage: &Stage) {
        let Cast { all, viewer, ship, .. } = &stage.cast;
        let reference = reference(stage, None);
        let origin = place(&reference, reference.parent(*viewer).expect("the station or the ship"));
        let places = self.before.iter().zip(places(stage, &reference));
        for ((name, entity), (before, after)) in all.iter().zip(places) {
            let distance = (after - origin).column(3).norm();
            let moved = (after - before).column(3).norm();
            assert!(moved <= tolerance(distance), "{name} is moved by {moved} m");
            let turned = (after - before).fixed_view::<3, 3>(0, 0).amax();
            assert!(turned <= AXIS, "{name} is turned by {turned}");
            if entity == ship {
                self.relinked = self.relinked.max(moved);
            }
        }
    }

    /// After a tick.
    pub fn tick(&mut self, stage: &Stage, time: f64) {
        self.ticks += 1;
        self.last = std::mem::replace(&mut self.now, Tick::of(stage));
        let Cast { all, viewer, ship, .. } = &stage.cast;
        let from_viewer = reference(stage, Some(*viewer));
        from_viewer
            .check(&stage.world)
            .unwrap_or_else(|mismatch| panic!("at {time} s: {mismatch}"));
        let places = places(stage, &from_viewer);
        for ((name, _), (expected, matrix)) in all.iter().zip(places.iter().zip(&self.now.matrices))
        {
            let error = (expected - matrix.cast::<f64>()).abs();
            let off = error.column(3).norm();
            let distance = expected.column(3).xyz().norm();
            assert!(off <= tolerance(distance), "{name} is off by {off} m at {time} s");
            let axes = error.fixed_view::<3, 3>(0, 0).amax();
            assert!(axes <= AXIS, "an axis of {name} is off by {axes} at {time} s");
        }
        let viewer = place(&from_viewer, *viewer).column(3).xyz();
        self.truth = places.iter().map(|place| place.column(3).xyz() - viewer).collect();
        let ship = place(&reference(stage, None), *ship).column(3).xyz();
        let off = (ship - story::ship(time).translation.vector).norm();
        assert!(off < 1e-6, "the ship is {off} m from its way");
        self.label(stage);
        self.changes(stage);
    }

    /// The label stands upright over the mast, as far as ever, however the hull rolls.
    fn label(&self, stage: &Stage) {
        let [label, mast] = [stage.cast.label, stage.cast.mast].map(|wanted| {
            let place = stage.cast.all.iter().position(|(_, entity)| *entity == wanted);
            self.now.matrices[place.expect("both are in the cast")]
        });
        assert_eq!(label.fixed_view::<3, 3>(0, 0), Matrix3::identity());
        let over = (label.position() - mast.position()).cast::<f64>();
        let distance = label.position().coords.cast::<f64>().norm();
        assert!((over - Vector3::new(0.0, 26.0, 0.0)).norm() <= tolerance(distance), "{over}");
    }

    /// The lists of changes name those whose value is another one, and nobody else. They are in the
    /// order in which all were spawned, as the cast is.
    fn changes(&mut self, stage: &Stage) {
        let resources = stage.resources.get::<TransformChanges>();
        let changes = resources.as_ref().expect("the bundle tracks changes").of(&stage.world);
        if changes.begins_anew() {
            return;
        }
        let (last, now) = (&self.last, &self.now);
        let whose = |is_another: &dyn Fn(usize) -> bool| -> Vec<Entity> {
            let all = stage.cast.all.iter().enumerate().filter(|(i, _)| is_another(*i));
            all.map(|(_, &(_, entity))| entity).collect()
        };
        let powers = whose(&|i| last.powers[i] != now.powers[i]);
        assert_eq!(changes.effective::<Power>(), powers);
        assert_eq!(changes.effective::<Visible>(), whose(&|i| last.visible[i] != now.visible[i]));
        self.powers += powers.len();
    }

    /// A frame lies between the two ticks around it, and is the later one at alpha 1, bit for bit.
    pub fn frame(&mut self, stage: &Stage, alpha: f32) {
        self.frames += 1;
        for (i, &(name, entity)) in stage.cast.all.iter().enumerate() {
            let to = &self.now.matrices[i];
            // In the first tick everybody comes, from nowhere.
            let from = self.last.matrices.get(i).unwrap_or(to);
            for alpha in [0.0, alpha, 1.0] {
                let drawn = stage.smooth.matrix(&stage.world, entity, alpha).expect("it is alive");
                assert_eq!(mismatch(from, to, alpha, &drawn), None, "{name}");
            }
        }
    }

    /// What is drawn. `is_tick` if the frame shows a tick, so that it is known where everything is.
    pub fn pictures(&mut self, pictures: [&[Matrix4<f32>]; 2], is_tick: bool) {
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

impl Tick {
    fn of(stage: &Stage) -> Self {
        let mut tick = Self::default();
        for &(name, entity) in &stage.cast.all {
            let entry = stage.world.entry_ref(entity).expect(name);
            tick.matrices.push(*entry.get_component().expect(name));
            tick.powers.push(entry.get_component::<Effective<Power>>().expect(name).0);
            tick.visible.push(entry.get_component::<Effective<Visible>>().expect(name).0);
        }
        tick
    }
}

/// Where all should be, in `f64`, seen from the frame that an entity stands in, or from the
/// universe. And what is inherited.
fn reference(stage: &Stage, origin: Option<Entity>) -> Reference {
    let setup = Setup::default().inherit::<Power>().inherit::<Visible>().large_worlds(origin);
    Reference::with(&stage.world, &setup)
}

fn place(reference: &Reference, entity: Entity) -> Matrix4<f64> {
    reference.world(entity).expect("all of the cast have matrices").value
}

/// By the order of the cast.
fn places(stage: &Stage, reference: &Reference) -> Vec<Matrix4<f64>> {
    stage.cast.all.iter().map(|&(_, entity)| place(reference, entity)).collect()
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
        writeln!(f, "docking and leaving move the ship by {:.7} m at most", self.relinked)?;
        writeln!(f, "{} values of power have changed, and nothing else did", self.powers)
    }
}
