//! Rows become entities: one bulk insertion an archetype.
//!
//! Parents and children name each other, so all ids are taken before the first entity is inserted.

use legion::{Entity, World};

use super::{
    conversion::{Conversion, Kind, Row},
    spawned::SpawnedScene,
};
use crate::{
    components::{
        Children, LocalToParent, LocalToWorld, NonUniformScale, Parent, PreviousParent, Rotation,
        Translation,
    },
    spawn::Rows,
};

/// The components of a row: one archetype for each shape.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shape {
    has_trs: bool,
    has_scale: bool,
    has_link: bool,
    has_children: bool,
}

impl Shape {
    const ALL: usize = 16;

    fn of(row: &Row) -> Self {
        Self {
            has_trs: matches!(row.kind, Kind::Trs { .. }),
            has_scale: matches!(row.kind, Kind::Trs { scale: Some(_), .. }),
            has_link: row.link.is_some(),
            has_children: !row.children.is_empty(),
        }
    }

    fn index(self) -> usize {
        [self.has_trs, self.has_scale, self.has_link, self.has_children]
            .into_iter()
            .fold(0, |i, has| i * 2 + usize::from(has))
    }
}

impl Conversion {
    /// Inserts all rows. Nothing can fail from here on.
    pub fn insert(self, world: &mut World) -> SpawnedScene {
        let mut shapes: [Vec<(Entity, Row)>; Shape::ALL] = Default::default();
        for (row, entity) in self.rows.into_iter().zip(self.ids) {
            shapes[Shape::of(&row).index()].push((entity, row));
        }
        for rows in shapes {
            if let Some((_, first)) = rows.first() {
                extend(world, Shape::of(first), rows);
            }
        }
        SpawnedScene { entities: self.entities, dropped_shear: self.dropped_shear }
    }
}

/// Inserts rows that are all of this shape.
fn extend(world: &mut World, shape: Shape, rows: Vec<(Entity, Row)>) {
    macro_rules! insert {
        ($($component:ident),*) => {{
            let (entities, rows): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
            let rows = rows.into_iter().map(|row| {
                let mut row = row;
                ($($component::take(&mut row),)*)
            });
            Rows::new(None, rows).with_ids(entities).insert(world, |_| ());
        }};
    }
    let Shape { has_trs, has_scale, has_link, has_children } = shape;
    match (has_trs, has_scale, has_link, has_children) {
        (false, _, false, false) => insert!(LocalToWorld),
        (false, _, false, true) => insert!(LocalToWorld, Children),
        (false, _, true, false) => insert!(LocalToWorld, LocalToParent, Parent, PreviousParent),
        (false, _, true, true) => {
            insert!(LocalToWorld, LocalToParent, Parent, PreviousParent, Children)
        }
        (true, false, false, false) => insert!(LocalToWorld, Translation, Rotation),
        (true, false, false, true) => insert!(LocalToWorld, Translation, Rotation, Children),
        (true, false, true, false) => {
            insert!(LocalToWorld, Translation, Rotation, LocalToParent, Parent, PreviousParent)
        }
        (true, false, true, true) => {
            insert!(
                LocalToWorld,
                Translation,
                Rotation,
                LocalToParent,
                Parent,
                PreviousParent,
                Children
            )
        }
        (true, true, false, false) => insert!(LocalToWorld, Translation, Rotation, NonUniformScale),
        (true, true, false, true) => {
            insert!(LocalToWorld, Translation, Rotation, NonUniformScale, Children)
        }
        (true, true, true, false) => {
            insert!(
                LocalToWorld,
                Translation,
                Rotation,
                NonUniformScale,
                LocalToParent,
                Parent,
                PreviousParent
            )
        }
        (true, true, true, true) => {
            insert!(
                LocalToWorld,
                Translation,
                Rotation,
                NonUniformScale,
                LocalToParent,
                Parent,
                PreviousParent,
                Children
            )
        }
    }
}

/// A component's value in a row. Called only for rows whose shape has the component.
trait Take: Sized {
    fn take(row: &mut Row) -> Self;
}

macro_rules! take {
    ($($component:ident: $row:ident => $value:expr;)*) => {$(
        impl Take for $component {
            fn take($row: &mut Row) -> Self {
                $value
            }
        }
    )*};
}

take! {
    LocalToWorld: row => Self(row.world);
    LocalToParent: row => row.link.map(|link| Self(link.local)).unwrap_or_default();
    Parent: row => {
        Self(row.link.expect("a shape with links has rows with links").parent)
    };
    PreviousParent: row => Self(row.link.map(|link| link.parent));
    Children: row => row.children.drain(..).collect();
    Translation: row => match row.kind {
        Kind::Trs { translation, .. } => translation.into(),
        _ => Self::identity(),
    };
    Rotation: row => match row.kind {
        Kind::Trs { rotation, .. } => Self(rotation),
        _ => Self::identity(),
    };
    NonUniformScale: row => match row.kind {
        Kind::Trs { scale: Some(scale), .. } => Self(scale),
        _ => Self::identity(),
    };
}
