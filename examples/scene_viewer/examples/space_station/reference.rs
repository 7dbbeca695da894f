//! Where everything should be, and how bright: in `f64`, straight from the definitions.
//!
//! It reads the components that the story writes (`Frame`, `Translation`, `Rotation`, `Scale`,
//! `Power`, `Visible`, `Parent`), and nothing that the bundle writes.

use legion::{Entity, EntityStore, World, storage::Component};
use legion_transform::{components::Visible, frames::Frame, prelude::*};
use nalgebra::{Matrix3, Matrix4, Vector3};

use crate::scene::Power;

/// A place, and the axes there: a matrix whose two parts are computed each by itself, because the
/// place may be at 1e9 m.
#[derive(Clone, Copy)]
pub struct Place {
    pub position: Vector3<f64>,
    pub axes: Matrix3<f64>,
}

impl Place {
    pub const UNIVERSE: Self = Self {
        position: Vector3::new(0.0, 0.0, 0.0),
        axes: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    };

    fn child(&self, local: &Self) -> Self {
        Self { position: self.position + self.axes * local.position, axes: self.axes * local.axes }
    }

    /// As it is seen from a frame, whose axes are a rotation.
    pub fn seen_from(&self, origin: &Self) -> Self {
        let back = origin.axes.transpose();
        Self { position: back * (self.position - origin.position), axes: back * self.axes }
    }

    pub fn to_matrix(self) -> Matrix4<f64> {
        let mut matrix = self.axes.to_homogeneous();
        matrix.set_column(3, &self.position.push(1.0));
        matrix
    }
}

pub struct Reference<'w> {
    world: &'w World,
    /// Where the frame of the origin is.
    pub origin: Place,
}

impl<'w> Reference<'w> {
    pub fn new(world: &'w World, viewer: Entity) -> Self {
        let mut reference = Self { world, origin: Place::UNIVERSE };
        let mut above = Some(viewer);
        while let Some(entity) = above.filter(|&it| reference.get::<Frame>(it).is_none()) {
            above = reference.parent(entity);
        }
        reference.origin = above.map_or(Place::UNIVERSE, |frame| reference.place(frame));
        reference
    }

    fn get<T: Component>(&self, entity: Entity) -> Option<&'w T> {
        self.world.entry_ref(entity).ok()?.into_component().ok()
    }

    fn parent(&self, entity: Entity) -> Option<Entity> {
        self.get::<Parent>(entity).map(|parent| parent.0)
    }

    /// In the universe.
    pub fn place(&self, entity: Entity) -> Place {
        let above = self.parent(entity).map_or(Place::UNIVERSE, |parent| self.place(parent));
        let Some(frame) = self.get::<Frame>(entity) else {
            let local = self.local(entity);
            return match self.get::<Inherits>(entity) {
                // The label: where its parent is, and upright as the viewer's frame is.
                Some(Inherits { translation: true, rotation: false, scale: false }) => {
                    Place { position: above.position, axes: self.origin.axes }.child(&local)
                }
                _ => above.child(&local),
            };
        };
        let axes = frame.rotation.to_rotation_matrix().into_inner();
        above.child(&Place { position: frame.position.coords, axes })
    }

    fn local(&self, entity: Entity) -> Place {
        let mut local = Place::UNIVERSE;
        if let Some(translation) = self.get::<Translation>(entity) {
            local.position = Vector3::from(*translation).cast();
        }
        if let Some(rotation) = self.get::<Rotation>(entity) {
            local.axes = rotation.0.cast::<f64>().to_rotation_matrix().into_inner();
        }
        if let Some(scale) = self.get::<Scale>(entity) {
            local.axes *= f64::from(scale.0);
        }
        local
    }

    pub fn power(&self, entity: Entity) -> f64 {
        let own = self.get::<Power>(entity).map_or(1.0, |power| power.0.into());
        own * self.parent(entity).map_or(1.0, |parent| self.power(parent))
    }

    pub fn is_visible(&self, entity: Entity) -> bool {
        self.get::<Visible>(entity).is_none_or(|visible| visible.0)
            && self.parent(entity).is_none_or(|parent| self.is_visible(parent))
    }
}
