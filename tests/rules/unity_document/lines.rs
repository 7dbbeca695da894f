//! The lines `target <= factors` that Unity's document lists, section by section, in its order and
//! with its repetitions.

/// The lines of one list.
pub struct List {
    pub test: &'static str,
    /// Whether the entity has a parent (sections 2 and 5).
    pub child: bool,
    pub lines: &'static [&'static str],
}

/// `TRSToLocalToWorldSystem`
pub const SECTION_1_LOCAL_TO_WORLD: List = List {
    test: "section_1_local_to_world",
    child: false,
    lines: &[
        "LocalToWorld <= Translation",
        "LocalToWorld <= Translation * Rotation",
        "LocalToWorld <= Translation * Rotation * Scale",
        "LocalToWorld <= Rotation",
        "LocalToWorld <= Rotation * Scale",
        "LocalToWorld <= Scale",
    ],
};

/// `TRSToLocalToParentSystem`
pub const SECTION_2_LOCAL_TO_PARENT: List = List {
    test: "section_2_local_to_parent",
    child: true,
    lines: &[
        "LocalToParent <= Translation",
        "LocalToParent <= Translation * Rotation",
        "LocalToParent <= Translation * Rotation * Scale",
        "LocalToParent <= Rotation",
        "LocalToParent <= Rotation * Scale",
        "LocalToParent <= Scale",
    ],
};

/// `TRSToLocalToWorldSystem`
pub const SECTION_4_NON_UNIFORM_SCALE: List = List {
    test: "section_4_non_uniform_scale",
    child: false,
    lines: &[
        "LocalToWorld <= Translation",
        "LocalToWorld <= Translation * Rotation",
        "LocalToWorld <= Translation * Rotation * NonUniformScale",
        "LocalToWorld <= Rotation",
        "LocalToWorld <= Rotation * NonUniformScale",
        "LocalToWorld <= NonUniformScale",
    ],
};

/// `RotationEulerSystem`
pub const SECTION_4_ROTATION_EULERS: List = List {
    test: "section_4_rotation_eulers",
    child: false,
    lines: &[
        "Rotation <= RotationEulerXYZ",
        "Rotation <= RotationEulerXZY",
        "Rotation <= RotationEulerYXZ",
        "Rotation <= RotationEulerYZX",
        "Rotation <= RotationEulerZXY",
        "Rotation <= RotationEulerZYX",
    ],
};

/// `TRSToLocalToWorldSystem`
pub const SECTION_4_COMPOSITE_ROTATION_IN_LOCAL_TO_WORLD: List = List {
    test: "section_4_composite_rotation_in_local_to_world",
    child: false,
    lines: &[
        "LocalToWorld <= Translation * CompositeRotation",
        "LocalToWorld <= Translation * CompositeRotation * Scale",
        "LocalToWorld <= CompositeRotation",
        "LocalToWorld <= CompositeRotation * Scale",
        "LocalToWorld <= Translation * CompositeRotation",
        "LocalToWorld <= Translation * CompositeRotation * NonUniformScale",
        "LocalToWorld <= CompositeRotation",
        "LocalToWorld <= CompositeRotation * NonUniformScale",
    ],
};

/// `CompositeRotationSystem`
pub const SECTION_4_COMPOSITE_ROTATION: List = List {
    test: "section_4_composite_rotation",
    child: false,
    lines: &[
        "CompositeRotation <= RotationPivotTranslation",
        "CompositeRotation <= RotationPivotTranslation * RotationPivot * Rotation * \
         RotationPivot^-1",
        "CompositeRotation <= RotationPivotTranslation * RotationPivot * Rotation * PostRotation * \
         RotationPivot^-1",
        "CompositeRotation <= RotationPivotTranslation * RotationPivot * PostRotation * \
         RotationPivot^-1",
        "CompositeRotation <= RotationPivotTranslation * Rotation",
        "CompositeRotation <= RotationPivotTranslation * Rotation * PostRotation",
        "CompositeRotation <= RotationPivotTranslation * PostRotation",
        "CompositeRotation <= RotationPivot * Rotation * RotationPivot^-1",
        "CompositeRotation <= RotationPivot * Rotation * PostRotation * RotationPivot^-1",
        "CompositeRotation <= PostRotation",
        "CompositeRotation <= Rotation",
        "CompositeRotation <= Rotation * PostRotation",
    ],
};

/// `PostRotationEulerSystem`
pub const SECTION_4_POST_ROTATION_EULERS: List = List {
    test: "section_4_post_rotation_eulers",
    child: false,
    lines: &[
        "PostRotation <= PostRotationEulerXYZ",
        "PostRotation <= PostRotationEulerXZY",
        "PostRotation <= PostRotationEulerYXZ",
        "PostRotation <= PostRotationEulerYZX",
        "PostRotation <= PostRotationEulerZXY",
        "PostRotation <= PostRotationEulerZYX",
    ],
};

/// `TRSToLocalToWorldSystem`
pub const SECTION_4_COMPOSITE_SCALE_IN_LOCAL_TO_WORLD: List = List {
    test: "section_4_composite_scale_in_local_to_world",
    child: false,
    lines: &[
        "LocalToWorld <= Translation * Rotation * CompositeScale",
        "LocalToWorld <= Rotation * CompositeScale",
        "LocalToWorld <= CompositeScale",
        "LocalToWorld <= Translation * CompositeRotation * CompositeScale",
        "LocalToWorld <= CompositeRotation * CompositeScale",
    ],
};

/// `CompositeScaleSystem`
pub const SECTION_4_COMPOSITE_SCALE: List = List {
    test: "section_4_composite_scale",
    child: false,
    lines: &[
        "CompositeScale <= ScalePivotTranslation",
        "CompositeScale <= ScalePivotTranslation * ScalePivot * Scale * ScalePivot^-1",
        "CompositeScale <= ScalePivotTranslation * Scale",
        "CompositeScale <= ScalePivot * Scale * ScalePivot^-1",
        "CompositeScale <= Scale",
        "CompositeScale <= ScalePivotTranslation * ScalePivot * NonUniformScale * ScalePivot^-1",
        "CompositeScale <= ScalePivotTranslation * Scale",
        "CompositeScale <= ScalePivot * NonUniformScale * ScalePivot^-1",
        "CompositeScale <= NonUniformScale",
    ],
};

/// `TRSToLocalToParentSystem`
pub const SECTION_5_NON_UNIFORM_SCALE: List = List {
    test: "section_5_non_uniform_scale",
    child: true,
    lines: &[
        "LocalToParent <= Translation",
        "LocalToParent <= Translation * Rotation",
        "LocalToParent <= Translation * Rotation * NonUniformScale",
        "LocalToParent <= Rotation",
        "LocalToParent <= Rotation * NonUniformScale",
        "LocalToParent <= NonUniformScale",
    ],
};

/// `TRSToLocalToParentSystem`
pub const SECTION_5_PARENT_SCALE_INVERSE_IN_LOCAL_TO_PARENT: List = List {
    test: "section_5_parent_scale_inverse_in_local_to_parent",
    child: true,
    lines: &[
        "LocalToParent <= ParentScaleInverse",
        "LocalToParent <= Translation * ParentScaleInverse",
        "LocalToParent <= Translation * ParentScaleInverse * Rotation",
        "LocalToParent <= Translation * ParentScaleInverse * Rotation * NonUniformScale",
        "LocalToParent <= Translation * ParentScaleInverse * CompositeRotation",
        "LocalToParent <= Translation * ParentScaleInverse * CompositeRotation * NonUniformScale",
        "LocalToParent <= Translation * ParentScaleInverse * Rotation * Scale",
        "LocalToParent <= Translation * ParentScaleInverse * CompositeRotation * Scale",
        "LocalToParent <= Translation * ParentScaleInverse * Rotation * CompositeScale",
        "LocalToParent <= Translation * ParentScaleInverse * CompositeRotation * CompositeScale",
        "LocalToParent <= ParentScaleInverse * Rotation",
        "LocalToParent <= ParentScaleInverse * Rotation * NonUniformScale",
        "LocalToParent <= ParentScaleInverse * CompositeRotation * NonUniformScale",
        "LocalToParent <= ParentScaleInverse * Rotation * Scale",
        "LocalToParent <= ParentScaleInverse * CompositeRotation",
        "LocalToParent <= ParentScaleInverse * CompositeRotation * Scale",
        "LocalToParent <= ParentScaleInverse * Rotation * CompositeScale",
        "LocalToParent <= ParentScaleInverse * CompositeRotation * CompositeScale",
    ],
};

/// `ParentScaleInverseSystem`
pub const SECTION_5_PARENT_SCALE_INVERSE: List = List {
    test: "section_5_parent_scale_inverse",
    child: true,
    lines: &[
        "ParentScaleInverse <= CompositeScale[Parent]^-1",
        "ParentScaleInverse <= Scale[Parent]^-1",
        "ParentScaleInverse <= NonUniformScale[Parent]^-1",
    ],
};

/// `RotationEulerSystem`
pub const SECTION_5_ROTATION_EULERS: List = List {
    test: "section_5_rotation_eulers",
    child: true,
    lines: &[
        "Rotation <= RotationEulerXYZ",
        "Rotation <= RotationEulerXZY",
        "Rotation <= RotationEulerYXZ",
        "Rotation <= RotationEulerYZX",
        "Rotation <= RotationEulerZXY",
        "Rotation <= RotationEulerZYX",
    ],
};

/// `TRSToLocalToParentSystem`
pub const SECTION_5_COMPOSITE_ROTATION_IN_LOCAL_TO_PARENT: List = List {
    test: "section_5_composite_rotation_in_local_to_parent",
    child: true,
    lines: &[
        "LocalToParent <= Translation * CompositeRotation",
        "LocalToParent <= Translation * CompositeRotation * Scale",
        "LocalToParent <= Translation * CompositeRotation * NonUniformScale",
        "LocalToParent <= Translation * CompositeRotation * CompositeScale",
        "LocalToParent <= Translation * ParentScaleInverse * CompositeRotation",
        "LocalToParent <= Translation * ParentScaleInverse * CompositeRotation * Scale",
        "LocalToParent <= Translation * ParentScaleInverse * CompositeRotation * NonUniformScale",
        "LocalToParent <= Translation * ParentScaleInverse * CompositeRotation * CompositeScale",
        "LocalToParent <= ParentScaleInverse * CompositeRotation",
        "LocalToParent <= ParentScaleInverse * CompositeRotation * Scale",
        "LocalToParent <= ParentScaleInverse * CompositeRotation * NonUniformScale",
        "LocalToParent <= ParentScaleInverse * CompositeRotation * CompositeScale",
        "LocalToParent <= CompositeRotation",
        "LocalToParent <= CompositeRotation * Scale",
        "LocalToParent <= CompositeRotation * NonUniformScale",
        "LocalToParent <= CompositeRotation * CompositeScale",
    ],
};

/// `CompositeRotationSystem`
pub const SECTION_5_COMPOSITE_ROTATION: List = List {
    test: "section_5_composite_rotation",
    child: true,
    lines: &[
        "CompositeRotation <= RotationPivotTranslation",
        "CompositeRotation <= RotationPivotTranslation * RotationPivot * Rotation * \
         RotationPivot^-1",
        "CompositeRotation <= RotationPivotTranslation * RotationPivot * Rotation * PostRotation * \
         RotationPivot^-1",
        "CompositeRotation <= RotationPivotTranslation * RotationPivot * PostRotation * \
         RotationPivot^-1",
        "CompositeRotation <= RotationPivotTranslation * Rotation",
        "CompositeRotation <= RotationPivotTranslation * Rotation * PostRotation",
        "CompositeRotation <= RotationPivotTranslation * PostRotation",
        "CompositeRotation <= RotationPivot * Rotation * RotationPivot^-1",
        "CompositeRotation <= RotationPivot * Rotation * PostRotation * RotationPivot^-1",
        "CompositeRotation <= PostRotation",
        "CompositeRotation <= Rotation",
        "CompositeRotation <= Rotation * PostRotation",
    ],
};

/// `PostRotationEulerSystem`
pub const SECTION_5_POST_ROTATION_EULERS: List = List {
    test: "section_5_post_rotation_eulers",
    child: true,
    lines: &[
        "PostRotation <= PostRotationEulerXYZ",
        "PostRotation <= PostRotationEulerXZY",
        "PostRotation <= PostRotationEulerYXZ",
        "PostRotation <= PostRotationEulerYZX",
        "PostRotation <= PostRotationEulerZXY",
        "PostRotation <= PostRotationEulerZYX",
    ],
};

/// `TRSToLocalToParentSystem`
pub const SECTION_5_COMPOSITE_SCALE_IN_LOCAL_TO_PARENT: List = List {
    test: "section_5_composite_scale_in_local_to_parent",
    child: true,
    lines: &[
        "LocalToParent <= Translation * Rotation * CompositeScale",
        "LocalToParent <= Rotation * CompositeScale",
        "LocalToParent <= CompositeScale",
        "LocalToParent <= Translation * CompositeRotation * CompositeScale",
        "LocalToParent <= CompositeRotation * CompositeScale",
        "LocalToParent <= Translation * ParentScaleInverse * Rotation * CompositeScale",
        "LocalToParent <= Translation * ParentScaleInverse * CompositeRotation * CompositeScale",
        "LocalToParent <= ParentScaleInverse * Rotation * CompositeScale",
        "LocalToParent <= ParentScaleInverse * CompositeRotation * CompositeScale",
        "LocalToParent <= ParentScaleInverse * CompositeScale",
    ],
};

/// `CompositeScaleSystem`
pub const SECTION_5_COMPOSITE_SCALE: List = List {
    test: "section_5_composite_scale",
    child: true,
    lines: &[
        "CompositeScale <= ScalePivotTranslation",
        "CompositeScale <= ScalePivotTranslation * ScalePivot * Scale * ScalePivot^-1",
        "CompositeScale <= ScalePivotTranslation * Scale",
        "CompositeScale <= ScalePivot * Scale * ScalePivot^-1",
        "CompositeScale <= Scale",
        "CompositeScale <= ScalePivotTranslation * ScalePivot * NonUniformScale * ScalePivot^-1",
        "CompositeScale <= ScalePivotTranslation * Scale",
        "CompositeScale <= ScalePivot * NonUniformScale * ScalePivot^-1",
        "CompositeScale <= NonUniformScale",
    ],
};

/// All lists.
pub const ALL: &[&List] = &[
    &SECTION_1_LOCAL_TO_WORLD,
    &SECTION_2_LOCAL_TO_PARENT,
    &SECTION_4_NON_UNIFORM_SCALE,
    &SECTION_4_ROTATION_EULERS,
    &SECTION_4_COMPOSITE_ROTATION_IN_LOCAL_TO_WORLD,
    &SECTION_4_COMPOSITE_ROTATION,
    &SECTION_4_POST_ROTATION_EULERS,
    &SECTION_4_COMPOSITE_SCALE_IN_LOCAL_TO_WORLD,
    &SECTION_4_COMPOSITE_SCALE,
    &SECTION_5_NON_UNIFORM_SCALE,
    &SECTION_5_PARENT_SCALE_INVERSE_IN_LOCAL_TO_PARENT,
    &SECTION_5_PARENT_SCALE_INVERSE,
    &SECTION_5_ROTATION_EULERS,
    &SECTION_5_COMPOSITE_ROTATION_IN_LOCAL_TO_PARENT,
    &SECTION_5_COMPOSITE_ROTATION,
    &SECTION_5_POST_ROTATION_EULERS,
    &SECTION_5_COMPOSITE_SCALE_IN_LOCAL_TO_PARENT,
    &SECTION_5_COMPOSITE_SCALE,
];
