//! A random entity below random parents, and an edit of it.

use std::f32::consts::TAU;

use harness::{Rng, TestWorld};
use legion::{Entity, World};
use legion_transform::{
    edit::EditError,
    frames::{Frame, Origin},
    prelude::*,
};
use legion_transform_testing::{
    Kind, Numbers, Snapshot,
    kind::{self, Shape},
};
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};

use crate::random_worlds::bundle;
use harness::user::{
    OwnCompositeRotation, OwnCompositeScale, OwnLocal, OwnParentScaleInverse, OwnRotation,
    OwnWorld, OwnWorldAndRotation,
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Edit {
    SetParent,
    InsertChild,
    RemoveParent,
    DetachChildren,
    /// A pose, and a bottom row that is (0, 0, 0, 1) but for rounding.
    SetWorld(Transform, [f32; 4]),
    SetLocal(Transform),
    /// The same, given as a matrix.
    SetLocalMatrix(Transform),
    Translate(Vector3<f32>),
    Rotate(UnitQuaternion<f32>),
    RotateAround(Point3<f32>, UnitQuaternion<f32>),
    ScaleAround(Point3<f32>, Vector3<f32>),
    LookAt(Point3<f32>, Vector3<f32>),
}

pub struct Case {
    pub test: TestWorld,
    /// None; or a frame far from the origin of the universe, from which the world is seen, and one
    /// beside it.
    pub frames: Vec<Entity>,
    pub entity: Entity,
    pub old: Option<Entity>,
    pub new: Entity,
    pub edit: Edit,
    /// Whether a local transform is set as one of many: updated, or given.
    by_many: Option<bool>,
    pub on_shear: OnShear,
    pub edits: Edits,
    rng: Rng,
    reach: f32,
}

impl Case {
    pub fn new(mut rng: Rng) -> Self {
        let mut test = TestWorld::new(bundle().large_worlds());
        let frames = if rng.one_in(3) { frames(&mut rng, &mut test) } else { Vec::new() };
        // From now on edits know the write groups.
        test.run();
        // How far out places may be.
        let reach = if rng.one_in(3) { 10f32.powi(rng.below(9) as i32 + 3) } else { 1.0 };
        let chain = |rng: &mut Rng, test: &mut TestWorld| {
            let above = frames.get(rng.below(3)).copied();
            match above.filter(|_| rng.one_in(6)) {
                Some(frame) => frame,
                None => chain(rng, test, above, reach),
            }
        };
        let old = (!rng.one_in(5)).then(|| chain(&mut rng, &mut test));
        let new = chain(&mut rng, &mut test);
        let entity = edited(&mut rng, &mut test, old, reach);
        if rng.one_in(2) {
            test.run();
        }
        let on_shear = if rng.one_in(3) { OnShear::WriteMatrix } else { OnShear::Fail };
        let mut edits = Edits::default().on_shear(on_shear);
        if let Some(&frame) = frames.first().filter(|_| rng.one_in(2)) {
            // The frame of what stands in it.
            let deck = test.world.push_child(frame, (Translation::new(1.0, 2.0, 3.0),));
            edits = edits.in_frame(*rng.pick(&[frame, deck]));
        }
        // The frames have flown on since the run, side by side.
        let by = rng.vector(100.0).cast();
        for &frame in &frames {
            let old = test.value::<Frame>(frame);
            test.set(frame, Frame { position: old.position + by, ..old });
        }
        let (edit, by_many) = (Edit::SetParent, None);
        Self { test, frames, entity, old, new, edit, by_many, on_shear, edits, rng, reach }.drawn()
    }

    /// The same world, and another edit.
    fn drawn(mut self) -> Self {
        let is_read = self.rng.one_in(3);
        let rng = &mut self.rng;
        self.edit = edit(rng, self.reach);
        self.by_many = [None, Some(false), Some(true)][rng.below(3)];
        // What it has already is set: nothing changes.
        if let (Edit::SetLocal(to), true) = (&mut self.edit, is_read) {
            *to = Transform::read(&self.test.world, self.entity).unwrap_or(*to);
        }
        self
    }

    /// Another edit of the same entity, before the next run, which may lead back.
    pub fn next(mut self) -> Self {
        // A frame goes below what is in none as the last run saw it.
        if self.test.has::<Frame>(self.entity) {
            self.test.run();
        }
        let parent = self.test.get::<Parent>(self.entity).map(|it| it.0);
        if parent == Some(self.new) && !self.rng.one_in(5) {
            self.new = self.old.unwrap_or(self.new);
        }
        self.old = parent;
        self.drawn()
    }

    pub fn play(&mut self) -> Result<(), EditError> {
        let (world, entity): (&mut World, _) = (&mut self.test.world, self.entity);
        let edits = &self.edits;
        match self.edit {
            Edit::SetParent => edits.set_parent(world, entity, self.new),
            Edit::InsertChild => edits.insert_child(world, self.new, 0, entity),
            Edit::RemoveParent => edits.remove_parent(world, entity),
            Edit::DetachChildren => match self.old {
                Some(parent) => edits.detach_children(world, parent).map(drop),
                None => Ok(()),
            },
            Edit::SetWorld(pose, row) => {
                let mut pose = pose.to_matrix();
                pose.set_row(3, &row.into());
                edits.set_local_to_world(world, entity, pose)
            }
            Edit::SetLocal(to) => {
                let many = match self.by_many {
                    None => return edits.set_transform(world, entity, to),
                    // What cannot be read can be set all the same.
                    Some(true) if Transform::read(world, entity).is_ok() => {
                        edits.update_transforms(world, [entity], |_, it| *it = to)
                    }
                    Some(_) => edits.set_transforms(world, [(entity, to)]),
                };
                many.map_err(|errors| errors.into_iter().next().expect("an error"))
            }
            Edit::SetLocalMatrix(transform) => {
                edits.set_local_to_parent(world, entity, transform.to_matrix())
            }
            Edit::Translate(by) => edits.translate(world, entity, by),
            Edit::Rotate(turn) => edits.rotate(world, entity, turn),
            Edit::RotateAround(point, turn) => edits.rotate_around(world, entity, point, turn),
            Edit::ScaleAround(point, by) => edits.scale_around(world, entity, point, by),
            Edit::LookAt(point, up) => edits.look_at(world, entity, point, up),
        }
    }
}

fn frames(rng: &mut Rng, test: &mut TestWorld) -> Vec<Entity> {
    let x = *rng.pick(&[0.0, 1e7, 1.5e11]);
    let frames = [0.0, 20.0].map(|y| {
        let rotation = UnitQuaternion::new_normalize(rng.quaternion().into_inner().cast());
        let frame =
            Frame { rotation, ..Frame::from_xyz(x, f64::from(rng.float(0.0, 9.0)) + y, 0.0) };
        test.world.push_transform((frame,))
    });
    test.resources.insert(Origin(frames[0]));
    frames.to_vec()
}

/// A place within 9 units, or within as many as `reach`.
fn place(rng: &mut Rng, reach: f32) -> Vector3<f32> {
    let reach = if rng.one_in(2) { reach } else { 9.0 };
    rng.vector(reach.max(9.0))
}

fn edit(rng: &mut Rng, reach: f32) -> Edit {
    let turn = rng.quaternion();
    let point = Point3::from(place(rng, reach));
    match rng.below(17) {
        0..3 => Edit::SetParent,
        3 => Edit::InsertChild,
        4..6 => Edit::RemoveParent,
        6 => Edit::DetachChildren,
        7 => Edit::SetWorld(transform(rng, reach), bottom_row(rng)),
        8 => Edit::SetLocal(transform(rng, reach)),
        9 => Edit::Translate(place(rng, reach)),
        10..12 => Edit::Rotate(turn),
        12 => Edit::RotateAround(point, turn),
        13 => Edit::SetLocalMatrix(transform(rng, reach)),
        14 | 15 => Edit::ScaleAround(point, factors(rng)),
        _ => Edit::LookAt(point, rng.vector(1.0)),
    }
}

/// One number most often, which may mirror; or a mirror of one axis; or any.
fn factors(rng: &mut Rng) -> Vector3<f32> {
    match rng.below(6) {
        0 => Vector3::from_fn(|_, _| size(rng)),
        1 => Vector3::from_fn(|_, _| if rng.one_in(2) { 1.0 } else { -1.0 }),
        _ => Vector3::repeat(size(rng)),
    }
}

/// As an inverse leaves it, in every second case.
fn bottom_row(rng: &mut Rng) -> [f32; 4] {
    let mut off = |step: f32| if rng.one_in(2) { 0.0 } else { rng.float(-step, step) };
    [off(1e-7), off(1e-7), off(1e-7), 1.0 + off(9e-7)]
}

fn transform(rng: &mut Rng, reach: f32) -> Transform {
    let scale = match rng.below(3) {
        0 => Vector3::repeat(size(rng)),
        _ => Vector3::from_fn(|_, _| size(rng)),
    };
    Transform { translation: place(rng, reach), rotation: rng.quaternion(), scale }
}

/// Sizes of all magnitudes, some negative, some 0.
fn size(rng: &mut Rng) -> f32 {
    let size = *rng.pick(&[1.0, 1.0, 0.5, 2.0, 0.01, 3.0, 1.25, 100.0]);
    match rng.below(12) {
        0 => 0.0,
        1 | 2 => -size,
        3 | 4 => rng.float(0.3, 3.0),
        _ => size,
    }
}

fn numbers(rng: &mut Rng, kind: Kind) -> Numbers {
    let first = |values: &[f32]| std::array::from_fn(|i| values.get(i).copied().unwrap_or(0.0));
    match kind {
        Kind::Scale => first(&[size(rng)]),
        Kind::NonUniformScale => first(&[size(rng), size(rng), size(rng)]),
        Kind::Shear => first(rng.vector(0.5).as_slice()),
        Kind::CompositeRotation if !rng.one_in(8) => {
            let turn = rng.quaternion().to_homogeneous();
            let matrix = Matrix4::new_translation(&rng.vector(2.0)) * turn;
            first(matrix.as_slice())
        }
        Kind::CompositeRotation | Kind::CompositeScale | Kind::ParentScaleInverse => {
            let sizes = Vector3::from_fn(|_, _| size(rng));
            let mut matrix = Matrix4::new_nonuniform_scaling(&sizes);
            if rng.one_in(2) {
                matrix = rng.quaternion().to_homogeneous() * matrix;
                matrix.m12 += 0.25;
            }
            first((Matrix4::new_translation(&rng.vector(2.0)) * matrix).as_slice())
        }
        Kind::LocalToWorld | Kind::LocalToParent => {
            first(transform(rng, 9.0).to_matrix().as_slice())
        }
        _ if kind::ROTATION_EULERS.contains(&kind) && rng.one_in(4) => {
            // Many turns, up to a hundred.
            let turns = rng.below(200) as f32 - 100.0;
            let angles = rng.vector(3.0).map(|x| if rng.one_in(2) { x + TAU * turns } else { x });
            first(angles.as_slice())
        }
        _ if kind.shape() == Shape::Vector && rng.one_in(4) => {
            let quarter = std::f32::consts::FRAC_PI_2;
            first(&[quarter * rng.below(3) as f32, -quarter, quarter * rng.below(6) as f32])
        }
        _ => rng.numbers(kind),
    }
}

/// One to three entities below each other; the last one. In a quarter of all, turns stand between
/// scales, of which some have a 0.
fn chain(rng: &mut Rng, test: &mut TestWorld, mut above: Option<Entity>, reach: f32) -> Entity {
    let turns = rng.one_in(4);
    for _ in 0..=rng.below(3) {
        let mut components = Vec::new();
        let mut add = |rng: &mut Rng, kind: Kind, odds: usize| {
            if rng.below(100) < odds {
                components.push((kind, numbers(rng, kind)));
            }
        };
        for (kind, odds) in [
            (Kind::Translation, 80),
            (Kind::Rotation, 50),
            (Kind::NonUniformScale, 15),
            (Kind::CompositeScale, 8),
            (Kind::ScalePivot, 5),
            (Kind::Shear, 5),
        ] {
            add(rng, kind, if turns && odds < 60 { 2 * odds } else { odds });
        }
        far_out(rng, &mut components, reach);
        if turns && rng.one_in(3) {
            let scale = components.iter_mut().find(|it| it.0 == Kind::NonUniformScale);
            scale.into_iter().for_each(|(_, numbers)| numbers[rng.below(3)] = 0.0);
        }
        let is_scaled = components.iter().any(|(kind, _)| *kind == Kind::NonUniformScale);
        if !is_scaled && rng.one_in(2) {
            components.push((Kind::Scale, numbers(rng, Kind::Scale)));
        }
        above = Some(spawn(rng, test, above, components));
    }
    above.expect("at least one")
}

/// Every second translation reaches far.
fn far_out(rng: &mut Rng, components: &mut [(Kind, Numbers)], reach: f32) {
    for (kind, numbers) in components {
        if *kind == Kind::Translation && rng.one_in(2) {
            numbers.iter_mut().for_each(|x| *x *= reach);
        }
    }
}

fn spawn(
    rng: &mut Rng,
    test: &mut TestWorld,
    parent: Option<Entity>,
    mut components: Vec<(Kind, Numbers)>,
) -> Entity {
    components.push((Kind::LocalToWorld, numbers(rng, Kind::LocalToWorld)));
    if parent.is_some() {
        components.push((Kind::LocalToParent, numbers(rng, Kind::LocalToParent)));
    }
    let entity = test.spawn(&components);
    if let Some(parent) = parent {
        test.put(entity, Parent(parent));
        if rng.one_in(8) {
            let parts: [bool; 3] = std::array::from_fn(|_| rng.one_in(2));
            let [translation, rotation, scale] = parts;
            test.put(entity, Inherits { translation, rotation, scale });
        }
    }
    entity
}

/// Any set of components.
fn edited(rng: &mut Rng, test: &mut TestWorld, parent: Option<Entity>, reach: f32) -> Entity {
    let mut components = Vec::new();
    let richness = *rng.pick(&[3, 8, 25]);
    for &kind in Kind::ALL {
        let odds = match kind {
            Kind::LocalToWorld | Kind::LocalToParent | Kind::WorldToLocal | Kind::Inherits => 0,
            Kind::Translation => 85,
            Kind::Rotation => 60,
            Kind::Scale | Kind::NonUniformScale => 35,
            Kind::CompositeRotation | Kind::CompositeScale | Kind::ParentScaleInverse => richness,
            _ => richness,
        };
        if rng.below(100) < odds {
            components.push((kind, numbers(rng, kind)));
        }
    }
    far_out(rng, &mut components, reach);
    let entity = spawn(rng, test, parent, components);
    if rng.one_in(12) {
        match rng.below(7) {
            0 => test.put(entity, OwnWorld(0.0)),
            1 => test.put(entity, OwnLocal(0.0)),
            2 => test.put(entity, OwnRotation(0.0)),
            3 => test.put(entity, OwnCompositeRotation(0.0)),
            4 => test.put(entity, OwnCompositeScale(0.0)),
            5 => test.put(entity, OwnParentScaleInverse(0.0)),
            _ => test.put(entity, OwnWorldAndRotation(0.0)),
        }
    }
    entity
}

/// The entity and what it is below, its new parent, and the entity afterwards.
pub fn story([entity, parent]: [Entity; 2], old: &Snapshot, new: &Snapshot) -> String {
    let mut story = String::new();
    let stages = [("before", entity, old), ("new parent", parent, old), ("after", entity, new)];
    for (name, entity, all) in stages {
        let mut next = Some(entity);
        while let Some(row) = next.and_then(|entity| all.get(entity)) {
            story += &format!("{name} {:?} below {:?}\n", row.entity, row.parent);
            for (kind, numbers) in &row.numbers {
                let len = numbers.iter().rposition(|x| *x != 0.0).map_or(1, |last| last + 1);
                story += &format!("    {kind:?} {:?}\n", &numbers[..len]);
            }
            next = row.parent;
        }
    }
    story
}
