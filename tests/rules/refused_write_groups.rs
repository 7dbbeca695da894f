//! A write group that has no effect is refused when the bundle is built; every other is accepted.

use legion_transform::{
    components::{CompositeRotation, CompositeScale},
    prelude::*,
};

struct User;
struct User2;

/// What building a bundle with this registration panics with.
#[cfg(panic = "unwind")]
fn refusal(bundle: TransformSystemBundle) -> Option<String> {
    let built = harness::caught(|| drop(bundle.build()));
    built.err().map(|panic| *panic.downcast::<String>().expect("the panic has a text"))
}

#[cfg(panic = "unwind")]
#[test]
fn a_target_that_the_bundle_does_not_know_is_refused_when_it_is_built() {
    // Swapped by mistake.
    let text = refusal(TransformSystemBundle::default().write_group::<User, LocalToWorld>())
        .expect("it has no effect");
    assert!(
        text.contains(
            "User, legion_transform::components::matrices::LocalToWorld>() has no effect"
        ),
        "{text}"
    );
    assert!(text.contains("Name what the bundle writes first"), "{text}");
    // Known only by itself, or by another that is not known either.
    assert!(refusal(TransformSystemBundle::default().write_group::<User, User2>()).is_some());
    let circular =
        TransformSystemBundle::default().write_group::<User, User2>().write_group::<User2, User>();
    assert!(refusal(circular).is_some());
    let own = refusal(TransformSystemBundle::default().write_group::<LocalToWorld, LocalToWorld>())
        .expect("a matrix over itself");
    assert!(own.contains("its own write group"), "{own}");
    // Schedules built by hand and by `add_transforms` alike.
    let bundle = TransformSystemBundle::default().write_group::<User, LocalToWorld>();
    let added = harness::caught(|| _ = legion::Schedule::builder().add_transforms(bundle));
    assert!(added.is_err());
}

#[test]
fn every_target_that_has_an_effect_is_accepted() {
    let bundle = TransformSystemBundle::default()
        .write_group::<Rotation, User>()
        .write_group::<PostRotation, User>()
        .write_group::<CompositeRotation, User>()
        .write_group::<CompositeScale, User>()
        .write_group::<ParentScaleInverse, User>()
        .write_group::<LocalToParent, User>()
        .write_group::<LocalToWorld, User>()
        .write_group::<WorldToLocal, User>()
        // An input of the bundle's that a system of the user's derives, and a member that is known
        // by an earlier or later registration.
        .write_group::<Translation, User>()
        .write_group::<User, User2>();
    drop(bundle.build());
}
