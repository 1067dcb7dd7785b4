//! Integers. Agrees with `Long.toString`.

use crate::text::digits::append_unsigned;

/// Appends `value` in decimal.
#[inline]
pub(crate) fn write_integer(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    append_unsigned(out, value.unsigned_abs());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_and_the_greatest_are_written_whole() {
        let mut out = Vec::new();
        for value in [0, -1, i64::MIN, i64::MAX] {
            write_integer(&mut out, value);
            out.push(b' ');
        }
        assert_eq!(out, b"0 -1 -9223372036854775808 9223372036854775807 ");
    }
}
