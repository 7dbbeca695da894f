//! Where everything should be: products in `f64`, from what was put in. Nothing that the bundle
//! computes is read here (but `LocalToWorld`, to be compared).

use legion::{Entity, EntityStore, IntoQuery, Resources, World, world::EntryRef};
use legion_transform::prelude::*;
use nalgebra::{
    Matrix3, Matrix4, Quaternion, Rotation3, Translation3, UnitQuaternion, UnitVector3, Vector3,
};

use super::{Seen, Table};
use crate::{
    movers::{Spin, Tick},
    physics::{Body, Physics},
    turret::Aims,
};

pub fn table(world: &World, resources: &Resources) -> Table {
    let reference = Reference {
        world,
        physics: &resources.get::<Physics>().expect("inserted at the beginning"),
        tick: &resources.get::<Tick>().expect("inserted at the beginning"),
    };
    let mut matrices = <(Entity, &LocalToWorld)>::query();
    let seen =
        |(&entity, matrix): (&Entity, &LocalToWorld)| (entity, reference.seen(entity, *matrix));
    matrices.iter(world).map(seen).collect()
}

struct Reference<'a> {
    world: &'a World,
    physics: &'a Physics,
    tick: &'a Tick,
}

impl Reference<'_> {
    fn entry(&self, entity: Entity) -> EntryRef<'_> {
        self.world.entry_ref(entity).expect("a parent lives at least as long as its children")
    }

    fn seen(&self, entity: Entity, matrix: LocalToWorld) -> Seen {
        let entry = self.entry(entity);
        let is_turned = get::<Spin>(&entry).is_some() || get::<Aims>(&entry).is_some();
        let parent = get::<Parent>(&entry).map(|parent| parent.0);
        Seen {
            parent,
            body: get::<Body>(&entry).map(|body| body.handle),
            matrix,
            expected: self.local_to_world(entity),
            local: (parent.is_some() && !is_turned).then(|| self.local(&entry)),
        }
    }

    fn local_to_world(&self, entity: Entity) -> Matrix4<f64> {
        let entry = self.entry(entity);
        let Some(Parent(parent)) = get(&entry) else {
            let body = get::<Body>(&entry).expect("every root has a body");
            return self.pose(body);
        };
        let parent = self.local_to_world(*parent);
        match get::<Aims>(&entry) {
            Some(Aims(target)) => {
                let at = parent * self.local(&entry).column(3);
                let target = self.local_to_world(*target).column(3) - at;
                turned_to(at.xyz(), target.xyz())
            }
            None => parent * self.local(&entry),
        }
    }

    /// rapier's own.
    fn pose(&self, body: &Body) -> Matrix4<f64> {
        let pose = self.physics.body(body).position();
        let [i, j, k, w] = pose.rotation.to_array().map(f64::from);
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
        let at = Translation3::from(pose.translation.to_array()).cast::<f64>();
        at.to_homogeneous() * rotation.to_homogeneous()
    }

    /// From the components that users write.
    fn local(&self, entry: &EntryRef<'_>) -> Matrix4<f64> {
        let at = get::<Translation>(entry).copied().unwrap_or_default();
        let rotation = match get::<Spin>(entry) {
            Some(spin) => {
                let turns = f64::from(self.tick.0 % spin.ticks) / f64::from(spin.ticks);
                UnitQuaternion::from_axis_angle(&Vector3::y_axis(), turns * std::f64::consts::TAU)
            }
            None => {
                let rotation = get::<Rotation>(entry).copied().unwrap_or_default();
                UnitQuaternion::new_normalize(rotation.quaternion().cast())
            }
        };
        let scale = get::<NonUniformScale>(entry).map_or(Vector3::repeat(1.0), |scale| scale.0);
        at.0.cast::<f64>().to_homogeneous()
            * rotation.to_homogeneous()
            * Matrix4::new_nonuniform_scaling(&scale.cast())
    }
}

fn get<'a, T: legion::storage::Component>(entry: &'a EntryRef<'_>) -> Option<&'a T> {
    entry.get_component().ok()
}

/// Here, with the z axis along the direction and the y axis upwards.
fn turned_to(at: Vector3<f64>, direction: Vector3<f64>) -> Matrix4<f64> {
    let z = UnitVector3::new_normalize(direction);
    let x = UnitVector3::new_normalize(Vector3::y().cross(&z));
    let axes = Matrix3::from_columns(&[*x, z.cross(&x), *z]);
    let axes = Rotation3::from_matrix_unchecked(axes);
    Translation3::from(at).to_homogeneous() * axes.to_homogeneous()
}
