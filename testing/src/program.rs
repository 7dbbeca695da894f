//! Entities and edits as Rust that can be pasted, and what that Rust does.

use std::{fmt, sync::Arc};

use legion::{Entity, World, storage::Component, world::Entry};
use legion_transform::prelude::*;

use crate::kind::{Kind, Numbers, Numeric, Shape};

/// A component with its value.
#[derive(Clone)]
pub enum Value {
    /// One of `legion_transform`'s.
    Numbers(Kind, Numbers),
    /// One of yours.
    Own(Arc<dyn OwnValue>),
}

/// A component of yours with its value. Every component that is `Clone` and `Debug` is one.
pub trait OwnValue: fmt::Debug + Send + Sync {
    /// Adds it, or overwrites it.
    fn add_to(&self, entry: &mut Entry<'_>);
    /// Takes it away.
    fn remove_from(&self, entry: &mut Entry<'_>);
    /// The type's name.
    fn type_name(&self) -> &'static str;
}

impl<T: Component + Clone + fmt::Debug> OwnValue for T {
    fn add_to(&self, entry: &mut Entry<'_>) {
        entry.add_component(self.clone());
    }
    fn remove_from(&self, entry: &mut Entry<'_>) {
        entry.remove_component::<T>();
    }
    fn type_name(&self) -> &'static str {
        std::any::type_name::<T>().rsplit("::").next().expect("a name")
    }
}

impl Value {
    /// Adds the component, or overwrites it.
    pub(crate) fn add(&self, entry: &mut Entry<'_>) {
        match self {
            Self::Numbers(kind, numbers) => kind.add(entry, numbers),
            // Of the value, and not of the `Arc`, which is a component, too.
            Self::Own(own) => (**own).add_to(entry),
        }
    }

    pub(crate) fn remove(&self, entry: &mut Entry<'_>) {
        match self {
            Self::Numbers(kind, _) => kind.remove(entry),
            Self::Own(own) => (**own).remove_from(entry),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Numbers(kind, _) => kind.name(),
            Self::Own(own) => (**own).type_name(),
        }
    }
}

/// The Rust that makes the component.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numbers(kind, numbers) => f.write_str(&source(*kind, numbers)),
            Self::Own(own) => own.fmt(f),
        }
    }
}

fn number(number: f32) -> String {
    match number {
        _ if number.is_nan() => "f32::NAN".into(),
        f32::INFINITY => "f32::INFINITY".into(),
        f32::NEG_INFINITY => "f32::NEG_INFINITY".into(),
        _ => format!("{number:?}"),
    }
}

/// The Rust that makes a component of these numbers.
pub(crate) fn source(kind: Kind, numbers: &Numbers) -> String {
    let list = |numbers: &[f32]| numbers.iter().map(|n| number(*n)).collect::<Vec<_>>().join(", ");
    let name = kind.name();
    match kind.shape() {
        Shape::Matrix | Shape::Quaternion if *numbers == kind.identity() => {
            format!("{name}::identity()")
        }
        Shape::Vector => format!("{name}::new({})", list(&numbers[..3])),
        Shape::Scalar => format!("{name}({})", list(&numbers[..1])),
        Shape::Quaternion => {
            let [x, y, z, w] = [numbers[0], numbers[1], numbers[2], numbers[3]];
            let quaternion = list(&[w, x, y, z]);
            format!("{name}(UnitQuaternion::new_unchecked(Quaternion::new({quaternion})))")
        }
        Shape::Matrix => {
            let rows: [f32; 16] = std::array::from_fn(|i| numbers[i % 4 * 4 + i / 4]);
            format!("{name}(Matrix4::new({}))", list(&rows))
        }
        Shape::Parts => {
            let Inherits { translation, rotation, scale } = Inherits::from_numbers(numbers);
            format!(
                "Inherits {{ translation: {translation}, rotation: {rotation}, scale: {scale} }}"
            )
        }
    }
}

/// An entity, by the order in which it was spawned: `a`, `b`, ..., `z`, `e26`, ...
pub(crate) type Name = usize;

pub(crate) fn letter(name: Name) -> String {
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

/// Lines of Rust.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    lines: Vec<String>,
}

impl Program {
    pub(crate) fn spawn(
        &mut self,
        name: Name,
        components: &[(Kind, Numbers)],
        parent: Option<Name>,
    ) {
        let mut tuple = vec!["LocalToWorld::identity()".to_owned()];
        if let Some(parent) = parent {
            tuple.push("LocalToParent::identity()".into());
            tuple.push(format!("Parent({})", letter(parent)));
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
        self.line(format!("world.entry({}).unwrap().add_component({component});", letter(name)));
    }

    pub(crate) fn remove(&mut self, name: Name, component: &str) {
        let name = letter(name);
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
