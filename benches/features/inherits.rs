//! Skeletons in which some bones inherit only parts of their parents' worlds. The world beside it
//! has another component in the same places, so that both have the same archetypes.

use legion::storage::Component;
use legion_transform::{TransformSystemBundle, prelude::*};

use crate::{
    turns::{Besides, Side},
    workloads::{BONES, LegionWorld},
};

/// A component as large as [`Inherits`], which means nothing.
#[derive(Clone, Copy)]
struct Other(#[allow(dead_code)] [bool; 3]);

/// One bone of each skeleton is a label, which inherits the place alone.
pub const LABELS: [Side<'_>; 2] = [
    side(&Besides { prepare: |it| to_labels(it, Other([true, false, false])), edit: |_| {} }),
    side(&Besides {
        prepare: |it| to_labels(it, Inherits { translation: true, ..Inherits::NOTHING }),
        edit: |_| {},
    }),
];

/// One bone in ten leaves out its parent's scale.
pub const TENTH: [Side<'_>; 2] = [
    side(&Besides { prepare: |it| to_tenth(it, Other([true, true, false])), edit: |_| {} }),
    side(&Besides {
        prepare: |it| to_tenth(it, Inherits { scale: false, ..Inherits::ALL }),
        edit: |_| {},
    }),
];

const fn side(besides: &'static Besides) -> Side<'static> {
    Side { bundle: &TransformSystemBundle::default, besides: Some(besides) }
}

/// Adds a component to a bone without others below it.
fn to_labels(built: &mut LegionWorld, it: impl Component + Copy) {
    const CROWN: usize = 6;
    add(built, it, |node| node % BONES == CROWN);
}

/// Adds a component to every tenth of the bones that have a parent.
fn to_tenth(built: &mut LegionWorld, it: impl Component + Copy) {
    add(built, it, |node| node % 10 == 9 && node % BONES != 0);
}

fn add(built: &mut LegionWorld, it: impl Component + Copy, wanted: impl Fn(usize) -> bool) {
    let entities = built.entities().to_vec();
    for (_, entity) in (0..).zip(entities).filter(|&(node, _)| wanted(node)) {
        built.world.entry(entity).expect("just spawned").add_component(it);
    }
}
