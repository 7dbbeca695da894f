//! What another end does not know yet, as messages.

use super::{
    connection::{Authority, Connection, Names},
    dump::{Item, Part, Store, Unread},
    encoded::Common,
    log::Source,
    replica::Replica,
};
use crate::wire::{Message, SceneTransform, TRANSFORM};

impl Replica {
    /// What the other end does not know yet, in the form and order of a [dump](Self::dump): writes
    /// of our own, and messages of others. The first delta of a connection is the whole state,
    /// without players that left. It
    /// takes for granted that the deltas arrive; if one may be lost, [resync](Connection::resync)
    /// now and then.
    ///
    /// Left out are what the other end sent last itself and, unless this replica is a
    /// [host](super::Role::Host), what only a host writes of reserved entities: others ignore it
    /// unless a host sends it. A host's delta has the deletions of players first, and a
    /// scene gets back what it wrote for players: it may have lost that to a deletion. A player who
    /// left and came back since the last delta leaves in this one and is back in the next one:
    /// scenes of the SDK carry out the deletions of a batch at its end. Until then
    /// [`Connection::has_more`] is true.
    ///
    /// Connections that know the same, such as 100 clients in one tick, cost
    /// little more than a copy each. Call this for all of them before the replica changes again.
    #[must_use]
    pub fn delta(&mut self, connection: &mut Connection) -> Vec<u8> {
        if let Some(common) = self.common(connection) {
            if self.encoded.common == Some(common) {
                self.encode_once(connection);
                connection.cursor = self.now();
                return self.encoded.without(connection.source);
            }
            self.encoded.begin(common);
        }
        let unread = self.unread(connection, Some(connection.source));
        // Most are `Transform`s of no network.
        let mut out = Vec::with_capacity(unread.items.len() * (24 + SceneTransform::LEN));
        self.write_unread(unread, connection, |message| message.encode(&mut out));
        out
    }

    pub(super) fn write_delta(
        &mut self,
        connection: &mut Connection,
        send: impl FnMut(&Message<'_>),
    ) {
        let unread = self.unread(connection, Some(connection.source));
        self.write_unread(unread, connection, send);
    }

    fn write_unread(
        &mut self,
        Unread { items, back }: Unread,
        connection: &mut Connection,
        mut send: impl FnMut(&Message<'_>),
    ) {
        let since = self.obeys_since(connection);
        let mut send = |message: &Message<'_>| self.send_to(since, message, &mut send);
        if self.renames(connection) {
            self.write_renamed(&items, connection, &mut send);
        } else {
            self.write_items(&items, |message, _| send(message));
        }
        (connection.cursor, connection.back) = (self.now(), back);
    }

    /// Writes items, each with where it came from.
    fn write_items(&self, items: &[Item], mut send: impl FnMut(&Message<'_>, Source)) {
        // Items of one component lie together, by epoch.
        for group in items.chunk_by(|a, b| (a.entity, a.component()) == (b.entity, b.component())) {
            let item = group[0];
            match item.part {
                Part::Component { id, store: Store::Raw(_) } => {
                    let place = |epoch| group.binary_search_by_key(&Some(epoch), Item::epoch);
                    let is_wanted = |epoch| place(epoch).is_ok();
                    let key = item.entity.key(id);
                    self.raw.write_to(key, is_wanted, |message, epoch| {
                        send(message, place(epoch).map_or(0, |place| group[place].source));
                    });
                }
                _ => send(&self.message(item), item.source),
            }
        }
    }

    /// Whether messages to a connection may have other names than those under which they came.
    fn renames(&self, connection: &Connection) -> bool {
        match connection.names() {
            Names::AsTheyCame => false,
            Names::Networked => !self.networks.is_empty(),
            Names::Plain => self.usage().networks > 0 || !self.networks.is_empty(),
        }
    }

    /// What other connections have to have in common with this one to get the same bytes; `None` if
    /// it gets others.
    fn common(&self, connection: &Connection) -> Option<Common> {
        let is_plain = connection.back.is_empty()
            && !self.renames(connection)
            && !self.has_departures_for(connection);
        is_plain.then(|| Common {
            first: self.clock.unread(&connection.cursor),
            end: self.clock.end(),
            is_new: connection.is_new(),
            with_authority: connection.authority() == Authority::Ours,
        })
    }

    /// Encodes the changes that connections like this one have in common, with those that each of
    /// them wrote.
    fn encode_once(&mut self, connection: &Connection) {
        if std::mem::replace(&mut self.encoded.is_filled, true) {
            return;
        }
        let Unread { items, .. } = self.unread(connection, None);
        let mut encoded = std::mem::take(&mut self.encoded);
        let since = self.obeys_since(connection);
        self.write_items(&items, |message, source| {
            let is_raw = match message.key() {
                Some(key) if key.component == TRANSFORM => {
                    matches!(message, Message::AppendValue { .. })
                }
                key => key.is_some(),
            };
            let stays = is_raw && self.returns(message.scene_entity());
            let source = Some(source).filter(|_| !stays);
            self.send_to(since, message, |message| encoded.push(message, source));
        });
        self.encoded = encoded;
    }
}
