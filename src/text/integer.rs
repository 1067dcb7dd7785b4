//! Integers. Agrees with `Long.toString`.

use crate::text::digits::put_unsigned;
use crate::text::room::Room;

/// Writes `value` in decimal. Not inlined: all numbers of a row come through the same few instructions.
#[inline(never)]
pub(crate) fn put_integer(room: &mut Room, value: i64) -> usize {
    put_integer_at(room, 0, value)
}

/// Writes `value` in decimal from `at` on, and says where it ends.
#[inline]
pub(super) fn put_integer_at(room: &mut Room, at: usize, value: i64) -> usize {
    room[at] = b'-';
    put_unsigned(room, at + usize::from(value < 0), value.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::room::text_of;

    #[test]
    fn the_least_and_the_greatest_are_written_whole() {
        for (value, expected) in
            [(0, "0"), (-1, "-1"), (i64::MIN, "-9223372036854775808"), (i64::MAX, "9223372036854775807")]
        {
            assert_eq!(text_of(|room| put_integer(room, value)), expected);
        }
    }
}
