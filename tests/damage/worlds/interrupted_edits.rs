//! A subscriber of the user's that panics in the middle of Legion's own `push`. What that leaves is
//! a row without a place: every run ends, and a finding names the entity. (Edits that are cut short
//! at any event: `tests/runs/pairs`.)

use harness::{TestWorld, panics::Fuse};
use legion::{Entity, EntityStore, IntoQuery, World, any};
use legion_transform::{components::PreviousParent, findings::FindingKind, prelude::*};

fn at(x: f32) -> Translation {
    Translation::new(x, 0.0, 0.0)
}

/// What the hierarchy would give to a row, or take from it.
const ROWS: [fn(&mut World, Entity, Entity) -> Entity; 8] = [
    |world, _, dead| world.push((LocalToWorld::identity(), Children::from_iter([dead]))),
    |world, root, _| world.push((LocalToWorld::identity(), Children::from_iter([root]))),
    |world, _, dead| {
        world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(dead)))
    },
    |world, root, _| {
        world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(root)))
    },
    |world, root, _| {
        let link = (LocalToParent::identity(), Parent(root), PreviousParent::from(Some(root)));
        world.push((LocalToWorld::identity(), link.0, link.1, link.2))
    },
    |world, _, _| world.push((at(1.0), 7_u16)),
    |world, root, _| world.push((LocalToWorld::identity(), PreviousParent::from(Some(root)))),
    |world, _, _| world.push((LocalToWorld::identity(), Children::new())),
];

const LACKS_MATRIX: usize = 5;

#[test]
fn a_row_without_a_place_is_told_and_every_run_ends() {
    let bundles: [fn() -> TransformSystemBundle; 2] =
        [TransformSystemBundle::default, || TransformSystemBundle::default().insert_missing()];
    for (number, row) in ROWS.into_iter().enumerate() {
        for bundle in bundles {
            let mut test = TestWorld::new(bundle().print_findings(false));
            let root = test.at(1.0);
            let child = test.below(root, 4.0);
            test.run();
            let fuse = Fuse::default().subscribed(&mut test.world);
            let dead = test.push((1_u8,));
            test.despawn(dead);
            // The archetype is made before.
            let first = row(&mut test.world, root, dead);
            test.despawn(first);
            assert!(fuse.light(1, || row(&mut test.world, root, dead)).is_err());
            for place in 3..6 {
                test.put(root, at(place as f32));
                test.run();
                assert_eq!(test.x(child), place as f32 + 4.0, "{number}");
                // A bundle that gives missing matrices moves whole archetypes: that mends it.
                let mut rows = <Entity>::query();
                let mut rows = rows.iter(&test.world);
                let lost = rows.find(|entity| test.world.entry_ref(**entity).is_err());
                let is_given = number == LACKS_MATRIX && lost.is_none();
                let expected = lost.map(|lost| (FindingKind::UnplacedEntity, *lost, None));
                assert!(expected.is_some() || is_given, "{number}");
                let mut told = test.told();
                told.retain(|told| told.0 == FindingKind::UnplacedEntity);
                assert_eq!(told, Vec::from_iter(expected), "{number}");
            }
            // In another world it has a place again.
            let mut elsewhere = World::default();
            elsewhere.move_from(&mut test.world, &any());
            test.world = elsewhere;
            test.run();
            test.run();
            let others = [FindingKind::MissingLocalToWorld, FindingKind::WaitsForParent];
            assert!(test.told().iter().all(|told| others.contains(&told.0)), "{number}");
            assert_eq!(test.x(child), 9.0, "{number}");
        }
    }
}
