//! Edits through the crate's own calls, and questions: what they answer is told.

use std::fmt::{self, Debug};

use legion::{Entity, Resources, World};
use legion_transform::{edit::EditError, frames::Origin, prelude::*};
use legion_transform_testing::{Cast, OwnEdit};
use nalgebra::{UnitQuaternion, Vector3};
use proptest::{array, prelude::*};

/// What calls have answered since the last run. Entities are called by their numbers.
#[derive(Clone, Default)]
pub struct Told(pub Vec<Answer>);

/// An answer: as it was given, and with the entities in it sorted. The order of children that have
/// come since the last run is not specified.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub given: String,
    pub sorted: String,
}

impl From<String> for Answer {
    fn from(given: String) -> Self {
        Self { sorted: given.clone(), given }
    }
}

/// The entities of a call are named by an index into all that there ever were; see [`Cast::pick`].
#[derive(Clone, Debug)]
pub enum Call {
    SetParent(usize, usize),
    InsertChild(usize, usize, usize),
    RemoveParent(usize),
    DetachChildren(usize),
    DespawnSubtree(usize),
    SetWorld(usize, Transform),
    SetLocal(usize, Transform),
    Translate(usize, Transform),
    Rotate(usize, Transform),
    LookAt(usize, Transform),
    Where(usize),
    Below(usize),
    See(usize),
}

/// The line that stands for a call: `// asked: Where(7)`.
#[derive(Clone)]
pub struct Asked(Call);

impl Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "// asked: {:?}", self.0)
    }
}

impl OwnEdit for Asked {
    fn play(&self, world: &mut World, resources: &mut Resources, cast: &mut Cast) {
        if let Some(answer) = self.0.answer(world, resources, cast) {
            resources.get_mut_or_default::<Told>().0.push(answer);
        }
    }
}

impl Call {
    /// Makes the call. `None` if there is no entity yet.
    fn answer(&self, world: &mut World, resources: &mut Resources, cast: &Cast) -> Option<Answer> {
        let who = |index: usize| cast.pick(index);
        let named = |all: &[Entity]| {
            let mut names: Vec<_> = all.iter().map(|it| cast.name(*it)).collect();
            let given = format!("{names:?}");
            names.sort_unstable();
            Answer { given, sorted: format!("{names:?}") }
        };
        Some(match *self {
            Self::SetParent(child, parent) => in_short(world.set_parent(who(child)?, who(parent)?)),
            Self::InsertChild(parent, index, child) => {
                in_short(world.insert_child(who(parent)?, index, who(child)?))
            }
            Self::RemoveParent(child) => in_short(world.remove_parent(who(child)?)),
            Self::DetachChildren(parent) => {
                let all = world.detach_children(who(parent)?);
                all.map_or_else(|error| in_short::<()>(Err(error)), |all| named(&all))
            }
            Self::DespawnSubtree(root) => world.despawn_subtree(who(root)?).to_string().into(),
            Self::SetWorld(it, pose) => in_short(world.set_local_to_world(who(it)?, pose)),
            Self::SetLocal(it, pose) => in_short(world.set_transform(who(it)?, pose)),
            Self::Translate(it, by) => in_short(world.translate(who(it)?, by.translation)),
            Self::Rotate(it, by) => in_short(world.rotate(who(it)?, by.rotation)),
            Self::LookAt(it, at) => {
                in_short(world.look_at(who(it)?, at.translation.into(), Vector3::y()))
            }
            Self::Where(it) => match TransformQuery::new(world).local_to_world(who(it)?) {
                Ok(matrix) => format!("{:?}", matrix.0.map(f32::to_bits).as_slice()).into(),
                Err(error) => first_word(&error),
            },
            Self::Below(it) => {
                named(&Vec::from_iter(Walk::fresh(world).ok()?.descendants(who(it)?)))
            }
            Self::See(it) => {
                resources.insert(Origin(who(it)?));
                return None;
            }
        })
    }
}

/// The name of an error, without the ids in it.
fn in_short<T: Debug>(result: Result<T, EditError>) -> Answer {
    match result {
        Ok(_) => "Ok".to_owned().into(),
        Err(EditError::Query(error)) => first_word(&error),
        Err(error) => first_word(&error),
    }
}

fn first_word(error: &impl Debug) -> Answer {
    let text = format!("{error:?}");
    text.split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default().to_owned().into()
}

/// Any of them.
pub fn asked() -> SBoxedStrategy<Asked> {
    let who = || any::<u16>().prop_map(usize::from);
    let pose = (array::uniform3(-8..=8_i8), array::uniform3(-3.0..3.0_f32), 1..4_u8).prop_map(
        |(place, [x, y, z], size)| Transform {
            translation: Vector3::from(place.map(f32::from)),
            rotation: UnitQuaternion::from_euler_angles(x, y, z),
            scale: Vector3::repeat(f32::from(size)),
        },
    );
    let made = |(sort, a, b, index, pose): (usize, usize, usize, usize, Transform)| match sort {
        0 => Call::SetParent(a, b),
        1 => Call::InsertChild(a, index, b),
        2 => Call::RemoveParent(a),
        3 => Call::DetachChildren(a),
        4 => Call::DespawnSubtree(a),
        5 => Call::SetWorld(a, pose),
        6 => Call::SetLocal(a, pose),
        7 => Call::Translate(a, pose),
        8 => Call::Rotate(a, pose),
        9 => Call::LookAt(a, pose),
        10 => Call::See(a),
        11 | 12 => Call::Below(a),
        _ => Call::Where(a),
    };
    (0..15_usize, who(), who(), 0..4_usize, pose).prop_map(made).prop_map(Asked).sboxed()
}
