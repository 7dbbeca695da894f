//! Walking sees the hierarchy that the bundle sees, and always ends.

use std::collections::{HashMap, HashSet};

use harness::demand;
use legion::{Entity, World};
use legion_transform::prelude::*;
use legion_transform_testing::{Snapshot, links::Links};
use proptest::prelude::*;

use crate::random_worlds::*;

fn set(entities: impl IntoIterator<Item = Entity>) -> HashSet<Entity> {
    entities.into_iter().collect()
}

/// Between runs: `fresh` is the truth, `new` a part of it, and both orders visit every entity once,
/// parents first.
fn check(it: &RandomWorld) -> Result<(), TestCaseError> {
    let links = Links::of(&Snapshot::of(&it.world));
    let (walk, published) = (Walk::fresh(&it.world).unwrap(), Walk::new(&it.world).unwrap());
    let mut below: HashMap<Entity, Vec<Entity>> = HashMap::new();
    for &entity in links.linked.keys() {
        links.up(entity).skip(1).for_each(|above| below.entry(above).or_default().push(entity));
    }
    for &entity in &it.entities {
        if it.fresh().local_to_world(entity).is_ok() {
            let above: Vec<Entity> = links.up(entity).skip(1).collect();
            prop_assert_eq!(walk.parent(entity), above.first().copied());
            prop_assert_eq!(walk.root(entity), Some(above.last().copied().unwrap_or(entity)));
            prop_assert_eq!(walk.ancestors(entity).collect::<Vec<_>>(), above);
        }
        let children: Vec<Entity> = walk.children(entity).collect();
        let expected = links.children.get(&entity).cloned().unwrap_or_default();
        prop_assert_eq!(
            (set(children.clone()), children.len()),
            (set(expected.clone()), expected.len())
        );
        let known: Vec<Entity> = published.children(entity).collect();
        prop_assert_eq!(&known[..], &children[..known.len()], "in the order of `Children`");
        for (index, child) in children.iter().enumerate() {
            let siblings = children.iter().copied().filter(|sibling| sibling != child);
            prop_assert!(walk.siblings(*child).eq(siblings));
            prop_assert_eq!(walk.index(*child), Some(index));
        }
        // Depth first is each child followed by all below it; breadth first never goes up a level
        // again.
        let depth: Vec<Entity> = walk.descendants(entity).collect();
        let breadth: Vec<Entity> = walk.descendants_breadth_first(entity).collect();
        let expected = below.remove(&entity).unwrap_or_default();
        prop_assert_eq!([depth.len(), breadth.len()], [expected.len(); 2]);
        prop_assert_eq!(
            [set(depth.clone()), set(breadth.clone())],
            [(); 2].map(|()| set(expected.clone()))
        );
        let by_child =
            children.iter().flat_map(|it| [*it].into_iter().chain(walk.descendants(*it)));
        prop_assert!(by_child.eq(depth));
        let level = |entity: &Entity| links.up(*entity).count();
        prop_assert!(breadth.is_sorted_by_key(level));
    }
    Ok(())
}

proptest! {
    #![proptest_config(demand::cases(64))]

    /// After a run, the published lists are right, and in order.
    #[test]
    fn agrees_with_the_links_between_runs_and_with_children_after_one(history in histories(60)) {
        let mut it = RandomWorld::new();
        it.play(&history);
        check(&it)?;
        it.run();
        for entity in it.entities.clone() {
            let children = it.children(entity);
            for walk in [Walk::new(&it.world).unwrap(), Walk::fresh(&it.world).unwrap()] {
                prop_assert!(walk.children(entity).eq(children.iter().copied()));
            }
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
