//! The examples of Unity's document: entities with all their components, and the lines that the
//! systems then write.

use legion_transform_testing::Kind::{self, *};

/// Which entity of an example a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Parent,
    Child,
}

/// Entities, and the lines that write to them, in the document's words.
pub struct Example {
    pub test: &'static str,
    /// The components of the parent that are not the bundle's, where there is one.
    pub parent: &'static [Kind],
    /// Likewise, of the child, or of the only entity.
    pub child: &'static [Kind],
    pub lines: &'static [(Who, &'static str)],
}

use Who::{Child, Parent};

const CHILD_WORLD: &str = "LocalToWorld <= LocalToWorld[Parent] * LocalToParent";
const TRS: &[Kind] = &[LocalToWorld, Translation, Rotation, Scale];

pub const SECTION_1_TRANSLATION_ROTATION: Example = Example {
    test: "section_1_example_translation_rotation",
    parent: &[],
    child: &[LocalToWorld, Translation, Rotation],
    lines: &[(Child, "LocalToWorld <= Translation * Rotation")],
};

pub const SECTION_1_TRANSLATION_ROTATION_SCALE: Example = Example {
    test: "section_1_example_translation_rotation_scale",
    parent: &[],
    child: TRS,
    lines: &[(Child, "LocalToWorld <= Translation * Rotation * Scale")],
};

pub const SECTION_2_BARE_CHILD: Example = Example {
    test: "section_2_example_bare_child",
    parent: TRS,
    child: &[LocalToWorld, LocalToParent],
    lines: &[(Child, CHILD_WORLD)],
};

pub const SECTION_2_CHILD: Example = Example {
    test: "section_2_example_child",
    parent: TRS,
    child: &[LocalToWorld, LocalToParent, Translation, Rotation, Scale],
    lines: &[(Child, "LocalToParent <= Translation * Rotation * Scale"), (Child, CHILD_WORLD)],
};

/// Here the parent has a parent itself.
pub const SECTION_2_GRANDCHILD: Example = Example {
    test: "section_2_example_grandchild",
    parent: &[LocalToWorld, LocalToParent, Translation, Rotation, Scale],
    child: &[LocalToWorld, LocalToParent, Translation, Rotation, Scale],
    lines: &[
        (Parent, "LocalToParent <= Translation * Rotation * Scale"),
        (Child, "LocalToParent <= Translation * Rotation * Scale"),
        (Parent, CHILD_WORLD),
        (Child, CHILD_WORLD),
    ],
};

pub const SECTION_4_NON_UNIFORM_SCALE: Example = Example {
    test: "section_4_example_non_uniform_scale",
    parent: &[],
    child: &[LocalToWorld, Translation, Rotation, NonUniformScale],
    lines: &[(Child, "LocalToWorld <= Translation * Rotation * NonUniformScale")],
};

pub const SECTION_4_EULER: Example = Example {
    test: "section_4_example_euler",
    parent: &[],
    child: &[LocalToWorld, Translation, Rotation, RotationEulerXYZ],
    lines: &[
        (Child, "Rotation <= RotationEulerXYZ"),
        // The entity of the example has no Scale, which is then the identity.
        (Child, "LocalToWorld <= Translation * Rotation * Scale"),
    ],
};

const COMPOSITE_ROTATION: &str = "CompositeRotation <= RotationPivotTranslation * RotationPivot * \
                                  Rotation * PostRotation * RotationPivot^-1";
const COMPOSITE_SCALE: &str =
    "CompositeScale <= ScalePivotTranslation * ScalePivot * Scale * ScalePivot^-1";

pub const SECTION_4_COMPOSITE_ROTATION: Example = Example {
    test: "section_4_example_composite_rotation",
    parent: &[],
    child: &[
        LocalToWorld,
        Translation,
        CompositeRotation,
        Rotation,
        RotationPivotTranslation,
        RotationPivot,
        PostRotation,
        RotationEulerXYZ,
        Scale,
    ],
    lines: &[
        (Child, COMPOSITE_ROTATION),
        (Child, "LocalToWorld <= Translation * CompositeRotation * Scale"),
    ],
};

pub const SECTION_4_POST_ROTATION_EULER: Example = Example {
    test: "section_4_example_post_rotation_euler",
    parent: &[],
    child: &[
        LocalToWorld,
        Translation,
        CompositeRotation,
        Rotation,
        RotationPivotTranslation,
        RotationPivot,
        RotationEulerXYZ,
        PostRotation,
        PostRotationEulerXYZ,
        Scale,
    ],
    lines: &[
        (Child, "Rotation <= RotationEulerXYZ"),
        (Child, "PostRotation <= PostRotationEulerXYZ"),
        (Child, COMPOSITE_ROTATION),
        (Child, "LocalToWorld <= Translation * CompositeRotation * Scale"),
    ],
};

pub const SECTION_4_COMPOSITE_SCALE: Example = Example {
    test: "section_4_example_composite_scale",
    parent: &[],
    child: &[
        LocalToWorld,
        Translation,
        CompositeRotation,
        Rotation,
        RotationPivotTranslation,
        RotationPivot,
        RotationEulerXYZ,
        PostRotation,
        PostRotationEulerXYZ,
        CompositeScale,
        Scale,
        ScalePivotTranslation,
        ScalePivot,
    ],
    lines: &[
        (Child, "Rotation <= RotationEulerXYZ"),
        (Child, "PostRotation <= PostRotationEulerXYZ"),
        (Child, COMPOSITE_SCALE),
        (Child, COMPOSITE_ROTATION),
        (Child, "LocalToWorld <= Translation * CompositeRotation * CompositeScale"),
    ],
};

pub const SECTION_5_NON_UNIFORM_SCALE: Example = Example {
    test: "section_5_example_non_uniform_scale",
    parent: TRS,
    child: &[LocalToWorld, LocalToParent, Translation, Rotation, NonUniformScale],
    lines: &[
        (Child, "LocalToParent <= Translation * Rotation * NonUniformScale"),
        (Child, CHILD_WORLD),
    ],
};

pub const SECTION_5_PARENT_SCALE_INVERSE: Example = Example {
    test: "section_5_example_parent_scale_inverse",
    parent: TRS,
    child: &[LocalToWorld, LocalToParent, Translation, Rotation, ParentScaleInverse],
    lines: &[
        (Child, "ParentScaleInverse <= Scale[Parent]^-1"),
        (Child, "LocalToParent <= Translation * ParentScaleInverse * Rotation"),
        (Child, CHILD_WORLD),
    ],
};

pub const SECTION_5_EULER: Example = Example {
    test: "section_5_example_euler",
    parent: TRS,
    child: &[LocalToWorld, LocalToParent, Translation, Rotation, RotationEulerXYZ],
    lines: &[
        (Child, "Rotation <= RotationEulerXYZ"),
        (Child, "LocalToParent <= Translation * Rotation"),
        (Child, CHILD_WORLD),
    ],
};

pub const SECTION_5_COMPOSITE_ROTATION: Example = Example {
    test: "section_5_example_composite_rotation",
    parent: TRS,
    child: &[
        LocalToWorld,
        LocalToParent,
        Translation,
        CompositeRotation,
        Rotation,
        RotationPivotTranslation,
        RotationPivot,
        PostRotation,
        RotationEulerXYZ,
        Scale,
    ],
    lines: &[
        (Child, "Rotation <= RotationEulerXYZ"),
        (Child, COMPOSITE_ROTATION),
        (Child, "LocalToParent <= Translation * CompositeRotation * Scale"),
        (Child, CHILD_WORLD),
    ],
};

pub const SECTION_5_POST_ROTATION_EULER: Example = Example {
    test: "section_5_example_post_rotation_euler",
    parent: TRS,
    child: &[
        LocalToWorld,
        LocalToParent,
        Translation,
        CompositeRotation,
        Rotation,
        RotationPivotTranslation,
        RotationPivot,
        PostRotation,
        RotationEulerXYZ,
        Scale,
        PostRotationEulerXYZ,
    ],
    lines: &[
        (Child, "PostRotation <= PostRotationEulerXYZ"),
        (Child, "Rotation <= RotationEulerXYZ"),
        (Child, COMPOSITE_ROTATION),
        (Child, "LocalToParent <= Translation * CompositeRotation * Scale"),
        (Child, CHILD_WORLD),
    ],
};

/// The document gives two lists of steps for this one; the second has one line more.
pub const SECTION_5_COMPOSITE_SCALE: Example = Example {
    test: "section_5_example_composite_scale",
    parent: TRS,
    child: &[
        LocalToWorld,
        LocalToParent,
        Translation,
        CompositeRotation,
        Rotation,
        RotationPivotTranslation,
        RotationPivot,
        PostRotation,
        RotationEulerXYZ,
        Scale,
        PostRotationEulerXYZ,
        CompositeScale,
        ScalePivotTranslation,
        ScalePivot,
    ],
    lines: &[
        (Child, "PostRotation <= PostRotationEulerXYZ"),
        (Child, "Rotation <= RotationEulerXYZ"),
        (Child, COMPOSITE_ROTATION),
        (Child, "LocalToParent <= Translation * CompositeRotation * Scale"),
        (Child, CHILD_WORLD),
        (Child, "PostRotation <= PostRotationEulerXYZ"),
        (Child, "Rotation <= RotationEulerXYZ"),
        (Child, COMPOSITE_SCALE),
        (Child, COMPOSITE_ROTATION),
        (Child, "LocalToParent <= Translation * CompositeRotation * Scale"),
        (Child, CHILD_WORLD),
    ],
};

pub const ALL: &[&Example] = &[
    &SECTION_1_TRANSLATION_ROTATION,
    &SECTION_1_TRANSLATION_ROTATION_SCALE,
    &SECTION_2_BARE_CHILD,
    &SECTION_2_CHILD,
    &SECTION_2_GRANDCHILD,
    &SECTION_4_NON_UNIFORM_SCALE,
    &SECTION_4_EULER,
    &SECTION_4_COMPOSITE_ROTATION,
    &SECTION_4_POST_ROTATION_EULER,
    &SECTION_4_COMPOSITE_SCALE,
    &SECTION_5_NON_UNIFORM_SCALE,
    &SECTION_5_PARENT_SCALE_INVERSE,
    &SECTION_5_EULER,
    &SECTION_5_COMPOSITE_ROTATION,
    &SECTION_5_POST_ROTATION_EULER,
    &SECTION_5_COMPOSITE_SCALE,
];
