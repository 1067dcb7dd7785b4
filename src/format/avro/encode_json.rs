//! Avro's JSON encoding: the branch of a union is named, bytes are text of Latin-1.
//!
//! Agrees with `org.apache.avro.io.JsonEncoder` and Jackson's `UTF8JsonGenerator`.

use super::write_plan::{Emit, Wrapper, minimal};
use crate::format::in_place::{End, Stop, close, put};
use crate::format::scalar_writer::quote;
use crate::text::{self, Jdk, Room};

/// Writes a datum's JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonEmit {
    pub(super) jdk: Jdk,
}

impl Emit for JsonEmit {
    #[inline]
    fn begin<'o>(
        self,
        wrapper: &Wrapper,
        out: &'o mut [u8],
        at: usize,
    ) -> Result<(usize, &'o mut Room), Stop> {
        wrapper.label.put_before_room(out, at).ok_or(Stop::Full)
    }

    #[inline]
    fn end(self, wrapper: &Wrapper, out: &mut [u8], at: usize) -> End {
        if wrapper.in_union { put(out, at, b"}") } else { Ok(at) }
    }

    #[inline]
    fn null(self, wrapper: &Wrapper, out: &mut [u8], at: usize) -> End {
        wrapper.label.put(out, at).ok_or(Stop::Full)?;
        put(out, at + wrapper.null_at, b"null")
    }

    #[inline]
    fn boolean(self, value: bool, room: &mut Room) -> usize {
        text::put_boolean(room, value)
    }

    #[inline]
    fn int(self, value: i32, room: &mut Room) -> usize {
        text::put_integer(room, value.into())
    }

    #[inline]
    fn long(self, value: i64, room: &mut Room) -> usize {
        text::put_integer(room, value)
    }

    /// What is no number is quoted, and no reader takes it back.
    #[inline]
    fn float(self, value: f32, room: &mut Room) -> usize {
        let len = text::put_f32(room, value, self.jdk);
        if value.is_finite() { len } else { quote(room, len) }
    }

    #[inline]
    fn double(self, value: f64, room: &mut Room) -> usize {
        let len = text::put_f64(room, value, self.jdk);
        if value.is_finite() { len } else { quote(room, len) }
    }

    fn decimal(self, unscaled: i128, out: &mut [u8], at: usize) -> End {
        let (bytes, len) = minimal(unscaled);
        self.bytes(&bytes[..len], out, at)
    }

    fn string(self, value: &str, out: &mut [u8], at: usize) -> End {
        let at = put(out, at, b"\"")?;
        let end = text::put_escaped(out, at, value).ok_or(Stop::Full)?;
        put(out, end, b"\"")
    }

    fn bytes(self, value: &[u8], out: &mut [u8], at: usize) -> End {
        let mut at = put(out, at, b"\"")?;
        for byte in value {
            let character = char::from(*byte);
            at = text::put_escaped(out, at, character.encode_utf8(&mut [0; 4])).ok_or(Stop::Full)?;
        }
        put(out, at, b"\"")
    }

    fn symbol(self, _index: i32, symbol: &str, out: &mut [u8], at: usize) -> End {
        self.string(symbol, out, at)
    }

    #[inline]
    fn end_record(self, out: &mut [u8], start: usize, end: usize) -> End {
        close(out, start, end, [b'{', b'}'])
    }

    #[inline]
    fn begin_list(self, _len: usize, _out: &mut [u8], at: usize) -> End {
        Ok(at)
    }

    #[inline]
    fn end_array(self, out: &mut [u8], start: usize, end: usize) -> End {
        close(out, start, end, [b'[', b']'])
    }

    #[inline]
    fn key(self, key: &str, out: &mut [u8], at: usize) -> End {
        let at = put(out, at, b",")?;
        self.string(key, out, at)
    }

    #[inline]
    fn end_map(self, out: &mut [u8], start: usize, end: usize) -> End {
        close(out, start, end, [b'{', b'}'])
    }
}
