//! Entities and edits as Rust that can be pasted, and what that Rust does.

use std::fmt;

use legion::{Entity, World};
use legion_transform::prelude::*;

use crate::{
    kind::{Kind, Numbers, Numeric},
    world::{
        source::{number, source},
        value::Value,
    },
};

/// An entity, by the order in which it was spawned: `a`, `b`, ..., `z`, `e26`, ...
pub(crate) type Name = usize;

fn letter(name: Name) -> String {
    match u8::try_from(name).ok().filter(|name| *name < 26) {
        Some(name) => char::from(b'a' + name).into(),
        None => format!("e{name}"),
    }
}

/// The components that stand in the tuple of a spawned entity. All others come one by one.
fn stands_in_tuple(kind: Kind) -> bool {
    matches!(kind, Kind::Translation | Kind::Rotation | Kind::Scale | Kind::NonUniformScale)
}

/// Pushes a tuple of what is there: a row of its own for each subset.
macro_rules! push {
    ($world:expr, ($($there:expr),*), $option:expr $(, $more:expr)*) => {
        match $option {
            Some(component) => push!($world, ($($there,)* component) $(, $more)*),
            None => push!($world, ($($there),*) $(, $more)*),
        }
    };
    ($world:expr, ($($there:expr),*)) => {
        $world.push(($($there,)*))
    };
}

/// Spawns as [`Program::spawn`] says.
pub(crate) fn spawn(
    world: &mut World,
    components: &[(Kind, Numbers)],
    parent: Option<Entity>,
) -> Entity {
    let numbers = |kind| components.iter().find(|(of, _)| *of == kind).map(|(_, numbers)| numbers);
    let place = numbers(Kind::Translation).map(Translation::from_numbers);
    let turn = numbers(Kind::Rotation).map(Rotation::from_numbers);
    let scale = numbers(Kind::Scale).map(Scale::from_numbers);
    let scales = numbers(Kind::NonUniformScale).map(NonUniformScale::from_numbers);
    let it = LocalToWorld::identity();
    let entity = match parent {
        None => push!(world, (it), place, turn, scale, scales),
        Some(parent) => {
            let local = LocalToParent::identity();
            push!(world, (it, local, Parent(parent)), place, turn, scale, scales)
        }
    };
    for (kind, numbers) in components.iter().filter(|(kind, _)| !stands_in_tuple(*kind)) {
        kind.add(&mut world.entry(entity).expect("just spawned"), numbers);
    }
    entity
}

/// Many entities that come at once: scaled roots, or children of one entity, a metre from one to
/// the next. Without `Translation` or `Scale` where these are not edited.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// The number of the first one.
    pub first: Name,
    /// How many.
    pub count: usize,
    /// The entity that they hang off.
    pub parent: Option<Name>,
    /// Where the first one is, unless they have no `Translation`.
    pub place: Option<Numbers>,
    /// The scale of each, if they are roots and have one.
    pub scale: Option<f32>,
}

impl Rows {
    /// Extends as [`Program::extend`] says.
    pub(crate) fn extend(&self, world: &mut World, parent: Option<Entity>) -> Vec<Entity> {
        /// Extends with these components and `Translation`, if there is a place.
        macro_rules! extend {
            ($($components:expr),*) => {
                match self.place {
                    Some([x, y, z, ..]) => {
                        let at = |i: usize| Translation::new(x + i as f32, y, z);
                        world.extend((0..self.count).map(|i| ($($components,)* at(i)))).to_vec()
                    }
                    None => world.extend((0..self.count).map(|_| ($($components,)*))).to_vec(),
                }
            };
        }
        let (it, local) = (LocalToWorld::identity(), LocalToParent::identity());
        match (parent, self.scale) {
            (Some(parent), _) => extend!(it, local, Parent(parent)),
            (None, Some(scale)) => extend!(it, Scale(scale)),
            (None, None) => extend!(it),
        }
    }
}

/// Lines of Rust.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    lines: Vec<String>,
    /// The first name and the count of entities that came at once.
    extents: Vec<(Name, usize)>,
}

impl Program {
    /// What an entity is called: `c`, or `c[7]` if it came with others.
    pub(crate) fn letter(&self, name: Name) -> String {
        let extent =
            self.extents.iter().find(|(first, count)| (*first..first + count).contains(&name));
        match extent {
            Some((first, _)) => format!("{}[{}]", letter(*first), name - first),
            None => letter(name),
        }
    }

    /// `world`: what the program calls the world in which they come.
    pub(crate) fn extend(&mut self, world: &str, rows: &Rows) {
        let Rows { first, count, parent, place, scale } = *rows;
        let mut row = vec!["LocalToWorld::identity()".to_owned()];
        match (parent.map(|parent| self.letter(parent)), scale) {
            (Some(parent), _) => row.push(format!("LocalToParent::identity(), Parent({parent})")),
            (None, Some(scale)) => row.push(format!("Scale({})", number(scale))),
            (None, None) => {}
        }
        if let Some([x, y, z, ..]) = place {
            let [x, y, z] = [x, y, z].map(number);
            row.push(format!("Translation::new({x} + nth as f32, {y}, {z})"));
        }
        let (nth, comma) =
            (if place.is_some() { "nth" } else { "_" }, if row.len() == 1 { "," } else { "" });
        let row = row.join(", ");
        let name = letter(first);
        self.line(format!(
            "let {name} = {world}.extend((0..{count}).map(|{nth}| ({row}{comma}))).to_vec();"
        ));
        self.extents.push((first, count));
    }

    /// Rows with these components, too, out of another world.
    pub(crate) fn merge(&mut self, rows: &Rows, components: &[Value]) {
        self.line("let mut other = World::default();");
        self.extend("other", rows);
        let name = letter(rows.first);
        for component in components {
            let add = format!("other.entry(*it).unwrap().add_component({component:?})");
            self.line(format!("{name}.iter().for_each(|it| {add});"));
        }
        self.line("world.move_from(&mut other, &any());");
    }

    pub(crate) fn spawn(
        &mut self,
        name: Name,
        components: &[(Kind, Numbers)],
        parent: Option<Name>,
    ) {
        let mut tuple = vec!["LocalToWorld::identity()".to_owned()];
        if let Some(parent) = parent {
            tuple.push("LocalToParent::identity()".into());
            tuple.push(format!("Parent({})", self.letter(parent)));
        }
        for kind in [Kind::Translation, Kind::Rotation, Kind::Scale, Kind::NonUniformScale] {
            let numbers = components.iter().find(|(of, _)| *of == kind);
            tuple.extend(numbers.map(|(kind, numbers)| source(*kind, numbers)));
        }
        let comma = if tuple.len() == 1 { "," } else { "" };
        self.line(format!("let {} = world.push(({}{comma}));", letter(name), tuple.join(", ")));
        for (kind, numbers) in components.iter().filter(|(kind, _)| !stands_in_tuple(*kind)) {
            self.add(name, &source(*kind, numbers));
        }
    }

    pub(crate) fn add(&mut self, name: Name, component: &str) {
        let name = self.letter(name);
        self.line(format!("world.entry({name}).unwrap().add_component({component});"));
    }

    /// Where an entity has it; `it` is what is there.
    pub(crate) fn write(&mut self, name: Name, component: &str, value: &str) {
        let name = self.letter(name);
        self.line(format!(
            "world.entry({name}).unwrap().get_component_mut::<{component}>()\
             .map(|it| *it = {value}).ok();"
        ));
    }

    pub(crate) fn remove(&mut self, name: Name, component: &str) {
        let name = self.letter(name);
        self.line(format!("world.entry({name}).unwrap().remove_component::<{component}>();"));
    }

    pub(crate) fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
