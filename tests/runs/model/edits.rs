//! Edits beside the steps of `legion_transform_testing`: those of its catalogue, and what only
//! these tests make, of frames and of resources.

use std::fmt;

use harness::{Family, Rng, user::kinds};
use legion::{Entity, EntityStore, IntoQuery, Resources, World};
use legion_transform::{
    TransformChanges,
    frames::{Frame, Origin},
    prelude::*,
};
use legion_transform_testing::{
    Cast, Kind, OwnEdit, Step, Value, Values,
    catalogue::{EDITS, Place, Sort},
};
use nalgebra::{Point3, UnitQuaternion};
use proptest::{prelude::*, sample::select};

/// Entities that jump in the next run, for what follows the ticks.
#[derive(Default)]
pub struct Teleports(pub Vec<Entity>);

/// What happens to a component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verb {
    Add,
    Overwrite,
    Write,
    Remove,
}

impl Verb {
    pub const ALL: [Self; 4] = [Self::Add, Self::Overwrite, Self::Write, Self::Remove];

    /// As in `overwrite Scale`.
    pub fn of(self, component: &str) -> String {
        format!("{} {component}", format!("{self:?}").to_lowercase())
    }
}

/// Entities are named by an index into all that there ever were; see [`Cast::pick`].
#[derive(Clone, Debug)]
pub enum Odd {
    /// One of all that games do, by its number in the catalogue, and a seed for what it picks.
    Listed(usize, u64),
    /// Frames, a metre from one to the next.
    ExtendFrames {
        count: usize,
        parent: Option<usize>,
        frame: Frame,
    },
    /// One of all frames gets another value in place.
    WriteFrame(usize, Frame),
    /// From where the world is seen.
    See(Option<usize>),
    Teleport(usize),
    /// A component comes, gets another value, or goes, of the next entity that lacks or has it.
    Component(Verb, Value, usize),
    /// The list of changes is gone: the next one begins anew.
    ForgetChanges,
    /// More events than the bundle keeps.
    LoseTheLog,
}

impl Odd {
    /// The names of all of them but those in the catalogue, as [`Odd::name`] says them.
    pub const NAMES: [&str; 7] = [
        "extend frames",
        "write a frame",
        "see from an entity",
        "see from the universe",
        "teleport",
        "forget the list of changes",
        "lose the log",
    ];

    fn name(&self) -> String {
        let number = match self {
            Self::Listed(number, _) => return EDITS[*number].name.to_owned(),
            Self::Component(verb, value, _) => return verb.of(value.name()),
            Self::ExtendFrames { .. } => 0,
            Self::WriteFrame(..) => 1,
            Self::See(from) => 2 + usize::from(from.is_none()),
            Self::Teleport(_) => 4,
            Self::ForgetChanges => 5,
            Self::LoseTheLog => 6,
        };
        Self::NAMES[number].to_owned()
    }
}

/// The line that stands for an edit: `// teleport: Teleport(7)`.
#[derive(Clone)]
pub struct Line(Odd);

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "// {}: {:?}", self.0.name(), self.0)
    }
}

impl OwnEdit for Line {
    fn play(&self, world: &mut World, resources: &mut Resources, cast: &mut Cast) {
        match &self.0 {
            Odd::Listed(number, seed) => {
                let picks = &mut Family::new(Rng::new(*seed));
                EDITS[*number].make(Place { world, resources, cast, picks });
            }
            Odd::ExtendFrames { count, parent, frame } => {
                let parent = parent.and_then(|parent| cast.pick(parent));
                extend_frames(world, *count, parent, *frame);
            }
            Odd::WriteFrame(index, frame) => {
                let mut query = <(Entity, &Frame)>::query();
                let all: Vec<Entity> = query.iter(world).map(|(entity, _)| *entity).collect();
                if let Some(index) = index.checked_rem(all.len()) {
                    *<&mut Frame>::query().get_mut(world, all[index]).expect("it is one") = *frame;
                }
            }
            Odd::See(from) => match from.and_then(|index| cast.pick(index)) {
                Some(entity) => resources.insert(Origin(entity)),
                None => drop(resources.remove::<Origin>()),
            },
            Odd::Teleport(index) => {
                let mut all = resources.get_mut_or_default::<Teleports>();
                all.0.extend(cast.pick(*index));
            }
            Odd::Component(verb, value, who) => {
                play_component(*verb, value, *who, (world, resources, cast));
            }
            Odd::ForgetChanges => drop(resources.remove::<TransformChanges>()),
            Odd::LoseTheLog => {
                let many = vec![(0_u8,); world.len() + 3_000];
                let noise = world.extend(many).to_vec();
                noise.into_iter().for_each(|entity| assert!(world.remove(entity)));
            }
        }
    }
}

fn play_component(
    verb: Verb,
    value: &Value,
    who: usize,
    (world, resources, cast): (&mut World, &mut Resources, &mut Cast),
) {
    let mut all = cast.entities();
    all.retain(|it| world.contains(*it));
    let Some(at) = who.checked_rem(all.len()) else { return };
    all.rotate_left(at);
    let has = |entity: &&Entity| {
        let entry = world.entry_ref(**entity).expect("it is there");
        entry.archetype().layout().component_types().contains(&value.type_id())
    };
    let lacks = |entity: &&Entity| !has(entity);
    let found = if verb == Verb::Add { all.iter().find(lacks) } else { all.iter().find(has) };
    let entity = *found.unwrap_or(&all[0]);
    let (is_found, name) = (found.is_some(), cast.number(entity));
    let put = Step::Put(name, value.clone());
    if !is_found {
        put.play(world, resources, cast);
    }
    let step = match verb {
        Verb::Add | Verb::Overwrite => put,
        Verb::Write => Step::Write(name, value.clone()),
        Verb::Remove => Step::Remove(name, value.clone()),
    };
    step.play(world, resources, cast);
}

/// Frames, a metre from one to the next.
fn extend_frames(world: &mut World, count: usize, parent: Option<Entity>, mut frame: Frame) {
    let frames = (0..count).map(|_| {
        frame.position.x += 1.0;
        frame
    });
    match parent {
        Some(parent) => {
            let local = LocalToParent::identity();
            let row = |it| (LocalToWorld::identity(), local, Parent(parent), it);
            world.extend(frames.map(row));
        }
        None => _ = world.extend(frames.map(|it| (LocalToWorld::identity(), it))),
    }
}

/// The edits of the catalogue. With `doubt` those, too, that overwrite what may be derived.
pub fn listed(doubt: bool) -> impl Iterator<Item = usize> {
    (0..EDITS.len()).filter(move |number| doubt || EDITS[*number].sort != Sort::Overwrites)
}

/// One of these, as an edit of a history.
pub fn one_of(listed: Vec<usize>) -> SBoxedStrategy<Line> {
    let edit = (select(listed), any::<u64>());
    edit.prop_map(|(number, seed)| Line(Odd::Listed(number, seed))).sboxed()
}

/// All that may happen to each component that users alone write. (What is derived is in doubt where
/// entities come between the same two runs.)
pub fn of_components() -> Vec<(Verb, Kind)> {
    const DERIVED: [Kind; 8] = [
        Kind::LocalToWorld,
        Kind::LocalToParent,
        Kind::WorldToLocal,
        Kind::ParentScaleInverse,
        Kind::CompositeRotation,
        Kind::CompositeScale,
        Kind::Rotation,
        Kind::PostRotation,
    ];
    let own = kinds().into_iter().filter(|kind| !DERIVED.contains(kind));
    own.flat_map(|kind| Verb::ALL.map(|verb| (verb, kind))).collect()
}

/// One of these, as an edit of a history.
pub fn one_of_components(all: Vec<(Verb, Kind)>) -> SBoxedStrategy<Line> {
    let value = |kind: Kind| {
        let numbers = Values::default().mirrors().numbers(kind);
        numbers.prop_map(move |numbers| Value::Numbers(kind, numbers))
    };
    let edit =
        select(all).prop_flat_map(move |(verb, kind)| (Just(verb), value(kind), any::<u16>()));
    edit.prop_map(|(verb, value, who)| Line(Odd::Component(verb, value, who.into()))).sboxed()
}

/// All others; `bulk` as in a plan.
pub fn odd(bulk: usize, is_wild: bool) -> SBoxedStrategy<Line> {
    let who = || any::<u16>().prop_map(usize::from);
    let parent = || proptest::option::of(who());
    let count = prop_oneof![3 => 1..4_usize, 1 => 1..=bulk];
    let frames = (count, parent(), frame(is_wild))
        .prop_map(|(count, parent, frame)| Odd::ExtendFrames { count, parent, frame });
    prop_oneof![
        3 => frames,
        6 => (who(), frame(is_wild)).prop_map(|(index, frame)| Odd::WriteFrame(index, frame)),
        3 => who().prop_map(|index| Odd::See(Some(index))),
        2 => Just(Odd::See(None)),
        2 => who().prop_map(Odd::Teleport),
        2 => Just(Odd::ForgetChanges),
        2 => Just(Odd::LoseTheLog),
    ]
    .prop_map(Line)
    .sboxed()
}

/// Some metres around one of a few places: at 0, ten kilometres, an earth's radius and its way
/// around the sun.
pub fn frame(is_wild: bool) -> SBoxedStrategy<Frame> {
    let far = select(vec![0.0, 1e4, 6.4e6, 1.5e11]);
    let around = proptest::array::uniform3(-400..=400_i32);
    let turn = prop_oneof![
        1 => Just([0.0; 3]),
        2 => proptest::array::uniform3(-3.0..3.0_f64),
    ];
    let broken = select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e40]);
    let broken = match is_wild {
        true => proptest::option::weighted(0.025, (0..3_usize, broken)).sboxed(),
        false => Just(None).sboxed(),
    };
    (far, around, turn, broken)
        .prop_map(|(far, around, [x, y, z], broken)| {
            let [a, b, c] = around.map(|n| f64::from(n) / 4.0);
            let mut position = Point3::new(far + a, b - 0.5 * far, c);
            broken.into_iter().for_each(|(axis, value)| position[axis] = value);
            Frame { position, rotation: UnitQuaternion::from_euler_angles(x, y, z) }
        })
        .sboxed()
}
