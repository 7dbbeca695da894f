//! All a world holds at one moment: every component of every entity, and every version.

use std::collections::HashMap;

use legion::{Entity, World, storage::ArchetypeIndex};
use legion_transform::{frames::Frame, prelude::*};
use legion_transform_testing::formulas::{M, V};
use nalgebra::{Matrix4, Vector3};

use super::kinds::{self, Kind, Numbers};

/// One entity.
#[derive(Clone, Debug)]
pub struct Row {
    pub entity: Entity,
    pub archetype: usize,
    /// Sorted by kind.
    pub numbers: Vec<(Kind, Numbers)>,
    pub parent: Option<Entity>,
    pub previous: Option<Option<Entity>>,
    pub children: Option<Vec<Entity>>,
    pub frame: Option<Frame>,
}

impl Row {
    pub fn get(&self, kind: Kind) -> Option<&Numbers> {
        self.numbers.iter().find(|(k, _)| *k == kind).map(|(_, numbers)| numbers)
    }

    pub fn has(&self, kind: Kind) -> bool {
        self.get(kind).is_some()
    }

    pub fn has_any(&self, kinds: &[Kind]) -> bool {
        kinds.iter().any(|kind| self.has(*kind))
    }

    pub fn matrix(&self, kind: Kind) -> Option<M> {
        self.get(kind).map(matrix64)
    }

    pub fn vector(&self, kind: Kind) -> Option<V> {
        self.get(kind).map(|n| V::new(n[0].into(), n[1].into(), n[2].into()))
    }

    pub fn quaternion(&self, kind: Kind) -> Option<[f64; 4]> {
        self.get(kind).map(|n| [n[0].into(), n[1].into(), n[2].into(), n[3].into()])
    }

    pub fn scalar(&self, kind: Kind) -> Option<f64> {
        self.get(kind).map(|n| n[0].into())
    }
}

pub fn matrix64(numbers: &Numbers) -> M {
    matrix32(numbers).cast()
}

pub fn matrix32(numbers: &Numbers) -> Matrix4<f32> {
    Matrix4::from_column_slice(numbers)
}

pub fn vector32(numbers: &Numbers) -> Vector3<f32> {
    Vector3::from_column_slice(&numbers[..3])
}

/// Whether two values are the same bits; NaNs count as equal.
pub fn same_bits(a: &Numbers, b: &Numbers) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
}

fn frame_bits(frame: Frame) -> [u64; 7] {
    let Frame { position: p, rotation: r } = frame;
    [p.x, p.y, p.z, r.i, r.j, r.k, r.w].map(f64::to_bits)
}

/// A component that has a version: the numeric ones, the relations and frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    Numeric(Kind),
    Parent,
    PreviousParent,
    Children,
    Frame,
}

impl Column {
    pub fn all() -> impl Iterator<Item = Self> {
        Kind::ALL.iter().copied().map(Self::Numeric).chain([
            Self::Parent,
            Self::PreviousParent,
            Self::Children,
            Self::Frame,
        ])
    }

    fn version(self, world: &World, archetype: ArchetypeIndex) -> Option<u64> {
        match self {
            Self::Numeric(kind) => kind.version(world, archetype),
            Self::Parent => kinds::version::<Parent>(world, archetype),
            Self::PreviousParent => kinds::version::<PreviousParent>(world, archetype),
            Self::Children => kinds::version::<Children>(world, archetype),
            Self::Frame => kinds::version::<Frame>(world, archetype),
        }
    }

    /// Whether an entity has the same bits here in both rows.
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
    pub rows: Vec<Row>,
    pub index: HashMap<Entity, usize>,
    /// By archetype and column.
    pub versions: Vec<HashMap<Column, u64>>,
}

impl Snapshot {
    pub fn of(world: &World) -> Self {
        let mut snapshot = Self::default();
        for archetype in kinds::archetypes(world) {
            snapshot.read(world, archetype.index(), archetype.entities());
        }
        snapshot.index = snapshot.rows.iter().enumerate().map(|(i, row)| (row.entity, i)).collect();
        assert_eq!(snapshot.rows.len(), world.len(), "every entity is in one archetype");
        snapshot
    }

    fn read(&mut self, world: &World, archetype: ArchetypeIndex, entities: &[Entity]) {
        let number = self.versions.len();
        let first = self.rows.len();
        let versions = Column::all()
            .filter_map(|column| Some((column, column.version(world, archetype)?)))
            .collect();
        self.versions.push(versions);
        self.rows.extend(entities.iter().map(|&entity| Row {
            entity,
            archetype: number,
            numbers: Vec::new(),
            parent: None,
            previous: None,
            children: None,
            frame: None,
        }));
        if entities.is_empty() {
            return;
        }
        let rows = &mut self.rows[first..];
        for &kind in Kind::ALL {
            for (row, numbers) in
                rows.iter_mut().zip(kind.column(world, archetype).unwrap_or_default())
            {
                row.numbers.push((kind, numbers));
            }
        }
        for (row, parent) in
            rows.iter_mut().zip(kinds::column::<Parent>(world, archetype).unwrap_or_default())
        {
            row.parent = Some(parent.0);
        }
        let previous = kinds::column::<PreviousParent>(world, archetype).unwrap_or_default();
        for (row, previous) in rows.iter_mut().zip(previous) {
            row.previous = Some(previous.0);
        }
        let children = kinds::column::<Children>(world, archetype).unwrap_or_default();
        for (row, children) in rows.iter_mut().zip(children) {
            row.children = Some(children.0.to_vec());
        }
        let frames = kinds::column::<Frame>(world, archetype).unwrap_or_default();
        for (row, frame) in rows.iter_mut().zip(frames) {
            row.frame = Some(*frame);
        }
    }

    pub fn get(&self, entity: Entity) -> Option<&Row> {
        self.index.get(&entity).map(|&i| &self.rows[i])
    }

    /// The columns whose version is another one than in `before`, with their archetype.
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
