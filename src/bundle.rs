//! The bundle: its options, and its steps in a schedule, with places for users' own systems.
//!
//! ```text
//!  engine.look         finds what systems wrote before this
//!  flush               commands of these systems
//!  engine.hierarchy    \
//!  users' systems       | only with before_composition
//!  flush               /
//!  engine.compose      \
//!  users' systems       | only with before_propagation
//!  flush               /
//!  engine.finish       all that is left; with large_worlds, frames before propagation
//! ```

mod registration;
mod switches;

use std::{fmt, rc::Rc};

use legion::{
    Entity, Resources, Schedule, World,
    storage::Component,
    systems::{Builder, ParallelRunnable, Step},
};

use registration::Registration;

use crate::{
    changes::TransformChanges,
    components::Inherited,
    edit::FailedEdits,
    engine::{Engine, Options},
    findings::Findings,
    stats::TransformStats,
    write_group::WriteGroups,
};

/// Adds a user's system to a schedule. A closure, because Legion's builder takes systems by their
/// own type only.
type AddSystem = Box<dyn FnOnce(&mut Builder)>;

/// The transform systems and their options.
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
///
/// let mut world = World::default();
/// let mut resources = Resources::default();
/// let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
///
/// let entity = world.push((LocalToWorld::identity(), Translation::new(1.0, 2.0, 3.0)));
/// schedule.execute(&mut world, &mut resources);
/// let entry = world.entry(entity).unwrap();
/// assert_eq!(entry.get_component::<LocalToWorld>().unwrap().position(), [1.0, 2.0, 3.0].into());
/// ```
///
/// One bundle serves any number of worlds. The systems run on the thread that executes the
/// schedule, and spread large work over rayon's threads (feature `parallel`).
///
/// The systems keep a state beside each world, until the world is dropped. All bundles that run on
/// it share this state: a schedule with a fixed step and a second one for each frame do no work
/// twice, and a new schedule costs nothing. They must have the same [write
/// groups](Self::write_group), [inherited](Self::inherit) components,
/// [`track_changes`](Self::track_changes), [`insert_missing`](Self::insert_missing) and
/// [`large_worlds`](Self::large_worlds).
///
/// A world may run with several `Resources` in turn. Each time that they change, findings are
/// reported again, and the list of changes
/// [begins anew](crate::changes::WorldChanges::begins_anew). If the bundles there have other
/// options of those above, everything in the world is looked at again. So it is where a new bundle
/// with other options takes a world over, after the schedules of all others were dropped: on a page
/// of settings, say.
///
/// # Panics
/// A run panics if a bundle with other ones of these options has run on the same world with the
/// same resources, and its schedule is not dropped. The message names the option.
///
/// If a run panics (in the `Drop` of a user's component, or in a user's event subscriber), the
/// state of that world is dropped, and the next run builds it anew.
#[derive(Default)]
pub struct TransformSystemBundle {
    options: Options,
    registrations: Vec<Registration>,
    before_composition: Vec<AddSystem>,
    before_propagation: Vec<AddSystem>,
    /// The entity to which the world is relative, of a bundle with `large_worlds`.
    origin: Option<fn(&Resources) -> Option<Entity>>,
    /// What follows each run, of a bundle with `smooth`.
    follower: Option<fn(&World, &mut Resources)>,
}

impl fmt::Debug for TransformSystemBundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransformSystemBundle")
            .field("write_groups", &self.options.write_groups)
            .field("insert_missing", &self.options.inserts_missing)
            .field("track_changes", &self.options.tracks_changes)
            .field("print_findings", &!self.options.hides_findings)
            .field("before_composition", &self.before_composition.len())
            .field("before_propagation", &self.before_propagation.len())
            .finish_non_exhaustive()
    }
}

impl TransformSystemBundle {
    /// Adds `Member`, your own component, to the write group of `Target`: the bundle no longer
    /// writes `Target` on entities that have `Member`. See [`WriteGroups`].
    ///
    /// `Target` is a component that the bundle derives ([`LocalToWorld`], [`LocalToParent`],
    /// [`WorldToLocal`], [`Rotation`], [`PostRotation`], [`CompositeRotation`], [`CompositeScale`],
    /// [`ParentScaleInverse`]), or one that takes part in deriving it, for example the `Member` of
    /// another registration.
    ///
    /// # Panics
    /// Not here, but when the bundle is built ([`build`](Self::build),
    /// [`add_transforms`](TransformBuilderExt::add_transforms)): if `Target` takes part in nothing
    /// that the bundle computes, or is `Member` itself. The two are easily swapped, and nothing
    /// would come of it.
    ///
    /// [`LocalToWorld`]: crate::components::LocalToWorld
    /// [`LocalToParent`]: crate::components::LocalToParent
    /// [`WorldToLocal`]: crate::components::WorldToLocal
    /// [`Rotation`]: crate::components::Rotation
    /// [`PostRotation`]: crate::components::PostRotation
    /// [`CompositeRotation`]: crate::components::CompositeRotation
    /// [`CompositeScale`]: crate::components::CompositeScale
    /// [`ParentScaleInverse`]: crate::components::ParentScaleInverse
    #[must_use]
    pub fn write_group<Target: Component, Member: Component>(mut self) -> Self {
        self.options.write_groups.register::<Target, Member>();
        self.registrations.push(Registration::new::<Target, Member>());
        self
    }

    /// The groups registered so far, for the [filters](WriteGroups::filter) of your own queries.
    #[must_use]
    pub fn write_groups(&self) -> &WriteGroups {
        &self.options.write_groups
    }

    /// Lets children inherit your own component, or [`Visible`](crate::components::Visible) and
    /// [`RenderLayers`](crate::components::RenderLayers): after each run all entities with
    /// `LocalToWorld` have the right [`Effective`](crate::components::Effective) value of it. See
    /// [`Inherited`], and the guide's page [*Inheriting*](crate::guide::inheriting).
    ///
    /// The values are up to date before the systems of
    /// [`before_composition`](Self::before_composition).
    #[must_use]
    pub fn inherit<P: Inherited>(mut self) -> Self {
        self.options.inherit::<P>();
        self
    }

    /// Adds a system that runs before local matrices are composed, with the hierarchy up to date:
    /// the place to write `Rotation`, `CompositeScale`, `ParentScaleInverse` and other local
    /// inputs. Several run in the order they were added.
    #[must_use]
    pub fn before_composition<S: ParallelRunnable + 'static>(mut self, system: S) -> Self {
        self.before_composition.push(Box::new(|builder| {
            builder.add_system(system);
        }));
        self
    }

    /// Adds a system that runs after local matrices are composed and before they are propagated
    /// down the hierarchy: the place to write an overridden `LocalToWorld` or `LocalToParent`,
    /// which descendants then follow in the same run; or a
    /// [`Frame`](crate::frames::Frame), which is computed after all of these systems and their
    /// commands, whatever the order in which they were added.
    ///
    /// ```
    /// use legion::{world::SubWorld, *};
    /// use legion_transform::prelude::*;
    /// use nalgebra::Matrix4;
    ///
    /// /// Children are put beside each other.
    /// struct Row;
    ///
    /// #[system]
    /// #[read_component(Row)]
    /// #[read_component(Children)]
    /// #[write_component(Translation)]
    /// fn arrange(world: &mut SubWorld<'_>) {
    ///     let (rows, mut items) = world.split::<(&Row, &Children)>();
    ///     for (_, children) in <(&Row, &Children)>::query().iter(&rows) {
    ///         for (i, child) in children.into_iter().enumerate() {
    ///             let mut translation = <&mut Translation>::query();
    ///             if let Ok(translation) = translation.get_mut(&mut items, *child) {
    ///                 translation.x = i as f32;
    ///             }
    ///         }
    ///     }
    /// }
    ///
    /// /// A matrix from a tracker, or from a physics engine.
    /// struct Tracked(Matrix4<f32>);
    ///
    /// #[system(for_each)]
    /// fn follow_tracker(tracked: &Tracked, matrix: &mut LocalToWorld) {
    ///     matrix.0 = tracked.0;
    /// }
    ///
    /// let (mut world, mut resources) = (World::default(), Resources::default());
    /// let bundle = TransformSystemBundle::default()
    ///     .write_group::<LocalToWorld, Tracked>()
    ///     .before_composition(arrange_system())
    ///     .before_propagation(follow_tracker_system());
    /// let mut schedule = Schedule::builder().add_transforms(bundle).build();
    ///
    /// let row = world.push_transform((Translation::new(0.0, 5.0, 0.0), Row));
    /// let items = world.extend_children(row, (0..3).map(|_| (Translation::identity(),)));
    /// let head: Matrix4<f32> = Matrix4::new_translation(&[0.0, 1.7, 0.0].into());
    /// let headset = world.push_transform((Tracked(head),));
    /// let lamp = world.push_child(headset, (Translation::new(0.0, 0.1, 0.0),));
    /// schedule.execute(&mut world, &mut resources);
    ///
    /// let at = |entity| LocalToWorld::of(&world, entity).unwrap().position();
    /// assert_eq!(at(items[2]), [2.0, 5.0, 0.0].into());
    /// assert!((at(lamp).y - 1.8).abs() < 1e-6);
    /// ```
    #[must_use]
    pub fn before_propagation<S: ParallelRunnable + 'static>(mut self, system: S) -> Self {
        self.before_propagation.push(Box::new(|builder| {
            builder.add_system(system);
        }));
        self
    }

    /// Says how the entity is found to which frames are relative.
    #[must_use]
    pub(crate) fn seen_from(self, origin: fn(&Resources) -> Option<Entity>) -> Self {
        Self { origin: Some(origin), ..self }
    }

    /// Has something follow each run, right behind it.
    #[must_use]
    pub(crate) fn followed_by(self, follower: fn(&World, &mut Resources)) -> Self {
        Self { follower: Some(follower), ..self }
    }

    /// Spreads large work over the threads of this pool instead of rayon's global one. A pool of n
    /// threads adds n - 1 workers: the thread that executes the schedule works, too. A pool of one
    /// thread adds none.
    #[cfg(feature = "parallel")]
    #[must_use]
    pub fn thread_pool(mut self, pool: std::sync::Arc<rayon::ThreadPool>) -> Self {
        self.options.machine.threads.pool = Some(pool);
        self
    }

    /// Lists in the resource [`TransformChanges`] which world matrices
    /// each run changed, and which entities are gone: for code that keeps copies of matrices.
    ///
    /// Costs nine bytes an entity and work in proportion to what changed: where all of 268,000
    /// bones move, up to 6 % of a run. Off by default, and free then.
    #[must_use]
    pub fn track_changes(mut self) -> Self {
        self.options.tracks_changes = true;
        self
    }

    /// Gives entities the components that they lack, in the same run: `LocalToWorld` to those with
    /// any transform input, `Parent` or `WorldToLocal` (with [`large_worlds`](Self::large_worlds)
    /// those with `Frame`, too) and to every entity that is named by a `Parent`, such as a group
    /// that has no transform of its own; and `LocalToParent` to those with `Parent`. They also get
    /// what makes an input count: `Rotation` for its Euler angles, `PostRotation` for its own,
    /// `CompositeRotation` for pivots of a rotation and `PostRotation`, `CompositeScale` for pivots
    /// of a scale and `Shear`; unless your own component writes the local matrix. Off by default,
    /// where such entities are [findings](crate::findings).
    ///
    /// An entity gets all that it lacks in one move to another archetype, `PreviousParent` and
    /// `Children` included. All entities of an archetype move together. Entities that are spawned
    /// [with all components](crate::spawn) need no move.
    #[must_use]
    pub fn insert_missing(mut self) -> Self {
        self.options.inserts_missing = true;
        self
    }

    /// Whether new [`Findings`] are printed at once: as events of `tracing`, where that feature is
    /// on and the program has set a subscriber; otherwise, in debug builds only, as lines of
    /// standard error. On by default. The resource has the findings either way.
    #[must_use]
    pub fn print_findings(mut self, prints: bool) -> Self {
        self.options.hides_findings = !prints;
        self
    }

    /// Inserts the resources that runs and flushes fill, empty, where they are not there yet:
    /// [`Findings`], [`TransformStats`], [`TransformChanges`] and [`FailedEdits`]. A system that
    /// names one of them, and runs before it is there, panics in Legion.
    ///
    /// The bundle's first step does the same, for systems behind it. Without
    /// [`track_changes`](Self::track_changes) the list of changes stays empty.
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
        insert_resources(resources);
    }

    /// The systems themselves, in order and with the flushes between them, to compose a schedule by
    /// hand (`Schedule::from` takes the steps).
    ///
    /// They begin with a look at what the steps before them wrote, and a flush of the commands that
    /// these recorded.
    ///
    /// # Panics
    /// If a [write group](Self::write_group) has no effect.
    #[must_use]
    pub fn build(self) -> Vec<Step> {
        let mut builder = Schedule::builder();
        self.add_to(&mut builder);
        builder.build().into_vec()
    }

    fn add_to(self, builder: &mut Builder) {
        self.registrations
            .iter()
            .for_each(|registration| registration.check(&self.options.write_groups));
        let engine = Rc::new(Engine::new(self.options));
        // Before the flush: an insertion hides the writes before it.
        let look = engine.clone();
        builder.add_thread_local_fn(move |world, resources| {
            if look.look(world, resources) {
                insert_resources(resources);
            }
        });
        builder.flush();
        if !self.before_composition.is_empty() {
            let hierarchy = engine.clone();
            builder.add_thread_local_fn(move |world, resources| {
                hierarchy.hierarchy(world, resources);
            });
            self.before_composition.into_iter().for_each(|add| add(builder));
            builder.flush();
        }
        if !self.before_propagation.is_empty() {
            let compose = engine.clone();
            builder.add_thread_local_fn(move |world, resources| compose.compose(world, resources));
            self.before_propagation.into_iter().for_each(|add| add(builder));
            builder.flush();
        }
        builder.add_thread_local_fn(move |world, resources| {
            let origin = self.origin.and_then(|origin| origin(resources));
            engine.finish(world, resources, origin);
            if let Some(follower) = self.follower {
                follower(world, resources);
            }
        });
    }
}

/// Inserts the resources that are not there.
fn insert_resources(resources: &mut Resources) {
    resources.get_mut_or_default::<Findings>();
    resources.get_mut_or_default::<TransformStats>();
    resources.get_mut_or_default::<TransformChanges>();
    resources.get_mut_or_default::<FailedEdits>();
}

/// `add_transforms` for Legion's schedule builder alone.
pub trait TransformBuilderExt: sealed::Sealed {
    /// Adds the bundle's systems, between two flushes: the bundle sees the commands of the systems
    /// before it, and the systems after it see all of its results. (A flush is a barrier, too:
    /// without one, Legion's scheduler may let readers of `LocalToWorld` run beside its writers.)
    ///
    /// # Panics
    /// If a [write group](TransformSystemBundle::write_group) has no effect.
    fn add_transforms(&mut self, bundle: TransformSystemBundle) -> &mut Self;
}

/// Others cannot implement [`TransformBuilderExt`], so that methods may join it.
mod sealed {
    pub trait Sealed {}

    impl Sealed for super::Builder {}
}

impl TransformBuilderExt for Builder {
    fn add_transforms(&mut self, bundle: TransformSystemBundle) -> &mut Self {
        bundle.add_to(self);
        self.flush()
    }
}
