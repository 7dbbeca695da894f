//! What must hold in every tick and in every frame. It panics where it does not.

use std::fmt;

use legion::EntityStore;
use legion_transform::{components::Visible, prelude::*};
use nalgebra::{Matrix3, Matrix4, Rotation3, UnitQuaternion, Vector3};

use crate::{
    reference::{Place, Reference},
    scene::Power,
    stage::Stage,
    story,
};

/// What a place at this distance from the viewer's frame may be off by: a millionth of a metre, and
/// eight roundings to `f32` on the way down from there: 0.1 mm at 200 m.
fn tolerance(distance: f64) -> f64 {
    1e-6 + 8.0 * 2.0_f64.powi(-24) * distance
}

/// Likewise for an axis, which is 2 long at most, and for an angle.
const AXIS: f64 = 1e-6;
const ANGLE: f64 = 2e-6;

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
    /// Before something is done in a tick.
    before: Vec<Place>,
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
        self.before = places(stage);
    }

    /// What is done moves nobody: who gets another parent stays in place.
    pub fn after(&mut self, stage: &Stage) {
        let origin = Reference::new(&stage.world, stage.cast.viewer).origin;
        for ((name, entity), (before, after)) in
            stage.cast.all.iter().zip(self.before.iter().zip(places(stage)))
        {
            let moved = (after.position - before.position).norm();
            let distance = (after.position - origin.position).norm();
            assert!(moved <= tolerance(distance), "{name} is moved by {moved} m");
            let turned = (after.axes - before.axes).amax();
            assert!(turned <= AXIS, "{name} is turned by {turned}");
            if *entity == stage.cast.ship {
                self.relinked = self.relinked.max(moved);
            }
        }
    }

    /// After a tick.
    pub fn tick(&mut self, stage: &Stage, time: f64) {
        self.ticks += 1;
        let now = Tick::of(stage);
        self.last = std::mem::replace(&mut self.now, now);
        let reference = Reference::new(&stage.world, stage.cast.viewer);
        let viewer = reference.place(stage.cast.viewer).seen_from(&reference.origin);
        self.truth.clear();
        for (i, &(name, entity)) in stage.cast.all.iter().enumerate() {
            let expected = reference.place(entity).seen_from(&reference.origin);
            let error = (expected.to_matrix() - self.now.matrices[i].cast::<f64>()).abs();
            let distance = expected.position.norm();
            let off = error.column(3).norm();
            assert!(off <= tolerance(distance), "{name} is off by {off} m at {time} s");
            let axes = error.fixed_view::<3, 3>(0, 0).amax();
            assert!(axes <= AXIS, "an axis of {name} is off by {axes} at {time} s");
            self.truth.push(expected.position - viewer.position);
            let power = f64::from(self.now.powers[i]);
            assert!((power - reference.power(entity)).abs() < 1e-6, "{name} has {power}");
            assert_eq!(self.now.visible[i], reference.is_visible(entity), "{name}");
        }
        let off = reference.place(stage.cast.ship).position - story::ship(time).translation.vector;
        assert!(off.norm() < 1e-6, "the ship is {} m from its way", off.norm());
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
        let Tick { powers, visible, .. } = &self.last;
        let mut expected = [Vec::new(), Vec::new()];
        for (i, &(_, entity)) in stage.cast.all.iter().enumerate() {
            if powers[i] != self.now.powers[i] {
                expected[0].push(entity);
            }
            if visible[i] != self.now.visible[i] {
                expected[1].push(entity);
            }
        }
        assert_eq!(changes.effective::<Power>(), expected[0]);
        assert_eq!(changes.effective::<Visible>(), expected[1]);
        self.powers += expected[0].len();
    }

    /// A frame lies between the two ticks around it, and is the later one at alpha 1, bit for bit.
    pub fn frame(&mut self, stage: &Stage, alpha: f32) {
        self.frames += 1;
        for (i, &(name, entity)) in stage.cast.all.iter().enumerate() {
            let at = |alpha| stage.smooth.matrix(&stage.world, entity, alpha).expect("it is alive");
            let to = &self.now.matrices[i];
            assert_eq!(bits(&at(1.0)), bits(to), "{name} does not end at the tick");
            // In the first tick everybody comes, from nowhere.
            let from = self.last.matrices.get(i).unwrap_or(to);
            assert_eq!(bits(&at(0.0)), bits(from), "{name} does not begin at the tick before");
            is_between(name, [from, &at(alpha), to], alpha.into());
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

fn places(stage: &Stage) -> Vec<Place> {
    let reference = Reference::new(&stage.world, stage.cast.viewer);
    stage.cast.all.iter().map(|&(_, entity)| reference.place(entity)).collect()
}

fn bits(matrix: &LocalToWorld) -> Vec<u32> {
    matrix.iter().map(|number| number.to_bits()).collect()
}

/// Places go straight, rotations the shorter way round, both at an even pace.
fn is_between(name: &str, matrices: [&LocalToWorld; 3], alpha: f64) {
    let [from, drawn, to] = matrices.map(|matrix| matrix.position().coords.cast::<f64>());
    let off = (from.lerp(&to, alpha) - drawn).norm();
    assert!(off <= tolerance(from.norm().max(to.norm())), "{name} is {off} m from its way");
    let [from, drawn, to] = matrices.map(rotation);
    let whole = from.angle_to(&to);
    for (angle, part) in [(from.angle_to(&drawn), alpha), (drawn.angle_to(&to), 1.0 - alpha)] {
        let off = (angle - part * whole).abs();
        assert!(off <= ANGLE, "{name} is turned {off} from its way");
    }
}

/// Of a matrix whose scale is the same along all axes, as all are here.
fn rotation(matrix: &LocalToWorld) -> UnitQuaternion<f64> {
    let mut axes: Matrix3<f64> = matrix.cast::<f64>().fixed_view::<3, 3>(0, 0).into_owned();
    axes.column_iter_mut().for_each(|mut axis| _ = axis.normalize_mut());
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
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
