use std::ops::Deref;

use super::give_back::{GiveBack, is_to_be_given_back};

/// Bytes, and after them a room that is written in place.
///
/// The spare room of a `Vec` holds anything, so safe code cannot lend it. The room of a `Buffer` holds zeros, or what was
/// written there before: rows are written into it with one check for many stores, and a buffer that is used again pays
/// for its room once.
#[derive(Clone, Default)]
pub(crate) struct Buffer {
    /// What was written, and the room.
    bytes: Vec<u8>,
    len: usize,
}

impl Buffer {
    /// Forgets what was written. The room stays.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline]
    pub(crate) fn extend_from_slice(&mut self, bytes: &[u8]) {
        if self.bytes.len() - self.len < bytes.len() {
            self.grow(bytes.len());
        }
        self.bytes[self.len..][..bytes.len()].copy_from_slice(bytes);
        self.advance(bytes.len());
    }

    /// Appends as much of `N` bytes as `write` says it wrote.
    #[inline]
    pub(crate) fn append<const N: usize>(&mut self, write: impl FnOnce(&mut [u8; N]) -> usize) {
        if self.bytes.len() - self.len < N {
            self.grow(N);
        }
        let count = self.bytes[self.len..].first_chunk_mut().map_or(0, write);
        self.advance(count);
    }

    /// The room after what was written, of any size; what is written there counts once [`advance`](Self::advance)
    /// says so.
    #[inline]
    pub(crate) fn room(&mut self) -> &mut [u8] {
        &mut self.bytes[self.len..]
    }

    /// The first `count` bytes of the room are written.
    #[inline]
    pub(crate) fn advance(&mut self, count: usize) {
        self.len += count;
    }

    /// Makes the room larger, by `count` bytes at least.
    #[cold]
    #[inline(never)]
    pub(crate) fn grow(&mut self, count: usize) {
        const LEAST: usize = 256;
        let grown = self.bytes.len().max(self.len + count).max(LEAST);
        self.bytes.resize(grown + grown / 2, 0);
    }

    /// Lets `write` append in a `Vec`'s own way, and keep what it appended if it fails.
    #[inline]
    pub(crate) fn append_with<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        self.bytes.truncate(self.len);
        let written = write(&mut self.bytes);
        self.len = self.bytes.len();
        written
    }
}

impl GiveBack for Buffer {
    fn give_back(&mut self) {
        if is_to_be_given_back(self.bytes.capacity(), self.len) {
            *self = Self::default();
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        super::Shown(self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_stays_whichever_way_the_next_bytes_come() {
        let mut buffer = Buffer::default();
        buffer.extend_from_slice(b"abc");
        buffer.grow(1000);
        buffer.room()[..2].copy_from_slice(b"de");
        assert_eq!(*buffer, *b"abc", "it does not count yet");
        buffer.advance(2);
        let answer = buffer.append_with(|out| {
            out.extend_from_slice(b"fg");
            out.len()
        });
        assert_eq!((answer, buffer.room().len()), (7, 0));
        buffer.append(|room: &mut [u8; 4]| {
            *room = *b"hij?";
            3
        });
        let rest = vec![b'k'; buffer.room().len() + 1];
        buffer.extend_from_slice(&rest);
        assert_eq!(*buffer, *[&b"abcdefghij"[..], &rest].concat());
        buffer.clear();
        assert_eq!(*buffer, *b"");
    }
}
