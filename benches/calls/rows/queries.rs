//! What only reads: queries, walks and checks.

use std::{cell::Cell, hint::black_box, rc::Rc};

use legion::{Entity, EntityStore, Schedule, World, systems::SystemBuilder, world::SubWorld};
use legion_transform::{components::EulerOrder, prelude::*, query::QueryError};
use nalgebra::Vector3;

use super::{Bones, Round, Rows, Scene, counted, each, timed};

pub fn add(rows: &mut Rows) {
    rows.add("by hand: entry_ref, a component", |it| {
        it.read(|world, pick| {
            world.entry_ref(pick).unwrap().get_component::<LocalToWorld>().unwrap().m14
        })
    });
    query(rows, "local_to_world", |it, pick, _| it.local_to_world(pick));
    query(rows, "world_to_local", |it, pick, _| it.world_to_local(pick));
    between(rows);
    query(rows, "local_to_parent", |it, pick, _| it.local_to_parent(pick));
    rows.add("Transform::read", |it| it.read(|world, pick| Transform::read(world, pick).unwrap()));
    rows.add("Walk::new", |it| it.read(|world, _| drop(black_box(Walk::new(world).unwrap()))));
    rows.add("Walk::fresh", |it| timed(1, || Walk::fresh(&it.world).unwrap()));
    rows.add("Walk::descendants", |it| descendants(&it.world, &it.bones));
    rows.add("Walk::index", |it| {
        let walk = Walk::new(&it.world).unwrap();
        each(&it.bones.picks, |pick| walk.index(pick))
    });
    rows.add("Walk::topmost, an entity", |it| {
        let walk = Walk::new(&it.world).unwrap();
        timed(it.bones.picks.len(), || walk.topmost(it.bones.picks.iter().copied()))
    });
    rows.add("EulerOrder::angles", |it| {
        let near = Vector3::new(0.1, 0.2, 0.3);
        each(&it.bones.picks, |pick| {
            let entry = it.world.entry_ref(pick).unwrap();
            EulerOrder::XYZ.angles(entry.get_component::<Rotation>().unwrap(), &near)
        })
    });
    rows.add("Walk::ancestors", |it| ancestors(&it.world, &it.bones.picks));
    rows.add("SubWorld: TransformQuery::local_to_world", |it| {
        system(it, |world, picks| {
            each(picks, |pick| TransformQuery::new(world).local_to_world(pick).unwrap())
        })
    });
    rows.add("SubWorld: TransformQuery::local_to_world, one query", |it| {
        system(it, |world, picks| {
            let query = TransformQuery::new(world);
            each(picks, |pick| query.local_to_world(pick).unwrap())
        })
    });
    rows.add("SubWorld: Transform::read", |it| {
        system(it, |world, picks| each(picks, |pick| Transform::read(world, pick).unwrap()))
    });
    rows.add("SubWorld: Walk::ancestors", |it| system(it, |world, picks| ancestors(world, picks)));
    rows.add("Findings::check", |it| timed(it.len(), || Findings::check(&it.world)));
}

pub fn between(rows: &mut Rows) {
    query(rows, "between", |it, pick, other| it.between(pick, other));
}

type Query<'a> = TransformQuery<'a, World>;

/// With a query for each call, and with one for all.
fn query<R>(
    rows: &mut Rows,
    name: &str,
    call: impl Fn(&Query<'_>, Entity, Entity) -> Result<R, QueryError> + Copy + 'static,
) {
    rows.add(&format!("TransformQuery::{name}"), move |it| {
        let other = it.bones.picks[1];
        it.read(|world, pick| call(&TransformQuery::new(world), pick, other).unwrap())
    });
    rows.add(&format!("TransformQuery::{name}, one query"), move |it| {
        let (query, other) = (TransformQuery::new(&it.world), it.bones.picks[1]);
        it.read(|_, pick| call(&query, pick, other).unwrap())
    });
}

fn descendants(world: &World, bones: &Bones<Entity>) -> Round {
    let walk = Walk::new(world).unwrap();
    let count = |root: &Entity| walk.descendants(*root).map(black_box).count();
    counted(|| bones.roots.iter().map(count).sum())
}

fn ancestors<S: EntityStore>(store: &S, picks: &[Entity]) -> Round {
    let walk = Walk::new(store).unwrap();
    counted(|| picks.iter().map(|&pick| walk.ancestors(pick).map(black_box).count()).sum())
}

/// In a system that sees the world through a `SubWorld`.
fn system(it: &mut Scene, call: impl Fn(&SubWorld<'_>, &[Entity]) -> Round + 'static) -> Round {
    let (round, picks) = (Rc::new(Cell::new(None)), it.bones.picks.clone());
    let system = SystemBuilder::new("asks").read_transforms().build({
        let round = round.clone();
        move |_, world, _, _| round.set(Some(call(world, &picks)))
    });
    let mut schedule = Schedule::builder().add_thread_local(system).build();
    schedule.execute(&mut it.world, &mut it.resources);
    round.get().expect("the system ran")
}
