//! What an archetype means for its entities: one answer for runs, queries, walks, edits and spawns.
//! It follows from the components, the options of the world's bundles, and users' components that
//! stop a rule. With `insert_missing`, and a user's `Turret` that writes `Rotation`:
//!
//! ```text
//!  components                                    missing                   overridden
//!  Translation                                   LocalToWorld              -
//!  Parent, RotationEulerXYZ                      both matrices, Rotation   -
//!  Turret, RotationEulerXYZ, LocalToWorld        Rotation                  Rotation
//! ```

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use legion::{
    World,
    storage::{ComponentTypeId, EntityLayout},
};

use crate::{
    components::{Frame, LocalToWorld},
    engine::{
        bulk::NewColumn,
        rules,
        storage::{Access, Mask, Meaning, WorldCell},
    },
    write_group::WriteGroups,
};

/// What the options of a world's bundles change in the rules: for queries and edits, too.
#[derive(Default)]
pub(crate) struct WorldOptions {
    pub overrides: Overrides,
    /// The values that children inherit.
    pub effective: Box<[NewColumn]>,
    /// Whether entities get the components that they lack.
    pub inserts_missing: bool,
    /// Whether the bundle has `large_worlds`: its write group is how that is known.
    pub sees_frames: bool,
}

impl WorldOptions {
    pub fn new(groups: &WriteGroups, inserts: bool, effective: Box<[NewColumn]>) -> Self {
        INHERITS.fetch_or(!effective.is_empty(), Ordering::Relaxed);
        let (overrides, inserts_missing) = (Overrides::new(groups), inserts);
        let sees_frames = groups.contains::<LocalToWorld, Frame>();
        Self { overrides, effective, inserts_missing, sees_frames }
    }
}

impl Meaning {
    /// What an archetype means with the options of its world's bundles: `None` before the first run
    /// of one. It need not be there: a layout is enough.
    pub fn of(layout: &EntityLayout, options: Option<&WorldOptions>) -> Self {
        let (present, types) = (Mask::of(layout), layout.component_types());
        // A frame has no bit, so only archetypes with other components are searched for it.
        let is_frame = types.len() > present.len() && layout.has_component::<Frame>();
        let is_frame = is_frame && options.is_none_or(|options| options.sees_frames);
        let inserts = options.map(|options| options.inserts_missing);
        let given = |missing| if inserts == Some(true) { missing } else { Mask::NONE };
        let matrices = rules::missing_matrices(present, is_frame);
        let mask = present | given(matrices);
        let overrides = options.map(|options| &options.overrides);
        let overridden = overrides.map_or(Mask::NONE, |it| it.of(mask, types));
        let unlinked = overrides.map_or(Mask::NONE, |it| it.of_unlinked(mask, types));
        let has_frame = is_frame && !overridden.has(Mask::LOCAL_TO_WORLD);
        let framed = if has_frame { Mask::LOCAL_TO_WORLD } else { Mask::NONE };
        let overridden = overridden | framed;
        let missing = matrices | rules::missing_readers(present | matrices, overridden);
        Self {
            mask: mask | given(missing),
            missing,
            overridden,
            overridden_unlinked: unlinked | framed,
            derived: rules::derived(present).without(overridden),
            has_frame,
            inserts,
        }
    }

    /// The same where missing matrices count as inserted, though no bundle has run.
    pub fn with_matrices(self) -> Self {
        let matrices = rules::missing_matrices(self.mask, self.has_frame);
        Self { mask: self.mask | matrices, inserts: Some(true), ..self }
    }

    /// The same after the next run has removed a broken link, if it inserts more then: a user's
    /// component that wrote `LocalToParent` held it back.
    #[inline]
    pub fn unlinked(self) -> Option<Self> {
        if self.inserts != Some(true) || !self.overridden.has(Mask::LOCAL_TO_PARENT) {
            return None;
        }
        let (mask, overridden) = (self.mask, self.overridden_unlinked);
        let given = rules::missing_readers(mask.without(Mask::LOCAL_TO_PARENT), overridden);
        (given != Mask::NONE).then_some(Self { mask: mask | given, overridden, ..self })
    }

    /// Whether an entity has a place in the world as soon as it is the parent of another.
    #[inline]
    pub fn can_be_parent(&self) -> bool {
        self.mask.has(Mask::LOCAL_TO_WORLD) || self.inserts == Some(true)
    }

    /// Whether the bundle computes nothing for its `LocalToWorld`: `LocalToParent` without
    /// `Parent`.
    #[inline]
    pub fn is_orphan(&self) -> bool {
        self.mask.has(Mask::LOCAL_TO_PARENT) && !self.mask.has(Mask::PARENT)
    }

    /// Whether an entity's local transform is its translation, rotation and scale, wherever it
    /// stands.
    #[inline]
    pub fn is_simple(&self) -> bool {
        let is_overridden = self.overridden.has_any(self.mask);
        self.mask.has(Mask::LOCAL_TO_WORLD)
            && self.is_plain(true)
            && !self.is_orphan()
            && !is_overridden
            && self.overridden_unlinked == Mask::NONE
    }

    /// Whether the world matrix of a child is its parent's times a [plain](Self::is_plain) one, of
    /// inputs.
    #[inline]
    pub fn is_usual(&self) -> bool {
        self.is_plain(true)
            && self.mask.has_any(rules::LOCAL_TO_PARENT.inputs)
            && !self.mask.has(Mask::INHERITS)
            && !self.overridden.has(Mask::LOCAL_TO_PARENT)
    }

    /// Whether the local matrix is made of a translation, a rotation and a scale at most. Below a
    /// parent, `ParentScaleInverse` is another factor.
    #[inline]
    pub fn is_plain(&self, has_parent: bool) -> bool {
        let others = if has_parent { MORE | Mask::PARENT_SCALE_INVERSE } else { MORE };
        !self.mask.has_any(others)
    }
}

/// The inputs that make a local matrix more than a plain one.
const MORE: Mask =
    Mask::COMPOSITE_ROTATION.union(Mask::COMPOSITE_SCALE).union(rules::ROTATION.inputs);

/// Whether children inherit anything in any world of the process. In most programs nothing does.
static INHERITS: AtomicBool = AtomicBool::new(false);

/// What new entities with these types lack, of which `present` are the crate's: what makes their
/// inputs count, and what children inherit in the world (nothing, before a bundle's first run).
pub(crate) fn lacking_columns(
    world: &World,
    present: Mask,
    types: &[ComponentTypeId],
) -> Vec<NewColumn> {
    let mut lacking = Vec::new();
    let readers = rules::missing_readers(present, Mask::NONE);
    if readers != Mask::NONE {
        lacking.extend(NewColumn::all(readers));
    }
    if INHERITS.load(Ordering::Relaxed)
        && let Some(options) = WorldCell::options::<WorldOptions>(&Access::of(world, Mask::NONE))
    {
        lacking.extend(NewColumn::lacking(&options.effective, types));
    }
    lacking
}

impl Default for WriteGroups {
    /// The groups of the bundle's own rules.
    fn default() -> Self {
        let mut groups = Self::empty();
        for rule in rules::RULES {
            rule.group.ids().for_each(|member| groups.add(rule.target_id(), member));
        }
        groups
    }
}

/// The rules that a user's component can stop. Without any it takes no memory. A `Frame` is not
/// among these components: it gives way to them, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overrides(Option<Arc<[Stop]>>);

/// A rule, and the components that stop it.
type Stop = (rules::Rule, Vec<ComponentTypeId>);

impl Overrides {
    pub fn new(groups: &WriteGroups) -> Self {
        let stop = |rule: rules::Rule| {
            let reads: Vec<ComponentTypeId> = rule.reads.ids().collect();
            let mut members = groups.outside(rule.target_id(), &reads);
            members.retain(|member| *member != ComponentTypeId::of::<Frame>());
            (!members.is_empty()).then_some((rule, members))
        };
        let stops: Vec<Stop> = rules::RULES.into_iter().filter_map(stop).collect();
        Self((!stops.is_empty()).then(|| stops.into()))
    }

    /// The components that the bundle may not write in an archetype of these components.
    pub fn of(&self, present: Mask, components: &[ComponentTypeId]) -> Mask {
        let stops = self.0.iter().flat_map(|stops| stops.iter()).filter(|(rule, members)| {
            rule.applies(present) && components.iter().any(|component| members.contains(component))
        });
        stops.fold(Mask::NONE, |overridden, (rule, _)| overridden | rule.target)
    }

    /// The same after the next run has removed a broken link: `Parent` and `LocalToParent` are
    /// gone.
    #[inline]
    pub fn of_unlinked(&self, present: Mask, components: &[ComponentTypeId]) -> Mask {
        if self.0.is_none() {
            return Mask::NONE;
        }
        let lost = Mask::PARENT | Mask::LOCAL_TO_PARENT;
        let is_left = |id: &ComponentTypeId| !lost.ids().any(|lost| lost == *id);
        let left: Vec<_> = components.iter().copied().filter(is_left).collect();
        self.of(present.without(lost), &left)
    }
}
