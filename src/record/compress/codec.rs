use crate::error::Error;
#[cfg(any(feature = "gzip", feature = "snappy", feature = "lz4", feature = "zstd"))]
use crate::error::ErrorKind;

/// A way to compress and back.
#[derive(Clone, Copy, Debug)]
pub(in crate::record) struct Codec {
    /// Appends the first argument, compressed at a level that Kafka takes, to the last.
    pub(in crate::record) compress: fn(&[u8], i32, &mut Vec<u8>),
    /// What the first argument was before, if that is not longer than the second. Memory grows with what is
    /// really there, never by a claimed length.
    pub(in crate::record) decompress: fn(&[u8], usize) -> Result<Vec<u8>, Error>,
}

/// Appends all of `from` to `out`, which may hold `max_len` bytes in the end.
#[cfg(feature = "gzip")]
pub(super) fn read_up_to(from: impl std::io::Read, max_len: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    use std::io::Read as _;

    let room = max_len.saturating_sub(out.len()) as u64;
    match from.take(room.saturating_add(1)).read_to_end(out) {
        Ok(_) if out.len() <= max_len => Ok(()),
        Ok(_) => Err(over_limit(max_len)),
        Err(error) => Err(corrupt(error)),
    }
}

#[cfg(any(feature = "gzip", feature = "snappy", feature = "lz4", feature = "zstd"))]
#[cold]
pub(super) fn over_limit(max_len: usize) -> Error {
    Error::new(ErrorKind::Limit, format!("the records decompress to more than the limit of {max_len} bytes"))
}

#[cfg(any(feature = "gzip", feature = "snappy", feature = "lz4", feature = "zstd"))]
#[cold]
pub(super) fn corrupt(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(ErrorKind::Batch, "the records do not decompress").with_source(source)
}
