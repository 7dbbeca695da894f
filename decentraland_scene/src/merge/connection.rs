//! The other end of a connection.

use std::{
    fmt,
    sync::atomic::{AtomicU32, Ordering},
};

use super::{
    log::{ChangeCursor, Source},
    role::Role,
};
use crate::wire::{Message, Reader, SceneEntity};

/// Whether a message goes to the other end.
type Filter = Box<dyn Fn(&Message<'_>) -> bool + Send + Sync>;

/// The other end of a connection: who it is, how far its stream was read, and how far it knows our
/// state. A replica has one for each program that it talks to.
///
/// ```
/// use decentraland_scene::{merge::*, wire::*};
///
/// let mut options = ReplicaOptions::default();
/// options.role = Role::Host;
/// let mut host = Replica::new(options);
/// let mut scene = Replica::default();
/// let (mut to_scene, mut to_host) = (Connection::new(Role::Scene), Connection::new(Role::Host));
///
/// host.put_transform(SceneEntity::PLAYER, &SceneTransform::IDENTITY)?;
/// scene.put_transform(SceneEntity::local(EntityId(512)), &SceneTransform::IDENTITY)?;
/// for _ in 0..2 {
///     let (from_host, from_scene) = (host.delta(&mut to_scene), scene.delta(&mut to_host));
///     scene.receive(&mut to_host, &from_host, &mut MergeReport::default())?;
///     host.receive(&mut to_scene, &from_scene, &mut MergeReport::default())?;
/// }
/// assert_eq!(scene.dump(), host.dump());
/// // Neither gets back what it sent.
/// assert!(host.delta(&mut to_scene).is_empty() && scene.delta(&mut to_host).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Connection {
    role: Role,
    pub(super) source: Source,
    pub(super) reader: Reader,
    pub(super) cursor: ChangeCursor,
    /// Players that left and came back; the other end heard only that they left.
    pub(super) back: Vec<SceneEntity>,
    filter: Option<Filter>,
}

impl Connection {
    /// A new connection: nothing was received, and the first [delta](super::Replica::delta) is the
    /// whole state.
    #[must_use]
    pub fn new(role: Role) -> Self {
        Self::with_reader(role, Reader::default())
    }

    /// A new connection with a reader of yours, and its limit.
    #[must_use]
    pub fn with_reader(role: Role, reader: Reader) -> Self {
        // 0 is this replica itself.
        static LAST: AtomicU32 = AtomicU32::new(0);
        let source = LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1).max(1);
        let (cursor, back) = (ChangeCursor::default(), Vec::new());
        Self { role, source, reader, cursor, back, filter: None }
    }

    /// Sends only messages for which `filter` returns true. What it refuses is not sent later by
    /// itself: it may be in the next delta after another change, or after [`resync`](Self::resync).
    #[must_use]
    pub fn with_filter(
        self,
        filter: impl Fn(&Message<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { filter: Some(Box::new(filter)), ..self }
    }

    /// Who the other end is.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// How many bytes were received that are no whole message yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.reader.pending()
    }

    /// The next [delta](super::Replica::delta) is the whole state, except what the other end sent
    /// last itself. Call it when something may have been lost, or when the filter lets more
    /// through; on a new connection, if the other end is not new: it may know players who left.
    pub fn resync(&mut self) {
        self.cursor = ChangeCursor::REWOUND;
    }

    /// The next delta begins from now on: the other end has the state already, from a
    /// [dump](super::Replica::dump).
    pub fn skip(&mut self, replica: &mut super::Replica) {
        self.cursor = replica.now();
        self.back.clear();
    }

    /// Whether it has sent nothing yet, nor skipped anything.
    pub(super) fn is_new(&self) -> bool {
        self.cursor.is_new()
    }

    pub(super) fn wants(&self, message: &Message<'_>) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter(message))
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, reader, cursor, .. } = self;
        let mut debug = f.debug_struct("Connection");
        debug.field("role", role).field("reader", reader).field("cursor", cursor);
        debug.finish_non_exhaustive()
    }
}
