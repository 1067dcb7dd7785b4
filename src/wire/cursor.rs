//! A reader over bytes that somebody else wrote: every step is checked, `None` says that it could not be taken.

/// A place in a byte slice. After a `None` the place is the one where reading failed, or shortly before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// How many bytes have been read.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// The bytes not read yet.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        // The position is never beyond the end.
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// The next `len` bytes.
    #[inline]
    pub(crate) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let taken = self.rest().get(..len)?;
        self.position += len;
        Some(taken)
    }

    /// The next `N` bytes.
    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let array = *self.rest().first_chunk()?;
        self.position += N;
        Some(array)
    }

    /// The bytes after a varint that counts them, which is below 0 for null: `Some(None)`. Java writes -1.
    #[inline]
    pub(crate) fn nullable_bytes(&mut self) -> Option<Option<&'a [u8]>> {
        match usize::try_from(self.varint()?) {
            Ok(len) => self.take(len).map(Some),
            Err(_) => Some(None),
        }
    }

    /// A zig-zag varint of at most 5 bytes. What does not fit into 32 bits is dropped, as Java drops it.
    #[expect(clippy::cast_possible_truncation, reason = "Java shifts the bits of a fifth byte out")]
    #[inline]
    pub(crate) fn varint(&mut self) -> Option<i32> {
        self.unsigned(5).map(|zigzag| unzigzag(u64::from(zigzag as u32)) as i32)
    }

    /// A zig-zag varlong of at most 10 bytes.
    #[inline]
    pub(crate) fn varlong(&mut self) -> Option<i64> {
        self.unsigned(10).map(unzigzag)
    }

    #[inline]
    fn unsigned(&mut self, max_len: u32) -> Option<u64> {
        let mut value = 0;
        for index in 0..max_len {
            let [byte] = self.array()?;
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

#[expect(clippy::cast_possible_wrap, reason = "zig-zag: the lowest bit is the sign")]
#[inline]
fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_beyond_the_end() {
        let mut cursor = Cursor::new(&[1, 2, 3]);
        assert_eq!(cursor.take(4), None);
        assert_eq!(cursor.take(usize::MAX), None);
        assert_eq!(cursor.array::<4>(), None);
        assert_eq!(cursor.array(), Some([1, 2]));
        assert_eq!(cursor.take(1), Some(&[3][..]));
        assert_eq!(cursor.take(0), Some(&[][..]));
        assert_eq!(cursor.varint(), None);
        assert_eq!(cursor.position(), 3);
    }

    #[test]
    fn a_varint_that_goes_on_is_refused() {
        // ByteUtilsTest.testInvalidVarint and testInvalidVarlong.
        assert_eq!(Cursor::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0x01]).varint(), None);
        let mut long = [0xff; 11];
        long[10] = 0x01;
        assert_eq!(Cursor::new(&long).varlong(), None);
    }

    #[test]
    fn a_length_below_zero_is_null() {
        // As `DefaultRecord.readFrom` takes it.
        assert_eq!(Cursor::new(&[0x01]).nullable_bytes(), Some(None));
        assert_eq!(Cursor::new(&[0x03]).nullable_bytes(), Some(None));
        assert_eq!(Cursor::new(&[0x04, 7, 8]).nullable_bytes(), Some(Some(&[7, 8][..])));
        assert_eq!(Cursor::new(&[0x04, 7]).nullable_bytes(), None);
    }
}
