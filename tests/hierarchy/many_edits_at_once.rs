//! Many entities that come, go and change parents between two runs, again and again: what takes a
//! short cut where little is new must come out as if everything had been looked at.

use harness::{CheckedWorld, Rng};
use legion::Entity;
use legion_transform::{components::PreviousParent, prelude::*};

/// A checked world of trees, in which every entity is spawned with all the components it will ever
/// need.
struct Grove {
    it: CheckedWorld,
    rng: Rng,
    roots: Vec<Entity>,
    /// Every entity that was spawned below another.
    below: Vec<Entity>,
}

type Inputs = (LocalToWorld, Translation, Children);

fn inputs(x: usize) -> Inputs {
    (LocalToWorld::identity(), Translation::new(x as f32, 0.0, 0.0), Children::new())
}

impl Grove {
    fn new(seed: u64) -> Self {
        Self {
            it: CheckedWorld::default(),
            rng: Rng::new(seed),
            roots: Vec::new(),
            below: Vec::new(),
        }
    }

    fn run(&mut self) {
        self.it.run();
    }

    /// Spawns a tree: a root, its children, and children of the first child.
    fn tree(&mut self, children: usize, grandchildren: usize) -> Entity {
        let root = self.it.push(inputs(self.roots.len()));
        self.roots.push(root);
        let children = self.children(root, children);
        if let Some(&first) = children.first() {
            self.children(first, grandchildren);
        }
        root
    }

    fn children(&mut self, parent: Entity, count: usize) -> Vec<Entity> {
        let child = |x| {
            let (world, translation, children) = inputs(x);
            (
                world,
                translation,
                children,
                LocalToParent::identity(),
                Parent(parent),
                PreviousParent::default(),
            )
        };
        let children = self.it.world.extend((1..=count).map(child)).to_vec();
        self.below.extend(&children);
        children
    }

    fn alive(&self, entity: Entity) -> bool {
        self.it.world.contains(entity)
    }

    fn forget_the_dead(&mut self) {
        let world = &self.it.world;
        self.roots.retain(|&root| world.contains(root));
        self.below.retain(|&entity| world.contains(entity));
    }

    fn hang(&mut self, child: Entity, parent: Entity) {
        self.it.put(child, Parent(parent));
    }

    fn parent(&mut self, child: Entity) -> Option<Entity> {
        self.it.get::<Parent>(child).map(|parent| parent.0)
    }

    /// Removes a tree of two generations below the root, all of it.
    fn fell(&mut self, root: Entity) {
        let mut open = vec![root];
        while let Some(entity) = open.pop() {
            if self.alive(entity) {
                open.extend(self.it.children(entity));
                self.it.world.remove(entity);
            }
        }
        self.forget_the_dead();
    }
}

#[test]
fn a_tree_comes_after_a_larger_one_is_gone_and_another_one_beside_it() {
    let mut grove = Grove::new(1);
    let (first, old, last) = (grove.tree(3, 2), grove.tree(20, 4), grove.tree(3, 2));
    grove.run();
    grove.fell(old);
    let small = grove.tree(5, 3);
    grove.run();
    let (rest, large) = (grove.tree(6, 2), grove.tree(40, 0));
    grove.run();
    for root in [first, small, rest, large, last] {
        grove.it.put(root, Translation::new(7.0, 0.0, 0.0));
        grove.run();
    }
    grove.fell(small);
    let child = grove.it.children(rest)[0];
    grove.hang(child, first);
    grove.run();
    grove.tree(8, 8);
    grove.run();
}

#[test]
fn children_take_each_others_slots_and_stand_apart_where_none_is_free() {
    let mut grove = Grove::new(2);
    let (a, b) = (grove.tree(6, 0), grove.tree(6, 0));
    grove.run();
    let (of_a, of_b) = (grove.it.children(a), grove.it.children(b));
    // One leaves `a` and stands behind all others; the next into `a` takes its place; then one
    // takes the place of the first.
    for (child, parent) in
        [(of_a[1], b), (of_b[3], a), (of_a[1], a), (of_b[0], a), (of_a[2], b), (of_b[3], b)]
    {
        grove.hang(child, parent);
        grove.run();
        assert_eq!(grove.it.children(parent).last(), Some(&child));
    }
    // A place with room for one is no place for a subtree.
    grove.children(of_a[4], 3);
    grove.hang(of_a[0], b);
    grove.run();
    grove.hang(of_a[4], b);
    grove.run();
    grove.hang(of_a[4], a);
    grove.run();
    for root in [a, b] {
        grove.it.put(root, Translation::new(9.0, 0.0, 0.0));
        grove.run();
    }
}

#[test]
fn what_stays_of_a_tree_that_is_gone_is_not_overwritten() {
    let mut grove = Grove::new(3);
    let (keeper, old) = (grove.tree(1, 0), grove.tree(8, 5));
    grove.run();
    // The root dies alone: its children are roots now, the first with children of its own, in the
    // middle of nowhere.
    let children = grove.it.children(old);
    grove.it.world.remove(old);
    grove.forget_the_dead();
    grove.run();
    let new = grove.tree(9, 2);
    grove.run();
    grove.tree(1, 0);
    grove.run();
    grove.it.put(children[0], Translation::new(5.0, 0.0, 0.0));
    grove.run();
    for child in [children[0], children[3]] {
        grove.it.put(child, LocalToParent::identity());
        grove.hang(child, if child == children[0] { new } else { keeper });
        grove.run();
    }
    grove.tree(4, 4);
    grove.run();
}

#[test]
fn who_only_moved_in_its_archetype_is_looked_at_where_something_is_new_about_it() {
    let mut grove = Grove::new(4);
    let (a, b) = (grove.tree(10, 3), grove.tree(10, 3));
    grove.run();
    let (of_a, of_b) = (grove.it.children(a), grove.it.children(b));
    // The last row moves into the gap: once as it is, once with another parent, once with lists
    // that a user wrote.
    let last = *grove.below.last().unwrap();
    grove.it.world.remove(of_a[2]);
    grove.run();
    assert_eq!(grove.parent(last), Some(of_b[0]));
    grove.hang(last, a);
    grove.it.world.remove(of_a[3]);
    grove.run();
    grove.it.put(last, PreviousParent::from(Some(b)));
    grove.it.world.remove(of_a[4]);
    grove.run();
    let list = Children::from_iter(grove.it.children(a));
    grove.it.put(b, list);
    grove.it.put(of_b[0], Children::new());
    grove.it.world.remove(of_a[5]);
    grove.it.world.remove(a);
    grove.run();
}

#[test]
fn a_written_previous_parent_hides_no_new_parent() {
    let mut grove = Grove::new(5);
    let (a, b) = (grove.tree(4, 2), grove.tree(4, 2));
    grove.run();
    let (of_a, of_b) = (grove.it.children(a), grove.it.children(b));
    grove.hang(of_a[1], b);
    grove.it.put(of_a[1], PreviousParent::from(Some(b)));
    grove.run();
    assert_eq!(grove.it.children(b).last(), Some(&of_a[1]));
    // On a cycle there is no previous parent to compare with.
    grove.it.put(a, LocalToParent::identity());
    grove.hang(a, of_a[2]);
    grove.run();
    grove.hang(of_a[3], b);
    grove.run();
    grove.hang(of_a[2], of_b[2]);
    grove.run();
    grove.hang(a, of_b[3]);
    grove.hang(of_b[1], a);
    grove.run();
}

#[test]
fn lists_that_somebody_writes_while_they_change_are_mended() {
    let mut grove = Grove::new(6);
    let (a, b) = (grove.tree(20, 2), grove.tree(20, 2));
    grove.run();
    let (of_a, of_b) = (grove.it.children(a), grove.it.children(b));
    let list = |children: &[Entity]| Children::from_iter(children.iter().copied());
    // Swapped lists, one twice in a list, one in place of another, each with a child that comes and
    // one that goes.
    for (in_a, in_b) in [
        (list(&of_b), list(&of_a)),
        (list(&[of_a[0], of_a[0], of_a[1]]), list(&of_b)),
        (list(&[&of_b[1..2], &of_a[2..]].concat()), Children::new()),
    ] {
        grove.it.put(a, in_a);
        grove.it.put(b, in_b);
        for (child, parent) in [(of_a[7], b), (of_b[7], a)] {
            let back = grove.parent(child) == Some(parent);
            grove.hang(child, if back { if parent == a { b } else { a } } else { parent });
        }
        grove.run();
    }
    // The user's order stays, with the gained children at the end.
    let mut reversed = grove.it.children(a);
    reversed.reverse();
    grove.it.put(a, list(&reversed));
    grove.hang(of_b[9], a);
    grove.run();
    reversed.push(of_b[9]);
    assert_eq!(grove.it.children(a), reversed);
    // More at once than are searched for one by one.
    for &child in &of_a[8..19] {
        grove.hang(child, b);
    }
    grove.run();
}

#[test]
fn a_list_that_is_spawned_with_an_entity_is_right_whatever_is_in_it() {
    let mut grove = Grove::new(7);
    let other = grove.tree(3, 0);
    let strangers = grove.it.children(other);
    for list in [Children::new(), Children::from_iter(strangers.iter().copied())] {
        let (world, translation, _) = inputs(1);
        let root = grove.it.push((world, translation, list));
        let children = grove.children(root, 12);
        grove.run();
        assert_eq!(grove.it.children(root), children);
    }
}

/// Hundreds of rounds of all sorts, in small woods whose places are taken and left all the time.
#[test]
fn places_change_hands_for_ever() {
    for seed in 0..6 {
        let mut grove = Grove::new(100 + seed);
        for _ in 0..10 {
            let sizes = (grove.rng.below(12), grove.rng.below(6));
            grove.tree(sizes.0, sizes.1);
        }
        grove.run();
        for _ in 0..60 {
            for _ in 0..grove.rng.below(8) {
                grove.edit();
            }
            grove.run();
        }
    }
}

impl Grove {
    fn edit(&mut self) {
        let any = |grove: &mut Self| {
            let number = grove.rng.below(grove.roots.len() + grove.below.len());
            grove.roots.iter().chain(&grove.below).nth(number).copied().expect("in range")
        };
        let (one, other) = (any(self), any(self));
        match self.rng.below(8) {
            // Also below itself, which makes a cycle.
            0..3 if self.it.has::<Parent>(one) => self.hang(one, other),
            3 => {
                let parent = self.parent(one);
                self.it.world.remove(one);
                self.forget_the_dead();
                if let Some(parent) = parent.filter(|&parent| self.alive(parent)) {
                    self.children(parent, 1);
                }
            }
            4 => {
                self.fell(one);
                let sizes = (self.rng.below(12), self.rng.below(6));
                self.tree(sizes.0, sizes.1);
            }
            5 => {
                let count = self.rng.below(5);
                self.children(one, count);
            }
            6 => self.it.put(one, Translation::new(self.rng.below(50) as f32, 0.0, 0.0)),
            7 => self.it.take::<Parent>(one),
            _ => {}
        }
    }
}
