//! Numbers for the graphics card, one after the other; the page reads them back as typed arrays.

use super::pack;

#[derive(Default)]
pub struct Blob {
    bytes: Vec<u8>,
}

impl Blob {
    /// Returns where they begin, in bytes.
    pub fn floats<'a>(&mut self, numbers: impl IntoIterator<Item = &'a f32>) -> usize {
        self.put(numbers.into_iter().flat_map(|x| x.to_le_bytes()))
    }

    pub fn shorts(&mut self, numbers: impl IntoIterator<Item = u16>) -> usize {
        self.put(numbers.into_iter().flat_map(u16::to_le_bytes))
    }

    pub fn longs(&mut self, numbers: impl IntoIterator<Item = u32>) -> usize {
        self.put(numbers.into_iter().flat_map(u32::to_le_bytes))
    }

    /// Begins at a multiple of four, as typed arrays need it.
    pub fn put(&mut self, bytes: impl IntoIterator<Item = u8>) -> usize {
        let start = self.bytes.len().next_multiple_of(4);
        self.bytes.resize(start, 0);
        self.bytes.extend(bytes);
        start
    }

    pub fn text(&self) -> String {
        pack::text(&self.bytes)
    }
}
