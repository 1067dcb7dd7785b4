//! `zstd`: frames, and between them frames to skip. Agrees with `com.github.luben.zstd.ZstdOutputStream` and
//! `ZstdInputStream`.

use zrip::DecompressError;
use zrip::frame::header::parse_frame_header;

use super::codec::{Codec, corrupt, over_limit};
use crate::error::{Error, ErrorKind};
use crate::wire::Cursor;

pub(super) const CODEC: Codec = Codec { compress, decompress };

/// What level 0 is, as in libzstd.
const DEFAULT_LEVEL: i32 = 3;
/// The levels that the encoder has. Those beyond them are as the nearest one.
const LEVELS: (i32, i32) = (-7, 4);
/// Of a skippable frame; its last four bits are anybody's (RFC 8878, 3.1.2).
const SKIPPABLE_MAGIC: u32 = 0x184d_2a50;
/// The most that a block stands for (RFC 8878, 3.1.1.2.4).
const MAX_BLOCK_LEN: u64 = 128 * 1024;
/// Of the xxHash at a frame's end.
const CHECKSUM_LEN: usize = 4;

fn compress(input: &[u8], level: i32, out: &mut Vec<u8>) {
    let level = if level == 0 { DEFAULT_LEVEL } else { level.clamp(LEVELS.0, LEVELS.1) };
    let frame = zrip::compress(input, level).expect("a level that there is");
    out.extend_from_slice(&frame);
}

fn decompress(input: &[u8], max_len: usize) -> Result<Vec<u8>, Error> {
    // The decoder makes room for what a frame's header claims before it reads the frame.
    check_claims(input)?;
    zrip::decompress_with_limit(input, max_len).map_err(|error| match error {
        DecompressError::OutputTooSmall => over_limit(max_len),
        error => corrupt(error),
    })
}

/// Refuses a frame whose header claims more than its blocks can stand for.
fn check_claims(input: &[u8]) -> Result<(), Error> {
    let mut cursor = Cursor::new(input);
    while !cursor.rest().is_empty() {
        if skip_frame(&mut cursor).is_some() {
            continue;
        }
        let header = parse_frame_header(cursor.rest()).map_err(corrupt)?;
        cursor.take(header.header_size).ok_or_else(malformed)?;
        let most = pass_blocks(&mut cursor).ok_or_else(malformed)?;
        if header.frame_content_size.is_some_and(|claimed| claimed > most) {
            return Err(malformed());
        }
        if header.content_checksum {
            cursor.take(CHECKSUM_LEN).ok_or_else(malformed)?;
        }
    }
    Ok(())
}

/// Goes past a skippable frame, if one starts here.
fn skip_frame(cursor: &mut Cursor<'_>) -> Option<()> {
    let mut frame = *cursor;
    let magic = u32::from_le_bytes(frame.array()?);
    let len = u32::from_le_bytes(frame.array()?);
    if magic & !0xf != SKIPPABLE_MAGIC {
        return None;
    }
    frame.take(usize::try_from(len).ok()?)?;
    *cursor = frame;
    Some(())
}

/// Goes past the blocks of a frame, and says how many bytes they stand for at most.
fn pass_blocks(cursor: &mut Cursor<'_>) -> Option<u64> {
    /// The types of blocks that say how many bytes they stand for: as they are, and one byte that repeats.
    const RAW: u32 = 0;
    const REPEATED: u32 = 1;
    let mut most = 0;
    loop {
        let [a, b, c] = cursor.array()?;
        let head = u32::from_le_bytes([a, b, c, 0]);
        let (is_last, block_type, len) = (head & 1 != 0, head >> 1 & 3, head >> 3);
        cursor.take(if block_type == REPEATED { 1 } else { usize::try_from(len).ok()? })?;
        most += if matches!(block_type, RAW | REPEATED) { u64::from(len) } else { MAX_BLOCK_LEN };
        if is_last {
            return Some(most);
        }
    }
}

#[cold]
fn malformed() -> Error {
    Error::new(ErrorKind::Batch, "the records are not zstd frames")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(input: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        compress(input, DEFAULT_LEVEL, &mut out);
        out
    }

    /// A frame of one repeated byte: no content size, the smallest window, then blocks of 128 KiB.
    fn bomb(blocks: usize) -> Vec<u8> {
        let block = |last: u32| [&(131_072 << 3 | 1 << 1 | last).to_le_bytes()[..3], b"x"].concat();
        let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
        (1..blocks).for_each(|_| bytes.extend(block(0)));
        bytes.extend(block(1));
        bytes
    }

    #[test]
    fn skippable_frames_are_skipped_wherever_they_stand() {
        // RFC 8878, 3.1.2.
        let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
        let other = b"\x5f\x2a\x4d\x18\0\0\0\0";
        let bytes = [&skippable[..], &frame(b"one, "), other, skippable, &frame(b"two"), skippable].concat();
        assert_eq!(decompress(&bytes, 8).unwrap(), b"one, two");
        assert_eq!(decompress(&bytes, 7).unwrap_err().kind(), ErrorKind::Limit);
        assert_eq!(decompress(skippable, 0).unwrap(), b"");
        assert_eq!(decompress(&skippable[..10], 8).unwrap_err().kind(), ErrorKind::Batch);
    }

    #[test]
    fn a_frame_that_claims_more_than_its_blocks_hold_is_refused() {
        // A single segment with a size of 8 bytes, and a last block, raw and empty.
        let claim =
            |len: u64, block: &[u8]| [&b"\x28\xb5\x2f\xfd\xe0"[..], &len.to_le_bytes(), block].concat();
        assert_eq!(decompress(&claim(0, b"\x01\0\0"), 1 << 30).unwrap(), b"");
        for len in [1, 1 << 20, u64::MAX] {
            let error = decompress(&claim(len, b"\x01\0\0"), usize::MAX).unwrap_err();
            assert_eq!(error.message(), "the records are not zstd frames", "{len}");
        }
    }

    #[test]
    fn the_limit_holds_block_by_block() {
        assert_eq!(decompress(&bomb(4), 4 << 17).unwrap().len(), 4 << 17);
        assert_eq!(decompress(&bomb(4), (4 << 17) - 1).unwrap_err().kind(), ErrorKind::Limit);
        assert_eq!(decompress(&bomb(4000), 1 << 20).unwrap_err().kind(), ErrorKind::Limit);
    }
}
