//! The components that a transform needs and a tuple lacks. All of this is compiled with this
//! crate: it does not depend on the tuple.

use std::{mem, sync::LazyLock};

use legion::{
    Entity, World,
    query::{FilterResult, LayoutFilter},
    storage::{ArchetypeWriter, ComponentTypeId, EntityLayout},
};

use super::column::Types;
use crate::{
    components::*,
    engine::{Append, Appender, Mask, NewValues, Panics, RowSource, lacking_columns},
};

/// The parents of rows.
pub enum Parents {
    /// One for all rows, or none.
    Shared(Option<Entity>),
    /// One for each row. It is spawned with them: its `Children` already list them.
    Each(Vec<Entity>),
}

/// What rows get besides their tuples.
pub struct Added {
    /// The parents of the rows.
    pub parents: Parents,
    /// The children of each row that are spawned with it; empty where no row has any.
    pub children: Vec<Children>,
    components: Mask,
    /// What adds other components to a layout, and their values: of properties, and what makes
    /// inputs count, such as `Rotation` for its Eulers.
    others: Vec<fn(&mut EntityLayout)>,
    values: Vec<Box<dyn NewValues>>,
}

impl Added {
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    pub fn new(parents: Parents) -> Self {
        let (others, values) = (Vec::new(), Vec::new());
        Self { parents, children: Vec::new(), components: Mask::NONE, others, values }
    }

    /// Finds out what rows lack, from the types of their tuples, and adds it to the types. A
    /// property that panics gives no values.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    pub fn complete(&mut self, types: &mut Types, world: &World, rows: usize, panics: &mut Panics) {
        let present = Mask::of_types(types);
        let mut needed = Mask::LOCAL_TO_WORLD;
        let has_parents = !matches!(self.parents, Parents::Shared(None));
        if has_parents || present.has(Mask::PARENT) {
            needed |= Mask::LOCAL_TO_PARENT | Mask::PARENT | Mask::PREVIOUS_PARENT;
        }
        if !self.children.is_empty() {
            needed |= Mask::CHILDREN;
        }
        self.components = needed.without(present);
        types.extend(self.components.ids());
        for column in lacking_columns(world, present, types) {
            if let Some(values) = panics.catch(|| (column.values)(rows)) {
                types.push(column.component);
                self.others.push(column.register);
                self.values.push(values);
            }
        }
    }

    /// Inserts rows of these types, which `write` appends with this. Returns their ids.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    pub fn insert<'w>(
        &mut self,
        world: &'w mut World,
        types: &[ComponentTypeId],
        register: fn(&mut EntityLayout),
        write: &mut dyn FnMut(&mut Self, &mut ArchetypeWriter<'_>),
    ) -> &'w [Entity] {
        let (components, others) = (self.components, mem::take(&mut self.others));
        let layout = || {
            let mut layout = EntityLayout::default();
            register(&mut layout);
            components.register(&mut layout);
            others.iter().for_each(|register| register(&mut layout));
            layout
        };
        let write = |writer: &mut ArchetypeWriter<'_>| write(self, writer);
        world.extend(RowSource { filter: || ExactComponents(types), layout, write })
    }

    /// Claims the columns, with room for `rows` rows, which come in blocks.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    pub fn claim<'r, 'w>(
        &'r mut self,
        writer: &mut ArchetypeWriter<'w>,
        rows: usize,
        block: usize,
    ) -> AddedColumns<'r, 'w> {
        let (components, mut values) = (self.components, Vec::new());
        // No `collect`: most often there are none.
        for new in self.values.drain(..) {
            values.push(new.claim(writer, rows));
        }
        let has = |component| components.has(component);
        AddedColumns {
            parents: &self.parents,
            listed: &mut self.children,
            rows: 0,
            local_to_world: has(Mask::LOCAL_TO_WORLD).then(|| Appender::claim(writer, rows)),
            local_to_parent: has(Mask::LOCAL_TO_PARENT).then(|| Appender::claim(writer, rows)),
            parent: has(Mask::PARENT).then(|| Appender::claim_blocks(writer, rows, block)),
            previous_parent: has(Mask::PREVIOUS_PARENT)
                .then(|| Appender::claim_blocks(writer, rows, block)),
            children: has(Mask::CHILDREN).then(|| Appender::claim_blocks(writer, rows, block)),
            values,
        }
    }
}

/// The columns of the added components.
pub struct AddedColumns<'r, 'w> {
    parents: &'r Parents,
    listed: &'r mut [Children],
    /// How many rows are there.
    rows: usize,
    local_to_world: Option<Appender<'w, LocalToWorld>>,
    local_to_parent: Option<Appender<'w, LocalToParent>>,
    parent: Option<Appender<'w, Parent>>,
    previous_parent: Option<Appender<'w, PreviousParent>>,
    children: Option<Appender<'w, Children>>,
    values: Vec<Append<'w>>,
}

/// The most rows that are appended together. At 64 bytes a matrix, a block of a column takes 4 KiB.
pub const BLOCK: usize = 64;

/// The first values of the matrices, for a block of rows.
static IDENTITIES: LazyLock<([LocalToWorld; BLOCK], [LocalToParent; BLOCK])> =
    LazyLock::new(|| ([LocalToWorld::identity(); BLOCK], [LocalToParent::identity(); BLOCK]));

impl AddedColumns<'_, '_> {
    /// Appends a block of this many rows.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    pub fn append(&mut self, rows: usize) {
        for row in self.rows..self.rows + rows {
            let (parent, is_listed) = match self.parents {
                Parents::Shared(parent) => (*parent, false),
                Parents::Each(parents) => (Some(parents[row]), true),
            };
            if let (Some(column), Some(parent)) = (&mut self.parent, parent) {
                column.push(Parent(parent));
            }
            if let Some(column) = &mut self.previous_parent {
                column.push(PreviousParent(parent.filter(|_| is_listed)));
            }
            if let Some(column) = &mut self.children {
                column.push(self.listed.get_mut(row).map(mem::take).unwrap_or_default());
            }
        }
        self.rows += rows;
        if let Some(column) = &mut self.local_to_world {
            column.push_copies(&IDENTITIES.0[..rows]);
        }
        if let Some(column) = &mut self.local_to_parent {
            column.push_copies(&IDENTITIES.1[..rows]);
        }
        self.parent.iter_mut().for_each(Appender::flush);
        self.previous_parent.iter_mut().for_each(Appender::flush);
        self.children.iter_mut().for_each(Appender::flush);
        self.values.iter_mut().for_each(|append| append(rows));
    }
}

/// Matches the archetypes of exactly these components.
pub(crate) struct ExactComponents<'t>(pub &'t [ComponentTypeId]);

impl LayoutFilter for ExactComponents<'_> {
    #[inline]
    fn matches_layout(&self, components: &[ComponentTypeId]) -> FilterResult {
        // The types of an archetype differ. A tuple that has a type twice matches none, and panics
        // when its layout is made.
        let (types, len) = (self.0, components.len());
        let is_same = || components == types || components.iter().all(|id| types.contains(id));
        FilterResult::Match(len == types.len() && is_same())
    }
}
