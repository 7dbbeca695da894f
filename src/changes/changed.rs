//! The entities that changed, one by one.
//!
//! The iterator is not generic, and in debug builds its `next` is not inlined: so it has the
//! optimisations of this crate.

use legion::Entity;

use super::WorldChanges;

/// Made by [`WorldChanges::changed`].
struct Changed<'a> {
    /// The archetypes that are left: the entities of all rows, and a bit for each that changed.
    archetypes: std::vec::IntoIter<(&'a [Entity], &'a [u64])>,
    entities: &'a [Entity],
    /// The words that are left in this archetype, by number.
    words: std::iter::Enumerate<std::slice::Iter<'a, u64>>,
    /// The bits that are left of a word, and its first row.
    bits: u64,
    first: usize,
}

impl Iterator for Changed<'_> {
    type Item = Entity;

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    fn next(&mut self) -> Option<Entity> {
        while self.bits == 0 {
            if let Some((word, &bits)) = self.words.next() {
                (self.bits, self.first) = (bits, 64 * word);
            } else {
                let (entities, words) = self.archetypes.next()?;
                (self.entities, self.words) = (entities, words.iter().enumerate());
            }
        }
        let row = self.first + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(self.entities[row])
    }
}

impl WorldChanges {
    /// The entities that changed, by archetype and row as of the end of the run.
    pub fn changed(&self) -> impl Iterator<Item = Entity> + '_ {
        let archetypes = self.changed_rows().collect::<Vec<_>>().into_iter();
        Changed { archetypes, entities: &[], words: [].iter().enumerate(), bits: 0, first: 0 }
    }
}
