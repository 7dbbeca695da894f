//! Random messages about few entities, so that they meet.

use decentraland_scene::wire::*;
use proptest::prelude::*;

/// A message with data of its own.
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

pub fn encode(messages: &[Message<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in messages {
        message.write(&mut bytes).unwrap();
    }
    bytes
}

/// An entity out of few, so that messages meet.
pub fn any_entity() -> impl Strategy<Value = EntityId> {
    prop_oneof![
        10 => (510u16..516, 0u16..3).prop_map(|(number, version)| EntityId::new(number, version)),
        1 => (0u16..4).prop_map(|number| EntityId::new(number, 0)),
    ]
}

fn any_timestamp() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0u32..4, 1 => u32::MAX - 1..=u32::MAX]
}

fn any_network() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![6 => Just(None), 1 => Just(Some(0)), 2 => Just(Some(7))]
}

fn any_number() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => (-3i8..3).prop_map(f32::from),
        2 => -2.0f32..2.0,
        1 => prop::sample::select(vec![
            f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e4, f32::MIN_POSITIVE,
        ]),
    ]
}

pub fn any_transform() -> impl Strategy<Value = SceneTransform> {
    let numbers = prop::array::uniform10(any_number());
    (numbers, prop_oneof![1 => Just(EntityId::ROOT), 4 => any_entity()]).prop_map(|(n, parent)| {
        SceneTransform {
            position: [n[0], n[1], n[2]],
            rotation: [n[3], n[4], n[5], n[6]],
            scale: [n[7], n[8], n[9]],
            parent,
        }
    })
}

/// Mostly transforms, whose data has mostly the right length.
pub fn any_message() -> impl Strategy<Value = Owned> {
    let data = prop_oneof![
        12 => any_transform().prop_map(|transform| transform.to_bytes().to_vec()),
        1 => prop::collection::vec(0u8..3, 0..4),
    ];
    let component = prop_oneof![8 => Just(1u32), 2 => 0u32..4, 1 => Just(u32::MAX)];
    let value = (0u8..20, any_network(), any_entity(), component, any_timestamp(), data);
    value.prop_map(|(kind, network, entity, component, timestamp, data)| match kind {
        0 => Owned::DeleteEntity { network, entity },
        1..4 => Owned::DeleteComponent { network, entity, component, timestamp },
        4..6 => Owned::AppendValue { entity, component, timestamp, data },
        _ => Owned::PutComponent { network, entity, component, timestamp, data },
    })
}
