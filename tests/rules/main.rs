//! What the components of an entity make of it, rule by rule.

mod angles;
mod combinations;
mod inherits;
mod inverses;
mod refused_write_groups;
mod unity_document;
mod write_groups;
