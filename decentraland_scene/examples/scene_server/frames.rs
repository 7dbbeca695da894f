//! Frames: what this example puts around packets, as websockets do, so that a client can tell that
//! one was lost.
//!
//! ```text
//!  0        4        8                 8 + length
//!  | length | number | a packet        | next frame
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

/// Reads frames from a stream that is cut anywhere. Of a packet it keeps one byte more than the
/// limit, which is enough to be refused: one that claims to have 4 GB costs nothing.
pub struct FrameReader {
    limit: usize,
    header: Vec<u8>,
    packet: Vec<u8>,
    /// The number of the present frame, and how many of its bytes are still to come.
    present: Option<(u32, usize)>,
}

impl FrameReader {
    /// Packets may have so many bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, header: Vec::new(), packet: Vec::new(), present: None }
    }

    /// The next frame: its number and its packet. Takes the bytes off the front; `None` if all were
    /// taken.
    pub fn next(&mut self, bytes: &mut &[u8]) -> Option<(u32, Vec<u8>)> {
        if self.present.is_none() {
            self.header.extend(take(bytes, HEADER - self.header.len()));
            let (length, number) = header(self.header.as_slice().try_into().ok()?);
            self.header.clear();
            self.present = Some((number, length as usize));
        }
        let (number, left) = self.present?;
        let taken = take(bytes, left);
        let room = (self.limit + 1).saturating_sub(self.packet.len());
        self.packet.extend(&taken[..room.min(taken.len())]);
        let left = left - taken.len();
        self.present = Some((number, left)).filter(|_| left > 0);
        (left == 0).then(|| (number, std::mem::take(&mut self.packet)))
    }
}

/// Takes up to `count` bytes off the front.
fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count.min(bytes.len()));
    *bytes = rest;
    taken
}
