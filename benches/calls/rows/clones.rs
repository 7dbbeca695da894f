//! Copies of subtrees, an entity, alone and with the run after them; and records.

use legion::{Entity, World};
use legion_transform::{
    cloning::{EntityCloner, Record},
    prelude::*,
};
use nalgebra::Vector3;

use super::{BONES, Round, Rows, Scene, scene::body, timed};

/// The nodes below a node, level by level.
pub type Shape = &'static [usize];

pub const TEN: Shape = &[9];
pub const TEN_THOUSAND: Shape = &[99, 100];

/// The entities of a tree.
pub fn count(shape: Shape) -> usize {
    shape.iter().rev().fold(1, |below, children| 1 + children * below)
}

pub fn add(rows: &mut Rows) {
    add_records(rows);
    row(rows, "duplicate of a skeleton", BONES, |it| (None, it.bones.few()));
    row(rows, "duplicate of a tree of 10,000", count(TEN_THOUSAND), |it| {
        (None, vec![tree(&mut it.world, TEN_THOUSAND)])
    });
    row(rows, "1,000 duplicates of a tree of ten", count(TEN), |it| {
        (None, vec![tree(&mut it.world, TEN); 1_000])
    });
    row(rows, "clone_to, 1,000 of a prefab of ten", count(TEN), |_| {
        let mut prefab = World::default();
        let root = tree(&mut prefab, TEN);
        (Some(prefab), vec![root; 1_000])
    });
}

/// Records of skeletons, and what they put back: skeletons that have died, and roots that moved.
fn add_records(rows: &mut Rows) {
    rows.once("EntityCloner::record, of skeletons", |it| {
        let all = skeletons(it);
        let cloner = EntityCloner::default();
        timed(all.len(), || cloner.record(&it.world, all.iter().copied()).unwrap())
    });
    rows.once("EntityCloner::restore, of skeletons that died", |it| {
        let (all, roots, cloner) = (skeletons(it), it.bones.few(), EntityCloner::default());
        let record = cloner.record(&it.world, all.iter().copied()).unwrap();
        it.world.despawn_subtrees(roots);
        it.run();
        timed(all.len(), || cloner.restore(&record, &mut it.world).unwrap())
    });
    rows.once("EntityCloner::restore, of a root that moved", |it| {
        let (roots, cloner) = (it.bones.few(), EntityCloner::default());
        let record = |root| cloner.record(&it.world, [root]).unwrap();
        let records: Vec<Record> = roots.iter().copied().map(record).collect();
        for &root in &roots {
            it.world.translate(root, Vector3::x()).unwrap();
        }
        it.run();
        timed(roots.len(), || {
            records.iter().for_each(|record| cloner.restore(record, &mut it.world).unwrap());
        })
    });
}

/// 40 of them, all bones.
fn skeletons(it: &Scene) -> Vec<Entity> {
    let walk = Walk::new(&it.world).unwrap();
    it.bones.few().into_iter().flat_map(|root| walk.subtree(root)).collect()
}

/// The roots of trees that are copied, and their world if that is another one.
type Source = (Option<World>, Vec<Entity>);

/// A row for the copies of trees of this size, and one for the copies and the run.
fn row(rows: &mut Rows, name: &str, size: usize, source: fn(&mut Scene) -> Source) {
    let round = move |it: &mut Scene, with_run: bool| -> Round {
        let ((prefab, roots), cloner) = (source(it), EntityCloner::default());
        it.run();
        timed(roots.len() * size, || {
            for &root in &roots {
                _ = match &prefab {
                    Some(prefab) => cloner.clone_to(prefab, root, &mut it.world, None).unwrap(),
                    None => cloner.duplicate(&mut it.world, root).unwrap(),
                };
            }
            if with_run {
                it.run();
            }
        })
    };
    rows.once(name, move |it| round(it, false));
    rows.once(&format!("{name}, and the run"), move |it| round(it, true));
}

fn tree(world: &mut World, shape: Shape) -> Entity {
    let root = world.push_transform(body(0));
    let mut level = vec![root];
    for &children in shape {
        let below = |parent: &Entity| world.extend_children(*parent, (0..children).map(body));
        level = level.iter().flat_map(below).collect();
    }
    root
}
