//! Write groups that a bundle is given, and whether they have any effect.

use std::any::type_name;

use legion::storage::{Component, ComponentTypeId};

use crate::{engine::rules, write_group::WriteGroups};

/// One registration with the bundle, with names for the message if it has no effect.
pub(crate) struct Registration {
    target: (ComponentTypeId, &'static str),
    member: (ComponentTypeId, &'static str),
}

impl Registration {
    pub fn new<Target: Component, Member: Component>() -> Self {
        Self {
            target: (ComponentTypeId::of::<Target>(), type_name::<Target>()),
            member: (ComponentTypeId::of::<Member>(), type_name::<Member>()),
        }
    }

    /// Panics if the registration has no effect on what the bundle writes.
    pub fn check(&self, groups: &WriteGroups) {
        let Self { target: (target, target_name), member: (member, member_name) } = self;
        let derived: Vec<ComponentTypeId> =
            rules::RULES.iter().map(rules::Rule::target_id).collect();
        assert!(
            groups.closure(&derived).contains(target),
            "write_group::<{target_name}, {member_name}>() has no effect: the bundle neither \
             writes {target_name} nor reads it, and no \
             group of what it writes has it as a member. Name what the bundle writes first \
             (LocalToWorld, LocalToParent, WorldToLocal, Rotation, PostRotation, \
             CompositeRotation, CompositeScale or ParentScaleInverse) and your own component \
             second; for a component that only your \
             own systems write, use WriteGroups::register on a WriteGroups of your own"
        );
        assert!(
            target != member,
            "write_group::<{target_name}, {member_name}>(): a component cannot be in its own write \
             group. \
             Name your own component that takes over {target_name} as the second one"
        );
    }
}
