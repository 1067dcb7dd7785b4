//! Zig-zag varints, as Kafka's records and Avro's integers have them: 7 bits a byte, the lowest first.
//!
//! Agrees with `ByteUtils.writeVarint` and `writeVarlong`.

/// Appends a zig-zag varint, 1 to 5 bytes.
#[inline]
pub(crate) fn put_varint(out: &mut Vec<u8>, value: i32) {
    put_unsigned(out, u64::from(zigzag32(value)));
}

/// Appends a zig-zag varlong, 1 to 10 bytes.
#[inline]
pub(crate) fn put_varlong(out: &mut Vec<u8>, value: i64) {
    put_unsigned(out, zigzag64(value));
}

/// The bytes of `value` as a varint.
#[inline]
pub(crate) fn varint_len(value: i32) -> usize {
    unsigned_len(u64::from(zigzag32(value)))
}

/// The bytes of `value` as a varlong.
#[inline]
pub(crate) fn varlong_len(value: i64) -> usize {
    unsigned_len(zigzag64(value))
}

#[inline]
fn put_unsigned(out: &mut Vec<u8>, mut rest: u64) {
    while rest >= 0x80 {
        out.push(low_byte(rest) | 0x80);
        rest >>= 7;
    }
    out.push(low_byte(rest));
}

#[inline]
fn unsigned_len(value: u64) -> usize {
    match value {
        // Nearly all there are.
        0..0x80 => 1,
        0x80..0x4000 => 2,
        _ => (64 - value.leading_zeros()).div_ceil(7) as usize,
    }
}

#[expect(clippy::cast_sign_loss, reason = "zig-zag: the sign moves to the lowest bit")]
#[inline]
fn zigzag32(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

#[expect(clippy::cast_sign_loss, reason = "zig-zag: the sign moves to the lowest bit")]
#[inline]
fn zigzag64(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

#[expect(clippy::cast_possible_truncation, reason = "the lowest byte is meant")]
#[inline]
fn low_byte(value: u64) -> u8 {
    value as u8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::Cursor;

    #[test]
    fn varints_are_those_of_kafkas_own_test() {
        // ByteUtilsTest.testCorrectnessWriteVarint and its neighbours.
        let cases: [(i32, &[u8]); 14] = [
            (0, &[0x00]),
            (-1, &[0x01]),
            (1, &[0x02]),
            (63, &[0x7e]),
            (-64, &[0x7f]),
            (64, &[0x80, 0x01]),
            (-65, &[0x81, 0x01]),
            (8191, &[0xfe, 0x7f]),
            (-8192, &[0xff, 0x7f]),
            (8192, &[0x80, 0x80, 0x01]),
            (1_048_575, &[0xfe, 0xff, 0x7f]),
            (134_217_728, &[0x80, 0x80, 0x80, 0x80, 0x01]),
            (i32::MAX, &[0xfe, 0xff, 0xff, 0xff, 0x0f]),
            (i32::MIN, &[0xff, 0xff, 0xff, 0xff, 0x0f]),
        ];
        for (value, bytes) in cases {
            let mut out = Vec::new();
            put_varint(&mut out, value);
            assert_eq!(out, bytes, "{value}");
        }
        let mut out = Vec::new();
        put_varlong(&mut out, i64::MIN);
        assert_eq!(out, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    }

    proptest! {
        #[test]
        fn a_varlong_reads_back_and_is_as_long_as_told(value in any::<i64>(), shift in 0..64) {
            let value = value >> shift;
            let mut out = Vec::new();
            put_varlong(&mut out, value);
            prop_assert_eq!(out.len(), varlong_len(value));
            prop_assert_eq!(Cursor::new(&out).varlong(), Some(value));
        }

        #[test]
        fn a_varint_reads_back_and_is_as_long_as_told(value in any::<i32>(), shift in 0..32) {
            let value = value >> shift;
            let mut out = Vec::new();
            put_varint(&mut out, value);
            prop_assert_eq!(out.len(), varint_len(value));
            prop_assert_eq!(Cursor::new(&out).varint(), Some(value));
        }
    }
}
