//! Crowds: worlds in which all entities have the same components, as they have in archetypes of
//! many rows. The kernels compose four rows at a time, and look at 64 in a word.
//!
//! ```text
//!  entities        0   1   2   3   ...  up to 69
//!  components      Translation, RotationPivot, CompositeRotation: of each, with other numbers
//!  parents         none; or all below the first; or each below one before it, or none
//! ```

use proptest::{
    prelude::*,
    sample::{Index, select, subsequence},
};

use super::{Histories, model::Model};
use crate::{
    kind::Kind,
    world::{
        strategies::{Forest, Node},
        value::{Type, Value},
    },
};

/// The fewest entities of a crowd: as many as a kernel takes at a time.
pub(super) const FEWEST: usize = 4;

/// The components that most programs have.
const USUAL: [Kind; 3] = [Kind::Translation, Kind::Rotation, Kind::Scale];

/// Components that are computed together: by chance alone they would hardly meet.
const FAMILIES: [&[Kind]; 3] = [
    &[
        Kind::CompositeRotation,
        Kind::PostRotation,
        Kind::RotationPivot,
        Kind::RotationPivotTranslation,
    ],
    &[
        Kind::CompositeScale,
        Kind::Shear,
        Kind::ScalePivot,
        Kind::ScalePivotTranslation,
        Kind::NonUniformScale,
    ],
    &[Kind::ParentScaleInverse, Kind::WorldToLocal, Kind::Inherits],
];

impl Histories {
    /// A world whose entities all have the same components.
    pub(super) fn crowd(&self) -> BoxedStrategy<Model> {
        let (is_usual, others): (Vec<Type>, Vec<Type>) = self
            .types()
            .into_iter()
            .partition(|it| matches!(it, Type::Kind(kind) if USUAL.contains(kind)));
        let few = others.len().min(5);
        let usual = subsequence(is_usual.clone(), 0..=is_usual.len());
        let has = |kind: &&Kind| others.contains(&Type::Kind(**kind));
        let families = FAMILIES.map(|family| -> Vec<Type> {
            family.iter().filter(has).copied().map(Type::Kind).collect()
        });
        let family = select(families.to_vec());
        let family = family.prop_flat_map(|all| subsequence(all.clone(), 0..=all.len()));
        let others = prop_oneof![subsequence(others, 0..=few), family];
        let (of_type, most, allow) = (self.of_type(), self.crowd, self.allow.clone());
        let entities = (usual, others).prop_flat_map(move |(usual, others)| {
            let types = usual.into_iter().chain(others);
            let components: Vec<BoxedStrategy<Value>> = types.map(&of_type).collect();
            // Entities that are left out one by one leave the numbers of the others as they are.
            let is_there = proptest::bool::weighted(0.95);
            proptest::collection::vec((is_there, components, any::<Index>()), FEWEST..=most)
        });
        (entities, 0..3_u8)
            .prop_map(move |(entities, shape)| {
                let (mut forest, mut more) = (Forest::default(), Vec::new());
                for (number, (is_there, components, index)) in entities.into_iter().enumerate() {
                    let parent = match shape {
                        _ if number == 0 => None,
                        0 => None,
                        1 => Some(0),
                        _ => index.index(number + 1).checked_sub(1),
                    };
                    forest.nodes.push(Node { parent, components: Vec::new() });
                    more.push((is_there, components));
                }
                Model::new(forest, more, allow.clone())
            })
            .boxed()
    }
}
