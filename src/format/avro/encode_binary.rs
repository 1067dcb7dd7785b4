//! Avro's binary encoding.
//!
//! Agrees with `org.apache.avro.io.BinaryEncoder`.

use super::write_plan::{Emit, Wrapper, minimal};
use crate::format::in_place::{End, Stop, chunk, put, put_bytes};
use crate::text::Room;
use crate::wire::put_varlong;

/// Writes a datum's bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct BinaryEmit;

impl Emit for BinaryEmit {
    #[inline]
    fn begin<'o>(
        self,
        wrapper: &Wrapper,
        out: &'o mut [u8],
        at: usize,
    ) -> Result<(usize, &'o mut Room), Stop> {
        // The branch is written in any case, and counts in a union.
        let room: &mut [u8; 1 + size_of::<Room>()] = chunk(out, at)?;
        room[0] = wrapper.branch;
        let start = usize::from(wrapper.in_union);
        let room = room[start..].first_chunk_mut().ok_or(Stop::Full)?;
        Ok((at + start, room))
    }

    #[inline]
    fn end(self, _wrapper: &Wrapper, _out: &mut [u8], at: usize) -> End {
        Ok(at)
    }

    #[inline]
    fn null(self, wrapper: &Wrapper, out: &mut [u8], at: usize) -> End {
        put(out, at, &[2 - wrapper.branch])
    }

    #[inline]
    fn boolean(self, value: bool, room: &mut Room) -> usize {
        room[0] = value.into();
        1
    }

    #[inline]
    fn int(self, value: i32, room: &mut Room) -> usize {
        put_varlong(room, value.into())
    }

    #[inline]
    fn long(self, value: i64, room: &mut Room) -> usize {
        put_varlong(room, value)
    }

    #[inline]
    fn float(self, value: f32, room: &mut Room) -> usize {
        room[..4].copy_from_slice(&value.to_le_bytes());
        4
    }

    #[inline]
    fn double(self, value: f64, room: &mut Room) -> usize {
        room[..8].copy_from_slice(&value.to_le_bytes());
        8
    }

    #[inline]
    fn decimal(self, unscaled: i128, out: &mut [u8], at: usize) -> End {
        let (bytes, len) = minimal(unscaled);
        let room: &mut Room = chunk(out, at)?;
        let start = put_count(room, len);
        room[start..][..bytes.len()].copy_from_slice(&bytes);
        Ok(at + start + len)
    }

    #[inline]
    fn string(self, value: &str, out: &mut [u8], at: usize) -> End {
        self.bytes(value.as_bytes(), out, at)
    }

    #[inline]
    fn bytes(self, value: &[u8], out: &mut [u8], at: usize) -> End {
        let start = at + put_count(chunk(out, at)?, value.len());
        put_bytes(out, start, value)
    }

    #[inline]
    fn symbol(self, index: i32, _symbol: &str, out: &mut [u8], at: usize) -> End {
        let room: &mut Room = chunk(out, at)?;
        Ok(at + put_varlong(room, index.into()))
    }

    #[inline]
    fn end_record(self, _out: &mut [u8], _start: usize, end: usize) -> End {
        Ok(end)
    }

    /// All items are one block; there is none where there are none.
    #[inline]
    fn begin_list(self, len: usize, out: &mut [u8], at: usize) -> End {
        if len == 0 { Ok(at) } else { Ok(at + put_count(chunk(out, at)?, len)) }
    }

    #[inline]
    fn end_array(self, out: &mut [u8], _start: usize, end: usize) -> End {
        put(out, end, &[0])
    }

    #[inline]
    fn key(self, key: &str, out: &mut [u8], at: usize) -> End {
        self.string(key, out, at)
    }

    #[inline]
    fn end_map(self, out: &mut [u8], _start: usize, end: usize) -> End {
        put(out, end, &[0])
    }
}

/// Writes the number of things in memory, which has no more than 63 bits.
#[inline]
fn put_count(room: &mut Room, count: usize) -> usize {
    match u8::try_from(count) {
        // The varint is one byte.
        Ok(few @ 0..64) => {
            room[0] = 2 * few;
            1
        }
        _ => put_varlong(room, i64::try_from(count).unwrap_or(i64::MAX)),
    }
}
