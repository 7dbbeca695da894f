//! `Parent`, `PreviousParent`, `Children`, and which components there are, after a run.

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use legion::Entity;

use crate::{
    judge::mismatch::Mismatch,
    kind::Kind,
    reference::links::Links,
    snapshot::{Row, Snapshot},
};

/// Panics unless a run has made of relations what it must, from `before` to `after`. `in_order`:
/// children that stay keep their order, in front.
///
/// # Panics
///
/// With the first entity that is off.
#[track_caller]
pub fn assert_relations(before: &Snapshot, after: &Snapshot, in_order: bool) {
    check_all(&Links::of(before), before, after, in_order);
}

/// The same, by the links that stand before the run.
#[track_caller]
pub(crate) fn check_all(links: &Links, before: &Snapshot, after: &Snapshot, in_order: bool) {
    assert_eq!(after.rows.len(), before.rows.len(), "a run neither spawns nor despawns");
    for row in &after.rows {
        let old = before.get(row.entity).expect("a run does not spawn");
        check(links, (old, row), in_order).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    }
}

/// Compares what an entity has after a run with what it had before. `in_order`: the order of
/// children counts, too. Those that stay keep it, in front; that of new ones is open.
pub(crate) fn check(
    links: &Links,
    (old, new): (&Row, &Row),
    in_order: bool,
) -> Result<(), Box<Mismatch>> {
    let wrong = Check { links, old, new, in_order };
    wrong.parents()?;
    wrong.children()?;
    wrong.components()
}

struct Check<'a> {
    links: &'a Links,
    old: &'a Row,
    new: &'a Row,
    in_order: bool,
}

impl Check<'_> {
    fn same<T: fmt::Debug + PartialEq>(
        &self,
        component: &str,
        expected: T,
        got: T,
    ) -> Result<(), Box<Mismatch>> {
        if expected == got {
            return Ok(());
        }
        let (expected, got) = (format!("{expected:?}"), format!("{got:?}"));
        Err(Mismatch::new(self.new.entity, component, expected, got, self.links))
    }

    fn is_repaired(&self) -> bool {
        self.links.repaired.contains_key(&self.new.entity)
    }

    fn parents(&self) -> Result<(), Box<Mismatch>> {
        let Self { links, old, new, .. } = *self;
        let parent = old.parent.filter(|_| !self.is_repaired());
        self.same("Parent", parent, new.parent)?;
        let linked = links.linked.get(&new.entity).map(|parent| Some(*parent));
        let record = linked.or_else(|| links.is_held(new.entity).then_some(None));
        if record.is_some() || parent.is_none() {
            return self.same("PreviousParent", record, new.previous);
        }
        // It has a `Parent` and no link.
        self.same("PreviousParent", None, new.previous.flatten())
    }

    fn children(&self) -> Result<(), Box<Mismatch>> {
        let Self { links, old, new, .. } = *self;
        let Some(expected) = links.children.get(&new.entity) else {
            let listed = links.listed.get(&new.entity);
            return self.same("Children", listed, new.children.as_ref());
        };
        let places: HashMap<_, _> = expected.iter().enumerate().map(|(i, it)| (*it, i)).collect();
        let mut left: HashSet<Entity> = expected.iter().copied().collect();
        let mut order = old.children.clone().filter(|_| self.in_order).unwrap_or_default();
        order.retain(|child| left.remove(child));
        let stayed = order.len();
        order.extend(expected.iter().filter(|child| left.contains(child)));
        let sorted = |mut list: Vec<Entity>| {
            let stayed = stayed.min(list.len());
            list[stayed..].sort_by_key(|child| places.get(child));
            list
        };
        self.same("Children", Some(sorted(order)), new.children.clone().map(sorted))
    }

    /// A run adds and removes no component of numbers, but for the `LocalToParent` of those that it
    /// makes roots.
    fn components(&self) -> Result<(), Box<Mismatch>> {
        let kinds = |row: &Row| row.numbers.iter().map(|(kind, _)| *kind).collect::<Vec<_>>();
        let mut expected = kinds(self.old);
        expected.retain(|kind| !(self.is_repaired() && *kind == Kind::LocalToParent));
        self.same("the list of components", expected, kinds(self.new))
    }
}
