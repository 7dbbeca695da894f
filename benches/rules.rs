//! Each rule in its commonest company, where all entities change or one in a hundred, beside a loop
//! over Legion's columns with nalgebra: what a user would write by hand for these very components.
//! That loop does not ask what has changed.
//!
//! The loop is timed, and the run on one thread; not the edit before them. A line has the share of
//! the loop that the run takes, and the loop's time before the run's:
//!
//! ```text
//!  rules/angles/100000/all: 0.49 (minima), 0.50 (medians), 1840.00 and 900.00 us, ...
//! ```

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use legion::{Entity, IntoQuery, Resources, Schedule, World, world::EntityHasher};
use legion_transform::{components::*, prelude::*, spawn::ComponentTuple};
use nalgebra::{Isometry3, Matrix3, Matrix4, UnitQuaternion, Vector3};

use crate::{
    harness::{Bench, is_full},
    workloads::bundle,
};

/// How many children a parent has.
const FAMILY: usize = 64;

struct Rule {
    name: &'static str,
    /// Spawns this many entities, as roots or below parents.
    spawn: fn(&mut World, usize),
    /// Changes the entities of a tick: one in so many.
    edit: fn(&mut World, usize),
    /// Writes all matrices by hand.
    by_hand: fn(&mut World, &Parents),
}

/// A rule of entities that move.
const fn rule(
    name: &'static str,
    spawn: fn(&mut World, usize),
    by_hand: fn(&mut World, &Parents),
) -> Rule {
    Rule { name, spawn, edit: move_all, by_hand }
}

/// The matrices of the parents, and their scales, as a program of its own would keep them.
type Parents = HashMap<Entity, Above, EntityHasher>;

type Above = (Matrix4<f32>, Vector3<f32>);

/// The columns of `T R S`.
type Body<'a> = (&'a Translation, &'a Rotation, &'a NonUniformScale);

/// The columns that each child has.
type Child<'a> = (&'a mut LocalToWorld, &'a mut LocalToParent, &'a Parent);

const RULES: [Rule; 10] = [
    rule(
        "plain",
        |world, n| roots(world, n, body),
        |world, _| {
            <(&mut LocalToWorld, Body<'_>)>::query()
                .for_each_mut(world, |(matrix, body)| matrix.0 = trs(body));
        },
    ),
    Rule {
        edit: turn_angles,
        ..rule(
            "angles",
            |world, n| roots(world, n, |i| (place(i), turn(i), angles(i))),
            |world, _| {
                <(&mut LocalToWorld, &mut Rotation, &Translation, &RotationEulerXYZ)>::query()
                    .for_each_mut(world, |(matrix, r, t, angles)| {
                        r.0 = xyz(angles);
                        matrix.0 = tr(t, r);
                    });
            },
        )
    },
    rule(
        "pivot",
        |world, n| {
            let pivot = RotationPivot::new(0.5, 0.0, 0.25);
            roots(world, n, |i| (place(i), turn(i), CompositeRotation::identity(), pivot));
        },
        |world, _| {
            type Inputs<'a> = (&'a Translation, &'a Rotation, &'a RotationPivot);
            <(&mut LocalToWorld, &mut CompositeRotation, Inputs<'_>)>::query().for_each_mut(
                world,
                |(matrix, composite, (t, r, pivot))| {
                    composite.0 = about(&pivot.0, r.0.to_homogeneous());
                    matrix.0 = t.to_homogeneous() * composite.0;
                },
            );
        },
    ),
    Rule {
        edit: |world, step| {
            <&mut NonUniformScale>::query().iter_mut(world).step_by(step).for_each(|s| s.0.x += 0.5)
        },
        ..rule(
            "shear",
            |world, n| {
                let (pivot, shear) = (ScalePivot::new(0.5, 0.0, 0.25), Shear::new(0.1, 0.2, 0.3));
                roots(world, n, |i| (place(i), size(i), CompositeScale::identity(), pivot, shear));
            },
            |world, _| {
                type Inputs<'a> = (&'a Translation, &'a NonUniformScale, &'a ScalePivot, &'a Shear);
                <(&mut LocalToWorld, &mut CompositeScale, Inputs<'_>)>::query().for_each_mut(
                    world,
                    |(matrix, composite, (t, s, pivot, shear))| {
                        let mut k = Matrix4::identity();
                        (k.m12, k.m13, k.m23) = (shear.x, shear.y, shear.z);
                        composite.0 = about(&pivot.0, k * scaling(s));
                        matrix.0 = t.to_homogeneous() * composite.0;
                    },
                );
            },
        )
    },
    rule(
        "composite",
        |world, n| roots(world, n, |i| (place(i), CompositeRotation(turn(i).to_homogeneous()))),
        |world, _| {
            <(&mut LocalToWorld, &Translation, &CompositeRotation)>::query()
                .for_each_mut(world, |(matrix, t, r)| matrix.0 = t.to_homogeneous() * r.0);
        },
    ),
    rule(
        "child/plain",
        |world, n| children(world, n, body),
        |world, parents| trs_by_hand(world, parents, |above, local| above * local),
    ),
    Rule {
        edit: turn_angles,
        ..rule(
            "child/angles",
            |world, n| children(world, n, |i| (place(i), turn(i), angles(i))),
            |world, parents| {
                let mut family = Family::of(parents);
                <(Child<'_>, &mut Rotation, &Translation, &RotationEulerXYZ)>::query()
                    .for_each_mut(world, |((matrix, local, parent), r, t, angles)| {
                        r.0 = xyz(angles);
                        local.0 = tr(t, r);
                        matrix.0 = family.find(parent).0 * local.0;
                    });
            },
        )
    },
    rule(
        "child/compensated",
        |world, n| {
            children(world, n, |i| (place(i), turn(i), size(i), ParentScaleInverse::identity()))
        },
        |world, parents| {
            let mut family = Family::of(parents);
            <(Child<'_>, &mut ParentScaleInverse, Body<'_>)>::query().for_each_mut(
                world,
                |((matrix, local, parent), inverse, (t, r, s))| {
                    let (above, scale) = family.find(parent);
                    inverse.0 = Matrix4::new_nonuniform_scaling(&scale.map(|x| 1.0 / x));
                    let turned = t.to_homogeneous() * inverse.0 * r.0.to_homogeneous();
                    local.0 = turned * scaling(s);
                    matrix.0 = above * local.0;
                },
            );
        },
    ),
    rule(
        "child/upright",
        |world, n| {
            let upright = Inherits { rotation: false, ..Inherits::ALL };
            children(world, n, |i| (place(i), turn(i), size(i), upright));
        },
        |world, parents| {
            trs_by_hand(world, parents, |above, local| {
                // The parent's rotation is taken out of its matrix.
                let linear: Matrix3<f32> = above.fixed_view::<3, 3>(0, 0).into();
                let mut upright = linear.qr().r().to_homogeneous();
                upright.fixed_view_mut::<3, 1>(0, 3).copy_from(&above.fixed_view::<3, 1>(0, 3));
                upright * local
            });
        },
    ),
    rule(
        "world_to_local",
        |world, n| roots(world, n, |i| (place(i), turn(i), size(i), WorldToLocal::identity())),
        |world, _| {
            <(&mut LocalToWorld, &mut WorldToLocal, Body<'_>)>::query().for_each_mut(
                world,
                |(matrix, inverse, body)| {
                    matrix.0 = trs(body);
                    inverse.0 = matrix.0.try_inverse().unwrap_or_else(Matrix4::identity);
                },
            );
        },
    ),
];

fn body(i: usize) -> (Translation, Rotation, NonUniformScale) {
    (place(i), turn(i), size(i))
}

fn place(i: usize) -> Translation {
    Translation::new(i as f32 * 0.5, 1.0, -2.0)
}

fn turn(i: usize) -> Rotation {
    Rotation::from_euler_angles(0.1, 0.2 + (i % 60) as f32 * 0.1, 0.3)
}

fn size(i: usize) -> NonUniformScale {
    NonUniformScale::new(1.0, 1.5 + (i % 7) as f32 * 0.25, 0.5)
}

fn angles(i: usize) -> RotationEulerXYZ {
    RotationEulerXYZ::new((i % 628) as f32 * 0.01, 0.5, 1.0)
}

fn roots<T: ComponentTuple>(world: &mut World, n: usize, row: impl Fn(usize) -> T) {
    world.extend_transforms((0..n).map(row));
}

/// Spawns families. A parent is a root with the same scale as others; none of them moves.
fn children<T: ComponentTuple>(world: &mut World, n: usize, row: impl Fn(usize) -> T) {
    let parents = n.div_ceil(FAMILY);
    let parents = world.extend_transforms((0..parents).map(|i| (place(i), turn(i), Scale(2.0))));
    for (family, parent) in parents.into_iter().enumerate() {
        let first = family * FAMILY;
        world.extend_children(parent, (first..n.min(first + FAMILY)).map(&row));
    }
}

fn tr(t: &Translation, r: &Rotation) -> Matrix4<f32> {
    Isometry3::from_parts(t.0, r.0).to_homogeneous()
}

fn scaling(s: &NonUniformScale) -> Matrix4<f32> {
    Matrix4::new_nonuniform_scaling(&s.0)
}

fn trs((t, r, s): Body<'_>) -> Matrix4<f32> {
    tr(t, r) * scaling(s)
}

/// Writes the matrices of children with `T R S`. `world_of` has the parent's world and the local
/// matrix.
#[inline]
fn trs_by_hand(
    world: &mut World,
    parents: &Parents,
    world_of: impl Fn(&Matrix4<f32>, &Matrix4<f32>) -> Matrix4<f32>,
) {
    let mut family = Family::of(parents);
    <(Child<'_>, Body<'_>)>::query().for_each_mut(world, |((matrix, local, parent), body)| {
        local.0 = trs(body);
        matrix.0 = world_of(&family.find(parent).0, &local.0);
    });
}

fn xyz(angles: &RotationEulerXYZ) -> UnitQuaternion<f32> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angles.z)
        * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angles.y)
        * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angles.x)
}

/// What a matrix does about a point.
fn about(pivot: &Vector3<f32>, matrix: Matrix4<f32>) -> Matrix4<f32> {
    Matrix4::new_translation(pivot) * matrix * Matrix4::new_translation(&-pivot)
}

/// Moves roots, or the children of roots.
fn move_all(world: &mut World, step: usize) {
    let mut query = <&mut Translation>::query().filter(!legion::component::<Children>());
    query.iter_mut(world).step_by(step).for_each(|t| t.0.vector.x += 0.5);
}

fn turn_angles(world: &mut World, step: usize) {
    <&mut RotationEulerXYZ>::query().iter_mut(world).step_by(step).for_each(|it| it.0.x += 0.01);
}

/// The parent that was found last: siblings follow one another.
struct Family<'a> {
    parents: &'a Parents,
    last: Option<(Entity, Above)>,
}

impl<'a> Family<'a> {
    fn of(parents: &'a Parents) -> Self {
        Self { parents, last: None }
    }

    fn find(&mut self, parent: &Parent) -> Above {
        match self.last {
            Some((entity, found)) if entity == parent.0 => found,
            _ => self.last.insert((parent.0, self.parents[&parent.0])).1,
        }
    }
}

fn parents(world: &World) -> Parents {
    let mut parents =
        <(Entity, &LocalToWorld, &Scale)>::query().filter(legion::component::<Children>());
    let scales = parents.iter(world).map(|(&it, m, s)| (it, (m.0, Vector3::repeat(s.0))));
    scales.collect()
}

/// Measures all of them.
pub fn rules(bench: &Bench) {
    let sizes: &[usize] = if is_full() { &[10_000, 100_000] } else { &[10_000] };
    for rule in &RULES {
        for &nodes in sizes {
            for (name, step) in [("all", 1), ("few", 100)] {
                let id = format!("rules/{}/{nodes}/{name}", rule.name);
                bench.in_turn(&id, (nodes, 2), || sides(rule, nodes, step));
            }
        }
    }
}

/// Both sides compute the same, but for the order of operations.
fn assert_same(name: &str, world: &World, other: &World) {
    let (mut ours, mut theirs) = (<&LocalToWorld>::query(), <&LocalToWorld>::query());
    for (a, b) in ours.iter(world).zip(theirs.iter(other)) {
        let bound = 1e-5 * (1.0 + a.0.norm());
        assert!((a.0 - b.0).norm() <= bound, "{name}: {a:?} by the bundle, {b:?} by hand");
    }
}

/// A tick by hand, and one by the bundle, which were seen to do the same.
fn sides(rule: &'static Rule, nodes: usize, step: usize) -> [Box<dyn FnMut() -> Duration>; 2] {
    let (mut world, mut other, mut resources) = <(World, World, Resources)>::default();
    let mut schedule = Schedule::builder().add_transforms(bundle().without("threads")).build();
    (rule.spawn)(&mut world, nodes);
    (rule.spawn)(&mut other, nodes);
    schedule.execute(&mut world, &mut resources);
    schedule.execute(&mut other, &mut Resources::default());
    let parents = parents(&other);
    let by_hand = move |other: &mut World| {
        (rule.edit)(other, step);
        timed(|| (rule.by_hand)(other, &parents))
    };
    let mut run = move |world: &mut World| {
        (rule.edit)(world, step);
        timed(|| schedule.execute(world, &mut resources))
    };
    by_hand(&mut other);
    run(&mut world);
    assert_same(rule.name, &world, &other);
    [Box::new(move || by_hand(&mut other)), Box::new(move || run(&mut world))]
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
