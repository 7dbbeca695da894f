//! Random edits of every sort, and a count of each.

mod frames;
mod links;
mod values;

use std::collections::BTreeMap;

use super::edits::{Edit, Slot, Subject};
use harness::{Rng, oracle::Oracle, user::kinds};
use legion_transform_testing::Kind;

/// How often each sort of edit was made.
pub type Counts = BTreeMap<String, usize>;

/// Every sort of edit other than adding, removing and overwriting single components, and than those
/// of [`frames`].
const SORTS: [&str; 33] = [
    "spawn a root",
    "spawn a child",
    "spawn a prelinked child",
    "extend",
    "deepen",
    "despawn",
    "despawn a parent",
    "despawn a parent and re-parent its child",
    "add Parent",
    "change Parent",
    "remove Parent",
    "remove Parent and add it again",
    "re-parent several",
    "swap a parent and its child",
    "Parent to a dead entity",
    "Parent to one without LocalToWorld",
    "Parent to itself",
    "close a cycle",
    "open a cycle",
    "swap scales",
    "teleport",
    "nothing that is finite",
    "garbage in PreviousParent",
    "remove PreviousParent",
    "garbage in Children",
    "remove Children",
    "Parent and PreviousParent at once",
    "replace by push_with_id",
    "replace by a row source",
    "travel to another world and back",
    "lose the log",
    "forget the list of changes",
    "clear",
];

/// A world whose entities may come so many at once has so many, from the first edit on.
pub const MANY: usize = 1_000;

/// Makes up edits for a world and keeps track of who is alive.
pub struct Generator {
    pub rng: Rng,
    pub alive: Vec<Slot>,
    dead: Vec<Slot>,
    next: Slot,
    /// Above this size more die than are born.
    pub target: usize,
    /// Whether values that are not finite, or have no inverse, are among the edits.
    pub wild: bool,
    pub bulk: usize,
    sorts: Vec<&'static str>,
    kinds: Vec<Kind>,
}

impl Generator {
    pub fn new(rng: Rng, target: usize, wild: bool, bulk: usize) -> Self {
        let sorts = sorts().collect();
        Self {
            rng,
            alive: Vec::new(),
            dead: Vec::new(),
            next: 0,
            target,
            wild,
            bulk,
            sorts,
            kinds: kinds(),
        }
    }

    /// One edit, or a few that belong together.
    pub fn edits(
        &mut self,
        subject: &mut Subject,
        oracle: &Oracle,
        counts: &mut Counts,
    ) -> Vec<Edit> {
        let (sort, edits) = loop {
            if self.bulk >= MANY && self.alive.len() < self.bulk {
                break ("extend".to_owned(), vec![self.extend(self.bulk)]);
            }
            let made = if self.rng.one_in(2) || self.alive.len() < 5 {
                self.structural(subject, oracle)
            } else {
                self.component(subject)
            };
            if let Some(made) = made {
                break made;
            }
        };
        edits.iter().for_each(|edit| self.track(edit));
        *counts.entry(sort).or_default() += 1;
        edits
    }

    fn track(&mut self, edit: &Edit) {
        let born = match edit {
            Edit::Spawn { .. } => 1,
            Edit::Extend { count, .. } => *count,
            Edit::Despawn(slot) => {
                self.alive.retain(|other| other != slot);
                self.dead.push(*slot);
                0
            }
            Edit::Clear => {
                self.dead.append(&mut self.alive);
                0
            }
            _ => 0,
        };
        self.alive.extend(self.next..self.next + born);
        self.next += born;
    }

    fn any(&mut self) -> Option<Slot> {
        (!self.alive.is_empty()).then(|| *self.rng.pick(&self.alive))
    }

    fn any_with(&mut self, subject: &mut Subject, kind: Kind) -> Option<Slot> {
        self.any_where(|slot| subject.has(slot, kind))
    }

    /// An entity for which this holds, if there is one.
    fn any_where(&mut self, mut holds: impl FnMut(Slot) -> bool) -> Option<Slot> {
        let start = self.rng.below(self.alive.len().max(1));
        let (before, from) = self.alive.split_at(start.min(self.alive.len()));
        from.iter().chain(before).copied().find(|slot| holds(*slot))
    }

    fn any_child(&mut self, subject: &mut Subject) -> Option<(Slot, Slot)> {
        (0..8).find_map(|_| {
            let slot = self.any()?;
            let parent = subject.parent(slot).filter(|parent| self.alive.contains(parent))?;
            Some((slot, parent))
        })
    }

    fn structural(
        &mut self,
        subject: &mut Subject,
        oracle: &Oracle,
    ) -> Option<(String, Vec<Edit>)> {
        let crowded = self.alive.len() > self.target;
        let sort = *self.rng.pick(&self.sorts);
        let births = sort.starts_with("spawn") || sort == "deepen" || sort == "extend";
        if births && crowded && !self.rng.one_in(10)
            || sort.starts_with("despawn") && !crowded && !self.rng.one_in(4)
        {
            return None;
        }
        let edits = match sort {
            "spawn a root" | "spawn a child" | "spawn a prelinked child" => vec![self.spawn(sort)?],
            "extend" => {
                let count = if self.rng.one_in(4) { self.bulk } else { 1 + self.rng.below(4) };
                vec![self.extend(count)]
            }
            "deepen" => self.deepen(subject, oracle)?,
            "despawn" => vec![Edit::Despawn(self.any()?)],
            "despawn a parent" => vec![Edit::Despawn(self.any_child(subject)?.1)],
            "despawn a parent and re-parent its child" => {
                let (child, parent) = self.any_child(subject)?;
                let other = self.any().filter(|other| *other != parent)?;
                (child != parent)
                    .then(|| vec![Edit::Despawn(parent), Edit::Parent(child, other)])?
            }
            "nothing that is finite" => vec![self.wild_value(subject)?],
            "Parent and PreviousParent at once" => {
                let (child, parent) = (self.any_child(subject)?.0, self.any()?);
                let previous = if self.rng.one_in(3) { self.any()? } else { parent };
                vec![Edit::Parent(child, parent), Edit::PreviousParent(child, Some(Some(previous)))]
            }
            "replace by push_with_id" | "replace by a row source" => vec![Edit::Replace {
                slot: self.any()?,
                parent: if self.rng.one_in(2) { self.any() } else { None },
                value: self.rng.numbers(Kind::Translation),
                by_source: sort == "replace by a row source",
            }],
            "travel to another world and back" => vec![Edit::Travel],
            "forget the list of changes" => vec![Edit::ForgetChanges],
            "lose the log" => vec![Edit::Noise],
            "clear" => self.rng.one_in(12).then(|| vec![Edit::Clear])?,
            "teleport" => {
                let slot = self.any()?;
                let parent = subject.parent(slot).filter(|_| self.rng.one_in(2));
                vec![Edit::Teleport(parent.unwrap_or(slot))]
            }
            "swap scales" => self.swap_scales(subject)?,
            sort if frames::SORTS.contains(&sort) => self.frames(sort, subject)?,
            sort if sort.contains("PreviousParent") || sort.contains("Children") => {
                vec![self.relations(sort)?]
            }
            sort => self.links(sort, subject, oracle)?,
        };
        Some((sort.to_owned(), edits))
    }

    fn extend(&mut self, count: usize) -> Edit {
        let parent = if self.rng.one_in(2) { self.any() } else { None };
        let frame = self.rng.one_in(3).then(|| self.frame());
        let value = self.rng.numbers(Kind::Translation);
        Edit::Extend { first: self.next, count, parent, value, frame }
    }

    fn spawn(&mut self, sort: &str) -> Option<Edit> {
        let mut kinds = Vec::new();
        if !self.rng.one_in(25) {
            kinds.push(Kind::LocalToWorld);
        }
        for _ in 0..self.rng.below(5) {
            kinds.push(self.usual_kind());
        }
        let child = sort != "spawn a root";
        if child && !self.rng.one_in(10) {
            kinds.push(Kind::LocalToParent);
        }
        let components = kinds.into_iter().map(|kind| (kind, self.rng.numbers(kind))).collect();
        let parent = if child { Some(self.any()?) } else { None };
        Some(Edit::Spawn {
            slot: self.next,
            components,
            parent,
            prelinked: sort == "spawn a prelinked child",
        })
    }

    /// A component; common ones more often.
    fn usual_kind(&mut self) -> Kind {
        if self.rng.one_in(2) {
            *self.rng.pick(&[Kind::Translation, Kind::Rotation, Kind::Scale, Kind::NonUniformScale])
        } else {
            *self.rng.pick(&self.kinds)
        }
    }

    /// Hangs a short chain off one of the deepest entities.
    fn deepen(&mut self, subject: &mut Subject, oracle: &Oracle) -> Option<Vec<Edit>> {
        let depths = oracle.links.depths().into_iter();
        let slots =
            depths.filter_map(|(entity, depth)| Some((depth, *subject.slots.get(&entity)?)));
        let deepest = slots.max_by_key(|(depth, slot)| (*depth, usize::MAX - slot));
        let deepest = deepest.map(|(_, slot)| slot);
        let mut parent = deepest.filter(|slot| self.alive.contains(slot)).or_else(|| self.any())?;
        let first = self.next;
        let edits = (0..2 + self.rng.below(4)).map(|i| {
            let kinds = [Kind::LocalToWorld, Kind::LocalToParent, Kind::Rotation];
            let components = kinds.map(|kind| (kind, self.rng.numbers(kind))).to_vec();
            let edit = Edit::Spawn {
                slot: first + i,
                components,
                parent: Some(parent),
                prelinked: self.rng.one_in(2),
            };
            parent = first + i;
            edit
        });
        Some(edits.collect())
    }
}

fn sorts() -> impl Iterator<Item = &'static str> {
    SORTS.into_iter().chain(frames::SORTS)
}

/// What every long enough run must have done at least once.
pub fn required() -> Vec<String> {
    let of = |kind: Kind| ["add", "remove", "overwrite"].map(|what| format!("{what} {kind:?}"));
    let components = kinds().into_iter().flat_map(of);
    sorts().map(str::to_owned).chain(components).collect()
}
