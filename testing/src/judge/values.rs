//! A value beside what it must be.

use nalgebra::Matrix4;

use crate::{
    judge::mismatch::Mismatch,
    kind::{Kind, Numbers},
    reference::{
        algebra::{M, V, axis, dot, length, linear, product3, turned_over},
        bounded::{Bounded, Element, one_line},
        formulas::rotation,
        inverse::Inverse,
        known::Derived,
        links::Links,
    },
    snapshot::{Row, matrix32, same_bits},
};

/// Whether a component of an entity is what it must be.
pub(crate) fn check_value(
    links: &Links,
    row: &Row,
    kind: Kind,
    value: &Derived,
    now: &Numbers,
) -> Result<(), Box<Mismatch>> {
    let Some(Wrong { expected, got, off }) = wrong(kind, value, now) else { return Ok(()) };
    let mut mismatch = Mismatch::new(row.entity, format!("{kind:?}"), expected, got, links);
    mismatch.off = off;
    Err(mismatch)
}

/// The texts of a mismatch.
struct Wrong {
    expected: String,
    got: String,
    off: String,
}

/// Why a matrix, or a quaternion whose rotation it is, is not what it must be, if it is not.
#[cfg(feature = "judges")]
#[must_use]
pub fn mismatch(kind: Kind, expected: &Bounded, now: &Numbers) -> Option<String> {
    wrong(kind, &Derived::Near(*expected), now)
        .map(|it| format!("{}, not {}: {}", it.got, it.expected, it.off))
}

/// Whether a component is not what it must be. A kept one is none that the bundle writes: whatever
/// it is, the user wrote it.
pub(crate) fn wrong_value(kind: Kind, value: &Derived, now: &Numbers) -> bool {
    matches!(value, Derived::Kept(_)) || wrong(kind, value, now).is_some()
}

fn wrong(kind: Kind, value: &Derived, now: &Numbers) -> Option<Wrong> {
    match value {
        Derived::Kept(numbers) => (!same_bits(numbers, now)).then(|| Wrong {
            expected: format!("{numbers:?}, as it was given"),
            got: format!("{now:?}"),
            off: String::new(),
        }),
        Derived::Near(bounded) if matches!(kind, Kind::Rotation | Kind::PostRotation) => {
            wrong_rotation(bounded, now)
        }
        Derived::InverseOf(Inverse::Unclear) => {
            let finite = now.iter().all(|x| x.is_finite());
            (!finite).then(|| Wrong {
                expected: "a finite matrix".into(),
                got: format!("{now:?}"),
                off: String::new(),
            })
        }
        Derived::InverseOf(Inverse::None) => wrong(kind, &Derived::Kept(kind.identity()), now),
        value => wrong_matrix(kind, &value.bounded()?, now),
    }
}

fn wrong_rotation(expected: &Bounded, now: &Numbers) -> Option<Wrong> {
    let quaternion = [now[0], now[1], now[2], now[3]].map(f64::from);
    let square = quaternion.iter().map(|x| x * x).sum::<f64>();
    let got = rotation(quaternion).value;
    let is_finite = expected.magnitude.iter().all(|m| m.is_finite());
    let off = if is_finite && (square - 1.0).abs() > 1e-5 {
        format!("{}: its length is {}, not 1", square.sqrt() - 1.0, square.sqrt())
    } else {
        expected.wrong_element(&got.cast())?;
        let turned = product3(&linear(&got), &turned_over(&linear(&expected.value)));
        let cosine = (turned[(0, 0)] + turned[(1, 1)] + turned[(2, 2)] - 1.0) / 2.0;
        format!("{} radians", cosine.clamp(-1.0, 1.0).acos())
    };
    let expected = format!("the rotation {}", one_line(&expected.cast32()));
    Some(Wrong { expected, got: format!("{:?} (x, y, z, w)", &now[..4]), off })
}

fn wrong_matrix(kind: Kind, expected: &Bounded, now: &Numbers) -> Option<Wrong> {
    let got = matrix32(now);
    let element = expected.wrong_element(&got)?;
    Some(Wrong {
        expected: one_line(&expected.cast32()),
        got: one_line(&got),
        off: off(kind, expected, &element, &got),
    })
}

/// How far off the worst element is, in the unit that it has.
fn off(kind: Kind, expected: &Bounded, element: &Element, got: &Matrix4<f32>) -> String {
    let Element { at: (row, column), expected: right, within } = *element;
    let is = f64::from(got[(row, column)]);
    let space = match kind {
        Kind::LocalToWorld => "the world",
        Kind::LocalToParent => "the parent's space",
        _ => "its own space",
    };
    let size = format!("{:e} (at most {within:e} is rounding)", is - right);
    let place = format!("row {row}, column {column}");
    match (row, column) {
        (3, _) => format!("{size} at {place}, a number of the bottom row"),
        (_, 3) => format!("{size} units of length along {} of {space}", ["x", "y", "z"][row]),
        _ => {
            let of = |matrix: &M| axis(&linear(matrix), column);
            let (want, have) = (of(&expected.value), of(&got.cast()));
            let turn = angle(want, have);
            let ratio = length(have) / length(want);
            let name = ["x", "y", "z"][column];
            format!(
                "{size} at {place}: the {name} axis is turned by {turn} radians and is {ratio} times as long"
            )
        }
    }
}

fn angle(a: V, b: V) -> f64 {
    (dot(a, b) / (length(a) * length(b))).clamp(-1.0, 1.0).acos()
}
