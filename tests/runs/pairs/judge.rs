//! What has to hold after a window.

use harness::snapshot;
use legion::{Entity, EntityStore, Read, World, storage::ComponentTypeId};
use legion_transform::{findings::FindingKind, prelude::*};
use legion_transform_testing::{Reference, Snapshot, assert_relations};

use super::scene::Scene;

/// Whether every row has a place in Legion's table, and all columns of an archetype are as long as
/// its list of entities. A panic inside of Legion's own edit may leave something else.
pub fn is_whole(world: &World) -> bool {
    let storage = world.get_component_storage::<Read<LocalToWorld>>().expect("a world's own");
    let mut rows = 0;
    let is_whole = storage.archetypes().iter().all(|archetype| {
        let (index, entities) = (archetype.index(), archetype.entities());
        rows += entities.len();
        let fits = |component: &ComponentTypeId| {
            let column = world.components().get(*component).and_then(|it| it.get_raw(index));
            column.is_some_and(|(_, len)| len == entities.len())
        };
        let is_placed = |entity: &Entity| {
            world.entry_ref(*entity).is_ok_and(|entry| entry.location().archetype() == index)
        };
        archetype.layout().component_types().iter().all(fits) && entities.iter().all(is_placed)
    });
    is_whole && rows == world.len()
}

/// Runs, and compares all relations with the rules, and all matrices with the reference.
pub fn judge(scene: &mut Scene, mut run: impl FnMut(&mut Scene)) {
    let (before, reference) = look(&scene.test.world);
    run(scene);
    let after = snapshot(&scene.test.world);
    assert!(!tells_damage(scene), "{:?}", scene.test.findings());
    assert_relations(&before, &after, true);
    if std::mem::take(&mut scene.overwrites) {
        (0..32).for_each(|_| run(scene));
    }
    compare(&reference, &scene.test.world);
    // Nothing changes any more.
    let (before, reference) = look(&scene.test.world);
    run(scene);
    let again = snapshot(&scene.test.world);
    assert_relations(&before, &again, true);
    compare(&reference, &scene.test.world);
}

/// The world, and what a run must make of it.
fn look(world: &World) -> (Snapshot, Reference) {
    (snapshot(world), Reference::of(world))
}

fn compare(reference: &Reference, world: &World) {
    reference.check(world).unwrap_or_else(|mismatch| panic!("{mismatch}"));
}

/// Runs a world that is damaged: each run ends, without a panic, and a finding tells. Where Legion
/// itself puts a row in its place, because it takes the row of another entity, all is right again.
pub fn judge_damaged(scene: &mut Scene, mut run: impl FnMut(&mut Scene)) {
    for _ in 0..3 {
        // An idle run looks at nothing.
        scene.test.set(scene.user, 2_u8);
        run(scene);
        if is_whole(&scene.test.world) {
            return judge(scene, run);
        }
        assert!(tells_damage(scene), "{:?}", scene.test.findings());
    }
}

fn tells_damage(scene: &Scene) -> bool {
    scene.test.resources.get::<Findings>().is_some_and(|findings| {
        findings.of(&scene.test.world).any(|finding| {
            matches!(
                finding.kind,
                FindingKind::DamagedColumn { .. }
                    | FindingKind::DuplicateEntity
                    | FindingKind::UnplacedEntity
            )
        })
    })
}
