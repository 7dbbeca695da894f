//! Random windows: a written column must never be called anything else.
//!
//! `-- --nocapture` shows how many windows were called written without need.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use legion::{Entity, EntityStore, IntoQuery, World};

use super::{
    Account,
    operations::{Rng, TestWorld},
    soak::{Repeats, first_seed, soak},
    writes::Writes,
};
use crate::{
    components::Translation,
    engine::storage::{RowWriter, columns::Archetypes, mask::Mask},
};

/// An account with what it should find.
struct Watched {
    account: Account,
    writes: Writes,
    /// The entities that were edited in place.
    edited: Vec<Entity>,
    is_new: bool,
    is_odd: bool,
}

#[derive(Debug, Default)]
struct Counts {
    /// Windows without a write, and those of them called written, where nothing odd was done and
    /// where something was.
    clean: [usize; 2],
    needless: [usize; 2],
    /// Windows with writes.
    written: usize,
    /// Columns rightly found inserted into.
    inserted: usize,
    /// Entities that were edited in place, and are found although nothing was written.
    edited: usize,
    incomplete: usize,
}

impl Watched {
    fn new(test: &mut TestWorld) -> Self {
        let account = Account::open(&mut test.world);
        Self { account, writes: Vec::new(), edited: Vec::new(), is_new: true, is_odd: false }
    }

    fn check(&mut self, world: &mut World, counts: &mut Counts, seed: u64) {
        self.account.look(world).unwrap();
        for &(archetype, component) in &self.writes {
            let (written, inserted) =
                (self.account.written(archetype), self.account.inserted(archetype));
            assert!(
                written.has(component),
                "{component:?} of {archetype}: {written:?} {inserted:?}, seed {seed}"
            );
        }
        for entity in self.edited.drain(..) {
            let Some(at) = Archetypes::of(world).locate(entity) else { continue };
            let sheet = &self.account.tracker[at.archetype];
            let is_found = sheet.due.contains(at.row) || sheet.recent.contains(at.row);
            let is_written = sheet.is_written(Mask::TRANSLATION);
            counts.edited += usize::from(is_found && !is_written);
            let has_any = sheet.mask.has(Mask::TRANSLATION);
            assert!(!has_any || is_found || is_written, "{entity:?} at {at:?}, seed {seed}");
        }
        if !self.is_new {
            self.count(counts);
        }
        self.account.know(world);
        (self.is_new, self.is_odd) = (false, false);
        self.writes.clear();
    }

    fn count(&self, counts: &mut Counts) {
        let touched = self.account.touched();
        let written =
            touched.iter().any(|&archetype| self.account.written(archetype) != Mask::NONE);
        counts.incomplete += usize::from(!self.account.is_complete());
        counts.inserted +=
            touched.iter().map(|&archetype| self.account.inserted(archetype).len()).sum::<usize>();
        if !self.writes.is_empty() {
            counts.written += 1;
            return;
        }
        counts.clean[usize::from(self.is_odd)] += 1;
        counts.needless[usize::from(self.is_odd)] += usize::from(written);
    }
}

/// Two worlds with an account each, and a world without any.
struct Play {
    worlds: [TestWorld; 2],
    watched: [Watched; 2],
    stranger: World,
    rng: Rng,
}

impl Play {
    fn new(seed: u64) -> Self {
        let mut worlds = [TestWorld::new(), TestWorld::new()];
        let [first, second] = &mut worlds;
        let watched = [Watched::new(first), Watched::new(second)];
        let mut stranger = World::default();
        stranger.push((Translation::identity(),));
        Self { worlds, watched, stranger, rng: Rng::of(seed) }
    }

    /// What one edit of a world has written is what its account has to find.
    fn tell(&mut self) {
        for (test, watched) in self.worlds.iter_mut().zip(&mut self.watched) {
            let (writes, is_odd) =
                (std::mem::take(&mut test.writes), std::mem::take(&mut test.is_odd));
            watched.writes.extend(writes);
            // What was written is gone with the last row: those that come later are composed.
            let archetypes = Archetypes::of(&test.world).list;
            watched.writes.retain(|(at, _)| !archetypes[*at as usize].entities().is_empty());
            watched.is_odd |= is_odd;
        }
    }

    fn odd(&mut self) {
        self.watched.iter_mut().for_each(|watched| watched.is_odd = true);
    }

    fn edit(&mut self, writes: bool, odd: bool) {
        let (at, rng) = (usize::from(self.rng.one_in(4)), &mut self.rng);
        // Edits of another world are none of the events of this one.
        self.watched[1 - at].is_odd = true;
        match rng.below(22) {
            0..=6 => self.worlds[at].insert(rng),
            7..=9 => self.worlds[at].remove_or_move(rng),
            10..=12 => self.worlds[at].flush(rng, writes),
            13..=16 if writes => self.worlds[at].write(rng),
            17 if writes => self.worlds[at].hide(rng),
            18 if odd => {
                <&mut Translation>::query().for_each_mut(&mut self.stranger, |_| ());
                self.odd();
            }
            19 if odd && rng.one_in(8) => {
                let [first, second] = &mut self.worlds;
                let (to, from) = if at == 0 { (first, second) } else { (second, first) };
                let source = rng.one_in(2).then_some(&mut from.world);
                to.merge(rng, source);
                from.refresh(rng);
                self.odd();
            }
            20..=21 => self.edit_in_place(at),
            _ => {
                let test = &mut self.worlds[at];
                let account = &mut self.watched[at].account;
                match self.rng.one_in(2) {
                    true => _ = account.look(&mut test.world).unwrap(),
                    // An edit reads the log beside the tracker.
                    false => _ = account.links.are_known(&mut test.world, &account.tracker),
                }
            }
        }
        self.tell();
    }

    fn edit_in_place(&mut self, at: usize) {
        let (test, watched) = (&mut self.worlds[at], &mut self.watched[at]);
        // Other values than the rows have: those would not be written.
        let mut edits = Vec::new();
        for number in 1..=[1, 1, 3][self.rng.below(3)] {
            let Some(entity) = test.any(&mut self.rng) else { return };
            let Some(row) = Archetypes::of(&test.world).locate(entity) else { return };
            let has = test.world.entry_ref(entity).ok();
            let has = has.and_then(|it| Some(it.get_component::<Translation>().ok()?.x));
            edits.push((entity, row, has.unwrap_or(0.0) + number as f32));
        }
        let tracker = &mut watched.account.tracker;
        if let [(_, at, x)] = edits[..] {
            let mut bumps = Default::default();
            let value = Translation::new(x, 0.0, 0.0);
            RowWriter::new(&mut test.world, at, &mut bumps).rewrite(value);
            tracker.note_edits(&mut test.world, at.archetype, &[at.row], &bumps);
        } else {
            let mut writer = RowWriter::of_many(&mut test.world, |_, _| Some(Mask::TRANSLATION));
            for &(entity, _, x) in &edits {
                let found = writer.find(entity);
                writer.rewrite(found.expect("alive").1, Translation::new(x, 0.0, 0.0));
            }
            let written = writer.finish();
            written(tracker, &mut test.world);
        }
        watched.edited.extend(edits.into_iter().map(|edit| edit.0));
    }

    fn window(&mut self, counts: &mut Counts, seed: u64) {
        let (writes, odd) = (self.rng.one_in(2), self.rng.one_in(2));
        for _ in 0..1 + self.rng.below(5) {
            self.edit(writes, odd);
        }
        for (test, watched) in self.worlds.iter_mut().zip(&mut self.watched) {
            if !self.rng.one_in(3) {
                watched.check(&mut test.world, counts, seed);
            }
            test.refresh(&mut self.rng);
        }
        if self.rng.one_in(200) {
            let at = self.rng.below(2);
            self.watched[at] = Watched::new(&mut self.worlds[at]);
        }
    }
}

fn run(windows: usize, seed: u64) -> Counts {
    let mut counts = Counts::default();
    let mut seed = first_seed(seed);
    while counts.written + counts.clean.iter().sum::<usize>() < windows {
        let _repeats = Repeats(seed);
        let mut play = Play::new(seed);
        for _ in 0..windows.min(500) {
            play.window(&mut counts, seed);
        }
        seed += 1;
    }
    counts
}

/// How many are tried.
const WINDOWS: usize = 10_000;

/// These tests take turns, so that the counter of versions, one for all of the process, hardly
/// moves beside `the_usual_frame_closes`.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn never_calls_a_written_column_anything_else() {
    let _turn = turn();
    let counts = run(soak(WINDOWS), 88_172_645_463_325_252);
    println!("{counts:?}");
    assert!(counts.inserted > 0 && counts.written > 0 && counts.edited > 0);
}

/// Stops the other thread, whatever comes of this one.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "starts a thread")]
fn nor_while_other_threads_move_the_counter() {
    let _turn = turn();
    let done = AtomicBool::new(false);
    let counts = std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut world, mut rng) = (TestWorld::new(), Rng::of(7));
            let mut account = Account::open(&mut world.world);
            while !done.load(Ordering::Relaxed) {
                world.insert(&mut rng);
                world.write(&mut rng);
                world.refresh(&mut rng);
                account.know(&mut world.world);
                for _ in 0..rng.below(2000) {
                    std::hint::spin_loop();
                }
            }
        });
        let _stop = Stop(&done);
        run(soak(WINDOWS / 5), 521_288_629_546_311)
    });
    println!("beside another thread: {counts:?}");
}

/// [systems write; a look; a flush; a run]: nothing else moves the counter, so everything that was
/// not written is found to be so.
#[test]
fn the_usual_frame_closes() {
    let _turn = turn();
    let (mut test, mut rng) = (TestWorld::new(), Rng::of(3));
    let mut watched = Watched::new(&mut test);
    let (mut counts, mut needless) = (Counts::default(), 0);
    let frames = soak(WINDOWS / 10);
    for _ in 0..frames {
        for _ in 0..rng.below(3) {
            test.write(&mut rng);
        }
        watched.writes.append(&mut test.writes);
        watched.account.look(&mut test.world).unwrap();
        let account = &watched.account;
        let before: Vec<_> = account
            .touched()
            .iter()
            .map(|&archetype| (archetype, account.written(archetype)))
            .collect();
        test.flush(&mut rng, false);
        watched.account.look(&mut test.world).unwrap();
        let account = &watched.account;
        let was = |archetype| {
            before
                .iter()
                .find(|(at, _)| *at == archetype)
                .map_or(Mask::NONE, |(_, written)| *written)
        };
        let more =
            account.touched().iter().any(|&archetype| account.written(archetype) != was(archetype));
        needless += usize::from(more && !watched.is_new);
        watched.check(&mut test.world, &mut counts, 3);
        test.refresh(&mut rng);
        watched.account.know(&mut test.world);
    }
    println!("{needless} of {frames} usual frames called written without need");
    assert!(needless < frames / 2, "{needless} of {frames}");
}
