//! All names of the kit beside those of Legion, the crate and proptest, each by a glob: none is
//! ambiguous.
#![cfg(not(target_family = "wasm"))]

use legion::*;
use legion_transform::{components::Shear, prelude::*};
use legion_transform_testing::*;
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Nothing;

impl OwnEdit for Nothing {
    fn play(&self, _: &mut World, _: &mut Resources, _: &mut Cast) {}
}

#[test]
fn no_name_is_ambiguous() {
    let edits: Histories = edits().without(Edit::Spawn).edit(Just(Nothing));
    let seen: Seen = Check::default().config(config()).cases(4).run(
        edits.values(Values::default()).most(100),
        || Schedule::builder().add_transforms(TransformSystemBundle::default()).build(),
        |world: &World, _: &mut Resources| {
            assert_up_to_date(world);
            let reference: Reference = Reference::with(world, &Setup::default());
            prop_assert!(reference.check(world).is_ok());
            let snapshot: Snapshot = Snapshot::of(world);
            assert_nothing_rewritten(&snapshot, &snapshot);
            assert_versions_moved(&snapshot, &snapshot);
            Meaning::of(world, &Setup::default()).check(world).unwrap();
            Ok(())
        },
    );
    assert_eq!(seen.worlds, 5, "and a crowd");
    check_histories(config(), legion_transform_testing::edits().length(1), |history: &History| {
        assert!(history.steps().all(|step: &Step| !matches!(step, Step::Clear)));
        Ok(())
    });
    let all = (translation(), rotation(), scale(), transform(), component_of::<Shear>());
    let trees: [Trees; 2] = [chain(3), wide(3)];
    proptest!(config(), |(_ in all, forest in trees[0].clone())| {
        let Forest { nodes } = forest;
        prop_assert!(nodes.iter().all(|node: &Node| node.components.len() <= 3));
    });
    assert_eq!(Kind::of::<Shear>().name(), "Shear");
    assert!(Bounded::unknown().wrong_element(&Default::default()).is_none());
    let _: (ListMirror, Option<Mismatch>, Option<LostMeaning>) = Default::default();
}
