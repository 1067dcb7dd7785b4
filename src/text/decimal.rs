//! DECIMAL. Agrees with `java.math.BigDecimal`.
//!
//! What fits a word, nearly every decimal, is written in one go; the rest in pieces.

use crate::text::digits::{WORD, append_decimals, append_unsigned};
use crate::text::integer::write_integer;

/// Appends `unscaled` / 10^`scale` with exactly `scale` decimals, as `BigDecimal.toPlainString`.
#[inline]
pub(crate) fn write_decimal_plain(out: &mut Vec<u8>, unscaled: i128, scale: u8) {
    let magnitude = unscaled.unsigned_abs();
    match u64::try_from(magnitude) {
        Ok(magnitude) if scale <= FEW_DECIMALS => write_word(out, unscaled < 0, magnitude, scale),
        _ => {
            write_plain(out, unscaled < 0, itoa::Buffer::new().format(magnitude).as_bytes(), scale.into());
        }
    }
}

/// Appends `unscaled` / 10^`scale` without zeros at its end, as `BigDecimal.stripTrailingZeros().toString()`: `1.5`,
/// `1.2E+2`, `1E-7`.
#[inline]
pub(crate) fn write_decimal_scientific(out: &mut Vec<u8>, unscaled: i128, scale: u8) {
    let magnitude = unscaled.unsigned_abs();
    if let Ok(word) = u64::try_from(magnitude)
        && scale <= FEW_DECIMALS
    {
        let (whole, decimals) = split(word, scale);
        // Up to six decimals, or with a digit in front of the point, there is no exponent.
        if decimals != 0 && (whole != 0 || scale <= 6) {
            write_sign(out, unscaled < 0);
            append_unsigned(out, whole);
            out.push(b'.');
            return append_decimals(out, decimals, None);
        }
        if decimals == 0 && (whole == 0 || whole % 10 != 0) {
            write_sign(out, unscaled < 0);
            return append_unsigned(out, whole);
        }
    }
    if magnitude == 0 {
        out.push(b'0');
    } else {
        write_stripped(out, unscaled < 0, itoa::Buffer::new().format(magnitude).as_bytes(), scale.into());
    }
}

/// So many decimals are written as one word.
const FEW_DECIMALS: u8 = 8;

/// The plain notation of a word with at most [`FEW_DECIMALS`] decimals.
#[inline]
fn write_word(out: &mut Vec<u8>, negative: bool, magnitude: u64, scale: u8) {
    let (whole, decimals) = split(magnitude, scale);
    write_sign(out, negative);
    append_unsigned(out, whole);
    if scale > 0 {
        out.push(b'.');
        append_decimals(out, decimals, Some(scale.into()));
    }
}

/// What stands before the point, and eight digits of what stands behind it.
#[inline]
fn split(magnitude: u64, scale: u8) -> (u64, u64) {
    /// A division by what is known beforehand is a multiplication.
    const fn at<const UNIT: u64>(magnitude: u64) -> (u64, u64) {
        (magnitude / UNIT, magnitude % UNIT * (WORD / UNIT))
    }
    match scale {
        0 => at::<1>(magnitude),
        1 => at::<10>(magnitude),
        2 => at::<100>(magnitude),
        3 => at::<1000>(magnitude),
        4 => at::<10_000>(magnitude),
        5 => at::<100_000>(magnitude),
        6 => at::<1_000_000>(magnitude),
        7 => at::<10_000_000>(magnitude),
        FEW_DECIMALS.. => at::<WORD>(magnitude),
    }
}

#[inline]
fn write_sign(out: &mut Vec<u8>, negative: bool) {
    if negative {
        out.push(b'-');
    }
}

/// Plain notation: `scale` of the digits behind the point, zeros in front of them where there are fewer.
fn write_plain(out: &mut Vec<u8>, negative: bool, digits: &[u8], scale: usize) {
    if negative {
        out.push(b'-');
    }
    let (whole, decimals) = digits.split_at(digits.len().saturating_sub(scale));
    out.extend_from_slice(if whole.is_empty() { b"0" } else { whole });
    if scale > 0 {
        out.push(b'.');
        out.resize(out.len() + scale - decimals.len(), b'0');
        out.extend_from_slice(decimals);
    }
}

/// `BigDecimal.toString` of digits other than zero: plain unless the scale is negative or more than five zeros
/// would follow the point, else with one digit before the point and an exponent that has a sign.
#[expect(clippy::cast_possible_wrap, reason = "at most 39 digits")]
fn write_stripped(out: &mut Vec<u8>, negative: bool, digits: &[u8], scale: i32) {
    let significant = digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
    let (digits, zeros) = digits.split_at(significant);
    let scale = i64::from(scale) - zeros.len() as i64;
    let exponent = digits.len() as i64 - 1 - scale;
    match usize::try_from(scale) {
        Ok(scale) if exponent >= -6 => write_plain(out, negative, digits, scale),
        _ => {
            let (whole, decimals) = digits.split_at(1);
            if negative {
                out.push(b'-');
            }
            out.extend_from_slice(whole);
            if !decimals.is_empty() {
                out.push(b'.');
                out.extend_from_slice(decimals);
            }
            out.extend_from_slice(if exponent < 0 { b"E" } else { b"E+" });
            write_integer(out, exponent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(unscaled: i128, scale: u8) -> String {
        let mut out = Vec::new();
        write_decimal_plain(&mut out, unscaled, scale);
        String::from_utf8(out).unwrap()
    }

    fn scientific(unscaled: i128, scale: u8) -> String {
        let mut out = Vec::new();
        write_decimal_scientific(&mut out, unscaled, scale);
        String::from_utf8(out).unwrap()
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
    fn no_scale_and_no_value_is_too_much() {
        assert_eq!(plain(i128::MIN, u8::MAX).len(), "-0.".len() + 255);
        assert_eq!(scientific(i128::MIN, u8::MAX), "-1.70141183460469231731687303715884105728E-217");
    }

    proptest::proptest! {
        #[test]
        fn a_word_is_written_like_any_other_number(magnitude: u64, shift in 0..64_u32, scale in 0..=FEW_DECIMALS, negative: bool) {
            let magnitude = magnitude >> shift;
            let (mut word, mut digits) = (Vec::new(), Vec::new());
            write_word(&mut word, negative, magnitude, scale);
            write_plain(&mut digits, negative, magnitude.to_string().as_bytes(), scale.into());
            proptest::prop_assert_eq!(word, digits);
        }
    }
}
