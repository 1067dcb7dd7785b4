//! DECIMAL. Agrees with `new BigDecimal(String)`, `BigDecimal.setScale` and `DecimalData.fromBigDecimal`.

use crate::text::Malformed;
use crate::text::parse_integer::{digit_value, parse_integer};

/// The number in `text` with `scale` decimals, times 10^`scale`; `None` where that has more than `precision` digits,
/// which Flink takes for NULL.
///
/// The text is a sign or none, digits (of any script) with or without a point, and an exponent or none. Digits beyond
/// the scale are rounded, half away from zero. Costs as much as the text is long, whatever its exponent.
///
/// # Errors
///
/// If the text is anything else, or its exponent so large that `BigDecimal` gives up.
pub(crate) fn parse_decimal(text: &str, precision: u8, scale: u8) -> Result<Option<i128>, Malformed> {
    let value = match parse_word(text, scale) {
        Some(value) => Some(value.into()),
        None => parse_any(text, scale)?,
    };
    Ok(value.filter(|value| value.unsigned_abs() < 10_u128.pow(precision.into())))
}

/// The commonest numbers, without a plus or an exponent and with no decimals beyond the scale, if they fit a word.
#[inline]
fn parse_word(text: &str, scale: u8) -> Option<i64> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let mut magnitude = 0_i64;
    let mut missing_decimals = scale;
    let mut has_point = false;
    if digits.len() > 18 {
        return None;
    }
    for &byte in digits {
        match byte {
            b'0'..=b'9' => {
                magnitude = magnitude * 10 + i64::from(byte - b'0');
                missing_decimals = missing_decimals.checked_sub(has_point.into())?;
            }
            b'.' if !has_point => has_point = true,
            _ => return None,
        }
    }
    if digits.len() == usize::from(has_point) {
        return None;
    }
    magnitude = magnitude.checked_mul(10_i64.checked_pow(missing_decimals.into())?)?;
    Some(if negative { -magnitude } else { magnitude })
}

/// Any number with `scale` decimals; `None` where that has more than 38 digits.
fn parse_any(text: &str, scale: u8) -> Result<Option<i128>, Malformed> {
    let number = Number::parse(text).ok_or(Malformed)?;
    // The point moves so far to the right, or to the left, where digits fall off.
    let shift = i64::from(scale) - number.scale;
    if shift < -MAX_POWER_OF_TEN || shift > MAX_POWER_OF_TEN && number.len > 0 {
        return Err(Malformed);
    }
    Ok(number.round(shift))
}

/// `BigInteger` refuses a greater power of ten.
const MAX_POWER_OF_TEN: i64 = 536_870_919;

/// The most digits that a DECIMAL has.
const MAX_PRECISION: usize = 38;

/// The whole number d₁d₂d₃… divided by 10^`scale`.
struct Number {
    negative: bool,
    /// The digits from the first that is not zero: as many as a DECIMAL has, and one to round by.
    digits: [u8; MAX_PRECISION + 1],
    /// How many there are in the text.
    len: usize,
    scale: i64,
}

impl Number {
    fn parse(text: &str) -> Option<Self> {
        let (negative, text) = match *text.as_bytes() {
            [b'-', ..] => (true, &text[1..]),
            [b'+', ..] => (false, &text[1..]),
            _ => (false, text),
        };
        let mut number = Self { negative, digits: [0; MAX_PRECISION + 1], len: 0, scale: 0 };
        let mut has_digits = false;
        let mut has_point = false;
        let mut exponent = 0;
        for (index, character) in text.char_indices() {
            match character {
                '.' if !has_point => has_point = true,
                'e' | 'E' => {
                    exponent = parse_integer(&text[index + 1..])
                        .filter(|&exponent| i32::try_from(exponent).is_ok())?;
                    break;
                }
                _ => {
                    number.push(digit_value(character)?);
                    number.scale += i64::from(has_point);
                    has_digits = true;
                }
            }
        }
        number.scale -= exponent;
        // BigDecimal's scale is an int.
        (has_digits && i32::try_from(number.scale).is_ok()).then_some(number)
    }

    fn push(&mut self, digit: u8) {
        if digit == 0 && self.len == 0 {
            return;
        }
        if let Some(place) = self.digits.get_mut(self.len) {
            *place = digit;
        }
        self.len += 1;
    }

    /// The digits times 10^`shift`, rounded half away from zero; `None` beyond 38 digits.
    fn round(&self, shift: i64) -> Option<i128> {
        let dropped = usize::try_from(-shift).unwrap_or(0);
        let zeros = u32::try_from(shift).unwrap_or(0);
        let Some(kept) = self.len.checked_sub(dropped) else {
            return Some(0);
        };
        if self.len == 0 {
            return Some(0);
        }
        if kept + zeros as usize > MAX_PRECISION {
            return None;
        }
        // 19 digits fit a word.
        let (head, tail) = self.digits[..kept].split_at(kept.min(19));
        let head = head.iter().fold(0_u64, |value, &digit| value * 10 + u64::from(digit));
        let value = tail.iter().fold(i128::from(head), |value, &digit| value * 10 + i128::from(digit));
        let round_up = kept < self.len && self.digits[kept] >= 5;
        let magnitude = value * 10_i128.pow(zeros) + i128::from(round_up);
        Some(if self.negative { -magnitude } else { magnitude })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `BigDecimal`.
    #[test]
    fn digits_beyond_the_scale_are_rounded_half_away_from_zero() {
        let cases = [
            ("1.005", 10, 2, Some(101)),
            ("-1.005", 10, 2, Some(-101)),
            ("1.00499999999999999999999999999999999999999999999999", 10, 2, Some(100)),
            ("2.5", 5, 0, Some(3)),
            ("-2.5", 5, 0, Some(-3)),
            ("0.5", 5, 0, Some(1)),
            ("0.49", 5, 0, Some(0)),
            ("0.05", 5, 0, Some(0)),
            ("-0", 5, 0, Some(0)),
            ("-0.4", 5, 0, Some(0)),
            ("0.9995", 3, 3, None),
            ("0.9994", 3, 3, Some(999)),
            ("99999.5", 5, 0, None),
            ("99999999999999999999999999999999999999", 38, 0, Some(10_i128.pow(38) - 1)),
            ("99999999999999999999999999999999999999.5", 38, 0, None),
            ("100000000000000000000000000000000000000", 38, 0, None),
            ("0.000000000000000000000000000000000000001", 38, 38, Some(0)),
            ("0.000000000000000000000000000000000000005", 38, 38, Some(1)),
            ("0000000000000000000000000000000000000000000012.3", 5, 2, Some(1230)),
        ];
        for (text, precision, scale, value) in cases {
            assert_eq!(parse_decimal(text, precision, scale), Ok(value), "{text}");
        }
    }

    #[test]
    fn a_decimal_has_an_exponent_or_none_and_digits_of_any_script() {
        let cases = [
            ("1e2", Some(10000)),
            ("+1.5E-1", Some(15)),
            ("1.5e+1", Some(1500)),
            ("1.e1", Some(1000)),
            (".5", Some(50)),
            ("5.", Some(500)),
            ("１٢.5", Some(1250)),
            ("1e٢", Some(10000)),
            ("1e00000000000000000000000000002", Some(10000)),
            ("1e100000", None),
            ("0e100000", Some(0)),
            ("1e-100000", Some(0)),
            ("1e-2147483", Some(0)),
            ("0e2147483647", Some(0)),
        ];
        for (text, value) in cases {
            assert_eq!(parse_decimal(text, 10, 2), Ok(value), "{text}");
        }
    }

    #[test]
    fn anything_else_is_malformed() {
        for text in [
            "",
            "+",
            "-",
            ".",
            "-.",
            "e5",
            ".e5",
            "1e",
            "1e+",
            "1e5.0",
            "1e+-5",
            "--1",
            "1.2.3",
            "1,5",
            "1_0",
            "0x1",
            "NaN",
            "Infinity",
            "1d",
            "1f",
            " 1",
            "1 ",
            "𝟏",
            "1e2147483647",
            "1e-2147483647",
            "1e2147483648",
            "0e-2147483648",
            "1e99999999999999999999",
        ] {
            assert_eq!(parse_decimal(text, 10, 2), Err(Malformed), "{text}");
        }
    }
    proptest::proptest! {
        #[test]
        fn a_word_is_read_like_any_other_number(text in "-?[0-9]{0,20}[.]?[0-9]{0,6}", scale in 0..=38_u8) {
            if let Some(value) = parse_word(&text, scale) {
                proptest::prop_assert_eq!(parse_any(&text, scale), Ok(Some(value.into())));
            }
        }
    }
}
