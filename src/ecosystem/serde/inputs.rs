//! Saving inputs, without the matrices that the bundle derives from them.

use std::ops::BitAnd;

use legion::{
    Registry,
    query::{DynamicFilter, EntityFilterTuple, FilterResult, LayoutFilter},
    serialize::{TypeKey, UnknownType},
    storage::ComponentTypeId,
};

use crate::{
    components::*,
    engine::{Mask, Overrides, for_each_component, rules},
    write_group::{Filtered, WriteGroups},
};

/// Registers the inputs among the components of this crate: all but `LocalToWorld`, `LocalToParent`
/// and `PreviousParent`. For the entities that [`derived_matrices`] selects. Before the next run
/// gives them their matrices, queries and edits of such entities are errors.
///
/// Sets [`UnknownType::Ignore`], so that a save skips the other three. It also skips components of
/// yours that you forget to register.
///
/// Save the entities whose matrices are derived in this way, and the others whole: static ones have
/// nothing but their matrix. Load both under the same names, and move one to the other. A bundle
/// with [`insert_missing`](crate::TransformSystemBundle::insert_missing) adds the matrices:
///
/// ```
/// # use legion::{serialize::Canon, *};
/// use legion_transform::{WriteGroups, ecosystem::serde::*};
/// # use legion_transform::prelude::*;
/// # let mut world = World::default();
/// # let sun = world.push_transform((Translation::new(100.0, 0.0, 0.0),));
/// # world.push_child(sun, (Scale(2.0),));
/// # let rock = world.push_transform((LocalToWorld::from(nalgebra::Matrix4::new_scaling(3.0)),));
/// # world.push_child(rock, (Scale(2.0),));
/// # let bundle = TransformSystemBundle::default().insert_missing();
/// # let mut schedule = Schedule::builder().add_transforms(bundle).build();
/// # let mut resources = Resources::default();
///
/// let (mut inputs, mut whole) = (Registry::<String>::default(), Registry::<String>::default());
/// register_inputs(&mut inputs);
/// register_components(&mut whole); // and your own components with both
/// let groups = WriteGroups::default(); // or those of your bundle
///
/// let names = Canon::default();
/// let save = [
///     serde_json::to_string(&world.as_serializable(derived_matrices(&groups), &inputs, &names))?,
///     serde_json::to_string(&world.as_serializable(own_matrices(&groups), &whole, &names))?,
/// ];
///
/// let (mut loaded, names) = (World::default(), Canon::default());
/// for (part, registry) in save.iter().zip([&inputs, &whole]) {
///     let mut json = serde_json::Deserializer::from_str(part);
///     loaded.move_from(&mut load(registry, &names, &mut json)?, &any());
/// }
/// schedule.execute(&mut loaded, &mut resources);
/// # assert_eq!((loaded.len(), <&Parent>::query().iter(&loaded).count()), (4, 2));
/// # let mut scales: Vec<f32> =
/// #     <&LocalToWorld>::query().iter(&loaded).map(|matrix| matrix.m11).collect();
/// # scales.sort_by(f32::total_cmp);
/// # assert_eq!(scales, [1.0, 2.0, 3.0, 6.0]);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn register_inputs<K: TypeKey + From<&'static str>>(registry: &mut Registry<K>) {
    const LEFT_OUT: Mask =
        Mask::LOCAL_TO_WORLD.union(Mask::LOCAL_TO_PARENT).union(Mask::PREVIOUS_PARENT);
    registry.on_unknown(UnknownType::Ignore);
    macro_rules! register {
        ($($component:ident: $bit:ident,)*) => {
            $(if !LEFT_OUT.has(Mask::$bit) {
                registry.register::<$component>(K::from(stringify!($component)));
            })*
        };
    }
    for_each_component!(register);
    registry.register::<Frame>(K::from("Frame"));
    registry.register::<Visible>(K::from("Visible"));
    registry.register::<RenderLayers>(K::from("RenderLayers"));
}

/// Selects entities by whether the bundle derives their matrices, for `World::as_serializable`:
/// [`derived_matrices`] or [`own_matrices`]. Put it behind another filter to save a part of a
/// world: `component::<Health>() & derived_matrices(&groups)`.
#[derive(Clone)]
pub struct MatrixFilter {
    overrides: Overrides,
    wants_derived: bool,
}

/// The entities whose matrices the bundle derives: saving their inputs is enough. Takes the
/// bundle's write groups, or `WriteGroups::default()`.
#[must_use]
pub fn derived_matrices(groups: &WriteGroups) -> MatrixFilter {
    MatrixFilter { overrides: Overrides::new(groups), wants_derived: true }
}

/// All others, to be saved with [`register_components`](super::register_components): entities with
/// a matrix of their own (static ones, matrices without inputs, matrices that your own component
/// overrides), entities that have just lost their `Parent`, whose record is needed in the next run,
/// and entities without a transform.
#[must_use]
pub fn own_matrices(groups: &WriteGroups) -> MatrixFilter {
    MatrixFilter { wants_derived: false, ..derived_matrices(groups) }
}

impl LayoutFilter for MatrixFilter {
    fn matches_layout(&self, components: &[ComponentTypeId]) -> FilterResult {
        let present = Mask::of_types(components);
        let has_parent = present.has(Mask::PARENT);
        let is_whole = present.has(Mask::LOCAL_TO_PARENT) == has_parent;
        // The record says who lost a `Parent` since the last run.
        let is_settled = has_parent || !present.has(Mask::PREVIOUS_PARENT);
        // On a cycle a `ParentScaleInverse` is not read: alone, it derives nothing there.
        let read = present.without(Mask::PARENT_SCALE_INVERSE);
        let is_derived =
            present.has(Mask::LOCAL_TO_WORLD) && rules::local_matrix(read).is_derived(read);
        let is_overridden = self
            .overrides
            .of(present, components)
            .has_any(Mask::LOCAL_TO_WORLD | Mask::LOCAL_TO_PARENT);
        let is_of_inputs = is_whole && is_settled && is_derived && !is_overridden;
        FilterResult::Match(is_of_inputs == self.wants_derived)
    }
}

/// Both must match. (A dynamic filter on the left does not count in a save, as in Legion's own.)
impl<L: LayoutFilter, F: DynamicFilter> BitAnd<MatrixFilter> for EntityFilterTuple<L, F>
where
    Self: LayoutFilter,
{
    type Output = Filtered<Self, MatrixFilter>;

    fn bitand(self, filter: MatrixFilter) -> Self::Output {
        Filtered::new(self, filter)
    }
}
