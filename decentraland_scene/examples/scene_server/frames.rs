//! Frames: what this example puts around messages, so that a client can tell that one was lost.
//!
//! ```text
//!  0        4        8                 8 + length
//!  | length | number | whole messages  | next frame
//! ```
//!
//! Each side numbers its frames 1, 2, 3, ... A client that reads 5 and then 7 has lost 6. TCP loses
//! nothing, so here some clients throw frames away; over UDP it would happen by itself.

/// The length of a frame's header.
pub const HEADER: usize = 8;

/// A bit of the number. From a client it means "I lost something: send me everything again", from
/// the server "no more edits, finish your stream".
pub const CALL: u32 = 1 << 31;

/// A frame with these messages.
pub fn frame(number: u32, messages: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEADER + messages.len());
    frame.extend((messages.len() as u32).to_le_bytes());
    frame.extend(number.to_le_bytes());
    frame.extend(messages);
    frame
}

/// The two numbers of a header.
pub fn header(bytes: [u8; HEADER]) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = bytes;
    (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
}

/// What a stream of frames holds.
#[derive(Debug, PartialEq)]
pub enum Part<'a> {
    /// A frame with this number begins.
    Begin(u32),
    /// Some bytes of its messages.
    Messages(&'a [u8]),
}

/// Reads frames from a stream that is cut anywhere. It keeps a header at most: messages are handed
/// on as they come, so a frame that claims to have 4 GB costs nothing.
#[derive(Default)]
pub struct FrameReader {
    header: Vec<u8>,
    /// How many bytes of the present frame are still to come.
    left: usize,
}

impl FrameReader {
    /// Takes the next part off the front of `bytes`; `None` if all was taken.
    pub fn next<'a>(&mut self, bytes: &mut &'a [u8]) -> Option<Part<'a>> {
        if self.left > 0 && !bytes.is_empty() {
            let messages = take(bytes, self.left);
            self.left -= messages.len();
            return Some(Part::Messages(messages));
        }
        self.header.extend(take(bytes, HEADER - self.header.len()));
        let (length, number) = header(self.header.as_slice().try_into().ok()?);
        self.header.clear();
        self.left = length as usize;
        Some(Part::Begin(number))
    }
}

/// Takes up to `count` bytes off the front.
fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count.min(bytes.len()));
    *bytes = rest;
    taken
}
