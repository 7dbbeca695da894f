//! The table of rules: for each derived component its inputs, which of several inputs wins, and the
//! archetypes in which the rule applies. A precedence is written here and nowhere else. The
//! formulas are in [`math::compose`](crate::math::compose).

use legion::storage::ComponentTypeId;

use crate::engine::storage::{Mask, for_each_euler};

/// How one derived component is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// The component that is written.
    pub target: Mask,
    /// Its inputs on the entity itself. Without any of them the value is the user's.
    pub inputs: Mask,
    /// The target's built-in write group: `inputs`, and components that take part through other
    /// entities or another rule.
    pub group: Mask,
    /// The members of the group that the rule's system knows. Any other member takes the target
    /// over.
    pub reads: Mask,
    /// The rule applies where all of these are present,
    pub with: Mask,
    /// and none of these.
    pub without: Mask,
}

/// Components in order, each with what it is: the first one in an archetype counts.
pub(crate) type Precedence<Source> = &'static [(Mask, Source)];

/// What scales in a local matrix.
#[derive(Clone, Copy)]
pub(crate) enum ScaleSource {
    Composite,
    Axes(AxesSource),
}

/// What scales along the axes.
#[derive(Clone, Copy)]
pub(crate) enum AxesSource {
    Uniform,
    NonUniform,
}

/// The sources of the rotation in a local matrix.
pub(crate) const ROTATIONS: Precedence<()> =
    &[(Mask::COMPOSITE_ROTATION, ()), (Mask::ROTATION, ())];
/// The sources of the scale in a local matrix, which a child cancels with `ParentScaleInverse`.
pub(crate) const SCALINGS: Precedence<ScaleSource> = &[
    (Mask::COMPOSITE_SCALE, ScaleSource::Composite),
    (Mask::SCALE, ScaleSource::Axes(AxesSource::Uniform)),
    (Mask::NON_UNIFORM_SCALE, ScaleSource::Axes(AxesSource::NonUniform)),
];
/// The sources of a scale along the axes, also in `CompositeScale`.
pub(crate) const AXES: Precedence<AxesSource> =
    &[(Mask::SCALE, AxesSource::Uniform), (Mask::NON_UNIFORM_SCALE, AxesSource::NonUniform)];

macro_rules! eulers {
    ($($component:ident: $bit:ident,)*) => {
        /// A component of angles.
        #[derive(Clone, Copy)]
        pub(crate) enum Euler {
            $($component),*
        }

        /// All of them.
        const EULERS: Precedence<Euler> = &[$((Mask::$bit, Euler::$component)),*];
    };
}
for_each_euler!(eulers);

/// The sources of `Rotation`.
pub(crate) const ROTATION_EULERS: Precedence<Euler> = EULERS.split_at(6).0;
/// The sources of `PostRotation`.
pub(crate) const POST_ROTATION_EULERS: Precedence<Euler> = EULERS.split_at(6).1;

/// What the first component of a list is that is present.
pub(crate) fn source<Source: Copy>(present: Mask, list: Precedence<Source>) -> Option<Source> {
    list.iter().find(|(component, _)| present.has(*component)).map(|(_, source)| *source)
}

/// The first component of a list that is present, or none.
pub(crate) const fn first<Source>(present: Mask, list: Precedence<Source>) -> Mask {
    let mut index = 0;
    while index < list.len() {
        if present.has(list[index].0) {
            return list[index].0;
        }
        index += 1;
    }
    Mask::NONE
}

/// All components of a list.
pub(crate) const fn any_of<Source>(list: Precedence<Source>) -> Mask {
    let mut all = Mask::NONE;
    let mut index = 0;
    while index < list.len() {
        all = all.union(list[index].0);
        index += 1;
    }
    all
}

const PIVOTS: Mask = Mask::ROTATION_PIVOT.union(Mask::ROTATION_PIVOT_TRANSLATION);
/// Inputs of `CompositeScale` that make it more than a scale along the axes.
const BEYOND_AXES: Mask = Mask::SCALE_PIVOT.union(Mask::SCALE_PIVOT_TRANSLATION).union(Mask::SHEAR);
const LOCAL_INPUTS: Mask = Mask::TRANSLATION.union(any_of(ROTATIONS)).union(any_of(SCALINGS));

const fn rule(target: Mask, inputs: Mask) -> Rule {
    Rule { target, inputs, group: inputs, reads: inputs, with: Mask::NONE, without: Mask::NONE }
}

/// `Rotation`, from the first Euler component present.
pub(crate) const ROTATION: Rule = rule(Mask::ROTATION, any_of(ROTATION_EULERS));
/// `PostRotation`, from the first of its Euler components.
pub(crate) const POST_ROTATION: Rule = rule(Mask::POST_ROTATION, any_of(POST_ROTATION_EULERS));
/// `CompositeRotation`.
pub(crate) const COMPOSITE_ROTATION: Rule =
    rule(Mask::COMPOSITE_ROTATION, PIVOTS.union(Mask::ROTATION).union(Mask::POST_ROTATION));
/// `CompositeScale`.
pub(crate) const COMPOSITE_SCALE: Rule =
    rule(Mask::COMPOSITE_SCALE, BEYOND_AXES.union(any_of(AXES)));
/// `ParentScaleInverse`, from the scale of the parent, which has `Children`.
pub(crate) const PARENT_SCALE_INVERSE: Rule = Rule {
    group: PARENT_SCALES,
    reads: PARENT_SCALES,
    ..rule(Mask::PARENT_SCALE_INVERSE, Mask::NONE)
};
/// `LocalToParent`, also before an edit adds it. `ParentScaleInverse` counts only below a parent.
pub(crate) const LOCAL_TO_PARENT: Rule =
    rule(Mask::LOCAL_TO_PARENT, LOCAL_INPUTS.union(Mask::PARENT_SCALE_INVERSE));
/// The `LocalToWorld` of a root, from the same inputs. An entity with `Parent` and no
/// `LocalToParent` is a root.
pub(crate) const ROOT_LOCAL_TO_WORLD: Rule = Rule {
    group: WORLD_GROUP,
    reads: LOCAL_INPUTS.union(Mask::PARENT),
    without: Mask::LOCAL_TO_PARENT,
    ..rule(Mask::LOCAL_TO_WORLD, LOCAL_INPUTS)
};
/// The `LocalToWorld` of all other entities, from the parent's.
pub(crate) const LOCAL_TO_WORLD: Rule = Rule {
    group: WORLD_GROUP,
    with: Mask::LOCAL_TO_PARENT,
    ..rule(Mask::LOCAL_TO_WORLD, Mask::LOCAL_TO_PARENT.union(Mask::PARENT))
};
/// `WorldToLocal`.
pub(crate) const WORLD_TO_LOCAL: Rule = rule(Mask::WORLD_TO_LOCAL, Mask::LOCAL_TO_WORLD);

const PARENT_SCALES: Mask = any_of(SCALINGS).union(Mask::CHILDREN);
const WORLD_GROUP: Mask = LOCAL_INPUTS.union(Mask::LOCAL_TO_PARENT).union(Mask::PARENT);

/// Which components are ignored in an archetype of these, each with the one that would read it: a
/// `RotationPivot` without `CompositeRotation`. (`Rotation` is read without, too.)
pub(crate) fn unread(present: Mask) -> impl Iterator<Item = (Mask, Mask)> {
    let lacking = [ROTATION, POST_ROTATION, COMPOSITE_ROTATION, COMPOSITE_SCALE].into_iter();
    lacking.filter(move |rule| !present.has(rule.target)).flat_map(move |rule| {
        let alone = present & rule.inputs.without(LOCAL_INPUTS);
        alone.iter().map(move |input| (input, rule.target))
    })
}

/// The components that are missing for inputs to count, in an archetype where users' components
/// write `overridden`: of `PostRotationEulerXYZ` alone, `PostRotation` and `CompositeRotation`.
/// None where a user's component gives the local matrix: its system may read the inputs.
pub(crate) fn missing_readers(present: Mask, overridden: Mask) -> Mask {
    let is_read = !overridden.has(local_matrix(present).target);
    let readers = unread(present).filter(|_| is_read).fold(Mask::NONE, |all, (_, it)| all | it);
    // A reader may be an input without a reader itself.
    let is_done = readers == Mask::NONE;
    if is_done { readers } else { readers | missing_readers(present | readers, overridden) }
}

/// All rules, in the order in which a run applies them.
pub(crate) const RULES: [Rule; 9] = [
    ROTATION,
    POST_ROTATION,
    COMPOSITE_ROTATION,
    COMPOSITE_SCALE,
    PARENT_SCALE_INVERSE,
    LOCAL_TO_PARENT,
    ROOT_LOCAL_TO_WORLD,
    LOCAL_TO_WORLD,
    WORLD_TO_LOCAL,
];

impl Rule {
    /// The type of the component that is written.
    pub fn target_id(&self) -> ComponentTypeId {
        self.target.ids().next().expect("a rule has a target")
    }

    /// Whether the rule applies to an archetype with these components.
    pub const fn applies(&self, present: Mask) -> bool {
        present.has(self.with) && !present.has_any(self.without)
    }

    /// Whether the target and any of its inputs are present.
    pub const fn is_derived(&self, present: Mask) -> bool {
        present.has(self.target) && present.has_any(self.inputs)
    }
}

/// The components that are computed in an archetype from others of the same row or from the
/// parent's world, in every row. A value that a user writes there is replaced.
///
/// `ParentScaleInverse` is not among them: below a parent without a scale it is the user's. Nor are
/// relations: a wrong one would be edited further, so all that may be overwritten are compared at
/// once.
pub(crate) fn derived(present: Mask) -> Mask {
    let applies = |rule: &&Rule| rule.applies(present) && rule.is_derived(present);
    let all = RULES.iter().filter(applies).fold(Mask::NONE, |all, rule| all | rule.target);
    // Below no parent, a `LocalToWorld` beside a `LocalToParent` is the user's.
    let is_linked = present.has(Mask::LINK) || !present.has(Mask::LOCAL_TO_PARENT);
    if is_linked { all } else { all.without(Mask::LOCAL_TO_WORLD) }
}

/// The rule for the local matrix of an archetype: it goes into `LocalToParent` if that is present,
/// else into `LocalToWorld`.
pub(crate) const fn local_matrix(present: Mask) -> Rule {
    if present.has(Mask::LOCAL_TO_PARENT) { LOCAL_TO_PARENT } else { ROOT_LOCAL_TO_WORLD }
}

/// The components that need a `LocalToWorld`: every input, and the ones computed from it.
const WANT_LOCAL_TO_WORLD: Mask = all_inputs_of_local_matrices()
    .union(Mask::PARENT)
    .union(Mask::INHERITS)
    .union(Mask::LOCAL_TO_PARENT)
    .union(Mask::WORLD_TO_LOCAL);

/// The matrices without which nothing is computed for an entity with these components, and perhaps
/// a [`Frame`](crate::components::Frame).
pub(crate) const fn missing_matrices(present: Mask, has_frame: bool) -> Mask {
    let wants_world = has_frame || present.has_any(WANT_LOCAL_TO_WORLD);
    let world = if wants_world { Mask::LOCAL_TO_WORLD } else { Mask::NONE };
    let local = if present.has(Mask::PARENT) { Mask::LOCAL_TO_PARENT } else { Mask::NONE };
    world.union(local).without(present)
}

/// All inputs of a local matrix, direct ones and inputs of derived ones.
pub(crate) const fn all_inputs_of_local_matrices() -> Mask {
    let eulers = ROTATION.inputs.union(POST_ROTATION.inputs);
    let composites = COMPOSITE_ROTATION.inputs.union(COMPOSITE_SCALE.inputs);
    LOCAL_TO_PARENT.inputs.union(composites).union(eulers)
}

/// The same components, with only the scale along the axes that counts.
pub(crate) const fn without_losing_scale(present: Mask) -> Mask {
    present.without(any_of(AXES).without(first(present, AXES)))
}

/// The components of which a local matrix is the product, one rotation and one scale at most, and
/// where it goes.
pub(crate) const fn factors(present: Mask) -> Mask {
    let rotation = first(present, ROTATIONS);
    let losing = any_of(ROTATIONS).union(any_of(SCALINGS));
    let counting = present.without(losing).union(rotation).union(first(present, SCALINGS));
    if present.has(Mask::LINK) { counting } else { counting.without(Mask::PARENT_SCALE_INVERSE) }
}

/// Whether a derived `CompositeScale` is a scale along the axes and nothing else. Then it inverts
/// like one.
pub(crate) const fn is_scale_along_axes(present: Mask) -> bool {
    present.has_any(any_of(AXES)) && !present.has_any(BEYOND_AXES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_list_counts() {
        assert_eq!(first(Mask::SCALE.union(Mask::NON_UNIFORM_SCALE), AXES), Mask::SCALE);
        assert_eq!(
            first(Mask::SCALE.union(Mask::COMPOSITE_SCALE), SCALINGS),
            Mask::COMPOSITE_SCALE
        );
        assert_eq!(first(Mask::TRANSLATION, SCALINGS), Mask::NONE);
    }

    #[test]
    fn all_inputs_are_found_through_what_they_write() {
        let all = all_inputs_of_local_matrices();
        let others = Mask::LOCAL_TO_WORLD
            | Mask::LOCAL_TO_PARENT
            | Mask::WORLD_TO_LOCAL
            | Mask::PARENT
            | Mask::INHERITS
            | Mask::PREVIOUS_PARENT
            | Mask::CHILDREN;
        assert!(!all.has_any(others) && (all | others).len() == crate::engine::storage::COMPONENTS);
    }

    #[test]
    fn a_target_is_never_its_own_input() {
        for rule in RULES {
            assert!(!rule.group.has_any(rule.target) && rule.target.len() == 1);
            assert!(
                rule.group.has(rule.inputs),
                "what a value is computed from is in its write group"
            );
            assert!(rule.reads.has(rule.inputs), "and is accounted for");
        }
    }
}
