//! Writes with authority: they hold whatever the timestamps are.
//!
//! ```text
//!  server --- CRDT_AUTHORITATIVE ---> client --- type 8 ---> its renderer
//!
//!  the client has      door at 8
//!  the server says     door at 3      taken: the client has 3 now
//!  to the renderer     door at 3      as type 8: it takes it, too, though it has 8
//!  to a peer           door at 3      as an ordinary put
//! ```

use super::{
    cell::written,
    connection::{Authority, Connection},
    corrections::Round,
    local::accepted,
    replica::Replica,
    role::Sender,
    write_error::WriteError,
};
use crate::wire::{Key, Message, SceneTransform, TRANSFORM};

/// A write [with authority](Replica::put_with_authority).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Correction<'a> {
    /// The message, for the ends that obey.
    pub message: Message<'a>,
    /// Whether the timestamp was at its highest, [`u32::MAX`], and stays there. Ends that obey take
    /// the value. Others have another value at the same timestamp, and keep the longer one, or the
    /// one with the larger bytes.
    pub is_tie: bool,
}

impl Replica {
    /// Writes a component with authority, with a timestamp one above the last. A host can always do
    /// so: a timestamp of [`u32::MAX`] stays, and the answer [says so](Correction::is_tie).
    ///
    /// Write the message into a packet of the kind `CRDT_AUTHORITATIVE`, and send that to the
    /// clients: they take it whatever they have
    /// ([`receive_corrections`](Self::receive_corrections)). A client's delta for its renderer,
    /// [which obeys it](Authority::Ours), has the write as `AUTHORITATIVE_PUT_COMPONENT`. In all
    /// other deltas it is an ordinary put.
    ///
    /// ```
    /// use decentraland_scene::{merge::*, wire::*};
    ///
    /// let mut options = ReplicaOptions::default();
    /// options.role = Role::Host;
    /// let (mut server, mut client) = (Replica::new(options), Replica::default());
    /// let door = SceneEntity::local(EntityId(512));
    /// for _ in 0..8 {
    ///     client.put_transform(door, &SceneTransform { scale: [9.0; 3], ..Default::default() })?;
    ///     client.delete_transform(door)?;
    /// }
    ///
    /// let value = SceneTransform::IDENTITY.to_bytes();
    /// let mut packet = Vec::new();
    /// server.put_with_authority(door.key(TRANSFORM), &value)?.message.write(&mut packet)?;
    /// let (mut to_server, mut report) = (Connection::new(Role::Host), MergeReport::default());
    /// client.receive_corrections(&mut to_server, &packet, &mut report);
    /// // The client had counted to 16, and counts on from 1.
    /// assert_eq!(client.dump(), server.dump());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the entity is dead, the component is not kept or not this replica's to write, the value
    /// has the wrong length, or a limit is reached.
    pub fn put_with_authority<'a>(
        &mut self,
        key: Key,
        data: &'a [u8],
    ) -> Result<Correction<'a>, WriteError> {
        self.check_write(key, data)?;
        let last = self.last_timestamp(key);
        let message = written(key, last.saturating_add(1), Some(data));
        let from = Sender::with_authority(self.options.role);
        accepted(key, self.merge_in(&message, from, Round::None).0)?;
        Ok(Correction { message, is_tie: last == u32::MAX })
    }

    /// Notes that a component was written with authority. The other entity that is one with its
    /// entity gets the same, so that what it had is not the later write.
    pub(super) fn note_authority(&mut self, key: Key) {
        self.authoritative.note(key, &mut self.clock);
        let Some(twin) = self.networks.twin(key.scene_entity()) else { return };
        let twin = twin.key(key.component);
        self.authoritative.note(twin, &mut self.clock);
        let same =
            |(timestamp, value): (u32, Option<&[u8]>)| (timestamp, value.map(<[u8]>::to_vec));
        let (ours, theirs) = (self.write_of(key).map(same), self.write_of(twin));
        if let Some((timestamp, value)) = ours
            && theirs.is_some_and(|theirs| theirs != (timestamp, value.as_deref()))
        {
            let message = written(twin, timestamp, value.as_deref());
            self.merge_with_authority(&message, self.options.role);
        }
    }

    /// The epoch since which writes with authority go so to the other end; `None` if it does not
    /// obey.
    pub(super) fn obeys_since(&self, connection: &Connection) -> Option<u32> {
        let is_obeyed = connection.authority() == Authority::Ours;
        is_obeyed.then(|| self.clock.unread(&connection.cursor))
    }

    /// Sends a message, with authority if it was written so [since then](Self::obeys_since).
    ///
    /// A deletion has no such form. Before it goes a value that is taken whatever there is:
    ///
    /// ```text
    ///  the renderer has a value at 8; type 8, any value at 2; deletion at 3, which is later
    /// ```
    pub(super) fn send_to(
        &self,
        obeys_since: Option<u32>,
        message: &Message<'_>,
        mut send: impl FnMut(&Message<'_>),
    ) {
        let key = message.key();
        let has = |(since, key): (u32, Key)| self.authoritative.has(key, since);
        if !obeys_since.zip(key).is_some_and(has) {
            return send(message);
        }
        if let Message::DeleteComponent { network: None, entity, component, timestamp } = *message {
            let identity = SceneTransform::IDENTITY.to_bytes();
            let data = if component == TRANSFORM { &identity[..] } else { &[] };
            let (before, timestamp) = (timestamp.saturating_sub(1), timestamp.max(1));
            let any =
                Message::PutComponent { network: None, entity, component, timestamp: before, data };
            send(&any.with_authority());
            return send(&Message::DeleteComponent { network: None, entity, component, timestamp });
        }
        send(&message.with_authority());
    }
}
