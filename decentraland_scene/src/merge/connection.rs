//! The other end of a connection.

use std::{
    fmt,
    sync::atomic::{AtomicU32, Ordering},
};

use super::{
    corrections::Credit,
    log::{ChangeCursor, Source},
    role::{Role, Sender},
};
use crate::wire::{Reader, SceneEntity};

/// Who is obeyed on the connection between a scene and its own renderer: who sends
/// `AUTHORITATIVE_PUT_COMPONENT` (type 8), and the other takes the value and its timestamp,
/// whatever it has. Between servers and clients there is no such message: a server corrects by
/// packets of the kind `CRDT_AUTHORITATIVE`
/// ([`receive_corrections`](super::Replica::receive_corrections)).
///
/// ```text
///  server --- CRDT_AUTHORITATIVE ---> scene --- Ours ... Theirs --- renderer
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Authority {
    /// Neither end. Authoritative messages that come are faults, as ones of an unknown type.
    #[default]
    None,
    /// We are: what was written with authority goes out with authority.
    Ours,
    /// The other end is.
    Theirs,
}

/// The names of entities in messages to the other end, where components
/// [tie](super#networks) plain entities to those of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Names {
    /// Each component in the form in which it came, so that both ends have the same state. The
    /// default for a [host](Role::Host) and a [scene](Role::Scene).
    AsTheyCame,
    /// Plain ones, for a renderer, which knows no networks. An entity of a network goes by the
    /// plain one that stands for it, with that one's parent; without one it does not go at all.
    Plain,
    /// Those of networks, for other programs of the SDK. A plain entity that stands for one of a
    /// network goes by that one's, from its first component on, but for appended values. The
    /// default for a [peer](Role::Peer).
    ///
    /// Entities that are tied to nothing go by their plain names. The SDK leaves them out. To do
    /// the same, read the delta with a [`Reader`] and keep the messages of networks.
    Networked,
}

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
    pub(super) credit: Credit,
    pub(super) cursor: ChangeCursor,
    /// Players that left and came back; the other end heard only that they left.
    pub(super) back: Vec<SceneEntity>,
    authority: Authority,
    names: Names,
}

impl Connection {
    /// A new connection: nothing was received, and the first [delta](super::Replica::delta) is the
    /// whole state.
    #[must_use]
    pub fn new(role: Role) -> Self {
        Self::with_reader(role, Reader::default())
    }

    /// A new connection with your own reader, and its limit.
    #[must_use]
    pub fn with_reader(role: Role, reader: Reader) -> Self {
        // 0 is this replica itself.
        static LAST: AtomicU32 = AtomicU32::new(0);
        let source = LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1).max(1);
        let names = if role == Role::Peer { Names::Networked } else { Names::AsTheyCame };
        let (credit, cursor, back, authority) = Default::default();
        Self { role, source, reader, credit, cursor, back, authority, names }
    }

    /// Sets who is obeyed: by default neither end.
    #[must_use]
    pub fn with_authority(self, authority: Authority) -> Self {
        Self { authority, ..self }
    }

    /// Sets the names that the other end knows, where they are not the default for the
    /// [role](Names).
    #[must_use]
    pub fn with_names(self, names: Names) -> Self {
        Self { names, ..self }
    }

    /// Who is obeyed.
    #[must_use]
    pub fn authority(&self) -> Authority {
        self.authority
    }

    /// The names that the other end knows.
    #[must_use]
    pub fn names(&self) -> Names {
        self.names
    }

    /// Who the other end is.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// Whether the last delta left something for the next one: players who left and are back.
    /// Before you close a connection, send that one, too.
    #[must_use]
    pub fn has_more(&self) -> bool {
        !self.back.is_empty()
    }

    /// How many bytes were received that are no whole message yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.reader.pending()
    }

    /// The next [delta](super::Replica::delta) is the whole state, except what the other end sent
    /// last itself. Call it when something may have been lost; and on a new connection, if the
    /// other end is not new but is back: it may know players who left meanwhile.
    pub fn resync(&mut self) {
        self.cursor = ChangeCursor::REWOUND;
    }

    /// The next delta begins from now on: the other end has the state already, from a
    /// [dump](super::Replica::dump).
    pub fn skip(&mut self, replica: &mut super::Replica) {
        self.cursor = replica.now();
        self.back.clear();
    }

    /// Who sends what comes.
    pub(super) fn sender(&self) -> Sender {
        let is_obeyed = self.authority == Authority::Theirs;
        Sender { role: self.role, is_obeyed, has_authority: false }
    }

    /// Whether it has sent nothing yet, nor skipped anything.
    pub(super) fn is_new(&self) -> bool {
        self.cursor.is_new()
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
