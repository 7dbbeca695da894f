//! Where a world and its reference differ.

use std::fmt;

use legion::Entity;

use crate::reference::links::Links;

/// Something that is not what it must be: the first of them, parents before their children.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The entity that has it.
    pub entity: Entity,
    /// The component's name.
    pub component: String,
    /// What it must be.
    pub expected: String,
    /// What it is.
    pub got: String,
    /// By how much it is off, and in what unit; empty where that has no meaning.
    pub off: String,
    /// The entity, its parent, and so on to the root.
    pub chain: Vec<Entity>,
}

impl Mismatch {
    pub(crate) fn new(
        entity: Entity,
        component: impl Into<String>,
        expected: String,
        got: String,
        links: &Links,
    ) -> Box<Self> {
        let (component, off, chain) = (component.into(), String::new(), links.up(entity).collect());
        Box::new(Self { entity, component, expected, got, off, chain })
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {:?} is not what its inputs say", self.component, self.entity)?;
        writeln!(f, "  expected: {}", self.expected)?;
        writeln!(f, "  got:      {}", self.got)?;
        if !self.off.is_empty() {
            writeln!(f, "  off by:   {}", self.off)?;
        }
        let chain: Vec<_> = self.chain.iter().map(|entity| format!("{entity:?}")).collect();
        write!(f, "  chain:    {} (root)", chain.join(" < "))
    }
}

impl std::error::Error for Mismatch {}
