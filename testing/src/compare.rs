//! Comparing a world with its reference.

use std::{collections::HashSet, fmt};

use legion::{Entity, World};

use crate::{
    algebra::{V, axis, dot, length, linear, product3, turned_over},
    bounded::{Bounded, Element, one_line},
    judges::{
        formulas::rotation,
        inverse::{Inverse, inverse},
    },
    kind::{Kind, Numbers},
    known::Derived,
    mismatch::Mismatch,
    reference::Reference,
    snapshot::{Row, Snapshot, matrix32, same_bits},
};

impl Reference {
    /// Compares every derived component, relation and property of the world after a run with what
    /// it must be.
    ///
    /// # Errors
    ///
    /// The first difference, parents before their children.
    pub fn check(&self, world: &World) -> Result<(), Box<Mismatch>> {
        let after = Snapshot::without_versions(world, &[]);
        self.check_snapshot(&after)?;
        let properties = &self.known.setup.properties;
        properties.iter().try_for_each(|property| property.check(world, &after, &self.known.links))
    }

    pub(crate) fn check_snapshot(&self, after: &Snapshot) -> Result<(), Box<Mismatch>> {
        for entity in self.known.links.parents_first(&self.snapshot) {
            let old = self.snapshot.get(entity).expect("of the snapshot");
            let Some(row) = after.get(entity) else {
                let there = ("there".to_owned(), "gone".to_owned());
                return Err(Mismatch::new(
                    entity,
                    "the entity",
                    there.0,
                    there.1,
                    &self.known.links,
                ));
            };
            self.check_relations(old, row)?;
            self.check_components(old, row)?;
        }
        Ok(())
    }

    fn differs<T: fmt::Debug + PartialEq>(
        &self,
        entity: Entity,
        component: &str,
        expected: T,
        got: T,
    ) -> Result<(), Box<Mismatch>> {
        if expected == got {
            return Ok(());
        }
        let (expected, got) = (format!("{expected:?}"), format!("{got:?}"));
        Err(Mismatch::new(entity, component, expected, got, &self.known.links))
    }

    fn check_relations(&self, old: &Row, row: &Row) -> Result<(), Box<Mismatch>> {
        let (entity, links) = (row.entity, &self.known.links);
        let parent = old.parent.filter(|_| !links.repaired.contains_key(&entity));
        self.differs(entity, "Parent", parent, row.parent)?;
        let linked = links.linked.get(&entity).map(|parent| Some(*parent));
        if links.is_held(entity) || linked.is_some() || parent.is_none() {
            let held = links.is_held(entity).then_some(None);
            self.differs(entity, "PreviousParent", linked.or(held), row.previous)?;
        } else if row.previous.is_some() {
            // It has a `Parent` and no link.
            self.differs(entity, "PreviousParent", Some(None), row.previous)?;
        }
        self.check_children(old, row)
    }

    /// Those that stay keep their order, in front; that of new ones is open.
    fn check_children(&self, old: &Row, row: &Row) -> Result<(), Box<Mismatch>> {
        let Some(expected) = self.known.links.children.get(&row.entity) else {
            let listed = self.known.links.listed.get(&row.entity);
            return self.differs(row.entity, "Children", listed, row.children.as_ref());
        };
        let mut left: HashSet<Entity> = expected.iter().copied().collect();
        let mut order = old.children.clone().unwrap_or_default();
        order.retain(|child| left.remove(child));
        let stayed = order.len();
        order.extend(expected.iter().filter(|child| left.contains(child)));
        let by_row = |child: &Entity| self.snapshot.index.get(child).copied();
        let got = row.children.clone().map(|mut list| {
            let new = stayed.min(list.len());
            list[new..].sort_by_key(by_row);
            list
        });
        order[stayed..].sort_by_key(by_row);
        self.differs(row.entity, "Children", Some(order), got)
    }
    fn check_components(&self, old: &Row, row: &Row) -> Result<(), Box<Mismatch>> {
        let (entity, links) = (row.entity, &self.known.links);
        let is_repaired = links.repaired.contains_key(&entity);
        let kinds = |row: &Row| row.numbers.iter().map(|(kind, _)| *kind).collect::<Vec<_>>();
        let mut expected = kinds(old);
        expected.retain(|kind| !(is_repaired && *kind == Kind::LocalToParent));
        self.differs(entity, "the list of components", expected, kinds(row))?;
        if !row.has(Kind::LocalToWorld) {
            return Ok(()); // no transform: whether it is derived is open
        }
        for (kind, now) in &row.numbers {
            let was = Derived::Kept(*old.get(*kind).expect("compared"));
            let value = self.value(entity, *kind).unwrap_or(&was);
            // That of the matrix that is there: its own errors were looked at before.
            let of_world =
                row.matrix(Kind::LocalToWorld).map(|it| Derived::InverseOf(inverse(&it)));
            let value = match (kind, value) {
                (Kind::WorldToLocal, Derived::InverseOf(_)) => &of_world.expect("checked"),
                _ => value,
            };
            let Some(wrong) = wrong(*kind, value, now) else { continue };
            let mut mismatch =
                Mismatch::new(entity, format!("{kind:?}"), wrong.expected, wrong.got, links);
            mismatch.off = wrong.off;
            return Err(mismatch);
        }
        Ok(())
    }
}

/// The texts of a mismatch.
struct Wrong {
    expected: String,
    got: String,
    off: String,
}

/// Whether a component is not what it must be. A kept one is none that the bundle writes: whatever
/// it is, the user wrote it.
pub(crate) fn wrong_value(kind: Kind, value: &Derived, now: &Numbers) -> bool {
    matches!(value, Derived::Kept(_)) || wrong(kind, value, now).is_some()
}

fn wrong(kind: Kind, value: &Derived, now: &Numbers) -> Option<Wrong> {
    match value {
        Derived::Kept(numbers) => (!same_bits(numbers, now)).then(|| Wrong {
            expected: format!("{numbers:?}, as it was given"),
            got: format!("{now:?}"),
            off: String::new(),
        }),
        Derived::Near(bounded) if matches!(kind, Kind::Rotation | Kind::PostRotation) => {
            wrong_rotation(bounded, now)
        }
        Derived::InverseOf(Inverse::Unclear) => {
            let finite = now.iter().all(|x| x.is_finite());
            (!finite).then(|| Wrong {
                expected: "a finite matrix".into(),
                got: format!("{now:?}"),
                off: String::new(),
            })
        }
        value => wrong_matrix(kind, &value.bounded()?, now),
    }
}

fn wrong_rotation(expected: &Bounded, now: &Numbers) -> Option<Wrong> {
    let quaternion = [now[0], now[1], now[2], now[3]].map(f64::from);
    let square = quaternion.iter().map(|x| x * x).sum::<f64>();
    let got = rotation(quaternion).value;
    let is_finite = expected.magnitude.iter().all(|m| m.is_finite());
    let off = if is_finite && (square - 1.0).abs() > 1e-5 {
        format!("{}: its length is {}, not 1", square.sqrt() - 1.0, square.sqrt())
    } else {
        expected.wrong_element(&got.cast())?;
        let turned = product3(&linear(&got), &turned_over(&linear(&expected.value)));
        let cosine = (turned[(0, 0)] + turned[(1, 1)] + turned[(2, 2)] - 1.0) / 2.0;
        format!("{} radians", cosine.clamp(-1.0, 1.0).acos())
    };
    let expected = format!("the rotation {}", one_line(&expected.cast32()));
    Some(Wrong { expected, got: format!("{:?} (x, y, z, w)", &now[..4]), off })
}

fn wrong_matrix(kind: Kind, expected: &Bounded, now: &Numbers) -> Option<Wrong> {
    let got = matrix32(now);
    let element = expected.wrong_element(&got)?;
    Some(Wrong {
        expected: one_line(&expected.cast32()),
        got: one_line(&got),
        off: off(kind, expected, &element, &got),
    })
}

/// How far off the worst element is, in the unit that it has.
fn off(kind: Kind, expected: &Bounded, element: &Element, got: &nalgebra::Matrix4<f32>) -> String {
    let Element { at: (row, column), expected: right, within } = *element;
    let is = f64::from(got[(row, column)]);
    let space = match kind {
        Kind::LocalToWorld => "the world",
        Kind::LocalToParent => "the parent's space",
        _ => "its own space",
    };
    let size = format!("{:e} (at most {within:e} is rounding)", is - right);
    let place = format!("row {row}, column {column}");
    match (row, column) {
        (3, _) => format!("{size} at {place}, a number of the bottom row"),
        (_, 3) => format!("{size} units of length along {} of {space}", ["x", "y", "z"][row]),
        _ => {
            let of = |matrix: &crate::algebra::M| axis(&linear(matrix), column);
            let (want, have) = (of(&expected.value), of(&got.cast()));
            let turn = angle(want, have);
            let ratio = length(have) / length(want);
            let name = ["x", "y", "z"][column];
            format!(
                "{size} at {place}: the {name} axis is turned by {turn} radians and is {ratio} times as long"
            )
        }
    }
}

fn angle(a: V, b: V) -> f64 {
    (dot(a, b) / (length(a) * length(b))).clamp(-1.0, 1.0).acos()
}

/// Panics if a derived component, a relation or a cycle of the world is not what the world's inputs
/// say: after a run nothing may be stale.
///
/// ```should_panic
/// use legion::*;
/// use legion_transform::prelude::*;
/// use legion_transform_testing::assert_up_to_date;
///
/// let mut world = World::default();
/// world.push_transform((Translation::new(1.0, 0.0, 0.0),)); // and no run
/// assert_up_to_date(&world);
/// ```
///
/// The message names the first entity that is off, parents before their children:
///
/// ```text
/// LocalToWorld of 0 is not what its inputs say
///   expected: [1 0 0 1 | 0 1 0 0 | 0 0 1 0 | 0 0 0 1]
///   got:      [1 0 0 0 | 0 1 0 0 | 0 0 1 0 | 0 0 0 1]
///   off by:   -1e0 (at most 2.86102294921875e-6 is rounding) units of length along x of the world
///   chain:    0 (root)
/// ```
///
/// # Panics
///
/// If something is not up to date. Your own write groups and properties need a [`Reference`] that
/// knows them: [`Reference::with`].
#[track_caller]
pub fn assert_up_to_date(world: &World) {
    if let Err(mismatch) = Reference::of(world).check(world) {
        panic!("{mismatch}");
    }
}
