//! Edits recorded in a command buffer.

use std::{collections::VecDeque, fmt};

use legion::{Entity, Resources, World, systems::CommandBuffer};
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};

use super::{EditError, Edits};
use crate::{
    bundle::TransformSystemBundle, changes::TransformChanges, findings::Findings,
    query::QueryError, stats::TransformStats, transform::Transform,
};

/// Records edits that are evaluated at the flush, with the world as it is then. Made by
/// [`Edits::commands`].
///
/// An edit that fails at the flush (an entity may have died meanwhile) changes nothing, is put into
/// the resource [`FailedEdits`], and is [printed](Edits::print_failed).
///
/// ```
/// use legion::{systems::CommandBuffer, *};
/// use legion_transform::{edit::{EditError, FailedEdits}, prelude::*};
///
/// let (mut world, mut resources) = (World::default(), Resources::default());
/// let a = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
/// let b = world.push((LocalToWorld::identity(), Translation::new(2.0, 0.0, 0.0)));
///
/// let mut commands = CommandBuffer::new(&world); // in a system, the one it is given
/// Edits::default().commands(&mut commands).set_parent(a, b).set_parent(b, a);
/// commands.flush(&mut world, &mut resources);
///
/// assert_eq!(Walk::new(&world)?.parent(a), Some(b));
/// let failed = resources.get_mut::<FailedEdits>().unwrap().drain().collect::<Vec<_>>();
/// assert_eq!(failed, [EditError::Cycle { child: b, parent: a }]);
/// # Ok::<(), legion_transform::query::QueryError>(())
/// ```
pub struct EditCommands<'a> {
    edits: Edits,
    buffer: &'a mut CommandBuffer,
}

impl fmt::Debug for EditCommands<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditCommands").field("edits", &self.edits).finish_non_exhaustive()
    }
}

/// Methods that record the edit of the same name; what stands behind the brackets is converted.
macro_rules! recorded {
    ($($name:ident($($arg:ident: $type:ty),*) $($pose:ident: $into:ty)?;)*) => {$(
        #[doc = concat!("[`Edits::", stringify!($name), "`] at the flush.")]
        pub fn $name(&mut self, $($arg: $type,)* $($pose: impl Into<$into>)?) -> &mut Self {
            $(let $pose: $into = $pose.into();)?
            self.record(stringify!($name), move |edits, world| {
                edits.$name(world, $($arg,)* $($pose)?)
            })
        }
    )*};
}

impl<'a> EditCommands<'a> {
    pub(super) fn new(edits: Edits, buffer: &'a mut CommandBuffer) -> Self {
        Self { edits, buffer }
    }

    fn record<R>(
        &mut self,
        name: &'static str,
        edit: impl Fn(&Edits, &mut World) -> Result<R, EditError> + Send + Sync + 'static,
    ) -> &mut Self {
        let edits = self.edits.clone();
        self.buffer.exec_mut(move |world: &mut World, resources: &mut Resources| {
            if let Err(error) = edit(&edits, world) {
                let mut failed = resources.get_mut_or_default::<FailedEdits>();
                failed.push(name, error, edits.prints_failed);
            }
        });
        self
    }

    recorded! {
        set_parent(child: Entity, parent: Entity);
        insert_child(parent: Entity, index: usize, child: Entity);
        remove_parent(child: Entity);
        detach_children(entity: Entity);
        give_up_waiting();
        set_world(entity: Entity) pose: Matrix4<f32>;
        translate(entity: Entity, by: Vector3<f32>);
        rotate(entity: Entity) rotation: UnitQuaternion<f32>;
        rotate_around(entity: Entity, point: Point3<f32>) rotation: UnitQuaternion<f32>;
        look_at(entity: Entity, target: Point3<f32>, up: Vector3<f32>);
        set_local(entity: Entity, transform: Transform);
    }

    /// [`Edits::despawn_subtrees`] at the flush. An entity that is dead by then is no failure.
    pub fn despawn_subtrees(&mut self, entities: impl IntoIterator<Item = Entity>) -> &mut Self {
        let entities: Vec<Entity> = entities.into_iter().collect();
        self.record("despawn_subtrees", move |edits, world| {
            edits.despawn_subtrees(world, entities.iter().copied());
            Ok(())
        })
    }

    /// [`Edits::despawn_subtree`] at the flush.
    pub fn despawn_subtree(&mut self, entity: Entity) -> &mut Self {
        self.despawn_subtrees([entity])
    }
}

impl TransformSystemBundle {
    /// Inserts the resources that runs and flushes fill, empty, where they are not there yet:
    /// [`Findings`], [`TransformStats`], [`TransformChanges`] and [`FailedEdits`]. A system that
    /// names one of them and runs before it is filled panics in Legion otherwise.
    ///
    /// Without [`track_changes`](Self::track_changes) the list of changes stays empty.
    ///
    /// ```
    /// use legion::*;
    /// use legion_transform::{edit::FailedEdits, prelude::*};
    ///
    /// #[system]
    /// fn report(#[resource] failed: &mut FailedEdits) {
    ///     failed.drain().for_each(|error| println!("{error}"));
    /// }
    ///
    /// let (mut world, mut resources) = (World::default(), Resources::default());
    /// let bundle = TransformSystemBundle::default();
    /// bundle.insert_resources(&mut resources);
    /// let mut schedule =
    ///     Schedule::builder().add_system(report_system()).add_transforms(bundle).build();
    /// schedule.execute(&mut world, &mut resources);
    /// ```
    pub fn insert_resources(&self, resources: &mut Resources) {
        resources.get_mut_or_default::<Findings>();
        resources.get_mut_or_default::<TransformStats>();
        resources.get_mut_or_default::<TransformChanges>();
        resources.get_mut_or_default::<FailedEdits>();
    }
}

/// The edits that failed at a flush: a resource, put there by the first of them, or by
/// [`insert_resources`](TransformSystemBundle::insert_resources).
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
        #[cfg(feature = "tracing")]
        let is_wanted = tracing::enabled!(target: "legion_transform", tracing::Level::WARN);
        #[cfg(not(feature = "tracing"))]
        let is_wanted = cfg!(debug_assertions);
        let is_dead = matches!(error, EditError::Query(QueryError::Dead(_)));
        if !is_wanted || (is_dead && self.has_told_dead) || self.errors.contains(error) {
            return;
        }
        self.has_told_dead |= is_dead;
        let more = if is_dead { " (later ones are only in FailedEdits)" } else { "" };
        #[cfg(feature = "tracing")]
        tracing::warn!(target: "legion_transform", "the edit {name} failed: {error}{more}");
        #[cfg(not(feature = "tracing"))]
        eprintln!("legion_transform: the edit {name} failed: {error}{more}");
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
