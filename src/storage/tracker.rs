//! What changed since the last run, archetype by archetype: lengths and versions, never entities.
//!
//! Legion's `maybe_changed` is no help (it misses changes, and in parallel reports them for ever), so the versions are read and
//! remembered here. An archetype without transform components costs nothing, one with them some nanoseconds a component.

use legion::storage::ComponentTypeId;

use crate::{
    storage::columns::Columns,
    storage::mask::{Mask, TransformComponent},
};

/// What is remembered of one archetype.
pub(crate) struct ArchetypeSnapshot {
    /// Its components.
    pub mask: Mask,
    /// Those of them that the bundle may write.
    writable: Mask,
    /// The components whose version someone else has moved.
    pub changed: Mask,
    /// Whether entities came or went in a way that shows in the length.
    pub resized: bool,
    /// Whether it has not been brought up to date yet, so that everything in it counts as written.
    pub is_new: bool,
    /// Whether entities of it were linked or cut off, so that it has to be composed again whatever the versions say.
    pub relinked: bool,
    /// Whether the bundle has written a `LocalToWorld` since `WorldToLocal` was last computed.
    pub world_changed: bool,
    len: usize,
    versions: Box<[u64]>,
}

impl ArchetypeSnapshot {
    fn new(mask: Mask, writable: Mask) -> Self {
        Self {
            mask,
            writable,
            changed: Mask::NONE,
            resized: false,
            // A first look must compose even where every version is 0, as the first ones of a process are.
            is_new: true,
            relinked: false,
            world_changed: false,
            len: 0,
            versions: vec![0; mask.len()].into(),
        }
    }

    /// Whether anything happened to it.
    pub fn is_touched(&self) -> bool {
        self.resized || self.is_new || self.relinked || self.changed != Mask::NONE
    }

    /// Whether `component` was written, or entities came or went: both, as every insertion moves all versions.
    pub fn is_changed(&self, component: Mask) -> bool {
        self.resized || self.is_written(component)
    }

    /// Whether `component` may have been written, as it is by every insertion too. Removals change the length only, and take
    /// along what stands in the rows.
    pub fn is_written(&self, component: Mask) -> bool {
        self.is_new || self.changed.has_any(component)
    }

    /// Whether what is computed from `inputs` into `target` has to be computed again.
    pub fn is_due(&self, inputs: Mask, target: Mask) -> bool {
        self.relinked || self.is_written(inputs | target)
    }

    /// Whether its list of entities may have changed: an insertion moves the versions of all components.
    pub fn has_new_entities(&self) -> bool {
        self.resized || self.is_new || self.changed.has(self.mask)
    }

    fn version_mut(&mut self, component: Mask) -> &mut u64 {
        let before = self.mask & component.below();
        &mut self.versions[before.len()]
    }

    /// Whether the bundle may write `component` here.
    pub fn writes(&self, component: Mask) -> bool {
        self.writable.has(component)
    }
}

/// A column of an archetype does not have a row for each of its entities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DamagedColumn {
    pub archetype: u32,
    pub component: Mask,
}

/// Tells which of the crate's components the bundle may write in an archetype, from these and all that it has.
pub(crate) type Writable = Box<dyn Fn(Mask, &[ComponentTypeId]) -> Mask + Send>;

/// What is remembered of a world's archetypes.
pub(crate) struct ChangeTracker {
    all: Vec<ArchetypeSnapshot>,
    /// Those that have any of the crate's components.
    relevant: Vec<u32>,
    writable: Writable,
    /// How many of these something has happened to, as of the last look.
    touched: usize,
}

impl ChangeTracker {
    pub fn new(writable: Writable) -> Self {
        Self { all: Vec::new(), relevant: Vec::new(), writable, touched: 0 }
    }

    /// Compares lengths and versions with what was last seen, and takes note of what differs until it is [acknowledged](Self::acknowledge).
    /// Returns in how many of them anything does.
    ///
    /// # Errors
    /// If a column is not as long as its archetype: what is read and written by row must be there. Nothing but a structural change,
    /// which `columns` exclude, can change a length after that.
    pub fn detect(&mut self, columns: &Columns<'_>) -> Result<usize, DamagedColumn> {
        let archetypes = columns.archetypes();
        for (index, archetype) in archetypes.iter().enumerate().skip(self.all.len()) {
            let mask = Mask::of(archetype.layout());
            if mask != Mask::NONE {
                self.relevant.push(index as u32);
            }
            self.all.push(ArchetypeSnapshot::new(mask, (self.writable)(mask, archetype.layout().component_types())));
        }
        let mut touched = 0;
        for &index in &self.relevant {
            let state = &mut self.all[index as usize];
            let len = archetypes[index as usize].entities().len();
            if std::mem::replace(&mut state.len, len) != len {
                state.resized = true;
            }
            for (component, seen) in state.mask.iter().zip(&mut state.versions) {
                let (version, rows) = columns.look(component, index);
                if rows != len {
                    return Err(DamagedColumn { archetype: index, component });
                }
                if std::mem::replace(seen, version) != version {
                    state.changed |= component;
                }
            }
            touched += usize::from(state.is_touched());
        }
        self.touched = touched;
        Ok(touched)
    }

    /// How many archetypes have transform components.
    pub fn relevant(&self) -> usize {
        self.relevant.len()
    }

    /// Whether the last look found that anything happened.
    pub fn any_touched(&self) -> bool {
        self.touched > 0
    }

    /// Takes everything that was seen up to here as accounted for.
    pub fn acknowledge(&mut self) {
        for &index in &self.relevant {
            let state = &mut self.all[index as usize];
            if state.is_touched() {
                state.changed = Mask::NONE;
                (state.resized, state.is_new, state.relinked) = (false, false, false);
            }
        }
        self.touched = 0;
    }

    /// Moves the version of a component that the bundle has written, and takes note, so that it is not taken for somebody else's.
    pub fn bump<T: TransformComponent>(&mut self, columns: &mut Columns<'_>, archetype: u32) {
        columns.bump::<T>(archetype);
        *self[archetype].version_mut(T::MASK) = columns.version(T::MASK, archetype);
    }

    /// Likewise of a component that others are computed from, which have to follow.
    pub fn bump_input<T: TransformComponent>(&mut self, columns: &mut Columns<'_>, archetype: u32) {
        self.bump::<T>(columns, archetype);
        self[archetype].changed |= T::MASK;
    }

    /// The archetypes with transform components that something happened to.
    pub fn touched(&self) -> impl Iterator<Item = u32> + '_ {
        self.relevant.iter().copied().filter(|&index| self[index].is_touched())
    }

    /// The archetypes with any of these components.
    pub fn having(&self, any: Mask) -> impl Iterator<Item = u32> + '_ {
        self.relevant.iter().copied().filter(move |&index| self[index].mask.has_any(any))
    }
}

impl std::ops::Index<u32> for ChangeTracker {
    type Output = ArchetypeSnapshot;
    fn index(&self, index: u32) -> &ArchetypeSnapshot {
        &self.all[index as usize]
    }
}

impl std::ops::IndexMut<u32> for ChangeTracker {
    fn index_mut(&mut self, index: u32) -> &mut ArchetypeSnapshot {
        &mut self.all[index as usize]
    }
}
