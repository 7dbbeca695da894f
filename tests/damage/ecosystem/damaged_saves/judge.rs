//! What becomes of a world that was loaded: it is refused by a finding, or right in every run.

use harness::{CheckedWorld, Rng, snapshot, user::kinds};
use legion::{Entity, World, storage::Component};
use legion_transform::{components::PreviousParent, findings::FindingKind, prelude::*};
use legion_transform_testing::{Kind, ListMirror, Setup, kind::column, snapshot::archetypes};

/// How a loaded world ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// Every run made it right, and findings said what was wrong with it.
    Found,
    /// Every run made it right, and nothing was wrong with it.
    Right,
    /// Refused with `DamagedColumn`, and left alone.
    Refused,
}

fn is_short<T: Component>(world: &World) -> bool {
    let rows = archetypes(world).iter().map(|one| (one.index(), one.entities().len()));
    rows.into_iter()
        .any(|(index, len)| column::<T>(world, index).is_some_and(|column| column.len() != len))
}

/// Whether a column is not as long as its archetype.
fn is_damaged(world: &World) -> bool {
    let relations = is_short::<Parent>(world)
        || is_short::<PreviousParent>(world)
        || is_short::<Children>(world);
    relations
        || archetypes(world).iter().any(|one| {
            let len = one.entities().len();
            let differs = |kind: &Kind| {
                kind.column(world, one.index()).is_some_and(|column| column.len() != len)
            };
            kinds().iter().any(differs)
        })
}

/// Lets a world live. Panics if it is wrong.
pub fn judge(world: World, rng: &mut Rng) -> Ending {
    let bundle = TransformSystemBundle::default().print_findings(false);
    let bundle = if rng.one_in(2) { bundle.track_changes() } else { bundle };
    let mut checked = CheckedWorld::new(bundle, Setup::default());
    checked.world = world;
    if is_damaged(&checked.world) {
        let before = format!("{:?}", snapshot(&checked.world).rows);
        for _ in 0..2 {
            checked.test.run();
            let is_it = |kind| matches!(kind, FindingKind::DamagedColumn { .. });
            let findings = checked.findings();
            let is_refused = findings.iter().any(|finding| is_it(finding.kind));
            // A finding names an entity, so there is none where no entity is left.
            assert!(is_refused || checked.world.is_empty(), "refused: {findings:?}, {before}");
            assert!(format!("{:?}", snapshot(&checked.world).rows) == before, "left alone");
        }
        return Ending::Refused;
    }
    let mut mirror = ListMirror::default();
    checked.run();
    mirror.follow(&checked.world, &checked.resources);
    checked.run_again();
    mirror.follow(&checked.world, &checked.resources);
    let ending = if checked.found.is_empty() { Ending::Right } else { Ending::Found };
    for _ in 0..3 {
        for _ in 0..1 + rng.below(3) {
            edit(&mut checked, rng);
        }
        checked.run();
        mirror.follow(&checked.world, &checked.resources);
    }
    checked.run_again();
    ending
}

/// Does something to an entity that a game might do.
fn edit(checked: &mut CheckedWorld, rng: &mut Rng) {
    let all: Vec<Entity> = snapshot(&checked.world).rows.iter().map(|row| row.entity).collect();
    if all.is_empty() {
        checked.at(1.0);
        return;
    }
    let (entity, other) = (*rng.pick(&all), *rng.pick(&all));
    match rng.below(8) {
        0 => checked.despawn(entity),
        1 => drop(checked.below(entity, rng.float(-3.0, 3.0))),
        2 => {
            checked.put(entity, LocalToParent::identity());
            checked.put(entity, Parent(other));
        }
        3 => checked.take::<Parent>(entity),
        4 => checked.put(entity, LocalToWorld::identity()),
        // An error where it cannot be done.
        5 => drop(checked.world.set_parent(entity, other)),
        6 => drop(checked.world.despawn_subtree(entity)),
        _ => checked.put(entity, Translation::from(rng.vector(5.0))),
    }
}
