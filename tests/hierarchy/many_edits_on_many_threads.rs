//! Columns and lists long enough for several threads.

use std::{collections::HashMap, sync::Arc};

use harness::{Rng, TestWorld};
use legion::{Entity, IntoQuery};
use legion_transform::{components::PreviousParent, prelude::*};

const FAMILIES: usize = 9_000;
const CHILDREN: usize = 10;

struct Families {
    test: TestWorld,
    roots: Vec<Entity>,
    children: Vec<Entity>,
    /// The number of the root of each child.
    parents: Vec<usize>,
}

impl Families {
    fn new(threads: usize) -> Self {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
        let mut test = TestWorld::new(TransformSystemBundle::default().thread_pool(Arc::new(pool)));
        let roots = test
            .world
            .extend((0..FAMILIES).map(|x| {
                (LocalToWorld::identity(), Translation::new(x as f32, 0.0, 0.0), Children::new())
            }))
            .to_vec();
        let parents: Vec<usize> = (0..FAMILIES * CHILDREN).map(|child| child / CHILDREN).collect();
        let row = |&parent: &usize| {
            let link =
                (LocalToParent::identity(), Parent(roots[parent]), PreviousParent::default());
            (LocalToWorld::identity(), Translation::new(0.5, 0.0, 0.0), link.0, link.1, link.2)
        };
        let children = test.world.extend(parents.iter().map(row)).to_vec();
        Self { test, roots, children, parents }
    }

    fn check(&mut self) {
        self.test.run();
        let mut lists = vec![Vec::new(); FAMILIES];
        let mut query = <(&LocalToWorld, &Parent, &PreviousParent)>::query();
        for (&child, &parent) in self.children.iter().zip(&self.parents) {
            let (world, link, previous) = query.get(&self.test.world, child).expect("alive");
            assert_eq!((link.0, previous.parent()), (self.roots[parent], Some(self.roots[parent])));
            assert_eq!(world.0.m14, parent as f32 + 0.5);
            lists[parent].push(child);
        }
        let order: HashMap<Entity, usize> = self.children.iter().copied().zip(0..).collect();
        let mut query = <&Children>::query();
        for (&root, list) in self.roots.iter().zip(&lists) {
            let mut published =
                query.get(&self.test.world, root).map_or_else(|_| Vec::new(), |list| list.to_vec());
            published.sort_by_key(|child| order.get(child));
            assert_eq!(&published, list);
        }
    }
}

#[test]
fn threads_find_every_difference() {
    for threads in [2, 7] {
        let mut families = Families::new(threads);
        let mut rng = Rng::new(threads as u64);
        families.check();
        for _ in 0..3 {
            for _ in 0..3_000 {
                let (child, parent) = (rng.below(families.children.len()), rng.below(FAMILIES));
                families.parents[child] = parent;
                families.test.put(families.children[child], Parent(families.roots[parent]));
            }
            for _ in 0..300 {
                let (child, root) = (*rng.pick(&families.children), *rng.pick(&families.roots));
                families.test.put(child, PreviousParent::from(Some(root)));
                families.test.put(root, Children::from_iter(std::iter::once(child)));
            }
            for _ in 0..300 {
                let child = rng.below(families.children.len());
                families.test.world.remove(families.children.swap_remove(child));
                families.parents.swap_remove(child);
            }
            families.check();
        }
    }
}
