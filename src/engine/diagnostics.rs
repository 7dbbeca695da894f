//! Gathers a world's findings from the systems.
//!
//! | kept in | findings |
//! | --- | --- |
//! | here | components that are missing, useless or two of a kind; an origin that is gone |
//! | hierarchy | cycles; children that wait; once each: parents that died, strays in `Children` |
//! | tracker | rows without a place |
//! | local, inverses | scales and worlds without an inverse |
//! | `check.rs` | mistakes in values, in debug builds |

use std::sync::{Arc, OnceLock};

use legion::{
    Entity, World,
    storage::{ComponentTypeId, EntityLayout},
};

use crate::{
    components::{Effective, Frame, Inherited, Parent, RenderLayers, Visible},
    engine::{
        check::DebugChecks,
        hierarchy::Hierarchy,
        inverse::Inverses,
        local::LocalSystems,
        meaning::WorldOptions,
        rules,
        storage::{ArchetypeSheet, ChangeTracker, Columns, Damage, Mask, Row},
    },
    findings::{Entities, FindingGroup, FindingKind},
};

/// Findings that are kept from run to run: there may be a million of them, and most stay.
#[derive(Default)]
pub(crate) struct Diagnostics {
    options: Arc<WorldOptions>,
    /// By archetype, the findings that follow from its components alone.
    by_layout: Vec<Vec<FindingGroup>>,
    /// The entities on cycles; to be set to `None` when links have changed.
    pub cyclic: Option<Entities>,
    /// Whether the last run repaired anything. Its findings say so, and those of the next run do
    /// not.
    has_repaired: bool,
    /// The entity of the origin, if it is gone.
    pub dead_origin: Option<Entity>,
    /// Set when the list of changes is asked for, though no bundle makes it.
    pub asked: Arc<OnceLock<()>>,
    /// What the last findings say of these two.
    reported: (Option<Entity>, bool),
    pub checks: DebugChecks,
}

/// The mistakes of all entities of an archetype: of its components and the bundle's options.
fn of_layout(
    options: &WorldOptions,
    layout: &EntityLayout,
    sheet: &ArchetypeSheet,
) -> impl Iterator<Item = FindingKind> + use<> {
    let ArchetypeSheet { mask, meaning, .. } = *sheet;
    let several = |sources| (mask & sources).len() > 1;
    let has_world = mask.has(Mask::LOCAL_TO_WORLD);
    let (parent, local) = (mask.has(Mask::PARENT), mask.has(Mask::LOCAL_TO_PARENT));
    let is_frame = layout.has_component::<Frame>();
    let is_beside = meaning.has_frame && mask.has_any(rules::ROOT_LOCAL_TO_WORLD.inputs);
    let frames = options.sees_frames;
    let useless = |component, needs| FindingKind::WithoutEffect { component, needs };
    let inherit = "TransformSystemBundle::inherit()";
    let missing = if has_world { meaning.missing } else { Mask::NONE };
    let unread = rules::unread(mask).filter(move |(_, reader)| missing.has(*reader));
    [
        (FindingKind::MissingLocalToWorld, meaning.missing.has(Mask::LOCAL_TO_WORLD)),
        (FindingKind::ParentWithoutLocalToParent, has_world && parent && !local),
        (FindingKind::LocalToParentWithoutParent, has_world && local && !parent),
        (FindingKind::TwoScales, several(rules::any_of(rules::AXES))),
        (FindingKind::TwoRotationEulers, several(rules::any_of(rules::ROTATION_EULERS))),
        (FindingKind::TwoPostRotationEulers, several(rules::any_of(rules::POST_ROTATION_EULERS))),
        (useless("Frame", "TransformSystemBundle::large_worlds()"), is_frame && !frames),
        (useless("Visible", inherit), is_useless::<Visible>(options, layout)),
        (useless("RenderLayers", inherit), is_useless::<RenderLayers>(options, layout)),
        (FindingKind::InputsBesideFrame, is_beside),
        (FindingKind::FrameOverridden, is_frame && frames && !meaning.has_frame),
    ]
    .into_iter()
    .filter_map(|(kind, applies)| applies.then_some(kind))
    .chain(unread.map(move |(input, reader)| useless(input.name(), reader.name())))
}

/// Whether children would inherit a component that is there, if the bundle knew it.
fn is_useless<P: Inherited>(options: &WorldOptions, layout: &EntityLayout) -> bool {
    let effective = ComponentTypeId::of::<Effective<P>>();
    layout.has_component::<P>() && !options.effective.iter().any(|it| it.component == effective)
}

impl Diagnostics {
    pub fn new(options: Arc<WorldOptions>) -> Self {
        Self { options, ..Self::default() }
    }

    /// All findings that stand now, by kind, then the links that this run has cut.
    pub fn gather(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        hierarchy: &mut Hierarchy,
        local: &LocalSystems,
        inverses: &Inverses,
    ) -> Vec<FindingGroup> {
        self.refresh(columns, tracker);
        self.reported = (self.dead_origin, self.asked.get().is_some());
        let alone = |entity: Entity| (entity, None);
        let cyclic = self.cyclic.get_or_insert_with(|| cyclic(columns, tracker, hierarchy)).clone();
        let first = all(columns).copied().take(usize::from(self.reported.1));
        let worlds = inverses.singular.iter().flatten().copied();
        let repaired = std::mem::take(&mut hierarchy.repaired);
        self.has_repaired = !repaired.is_empty();
        let cut = |kind| {
            let of_kind = repaired.iter().filter(move |finding| finding.kind == kind);
            (kind, of_kind.map(|finding| (finding.entity, finding.related)).collect())
        };
        let groups = [
            (FindingKind::Cycle, cyclic),
            (FindingKind::UnplacedEntity, tracker.unplaced(columns).map(alone).collect()),
            (FindingKind::WaitsForParent, hierarchy.waiting.listed()),
            (FindingKind::DeadOrigin, self.dead_origin.into_iter().map(alone).collect()),
            (FindingKind::ChangesNotTracked, first.map(alone).collect()),
            (FindingKind::ScaleWithoutInverse, local.parent_scales.singular[..].into()),
            (FindingKind::WorldWithoutInverse, worlds.map(alone).collect()),
            cut(FindingKind::DeadParent),
            cut(FindingKind::ParentWithoutLocalToWorld),
            cut(FindingKind::ChildWithoutParent),
        ];
        let mut groups = Vec::from(groups.map(|(kind, entities)| FindingGroup { kind, entities }));
        groups.extend(self.by_layout.iter().flatten().cloned());
        groups.extend(self.checks.run(columns.world()));
        groups.retain(|group| !group.entities.is_empty());
        FindingGroup::sort(&mut groups);
        groups
    }

    /// Whether there are findings to tell or to take back, though nothing happened in this run.
    pub fn has_unreported(&self) -> bool {
        self.has_repaired || self.reported != (self.dead_origin, self.asked.get().is_some())
    }

    /// Looks again at archetypes whose entities came or went, or where a `Parent` was written: a
    /// finding can name the parent.
    pub fn refresh(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker) {
        self.checks.note(tracker.touched());
        for index in tracker.touched() {
            let sheet = &tracker[index];
            if !sheet.is_changed(Mask::PARENT) {
                continue;
            }
            let (entities, parents) = (columns.entities(index), columns.read::<Parent>(index));
            let len = self.by_layout.len().max(index as usize + 1);
            self.by_layout.resize_with(len, Vec::new);
            let groups = &mut self.by_layout[index as usize];
            groups.clear();
            let layout = columns.archetypes()[index as usize].layout();
            for kind in of_layout(&self.options, layout, sheet) {
                let has_related = kind == FindingKind::ParentWithoutLocalToParent;
                let related =
                    |row: usize| parents.get(row).filter(|_| has_related).map(|parent| parent.0);
                let rows = entities.iter().enumerate();
                let entities = rows.map(|(row, &entity)| (entity, related(row))).collect();
                groups.push(FindingGroup { kind, entities });
            }
        }
    }

    /// The finding of a world that is refused.
    pub fn damaged(world: &mut World, damage: Damage) -> FindingGroup {
        let (archetype, component) = match damage {
            Damage::Column { archetype, component } => (archetype, component),
            Damage::Duplicate { entity } => {
                let entities = [(entity, None)].into();
                return FindingGroup { kind: FindingKind::DuplicateEntity, entities };
            }
        };
        let columns = Columns::new(world);
        // If the archetype has no entity to name, any other of the world shows at least which world
        // it is.
        let first = columns.entities(archetype).iter().chain(all(&columns));
        let entities = first.map(|&entity| (entity, None)).take(1).collect();
        FindingGroup { kind: FindingKind::DamagedColumn { component }, entities }
    }
}

/// The entities of the world.
fn all<'a>(columns: &'a Columns<'_>) -> impl Iterator<Item = &'a Entity> {
    (0..columns.archetypes().len() as u32).flat_map(|index| columns.entities(index))
}

/// The entities on cycles and their parents, in the order of their ids. The order of their rows
/// would change whenever one of them gets another row, and not all of that reaches this list.
fn cyclic(columns: &Columns<'_>, tracker: &ChangeTracker, hierarchy: &Hierarchy) -> Entities {
    let located = |&entity: &Entity| Some((entity, tracker.locate(entity)?));
    let parent = |Row { archetype, row }| columns.read::<Parent>(archetype).get(row as usize);
    let members = hierarchy.cyclic.iter().filter_map(located);
    members.map(|(entity, row)| (entity, parent(row).map(|parent| parent.0))).collect()
}
