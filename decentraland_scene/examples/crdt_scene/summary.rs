//! What the messages make, in words.

use std::{collections::HashMap, fmt, path::Path};

use decentraland_scene::{
    merge::{MergeReport, TransformState},
    wire::{Fault, SceneEntity},
};
use legion_transform::{Findings, findings::FindingKind};

use crate::{session::Session, words::counted};

/// How many findings are spelled out.
const SHOWN: usize = 10;

/// A line for a file, and some for what is wrong with it.
pub fn file(path: &Path, bytes: usize, report: &MergeReport, ended: Option<&Fault>) -> String {
    let MergeReport {
        accepted, duplicates, outdated, dead, host_placed, reserved, dropped, ..
    } = report;
    let mut text = format!(
        "{}: {}, {}: {accepted} accepted, {}, {outdated} outdated, {dead} for dead entities, \
         {host_placed} for entities of the host's, {} of those, {dropped} about other components\n",
        path.display(),
        counted(bytes, "byte"),
        counted(report.messages() as usize, "message"),
        counted(*duplicates as usize, "duplicate"),
        counted(*reserved as usize, "deletion"),
    );
    for fault in report.faults.iter().take(SHOWN) {
        text += &format!("  - {fault}\n");
    }
    if report.fault_count > SHOWN as u64 {
        text += &format!("  - and {} more\n", report.fault_count - SHOWN as u64);
    }
    if report.pending > 0 {
        text += &format!("  - no whole message at the end: {}\n", counted(report.pending, "byte"));
    }
    if ended.is_some() {
        text += "  - what comes after that was not read\n";
    }
    text
}

pub struct Summary {
    /// Entities with a `Transform`, with a deleted one, and those that others only name as their
    /// parent.
    live: usize,
    deleted: usize,
    implicit: usize,
    depth: usize,
    on_cycles: usize,
    pub findings: Vec<String>,
}

impl Summary {
    pub fn of(session: &Session) -> Self {
        let entities = session.scene_entities();
        let (mut live, mut deleted, mut implicit) = (0, 0, 0);
        for &scene in &entities {
            *match session.replica.effective(scene).state {
                TransformState::Live { .. } => &mut live,
                TransformState::Deleted { .. } => &mut deleted,
                _ => &mut implicit,
            } += 1;
        }
        let mut findings: Vec<String> =
            session.mirror.findings().iter().map(ToString::to_string).collect();
        let mut on_cycles = 0;
        if let Some(world) = session.resources.get::<Findings>() {
            on_cycles = world
                .of(&session.world)
                .filter(|finding| finding.kind == FindingKind::Cycle)
                .count();
            findings.extend(world.of(&session.world).map(|finding| finding.to_string()));
        }
        Self { live, deleted, implicit, depth: depth(session, &entities), on_cycles, findings }
    }
}

/// The number of links on the longest way down.
fn depth(session: &Session, entities: &[SceneEntity]) -> usize {
    let mut depths: HashMap<SceneEntity, usize> = HashMap::new();
    let mut way = Vec::new();
    for &scene in entities {
        // Up to the root or to one whose depth is known, and down again.
        let mut up = Some(scene);
        let mut depth = loop {
            let Some(scene) = up else { break None };
            if let Some(&depth) = depths.get(&scene) {
                break Some(depth);
            }
            way.push(scene);
            up = session.parent(scene);
        };
        while let Some(scene) = way.pop() {
            let below = depth.map_or(0, |depth| depth + 1);
            depths.insert(scene, below);
            depth = Some(below);
        }
    }
    depths.into_values().max().unwrap_or(0)
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { live, deleted, implicit, depth, on_cycles, findings } = self;
        let all = live + deleted + implicit;
        writeln!(
            f,
            "{}: {live} with a Transform, {deleted} with a deleted one, {implicit} \
             only named as parents",
            counted(all, "entity")
        )?;
        let [on_cycles, found] = [(*on_cycles, "entity"), (findings.len(), "finding")]
            .map(|(count, noun)| counted(count, noun));
        writeln!(f, "depth {depth}, {on_cycles} on cycles, {found}")?;
        findings.iter().take(SHOWN).try_for_each(|finding| writeln!(f, "  - {finding}"))?;
        match findings.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => writeln!(f, "  - and {more} more"),
        }
    }
}
