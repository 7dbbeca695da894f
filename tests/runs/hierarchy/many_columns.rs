//! Components of 144 types, one set for all tests: each type compiles its own storage of Legion's.

use legion::world::Entry;

struct Column<const A: usize, const B: usize>;

fn add<const A: usize, const B: usize>(entry: &mut Entry<'_>) {
    entry.add_component(Column::<A, B>);
}

macro_rules! many_columns {
    ($($number:literal)*) => {
        fn twelve<const A: usize>() -> [fn(&mut Entry<'_>); 12] {
            [$(add::<A, $number>),*]
        }

        /// Adds components of this number of types, 144 at most.
        pub fn add_columns(entry: &mut Entry<'_>, count: usize) {
            let all = [$(twelve::<$number>()),*];
            assert!(count <= all.as_flattened().len());
            all.as_flattened()[..count].iter().for_each(|add| add(entry));
        }
    };
}
many_columns!(0 1 2 3 4 5 6 7 8 9 10 11);
