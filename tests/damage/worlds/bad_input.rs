//! Bad input: results are defined, findings name the mistakes, nothing panics, and no NaN reaches
//! an entity that is not below it.

mod non_finite;
mod values;
mod without_inverse;
