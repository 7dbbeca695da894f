//! One program, played in ways that must not matter: by commands in each place of the schedule,
//! beside systems that do nothing, with another bundle, moved, cloned, or saved and loaded between
//! the edits and the run. Each world must come out as that of the plain program does: the same
//! bits, the same order of children, the same answers, errors and findings.
//!
//! ```text
//!  plain       edit  edit  edit             run
//!  commands    .     .     .                run: edit edit edit, by a system in this place
//!  loaded      edit  edit  edit  save load  run
//! ```

mod asked;
mod detours;
mod traveller;

use harness::demand;
use legion_transform_testing::{Histories, Kind, Step, Values, check_histories, edits};

use crate::edits::frame;
use legion_transform::{components::Visible, frames::Frame};
use proptest::prelude::*;

use asked::asked;
use traveller::{OWN, Traveller, Way};

/// The edits of a program. `ParentScaleInverse` is left out: a world that moves takes along what is
/// in it, and not who wrote such a value.
fn programs() -> Histories {
    let kinds: Vec<Kind> =
        Kind::ALL.iter().copied().filter(|kind| *kind != Kind::ParentScaleInverse).collect();
    let usual = [Kind::Translation, Kind::Rotation, Kind::Scale, Kind::NonUniformScale];
    edits()
        .everything()
        .components(kinds)
        .and(&usual.repeat(6))
        .and(OWN)
        .values(Values::default().mirrors())
        .own::<Frame>(frame(false))
        .own::<Visible>(any::<bool>().prop_map(Visible))
        .edit(asked())
        .length(80)
        .most(24)
        .bulk(6)
}

#[test]
fn ways_that_must_not_matter() {
    demand::each_seed(12, |seed| {
        check_histories(demand::one_world(seed), programs(), |history| {
            let inserts = seed.is_multiple_of(2);
            let mut plain = Traveller::new(Way::Plain, inserts);
            let mut others = Way::OTHERS.map(|way| Traveller::new(way, inserts));
            history.follow(|step| {
                // What a query finds second is another entity where archetypes stand otherwise.
                if matches!(step, Step::Each(_, 2..)) {
                    return true;
                }
                plain.take(step);
                others.iter_mut().for_each(|it| it.take(step));
                if matches!(step, Step::Run) {
                    others.iter_mut().for_each(|it| it.compare(plain.seen()));
                }
                true
            });
            Ok(())
        });
    });
}
