//! All that a world holds at one moment: the components of every entity, and their versions.

use std::collections::HashMap;

use legion::{
    Entity, EntityStore, Read, World,
    storage::{Archetype, ArchetypeIndex, ComponentTypeId},
};
use legion_transform::{components::PreviousParent, frames::Frame, prelude::*};
use nalgebra::Matrix4;

use crate::{
    kind::{self, Kind, Numbers},
    reference::algebra::{M, V},
};

/// One entity.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its id.
    pub entity: Entity,
    /// The archetype that it stands in, by its number.
    pub archetype: usize,
    /// Its components that are nothing but numbers, in the order of [`Kind`].
    pub numbers: Vec<(Kind, Numbers)>,
    /// Its `Parent`.
    pub parent: Option<Entity>,
    /// Its `PreviousParent`.
    pub previous: Option<Option<Entity>>,
    /// Its `Children`.
    pub children: Option<Vec<Entity>>,
    /// Its `Frame`, of large worlds.
    pub frame: Option<Frame>,
}

impl Row {
    /// The numbers of a component.
    #[must_use]
    pub fn get(&self, kind: Kind) -> Option<&Numbers> {
        self.numbers.iter().find(|(k, _)| *k == kind).map(|(_, numbers)| numbers)
    }

    /// Whether the entity has a component.
    #[must_use]
    pub fn has(&self, kind: Kind) -> bool {
        self.get(kind).is_some()
    }

    /// Whether the entity has one of these components.
    #[must_use]
    pub fn has_any(&self, kinds: &[Kind]) -> bool {
        kinds.iter().any(|kind| self.has(*kind))
    }

    /// A component that is a matrix.
    #[must_use]
    pub fn matrix(&self, kind: Kind) -> Option<M> {
        self.get(kind).map(matrix64)
    }

    /// A component that is a vector.
    #[must_use]
    pub fn vector(&self, kind: Kind) -> Option<V> {
        self.get(kind).map(|n| V::new(n[0].into(), n[1].into(), n[2].into()))
    }

    /// A component that is a quaternion: x, y, z, w.
    #[must_use]
    pub fn quaternion(&self, kind: Kind) -> Option<[f64; 4]> {
        self.get(kind).map(|n| [n[0].into(), n[1].into(), n[2].into(), n[3].into()])
    }

    /// A component that is one number.
    #[must_use]
    pub fn scalar(&self, kind: Kind) -> Option<f64> {
        self.get(kind).map(|n| n[0].into())
    }
}

/// The matrix with these numbers, in `f64`.
#[must_use]
pub fn matrix64(numbers: &Numbers) -> M {
    matrix32(numbers).cast()
}

/// The matrix with these numbers.
#[must_use]
pub fn matrix32(numbers: &Numbers) -> Matrix4<f32> {
    Matrix4::from_column_slice(numbers)
}

/// The bits of a number. All NaNs are one.
#[must_use]
pub fn bits(number: f32) -> u32 {
    if number.is_nan() { f32::NAN.to_bits() } else { number.to_bits() }
}

/// Whether two values are the same [`bits`].
#[must_use]
pub fn same_bits(a: &[f32], b: &[f32]) -> bool {
    a.iter().copied().map(bits).eq(b.iter().copied().map(bits))
}

fn frame_bits(frame: Frame) -> [u64; 7] {
    let Frame { position: p, rotation: r } = frame;
    [p.x, p.y, p.z, r.i, r.j, r.k, r.w].map(f64::to_bits)
}

/// A component that has a version: those of numbers, the relations and frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// One that is nothing but numbers.
    Numeric(Kind),
    /// `Parent`
    Parent,
    /// `PreviousParent`
    PreviousParent,
    /// `Children`
    Children,
    /// `Frame`
    Frame,
}

impl Column {
    const RELATIONS: [Self; 4] = [Self::Parent, Self::PreviousParent, Self::Children, Self::Frame];

    fn version(self, world: &World, archetype: ArchetypeIndex) -> Option<u64> {
        match self {
            Self::Numeric(kind) => kind.version(world, archetype),
            Self::Parent => kind::version::<Parent>(world, archetype),
            Self::PreviousParent => kind::version::<PreviousParent>(world, archetype),
            Self::Children => kind::version::<Children>(world, archetype),
            Self::Frame => kind::version::<Frame>(world, archetype),
        }
    }

    /// Whether an entity has the same bits here in both rows.
    #[must_use]
    pub fn same(self, a: &Row, b: &Row) -> bool {
        match self {
            Self::Numeric(kind) => match (a.get(kind), b.get(kind)) {
                (Some(a), Some(b)) => same_bits(a, b),
                (a, b) => a.is_none() && b.is_none(),
            },
            Self::Parent => a.parent == b.parent,
            Self::PreviousParent => a.previous == b.previous,
            Self::Children => a.children == b.children,
            Self::Frame => a.frame.map(frame_bits) == b.frame.map(frame_bits),
        }
    }
}

/// A world at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Every entity, archetype by archetype.
    pub rows: Vec<Row>,
    /// Where each entity stands in `rows`.
    pub index: HashMap<Entity, usize>,
    /// The versions of the components of each archetype.
    pub versions: Vec<HashMap<Column, u64>>,
    /// The components of each archetype.
    pub layouts: Vec<Vec<ComponentTypeId>>,
    /// The components that are read, those of `legion_transform` and a test's own.
    pub kinds: Vec<Kind>,
}

impl Snapshot {
    /// The world as it is now.
    #[must_use]
    pub fn of(world: &World) -> Self {
        Self::with(world, &[])
    }

    /// The world as it is now, with your own components.
    ///
    /// # Panics
    ///
    /// Panics if the world's archetypes do not have all its entities, each once.
    #[must_use]
    pub fn with(world: &World, own: &[Kind]) -> Self {
        let mut snapshot = Self::without_versions(world, own);
        let columns: Vec<Column> = snapshot.columns().collect();
        let version = |index, column: &Column| Some((*column, column.version(world, index)?));
        let versions = archetypes(world).iter().map(|archetype| {
            columns.iter().filter_map(|column| version(archetype.index(), column)).collect()
        });
        snapshot.versions = versions.collect();
        snapshot
    }

    /// What components say, and nothing about who wrote them.
    pub(crate) fn without_versions(world: &World, own: &[Kind]) -> Self {
        let mut snapshot = Self { kinds: [Kind::ALL, own].concat(), ..Self::default() };
        for archetype in archetypes(world) {
            snapshot.read(world, archetype);
        }
        snapshot.index = snapshot.rows.iter().enumerate().map(|(i, row)| (row.entity, i)).collect();
        assert_eq!(snapshot.rows.len(), world.len(), "every entity is in one archetype");
        snapshot
    }

    /// All components that have a version.
    pub fn columns(&self) -> impl Iterator<Item = Column> + use<> {
        let kinds = self.kinds.clone();
        kinds.into_iter().map(Column::Numeric).chain(Column::RELATIONS)
    }

    fn read(&mut self, world: &World, archetype: &Archetype) {
        let (index, number, first) = (archetype.index(), self.layouts.len(), self.rows.len());
        self.layouts.push(archetype.layout().component_types().to_vec());
        self.rows.extend(archetype.entities().iter().map(|&entity| Row {
            entity,
            archetype: number,
            numbers: Vec::new(),
            parent: None,
            previous: None,
            children: None,
            frame: None,
        }));
        if archetype.entities().is_empty() {
            return;
        }
        let rows = &mut self.rows[first..];
        for &kind in &self.kinds {
            let column = kind.column(world, index).unwrap_or_default();
            for (row, numbers) in rows.iter_mut().zip(column) {
                row.numbers.push((kind, numbers));
            }
        }
        let parents = kind::column::<Parent>(world, index).unwrap_or_default();
        for (row, parent) in rows.iter_mut().zip(parents) {
            row.parent = Some(parent.0);
        }
        let previous = kind::column::<PreviousParent>(world, index).unwrap_or_default();
        for (row, previous) in rows.iter_mut().zip(previous) {
            row.previous = Some(previous.parent());
        }
        let children = kind::column::<Children>(world, index).unwrap_or_default();
        for (row, children) in rows.iter_mut().zip(children) {
            row.children = Some(children.to_vec());
        }
        let frames = kind::column::<Frame>(world, index).unwrap_or_default();
        for (row, frame) in rows.iter_mut().zip(frames) {
            row.frame = Some(*frame);
        }
    }

    /// An entity.
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<&Row> {
        self.index.get(&entity).map(|&i| &self.rows[i])
    }

    /// The components whose version is another one than in `before`, with their archetype.
    #[must_use]
    pub fn moved_since(&self, before: &Self) -> Vec<(usize, Column)> {
        let mut moved = Vec::new();
        for (archetype, versions) in self.versions.iter().enumerate() {
            for (column, version) in versions {
                let old = before.versions.get(archetype).and_then(|old| old.get(column));
                if old != Some(version) {
                    moved.push((archetype, *column));
                }
            }
        }
        moved
    }
}

/// All archetypes that a world has ever had. They are never removed.
///
/// # Panics
///
/// Never: every world can be read.
#[must_use]
pub fn archetypes(world: &World) -> &[Archetype] {
    world.get_component_storage::<Read<LocalToWorld>>().expect("reading is allowed").archetypes()
}
