//! Edits made at once, and edits recorded in a command buffer.

use std::{collections::VecDeque, error::Error};

use legion::{Resources, World, systems::CommandBuffer};

use super::{
    EditError,
    options::Edits,
    verbs::{Edit, EditTransforms, Outcome},
};
use crate::{findings::warn, query::QueryError};

/// At once.
impl EditTransforms for World {
    type Answer<T> = T;

    #[inline]
    fn edit<A, R>(&mut self, edits: &Edits, _: &'static str, with: A, edit: Edit<A, R>) -> R {
        edit(&edits.options, self, with)
    }
}

/// At the flush, where failures are put into [`FailedEdits`].
impl EditTransforms for CommandBuffer {
    type Answer<T> = ();

    fn edit<A: Clone + Send + Sync + 'static, R: Outcome + 'static>(
        &mut self,
        edits: &Edits,
        name: &'static str,
        arguments: A,
        edit: Edit<A, R>,
    ) {
        let options = edits.options.clone();
        self.exec_mut(move |world: &mut World, resources: &mut Resources| {
            for error in edit(&options, world, arguments.clone()).failures() {
                let mut failed = resources.get_mut_or_default::<FailedEdits>();
                failed.push(name, error, options.prints_failed);
            }
        });
    }
}

/// The edits that failed at a flush: a resource, put there by the first of them, or by
/// [`insert_resources`](crate::TransformSystemBundle::insert_resources).
///
/// Only the last 1,024 are kept, so that errors that are never read do not fill the memory.
#[derive(Clone, Debug, Default)]
pub struct FailedEdits {
    errors: VecDeque<EditError>,
    /// Whether it was printed that an entity is dead.
    has_told_dead: bool,
}

impl FailedEdits {
    const KEPT: usize = 1_024;

    fn push(&mut self, name: &'static str, error: EditError, prints: bool) {
        if prints {
            self.print_new(name, &error);
        }
        if self.errors.len() == Self::KEPT {
            self.errors.pop_front();
        }
        self.errors.push_back(error);
    }

    /// Prints an error, unless the same one is kept already: an edit that fails in each frame is
    /// printed once. So is that an entity has died before the flush, which is ordinary in games.
    fn print_new(&mut self, name: &str, error: &EditError) {
        let is_dead = matches!(error, EditError::Query(QueryError::Dead(_)));
        if !warn::are_wanted() || (is_dead && self.has_told_dead) || self.errors.contains(error) {
            return;
        }
        self.has_told_dead |= is_dead;
        let more = if is_dead { " (later ones are only in FailedEdits)" } else { "" };
        let why = error.source().map(|why| format!(" ({why})")).unwrap_or_default();
        warn::warn(format_args!("the edit {name} failed: {error}{why}{more}"));
    }

    /// The errors since the last drain, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &EditError> {
        self.errors.iter()
    }

    /// Takes the errors out, the oldest first.
    pub fn drain(&mut self) -> impl Iterator<Item = EditError> + '_ {
        self.errors.drain(..)
    }
}
