//! `snappy`: the frames of Java's snappy around raw blocks. Agrees with `org.xerial.snappy.SnappyOutputStream` and
//! `SnappyInputStream`.
//!
//! ```text
//! 8 bytes magic, i32 version 1, i32 least compatible version 1, blocks: i32 length, bytes; big-endian
//! ```

use snap::raw;

use super::codec::{Codec, corrupt, over_limit};
use crate::error::{Error, ErrorKind};
use crate::wire::Cursor;

pub(super) const CODEC: Codec = Codec { compress, decompress };

const MAGIC: [u8; 8] = *b"\x82SNAPPY\0";
/// Two versions after the magic, both 1.
const VERSIONS: [u8; 8] = [0, 0, 0, 1, 0, 0, 0, 1];
/// Java's default.
const BLOCK_LEN: usize = 32 * 1024;
/// No three bytes of a block, the shortest far copy, say more than 64 others.
const MAX_RATIO: usize = 22;

/// There is one level.
fn compress(input: &[u8], _level: i32, out: &mut Vec<u8>) {
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&VERSIONS);
    let mut encoder = raw::Encoder::new();
    let mut scratch = vec![0; raw::max_compress_len(input.len().min(BLOCK_LEN))];
    for block in input.chunks(BLOCK_LEN) {
        let len = encoder.compress(block, &mut scratch).expect("the scratch holds any block of this length");
        let head = u32::try_from(len).expect("a block is short");
        out.extend_from_slice(&head.to_be_bytes());
        out.extend_from_slice(&scratch[..len]);
    }
}

fn decompress(input: &[u8], max_len: usize) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    if !input.starts_with(&MAGIC) {
        // librdkafka and others write one raw block; Java reads it.
        append_block(input, max_len, &mut out)?;
        return Ok(out);
    }
    let mut cursor = Cursor::new(input);
    while !cursor.rest().is_empty() {
        // A stream may be put after another one, header and all.
        if cursor.rest().starts_with(&MAGIC) {
            cursor.take(MAGIC.len() + VERSIONS.len()).ok_or_else(malformed)?;
            continue;
        }
        let block = next_block(&mut cursor).ok_or_else(malformed)?;
        append_block(block, max_len, &mut out)?;
    }
    Ok(out)
}

fn next_block<'a>(cursor: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let len = u32::from_be_bytes(cursor.array()?);
    cursor.take(usize::try_from(len).ok()?)
}

fn append_block(block: &[u8], max_len: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    let len = raw::decompress_len(block).map_err(corrupt)?;
    if len > block.len().saturating_mul(MAX_RATIO) {
        return Err(malformed());
    }
    let start = out.len();
    if len > max_len - start {
        return Err(over_limit(max_len));
    }
    out.resize(start + len, 0);
    let written = raw::Decoder::new().decompress(block, &mut out[start..]).map_err(corrupt)?;
    out.truncate(start + written);
    Ok(())
}

#[cold]
fn malformed() -> Error {
    Error::new(ErrorKind::Batch, "the records are not in snappy's format")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 bytes, as a literal.
    const HELLO: &[u8] = b"\x05\x10hello";

    #[test]
    fn a_raw_block_is_read_as_librdkafka_writes_it() {
        assert_eq!(decompress(HELLO, 5).unwrap(), b"hello");
    }

    #[test]
    fn streams_may_follow_each_other() {
        let block = [&[0, 0, 0, 7], HELLO].concat();
        let stream = [&MAGIC[..], &VERSIONS, &block, &block].concat();
        assert_eq!(decompress(&stream.repeat(2), 20).unwrap(), b"hellohellohellohello");
        assert_eq!(decompress(&stream[..stream.len() - 1], 20).unwrap_err().kind(), ErrorKind::Batch);
    }

    #[test]
    fn a_claimed_length_is_not_believed() {
        let claim = b"\xff\xff\xff\xff\x0f\x10hello"; // 4 GiB
        let error = decompress(claim, usize::MAX).unwrap_err();
        assert_eq!(error.message(), "the records are not in snappy's format");
    }
}
