//! The merged state of a scene: the last writer wins, in every order of messages.
//!
//! For every component of every entity, a [`Replica`] remembers the value with the highest
//! timestamp, or the tombstone of a deleted one. For every entity number it remembers the highest
//! version that died; ids of a network are not split, so there it remembers each id. So merging is
//! commutative, associative and idempotent: replicas that saw the same messages, in any order and
//! any number of times, [dump](Replica::dump) the same bytes.
//!
//! ```
//! use decentraland_scene::{
//!     merge::{Outcome, Replica, Role},
//!     wire::{EntityId, Message, SceneTransform},
//! };
//!
//! let put = |timestamp, data| Message::PutComponent {
//!     network: None,
//!     entity: EntityId(512),
//!     component: 1,
//!     timestamp,
//!     data,
//! };
//! let value = SceneTransform::IDENTITY.to_bytes();
//!
//! let mut replica = Replica::default();
//! assert_eq!(replica.merge(&put(7, &value), Role::Peer), Outcome::Accepted);
//! assert_eq!(replica.merge(&put(7, &value), Role::Peer), Outcome::Duplicate);
//! // The answer to a message that lost is the winner.
//! let winner = put(7, &value);
//! assert_eq!(replica.merge(&put(6, &value), Role::Peer), Outcome::Outdated { winner });
//! ```
//!
//! Only `Transform`s and the components that tie entities to networks are kept, unless
//! [`ReplicaOptions::keep_other_components`] asks for the rest as raw bytes.
//!
//! # Who writes, and to whom
//!
//! Each message comes from a program with a [`Role`]: only a host moves and deletes the reserved
//! entities, the players. A [`Connection`] is the other end of a stream: it has a role, reads what
//! comes in pieces, and gets [deltas](Replica::delta) of what it does not know. Nobody gets back a
//! write that it was the last to send.
//!
//! A server corrects what others have [with authority](Replica::put_with_authority), whatever their
//! timestamps are, and [checks](Check) messages before it merges them. Others hear of such a write
//! as of any other; if they have a higher timestamp, they do not take it.
//!
//! A host's deletion of a player leaves no tombstone, and drops that id alone: 33v1, but not 33v0.
//! So the order of a host's own messages about players counts, and for them alone merging is not
//! commutative. The id may come back. Scenes of the SDK keep their timestamps meanwhile, so a host
//! counts on from there. (A replica keeps them, and its clones. A dump keeps which numbers and
//! versions were given: after a restart the next player with a number has its next version.)
//!
//! # Networks
//!
//! Entities of a network share nothing with plain ones. Two components tie them together, and
//! [`Replica::effective`] is the `Transform` to show:
//!
//! ```text
//!  512      NetworkEntity (7, 40)   one with (7, 40): 512 is shown, with the later Transform
//!  (7, 41)  NetworkParent (7, 40)   a child of 512, whatever the parent in its Transform
//! ```
//!
//! # Bounds
//!
//! - [`Limits`] bound the state. A message that would exceed them is refused with a
//!   [fault](MergeFault::OverLimit). [`Replica::usage`] is the present size.
//! - A report answers a key once, within [`Limits::correction_bytes`].
//! - No message costs more than a few others of its length: all 65,536 versions of one number cost
//!   43 to 101 ns each.
//! - The log of changes is at most about twice as long as the state, for any number of connections.
//! - Of players who left, one timestamp a number stays, and the last 4,096 departures or more. A
//!   connection that slept through more of them hears of every version of a player's number that
//!   ever left, once.
//! - [`dump_packets`](Replica::dump_packets) and [`delta_packets`](Replica::delta_packets) make
//!   packets of bounded size. They may come in any order and several times, those of a host's delta
//!   only in theirs:
//!
//! ```
//! use decentraland_scene::{merge::*, wire::*};
//!
//! let mut options = ReplicaOptions::default();
//! options.limits.entities = 20_000;
//! let mut ours = Replica::new(options);
//! for _ in 0..1000 {
//!     let entity = ours.new_entity()?;
//!     ours.put_transform(entity, &SceneTransform::IDENTITY)?;
//! }
//! let Packets { packets, too_large, .. } = ours.dump_packets(PacketSize::SDK);
//! assert!(too_large.is_empty() && packets.iter().all(|packet| packet.len() <= 12_000));
//!
//! let mut late = Replica::new(options);
//! for packet in packets.iter().rev() {
//!     late.merge_bytes(packet, Role::Peer)?;
//! }
//! assert_eq!((late.dump(), late.usage().entities), (ours.dump(), 1000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod authoritative;
mod authority;
mod cell;
mod checks;
mod components;
mod connection;
mod corrections;
mod deaths;
mod delta;
mod departures;
mod dump;
mod effective;
mod encoded;
mod entities;
mod last_writer;
mod lifetimes;
mod limits;
mod local;
mod log;
mod looks;
mod merge_message;
mod names;
mod networks;
mod number;
mod numbers;
mod outcome;
mod packets;
mod raw;
mod replica;
mod report;
mod role;
mod slot;
mod stream;
mod versions;
mod write_error;

pub use authority::Correction;
pub use checks::Check;
pub use connection::{Authority, Connection, Names};
pub use effective::EffectiveTransform;
pub use limits::{LimitKind, Limits, Usage};
pub use log::ChangeCursor;
pub use numbers::{NumberRange, NumbersExhausted};
pub use outcome::Outcome;
pub use packets::{PacketSize, Packets, TooLarge};
pub use replica::{Replica, ReplicaOptions};
pub use report::{MergeFault, MergeReport};
pub use role::Role;
pub use slot::TransformState;
pub use stream::BrokenStream;
pub use write_error::{WriteError, WriteErrorKind};
