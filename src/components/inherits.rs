//! Which parts of the parent's world an entity inherits.

/// Which parts of the parent's world count for this entity. Without the component all do.
///
/// A label that hovers over a ship inherits only where the ship is:
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
/// use nalgebra::UnitQuaternion;
///
/// let (mut world, mut resources) = (World::default(), Resources::default());
/// let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
/// let turn = Rotation(UnitQuaternion::from_euler_angles(1.0, 2.0, 3.0));
/// let ship = world.push_transform((Translation::new(5.0, 0.0, 0.0), turn, Scale(2.0)));
/// let only_place = Inherits { translation: true, ..Inherits::NOTHING };
/// let label = world.push_child(ship, (Translation::new(0.0, 3.0, 0.0), only_place));
/// schedule.execute(&mut world, &mut resources);
///
/// let label = world.entry(label).unwrap().into_component::<LocalToWorld>().unwrap();
/// assert_eq!(label.position(), [5.0, 3.0, 0.0].into());
/// assert_eq!((label.rotation(), label.scale()), (Rotation::identity(), [1.0; 3].into()));
/// ```
///
/// # What is computed
///
/// The parent's `LocalToWorld` is `T R M`: its [`position`](super::LocalToWorld::position) `T`, its
/// [`rotation`](super::LocalToWorld::rotation) `R`, and the rest, `M = R⁻¹ A`, where `A` is its
/// upper left 3×3 part. `M` has the scale, and shear and mirrors with it. The entity's is
///
/// ```text
/// LocalToWorld = T R M LocalToParent
///                | | └ the identity without `scale`
///                | └ the identity without `rotation`
///                └ the identity without `translation`
/// ```
///
/// - `M` is upper triangular, so that a parent with neither shear nor mirrors has its scales in it,
///   and nothing else.
/// - A parent of which one axis has no length keeps its rotation: that axis counts as perpendicular
///   to the two others. Flattened in another way, or with elements that are not finite, it has the
///   identity for a rotation, and all of `A` is `M`. An axis counts as flattened if its part across
///   the axes before it (of y across x, of z across x and y) is at most 4.8e-7 of its length.
/// - `R` and `M` are computed in `f64` from the parent's matrix and rounded once: each element of
///   `R` is within 6e-8 of the exact one, each of `M` within 6e-8 of the length of its axis (of an
///   axis of at least 1e-38: shorter ones have fewer digits).
/// - With all three parts it is the product as ever, bit for bit, also below a projective parent.
///   Otherwise the parent's bottom row counts as `(0, 0, 0, 1)`.
/// - With [`NOTHING`](Self::NOTHING), `LocalToWorld` is `LocalToParent`.
/// - A place below the parent is turned and scaled by the inherited parts, too. Without `rotation`,
///   3 m above the ship is 3 m up, however the ship lies. To hover where the mast's top is, inherit
///   the translation of a child at the mast's top.
/// - Entities further down inherit from this one.
///
/// On an entity without parent, and where a user's component writes `LocalToWorld` (as a
/// [`Frame`](crate::frames::Frame) does), it is ignored.
/// [`ParentScaleInverse`](super::ParentScaleInverse) cancels the parent's own scale whether that is
/// inherited or not: give an entity one of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Inherits {
    /// Where the parent is.
    pub translation: bool,
    /// How it is turned.
    pub rotation: bool,
    /// Its scale, shear and mirrors.
    pub scale: bool,
}

impl Inherits {
    /// All parts, as without the component.
    pub const ALL: Self = Self { translation: true, rotation: true, scale: true };
    /// No part: the entity stands in the world. It is still a child: its parent lists it, and
    /// [`despawn_subtree`](crate::edit::EditTransforms::despawn_subtree) of the parent despawns it.
    /// Godot's `top_level`.
    pub const NOTHING: Self = Self { translation: false, rotation: false, scale: false };
}

impl Default for Inherits {
    fn default() -> Self {
        Self::ALL
    }
}
