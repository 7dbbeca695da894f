//! Every line `target <= factors` of Unity's document on its transform system (sections 1, 2, 4 and
//! 5), its examples and its rules of precedence.
//!
//! A line is read as it stands: the product of its factors is what the target must become on an
//! entity that has these components and no others.

mod examples;
mod lines;

use std::collections::HashSet;

use examples::{Example, Who};
use harness::{Rng, TestWorld, demand, snapshot};
use legion::Entity;
use legion_transform::prelude::*;
use legion_transform_testing::{
    Bounded,
    formulas::{self, euler, rotation, scaling, translation, uniform},
    kind::{Kind, POST_ROTATION_EULERS, ROTATION_EULERS, Shape},
    mismatch,
    snapshot::Row,
};
use lines::List;

macro_rules! lists {
    ($($test:ident: $list:ident;)*) => {$(
        #[test]
        fn $test() {
            assert_eq!(lines::$list.test, stringify!($test));
            check_list(&lines::$list);
        }
    )*};
}

lists! {
    section_1_local_to_world: SECTION_1_LOCAL_TO_WORLD;
    section_2_local_to_parent: SECTION_2_LOCAL_TO_PARENT;
    section_4_non_uniform_scale: SECTION_4_NON_UNIFORM_SCALE;
    section_4_rotation_eulers: SECTION_4_ROTATION_EULERS;
    section_4_composite_rotation_in_local_to_world: SECTION_4_COMPOSITE_ROTATION_IN_LOCAL_TO_WORLD;
    section_4_composite_rotation: SECTION_4_COMPOSITE_ROTATION;
    section_4_post_rotation_eulers: SECTION_4_POST_ROTATION_EULERS;
    section_4_composite_scale_in_local_to_world: SECTION_4_COMPOSITE_SCALE_IN_LOCAL_TO_WORLD;
    section_4_composite_scale: SECTION_4_COMPOSITE_SCALE;
    section_5_non_uniform_scale: SECTION_5_NON_UNIFORM_SCALE;
    section_5_parent_scale_inverse_in_local_to_parent:
        SECTION_5_PARENT_SCALE_INVERSE_IN_LOCAL_TO_PARENT;
    section_5_parent_scale_inverse: SECTION_5_PARENT_SCALE_INVERSE;
    section_5_rotation_eulers: SECTION_5_ROTATION_EULERS;
    section_5_composite_rotation_in_local_to_parent:
        SECTION_5_COMPOSITE_ROTATION_IN_LOCAL_TO_PARENT;
    section_5_composite_rotation: SECTION_5_COMPOSITE_ROTATION;
    section_5_post_rotation_eulers: SECTION_5_POST_ROTATION_EULERS;
    section_5_composite_scale_in_local_to_parent: SECTION_5_COMPOSITE_SCALE_IN_LOCAL_TO_PARENT;
    section_5_composite_scale: SECTION_5_COMPOSITE_SCALE;
}

macro_rules! examples {
    ($($test:ident: $example:ident;)*) => {$(
        #[test]
        fn $test() {
            assert_eq!(examples::$example.test, stringify!($test));
            check_example(&examples::$example);
        }
    )*};
}

examples! {
    section_1_example_translation_rotation: SECTION_1_TRANSLATION_ROTATION;
    section_1_example_translation_rotation_scale: SECTION_1_TRANSLATION_ROTATION_SCALE;
    section_2_example_bare_child: SECTION_2_BARE_CHILD;
    section_2_example_child: SECTION_2_CHILD;
    section_2_example_grandchild: SECTION_2_GRANDCHILD;
    section_4_example_non_uniform_scale: SECTION_4_NON_UNIFORM_SCALE;
    section_4_example_euler: SECTION_4_EULER;
    section_4_example_composite_rotation: SECTION_4_COMPOSITE_ROTATION;
    section_4_example_post_rotation_euler: SECTION_4_POST_ROTATION_EULER;
    section_4_example_composite_scale: SECTION_4_COMPOSITE_SCALE;
    section_5_example_non_uniform_scale: SECTION_5_NON_UNIFORM_SCALE;
    section_5_example_parent_scale_inverse: SECTION_5_PARENT_SCALE_INVERSE;
    section_5_example_euler: SECTION_5_EULER;
    section_5_example_composite_rotation: SECTION_5_COMPOSITE_ROTATION;
    section_5_example_post_rotation_euler: SECTION_5_POST_ROTATION_EULER;
    section_5_example_composite_scale: SECTION_5_COMPOSITE_SCALE;
}

/// How many lines the document has: `grep -c '<='`.
const LINES: usize = 201;

/// No line is missing; with `--nocapture`, the table of lines and tests for the documentation.
#[test]
fn every_line_has_its_test() {
    let lists = lines::ALL.iter().flat_map(|list| list.lines.iter().map(|line| (list.test, *line)));
    let examples = examples::ALL
        .iter()
        .flat_map(|example| example.lines.iter().map(|(_, line)| (example.test, *line)));
    let mut rows: Vec<_> = lists.chain(examples).collect();
    rows.sort_by_key(|(test, _)| test.split('_').nth(1));
    println!("| line | test |\n| --- | --- |");
    for (test, line) in &rows {
        println!("| `{line}` | `{test}` |");
    }
    assert_eq!(rows.len(), LINES);
}

/// A factor of a line: a component, of the entity or of its parent, or its inverse.
struct Factor {
    kind: Kind,
    of_parent: bool,
    inverse: bool,
}

fn kind(name: &str) -> Kind {
    *Kind::ALL
        .iter()
        .find(|kind| format!("{kind:?}") == name)
        .unwrap_or_else(|| panic!("no component {name}"))
}

/// A line as its target and factors.
fn parse(line: &str) -> (Kind, Vec<Factor>) {
    let (target, factors) = line.split_once(" <= ").expect("a line");
    let factor = |text: &str| {
        let (text, inverse) = text.strip_suffix("^-1").map_or((text, false), |text| (text, true));
        let (text, of_parent) =
            text.strip_suffix("[Parent]").map_or((text, false), |text| (text, true));
        Factor { kind: kind(text), of_parent, inverse }
    };
    (kind(target), factors.split(" * ").map(factor).collect())
}

/// A component as a matrix; the identity where the entity does not have it.
fn as_matrix(row: &Row, kind: Kind, inverse: bool) -> Bounded {
    let order = |eulers: &[Kind; 6]| eulers.iter().position(|euler| *euler == kind);
    let sign = if inverse { -1.0 } else { 1.0 };
    let reciprocal = |x: f64| if inverse { 1.0 / x } else { x };
    match kind {
        _ if !row.has(kind) => formulas::identity(),
        Kind::Rotation | Kind::PostRotation => rotation(row.quaternion(kind).expect("checked")),
        Kind::Scale => scaling(uniform(reciprocal(row.scalar(kind).expect("checked")))),
        Kind::NonUniformScale => scaling(row.vector(kind).expect("checked").map(reciprocal)),
        _ => {
            if let Some(order) = order(&ROTATION_EULERS).or_else(|| order(&POST_ROTATION_EULERS)) {
                euler(order, row.vector(kind).expect("checked"))
            } else if let Some(matrix) = row.matrix(kind).filter(|_| kind.shape() == Shape::Matrix)
            {
                if inverse {
                    let inverse = matrix.try_inverse().expect("the tests' matrices have inverses");
                    Bounded {
                        value: inverse,
                        magnitude: inverse.abs() * matrix.abs() * inverse.abs(),
                    }
                } else {
                    Bounded::exact(matrix)
                }
            } else {
                translation(row.vector(kind).expect("a vector") * sign)
            }
        }
    }
}

/// The product of a line's factors, read from these entities.
fn product(factors: &[Factor], row: &Row, parent: Option<&Row>) -> Bounded {
    let read = |factor: &Factor| {
        let row = if factor.of_parent { parent.expect("the line names a parent") } else { row };
        as_matrix(row, factor.kind, factor.inverse)
    };
    factors.iter().map(read).reduce(std::ops::Mul::mul).expect("a line has factors")
}

fn spawn(
    test: &mut TestWorld,
    kinds: impl IntoIterator<Item = Kind>,
    parent: Option<Entity>,
    rng: &mut Rng,
) -> Entity {
    let components: Vec<_> = kinds.into_iter().map(|kind| (kind, rng.numbers(kind))).collect();
    let entity = test.spawn(&components);
    if let Some(parent) = parent {
        test.put(entity, Parent(parent));
    }
    entity
}

/// Each line of a list, on entities with exactly its components, with several values.
fn check_list(list: &List) {
    for (number, line) in list.lines.iter().enumerate() {
        let mut rng = Rng::new(number as u64);
        let (target, factors) = parse(line);
        let mut test = TestWorld::default();
        let mut cases = Vec::new();
        for _ in 0..demand::soak(5) {
            let mut above = vec![Kind::LocalToWorld, Kind::Translation, Kind::Rotation];
            above
                .extend(factors.iter().filter(|factor| factor.of_parent).map(|factor| factor.kind));
            let parent = list.child.then(|| spawn(&mut test, above, None, &mut rng));
            let mut own: HashSet<_> = factors
                .iter()
                .filter(|factor| !factor.of_parent)
                .map(|factor| factor.kind)
                .collect();
            own.extend([Kind::LocalToWorld, target]);
            if list.child {
                own.insert(Kind::LocalToParent);
            }
            cases.push((spawn(&mut test, own, parent, &mut rng), parent));
        }
        let before = snapshot(&test.world);
        test.run();
        let after = snapshot(&test.world);
        for (entity, parent) in cases {
            let parent = parent.and_then(|parent| before.get(parent));
            let expected = product(&factors, before.get(entity).expect("spawned"), parent);
            let actual =
                after.get(entity).and_then(|row| row.get(target)).expect("components stay");
            let mismatch = mismatch(target, &expected, actual);
            assert!(mismatch.is_none(), "{line}: {}", mismatch.unwrap_or_default());
        }
    }
}

/// The lines of an example, each from the values that its system found.
fn check_example(example: &Example) {
    for seed in 0..demand::soak(5) as u64 {
        let mut rng = Rng::new(seed);
        let mut test = TestWorld::default();
        let top = example.parent.contains(&Kind::LocalToParent).then(|| {
            spawn(&mut test, [Kind::LocalToWorld, Kind::Rotation, Kind::Scale], None, &mut rng)
        });
        let parent = (!example.parent.is_empty())
            .then(|| spawn(&mut test, example.parent.iter().copied(), top, &mut rng));
        let child = spawn(&mut test, example.child.iter().copied(), parent, &mut rng);
        let before = snapshot(&test.world);
        test.run();
        let after = snapshot(&test.world);
        for (who, line) in example.lines {
            let (entity, above) = if *who == Who::Parent {
                (parent.expect("a parent"), top)
            } else {
                (child, parent)
            };
            let row = after.get(entity).expect("spawned");
            let (target, mut factors) = parse(line);
            if target == Kind::LocalToParent && row.has(Kind::CompositeScale) {
                // The document's example forgets the CompositeScale that its own list of
                // combinations puts here.
                let scale =
                    factors.iter_mut().find(|factor| factor.kind == Kind::Scale).expect("a scale");
                scale.kind = Kind::CompositeScale;
            }
            let expected = product(&factors, row, above.and_then(|above| after.get(above)));
            let mismatch = mismatch(target, &expected, row.get(target).expect("components stay"));
            assert!(mismatch.is_none(), "{line}: {}", mismatch.unwrap_or_default());
            let old = before.get(entity).and_then(|row| row.get(target)).expect("spawned");
            assert_ne!(old, row.get(target).expect("checked"), "{line} was written");
        }
    }
}

/// The product of components of an entity, after a run.
fn check_target(test: &TestWorld, entity: Entity, line: &str) {
    let after = snapshot(&test.world);
    let row = after.get(entity).expect("a live entity");
    let (target, factors) = parse(line);
    let parent = row.parent.and_then(|parent| after.get(parent));
    let mismatch =
        mismatch(target, &product(&factors, row, parent), row.get(target).expect("the target"));
    assert!(mismatch.is_none(), "{line}: {}", mismatch.unwrap_or_default());
}

/// Spawns one entity with these components, and a child of a plain parent with the same; runs;
/// checks the two lines.
fn check_precedence(kinds: &[Kind], root: &str, child: &str) {
    let mut rng = Rng::new(11);
    let mut test = TestWorld::default();
    let parent = spawn(&mut test, [Kind::LocalToWorld, Kind::Rotation], None, &mut rng);
    let free = spawn(&mut test, kinds.iter().copied().chain([Kind::LocalToWorld]), None, &mut rng);
    let both = kinds.iter().copied().chain([Kind::LocalToWorld, Kind::LocalToParent]);
    let bound = spawn(&mut test, both, Some(parent), &mut rng);
    test.run();
    check_target(&test, free, root);
    check_target(&test, bound, child);
}

#[test]
fn the_first_euler_in_the_order_of_precedence_is_applied() {
    for (target, eulers) in
        [(Kind::Rotation, ROTATION_EULERS), (Kind::PostRotation, POST_ROTATION_EULERS)]
    {
        for first in 0..6 {
            let kinds: Vec<_> = eulers[first..].iter().rev().copied().chain([target]).collect();
            let line = format!("{target:?} <= {:?}", eulers[first]);
            check_precedence(&kinds, &line, &line);
        }
    }
}

#[test]
fn scale_wins_over_non_uniform_scale() {
    let kinds = [Kind::NonUniformScale, Kind::Scale, Kind::Translation];
    check_precedence(
        &kinds,
        "LocalToWorld <= Translation * Scale",
        "LocalToParent <= Translation * Scale",
    );
}

#[test]
fn scale_wins_over_non_uniform_scale_inside_composite_scale_too() {
    let kinds = [Kind::NonUniformScale, Kind::Scale, Kind::ScalePivot, Kind::CompositeScale];
    let line = "CompositeScale <= ScalePivot * Scale * ScalePivot^-1";
    check_precedence(&kinds, line, line);
}

#[test]
fn scale_wins_over_non_uniform_scale_in_parent_scale_inverse() {
    for (above, line) in [
        (&[Kind::Scale, Kind::NonUniformScale][..], "ParentScaleInverse <= Scale[Parent]^-1"),
        (
            &[Kind::CompositeScale, Kind::Scale, Kind::NonUniformScale],
            "ParentScaleInverse <= CompositeScale[Parent]^-1",
        ),
        (
            &[Kind::CompositeScale, Kind::NonUniformScale],
            "ParentScaleInverse <= CompositeScale[Parent]^-1",
        ),
    ] {
        let mut rng = Rng::new(12);
        let mut test = TestWorld::default();
        let parent =
            spawn(&mut test, above.iter().copied().chain([Kind::LocalToWorld]), None, &mut rng);
        let kinds = [Kind::LocalToWorld, Kind::LocalToParent, Kind::ParentScaleInverse];
        let child = spawn(&mut test, kinds, Some(parent), &mut rng);
        test.run();
        check_target(&test, child, line);
    }
}

#[test]
fn composite_scale_stands_in_for_both_scales() {
    for scales in
        [&[Kind::Scale][..], &[Kind::NonUniformScale], &[Kind::Scale, Kind::NonUniformScale]]
    {
        let kinds = [&[Kind::CompositeScale, Kind::ScalePivot, Kind::Translation], scales].concat();
        let factors = "Translation * CompositeScale";
        check_precedence(
            &kinds,
            &format!("LocalToWorld <= {factors}"),
            &format!("LocalToParent <= {factors}"),
        );
    }
}

#[test]
fn composite_rotation_stands_in_for_rotation() {
    let kinds = [Kind::CompositeRotation, Kind::Rotation, Kind::RotationPivot, Kind::Scale];
    check_precedence(
        &kinds,
        "LocalToWorld <= CompositeRotation * Scale",
        "LocalToParent <= CompositeRotation * Scale",
    );
}

#[test]
fn a_pivot_alone_has_no_effect() {
    let mut rng = Rng::new(13);
    let mut test = TestWorld::default();
    for (composite, pivot) in
        [(Kind::CompositeRotation, Kind::RotationPivot), (Kind::CompositeScale, Kind::ScalePivot)]
    {
        let entity = spawn(&mut test, [Kind::LocalToWorld, composite, pivot], None, &mut rng);
        test.run();
        let after = snapshot(&test.world);
        let row = after.get(entity).expect("spawned");
        let expected = formulas::identity() * translation(row.vector(pivot).expect("spawned"));
        let identity =
            Bounded { value: nalgebra::Matrix4::identity(), magnitude: expected.magnitude };
        for kind in [composite, Kind::LocalToWorld] {
            assert_eq!(
                mismatch(kind, &identity, row.get(kind).expect("spawned")),
                None,
                "{kind:?} of a pivot alone"
            );
        }
    }
}

#[test]
fn local_to_world_alone_is_the_users() {
    let mut rng = Rng::new(14);
    let mut test = TestWorld::default();
    let entity = spawn(&mut test, [Kind::LocalToWorld], None, &mut rng);
    let before = snapshot(&test.world);
    test.run();
    let after = snapshot(&test.world);
    assert_eq!(
        after.get(entity).expect("spawned").numbers,
        before.get(entity).expect("spawned").numbers
    );
    assert!(after.moved_since(&before).is_empty());
}
