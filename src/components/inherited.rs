//! Properties that children inherit.

use std::{fmt, ops::Deref};

/// Your own component that goes down the hierarchy: a tint, a team, a time scale.
///
/// With [`TransformSystemBundle::inherit`](crate::TransformSystemBundle::inherit) each entity with
/// `LocalToWorld` has [`Effective`] of it, right after each run. With `V` for its value,
///
/// ```text
///   V(entity) = combine(V(parent), own component)     `None` for a root and for one without it
/// ```
///
/// by the same parents as for matrices: an entity on a cycle, or with a parent that is dead or has
/// not come, counts as a root. [`Visible`](super::Visible) and
/// [`RenderLayers`](super::RenderLayers) are ready-made.
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
///
/// /// How fast time goes by for an entity, times its parent's.
/// struct TimeScale(f32);
///
/// impl Inherited for TimeScale {
///     type Value = f32;
///     fn combine(parent: Option<&f32>, own: Option<&Self>) -> f32 {
///         parent.unwrap_or(&1.0) * own.map_or(1.0, |own| own.0)
///     }
/// }
///
/// let (mut world, mut resources) = (World::default(), Resources::default());
/// let bundle = TransformSystemBundle::default().inherit::<TimeScale>();
/// let mut schedule = Schedule::builder().add_transforms(bundle).build();
/// let bubble = world.push_transform((Scale(1.0), TimeScale(0.5)));
/// let snail = world.push_child(bubble, (Scale(1.0), TimeScale(0.1)));
/// let shell = world.push_child(snail, (Scale(1.0),));
/// schedule.execute(&mut world, &mut resources);
///
/// let entry = world.entry(shell).unwrap();
/// assert_eq!(**entry.get_component::<Effective<TimeScale>>().unwrap(), 0.05);
/// ```
pub trait Inherited: Send + Sync + Sized + 'static {
    /// The value on each entity.
    type Value: Clone + PartialEq + Send + Sync + 'static;

    /// The value of an entity, from its parent's and its own component. It must depend on these
    /// alone: it is called again only where one of them may have changed, from several threads, and
    /// the children follow only if the result is not equal to the value before.
    ///
    /// Do not wait for rayon in it (`join`, `scope`, a parallel iterator). While a thread waits,
    /// rayon may give it another job of your program, which may want a lock that the thread holds.
    fn combine(parent: Option<&Self::Value>, own: Option<&Self>) -> Self::Value;
}

/// The value of an [`Inherited`] component on this entity. The bundle adds it and writes it.
///
/// Spawn entities with `Effective::<P>::default()` in their tuple: then the first run need not move
/// them to another archetype to add it. After the first run on a world the helpers of
/// [`spawn`](crate::spawn) add it themselves. Entities with more than 120 components must have it
/// in their tuple: the bundle cannot add it there, and for those below they would have no value.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "P::Value: serde::Serialize",
        deserialize = "P::Value: serde::Deserialize<'de>"
    ))
)]
#[repr(transparent)]
pub struct Effective<P: Inherited>(pub P::Value);

impl<P: Inherited> Deref for Effective<P> {
    type Target = P::Value;
    fn deref(&self) -> &P::Value {
        &self.0
    }
}

/// The value of a root without the component.
impl<P: Inherited> Default for Effective<P> {
    fn default() -> Self {
        Self(P::combine(None, None))
    }
}

impl<P: Inherited> Clone for Effective<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P: Inherited> PartialEq for Effective<P> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<P: Inherited<Value: fmt::Debug>> fmt::Debug for Effective<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Effective").field(&self.0).finish()
    }
}
