//! Rows become entities: one bulk insertion an archetype.
//!
//! Parents and children name each other, so all ids are taken before the first entity is inserted.

use std::mem;

use legion::{
    Entity, World,
    storage::{ArchetypeWriter, Component, EntityLayout},
};

use super::{
    conversion::{Conversion, Row, RowKind},
    spawned::SpawnedScene,
};
use crate::{
    components::{
        Children, LocalToParent, LocalToWorld, NonUniformScale, Parent, PreviousParent, Rotation,
        Translation,
    },
    engine::{Appender, Mask, NewValues, Panics, RowSource, lacking_columns},
    spawn::room,
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
            has_trs: matches!(row.kind, RowKind::Trs { .. }),
            has_scale: matches!(row.kind, RowKind::Trs { scale: Some(_), .. }),
            has_link: row.link.is_some(),
            has_children: !row.children.is_empty(),
        }
    }

    fn index(self) -> usize {
        [self.has_trs, self.has_scale, self.has_link, self.has_children]
            .into_iter()
            .fold(0, |i, has| i * 2 + usize::from(has))
    }

    fn layout(self) -> EntityLayout {
        let mut layout = EntityLayout::default();
        layout.register_component::<LocalToWorld>();
        if self.has_trs {
            layout.register_component::<Translation>();
            layout.register_component::<Rotation>();
        }
        if self.has_scale {
            layout.register_component::<NonUniformScale>();
        }
        if self.has_link {
            layout.register_component::<LocalToParent>();
            layout.register_component::<Parent>();
            layout.register_component::<PreviousParent>();
        }
        if self.has_children {
            layout.register_component::<Children>();
        }
        layout
    }
}

impl Conversion {
    /// Inserts all rows. Nothing can fail from here on.
    pub fn insert(self, world: &mut World) -> SpawnedScene {
        let mut shapes: [Vec<(Entity, Row)>; Shape::ALL] = Default::default();
        for (row, entity) in self.rows.into_iter().zip(self.ids) {
            shapes[Shape::of(&row).index()].push((entity, row));
        }
        let mut panics = Panics::default();
        for mut rows in shapes {
            if let Some((_, first)) = rows.first() {
                let shape = Shape::of(first);
                let (mut layout, mut values) = (shape.layout(), Vec::new());
                let present = Mask::of(&layout);
                for column in lacking_columns(world, present, layout.component_types()) {
                    if let Some(new) = panics.catch(|| (column.values)(rows.len())) {
                        (column.register)(&mut layout);
                        values.push(new);
                    }
                }
                let write = |writer: &mut ArchetypeWriter<'_>| {
                    shape.append(&mut rows, mem::take(&mut values), writer, &mut panics);
                };
                world.extend(RowSource::of(&layout, write));
            }
        }
        panics.go_on();
        SpawnedScene { entities: self.entities, dropped_shear: self.dropped_shear }
    }
}

impl Shape {
    /// Appends rows of this shape.
    fn append(
        self,
        rows: &mut [(Entity, Row)],
        values: Vec<Box<dyn NewValues>>,
        writer: &mut ArchetypeWriter<'_>,
        panics: &mut Panics,
    ) {
        let Shape { has_trs, has_scale, has_link, has_children } = self;
        let room = room(writer.archetype().entities().len(), rows.len());
        let mut worlds = Appender::claim(writer, room);
        let mut translations = has_trs.then(|| Appender::claim(writer, room));
        let mut rotations = has_trs.then(|| Appender::claim(writer, room));
        let mut scales = has_scale.then(|| Appender::claim(writer, room));
        let mut locals = has_link.then(|| Appender::claim(writer, room));
        let mut parents = has_link.then(|| Appender::claim(writer, room));
        let mut previous = has_link.then(|| Appender::claim(writer, room));
        let mut children = has_children.then(|| Appender::claim(writer, room));
        let mut values: Vec<_> = values.into_iter().map(|it| it.claim(writer, room)).collect();
        for (_, row) in &mut *rows {
            worlds.push(LocalToWorld(row.world));
            if let RowKind::Trs { translation, rotation, scale } = row.kind {
                push(&mut translations, Some(Translation::from(translation)));
                push(&mut rotations, Some(Rotation(rotation)));
                push(&mut scales, scale.map(NonUniformScale));
            }
            push(&mut locals, row.link.map(|link| LocalToParent(link.local)));
            push(&mut parents, row.link.map(|link| Parent(link.parent)));
            push(&mut previous, row.link.map(|link| PreviousParent(Some(link.parent))));
            push(&mut children, Some(row.children.drain(..).collect::<Children>()));
            values.iter_mut().for_each(|append| append(1));
        }
        panics.push_all(writer, &mut rows.iter().map(|(entity, _)| *entity));
    }
}

/// Appends to a column that the rows have, if they do.
fn push<T: Component>(column: &mut Option<Appender<'_, T>>, component: Option<T>) {
    if let (Some(column), Some(component)) = (column, component) {
        column.push(component);
    }
}
