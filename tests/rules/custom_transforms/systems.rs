//! The document's systems.

use legion::{systems::ParallelRunnable, *};
use legion_transform::{WriteGroups, prelude::*};

use super::support::*;

/// `UserTransformSystem` with the default query: no filter.
#[system(for_each)]
pub fn override_1(local_to_world: &mut LocalToWorld, user: &UserComponent, writers: &mut Writers) {
    local_to_world.0 = mark(user.0);
    writers.0.push("override 1");
}

/// `UserTransformSystem2` with the default query.
#[system(for_each)]
pub fn override_2(local_to_world: &mut LocalToWorld, user: &UserComponent2, writers: &mut Writers) {
    local_to_world.0 = mark(user.0);
    writers.0.push("override 2");
}

/// `UserTransformSystem` with `FilterWriteGroup`.
pub fn filter_1(groups: &WriteGroups) -> impl ParallelRunnable + use<> {
    let filter = groups.filter::<LocalToWorld>().reads::<UserComponent>();
    SystemBuilder::new("filter 1")
        .with_query(<(&mut LocalToWorld, &mut Writers, &UserComponent)>::query().filter(filter))
        .build(|_, world, _, query| {
            query.for_each_mut(world, |(local_to_world, writers, user)| {
                local_to_world.0 = mark(user.0);
                writers.0.push("filter 1");
            });
        })
}

/// `UserTransformSystem2` with `FilterWriteGroup`.
pub fn filter_2(groups: &WriteGroups) -> impl ParallelRunnable + use<> {
    let filter = groups.filter::<LocalToWorld>().reads::<UserComponent2>();
    SystemBuilder::new("filter 2")
        .with_query(<(&mut LocalToWorld, &mut Writers, &UserComponent2)>::query().filter(filter))
        .build(|_, world, _, query| {
            query.for_each_mut(world, |(local_to_world, writers, user)| {
                local_to_world.0 = mark(user.0);
                writers.0.push("filter 2");
            });
        })
}

/// `UserTransformExtensionSystem`.
pub fn extension(groups: &WriteGroups) -> impl ParallelRunnable + use<> {
    let filter = groups.filter::<LocalToWorld>();
    let filter =
        filter.reads::<UserComponent>().reads::<Translation>().reads::<Rotation>().reads::<Scale>();
    type Components = (
        Write<LocalToWorld>,
        Write<Writers>,
        Read<UserComponent>,
        Read<Translation>,
        Read<Rotation>,
        Read<Scale>,
    );
    SystemBuilder::new("extension").with_query(Components::query().filter(filter)).build(
        |_, world, _, query| {
            query.for_each_mut(world, |(local_to_world, writers, user, translation, _, _)| {
                local_to_world.0 = mark(user.0 + translation.0.x);
                writers.0.push("extension");
            });
        },
    )
}

/// `UserTransformComboSystem`.
pub fn combo(groups: &WriteGroups) -> impl ParallelRunnable + use<> {
    let filter = groups.filter::<LocalToWorld>().reads::<UserComponent>().reads::<UserComponent2>();
    SystemBuilder::new("combo")
        .with_query(
            <(&mut LocalToWorld, &mut Writers, &UserComponent, &UserComponent2)>::query()
                .filter(filter),
        )
        .build(|_, world, _, query| {
            query.for_each_mut(world, |(local_to_world, writers, one, two)| {
                local_to_world.0 = mark(one.0 + two.0);
                writers.0.push("combo");
            });
        })
}

/// Both user components are in the write group of `LocalToWorld`.
pub fn bundle() -> TransformSystemBundle {
    TransformSystemBundle::default()
        .write_group::<LocalToWorld, UserComponent>()
        .write_group::<LocalToWorld, UserComponent2>()
}

/// All the filtering systems, side by side.
pub fn filtering_bundle() -> TransformSystemBundle {
    let bundle = bundle();
    let groups = bundle.write_groups().clone();
    bundle
        .before_propagation(filter_1(&groups))
        .before_propagation(filter_2(&groups))
        .before_propagation(extension(&groups))
        .before_propagation(combo(&groups))
}
