//! What users choose for a bundle, and which of it all bundles of a world share.

use std::sync::Arc;

use crate::{
    components::Inherited,
    engine::{machine::Machine, meaning::WorldOptions, propagation::Property},
    write_group::WriteGroups,
};

/// What users choose for a bundle.
#[derive(Default)]
pub(crate) struct Options {
    pub write_groups: WriteGroups,
    /// The user's own components that children inherit, in the order of their types.
    pub properties: Vec<Property>,
    /// What runs compute with.
    pub machine: Machine,
    /// Whether each run lists the world matrices that it changed.
    pub tracks_changes: bool,
    /// Whether new findings are kept out of the log and the output.
    pub hides_findings: bool,
    /// Whether entities get the matrices that they lack.
    pub inserts_missing: bool,
}

impl Options {
    /// Lets children inherit a component.
    pub fn inherit<P: Inherited>(&mut self) {
        let property = Property::of::<P>();
        if let Err(at) = self.properties.binary_search_by_key(&property.id, |it| it.id) {
            self.properties.insert(at, property);
        }
    }
}

/// The options that a world's state depends on: all bundles of a world must have the same. A
/// bundle holds its `Arc` as long as its systems live, and nobody else holds it.
#[derive(Clone)]
pub(super) struct Choices {
    pub write_groups: WriteGroups,
    pub properties: Vec<Property>,
    pub tracks_changes: bool,
    pub options: Arc<WorldOptions>,
}

impl Choices {
    pub fn of(options: &Options) -> Self {
        let &Options { ref write_groups, ref properties, tracks_changes, inserts_missing, .. } =
            options;
        let (write_groups, properties) = (write_groups.clone(), properties.clone());
        let effective = properties.iter().map(|property| property.effective).collect();
        let options = Arc::new(WorldOptions::new(&write_groups, inserts_missing, effective));
        Self { write_groups, properties, tracks_changes, options }
    }

    /// An option that only one of two bundles has, if they differ. Copies of one bundle's are known
    /// by what they share.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        if Arc::ptr_eq(&self.options, &other.options) {
            return None;
        }
        let ids = |of: &Self| -> Vec<_> { of.properties.iter().map(|it| it.id).collect() };
        let (own, others) = (&self.options, &other.options);
        let options = [
            ("track_changes()", self.tracks_changes != other.tracks_changes),
            ("insert_missing()", own.inserts_missing != others.inserts_missing),
            ("an inherit()", ids(self) != ids(other)),
            ("large_worlds()", own.sees_frames != others.sees_frames),
            ("a write_group()", self.write_groups != other.write_groups),
        ];
        options.into_iter().find(|(_, differs)| *differs).map(|(option, _)| option)
    }

    /// # Panics
    /// If two bundles on one world differ.
    pub fn assert_same(&self, other: &Self) {
        if let Some(option) = self.difference(other) {
            panic!(
                "two TransformSystemBundles run on one world with different options: only one of \
                 them has {option}; give all bundles of a world the same options, or drop the \
                 schedule of the other one first"
            );
        }
    }
}
