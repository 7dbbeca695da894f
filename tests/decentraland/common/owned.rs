//! A message with data of its own.

use legion_transform::decentraland::wire::{EntityId, Message};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owned {
    PutComponent {
        network: Option<u32>,
        entity: EntityId,
        component: u32,
        timestamp: u32,
        data: Vec<u8>,
    },
    DeleteComponent {
        network: Option<u32>,
        entity: EntityId,
        component: u32,
        timestamp: u32,
    },
    DeleteEntity {
        network: Option<u32>,
        entity: EntityId,
    },
    AppendValue {
        entity: EntityId,
        component: u32,
        timestamp: u32,
        data: Vec<u8>,
    },
}

impl Owned {
    pub fn message(&self) -> Message<'_> {
        match *self {
            Self::PutComponent { network, entity, component, timestamp, ref data } => {
                Message::PutComponent { network, entity, component, timestamp, data }
            }
            Self::DeleteComponent { network, entity, component, timestamp } => {
                Message::DeleteComponent { network, entity, component, timestamp }
            }
            Self::DeleteEntity { network, entity } => Message::DeleteEntity { network, entity },
            Self::AppendValue { entity, component, timestamp, ref data } => {
                Message::AppendValue { entity, component, timestamp, data }
            }
        }
    }
}
