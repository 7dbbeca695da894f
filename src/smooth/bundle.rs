//! `Smooth` inside the bundle's schedule.

use legion::{Resources, World};

use super::Smooth;
use crate::{bundle::TransformSystemBundle, changes::TransformChanges};

impl TransformSystemBundle {
    /// Has the [`Smooth`] of the resources follow each run, right behind it; and tracks changes.
    /// Systems [teleport](Smooth::teleport) by the resource, and what draws reads it there.
    ///
    /// Insert the one that you want, with last frames or without, before the first run: systems
    /// that name a resource need it from the beginning. Where there is none, the first run inserts
    /// a `Smooth::default()`. It follows one world, so two worlds that one schedule runs need
    /// `Resources` of their own.
    ///
    /// ```
    /// use legion::*;
    /// use legion_transform::{prelude::*, smooth::Smooth};
    ///
    /// struct Portal;
    ///
    /// #[system(for_each)]
    /// fn go(ship: &Entity, _: &Portal, at: &mut Translation, #[resource] smooth: &mut Smooth) {
    ///     at.x += 1.0;
    ///     if at.x == 3.0 {
    ///         at.x = 50.0;
    ///         smooth.teleport(*ship);
    ///     }
    /// }
    ///
    /// let (mut world, mut resources) = (World::default(), Resources::default());
    /// resources.insert(Smooth::default().with_last_frames());
    /// let bundle = TransformSystemBundle::default().smooth();
    /// let mut ticks = Schedule::builder().add_system(go_system()).add_transforms(bundle).build();
    /// let ship = world.push_transform((Translation::identity(), Portal));
    /// let mut seen = Vec::new();
    /// for _ in 0..4 {
    ///     ticks.execute(&mut world, &mut resources);
    ///     let smooth = resources.get::<Smooth>().unwrap();
    ///     seen.push(smooth.matrix(&world, ship, 0.5).unwrap().position().x);
    /// }
    /// assert_eq!(seen, [1.0, 1.5, 50.0, 50.5]);
    /// ```
    #[must_use]
    pub fn smooth(self) -> Self {
        self.track_changes().followed_by(follow)
    }
}

fn follow(world: &World, resources: &mut Resources) {
    resources.get_mut_or_default::<Smooth>();
    let smooth = resources.get_mut::<Smooth>().zip(resources.get::<TransformChanges>());
    if let Some((mut smooth, changes)) = smooth {
        // All of a world may be read, and its changes are listed.
        _ = smooth.tick(world, &changes);
    }
}
