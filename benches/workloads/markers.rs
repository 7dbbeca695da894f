//! Components that do nothing but spread entities over archetypes.

use legion::{Entity, World};

/// Marks the entities that move, where they are to have archetypes of their own.
#[derive(Clone, Copy, Debug)]
pub struct Mover;

#[derive(Clone, Copy, Debug)]
struct Tens<const N: usize>;

#[derive(Clone, Copy, Debug)]
struct Ones<const N: usize>;

/// How many entities share an archetype after [`scatter`].
const TOGETHER: usize = 10;

type Add = fn(&mut World, Entity);

fn add_tens<const N: usize>(world: &mut World, entity: Entity) {
    world.entry(entity).expect("just spawned").add_component(Tens::<N>);
}

fn add_ones<const N: usize>(world: &mut World, entity: Entity) {
    world.entry(entity).expect("just spawned").add_component(Ones::<N>);
}

macro_rules! table {
    ($function:ident: $($tens:literal)*) => {
        [$(
            $function::<{ $tens * 10 }>, $function::<{ $tens * 10 + 1 }>, $function::<{ $tens * 10 + 2 }>,
            $function::<{ $tens * 10 + 3 }>, $function::<{ $tens * 10 + 4 }>, $function::<{ $tens * 10 + 5 }>,
            $function::<{ $tens * 10 + 6 }>, $function::<{ $tens * 10 + 7 }>, $function::<{ $tens * 10 + 8 }>,
            $function::<{ $tens * 10 + 9 }>,
        )*]
    };
}

const ADD_TENS: [Add; 100] = table!(add_tens: 0 1 2 3 4 5 6 7 8 9);
const ADD_ONES: [Add; 100] = table!(add_ones: 0 1 2 3 4 5 6 7 8 9);

/// Gives each ten of the entities an archetype of their own, up to 10,000 archetypes.
///
/// 101 empty archetypes stay behind on the way there.
pub fn scatter(world: &mut World, entities: &[Entity]) {
    for (number, group) in entities.chunks(TOGETHER).enumerate() {
        for &entity in group {
            ADD_TENS[number / 100 % 100](world, entity);
            ADD_ONES[number % 100](world, entity);
        }
    }
}
