//! FLOAT and DOUBLE. Agrees with `Float.parseFloat` and `Double.parseDouble`.

use std::ops::Neg;
use std::str::FromStr;

use crate::text::parse_integer::trim_java;

/// The double nearest to the number in `text`, infinite if that is too large; `None` if there is no number.
///
/// Blanks around the number are cut. It is a sign or none, then `NaN`, `Infinity`, a decimal number (`1.5e3`, `.5`,
/// `5.`) or a hexadecimal one (`0x1.8p1`), which may end with a Java type suffix (`f`, `F`, `d`, `D`) that means
/// nothing.
pub(crate) fn parse_f64(text: &str) -> Option<f64> {
    parse(text)
}

/// The float nearest to the number in `text`, as [`parse_f64`] reads it, rounded once.
pub(crate) fn parse_f32(text: &str) -> Option<f32> {
    parse(text)
}

/// What the two types differ in.
trait Binary: FromStr + Neg<Output = Self> {
    const NAN: Self;
    const INFINITY: Self;
    /// Bits of the significand of a normal number.
    const PRECISION: u32;
    /// The greatest exponent of a number's first bit.
    const MAX_EXPONENT: i64;
    /// The exponent of the least positive number.
    const MIN_EXPONENT: i64;

    fn from_bits(bits: u64) -> Self;
}

impl Binary for f64 {
    const NAN: Self = Self::NAN;
    const INFINITY: Self = Self::INFINITY;
    const PRECISION: u32 = 53;
    const MAX_EXPONENT: i64 = 1023;
    const MIN_EXPONENT: i64 = -1074;

    fn from_bits(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}

impl Binary for f32 {
    const NAN: Self = Self::NAN;
    const INFINITY: Self = Self::INFINITY;
    const PRECISION: u32 = 24;
    const MAX_EXPONENT: i64 = 127;
    const MIN_EXPONENT: i64 = -149;

    #[expect(clippy::cast_possible_truncation, reason = "the number is of 32 bits")]
    fn from_bits(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
}

fn parse<F: Binary>(text: &str) -> Option<F> {
    let text = trim_java(text);
    let (negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = match *text.as_bytes() {
        [b'0', b'x' | b'X', ..] => parse_hexadecimal(&text[2..])?,
        // Rust takes more words and signs than Java, but the same numbers.
        [b'0'..=b'9' | b'.', ..] => without_suffix(text).parse().ok()?,
        _ if text == "NaN" => F::NAN,
        _ if text == "Infinity" => F::INFINITY,
        _ => return None,
    };
    Some(if negative { -magnitude } else { magnitude })
}

fn without_suffix(text: &str) -> &str {
    text.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(text)
}

/// `1.8p1`: digits with or without a point, and the exponent of two that must be there.
fn parse_hexadecimal<F: Binary>(text: &str) -> Option<F> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let mut exponent = parse_exponent(without_suffix(exponent))?;
    let mut significand = 0_u64;
    let mut is_inexact = false;
    let mut has_digits = false;
    let mut has_point = false;
    for character in digits.chars() {
        if character == '.' && !has_point {
            has_point = true;
            continue;
        }
        let digit = character.to_digit(16)?;
        has_digits = true;
        let fits = significand >> 60 == 0;
        if fits {
            significand = significand << 4 | u64::from(digit);
        } else {
            is_inexact |= digit != 0;
        }
        exponent = exponent.saturating_add(match (has_point, fits) {
            (true, true) => -4,
            (false, false) => 4,
            (true, false) | (false, true) => 0,
        });
    }
    has_digits.then(|| round(significand, is_inexact, exponent))
}

/// A sign or none and digits; what is beyond 64 bits comes to the same as the greatest.
fn parse_exponent(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0_i64, |exponent, character| {
        Some(exponent.saturating_mul(10).saturating_add(sign * i64::from(character.to_digit(10)?)))
    })
}

/// The number nearest to `significand` × 2^`exponent`, or to a little more, and of two the even one.
fn round<F: Binary>(significand: u64, is_inexact: bool, exponent: i64) -> F {
    if significand == 0 {
        return F::from_bits(0);
    }
    let zeros = significand.leading_zeros();
    let significand = significand << zeros;
    let first = exponent.saturating_add(63 - i64::from(zeros));
    if first > F::MAX_EXPONENT {
        return F::INFINITY;
    }
    // Numbers below the normal ones have fewer bits.
    let bits = first.saturating_sub(F::MIN_EXPONENT - 1).min(F::PRECISION.into());
    let Ok(bits) = u32::try_from(bits) else {
        return F::from_bits(0);
    };
    let kept = significand.checked_shr(u64::BITS - bits).unwrap_or(0);
    let dropped = significand << bits;
    let half = 1 << 63;
    let round_up = dropped > half || dropped == half && (is_inexact || kept % 2 == 1);
    // The first bit of a normal number counts towards its exponent, as does what is carried out of its last.
    let biased = u64::try_from(first + F::MAX_EXPONENT - 1).unwrap_or(0);
    F::from_bits((biased << (F::PRECISION - 1)) + kept + u64::from(round_up))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `Double.parseDouble`.
    #[test]
    fn java_reads_words_suffixes_and_both_bases() {
        let cases = [
            ("1.5", 1.5),
            (" \t-1.5e3\n", -1500.0),
            ("+.5", 0.5),
            ("5.", 5.0),
            ("5.e1", 50.0),
            ("1f", 1.0),
            ("1.5D", 1.5),
            ("1e2d", 100.0),
            ("00.10", 0.1),
            ("1e400", f64::INFINITY),
            ("-1e99999999999999999999", f64::NEG_INFINITY),
            ("1e-400", 0.0),
            ("Infinity", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("4.9E-324", f64::from_bits(1)),
            ("0x1p3", 8.0),
            ("0X1.8P+1", 3.0),
            ("-0x.8p1f", -1.0),
            ("0x1.p-1", 0.5),
            ("0xAbCdEf.p0", 11_259_375.0),
            ("0x1p-1074", f64::from_bits(1)),
            ("0x1p-1075", 0.0),
            ("0x1.8p-1075", f64::from_bits(1)),
            ("0x1.00000000000008p0", 1.0),
            ("0x1.000000000000080000000000000000001p0", 1.0 + f64::EPSILON),
            ("0x1.fffffffffffff8p1023", f64::INFINITY),
            ("0x1p99999999999999999999", f64::INFINITY),
            ("0x0p99999999999999999999", 0.0),
            ("0x1p-99999999999999999999", 0.0),
        ];
        for (text, value) in cases {
            assert_eq!(parse_f64(text), Some(value), "{text}");
        }
        assert_eq!(parse_f64("-0").map(f64::to_bits), Some((-0.0_f64).to_bits()));
        assert!(parse_f64("-NaN").unwrap().is_nan());
    }

    #[test]
    fn a_float_is_rounded_once() {
        assert_eq!(parse_f32("1.00000017881393432617187499"), Some(1.000_000_1));
        assert_eq!(parse_f32("0x1.000001p0"), Some(1.0));
        assert_eq!(parse_f32("0x1.0000010000000000000000001p0"), Some(1.0 + f32::EPSILON));
        assert_eq!(parse_f32("0x1p-149"), Some(f32::from_bits(1)));
        assert_eq!(parse_f32("1e39"), Some(f32::INFINITY));
    }

    #[test]
    fn anything_else_is_no_number() {
        for text in [
            "",
            " ",
            "+",
            "-",
            ".",
            "e5",
            ".e5",
            "1e",
            "1e+",
            "1ff",
            "1L",
            "1_0",
            "1,5",
            "--1",
            "+-1",
            "nan",
            "NAN",
            "inf",
            "INF",
            "infinity",
            "Infinityf",
            "NaNd",
            "1 f",
            "١",
            "0x",
            "0x1",
            "0x1.8",
            "0xp1",
            "0x.p1",
            "0x1p",
            "0x1p1.0",
            "0x1..8p1",
            "0xgp1",
            "0x1p0x1",
            "\u{A0}1",
        ] {
            assert_eq!(parse_f64(text), None, "{text}");
        }
    }
}
