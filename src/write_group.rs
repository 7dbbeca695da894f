//! Write groups: a user's component takes over a derived one, or extends its computation.
//!
//! A component is in the *write group* of a derived component when it takes part in computing it,
//! as [`Translation`](crate::components::Translation) in that of
//! [`LocalToWorld`](crate::components::LocalToWorld). So is every component that you register
//! there:
//!
//! - **Override**: register your component with
//!   [`TransformSystemBundle::write_group`](crate::TransformSystemBundle::write_group). The bundle
//!   stops writing the derived component on entities that have yours; their children follow what
//!   you write.
//! - **Extend**: give your own query the [filter](WriteGroups::filter) of the group, listing the
//!   components it reads. It then matches only entities without any other member of the group. So
//!   systems for `A`, for `B` and for `A + B` can stand side by side.

use std::ops::BitAnd;

use legion::{
    query::{
        DynamicFilter, EntityFilter, EntityFilterTuple, Fetch, FilterResult, GroupMatcher,
        LayoutFilter, Passthrough,
    },
    storage::{Component, ComponentTypeId},
    world::WorldId,
};

/// The groups: the built-in ones, and the members that users added.
///
/// A computed matrix that you overwrite is computed again by the next run, or within 32 runs if
/// entities have come to its archetype since the last one. To write it yourself, register your own
/// component in its write group.
///
/// ```
/// use legion::*;
/// use legion_transform::{WriteGroups, prelude::*};
///
/// struct Wobble(f32);
///
/// let mut groups = WriteGroups::default();
/// groups.register::<LocalToWorld, Wobble>();
/// let mut query = <(&mut LocalToWorld, &Wobble)>::query()
///     .filter(groups.filter::<LocalToWorld>().reads::<Wobble>());
///
/// let mut world = World::default();
/// world.push((LocalToWorld::identity(), Wobble(1.0)));
/// // `Translation` was not listed.
/// world.push((LocalToWorld::identity(), Wobble(2.0), Translation::identity()));
/// assert_eq!(query.iter_mut(&mut world).count(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteGroups {
    /// Pairs of a target and a member of its group, in order, each once.
    members: Vec<(ComponentTypeId, ComponentTypeId)>,
}

impl WriteGroups {
    /// Adds `Member` to the write group of `Target`. A second time changes nothing.
    pub fn register<Target: Component, Member: Component>(&mut self) -> &mut Self {
        self.add(ComponentTypeId::of::<Target>(), ComponentTypeId::of::<Member>());
        self
    }

    pub(crate) fn empty() -> Self {
        Self { members: Vec::new() }
    }

    pub(crate) fn add(&mut self, target: ComponentTypeId, member: ComponentTypeId) {
        if let Err(place) = self.members.binary_search(&(target, member)) {
            self.members.insert(place, (target, member));
        }
    }

    /// Whether `Member` is in the write group of `Target`.
    pub(crate) fn contains<Target: Component, Member: Component>(&self) -> bool {
        let pair = (ComponentTypeId::of::<Target>(), ComponentTypeId::of::<Member>());
        self.members.binary_search(&pair).is_ok()
    }

    /// The members of a target's group.
    fn group(&self, target: ComponentTypeId) -> impl Iterator<Item = ComponentTypeId> + '_ {
        self.members.iter().filter(move |(it, _)| *it == target).map(|(_, member)| *member)
    }

    /// A filter for a query that writes `Target`. List the components that the query reads with
    /// [`WriteGroupFilter::reads`].
    #[must_use]
    pub fn filter<Target: Component>(&self) -> WriteGroupFilter {
        WriteGroupFilter {
            layout: WriteGroupLayout {
                groups: self.clone(),
                target: Some(ComponentTypeId::of::<Target>()),
                reads: Vec::new(),
            },
            dynamic: Passthrough,
        }
    }

    /// The members of `target`'s group that `reads` does not account for: on an entity that has one
    /// of them, another system writes the target.
    pub(crate) fn outside(
        &self,
        target: ComponentTypeId,
        reads: &[ComponentTypeId],
    ) -> Vec<ComponentTypeId> {
        let closure = self.closure(reads);
        self.group(target).filter(|member| !closure.contains(member)).collect()
    }

    /// `reads` and, recursively, the groups of its members.
    pub(crate) fn closure(&self, reads: &[ComponentTypeId]) -> Vec<ComponentTypeId> {
        let mut closure = reads.to_vec();
        let mut followed = 0;
        while let Some(&id) = closure.get(followed) {
            followed += 1;
            for member in self.group(id) {
                if !closure.contains(&member) {
                    closure.push(member);
                }
            }
        }
        closure
    }
}

/// Matches the entities whose members of a write group are all listed, or inputs of listed ones.
///
/// Made by [`WriteGroups::filter`]; goes last in a query's chain of filters.
#[derive(Clone, Debug, Default)]
pub struct WriteGroupFilter {
    layout: WriteGroupLayout,
    dynamic: Passthrough,
}

impl WriteGroupFilter {
    /// Lists a component that the query reads.
    #[must_use]
    pub fn reads<T: Component>(mut self) -> Self {
        self.layout.reads.push(ComponentTypeId::of::<T>());
        self
    }
}

impl EntityFilter for WriteGroupFilter {
    type Layout = WriteGroupLayout;
    type Dynamic = Passthrough;

    fn layout_filter(&self) -> &Self::Layout {
        &self.layout
    }

    fn filters(&mut self) -> (&Self::Layout, &mut Self::Dynamic) {
        (&self.layout, &mut self.dynamic)
    }
}

/// The layout half of [`WriteGroupFilter`].
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct WriteGroupLayout {
    groups: WriteGroups,
    target: Option<ComponentTypeId>,
    reads: Vec<ComponentTypeId>,
}

impl LayoutFilter for WriteGroupLayout {
    fn matches_layout(&self, components: &[ComponentTypeId]) -> FilterResult {
        let Some(target) = self.target else { return FilterResult::Defer };
        let outside = self.groups.outside(target, &self.reads);
        FilterResult::Match(!components.iter().any(|id| outside.contains(id)))
    }
}

impl GroupMatcher for WriteGroupLayout {
    fn can_match_group() -> bool {
        false
    }

    fn group_components() -> Vec<ComponentTypeId> {
        Vec::new()
    }
}

/// Two filters, both of which must match: a view's own, and a [`WriteGroupFilter`] or another of
/// this crate.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct Filtered<A, B> {
    first: A,
    second: B,
}

impl<A, B> Filtered<A, B> {
    #[cfg(feature = "serde")]
    pub(crate) fn new(first: A, second: B) -> Self {
        Self { first, second }
    }
}

impl<L, F> BitAnd<WriteGroupFilter> for EntityFilterTuple<L, F>
where
    L: LayoutFilter,
    F: DynamicFilter,
{
    type Output = EntityFilterTuple<Filtered<L, WriteGroupLayout>, Filtered<F, Passthrough>>;

    fn bitand(self, filter: WriteGroupFilter) -> Self::Output {
        EntityFilterTuple {
            layout_filter: Filtered { first: self.layout_filter, second: filter.layout },
            dynamic_filter: Filtered { first: self.dynamic_filter, second: filter.dynamic },
        }
    }
}

impl<A: LayoutFilter, B: LayoutFilter> LayoutFilter for Filtered<A, B> {
    fn matches_layout(&self, components: &[ComponentTypeId]) -> FilterResult {
        self.first.matches_layout(components).coalesce_and(self.second.matches_layout(components))
    }
}

impl<A: GroupMatcher, B: GroupMatcher> GroupMatcher for Filtered<A, B> {
    fn can_match_group() -> bool {
        false
    }

    fn group_components() -> Vec<ComponentTypeId> {
        Vec::new()
    }
}

impl<A: DynamicFilter, B: DynamicFilter> DynamicFilter for Filtered<A, B> {
    fn prepare(&mut self, world: WorldId) {
        self.first.prepare(world);
        self.second.prepare(world);
    }

    fn matches_archetype<T: Fetch>(&mut self, fetch: &T) -> FilterResult {
        self.first.matches_archetype(fetch).coalesce_and(self.second.matches_archetype(fetch))
    }
}
