//! Eight bytes looked at as one word.

/// The high bit of each byte.
pub(crate) const HIGH_BITS: u64 = each(0x80);

/// A word of eight such bytes.
pub(crate) const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The high bit of each byte of `word` that is below `limit`, at most 0x80; of bytes after the first, perhaps too.
#[inline]
pub(crate) fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(each(limit)) & !word & HIGH_BITS
}

/// The high bit of each byte of `word` that is `byte`; of bytes after the first, perhaps too.
#[inline]
pub(crate) fn equal(word: u64, byte: u8) -> u64 {
    below(word ^ each(byte), 1)
}
