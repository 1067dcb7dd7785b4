//! Zig-zag varints, as Kafka's records and Avro's integers have them: 7 bits a byte, the lowest first.
//!
//! Agrees with `ByteUtils.writeVarint` and `writeVarlong`.

/// Appends a zig-zag varint, 1 to 5 bytes.
#[inline]
pub(crate) fn append_varint(out: &mut Vec<u8>, value: i32) {
    append_varlong(out, value.into());
}

/// Appends a zig-zag varlong, 1 to 10 bytes.
#[inline]
pub(crate) fn append_varlong(out: &mut Vec<u8>, value: i64) {
    match zigzag(value) {
        // Nearly all there are.
        bits @ 0..0x80 => out.push(low_byte(bits)),
        bits @ 0x80..0x4000 => out.extend_from_slice(&[low_byte(bits) | 0x80, low_byte(bits >> 7)]),
        _ => append_long(out, value),
    }
}

#[inline(never)]
fn append_long(out: &mut Vec<u8>, value: i64) {
    let mut room = [0; LONGEST];
    let len = put_varlong(&mut room, value);
    out.extend_from_slice(&room[..len]);
}

/// Writes a zig-zag varint or varlong at the start of a room, and says how long it is. Not inlined: all numbers of a row
/// come through the same few instructions.
#[inline(never)]
pub(crate) fn put_varlong<const N: usize>(room: &mut [u8; N], value: i64) -> usize {
    put_unsigned(room, zigzag(value))
}

/// The bytes of `value` as a varint.
#[inline]
pub(crate) fn varint_len(value: i32) -> usize {
    varlong_len(value.into())
}

/// The bytes of `value` as a varlong.
#[inline]
pub(crate) fn varlong_len(value: i64) -> usize {
    unsigned_len(zigzag(value))
}

/// More than 64 bits, 7 bits a byte.
const LONGEST: usize = 10;

#[inline]
fn put_unsigned<const N: usize>(room: &mut [u8; N], value: u64) -> usize {
    /// Says that another byte follows.
    const MARKS: u64 = 0x8080_8080_8080_8080;
    const { assert!(N >= LONGEST) };
    if value < 0x80 {
        room[0] = low_byte(value);
        return 1;
    }
    let groups = spread(value);
    let rest = value >> 56;
    if rest == 0 {
        let zeros = groups.leading_zeros();
        // All but the last byte are marked.
        let marks = MARKS >> (zeros | 7) >> 1;
        room[..8].copy_from_slice(&(groups | marks).to_le_bytes());
        return 8 - zeros as usize / 8;
    }
    room[..8].copy_from_slice(&(groups | MARKS).to_le_bytes());
    room[8] = low_byte(rest);
    room[9] = low_byte(rest >> 7);
    9 + usize::from(room[9])
}

/// The lowest 56 bits, 7 in each byte: parted in halves three times.
#[inline]
fn spread(value: u64) -> u64 {
    let halves = (value & 0x00FF_FFFF_F000_0000) << 4 | value & 0x0FFF_FFFF;
    let quarters = (halves & 0x0FFF_C000_0FFF_C000) << 2 | halves & 0x0000_3FFF_0000_3FFF;
    (quarters & 0x3F80_3F80_3F80_3F80) << 1 | quarters & 0x007F_007F_007F_007F
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

#[expect(clippy::cast_sign_loss, reason = "the sign moves to the lowest bit")]
#[inline]
fn zigzag(value: i64) -> u64 {
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
            append_varint(&mut out, value);
            assert_eq!(out, bytes, "{value}");
        }
        let mut out = Vec::new();
        append_varlong(&mut out, i64::MIN);
        assert_eq!(out, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    }

    proptest! {
        #[test]
        fn a_varlong_reads_back_and_is_as_long_as_told(value in any::<i64>(), shift in 0..64) {
            let value = value >> shift;
            let mut out = Vec::new();
            append_varlong(&mut out, value);
            prop_assert_eq!(out.len(), varlong_len(value));
            prop_assert_eq!(Cursor::new(&out).varlong(), Some(value));
        }

        #[test]
        fn a_varint_reads_back_and_is_as_long_as_told(value in any::<i32>(), shift in 0..32) {
            let value = value >> shift;
            let mut out = Vec::new();
            append_varint(&mut out, value);
            prop_assert_eq!(out.len(), varint_len(value));
            prop_assert_eq!(Cursor::new(&out).varint(), Some(value));
        }
    }
}
