//! DECIMAL, of at most 38 digits and decimals. Agrees with `java.math.BigDecimal`.
//!
//! What fits a word of digits, nearly every decimal, is written in one go; the rest in pieces.

use crate::text::digits::{WORD, put_eight, put_fixed, put_unsigned};
use crate::text::integer::put_integer_at;
use crate::text::room::{Room, put_text};

/// Writes `unscaled` / 10^`scale` with exactly `scale` decimals, as `BigDecimal.toPlainString`.
#[inline]
pub(crate) fn put_decimal_plain(room: &mut Room, unscaled: i128, scale: u8) -> usize {
    let at = put_sign(room, unscaled < 0);
    let magnitude = unscaled.unsigned_abs();
    match u64::try_from(magnitude) {
        Ok(word) if scale <= FEW_DECIMALS => put_word(room, at, word, scale),
        _ => put_plain(room, at, itoa::Buffer::new().format(magnitude).as_bytes(), scale.into()),
    }
}

/// Writes `unscaled` / 10^`scale` without zeros at its end, as `BigDecimal.stripTrailingZeros().toString()`: `1.5`,
/// `1.2E+2`, `1E-7`.
#[inline]
pub(crate) fn put_decimal_scientific(room: &mut Room, unscaled: i128, scale: u8) -> usize {
    let at = put_sign(room, unscaled < 0);
    let magnitude = unscaled.unsigned_abs();
    if let Ok(word) = u64::try_from(magnitude) {
        let (word, scale) = strip(word, scale);
        // With up to six decimals, or with none and a last digit other than zero, there is no exponent.
        if scale <= 6 && (!word.is_multiple_of(10) || word == 0) {
            return put_word(room, at, word, scale);
        }
    }
    put_stripped(room, at, magnitude, scale.into())
}

/// Drops zeros after the point.
#[inline]
fn strip(mut word: u64, mut scale: u8) -> (u64, u8) {
    while scale > 0 && word.is_multiple_of(10) {
        word /= 10;
        scale -= 1;
    }
    (word, scale)
}

/// So many decimals are written as one word.
const FEW_DECIMALS: u8 = 8;

/// The plain notation of a word with at most [`FEW_DECIMALS`] decimals.
#[inline]
fn put_word(room: &mut Room, at: usize, magnitude: u64, scale: u8) -> usize {
    match scale {
        0 => put_unsigned(room, at, magnitude),
        1..FEW_DECIMALS if magnitude < WORD => put_fixed(room, at, magnitude, scale.into(), scale.into()),
        _ => put_long_word(room, at, magnitude, scale),
    }
}

#[inline(never)]
fn put_long_word(room: &mut Room, at: usize, magnitude: u64, scale: u8) -> usize {
    let unit = 10_u64.pow(scale.into());
    let point = put_unsigned(room, at, magnitude / unit);
    room[point] = b'.';
    put_eight(room, point + 1, magnitude % unit * (WORD / unit));
    point + 1 + usize::from(scale)
}

#[inline]
fn put_sign(room: &mut Room, negative: bool) -> usize {
    room[0] = b'-';
    usize::from(negative)
}

/// Plain notation: `scale` of the digits after the point, zeros in front of them where there are fewer.
fn put_plain(room: &mut Room, at: usize, digits: &[u8], scale: usize) -> usize {
    let (whole, decimals) = digits.split_at(digits.len().saturating_sub(scale));
    let mut at = put_text(room, at, if whole.is_empty() { b"0" } else { whole });
    if scale > 0 {
        room[at] = b'.';
        let first = at + 1 + scale - decimals.len();
        room[at + 1..first].fill(b'0');
        at = put_text(room, first, decimals);
    }
    at
}

/// `BigDecimal.toString` of digits other than zero: plain unless the scale is negative or more than five zeros
/// would follow the point, else with one digit before the point and an exponent that has a sign.
#[expect(clippy::cast_possible_wrap, reason = "at most 39 digits")]
#[inline(never)]
fn put_stripped(room: &mut Room, at: usize, magnitude: u128, scale: i64) -> usize {
    let mut digits = itoa::Buffer::new();
    let digits = digits.format(magnitude).as_bytes();
    let significant = digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
    let (digits, zeros) = digits.split_at(significant);
    let scale = scale - zeros.len() as i64;
    let exponent = digits.len() as i64 - 1 - scale;
    match usize::try_from(scale) {
        Ok(scale) if exponent >= -6 => put_plain(room, at, digits, scale),
        _ => {
            let (whole, decimals) = digits.split_at(1);
            let mut at = put_text(room, at, whole);
            if !decimals.is_empty() {
                room[at] = b'.';
                at = put_text(room, at + 1, decimals);
            }
            at = put_text(room, at, if exponent < 0 { b"E" } else { b"E+" });
            put_integer_at(room, at, exponent)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::room::text_of;

    fn plain(unscaled: i128, scale: u8) -> String {
        text_of(|room| put_decimal_plain(room, unscaled, scale))
    }

    fn scientific(unscaled: i128, scale: u8) -> String {
        text_of(|room| put_decimal_scientific(room, unscaled, scale))
    }

    /// From `java.math.BigDecimal`.
    #[test]
    fn both_notations_are_those_of_big_decimal() {
        let cases = [
            (0, 0, "0", "0"),
            (0, 2, "0.00", "0"),
            (150, 2, "1.50", "1.5"),
            (-150, 2, "-1.50", "-1.5"),
            (1000, 2, "10.00", "1E+1"),
            (120, 0, "120", "1.2E+2"),
            (123_450_000, 2, "1234500.00", "1.2345E+6"),
            (10_000, 10, "0.0000010000", "0.000001"),
            (1, 7, "0.0000001", "1E-7"),
            (-12, 8, "-0.00000012", "-1.2E-7"),
            (123, 9, "0.000000123", "1.23E-7"),
            (5, 1, "0.5", "0.5"),
            (-5, 3, "-0.005", "-0.005"),
            (99, 0, "99", "99"),
            (10_i128.pow(37), 0, "10000000000000000000000000000000000000", "1E+37"),
            (10_i128.pow(37), 37, "1.0000000000000000000000000000000000000", "1"),
            (-1, 38, "-0.00000000000000000000000000000000000001", "-1E-38"),
            (
                10_i128.pow(38) - 1,
                18,
                "99999999999999999999.999999999999999999",
                "99999999999999999999.999999999999999999",
            ),
            (u64::MAX.into(), 20, "0.18446744073709551615", "0.18446744073709551615"),
            (-i128::from(u64::MAX), 20, "-0.18446744073709551615", "-0.18446744073709551615"),
            (i128::from(u64::MAX) + 1, 1, "1844674407370955161.6", "1844674407370955161.6"),
            (i64::MIN.into(), 1, "-922337203685477580.8", "-922337203685477580.8"),
        ];
        for (unscaled, scale, in_full, stripped) in cases {
            assert_eq!(plain(unscaled, scale), in_full);
            assert_eq!(scientific(unscaled, scale), stripped);
        }
    }

    #[test]
    fn the_longest_has_room() {
        let least = -(10_i128.pow(38) - 1);
        assert_eq!(plain(least, 38), format!("-0.{}", "9".repeat(38)));
        assert_eq!(scientific(least + 9, 0), format!("-9.{}E+37", "9".repeat(36)));
    }

    proptest::proptest! {
        #[test]
        fn a_word_is_written_like_any_other_number(magnitude: u64, shift in 0..64_u32, scale in 0..=FEW_DECIMALS) {
            let magnitude = magnitude >> shift;
            let word = text_of(|room| put_word(room, 0, magnitude, scale));
            let digits = text_of(|room| put_plain(room, 0, magnitude.to_string().as_bytes(), scale.into()));
            proptest::prop_assert_eq!(word, digits);
        }
    }
}
