//! Walking sees the hierarchy that the bundle sees, and always ends.

use std::{collections::HashMap, iter::successors};

use harness::{demand, on_a_small_stack};
use legion::{Entity, World};
use legion_transform::prelude::*;
use proptest::prelude::*;

use super::random_worlds::*;

/// The parent of each entity that has one, by definition: all three components are there, the
/// parent lives and has `LocalToWorld`, and the chain upwards does not come back.
fn parents(it: &RandomWorld) -> HashMap<Entity, Entity> {
    let link = |entity: Entity| {
        let is_member = it.has::<LocalToParent>(entity) && it.has::<LocalToWorld>(entity);
        let parent = it.get::<Parent>(entity).filter(|_| is_member)?.0;
        (it.world.contains(parent) && it.has::<LocalToWorld>(parent)).then_some(parent)
    };
    let comes_back = |entity: Entity| {
        let above = successors(Some(entity), |above| link(*above));
        above.skip(1).take(it.entities.len()).any(|above| above == entity)
    };
    let linked = it.entities.iter().filter_map(|&entity| Some((entity, link(entity)?)));
    linked.filter(|&(entity, _)| !comes_back(entity)).collect()
}

/// Whether the chain of parents above an entity reaches `root`.
fn is_below(parents: &HashMap<Entity, Entity>, entity: Entity, root: Entity) -> bool {
    successors(Some(entity), |above| parents.get(above).copied()).skip(1).any(|it| it == root)
}

fn sorted(mut entities: Vec<Entity>) -> Vec<String> {
    entities.sort_by_key(|entity| format!("{entity:?}"));
    entities.into_iter().map(|entity| format!("{entity:?}")).collect()
}

proptest! {
    #![proptest_config(demand::cases(64))]

    /// Between runs: `fresh` is the truth, `new` a part of it, and both orders visit every entity
    /// once, parents first.
    #[test]
    fn agrees_with_the_links(history in histories(60)) {
        let mut it = RandomWorld::new();
        it.play(&history);
        let (fresh, parents) = (it.fresh(), parents(&it));
        let walk = Walk::fresh(&it.world).unwrap();
        let published = Walk::new(&it.world).unwrap();
        for &entity in &it.entities {
            let placed = fresh.local_to_world(entity).is_ok();
            let parent = parents.get(&entity).copied();
            if placed {
                prop_assert_eq!(walk.parent(entity), parent);
                let ancestors: Vec<Entity> = walk.ancestors(entity).collect();
                prop_assert_eq!(ancestors.first().copied(), parent);
                prop_assert_eq!(
                    walk.root(entity),
                    Some(ancestors.last().copied().unwrap_or(entity))
                );
                prop_assert!(
                    ancestors.windows(2).all(|pair| walk.parent(pair[0]) == Some(pair[1]))
                );
            }
            let children: Vec<Entity> = walk.children(entity).collect();
            let expected = it
                .entities
                .iter()
                .copied()
                .filter(|child| parents.get(child) == Some(&entity))
                .collect();
            prop_assert_eq!(sorted(children.clone()), sorted(expected));
            let known: Vec<Entity> = published.children(entity).collect();
            prop_assert!(known.iter().all(|child| children.contains(child)));
            prop_assert_eq!(
                &known[..],
                &children[..known.len()],
                "those in `Children` stand first, in its order"
            );
            for child in &children {
                let siblings: Vec<Entity> =
                    children.iter().copied().filter(|sibling| sibling != child).collect();
                prop_assert_eq!(walk.siblings(*child).collect::<Vec<_>>(), siblings);
            }

            let depth: Vec<Entity> = walk.descendants(entity).collect();
            let breadth: Vec<Entity> = walk.descendants_breadth_first(entity).collect();
            let expected: Vec<Entity> = it
                .entities
                .iter()
                .copied()
                .filter(|other| placed && is_below(&parents, *other, entity))
                .collect();
            prop_assert_eq!(sorted(depth.clone()), sorted(expected));
            prop_assert_eq!(sorted(depth.clone()), sorted(breadth.clone()));
            // Depth first is each child followed by all below it; breadth first never goes up
            // a level again.
            let by_child: Vec<Entity> = children
                .iter()
                .flat_map(|child| std::iter::once(*child).chain(walk.descendants(*child)))
                .collect();
            prop_assert_eq!(depth, by_child);
            let level = |entity: &Entity| walk.ancestors(*entity).count();
            prop_assert!(breadth.windows(2).all(|pair| level(&pair[0]) <= level(&pair[1])));
        }
    }

    /// After a run, the published lists are right, and in order.
    #[test]
    fn agrees_with_children_after_a_run(history in histories(60)) {
        let mut it = RandomWorld::new();
        it.play(&history);
        it.run();
        for entity in it.entities.clone() {
            let children: Vec<Entity> = it.get::<Children>(entity).unwrap_or_default().to_vec();
            prop_assert_eq!(
                Walk::new(&it.world).unwrap().children(entity).collect::<Vec<_>>(),
                children.clone()
            );
            prop_assert_eq!(
                Walk::fresh(&it.world).unwrap().children(entity).collect::<Vec<_>>(),
                children
            );
        }
    }
}

#[test]
fn what_a_user_writes_into_children_misleads_nobody() {
    let mut world = World::default();
    let root = world.push((LocalToWorld::identity(),));
    let child = world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(root)));
    let twin = world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(root)));
    let stranger = world.push((LocalToWorld::identity(),));
    let dead = world.push((LocalToWorld::identity(),));
    world.remove(dead);
    let written = Children::from_iter([child, stranger, twin, child, dead, root]);
    world.entry(root).unwrap().add_component(written);
    world.entry(child).unwrap().add_component(Children::from_iter([root]));
    let walk = Walk::new(&world).unwrap();
    assert_eq!(walk.children(root).collect::<Vec<_>>(), [child, twin]);
    assert_eq!(walk.descendants(root).collect::<Vec<_>>(), [child, twin]);
    assert_eq!(walk.descendants(child).count(), 0);
    assert_eq!((walk.root(dead), walk.children(dead).count()), (None, 0));
}

#[test]
fn a_deep_chain_is_walked_without_recursion_and_in_linear_time() {
    let mut world = World::default();
    let root = world.push((LocalToWorld::identity(),));
    let mut last = root;
    for _ in 0..100_000 {
        last = world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(last)));
    }
    let counts = on_a_small_stack(|| {
        let walk = Walk::fresh(&world).unwrap();
        let counts = (walk.descendants(root).count(), walk.descendants_breadth_first(root).count());
        (counts, walk.ancestors(last).count(), walk.root(last) == Some(root))
    });
    assert_eq!(counts, ((100_000, 100_000), 100_000, true));
}
