//! Whether an entity is drawn, and on which layers.

use super::Inherited;

/// Whether this entity and all below it are to be drawn. An entity is hidden by itself, or because
/// one above it is, as by Unity's `SetActive` and Godot's `visible`.
///
/// Read `Effective<Visible>`, a `bool`, with
/// [`inherit::<Visible>()`](crate::TransformSystemBundle::inherit). Without the component an entity
/// is visible where its parent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Visible(pub bool);

impl Inherited for Visible {
    type Value = bool;
    fn combine(parent: Option<&bool>, own: Option<&Self>) -> bool {
        *parent.unwrap_or(&true) && own.is_none_or(|own| own.0)
    }
}

impl Default for Visible {
    fn default() -> Self {
        Self(true)
    }
}

/// The layers on which this entity and all below it are drawn, a bit each: a camera with layers 0
/// and 3, `0b1001`, draws what has one of these. An entity further down may name others.
///
/// Read `Effective<RenderLayers>`, a `u32`, with
/// [`inherit::<RenderLayers>()`](crate::TransformSystemBundle::inherit). Where neither an entity
/// nor one above it has the component, it is on layer 0, `0b1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RenderLayers(pub u32);

impl Inherited for RenderLayers {
    type Value = u32;
    fn combine(parent: Option<&u32>, own: Option<&Self>) -> u32 {
        own.map_or_else(|| *parent.unwrap_or(&0b1), |own| own.0)
    }
}

impl Default for RenderLayers {
    fn default() -> Self {
        Self(0b1)
    }
}
