//! The row map: who stands where. For each archetype with transform components the entities by row,
//! and for each of these entities its row.
//!
//! It replays Legion's events: an insertion appends a row, a removal swaps the last row in. Here
//! `b` leaves an archetype of four:
//!
//! ```text
//!  entities by row       rows by entity
//!  a b c d               a: 0   b: 1   c: 2   d: 3
//!  a d c                 a: 0   b: -   c: 2   d: 1
//! ```
//!
//! Until the hierarchy's pass `b` is *parked*: it may come to a different archetype, with all that
//! is kept for it.
//!
//! # Pages
//!
//! Rows by entity stand in pages of 8 numbers, and all pages in one vector. Rows of archetypes hold
//! [`Handle`]s, 4 bytes each. Entity 1,003 is number 3 of page 125. If that page stands at index 1
//! of `pages`, then the handle is 1 * 8 + 3:
//!
//! ```text
//!  archetypes[7]  [ 11, .. ]            row 0 of archetype 7: handle 11 = index 1, at 3
//!  pages[1]       number 125   rows[3] = archetype 7, row 0
//!  by_number      125 => index 1
//! ```
//!
//! Legion gives out numbers in blocks of 16: `extend` uses all of a block, `push` one of each. So a
//! page is full, or has one entity. A page goes with its last entity; a new one takes its index.

use std::{collections::HashMap, num::NonZeroU64};

use legion::{Entity, world::EntityHasher};

use super::{
    columns::Row,
    mask::{captured, entity},
};

/// How many numbers a page has.
const PAGE: usize = 8;

/// The archetype of entities that have left their rows and may come to others: their row is their
/// index among these.
const PARKED: u32 = u32::MAX - 1;

/// Where in the pages an entity is: 8 times the index of the page, plus the lower three bits of the
/// entity's number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Handle(u32);

impl Handle {
    fn page(self) -> usize {
        self.0 as usize / PAGE
    }

    fn at(self) -> usize {
        self.0 as usize % PAGE
    }
}

/// The rows of the entities whose numbers differ in the lower three bits only.
struct Page {
    /// The entities' numbers without the lower three bits.
    number: u64,
    rows: [Row; PAGE],
}

/// Who stands where; see the [module](self).
#[derive(Default)]
pub(crate) struct RowMap {
    /// By archetype and row; empty for archetypes without transform components.
    archetypes: Vec<Vec<Handle>>,
    pages: Vec<Page>,
    /// The indices of free pages, which the next new ones take.
    free: Vec<u32>,
    /// The index of each page by its number.
    by_number: HashMap<u64, u32, EntityHasher>,
    /// The page that was found last: ids are given out in order.
    last: LastPage,
}

/// An event that cannot have happened: an entity comes that is in some archetype already, or goes
/// from an archetype that it is not in.
#[derive(Debug)]
pub(crate) struct Unsound;

/// The number of the page that was found last, and its index.
#[derive(Clone)]
pub(super) struct LastPage(u64, u32);

impl Default for LastPage {
    /// None: no page has this number.
    fn default() -> Self {
        Self(u64::MAX, 0)
    }
}

impl RowMap {
    /// How many rows an archetype has.
    pub fn len(&self, archetype: u32) -> usize {
        self.archetypes[archetype as usize].len()
    }

    /// Makes room for this many archetypes.
    pub fn set_archetypes(&mut self, count: usize) {
        self.archetypes.resize_with(count, Vec::new);
    }

    /// Makes room for this many rows of an archetype.
    pub fn reserve(&mut self, archetype: u32, rows: usize) {
        let list = &mut self.archetypes[archetype as usize];
        list.reserve_exact(rows.saturating_sub(list.len()));
    }

    /// How many pages are in use.
    #[cfg(test)]
    pub fn pages(&self) -> usize {
        self.by_number.len()
    }

    /// Where an entity is.
    pub fn locate(&self, entity: Entity) -> Option<Row> {
        self.locate_near(entity, &mut self.last.clone())
    }

    /// Where an entity is. `last` is the page that the call before has found: parents often have
    /// numbers near each other, and then no hash is computed.
    pub(super) fn locate_near(&self, entity: Entity, last: &mut LastPage) -> Option<Row> {
        let row = self.row(self.find(entity, last)?);
        (row.archetype < PARKED).then_some(row)
    }

    /// The number under which an entity is parked.
    pub fn parked(&self, entity: Entity) -> Option<u32> {
        let at = self.row(self.find(entity, &mut self.last.clone())?);
        (at.archetype == PARKED).then_some(at.row)
    }

    /// The entity at a row.
    pub fn entity(&self, row: Row) -> Option<Entity> {
        let handle = *self.archetypes.get(row.archetype as usize)?.get(row.row as usize)?;
        let number = self.pages[handle.page()].number * PAGE as u64 + handle.at() as u64;
        Some(entity(NonZeroU64::new(number).expect("an entity's number is not 0")))
    }

    /// An entity comes to an archetype, behind the others. Returns its row, and the number under
    /// which it was parked, if it was.
    pub fn insert(
        &mut self,
        entity: Entity,
        archetype: u32,
    ) -> Result<(u32, Option<u32>), Unsound> {
        let handle = self.admit(entity);
        let at = self.row(handle);
        if at.archetype < PARKED {
            return Err(Unsound);
        }
        let rows = &mut self.archetypes[archetype as usize];
        let row = rows.len() as u32;
        rows.push(handle);
        self.set_row(handle, Row { archetype, row });
        Ok((row, (at.archetype == PARKED).then_some(at.row)))
    }

    /// An entity leaves an archetype; the last one takes its row. It is parked under this number
    /// until it comes to another row or is [forgotten](Self::forget). Returns the row that it had.
    pub fn remove(&mut self, entity: Entity, archetype: u32, parked: u32) -> Result<u32, Unsound> {
        let handle = self.find(entity, &mut self.last.clone()).ok_or(Unsound)?;
        let at = self.row(handle);
        if at.archetype != archetype {
            return Err(Unsound);
        }
        let rows = &mut self.archetypes[archetype as usize];
        rows.swap_remove(at.row as usize);
        if let Some(&filler) = rows.get(at.row as usize) {
            self.set_row(filler, at);
        }
        self.set_row(handle, Row { archetype: PARKED, row: parked });
        Ok(at.row)
    }

    /// A parked entity does not come back. The last one of a page frees it.
    pub fn forget(&mut self, entity: Entity) {
        let Some(handle) = self.find(entity, &mut self.last.clone()) else { return };
        self.set_row(handle, Row::NOWHERE);
        let page = &self.pages[handle.page()];
        if page.rows == [Row::NOWHERE; PAGE] {
            self.by_number.remove(&page.number);
            self.free.push(handle.page() as u32);
            self.last = LastPage::default();
        }
        if self.free.len() == self.pages.len() {
            (self.pages, self.free, self.by_number) = Default::default();
        }
    }

    /// The row of a handle; [`Row::NOWHERE`] if its entity has none, or where it is [`PARKED`].
    fn row(&self, handle: Handle) -> Row {
        self.pages[handle.page()].rows[handle.at()]
    }

    fn set_row(&mut self, handle: Handle, row: Row) {
        self.pages[handle.page()].rows[handle.at()] = row;
    }

    /// The handle of an entity that has a page.
    fn find(&self, entity: Entity, last: &mut LastPage) -> Option<Handle> {
        let number = captured(&entity);
        let (page, at) = (number / PAGE as u64, number % PAGE as u64);
        if last.0 != page {
            *last = LastPage(page, *self.by_number.get(&page)?);
        }
        Some(Handle(last.1 * PAGE as u32 + at as u32))
    }

    /// The handle of an entity, on a new page if need be.
    #[inline]
    fn admit(&mut self, entity: Entity) -> Handle {
        let number = captured(&entity);
        let (page, at) = (number / PAGE as u64, number % PAGE as u64);
        if self.last.0 != page {
            self.last = LastPage(page, self.page(page));
        }
        Handle(self.last.1 * PAGE as u32 + at as u32)
    }

    /// The index of the page with a number, a new one if need be.
    fn page(&mut self, number: u64) -> u32 {
        if let Some(&index) = self.by_number.get(&number) {
            return index;
        }
        let page = Page { number, rows: [Row::NOWHERE; PAGE] };
        let index = self.free.pop().unwrap_or(self.pages.len() as u32);
        match self.pages.get_mut(index as usize) {
            Some(free) => *free = page,
            None => self.pages.push(page),
        }
        self.by_number.insert(number, index);
        index
    }
}
