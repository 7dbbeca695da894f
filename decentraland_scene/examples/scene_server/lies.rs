//! What a client sends that lies, and what one sends that is broken.

use decentraland_scene::wire::{EntityId, Message, MessageTooLong, SceneTransform, TRANSFORM};

use crate::{
    guest::LONGEST_PACKET,
    side::{Dice, NAME},
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lie {
    /// Moves, deletes and names what is the host's. It costs itself only, so the client stays.
    Impostor,
    /// Sends each kind of broken packet, one after each honest one. Each costs itself only: all
    /// that it says in between arrives.
    Broken,
    /// Values that are too long, then entities without end.
    Flood,
}

/// What the server counts of an [`Impostor`](Lie::Impostor): writes and deletions of what is the
/// host's, and faults.
pub const REFUSED: (u64, u64, u64) = (9, 3, 0);

/// `PlayerIdentityData`: who a player is.
const IDENTITY: u32 = 1089;

impl Lie {
    /// The packet that it sends after its honest one with this number, from 1 on.
    pub fn packet(self, number: u32) -> Result<Option<Vec<u8>>, MessageTooLong> {
        Ok(match self {
            Self::Broken => {
                let broken = broken()?.into_iter().nth(number as usize - 1);
                broken.map(|(_, packet)| packet)
            }
            Self::Impostor if number == 1 => Some(impostor()?),
            Self::Flood if number == 1 => Some(flood()?),
            _ => None,
        })
    }
}

/// Each kind of broken packet. The server counts a fault for each.
pub fn broken() -> Result<Vec<(&'static str, Vec<u8>)>, MessageTooLong> {
    let value = SceneTransform::IDENTITY.to_bytes();
    let mut half = Vec::new();
    put(EntityId(512), NAME, b"half a message").write(&mut half)?;
    half.truncate(30);
    let mut too_short = Vec::new();
    put(EntityId(512), TRANSFORM, &value[..40]).write(&mut too_short)?;
    let mut type_8 = Vec::new();
    let (entity, component, timestamp) = (EntityId(512), TRANSFORM, 0);
    Message::AuthoritativePutComponent { entity, component, timestamp, data: &value }
        .write(&mut type_8)?;
    let mut wrong_length = type_8.clone();
    (wrong_length[0], wrong_length[4]) = (64, 1);
    let mut dice = Dice(7);
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(vec![
        ("a message of 4 bytes, whose header has 8", words(&[4, 1])),
        ("a part of a header", vec![12, 0, 0]),
        ("a part of a message", half),
        ("data that would be longer than the packet", words(&[24, 1, 512, NAME, 9, u32::MAX])),
        // These two are read by their fields. They are old, and lose.
        ("a deletion that says 28, and has 20 bytes", words(&[28, 2, 512, TRANSFORM, 0])),
        ("a put that says 64, and has 68 bytes", wrong_length),
        ("an unknown type", words(&[12, 99, 0])),
        ("an unknown type that is longer than the packet", words(&[u32::MAX, 99, 0])),
        ("a Transform of 40 bytes", too_short),
        ("type 8, which is for renderers", type_8),
        ("random bytes", (0..4000).map(|_| dice.roll(256) as u8).collect()),
        ("a packet that is longer than the limit", vec![0; LONGEST_PACKET + 1]),
    ])
}

fn impostor() -> Result<Vec<u8>, MessageTooLong> {
    let mut bytes = Vec::new();
    let far_away = SceneTransform { position: [1e6; 3], ..SceneTransform::IDENTITY }.to_bytes();
    // The root, the player, the camera, and the avatars of three others.
    for entity in (0..6).map(EntityId) {
        put(entity, TRANSFORM, &far_away).write(&mut bytes)?;
    }
    for entity in (3..6).map(EntityId) {
        put(entity, IDENTITY, b"the impostor").write(&mut bytes)?;
    }
    for entity in [0, 3, 511].map(EntityId) {
        Message::DeleteEntity { network: None, entity }.write(&mut bytes)?;
    }
    Ok(bytes)
}

/// 20 values that are longer than `Limits::bytes_per_key`, then 68 bytes for each of 350 entities.
fn flood() -> Result<Vec<u8>, MessageTooLong> {
    let mut bytes = Vec::new();
    for _ in 0..20 {
        put(EntityId(512), NAME, &[b'A'; 2000]).write(&mut bytes)?;
    }
    let value = SceneTransform::IDENTITY.to_bytes();
    for entity in (20_000..20_350).map(EntityId) {
        put(entity, TRANSFORM, &value).write(&mut bytes)?;
    }
    Ok(bytes)
}

/// With a timestamp above all honest ones.
fn put(entity: EntityId, component: u32, data: &[u8]) -> Message<'_> {
    Message::PutComponent { network: None, entity, component, timestamp: 1_000_000, data }
}
