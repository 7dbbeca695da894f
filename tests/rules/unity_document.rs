//! Every line `target <= factors` of Unity's document on its transform system (sections 1, 2, 4 and
//! 5), as `docs/unity.md` has them.
//!
//! A line is read as it stands: the product of its factors is what the target must become on an
//! entity that has these components and no others.

use std::{collections::HashSet, ops::Mul};

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

const PAGE: &str = include_str!("../../docs/unity.md");

/// How many lines the document has: `grep -c '<='`.
const LINES: usize = 201;

/// Lines, and the entities for which they hold.
#[derive(Default)]
struct Case {
    /// The components of the parent, where there is one.
    parent: HashSet<Kind>,
    /// Those of the child, or of the only entity.
    child: HashSet<Kind>,
    lines: Vec<Line>,
    is_example: bool,
}

struct Line {
    text: String,
    is_of_parent: bool,
    target: Kind,
    factors: Vec<Factor>,
}

/// A factor of a line: a component, of the entity or of its parent, or its inverse.
struct Factor {
    kind: Kind,
    of_parent: bool,
    inverse: bool,
}

fn kind(name: &str) -> Kind {
    let kind = Kind::ALL.iter().find(|kind| format!("{kind:?}") == name);
    *kind.unwrap_or_else(|| panic!("no component {name}"))
}

/// Who has it or is written, and the rest of the text.
fn who(text: &str) -> (bool, &str) {
    match text.split_once(": ") {
        Some((who, rest)) => (who == "Parent", rest),
        None => (false, text),
    }
}

fn parse(text: &str) -> Line {
    let (is_of_parent, line) = who(text);
    // The number of a slip stands behind its line.
    let line = line.split(" (").next().expect("a line");
    let (target, factors) = line.split_once(" <= ").expect("a line");
    let factor = |text: &str| {
        let (text, inverse) = text.strip_suffix("^-1").map_or((text, false), |text| (text, true));
        let own = text.strip_suffix("[Parent]");
        Factor { kind: kind(own.unwrap_or(text)), of_parent: own.is_some(), inverse }
    };
    let factors = factors.split(" * ").map(factor).collect();
    Line { text: text.to_owned(), is_of_parent, target: kind(target), factors }
}

/// What an example says of its entities, and its lines.
fn example(block: &[&str]) -> Case {
    let mut case = Case { is_example: true, ..Case::default() };
    for text in block {
        if let Some(components) = text.strip_prefix("has ") {
            let (is_of_parent, kinds) = who(components.trim_start());
            let kinds = kinds.split(", ").map(kind).collect();
            *(if is_of_parent { &mut case.parent } else { &mut case.child }) = kinds;
        } else {
            let (_rule, line) = text.split_once(' ').expect("a rule is in front");
            case.lines.push(parse(line.trim_start()));
        }
    }
    case
}

/// A line of a list, for an entity with its components and no others.
fn listed(line: Line, is_child: bool) -> Case {
    use Kind::{LocalToParent, LocalToWorld, Rotation, Translation};
    let kinds = |of_parent| {
        let factors = line.factors.iter().filter(move |it| it.of_parent == of_parent);
        factors.map(|it| it.kind)
    };
    let (mut parent, mut child) = (HashSet::new(), HashSet::from([LocalToWorld, line.target]));
    child.extend(kinds(false));
    if is_child {
        child.insert(LocalToParent);
        parent.extend([LocalToWorld, Translation, Rotation].into_iter().chain(kinds(true)));
    }
    Case { parent, child, lines: vec![line], is_example: false }
}

/// The examples of the page, and each line of its lists.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for section in PAGE.split("\n## Section ").skip(1) {
        for block in section.split("```").skip(1).step_by(2) {
            // A line that begins with spaces goes on with the one before.
            let block = block.replace("\n          ", " ");
            let block: Vec<&str> = block.trim().lines().skip(1).collect();
            let case = example(&block);
            if case.child.is_empty() {
                let is_child = section.starts_with(['2', '5']);
                cases.extend(case.lines.into_iter().map(|line| listed(line, is_child)));
            } else {
                cases.push(case);
            }
        }
    }
    cases
}

/// A component as a matrix; the identity where the entity does not have it.
fn as_matrix(row: &Row, kind: Kind, inverse: bool) -> Bounded {
    let order = |eulers: &[Kind; 6]| eulers.iter().position(|euler| *euler == kind);
    let reciprocal = |x: f64| if inverse { 1.0 / x } else { x };
    let vector = || row.vector(kind).expect("a vector");
    match kind {
        _ if !row.has(kind) => formulas::identity(),
        Kind::Rotation | Kind::PostRotation => rotation(row.quaternion(kind).expect("checked")),
        Kind::Scale => scaling(uniform(reciprocal(row.scalar(kind).expect("checked")))),
        Kind::NonUniformScale => scaling(vector().map(reciprocal)),
        _ if kind.shape() == Shape::Matrix => {
            let matrix = row.matrix(kind).expect("checked");
            if !inverse {
                return Bounded::exact(matrix);
            }
            let value = matrix.try_inverse().expect("the tests' matrices have inverses");
            Bounded { value, magnitude: value.abs() * matrix.abs() * value.abs() }
        }
        _ => match order(&ROTATION_EULERS).or_else(|| order(&POST_ROTATION_EULERS)) {
            Some(order) => euler(order, vector()),
            None => translation(vector() * if inverse { -1.0 } else { 1.0 }),
        },
    }
}

fn spawn(
    test: &mut TestWorld,
    kinds: &HashSet<Kind>,
    parent: Option<Entity>,
    rng: &mut Rng,
) -> Entity {
    // In one order, so that random values are the same in each process.
    let kinds = Kind::ALL.iter().filter(|kind| kinds.contains(kind));
    let components: Vec<_> = kinds.map(|kind| (*kind, rng.numbers(*kind))).collect();
    let entity = test.spawn(&components);
    if let Some(parent) = parent {
        test.put(entity, Parent(parent));
    }
    entity
}

fn check(case: &Case, rng: &mut Rng) {
    let mut test = TestWorld::default();
    let top = case.parent.contains(&Kind::LocalToParent).then(|| {
        let kinds = HashSet::from([Kind::LocalToWorld, Kind::Rotation, Kind::Scale]);
        spawn(&mut test, &kinds, None, rng)
    });
    let parent = (!case.parent.is_empty()).then(|| spawn(&mut test, &case.parent, top, rng));
    let child = spawn(&mut test, &case.child, parent, rng);
    let before = snapshot(&test.world);
    test.run();
    let after = snapshot(&test.world);
    // In an example, a system finds what the systems before it have written.
    let found = if case.is_example { &after } else { &before };
    for line in &case.lines {
        let (entity, above) =
            if line.is_of_parent { (parent.expect("a parent"), top) } else { (child, parent) };
        let row = found.get(entity).expect("spawned");
        let factor = |factor: &Factor| {
            let of = if factor.of_parent { above.and_then(|it| found.get(it)) } else { Some(row) };
            let is_slip = case.is_example
                && (line.target, factor.kind) == (Kind::LocalToParent, Kind::Scale)
                && row.has(Kind::CompositeScale);
            let kind = if is_slip { Kind::CompositeScale } else { factor.kind };
            as_matrix(of.expect("the line names a parent"), kind, factor.inverse)
        };
        let expected = line.factors.iter().map(factor).reduce(Mul::mul).expect("it has factors");
        let [old, new] = [&before, &after]
            .map(|it| it.get(entity).and_then(|row| row.get(line.target)).expect("it stays"));
        assert_eq!(mismatch(line.target, &expected, new), None, "{}", line.text);
        assert_ne!(old, new, "{} was written", line.text);
    }
}

#[test]
fn every_line_of_the_document_holds() {
    let cases = cases();
    assert_eq!(cases.iter().map(|case| case.lines.len()).sum::<usize>(), LINES);
    assert_eq!(cases.iter().filter(|case| case.is_example).count(), 16);
    for (number, case) in cases.iter().enumerate() {
        let mut rng = Rng::new(number as u64);
        (0..demand::soak(5)).for_each(|_| check(case, &mut rng));
    }
}
