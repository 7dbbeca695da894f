//! Messages as bytes: both ways, without copying, from packets, or from a stream cut anywhere.
//!
//! ```
//! use decentraland_scene::wire::{EntityId, Message, Reader};
//!
//! let mut bytes = Vec::new();
//! Message::DeleteEntity { network: None, entity: EntityId(512) }.write(&mut bytes)?;
//! assert_eq!(bytes, [12, 0, 0, 0, 3, 0, 0, 0, 0, 2, 0, 0]);
//!
//! let mut reader = Reader::default();
//! let (start, end) = bytes.split_at(5);
//! assert_eq!(reader.read(start)?.count(), 0); // not complete yet
//! let message = reader.read(end)?.next().unwrap()?;
//! assert_eq!(message, Message::DeleteEntity { network: None, entity: EntityId(512) });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fault;
mod id;
mod layout;
mod message;
mod network;
mod reader;
mod transform;

pub use fault::{Fault, FaultKind};
pub use id::{EntityId, Key, SceneEntity, TRANSFORM};
pub(crate) use layout::AUTHORITATIVE_PUT_COMPONENT;
pub use message::{Message, MessageTooLong};
pub use network::{NETWORK_ENTITY, NETWORK_PARENT, NetworkEntity};
pub use reader::{Frames, Reader};
pub use transform::SceneTransform;
pub(crate) use transform::parent_of;
