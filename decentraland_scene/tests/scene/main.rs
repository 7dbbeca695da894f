//! The wire form, and the merge.

mod authority;
mod bounds;
mod components;
mod connections;
mod hosts;
mod many_connections;
mod merge;
mod messages;
mod names;
mod networks;
mod new_entities;
mod packets;
mod players;
mod roles;
mod serde;
#[path = "../../../src/engine/storage/tests/soak.rs"]
mod soak;
mod wire;

use messages::{Owned, encode};

fn encode_owned<'a>(messages: impl IntoIterator<Item = &'a Owned>) -> Vec<u8> {
    messages.into_iter().flat_map(|message| encode(&[message.message()])).collect()
}

fn unhex(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}
