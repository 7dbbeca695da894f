//! The rules that users' components stop, archetype by archetype, and the groups that the rules
//! make without any.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use legion::{World, storage::ComponentTypeId};

use crate::{
    components::{Frame, LocalToWorld},
    engine::{
        bulk::NewColumn,
        rules,
        storage::{Access, Mask, WorldCell},
    },
    write_group::WriteGroups,
};

/// What the options of a world's bundles change in the rules: for queries and edits, too.
pub(crate) struct Foreseen {
    pub overrides: Overrides,
    /// The values that children inherit.
    pub effective: Box<[NewColumn]>,
    /// Whether entities get the components that they lack.
    pub inserts_missing: bool,
    /// Whether the bundle has `large_worlds`: its write group is how that is known.
    pub sees_frames: bool,
}

impl Foreseen {
    pub fn new(groups: &WriteGroups, inserts: bool, effective: Box<[NewColumn]>) -> Self {
        INHERITS.fetch_or(!effective.is_empty(), Ordering::Relaxed);
        let (overrides, inserts_missing) = (Overrides::new(groups), inserts);
        let sees_frames = groups.contains::<LocalToWorld, Frame>();
        Self { overrides, effective, inserts_missing, sees_frames }
    }
}

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
        && let Some(foreseen) = WorldCell::options::<Foreseen>(&Access::of(world, Mask::NONE))
    {
        lacking.extend(NewColumn::lacking(&foreseen.effective, types));
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
