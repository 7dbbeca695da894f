//! The hierarchy that the components of a world describe.
//!
//! - A `Parent` that died or lost its `LocalToWorld` is taken away by the next run: a repair. It
//!   did if the record, `PreviousParent`, names it, too.
//! - An entity with all components of a child, and a `Parent` that has not come (with
//!   `LocalToWorld`), waits: it is a root, and keeps its place in a list of that parent.
//! - An entity with `Parent`, `LocalToParent` and `LocalToWorld` has a link otherwise.
//! - An entity on a cycle of links is a root while the cycle lasts, and in no list of children.

use std::collections::{HashMap, HashSet};

use legion::Entity;
use legion_transform::findings::FindingKind;

use crate::{kind::Kind, snapshot::Snapshot};

/// Who hangs off which entity.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Entities that a repair makes roots, with the parent that they lose.
    pub repaired: HashMap<Entity, (FindingKind, Entity)>,
    /// The parent of every entity that has a link which is not on a cycle.
    pub linked: HashMap<Entity, Entity>,
    /// The parent of every entity on a cycle of links.
    pub cyclic: HashMap<Entity, Entity>,
    /// The parent of every entity that waits for it.
    pub waiting: HashMap<Entity, Entity>,
    /// Those that wait for an entity, as far as they are in `Children` that came with it: nothing
    /// in them was linked to it.
    pub listed: HashMap<Entity, Vec<Entity>>,
    /// The children of each entity, in the order of the world.
    pub children: HashMap<Entity, Vec<Entity>>,
    /// Entities without `Parent` in `Children`, each with the entity that has the list.
    pub strays: HashSet<(Entity, Entity)>,
}

impl Links {
    /// From nothing but the components.
    #[must_use]
    pub fn of(world: &Snapshot) -> Self {
        let mut links = Self::default();
        let mut parents = HashMap::new();
        for row in &world.rows {
            let listed = row.children.iter().flatten();
            let is_stray =
                |child: &&Entity| world.get(**child).is_some_and(|it| it.parent.is_none());
            links.strays.extend(listed.filter(is_stray).map(|&child| (child, row.entity)));
            let Some(parent) = row.parent else { continue };
            let missing = match world.get(parent) {
                None => Some(FindingKind::DeadParent),
                Some(parent) if !parent.has(Kind::LocalToWorld) => {
                    Some(FindingKind::ParentWithoutLocalToWorld)
                }
                Some(_) => None,
            };
            let is_link = row.has(Kind::LocalToParent) && row.has(Kind::LocalToWorld);
            let was_linked = row.previous == Some(Some(parent));
            if let Some(kind) = missing.filter(|_| was_linked) {
                links.repaired.insert(row.entity, (kind, parent));
            } else if is_link {
                let links = if missing.is_some() { &mut links.waiting } else { &mut parents };
                links.insert(row.entity, parent);
            }
        }
        for row in &world.rows {
            let mut listed = row.children.clone().unwrap_or_default();
            let was_linked = |child: &Entity| {
                world.get(*child).is_some_and(|it| it.previous == Some(Some(row.entity)))
            };
            if listed.iter().any(was_linked) {
                continue;
            }
            let mut seen = HashSet::new();
            listed.retain(|child| {
                links.waiting.get(child) == Some(&row.entity) && seen.insert(*child)
            });
            if !listed.is_empty() {
                links.listed.insert(row.entity, listed);
            }
        }
        let cyclic = cyclic(&parents);
        for row in &world.rows {
            let Some(&parent) = parents.get(&row.entity) else { continue };
            if cyclic.contains(&row.entity) {
                links.cyclic.insert(row.entity, parent);
            } else {
                links.linked.insert(row.entity, parent);
                links.children.entry(parent).or_default().push(row.entity);
            }
        }
        links
    }

    /// Whether an entity has all components of a child and is a root nevertheless: it is on a cycle
    /// or waits.
    #[must_use]
    pub fn is_held(&self, entity: Entity) -> bool {
        self.cyclic.contains_key(&entity) || self.waiting.contains_key(&entity)
    }

    /// An entity, its parent, and so on to the root.
    pub fn up(&self, entity: Entity) -> impl Iterator<Item = Entity> + '_ {
        std::iter::successors(Some(entity), |entity| self.linked.get(entity).copied())
    }

    /// How many links lead from each entity that has one to its root.
    #[must_use]
    pub fn depths(&self) -> HashMap<Entity, usize> {
        let mut depths = HashMap::new();
        for &start in self.linked.keys() {
            let mut path = Vec::new();
            let mut at = start;
            while let (None, Some(&parent)) = (depths.get(&at), self.linked.get(&at)) {
                path.push(at);
                at = parent;
            }
            let mut depth = depths.get(&at).copied().unwrap_or(0);
            for entity in path.into_iter().rev() {
                depth += 1;
                depths.insert(entity, depth);
            }
        }
        depths
    }

    /// Every entity of the world, parents first.
    #[must_use]
    pub fn parents_first(&self, world: &Snapshot) -> Vec<Entity> {
        let depths = self.depths();
        let mut entities: Vec<Entity> = world.rows.iter().map(|row| row.entity).collect();
        entities.sort_by_key(|entity| depths.get(entity).copied().unwrap_or(0));
        entities
    }
}

/// The entities from which following the links leads back to themselves.
fn cyclic(parents: &HashMap<Entity, Entity>) -> HashSet<Entity> {
    let mut cyclic = HashSet::new();
    let mut done = HashSet::new();
    for &start in parents.keys() {
        let mut path = Vec::new();
        let mut on_path = HashSet::new();
        let mut at = start;
        while !done.contains(&at) && on_path.insert(at) {
            path.push(at);
            let Some(&parent) = parents.get(&at) else { break };
            at = parent;
        }
        if !done.contains(&at) && parents.contains_key(&at) && on_path.contains(&at) {
            let first = path.iter().position(|entity| *entity == at).expect("it is on the path");
            cyclic.extend(path[first..].iter().copied());
        }
        done.extend(path);
    }
    cyclic
}
