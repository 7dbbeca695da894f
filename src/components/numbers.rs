//! How the numbers of components are saved: as nalgebra saves them, and by words where JSON has no
//! number. It also takes `null` as NaN.
//!
//! ```text
//!              binary formats    readable formats, such as JSON
//!  1.5         its bytes         1.5
//!  NaN         its bytes         "NaN"
//!  infinity    its bytes         "inf", "-inf"
//! ```

use std::{fmt, marker::PhantomData, str::FromStr};

use nalgebra::{
    Matrix4, Point3, Quaternion, SMatrix, SVector, Scalar, Translation3, UnitQuaternion, Vector3,
};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Unexpected, Visitor},
};

/// For `#[serde(with = "numbers")]`.
pub(crate) fn serialize<V: Numbers, S: Serializer>(value: &V, to: S) -> Result<S::Ok, S::Error> {
    value.to_saved().serialize(to)
}

/// For `#[serde(with = "numbers")]`.
pub(crate) fn deserialize<'de, V: Numbers, D: Deserializer<'de>>(from: D) -> Result<V, D::Error> {
    V::Saved::deserialize(from).map(V::of_saved)
}

/// A value of numbers, and the same with each of them in a [`Number`].
pub(crate) trait Numbers {
    type Saved: Serialize + for<'de> Deserialize<'de>;
    fn to_saved(&self) -> Self::Saved;
    fn of_saved(saved: Self::Saved) -> Self;
}

macro_rules! numbers {
    ($($value:ty: $saved:ty, |$it:ident| $to:expr, |$from:ident| $of:expr;)*) => {$(
        impl Numbers for $value {
            type Saved = $saved;
            fn to_saved(&self) -> $saved {
                let $it = self;
                $to
            }
            fn of_saved($from: $saved) -> Self {
                $of
            }
        }
    )*};
}

numbers! {
    f32: Number<f32>, |it| Number(*it), |saved| saved.0;
    Vector3<f32>: SVector<Number<f32>, 3>, |it| it.map(Number), |saved| saved.map(|it| it.0);
    Matrix4<f32>: SMatrix<Number<f32>, 4, 4>, |it| it.map(Number), |saved| saved.map(|it| it.0);
    Translation3<f32>: SVector<Number<f32>, 3>, |it| it.vector.map(Number),
        |saved| saved.map(|it| it.0).into();
    Point3<f64>: SVector<Number<f64>, 3>, |it| it.coords.map(Number),
        |saved| saved.map(|it| it.0).into();
    UnitQuaternion<f32>: SVector<Number<f32>, 4>, |it| it.coords.map(Number),
        |saved| UnitQuaternion::new_unchecked(Quaternion::from(saved.map(|it| it.0)));
    UnitQuaternion<f64>: SVector<Number<f64>, 4>, |it| it.coords.map(Number),
        |saved| UnitQuaternion::new_unchecked(Quaternion::from(saved.map(|it| it.0)));
}

/// A number that may not be finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number<T>(T);

/// `f32` or `f64`.
pub(crate) trait Float: Scalar + Copy + FromStr {
    fn of(number: f64) -> Self;
    fn to(self) -> f64;
}

impl Float for f32 {
    fn of(number: f64) -> Self {
        number as f32
    }
    fn to(self) -> f64 {
        self.into()
    }
}

impl Float for f64 {
    fn of(number: f64) -> Self {
        number
    }
    fn to(self) -> f64 {
        self
    }
}

impl<T: Float + Serialize> Serialize for Number<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self.0.to();
        match serializer.is_human_readable() && !number.is_finite() {
            true => serializer.collect_str(&number), // "NaN", "inf", "-inf"
            false => self.0.serialize(serializer),
        }
    }
}

impl<'de, T: Float + Deserialize<'de>> Deserialize<'de> for Number<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.is_human_readable() {
            true => deserializer.deserialize_any(OfAny(PhantomData)).map(Self),
            false => T::deserialize(deserializer).map(Self),
        }
    }
}

/// Reads a number, the name of one, or `null`.
struct OfAny<T>(PhantomData<T>);

impl<T: Float> Visitor<'_> for OfAny<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, \"NaN\", \"inf\" or \"-inf\"")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        Ok(T::of(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        Ok(T::of(number as f64))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        Ok(T::of(number as f64))
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        Ok(T::of(f64::NAN))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        name.parse().map_err(|_| E::invalid_value(Unexpected::Str(name), &self))
    }
}
