//! Worlds that go through the same steps, each compared with the judge or with the first one.

use std::collections::BTreeSet;

use harness::{
    TestWorld, snapshot,
    user::{OWN, kinds, setup},
};
use legion_transform::{findings::FindingKind, frames::Frame, prelude::*};
use legion_transform_testing::{Histories, Kind, RunJudge, Step, Values, catalogue::EDITS, edits};

use super::{
    edits::{Odd, Verb, frame, listed, odd, of_components, one_of, one_of_components},
    subject::{Named, Subject, difference},
};

/// In so many worlds each component and each edit of the catalogue has had its turn.
const TURNS: usize = 8;

/// Those whose turn it is in a world.
fn in_turn<T>(all: impl IntoIterator<Item = T>, seed: u64) -> Vec<T> {
    all.into_iter().skip(seed as usize % TURNS).step_by(TURNS).collect()
}

/// What a world of the test is like.
#[derive(Clone, Copy)]
pub struct Plan {
    /// The most edits and runs.
    pub length: usize,
    /// Above this size more die than are born.
    pub target: usize,
    /// The most that is spawned in one edit.
    pub bulk: usize,
    /// Whether there are edits, those of the catalogue among them, that pick entities by rows.
    pub by_row: bool,
}

impl Plan {
    pub fn new(length: usize, target: usize, bulk: usize) -> Self {
        Self { length, target, bulk, by_row: true }
    }

    /// Whether a step is part of it.
    pub fn has(&self, step: &Step) -> bool {
        self.by_row || !matches!(step, Step::Each(..) | Step::Own(_))
    }

    /// The edits of a world. One world in three has values that are not finite, or have no inverse.
    /// Many edits are of those sorts whose turn it is, so that a few worlds have all.
    pub fn edits(self, seed: u64) -> Histories {
        let is_wild = seed.is_multiple_of(3);
        let edits = edits()
            .everything()
            .and(OWN)
            .values(Values::default().mirrors())
            .abuse()
            .own::<Frame>(frame(is_wild))
            .edit(odd(self.bulk, is_wild))
            .edit(odd(self.bulk, is_wild))
            .length(self.length)
            .most(self.target)
            .bulk(self.bulk);
        let doubts = self.target <= 64;
        let often = |edits: Histories, times, listed: Vec<usize>, of_components: Vec<_>| {
            (0..times).fold(edits, |it, _| {
                it.edit(one_of(listed.clone())).edit(one_of_components(of_components.clone()))
            })
        };
        let edits = often(edits, 4, listed(doubts).collect(), of_components());
        let (listed, of_components) =
            (in_turn(listed(doubts), seed), in_turn(of_components(), seed));
        let edits = often(edits, 8, listed, of_components);
        let edits = if doubts { edits.doubt() } else { edits };
        let wild = Values::default().mirrors().zeros().non_finite().extremes();
        if is_wild { edits.rarely(wild) } else { edits }
    }
}

/// What came about so far.
#[derive(Debug, Default)]
pub struct Reached {
    /// Of those between two runs no more than ten count: some are made of 400 entities at once.
    pub edits: usize,
    pub runs: usize,
    pub entities: usize,
    pub archetypes: usize,
    pub depth: usize,
    /// The sorts of edits that were made, and of what they led to.
    pub sorts: BTreeSet<String>,
}

impl Reached {
    pub fn add(&mut self, other: Self) {
        self.edits += other.edits;
        self.runs += other.runs;
        self.entities = self.entities.max(other.entities);
        self.archetypes = self.archetypes.max(other.archetypes);
        self.depth = self.depth.max(other.depth);
        self.sorts.extend(other.sorts);
    }
}

/// What every long enough run must have come to at least once.
pub fn required() -> Vec<String> {
    let of = |kind: Kind| Verb::ALL.map(|verb| verb.of(kind.name()));
    let others = Verb::ALL.map(|verb| verb.of("Frame"));
    let sorts = [
        "spawn a root",
        "spawn a child",
        "extend",
        "merge",
        "write each",
        "despawn",
        "Parent",
        "Link",
        "Unparent",
        "Unlink",
        "Touch",
        "Record",
        "no Record",
        "List",
        "no List",
        "Tag",
        "Untag",
        "Travel",
        "Clear",
        "a cycle",
        "a child that waits",
        "a dead parent",
        "a parent without LocalToWorld",
    ];
    let listed = listed(false).map(|number| EDITS[number].name);
    let names = sorts.into_iter().chain(Odd::NAMES).chain(listed).map(str::to_owned);
    names.chain(others).chain(kinds().into_iter().flat_map(of)).collect()
}

/// Worlds that go through the same steps: the first is judged, the others must come out the same
/// bits.
pub struct Trial {
    subjects: Vec<Subject>,
    judge: RunJudge,
    /// How many edits since the last run.
    since: usize,
    pub reached: Reached,
}

impl Trial {
    pub fn new(bundles: Vec<TransformSystemBundle>) -> Self {
        // Every second one lists what changed, which must not change it.
        let tracked = |(index, bundle): (usize, TransformSystemBundle)| {
            if index % 2 == 1 { bundle.track_changes() } else { bundle }
        };
        let bundles = bundles.into_iter().enumerate().map(tracked);
        let subjects = bundles.map(|bundle| Subject::new(TestWorld::new(bundle))).collect();
        Self {
            subjects,
            judge: RunJudge::new(setup().large_worlds(None), OWN),
            since: 0,
            reached: Reached::default(),
        }
    }

    pub fn take(&mut self, step: &Step) {
        if matches!(step, Step::Run) {
            self.since = 0;
            self.run();
            if self.reached.runs.is_multiple_of(5) {
                self.run_again();
            }
            return;
        }
        self.since += 1;
        self.reached.edits += usize::from(self.since <= 10);
        let sort = sort(step, &self.subjects[0]);
        self.reached.sorts.insert(sort);
        self.subjects.iter_mut().for_each(|subject| subject.test.play(step));
    }

    fn run(&mut self) {
        let (first, others) = self.subjects.split_first_mut().expect("there is one");
        first.test.judged_by(&mut self.judge);
        first.follow();
        let first_named = Named::new(&self.judge.last, &first.test.cast);
        let findings = named(first, &first_named);
        for other in others {
            other.test.run();
            other.follow();
            let seen = snapshot(&other.test.world);
            let seen = Named::new(&seen, &other.test.cast);
            let text = "threads and instruction sets do not change results";
            assert_eq!(difference(&seen, &first_named), None, "{text}");
            let text = "threads and instruction sets do not change findings";
            assert_eq!(named(other, &seen), findings, "{text}");
        }
        self.look();
    }

    /// Nothing was edited since the last run.
    fn run_again(&mut self) {
        let (first, others) = self.subjects.split_first_mut().expect("there is one");
        first.test.judged_again_by(&mut self.judge);
        first.follow();
        for subject in others {
            subject.test.run();
            assert_eq!(subject.follow(), [], "nothing is listed where nothing was edited");
        }
    }

    fn look(&mut self) {
        let (RunJudge { last, links, .. }, reached) = (&self.judge, &mut self.reached);
        reached.runs += 1;
        reached.entities = reached.entities.max(last.rows.len());
        reached.archetypes = reached.archetypes.max(last.versions.len());
        reached.depth = reached.depth.max(links.depths().into_values().max().unwrap_or(0));
        if !links.cyclic.is_empty() {
            reached.sorts.insert("a cycle".into());
        }
        if !links.waiting.is_empty() {
            reached.sorts.insert("a child that waits".into());
        }
        for (kind, _) in links.repaired.values() {
            let is_dead = *kind == FindingKind::DeadParent;
            let sort = if is_dead { "a dead parent" } else { "a parent without LocalToWorld" };
            reached.sorts.insert(sort.into());
        }
    }
}

/// The findings of a world, with the names of entities for their ids.
fn named(
    subject: &Subject,
    world: &Named<'_>,
) -> Vec<(FindingKind, Option<usize>, Option<Option<usize>>)> {
    let name = |entity| world.name(entity);
    let findings = subject.test.findings().into_iter();
    let named = findings.map(|it| (it.kind, name(it.entity), it.related.map(name)));
    // Findings come in the order of Legion's ids, which is another one in each world.
    let mut named: Vec<_> = named.collect();
    named.sort_by_cached_key(|it| format!("{it:?}"));
    named
}

/// What an edit is, by what is there.
fn sort(step: &Step, subject: &Subject) -> String {
    let text = match step {
        Step::Spawn { parent: None, .. } => "spawn a root",
        Step::Spawn { .. } => "spawn a child",
        Step::Extend(_) => "extend",
        Step::Merge(..) => "merge",
        Step::Each(..) => "write each",
        Step::Despawn(_) => "despawn",
        Step::Record(_, None) => "no Record",
        Step::List(_, None) => "no List",
        Step::Put(name, value) => {
            let there = if subject.has(*name, value) { "overwrite" } else { "add" };
            return format!("{there} {}", value.name());
        }
        Step::Write(_, value) => return format!("write {}", value.name()),
        Step::Remove(_, value) => return format!("remove {}", value.name()),
        Step::Own(own) => return own_name(&format!("{own:?}")).to_owned(),
        step => return variant(step).to_owned(),
    };
    text.to_owned()
}

/// `// teleport: ...` is `teleport`.
fn own_name(line: &str) -> &str {
    line.strip_prefix("// ").and_then(|line| line.split_once(':')).map_or(line, |(name, _)| name)
}

fn variant(step: &Step) -> &'static str {
    match step {
        Step::Parent(..) => "Parent",
        Step::Link(..) => "Link",
        Step::Unparent(_) => "Unparent",
        Step::Unlink(_) => "Unlink",
        Step::Touch(..) => "Touch",
        Step::Record(..) => "Record",
        Step::List(..) => "List",
        Step::Tag(_) => "Tag",
        Step::Untag(_) => "Untag",
        Step::Travel => "Travel",
        Step::Clear => "Clear",
        _ => "another",
    }
}
