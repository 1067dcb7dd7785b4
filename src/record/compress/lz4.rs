//! `lz4`: LZ4 frames around blocks. Agrees with Kafka's `Lz4BlockOutputStream` and `Lz4BlockInputStream`.
//!
//! ```text
//! u32 magic, u8 flags, u8 block size, [u64 content size], [u32 dictionary id], u8 header checksum,
//! blocks:  u32 length (highest bit: stored as it is), bytes, [u32 checksum]
//! u32 0, [u32 content checksum]          all numbers little-endian
//! ```

use lz4_flex::block::{self, CompressTable};

use super::codec::{Codec, corrupt, over_limit};
use super::lz4_search::Searcher;
use crate::error::{Error, ErrorKind};
use crate::wire::Cursor;

pub(super) const CODEC: Codec = Codec { compress, decompress };

const MAGIC: [u8; 4] = 0x184d_2204_u32.to_le_bytes();
const VERSION_MASK: u8 = 0xc0;
const VERSION_1: u8 = 0x40;
const INDEPENDENT: u8 = 0x20;
const BLOCK_CHECKSUM: u8 = 0x10;
const CONTENT_SIZE: u8 = 0x08;
const DICTIONARY: u8 = 0x01;
/// In a block's length: its bytes are not compressed.
const STORED: u32 = 1 << 31;

/// What Java writes: version 1, independent blocks of 64 KiB, and the checksum of these two bytes.
const HEADER: [u8; 3] = [VERSION_1 | INDEPENDENT, 0x40, 0x82];
const BLOCK_LEN: usize = 64 * 1024;
/// How far back a block may point that is not independent.
const WINDOW: usize = 64 * 1024;
/// No byte of a block says more than 255 others.
const MAX_RATIO: usize = 255;

/// The level at which Java takes its fast compressor; at all others it takes the one that searches.
const FAST_LEVEL: i32 = 9;

fn compress(input: &[u8], level: i32, out: &mut Vec<u8>) {
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&HEADER);
    if level == FAST_LEVEL {
        put_blocks_fast(input, out)
    } else {
        put_blocks_searched(input, level, out)
    }
    put_block(out, 0, &[]);
}

fn put_blocks_searched(input: &[u8], level: i32, out: &mut Vec<u8>) {
    let (mut searcher, mut scratch) = (Searcher::new(level), Vec::new());
    for block in input.chunks(BLOCK_LEN) {
        scratch.clear();
        searcher.compress(block, &mut scratch);
        if scratch.len() < block.len() { put_block(out, 0, &scratch) } else { put_block(out, STORED, block) }
    }
}

fn put_blocks_fast(input: &[u8], out: &mut Vec<u8>) {
    let mut scratch = vec![0; block::get_maximum_output_size(input.len().min(BLOCK_LEN))];
    // Blocks of more than 65,534 bytes take the larger entries.
    let mut table = if input.len() < BLOCK_LEN { CompressTable::small() } else { CompressTable::large() };
    for block in input.chunks(BLOCK_LEN) {
        match block::compress_into_with_table(block, &mut scratch, &mut table) {
            Ok(len) if len < block.len() => put_block(out, 0, &scratch[..len]),
            _ => put_block(out, STORED, block),
        }
    }
}

fn put_block(out: &mut Vec<u8>, flag: u32, block: &[u8]) {
    let len = u32::try_from(block.len()).expect("a block has at most 64 KiB");
    out.extend_from_slice(&(len | flag).to_le_bytes());
    out.extend_from_slice(block);
}

/// One frame, and like Java nothing after it. The records have the batch's own CRC: those of the frame are passed
/// over.
fn decompress(input: &[u8], max_len: usize) -> Result<Vec<u8>, Error> {
    let mut cursor = Cursor::new(input);
    let mut out = Vec::new();
    let frame = Frame::read(&mut cursor).ok_or_else(malformed)?;
    while let Some(block) = frame.next_block(&mut cursor).ok_or_else(malformed)? {
        frame.append(block, max_len, &mut out)?;
    }
    Ok(out)
}

/// What a frame's header says of its blocks.
struct Frame {
    independent: bool,
    block_checksums: bool,
    max_block_len: usize,
}

struct Block<'a> {
    stored: bool,
    bytes: &'a [u8],
}

impl Frame {
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        let [a, b, c, d, flags, block_size] = cursor.array()?;
        // The sizes 4 to 7 are 64 KiB, 256 KiB, 1 MiB and 4 MiB.
        let size @ 4..=7 = block_size >> 4 else { return None };
        if [a, b, c, d] != MAGIC || flags & VERSION_MASK != VERSION_1 || flags & DICTIONARY != 0 {
            return None;
        }
        if flags & CONTENT_SIZE != 0 {
            cursor.take(8)?;
        }
        cursor.take(1)?; // the header's checksum
        Some(Self {
            independent: flags & INDEPENDENT != 0,
            block_checksums: flags & BLOCK_CHECKSUM != 0,
            max_block_len: 1 << (8 + 2 * size),
        })
    }

    /// `Some(None)` is the end mark.
    fn next_block<'a>(&self, cursor: &mut Cursor<'a>) -> Option<Option<Block<'a>>> {
        let head = u32::from_le_bytes(cursor.array()?);
        let len = usize::try_from(head & !STORED).ok()?;
        if head == 0 {
            return Some(None);
        }
        if len > self.max_block_len {
            return None;
        }
        let bytes = cursor.take(len)?;
        if self.block_checksums {
            cursor.take(4)?;
        }
        Some(Some(Block { stored: head & STORED != 0, bytes }))
    }

    fn append(&self, block: Block<'_>, max_len: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        let room = max_len - start;
        if block.stored {
            if block.bytes.len() > room {
                return Err(over_limit(max_len));
            }
            out.extend_from_slice(block.bytes);
            return Ok(());
        }
        let most = self.max_block_len.min(block.bytes.len().saturating_mul(MAX_RATIO));
        out.resize(start + most.min(room), 0);
        let (before, target) = out.split_at_mut(start);
        let window = if self.independent { &[] } else { &before[start.saturating_sub(WINDOW)..] };
        match block::decompress_into_with_dict(block.bytes, target, window) {
            Ok(len) => {
                out.truncate(start + len);
                Ok(())
            }
            Err(block::DecompressError::OutputTooSmall { .. }) if most > room => Err(over_limit(max_len)),
            Err(error) => Err(corrupt(error)),
        }
    }
}

#[cold]
fn malformed() -> Error {
    Error::new(ErrorKind::Batch, "the records are not an LZ4 frame")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame, its checksums left 0.
    fn frame(flags: u8, block_size: u8, blocks: &[(u32, &[u8])]) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &[flags, block_size]].concat();
        bytes.resize(bytes.len() + if flags & CONTENT_SIZE != 0 { 9 } else { 1 }, 0);
        for (head, block) in blocks {
            bytes.extend_from_slice(&head.to_le_bytes());
            bytes.extend_from_slice(block);
        }
        bytes
    }

    #[test]
    fn blocks_that_lean_on_the_one_before_are_read() {
        // Token: no literals, a copy of 4 + 4 bytes, from 8 before; then 5 literals, as a block has to end.
        let copy = [0x04, 8, 0, 0x50, b'a', b'b', b'c', b'd', b'e'];
        let blocks: [(u32, &[u8]); 3] = [(STORED | 8, b"12345678"), (9, &copy), (0, &[])];
        let linked = frame(VERSION_1, 0x40, &blocks);
        assert_eq!(decompress(&linked, 100).unwrap(), b"1234567812345678abcde");
        // Java refuses such frames; a block that calls itself independent has nothing to lean on.
        let independent = frame(VERSION_1 | INDEPENDENT, 0x40, &blocks);
        assert_eq!(decompress(&independent, 100).unwrap_err().kind(), ErrorKind::Batch);
    }

    #[test]
    fn sizes_and_checksums_are_passed_over() {
        let flags = VERSION_1 | INDEPENDENT | BLOCK_CHECKSUM | CONTENT_SIZE;
        let blocks: [(u32, &[u8]); 2] = [(STORED | 2, b"hi\0\0\0\0"), (0, &[])];
        assert_eq!(decompress(&frame(flags, 0x70, &blocks), 2).unwrap(), b"hi");
    }

    #[test]
    fn a_false_frame_is_refused() {
        let end: [(u32, &[u8]); 1] = [(0, &[])];
        assert_eq!(decompress(&frame(VERSION_1, 0x40, &end), 0).unwrap(), b"");
        let refused = [
            frame(0x80, 0x40, &end),
            frame(VERSION_1 | DICTIONARY, 0x40, &end),
            frame(VERSION_1, 0x30, &end),
            frame(VERSION_1, 0x40, &[]),
            frame(VERSION_1, 0x40, &[(65_537, &[0; 65_537]), (0, &[])]),
            frame(VERSION_1, 0x40, &[(STORED | 65_536, b"short")]),
        ];
        for bytes in refused {
            assert_eq!(
                decompress(&bytes, 1 << 20).unwrap_err().message(),
                "the records are not an LZ4 frame"
            );
        }
    }
}
