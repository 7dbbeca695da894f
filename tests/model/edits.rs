//! Edits that only these tests make, beside those of `legion_transform_testing`: of frames, of
//! resources, and by ways into a world that hardly a program takes.

use std::fmt;

use legion::{Entity, IntoQuery, Resources, World};
use legion_transform::{
    TransformChanges,
    frames::{Frame, Origin},
    prelude::*,
};
use legion_transform_testing::{Cast, OwnEdit};
use nalgebra::{Point3, UnitQuaternion};
use proptest::{prelude::*, sample::select};

use super::rows::{Named, below, extend_frames};

/// Entities that jump in the next run, for what follows the ticks.
#[derive(Default)]
pub struct Teleports(pub Vec<Entity>);

/// Entities are named by an index into all that there ever were; see [`Cast::pick`].
#[derive(Clone, Debug)]
pub enum Odd {
    /// Other rows for an entity, with `push_with_id` or with a row source that names its id: then
    /// the new row comes before the old one goes.
    Replace {
        who: usize,
        parent: Option<usize>,
        place: [f32; 3],
        by_source: bool,
    },
    /// An id that is dead comes back, perhaps as the parent that others name: as a root, a child, or
    /// a group without a matrix, with a list.
    Return {
        who: usize,
        parent: Option<usize>,
        has_world: bool,
        list: Vec<usize>,
    },
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
    /// The list of changes is gone: the next one begins anew.
    ForgetChanges,
    /// More events than the bundle keeps.
    LoseTheLog,
}

impl Odd {
    /// The names of all of them, as [`Odd::name`] says them.
    pub const NAMES: [&str; 10] = [
        "replace by push_with_id",
        "replace by a row source",
        "extend frames",
        "write a frame",
        "see from an entity",
        "see from the universe",
        "teleport",
        "forget the list of changes",
        "lose the log",
        "a dead id comes back",
    ];

    fn name(&self) -> &'static str {
        let number = match self {
            Self::Replace { by_source, .. } => usize::from(*by_source),
            Self::ExtendFrames { .. } => 2,
            Self::WriteFrame(..) => 3,
            Self::See(from) => 4 + usize::from(from.is_none()),
            Self::Teleport(_) => 6,
            Self::ForgetChanges => 7,
            Self::LoseTheLog => 8,
            Self::Return { .. } => 9,
        };
        Self::NAMES[number]
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
            Odd::Replace { who, parent, place, by_source } => {
                let alive = |entity: &Entity| world.contains(*entity);
                let Some(entity) = cast.pick(*who).filter(alive) else { return };
                let parent = parent.and_then(|parent| cast.pick(parent));
                replace(world, entity, parent, Translation::from(*place), *by_source);
            }
            Odd::Return { who, parent, has_world, list } => {
                let Some(entity) = cast.pick(*who).filter(|it| !world.contains(*it)) else {
                    return;
                };
                let list: Children = list.iter().filter_map(|&index| cast.pick(index)).collect();
                let at = Translation::new(1.0, 0.0, 0.0);
                match parent.and_then(|parent| cast.pick(parent)) {
                    Some(parent) => world.push_with_id(entity, below(parent, at)),
                    None => world.push_with_id(entity, (LocalToWorld::identity(), at, list)),
                }
                if !has_world {
                    world.entry(entity).expect("just pushed").remove_component::<LocalToWorld>();
                }
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
            Odd::ForgetChanges => drop(resources.remove::<TransformChanges>()),
            Odd::LoseTheLog => {
                let many = vec![(0_u8,); world.len() + 3_000];
                let noise = world.extend(many).to_vec();
                noise.into_iter().for_each(|entity| assert!(world.remove(entity)));
            }
        }
    }
}

fn replace(
    world: &mut World,
    entity: Entity,
    parent: Option<Entity>,
    at: Translation,
    by_source: bool,
) {
    let root = (LocalToWorld::identity(), at);
    match (parent.map(|parent| below(parent, at)), by_source) {
        (Some(row), false) => world.push_with_id(entity, row),
        (Some(row), true) => drop(world.extend(Named::new(entity, row))),
        (None, false) => world.push_with_id(entity, root),
        (None, true) => drop(world.extend(Named::new(entity, root))),
    }
}

/// All of these edits; `bulk` as in a plan.
pub fn odd(bulk: usize, is_wild: bool) -> SBoxedStrategy<Line> {
    let who = || any::<u16>().prop_map(usize::from);
    let parent = || proptest::option::of(who());
    let replace = (who(), parent(), proptest::array::uniform3(-8..=8_i8), any::<bool>()).prop_map(
        |(who, parent, at, by_source)| {
            let place = at.map(f32::from);
            Odd::Replace { who, parent, place, by_source }
        },
    );
    let list = proptest::collection::vec(who(), 0..6);
    let back = (who(), parent(), proptest::bool::weighted(0.7), list);
    let back = back.prop_map(|(who, parent, has_world, list)| Odd::Return {
        who,
        parent,
        has_world,
        list,
    });
    let count = prop_oneof![3 => 1..4_usize, 1 => 1..=bulk];
    let frames = (count, parent(), frame(is_wild))
        .prop_map(|(count, parent, frame)| Odd::ExtendFrames { count, parent, frame });
    prop_oneof![
        4 => replace,
        6 => back,
        3 => frames,
        6 => (who(), frame(is_wild)).prop_map(|(index, frame)| Odd::WriteFrame(index, frame)),
        3 => who().prop_map(|index| Odd::See(Some(index))),
        1 => Just(Odd::See(None)),
        2 => who().prop_map(Odd::Teleport),
        1 => Just(Odd::ForgetChanges),
        1 => Just(Odd::LoseTheLog),
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
